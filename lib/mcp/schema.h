/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of the tools, as tools/list gives them. */
#ifndef JZ_MCP_SCHEMA_H
#define JZ_MCP_SCHEMA_H

#include "base/buf.h"
#include "search/arguments.h"

/* Append one tool: name, description, inputSchema, outputSchema, annotations.
 * The same bytes on every call. */
void jz__schema_put_tool(struct jz__buf *out, enum jz__read read);

#endif
