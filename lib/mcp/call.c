/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers. A method writes the members of its result; what the era adds to
 * every result (resultType, _meta) is written here, so that no method can
 * forget it. Legacy results do not have it: clients of those revisions check
 * results against schemas that do not know it.
 */
#include "mcp/call.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "jezero.h"

void jz__call_fail(struct jz__call *call, int http_status, int code,
                   const char *data, const char *format, ...)
{
    char message[512];
    va_list arguments;

    assert(call->out->length == 0);

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    call->http_status = http_status;
    jz__jsonrpc_put_error(call->out, call->message.id, code, message, data);
}

void jz__call_fail_params(struct jz__call *call, const char *detail)
{
    if (call->is_modern) {
        jz__call_fail(call, 400, JZ__JSONRPC_INVALID_PARAMS, NULL,
                      "Invalid request parameters: %s", detail);
        return;
    }
    /* What legacy clients have always been answered, to the byte. */
    jz__call_fail(call, 200, JZ__JSONRPC_INVALID_PARAMS, "\"\"",
                  "Invalid request parameters");
}

void jz__call_put_server(struct jz__buf *out)
{
    jz__buf_puts(out,
                 "{\"name\":\"jezero\",\"version\":\"" JZ_VERSION_STRING "\"}");
}

void jz__call_begin(struct jz__call *call)
{
    assert(call->out->length == 0);

    jz__jsonrpc_put_result(call->out, call->message.id);
    jz__buf_putc(call->out, '{');
    if (call->is_modern) {
        jz__json_put_key(call->out, "resultType");
        jz__json_put_str(call->out, "complete");
    }
}

void jz__call_end(struct jz__call *call)
{
    if (call->is_modern) {
        jz__json_put_key(call->out, "_meta");
        jz__buf_putc(call->out, '{');
        jz__json_put_key(call->out, JZ__CALL_META "serverInfo");
        jz__call_put_server(call->out);
        jz__buf_putc(call->out, '}');
    }
    jz__buf_puts(call->out, "}}");
}
