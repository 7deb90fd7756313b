/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing of a request is taken from outside unlooked at: a line break in a path
 * would be a header of its own.
 */
#include "net/request.h"

#include <assert.h>
#include <string.h>

#include "jezero.h"

static bool is_path(const char *path)
{
    for (const char *at = path; *at != '\0'; at++) {
        if (*at <= ' ' || *at > '~' || *at == '#') {
            return false;
        }
    }
    return path[0] == '/';
}

/* Without a body these say nothing about its length; others say 0. */
static bool is_bodiless(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
           strcmp(method, "DELETE") == 0;
}

static void put_framing(struct jz__buf *out,
                        const struct jz__fetch_request *request)
{
    if (request->read != NULL) {
        jz__buf_puts(out, "Transfer-Encoding: chunked\r\n");
    } else if (request->body.length > 0 || !is_bodiless(request->method)) {
        jz__buf_printf(out, "Content-Length: %zu\r\n", request->body.length);
    }
}

int jz__request_head(struct jz__buf *out,
                     const struct jz__request_target *target,
                     const struct jz__fetch_request *request,
                     struct jz__error *error)
{
    const char *headers = request->headers != NULL ? request->headers : "";

    assert(request->method != NULL && request->path != NULL);
    assert(headers[0] == '\0' || jz__str_ends(jz__str_of(headers), "\r\n"));

    if (!is_path(request->path)) {
        return jz__fail(error, JZ_EINVAL, "'%s' is no path of a request",
                        request->path);
    }
    jz__buf_printf(out, "%s %s%s HTTP/1.1\r\nHost: %s\r\n", request->method,
                   target->prefix, request->path, target->host);
    jz__buf_puts(out, "User-Agent: jezero/" JZ_VERSION_STRING "\r\n");
    if (target->proxy_authorization != NULL) {
        jz__buf_printf(out, "Proxy-Authorization: %s\r\n",
                       target->proxy_authorization);
    }
    put_framing(out, request);
    jz__buf_puts(out, headers);
    jz__buf_puts(out, "\r\n");
    return out->error == 0 ? 0 : jz__fail_memory(error);
}
