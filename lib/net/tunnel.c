/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CONNECT. The proxy sees the name of the server and nothing of what is said to
 * it; what it answers in place of a tunnel (its own login page) is not read
 * beyond the head. The server speaks after us in TLS, so bytes behind the
 * proxy's head are a fault.
 */
#include "net/tunnel.h"

#include <assert.h>

#include "base/mem.h"
#include "net/response.h"

static int put_request(struct jz__stream *stream, const char *server,
                       const char *authorization, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf head = JZ__BUF_INIT;

    jz__buf_printf(&head, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", server,
                   server);
    jz__buf_puts(&head, "User-Agent: jezero/" JZ_VERSION_STRING "\r\n");
    if (authorization != NULL) {
        jz__buf_printf(&head, "Proxy-Authorization: %s\r\n", authorization);
    }
    jz__buf_puts(&head, "\r\n");
    if (head.error != 0) {
        return jz__fail_memory(error);
    }
    return jz__stream_put(stream, (struct jz__str){ head.data, head.length },
                          error);
}

/* 0: the head is not complete yet; 1: the tunnel is there. */
static int read_answer(struct jz__stream *stream, struct jz__response *response,
                       const char *place, struct jz__error *error)
{
    const char *data = stream->plain.data;
    size_t left = stream->plain.length;
    struct jz__str piece;
    enum jz__response_event event =
        jz__response_read(&piece, response, &data, &left);

    jz__buf_clear(&stream->plain);
    if (event == JZ__RESPONSE_MORE) {
        return 0;
    }
    if (event == JZ__RESPONSE_BAD && response->is_out_of_memory) {
        return jz__fail_memory(error);
    }
    if (event == JZ__RESPONSE_BAD) {
        return jz__fail(error, JZ_EIO,
                        "the answer of the proxy %s is not valid: %s", place,
                        response->reason);
    }
    if (response->status < 200 || response->status > 299) {
        return jz__fail(error, JZ_EIO, "the proxy %s answered HTTP %d", place,
                        response->status);
    }
    if (left > 0) {
        return jz__fail(error, JZ_EIO, "the proxy %s sent more than its answer",
                        place);
    }
    return 1;
}

static int fail_late(const char *place, const struct jz__deadline *deadline,
                     struct jz__error *error)
{
    char span[JZ__DEADLINE_TEXT_SIZE];

    return jz__fail(error, JZ_EIO, "no answer of the proxy %s within %s", place,
                    jz__deadline_show(span, deadline));
}

int jz__tunnel_open(struct jz__stream *stream, const char *server,
                    const char *authorization, const char *place,
                    const struct jz__deadline *deadline,
                    struct jz__error *error)
{
    JZ_CLEANUP(jz__response_finish) struct jz__response response;
    int r;

    assert(stream->tls == NULL && server != NULL && place != NULL);

    jz__response_init(&response, true);
    r = put_request(stream, server, authorization, error);
    while (r == 0) {
        if (stream->is_ended) {
            return jz__fail(error, JZ_EIO, "the proxy %s closed the connection",
                            place);
        }
        r = jz__stream_step(stream, deadline, error);
        if (r == JZ__STREAM_LATE) {
            return fail_late(place, deadline, error);
        }
        if (r == 0) {
            r = read_answer(stream, &response, place, error);
        }
    }
    return r < 0 ? r : 0;
}
