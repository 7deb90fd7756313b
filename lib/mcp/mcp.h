/* SPDX-License-Identifier: Apache-2.0 */
/* MCP without transport: a message in, an answer out. */
#ifndef JZ_MCP_MCP_H
#define JZ_MCP_MCP_H

#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

struct jz__reads;

/*
 * Answer one message of any bytes. out must be empty and gets one line of JSON
 * without a line end, or stays empty when no answer is due; *http_status is
 * then what HTTP says. headers is NULL on stdio, else an object of lower-case
 * names with an array of values. 0 or JZ_ENOMEM.
 */
int jz__mcp_answer(struct jz__buf *out, int *http_status,
                   struct jz__reads *reads, const cJSON *headers,
                   const char *request, size_t length);

#endif
