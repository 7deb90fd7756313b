/* SPDX-License-Identifier: Apache-2.0 */
/* The five reads as tools. */
#ifndef JZ_MCP_READS_H
#define JZ_MCP_READS_H

#include "mcp/call.h"

/* Append the array of all tools. */
void jz__reads_put_tools(struct jz__buf *out);

/* tools/call. */
void jz__reads_call(struct jz__call *call);

#endif
