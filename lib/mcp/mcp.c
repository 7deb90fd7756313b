/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a message: Accept, envelope, era, then the method. Each stage
 * either answers with an error or hands on; the order decides which error a
 * client sees first, and so it is that of the protocol and of the servers that
 * clients were written against.
 *
 * Nothing is kept between messages: tools/call works without initialize, on a
 * new process, under any session id.
 */
#include "mcp/mcp.h"

#include <assert.h>

#include "base/mem.h"
#include "jezero.h"
#include "mcp/call.h"
#include "mcp/era.h"
#include "mcp/headers.h"
#include "mcp/methods.h"

/* A line of white space on stdio is no message. */
static bool is_blank(const char *text, size_t length)
{
    return jz__str_trim((struct jz__str){ text, length }).length == 0;
}

static void dispatch(struct jz__call *call)
{
    const struct jz__method *method = jz__methods_find(call);

    if (method == NULL) {
        jz__call_fail(call, call->is_modern ? 404 : 200,
                      JZ__JSONRPC_METHOD_NOT_FOUND, NULL, "Method not found");
        return;
    }
    method->run(call);
}

static void answer(struct jz__call *call)
{
    if (call->message.kind == JZ__JSONRPC_INVALID) {
        jz__call_fail(call, 400, call->message.code, NULL, "%s",
                      call->message.message);
        return;
    }
    if (!jz__era_check(call)) {
        return;
    }
    if (call->message.kind == JZ__JSONRPC_REQUEST) {
        dispatch(call);
    } else {
        call->http_status = 202;
    }
}

int jz__mcp_answer(struct jz__buf *out, int *http_status,
                   struct jz__reads *reads, const cJSON *headers,
                   const char *request, size_t length)
{
    struct jz__call call = { .out = out,
                             .http_status = 200,
                             .reads = reads,
                             .headers = headers,
                             .message = JZ__JSONRPC_INIT };
    int r;

    assert(out != NULL && out->length == 0 && http_status != NULL);
    assert(reads != NULL && (request != NULL || length == 0));

    if (headers == NULL && is_blank(request, length)) {
        *http_status = 202;
        return JZ_OK;
    }
    if (!jz__headers_accept_json(headers)) {
        jz__call_fail(&call, 406, JZ__JSONRPC_INVALID_REQUEST, NULL,
                      "Not Acceptable: Client must accept application/json");
        *http_status = call.http_status;
        return out->error;
    }
    r = jz__jsonrpc_read(&call.message, request, length);
    if (r == JZ_OK) {
        answer(&call);
        r = out->error;
    }
    *http_status = call.http_status;
    jz__jsonrpc_finish(&call.message);
    return r;
}
