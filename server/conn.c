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
    jz__buf_finish(&conn->body);
    jz__buf_finish(&conn->headers);
    jz__buf_finish(&conn->answer.body);
    jz__buf_finish(&conn->head);
    jz_free(conn->text);
    free(conn);
}

void conn_close(struct conn *conn)
{
    struct server *server = conn->server;

    if (conn->is_closing) {
        return;
    }
    conn->is_closing = true;
    if (conn->call != NULL) {
        jz__log_write(&server->log, JZ_LOG_DEBUG,
                      "request %llu: given up, the client went away",
                      (unsigned long long)conn->request_id);
        worker_call_cancel(conn->call);
        conn->call = NULL;
    }
    if (conn->previous != NULL) {
        conn->previous->next = conn->next;
    } else {
        server->conns = conn->next;
    }
    if (conn->next != NULL) {
        conn->next->previous = conn->previous;
    }
    server->conn_count--;
    /* A write that is on its way is ended by this with an error of its own. */
    uv_close((uv_handle_t *)&conn->tcp, on_closed);
    uv_close((uv_handle_t *)&conn->timer, on_closed);
}

void conn_set_timer(struct conn *conn, uint64_t ms)
{
    /* It fails for a closing handle alone. */
    (void)uv_timer_start(&conn->timer, on_timer, ms, 0);
}

void conn_say(struct conn *conn, const char *text)
{
    /* libuv's buffers are not const. */
    char copy[256];
    size_t length = strlen(text);
    uv_buf_t bytes = uv_buf_init(copy, (unsigned)length);
    int r;

    assert(length < sizeof(copy));

    memcpy(copy, text, length + 1);
    r = uv_try_write((uv_stream_t *)&conn->tcp, &bytes, 1);
    if (r < 0 && r != UV_EAGAIN) {
        conn_close(conn);
    }
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
    if (conn->saw_end || uv_shutdown(&conn->shutdown, (uv_stream_t *)&conn->tcp,
                                     on_shutdown) < 0) {
        conn_close(conn);
        return;
    }
    conn_set_timer(conn, LINGER_MS);
    start_reading(conn);
}

void conn_resume(struct conn *conn)
{
    struct jz__buf *pending = &conn->pending;

    /* Bytes that wait already are a request whose time begins now; the idle
     * time is for the case that there are none. */
    conn->state = CONN_READING;
    conn_set_timer(conn, conn->server->idle_timeout_ms);
    if (conn->pending_used < pending->length) {
        conn->pending_used +=
            exchange_feed(conn, pending->data + conn->pending_used,
                          pending->length - conn->pending_used);
    }
    if (conn->pending_used == pending->length) {
        jz__buf_finish(pending);
        conn->pending_used = 0;
    }
    if (conn->state != CONN_READING || conn->is_closing) {
        return;
    }
    if (conn->saw_end ||
        (conn->server->is_stopping && !jz__http_is_inside(conn->http))) {
        conn_close(conn);
    } else {
        start_reading(conn);
    }
}

/* Bytes that arrive while a request is at work. When they are too many, reading
 * stops and TCP holds the client back; conn_resume() starts it again. */
static void keep(struct conn *conn, const char *data, size_t length)
{
    jz__buf_append(&conn->pending, data, length);
    if (conn->pending.error != 0) {
        conn_close(conn);
    } else if (conn->pending.length - conn->pending_used >= PENDING_MOST) {
        (void)uv_read_stop((uv_stream_t *)&conn->tcp);
    }
}

/* End of input: half a request will never be a whole one. */
static void on_client_end(struct conn *conn)
{
    conn->saw_end = true;
    if (conn->state == CONN_READING || conn->state == CONN_LINGERING) {
        conn_close(conn);
    } else if (conn->state == CONN_CALLING) {
        exchange_expect_silence(conn);
    }
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *bytes)
{
    struct conn *conn = stream->data;
    size_t used = 0;

    if (conn->is_closing || count == 0) {
        return;
    }
    if (count == UV_EOF) {
        on_client_end(conn);
    } else if (count < 0) {
        conn_close(conn);
    } else if (conn->state != CONN_LINGERING) {
        /* One read may hold the end of a request and the start of others. */
        if (conn->state == CONN_READING) {
            used = exchange_feed(conn, bytes->base, (size_t)count);
        }
        if (used < (size_t)count && !conn->is_closing) {
            keep(conn, bytes->base + used, (size_t)count - used);
        }
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
        unsent = uv_stream_get_write_queue_size((uv_stream_t *)&conn->tcp);
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
    if (server->conn_count > server->conn_most) {
        refuse_excess(conn);
        return 0;
    }
    conn_set_timer(conn, server->idle_timeout_ms);
    start_reading(conn);
    return 0;
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
