/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request codec. The first byte chooses how the rest is cut into pieces;
 * whatever the cut, the events and the bodies must be the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/http.h"
#include "net/origin.h"

#define BODY_MOST 64

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void tell_request(struct jz__buf *told, struct jz__http *http)
{
    static const struct jz__origin_rules rules = { .server_host = "::1" };
    const struct jz__http_request *request = jz__http_request(http);

    require(request->path.length > 0);
    require(!request->is_chunked || request->content_length == 0);
    (void)jz__origin_host_allowed(&rules, request->host);
    for (size_t i = 0; i < request->header_count; i++) {
        (void)jz__origin_allowed(&rules, request->headers[i].value);
        jz__buf_append(told, request->headers[i].value.data,
                       request->headers[i].value.length);
    }
    jz__buf_append(told, request->path.data, request->path.length);
    jz__buf_puts(told, request->keep_alive ? " keep" : " close");
    jz__http_limit_body(http, BODY_MOST);
}

static void tell(struct jz__buf *told, const char *bytes, size_t length,
                 size_t step)
{
    struct jz__http *http = jz__http_new();

    require(http != NULL);
    for (size_t at = 0; at < length; at += step) {
        const char *data = bytes + at;
        size_t left = length - at < step ? length - at : step;
        const char *end = data + left;
        enum jz__http_event event;
        struct jz__http_step out;

        while ((event = jz__http_read(&out, http, &data, &left)) !=
               JZ__HTTP_MORE) {
            require(data + left == end || left == 0);
            if (event == JZ__HTTP_REQUEST) {
                tell_request(told, http);
            } else if (event == JZ__HTTP_BODY) {
                require(out.data.length > 0);
                jz__buf_append(told, out.data.data, out.data.length);
            } else if (event == JZ__HTTP_END) {
                jz__buf_puts(told, " end\n");
            } else {
                require(out.reason != NULL);
                jz__buf_printf(told, " %d\n", out.status);
            }
        }
        require(left == 0);
    }
    jz__http_free(http);
}

/* A body over its limit is told as far as its pieces went, which depends on
 * the cut; so such a tale is not compared. */
static bool is_comparable(const struct jz__buf *told)
{
    return told->length < 5 ||
           strcmp(told->data + told->length - 5, " 413\n") != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__buf whole = JZ__BUF_INIT;
    struct jz__buf pieces = JZ__BUF_INIT;

    if (size > 1) {
        const char *bytes = (const char *)data + 1;
        size_t step = (size_t)data[0] % 16 + 1;

        tell(&whole, bytes, size - 1, size - 1);
        tell(&pieces, bytes, size - 1, step);
        require(!is_comparable(&whole) ||
                (whole.length == pieces.length &&
                 (whole.length == 0 ||
                  memcmp(whole.data, pieces.data, whole.length) == 0)));
    }
    jz__buf_finish(&whole);
    jz__buf_finish(&pieces);
    return 0;
}
