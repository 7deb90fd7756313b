/* SPDX-License-Identifier: Apache-2.0 */
/* One message on its way through the room, and how its answer is written. */
#ifndef JZ_MCP_CALL_H
#define JZ_MCP_CALL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"
#include "mcp/jsonrpc.h"

/* Keys of _meta that the protocol reserves. */
#define JZ__CALL_META "io.modelcontextprotocol/"

struct jz__reads;

struct jz__call {
    struct jz__buf *out;     /* the answer; empty: none is due */
    int http_status;         /* set also on stdio, where nobody asks */
    struct jz__reads *reads; /* what the caller may read */
    const cJSON *headers;    /* NULL: stdio */
    struct jz__jsonrpc message;
    bool is_modern; /* 2026-07-28, and not a legacy revision */
};

/* Answer with an error. data is JSON text or NULL. */
void jz__call_fail(struct jz__call *call, int http_status, int code,
                   const char *data, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* -32602 for parameters that the method cannot take; detail says which. */
void jz__call_fail_params(struct jz__call *call, const char *detail);

/* Begin a result object, and end it. The caller writes the members in between,
 * each with jz__json_put_key(). */
void jz__call_begin(struct jz__call *call);
void jz__call_end(struct jz__call *call);

/* Append {"name":…,"version":…} of this server. */
void jz__call_put_server(struct jz__buf *out);

#endif
