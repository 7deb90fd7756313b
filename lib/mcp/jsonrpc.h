/* SPDX-License-Identifier: Apache-2.0 */
/* JSON-RPC 2.0: what a message is, and the frames of its answers. */
#ifndef JZ_MCP_JSONRPC_H
#define JZ_MCP_JSONRPC_H

#include <stddef.h>

#include "base/buf.h"
#include "base/scan.h"
#include "base/str.h"

#define JZ__JSONRPC_PARSE_ERROR (-32700)
#define JZ__JSONRPC_INVALID_REQUEST (-32600)
#define JZ__JSONRPC_METHOD_NOT_FOUND (-32601)
#define JZ__JSONRPC_INVALID_PARAMS (-32602)
#define JZ__JSONRPC_INTERNAL_ERROR (-32603)
#define JZ__JSONRPC_HEADER_MISMATCH (-32020)
#define JZ__JSONRPC_UNSUPPORTED_VERSION (-32022)

enum jz__jsonrpc_kind {
    JZ__JSONRPC_REQUEST,
    JZ__JSONRPC_NOTIFICATION,
    JZ__JSONRPC_RESPONSE, /* to a request that we never sent */
    JZ__JSONRPC_INVALID,  /* code and message say why */
};

struct jz__jsonrpc {
    struct jz__scan scan; /* of the whole message; its root is token 0 */
    enum jz__jsonrpc_kind kind;
    struct jz__str id; /* its bytes as they came; "null" if there is none */
    size_t method;     /* token; 0: none */
    size_t params;     /* token of an object; 0: none */
    int code;          /* of an invalid message */
    char message[160];
};

#define JZ__JSONRPC_INIT                                                       \
    {                                                                          \
        JZ__SCAN_INIT, JZ__JSONRPC_INVALID, { "null", 4 }, 0, 0, 0, ""         \
    }

/* Read one message: 0, also for an invalid one, or JZ_ENOMEM. The text is
 * borrowed until the message is finished. */
int jz__jsonrpc_read(struct jz__jsonrpc *out, const char *text, size_t length);

void jz__jsonrpc_finish(struct jz__jsonrpc *message);

/* Append everything of an answer that stands before the result's value; a }
 * behind the value ends it. */
void jz__jsonrpc_put_result(struct jz__buf *out, struct jz__str id);

/* Append a whole error answer. data is JSON text, or NULL. */
void jz__jsonrpc_put_error(struct jz__buf *out, struct jz__str id, int code,
                           const char *message, const char *data);

#endif
