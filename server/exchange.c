/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request and its answer. What can be answered by the head of a request is
 * decided when the head is there, and then one of four things happens to its
 * body: a message for MCP is gathered and goes to a library handle; a file goes
 * on to the inbox as it arrives (receive.c); the body of a refused request is
 * read to its end and forgotten if it is small, because the connection can then
 * be kept; and a large one, or one whose client waits for "100 Continue", is
 * answered at once and the connection ends.
 */
#include "exchange.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "conn_private.h"
#include "exchange_log.h"
#include "receive.h"
#include "respond.h"

/* A refused request's body up to this is read, in bytes. */
#define DRAIN_MOST 65536

/* How long a client that sent its end may wait in silence, and how often it is
 * then asked. It bounds how long a call runs on for nobody. */
#define PROBE_MS 250

#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"

/* --- calls --- */

static void end_call(struct conn *conn)
{
    conn->call = NULL;
    conn->server->call_count--;
}

/* A fault of the library's is told as JSON-RPC's own, so that a client that
 * looks at the body alone understands it as well. */
static void on_called(void *userdata, struct worker_answer *called)
{
    static const char fault[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{"
                                "\"code\":-32603,\"message\":"
                                "\"Internal error\"}}";
    struct conn *conn = userdata;
    struct route_answer *answer = &conn->result.answer;

    end_call(conn);
    conn->text = called->text;
    answer->status = called->status;
    answer->content_type = "application/json";
    if (called->result < 0) {
        const struct log_request about = exchange_log_about(conn);

        /* The code's name and not the message, which may quote an item. */
        log_request(&conn->server->sink, JZ_LOG_ERROR, &about,
                    "the library failed: %s", jz_strerror(called->result));
        jz__buf_puts(&answer->body, fault);
    } else if (called->text == NULL) {
        /* A notification, or a posted response: nothing is answered. */
        answer->status = 202;
        answer->content_type = NULL;
    }
    respond_send(conn);
}

/* The message is complete. */
static void call_library(struct conn *conn)
{
    struct worker_request request = { conn->headers, conn->body, conn->scope };

    conn->call =
        worker_call_start(conn->server->pool, &request, on_called, conn);
    /* Empty now, unless there was no memory. */
    conn->headers = request.headers;
    conn->body = request.body;
    conn->scope = request.scope;
    if (conn->call == NULL) {
        route_refuse(&conn->result, 503, "out of memory");
        respond_send_last(conn);
        return;
    }
    conn->server->call_count++;
}

void exchange_abort(struct conn *conn)
{
    struct log_request about;

    if (conn->call == NULL && conn->upload == NULL) {
        return;
    }
    about = exchange_log_about(conn);
    log_request(&conn->server->sink, JZ_LOG_DEBUG, &about,
                "given up, the client went away");
    if (conn->call != NULL) {
        worker_call_cancel(conn->call);
        end_call(conn);
    }
    if (conn->upload != NULL) {
        upload_cancel(conn->upload);
        conn->upload = NULL;
    }
}

void exchange_finish(struct conn *conn)
{
    assert(conn->call == NULL && conn->upload == NULL);

    route_result_finish(&conn->result);
    jz__buf_finish(&conn->client);
    jz__buf_finish(&conn->body);
    jz__buf_finish(&conn->headers);
    jz__buf_finish(&conn->scope);
    jz__buf_finish(&conn->head);
    jz_free(conn->text);
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
    route_result_finish(&conn->result);
    conn->result = (struct route_result){ .kind = ROUTE_NONE };
    jz__buf_clear(&conn->client);
    jz__buf_clear(&conn->body);
    jz__buf_clear(&conn->headers);
    jz__buf_clear(&conn->scope);
}

/* A client is borrowed from a table that a reload may replace while the request
 * is at work: what is needed later is copied. */
static void keep_client(struct conn *conn)
{
    const struct auth_client *client = conn->result.client;

    if (client != NULL) {
        jz__buf_puts(&conn->client, client->name);
        jz__buf_puts(&conn->scope, client->scope_json);
    }
}

/* Above its rate a client hears nothing else. */
static void limit_rate(struct conn *conn)
{
    struct server *server = conn->server;
    int seconds;

    if (conn->result.client == NULL) {
        return;
    }
    seconds = rate_take(server->rate, conn->result.client->name,
                        uv_now(&server->loop));
    if (seconds > 0) {
        route_refuse(&conn->result, 429, "too many requests");
        jz__buf_printf(&conn->result.answer.headers, "Retry-After: %d\r\n",
                       seconds);
    }
}

static void decide(struct conn *conn, const struct jz__http_request *request)
{
    struct server *server = conn->server;
    const struct route_state state = { server->clients,
                                       server->health.is_healthy };

    route_decide(&conn->result, &server->rules, &state, request);
    keep_client(conn);
    limit_rate(conn);
    /* Nothing that is borrowed from the table is kept. */
    conn->result.client = NULL;
    if (conn->result.next == ROUTE_MEASURE) {
        const struct metrics_now now = {
            .connections = server->conn_count,
            .clients = auth_table_count(server->clients),
            .calls = server->call_count,
            .is_healthy = server->health.is_healthy,
        };

        metrics_put(&conn->result.answer.body, server->metrics, &now);
        conn->result.next = ROUTE_ANSWERED;
    }
}

/* The body of a request that is answered already. */
static void refuse_body(struct conn *conn,
                        const struct jz__http_request *request)
{
    bool has_body = request->is_chunked || request->content_length > 0;

    if (has_body &&
        (request->wants_continue || request->content_length > DRAIN_MOST)) {
        respond_send_last(conn);
    } else {
        jz__http_limit_body(conn->http, DRAIN_MOST);
    }
}

/* The head is there: decide what it comes to. */
static void on_request(struct conn *conn)
{
    const struct jz__http_request *request = jz__http_request(conn->http);

    begin_request(conn);
    conn->is_head = request->method == JZ__HTTP_HEAD;
    conn->is_http10 = request->minor == 0;
    conn->keep_alive = request->keep_alive;
    exchange_log_head(conn, request);
    decide(conn, request);
    if (conn->result.next == ROUTE_DISPATCH) {
        jz__http_limit_body(conn->http, ROUTE_BODY_MOST);
        route_mcp_headers(&conn->headers, request);
    } else if (conn->result.next == ROUTE_RECEIVE) {
        receive_begin(conn);
    }
    if (conn->result.next == ROUTE_ANSWERED) {
        exchange_log_refusal(conn, request);
        refuse_body(conn, request);
    } else if (request->wants_continue) {
        conn_say(conn, CONTINUE);
    }
}

static void on_body(struct conn *conn, struct jz__str data)
{
    if (conn->result.next == ROUTE_DISPATCH) {
        jz__buf_append(&conn->body, data.data, data.length);
    } else if (conn->result.next == ROUTE_RECEIVE) {
        receive_data(conn, data);
    }
}

/* The request is complete; what arrives from now on is the next one. */
static void on_request_end(struct conn *conn)
{
    (void)uv_timer_stop(&conn->timer);
    conn->is_arriving = false;
    if (conn->result.next == ROUTE_ANSWERED) {
        respond_send(conn);
        return;
    }
    conn->state = CONN_CALLING;
    if (conn->result.next == ROUTE_DISPATCH) {
        call_library(conn);
    } else {
        receive_end(conn);
    }
    if (conn->state == CONN_CALLING && conn->saw_end) {
        exchange_expect_silence(conn);
    }
}

static void on_bad_request(struct conn *conn, const struct jz__http_step *step)
{
    bool is_refused = conn->has_request && conn->result.next == ROUTE_ANSWERED;
    const char *reason = step->reason;

    if (!conn->has_request) {
        begin_request(conn);
    }
    exchange_abort(conn);
    if (conn->result.kind == ROUTE_UPLOAD && step->status == 413) {
        reason = "file too large";
    }
    /* A refusal that was already found is the better answer. */
    if (!is_refused) {
        route_refuse(&conn->result, step->status, reason);
    }
    respond_send_last(conn);
}

size_t exchange_feed(struct conn *conn, const char *data, size_t length)
{
    const char *start = data;
    struct jz__http_step step;

    while (conn->state == CONN_READING && !conn->is_closing && !conn->is_full) {
        switch (jz__http_read(&step, conn->http, &data, &length)) {
        case JZ__HTTP_REQUEST:
            on_request(conn);
            break;
        case JZ__HTTP_BODY:
            on_body(conn, step.data);
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
