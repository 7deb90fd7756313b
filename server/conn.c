/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection is in one of four states:
 *
 *   READING    between requests or inside one that is arriving
 *   CALLING    a complete message is with the library
 *   WRITING    its answer is on the way, in one write
 *   LINGERING  the answer told the client that this is the end; what it still
 *              sends is thrown away for a moment, because a socket that is
 *              closed with unread bytes resets the connection, and the reset
 *              may overtake the answer
 *
 * Requests of one connection are answered in their order, one at a time
 * (exchange.c): what arrives while one is at work waits in `pending`, and above
 * a limit in the kernel. One timer serves all states, since each has just one
 * thing to wait for.
 *
 * Memory is freed when libuv has closed both handles, and nowhere else.
 */
#include "conn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conn_private.h"
#include "conn_tls.h"
#include "exchange.h"

/* Bytes of later requests that are taken while one is at work. */
#define PENDING_MOST 65536

/* How long what a client still sends is thrown away. Most stop at once when
 * they see the answer and the end behind it. */
#define LINGER_MS 2000

/* Connections over the limit that are told so; those above are just closed. */
#define EXCESS_MOST 16

/* At most one line a minute says so. */
#define COMPLAIN_MS 60000

static void on_timer(uv_timer_t *timer);

/* --- the end --- */

static void on_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;

    conn->open_handles--;
    if (conn->open_handles > 0) {
        return;
    }
    jz__http_free(conn->http);
    jz__buf_finish(&conn->pending);
    conn_tls_finish(conn);
    exchange_finish(conn);
    free(conn);
}

void conn_close(struct conn *conn)
{
    struct server *server = conn->server;

    if (conn->is_closing) {
        return;
    }
    conn->is_closing = true;
    exchange_abort(conn);
    if (conn->previous != NULL) {
        conn->previous->next = conn->next;
    } else {
        server->conns = conn->next;
    }
    if (conn->next != NULL) {
        conn->next->previous = conn->previous;
    }
    server->conn_count--;
    if (conn->tls != NULL) {
        conn_tls_end(conn);
    }
    /* A write that is on its way is ended by this with an error of its own. */
    uv_close((uv_handle_t *)&conn->tcp, on_closed);
    uv_close((uv_handle_t *)&conn->timer, on_closed);
}

void conn_set_timer(struct conn *conn, uint64_t ms)
{
    /* It fails for a closing handle alone. */
    (void)uv_timer_start(&conn->timer, on_timer, ms, 0);
}

/* Nothing follows: the timer or the client's end closes the connection. */
static void on_shutdown(uv_shutdown_t *request, int status)
{
    (void)request;
    (void)status;
}

static void start_reading(struct conn *conn);

void conn_linger(struct conn *conn)
{
    conn->state = CONN_LINGERING;
    jz__buf_finish(&conn->pending);
    if (conn->tls != NULL) {
        conn_tls_end(conn);
    }
    if (conn->saw_end || uv_shutdown(&conn->shutdown, (uv_stream_t *)&conn->tcp,
                                     on_shutdown) < 0) {
        conn_close(conn);
        return;
    }
    conn_set_timer(conn, LINGER_MS);
    start_reading(conn);
}

static size_t feed(struct conn *conn, const char *data, size_t length)
{
    size_t used;

    conn->is_feeding = true;
    used = exchange_feed(conn, data, length);
    conn->is_feeding = false;
    return used;
}

/* Bytes that were kept, as far as they are taken now; what stays moves to the
 * front, so that an upload does not pile up behind what it has used. */
static void feed_pending(struct conn *conn)
{
    struct jz__buf *pending = &conn->pending;
    size_t used = feed(conn, pending->data, pending->length);

    if (used == pending->length) {
        jz__buf_finish(pending);
    } else if (used > 0) {
        memmove(pending->data, pending->data + used, pending->length - used);
        jz__buf_truncate(pending, pending->length - used);
    }
}

void conn_go_on(struct conn *conn)
{
    /* An upload that became full with its last byte has nothing left here, and
     * still has to learn that it is complete. */
    if (conn->pending.length > 0 || jz__http_is_inside(conn->http)) {
        feed_pending(conn);
        conn_settle(conn);
    }
    if (conn->state != CONN_READING || conn->is_closing || conn->is_full) {
        return;
    }
    if (conn->saw_end ||
        (conn->server->is_stopping && !jz__http_is_inside(conn->http))) {
        conn_close(conn);
    } else {
        start_reading(conn);
    }
}

void conn_resume(struct conn *conn)
{
    /* Bytes that wait already are a request whose time begins now; the idle
     * time is for the case that there are none. */
    conn->state = CONN_READING;
    conn_set_timer(conn, conn->server->idle_timeout_ms);
    conn_go_on(conn);
}

/* Bytes that arrive while a request is at work. When they are too many, reading
 * stops and TCP holds the client back; conn_resume() starts it again. */
static void keep(struct conn *conn, const char *data, size_t length)
{
    jz__buf_append(&conn->pending, data, length);
    if (conn->pending.error != 0) {
        conn_close(conn);
    } else if (conn->pending.length >= PENDING_MOST) {
        (void)uv_read_stop((uv_stream_t *)&conn->tcp);
    }
}

/* End of input: half a request will never be a whole one, unless its other half
 * is here already. */
static void on_client_end(struct conn *conn)
{
    conn->saw_end = true;
    if (conn->is_full) {
        (void)uv_read_stop((uv_stream_t *)&conn->tcp);
    } else if (conn->state == CONN_READING || conn->state == CONN_LINGERING) {
        conn_close(conn);
    } else if (conn->state == CONN_CALLING) {
        exchange_expect_silence(conn);
    }
}

/* One read may hold the end of a request and the start of others. */
static void take(struct conn *conn, const char *data, size_t length)
{
    size_t used = 0;

    if (conn->state == CONN_READING) {
        used = feed(conn, data, length);
    }
    if (used < length && !conn->is_closing) {
        keep(conn, data + used, length - used);
    }
    conn_settle(conn);
}

static void refuse_excess(struct conn *conn);

/* A handshake begins with a byte that is no letter; every request of HTTP with
 * one that is. Without this a person sees "empty reply". */
static bool is_plain_http(const struct conn *conn, char first)
{
    return !conn->is_greeted &&
           ((first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z'));
}

static void refuse_plain_http(struct conn *conn)
{
    conn_tls_finish(conn);
    conn_say(conn, "HTTP/1.1 400 Bad Request\r\n"
                   "Content-Type: application/json\r\nContent-Length: 76\r\n"
                   "Connection: close\r\n\r\n"
                   "{\"error\":\"this port speaks HTTPS: "
                   "use an address that begins with https://\"}");
    if (!conn->is_closing) {
        conn_linger(conn);
    }
}

static void take_records(struct conn *conn, const char *data, size_t length)
{
    bool was_ready = jz__tls_is_ready(conn->tls);
    struct jz__str plain;
    int r;

    if (is_plain_http(conn, data[0])) {
        refuse_plain_http(conn);
        return;
    }
    conn->is_greeted = true;
    r = conn_tls_read(&plain, conn, data, length);
    if (!was_ready && jz__tls_is_ready(conn->tls)) {
        if (conn->is_excess) {
            refuse_excess(conn);
            return;
        }
        conn_set_timer(conn, conn->server->idle_timeout_ms);
    }
    if (plain.length > 0) {
        take(conn, plain.data, plain.length);
    }
    if (conn->is_closing || conn->state == CONN_LINGERING) {
        return;
    }
    if (r == 1) {
        on_client_end(conn);
    } else if (r < 0 && conn->state == CONN_READING) {
        /* The alert that says why should reach the client. */
        conn_linger(conn);
    } else if (r < 0) {
        conn_close(conn);
    }
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *bytes)
{
    struct conn *conn = stream->data;

    if (conn->is_closing || count == 0) {
        return;
    }
    if (count == UV_EOF) {
        on_client_end(conn);
    } else if (count < 0) {
        conn_close(conn);
    } else if (conn->state == CONN_LINGERING) {
        /* Thrown away. */
    } else if (conn->tls != NULL) {
        take_records(conn, bytes->base, (size_t)count);
    } else {
        take(conn, bytes->base, (size_t)count);
    }
}

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *bytes)
{
    struct conn *conn = handle->data;

    (void)size;
    *bytes = uv_buf_init(conn->server->input, sizeof(conn->server->input));
}

static void start_reading(struct conn *conn)
{
    int r = uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read);

    if (r < 0 && r != UV_EALREADY) {
        conn_close(conn);
    }
}

/* What the state waits for has not come. */
static void on_timer(uv_timer_t *timer)
{
    struct conn *conn = timer->data;
    size_t unsent;

    switch (conn->state) {
    case CONN_CALLING:
        exchange_probe(conn);
        break;
    case CONN_WRITING:
        /* A client may read slowly, but it has to read. */
        unsent = uv_stream_get_write_queue_size((uv_stream_t *)&conn->tcp) +
                 conn->wire_next.length;
        if (unsent < conn->unsent) {
            conn->unsent = unsent;
            conn_set_timer(conn, conn->server->idle_timeout_ms);
        } else {
            conn_close(conn);
        }
        break;
    default:
        conn_close(conn);
        break;
    }
}

/* --- the start --- */

/* The answer is fixed and written without waiting: there is no request to keep
 * any state for. */
static void refuse_excess(struct conn *conn)
{
    struct server *server = conn->server;
    uint64_t now = uv_now(&server->loop);

    if (server->refused_at == 0 || now - server->refused_at >= COMPLAIN_MS) {
        server->refused_at = now;
        jz__log_write(&server->log, JZ_LOG_WARNING,
                      "more than %zu connections: further ones get 503",
                      server->conn_most);
    }
    conn_say(conn, "HTTP/1.1 503 Service Unavailable\r\n"
                   "Content-Type: application/json\r\nContent-Length: 32\r\n"
                   "Connection: close\r\n\r\n"
                   "{\"error\":\"too many connections\"}");
    if (server->conn_count > server->conn_most + EXCESS_MOST) {
        conn_close(conn);
    } else if (!conn->is_closing) {
        conn_linger(conn);
    }
}

static void add(struct conn *conn)
{
    struct server *server = conn->server;

    conn->next = server->conns;
    if (conn->next != NULL) {
        conn->next->previous = conn;
    }
    server->conns = conn;
    server->conn_count++;
}

/* The handshake has the time that a request has, also where its end will be to
 * say that there are too many connections: that cannot be said before. */
static int begin(struct conn *conn)
{
    struct server *server = conn->server;

    conn->is_excess = server->conn_count > server->conn_most;
    if (server->tls.current == NULL) {
        if (conn->is_excess) {
            refuse_excess(conn);
            return 0;
        }
        conn_set_timer(conn, server->idle_timeout_ms);
        start_reading(conn);
        return 0;
    }
    if (server->conn_count > server->conn_most + EXCESS_MOST) {
        conn_close(conn);
        return 0;
    }
    conn->tls = jz__tls_accept(server->tls.current);
    if (conn->tls == NULL) {
        conn_close(conn);
        return UV_ENOMEM;
    }
    conn_set_timer(conn, server->request_timeout_ms);
    start_reading(conn);
    return 0;
}

int conn_accept(void *userdata, uv_stream_t *listener)
{
    struct server *server = userdata;
    struct conn *conn = calloc(1, sizeof(*conn));
    int r;

    if (conn == NULL) {
        return UV_ENOMEM;
    }
    conn->server = server;
    conn->http = jz__http_new();
    if (conn->http == NULL || uv_tcp_init(&server->loop, &conn->tcp) < 0) {
        jz__http_free(conn->http);
        free(conn);
        return UV_ENOMEM;
    }
    /* Timers cannot fail to be made. */
    (void)uv_timer_init(&server->loop, &conn->timer);
    conn->tcp.data = conn;
    conn->timer.data = conn;
    conn->open_handles = 2;
    /* In the list before anything can fail: from here on it is closed like any
     * other. */
    add(conn);
    r = uv_accept(listener, (uv_stream_t *)&conn->tcp);
    if (r < 0) {
        conn_close(conn);
        return r;
    }
    /* An answer is one write: nothing is gained by waiting for more. */
    (void)uv_tcp_nodelay(&conn->tcp, 1);
    return begin(conn);
}

void conn_end_idle(struct server *server)
{
    struct conn *next;

    /* A request of which some bytes are here counts as running: its client
     * could not know that it came too late. */
    for (struct conn *conn = server->conns; conn != NULL; conn = next) {
        next = conn->next;
        if (conn->state == CONN_LINGERING ||
            (conn->state == CONN_READING && !jz__http_is_inside(conn->http))) {
            conn_close(conn);
        }
    }
}

void conn_close_all(struct server *server)
{
    while (server->conns != NULL) {
        conn_close(server->conns);
    }
}
