/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records are made and opened in two buffers that all connections share, since
 * they are used up before the loop turns to the next one. Only what the socket
 * does not take at once is copied to the connection.
 *
 * Records have to leave in the order in which they were made, and answers are
 * not the only ones: the handshake and alerts are records as well. So at most
 * one write is on its way, and what is made meanwhile waits behind it in
 * `wire_next`.
 */
#include "conn_tls.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "conn_private.h"

/* Records that may wait while others do. An answer is one lot and may be
 * larger; a client that has us speak without reading gets no further. */
#define WAITING_MOST 65536

/* What the shared buffers keep between two connections. A large answer makes
 * them grow once. */
#define KEEP_MOST ((size_t)256 * 1024)

static void empty(struct jz__buf *buf)
{
    if (buf->capacity > KEEP_MOST) {
        jz__buf_finish(buf);
    } else {
        jz__buf_clear(buf);
    }
}

static void on_write(uv_write_t *request, int status);

/* Send records, or have them wait. */
static int put(struct conn *conn, const struct jz__buf *records)
{
    uv_stream_t *stream = (uv_stream_t *)&conn->tcp;
    uv_buf_t bytes = uv_buf_init(records->data, (unsigned)records->length);
    int r;

    if (records->error != 0 || records->length > UINT32_MAX) {
        return UV_ENOMEM;
    }
    if (records->length == 0) {
        return 0;
    }
    if (conn->is_wire_busy) {
        if (conn->wire_next.length > WAITING_MOST) {
            return UV_ENOBUFS;
        }
        jz__buf_append(&conn->wire_next, bytes.base, bytes.len);
        return conn->wire_next.error != 0 ? UV_ENOMEM : 0;
    }
    r = uv_try_write(stream, &bytes, 1);
    if (r < 0 && r != UV_EAGAIN) {
        return r;
    }
    r = r > 0 ? r : 0;
    if ((size_t)r == bytes.len) {
        return 0;
    }
    jz__buf_append(&conn->wire, bytes.base + r, bytes.len - (size_t)r);
    if (conn->wire.error != 0) {
        return UV_ENOMEM;
    }
    bytes = uv_buf_init(conn->wire.data, (unsigned)conn->wire.length);
    conn->write.data = conn;
    r = uv_write(&conn->write, stream, &bytes, 1, on_write);
    conn->is_wire_busy = r == 0;
    return r;
}

/* The answer counts as sent when nothing waits any more. */
static void on_write(uv_write_t *request, int status)
{
    struct conn *conn = request->data;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf next = conn->wire_next;

    conn->is_wire_busy = false;
    conn->wire_next = (struct jz__buf)JZ__BUF_INIT;
    jz__buf_finish(&conn->wire);
    if (conn->is_closing) {
        return;
    }
    if (status < 0 || put(conn, &next) < 0) {
        conn_close(conn);
    } else if (conn->is_answering && !conn->is_wire_busy) {
        conn->is_answering = false;
        conn->is_sent = true;
        conn_settle(conn);
    }
}

int conn_tls_read(struct jz__str *plain, struct conn *conn, const char *data,
                  size_t length)
{
    struct server *server = conn->server;
    struct jz__buf *text = &server->tls.plain;
    struct jz__buf *wire = &server->tls.wire;
    struct jz__error error = { 0 };
    int r;

    empty(text);
    empty(wire);
    r = jz__tls_read(conn->tls, (struct jz__str){ data, length }, text, wire,
                     &error);
    if (r < 0) {
        jz__log_write(&server->log, JZ_LOG_DEBUG, "connection refused: %s",
                      error.message);
    }
    *plain = (struct jz__str){ text->data, text->length };
    /* What broke it is told to the client as well. */
    return put(conn, wire) < 0 ? JZ_EIO : r;
}

int conn_tls_send(struct conn *conn, const uv_buf_t *bytes, unsigned count)
{
    struct jz__buf *wire = &conn->server->tls.wire;
    int r;

    empty(wire);
    for (unsigned i = 0; i < count; i++) {
        struct jz__str plain = { bytes[i].base, bytes[i].len };

        if (jz__tls_write(conn->tls, plain, wire, NULL) < 0) {
            return UV_EPROTO;
        }
    }
    r = put(conn, wire);
    if (r < 0) {
        return r;
    }
    if (conn->is_wire_busy) {
        conn->is_answering = true;
    } else {
        conn->is_sent = true;
        conn_settle(conn);
    }
    return 0;
}

int conn_tls_say(struct conn *conn, const char *text)
{
    struct jz__buf *wire = &conn->server->tls.wire;

    empty(wire);
    if (!jz__tls_is_ready(conn->tls)) {
        return 0;
    }
    return jz__tls_write(conn->tls, jz__str_of(text), wire, NULL) < 0
               ? UV_EPROTO
               : put(conn, wire);
}

void conn_tls_end(struct conn *conn)
{
    struct jz__buf *wire = &conn->server->tls.wire;

    if (conn->is_tls_ended || conn->is_wire_busy) {
        return;
    }
    conn->is_tls_ended = true;
    empty(wire);
    if (jz__tls_end(conn->tls, wire, NULL) == 0) {
        /* It is a courtesy: a client that is gone does not get it. */
        (void)put(conn, wire);
    }
}

void conn_tls_finish(struct conn *conn)
{
    jz__tls_free(conn->tls);
    conn->tls = NULL;
    jz__buf_finish(&conn->wire);
    jz__buf_finish(&conn->wire_next);
}
