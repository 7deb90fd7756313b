/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request and its answer. What can be answered by the head of a request is
 * decided when the head is there, and then one of three things happens to its
 * body: a message for MCP is gathered and goes to a library handle; the body of
 * a refused request is read to its end and forgotten if it is small, because
 * the connection can then be kept; and a large one, or one whose client waits
 * for "100 Continue", is answered at once and the connection ends.
 *
 * An answer is one write of two buffers, head and body, and the library's text
 * is sent from where it lies.
 */
#include "exchange.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "conn_private.h"
#include "net/answer.h"

/* A refused request's body up to this is read, in bytes. */
#define DRAIN_MOST 65536

/* How long a client that sent its end may wait in silence, and how often it is
 * then asked. It bounds how long a call runs on for nobody. */
#define PROBE_MS 250

#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"

/* --- answers --- */

static void on_written(uv_write_t *request, int status)
{
    struct conn *conn = request->data;

    if (status < 0) {
        conn_close(conn);
        return;
    }
    jz_free(conn->text);
    conn->text = NULL;
    jz__buf_finish(&conn->answer.body);
    if (conn->keep_alive) {
        conn_resume(conn);
    } else if (conn->lingers) {
        conn_linger(conn);
    } else {
        conn_close(conn);
    }
}

/* The length is that of the body, also where HEAD keeps it back. */
static void put_head(struct conn *conn, size_t length)
{
    const struct jz__answer head = {
        .status = conn->answer.status,
        .content_type = conn->answer.content_type,
        .extra = conn->answer.extra,
        .content_length = length,
        .date = (int64_t)time(NULL),
        .keep_alive = conn->keep_alive,
        .is_http10 = conn->is_http10,
    };

    jz__buf_clear(&conn->head);
    jz__answer_put_head(&conn->head, &head);
}

/* Send what is in answer or text, in one write. */
static void send_answer(struct conn *conn)
{
    char *body = conn->text != NULL ? conn->text : conn->answer.body.data;
    size_t length =
        conn->text != NULL ? strlen(conn->text) : conn->answer.body.length;
    uv_buf_t bytes[2];

    conn->state = CONN_WRITING;
    conn->has_request = false;
    conn->is_decided = false;
    conn->keep_alive = conn->keep_alive && !conn->server->is_stopping;
    put_head(conn, length);
    if (conn->server->sink.level >= JZ_LOG_DEBUG) {
        jz__log_write(&conn->server->log, JZ_LOG_DEBUG,
                      "request %llu: %d, %zu bytes, %.1f ms",
                      (unsigned long long)conn->request_id, conn->answer.status,
                      length, (double)(uv_hrtime() - conn->started_ns) / 1e6);
    }
    /* Without memory there is nothing to say. */
    if (conn->head.error != 0 || conn->answer.body.error != 0 ||
        conn->head.length + length > UINT32_MAX) {
        conn_close(conn);
        return;
    }
    bytes[0] = uv_buf_init(conn->head.data, (unsigned)conn->head.length);
    bytes[1] = uv_buf_init(body, (unsigned)length);
    conn->unsent = SIZE_MAX;
    conn_set_timer(conn, conn->server->idle_timeout_ms);
    conn->write.data = conn;
    if (uv_write(&conn->write, (uv_stream_t *)&conn->tcp, bytes,
                 length > 0 && !conn->is_head ? 2 : 1, on_written) < 0) {
        conn_close(conn);
    }
}

/* The connection ends with this answer, and the client may not know yet. */
static void send_last(struct conn *conn)
{
    conn->keep_alive = false;
    conn->lingers = true;
    send_answer(conn);
}

/* A fault of the library's is told as JSON-RPC's own, so that a client that
 * looks at the body alone understands it as well. */
static void on_called(void *userdata, struct worker_answer *answer)
{
    static const char fault[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{"
                                "\"code\":-32603,\"message\":"
                                "\"Internal error\"}}";
    struct conn *conn = userdata;

    conn->call = NULL;
    conn->text = answer->text;
    conn->answer = (struct route_answer){ .status = answer->status,
                                          .content_type = "application/json" };
    if (answer->result < 0) {
        jz__buf_puts(&conn->answer.body, fault);
    } else if (answer->text == NULL) {
        /* A notification, or a posted response: nothing is answered. */
        conn->answer.status = 202;
        conn->answer.content_type = NULL;
    }
    send_answer(conn);
}

/* --- requests --- */

/* Forget the last one. A request that cannot be read is one as well. */
static void begin_request(struct conn *conn)
{
    conn->has_request = true;
    conn->request_id = ++conn->server->last_request_id;
    conn->started_ns = uv_hrtime();
    conn->is_head = false;
    conn->is_http10 = false;
    conn->lingers = false;
    jz__buf_clear(&conn->body);
    jz__buf_clear(&conn->headers);
}

/* The query is left out: what people put there by mistake is a key. */
static void log_request(const struct conn *conn,
                        const struct jz__http_request *request)
{
    if (conn->server->sink.level >= JZ_LOG_DEBUG) {
        jz__log_write(
            &conn->server->log, JZ_LOG_DEBUG, "request %llu: %.*s %.*s",
            (unsigned long long)conn->request_id,
            (int)request->method_name.length, request->method_name.data,
            (int)request->path.length, request->path.data);
    }
}

/* The line that a person looks for when a proxy or another computer on the
 * network is refused: it has to say what to change. */
static void log_refused_host(const struct conn *conn,
                             const struct jz__http_request *request)
{
    jz__log_write(&conn->server->log, JZ_LOG_WARNING,
                  "request %llu: Host '%.*s' is refused with 421; to allow it, "
                  "add \"%.*s\" to allowed_hosts in [server]",
                  (unsigned long long)conn->request_id,
                  (int)request->host.length, request->host.data,
                  (int)request->host.length, request->host.data);
}

/* The head is there: decide what it comes to. */
static void on_request(struct conn *conn)
{
    const struct jz__http_request *request = jz__http_request(conn->http);
    bool has_body = request->is_chunked || request->content_length > 0;

    begin_request(conn);
    conn->is_head = request->method == JZ__HTTP_HEAD;
    conn->is_http10 = request->minor == 0;
    conn->keep_alive = request->keep_alive;
    log_request(conn, request);
    conn->is_decided = route_decide(&conn->answer, &conn->server->rules,
                                    request, conn->server->health.is_healthy);
    if (!conn->is_decided) {
        jz__http_limit_body(conn->http, ROUTE_BODY_MOST);
        route_mcp_headers(&conn->headers, request);
        if (request->wants_continue) {
            conn_say(conn, CONTINUE);
        }
        return;
    }
    if (conn->answer.status == 421) {
        log_refused_host(conn, request);
    }
    if (has_body &&
        (request->wants_continue || request->content_length > DRAIN_MOST)) {
        send_last(conn);
    } else {
        jz__http_limit_body(conn->http, DRAIN_MOST);
    }
}

/* The request is complete; what arrives from now on is the next one. */
static void on_request_end(struct conn *conn)
{
    (void)uv_timer_stop(&conn->timer);
    conn->is_arriving = false;
    if (conn->is_decided) {
        send_answer(conn);
        return;
    }
    conn->state = CONN_CALLING;
    if (conn->body.error == 0 && conn->headers.error == 0) {
        conn->call = worker_call_start(conn->server->pool, &conn->headers,
                                       &conn->body, on_called, conn);
    }
    if (conn->call == NULL) {
        route_refuse(&conn->answer, 503, "out of memory");
        send_last(conn);
    } else if (conn->saw_end) {
        exchange_expect_silence(conn);
    }
}

static void on_bad_request(struct conn *conn, const struct jz__http_step *step)
{
    if (!conn->has_request) {
        begin_request(conn);
    }
    /* A refusal that was already found is the better answer. */
    if (!conn->is_decided) {
        route_refuse(&conn->answer, step->status, step->reason);
    }
    send_last(conn);
}

size_t exchange_feed(struct conn *conn, const char *data, size_t length)
{
    const char *start = data;
    struct jz__http_step step;

    while (conn->state == CONN_READING && !conn->is_closing) {
        switch (jz__http_read(&step, conn->http, &data, &length)) {
        case JZ__HTTP_REQUEST:
            on_request(conn);
            break;
        case JZ__HTTP_BODY:
            if (!conn->is_decided) {
                jz__buf_append(&conn->body, step.data.data, step.data.length);
            }
            break;
        case JZ__HTTP_END:
            on_request_end(conn);
            break;
        case JZ__HTTP_BAD:
            on_bad_request(conn, &step);
            break;
        default:
            /* The time for a request runs from its first byte and is not
             * extended by those that follow. */
            if (jz__http_is_inside(conn->http) && !conn->is_arriving) {
                conn->is_arriving = true;
                conn_set_timer(conn, conn->server->request_timeout_ms);
            }
            return (size_t)(data - start);
        }
    }
    return (size_t)(data - start);
}

/*
 * The client has sent its end. If it closed its socket nobody waits for the
 * answer and the call should be interrupted; if it only said that it sends no
 * more (as `nc -N` does), it still reads. TCP does not tell the two apart until
 * something is sent to it: so a client that waits for longer than a moment is
 * told to continue, which every client passes over, and a socket that is gone
 * answers with a reset. HTTP/1.0 has no such answer.
 */
void exchange_expect_silence(struct conn *conn)
{
    if (!conn->is_http10) {
        conn_set_timer(conn, PROBE_MS);
    }
}

void exchange_probe(struct conn *conn)
{
    assert(conn->state == CONN_CALLING);

    conn_say(conn, CONTINUE);
    if (!conn->is_closing) {
        conn_set_timer(conn, PROBE_MS);
    }
}
