/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes on their way to a connection's socket. What the socket takes at once is
 * not handed to the loop, which makes most answers one system call. The price is
 * that an answer may be out before the call that sends it has returned; who gave
 * it learns that from exchange_sent(), never inside exchange_feed().
 */
#include <assert.h>
#include <string.h>

#include "conn_private.h"
#include "conn_tls.h"
#include "exchange.h"

/* Buffers of one answer. */
#define SEND_MOST 4

static int say_plain(struct conn *conn, const char *text)
{
    /* libuv's buffers are not const. */
    char copy[512];
    size_t length = strlen(text);
    uv_buf_t bytes = uv_buf_init(copy, (unsigned)length);
    int r;

    assert(length < sizeof(copy));

    memcpy(copy, text, length + 1);
    r = uv_try_write((uv_stream_t *)&conn->tcp, &bytes, 1);
    if (r == UV_EAGAIN) {
        return 0;
    }
    /* Nothing may follow a part of it. */
    return r < 0 || (size_t)r == length ? r : UV_EIO;
}

void conn_say(struct conn *conn, const char *text)
{
    int r =
        conn->tls != NULL ? conn_tls_say(conn, text) : say_plain(conn, text);

    if (r < 0) {
        conn_close(conn);
    }
}

/*
 * An answer that left at once may be followed by that to the next request, and
 * so on: in a loop, because a recursion would be as deep as a client has sent
 * requests ahead.
 */
void conn_settle(struct conn *conn)
{
    if (conn->is_feeding || conn->is_settling) {
        return;
    }
    conn->is_settling = true;
    while (conn->is_sent && !conn->is_closing) {
        conn->is_sent = false;
        exchange_sent(conn, 0);
    }
    conn->is_settling = false;
}

static void on_write(uv_write_t *request, int status)
{
    struct conn *conn = request->data;

    if (status < 0) {
        exchange_sent(conn, status);
    } else {
        conn->is_sent = true;
        conn_settle(conn);
    }
}

/* What is left of the buffers behind the first `sent` bytes. */
static unsigned skip(uv_buf_t *rest, const uv_buf_t *bytes, unsigned count,
                     size_t sent)
{
    unsigned left = 0;

    for (unsigned i = 0; i < count; i++) {
        size_t gone = sent < bytes[i].len ? sent : bytes[i].len;

        sent -= gone;
        if (gone < bytes[i].len) {
            rest[left++] = uv_buf_init(bytes[i].base + gone,
                                       (unsigned)(bytes[i].len - gone));
        }
    }
    return left;
}

/* Most answers fit into the socket's buffer and are spared the way through the
 * loop. */
static int send_plain(struct conn *conn, const uv_buf_t *bytes, unsigned count)
{
    uv_stream_t *stream = (uv_stream_t *)&conn->tcp;
    uv_buf_t rest[SEND_MOST];
    unsigned left;
    int r = uv_try_write(stream, bytes, count);

    assert(count <= SEND_MOST);

    if (r < 0 && r != UV_EAGAIN) {
        return r;
    }
    left = skip(rest, bytes, count, r > 0 ? (size_t)r : 0);
    if (left > 0) {
        conn->write.data = conn;
        return uv_write(&conn->write, stream, rest, left, on_write);
    }
    conn->is_sent = true;
    conn_settle(conn);
    return 0;
}

int conn_send(struct conn *conn, const uv_buf_t *bytes, unsigned count)
{
    return conn->tls != NULL ? conn_tls_send(conn, bytes, count)
                             : send_plain(conn, bytes, count);
}
