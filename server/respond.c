/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers on their way out. An answer is one write of two buffers, head and
 * body, and the library's text is sent from where it lies.
 */
#include "respond.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "conn_private.h"
#include "exchange.h"
#include "exchange_log.h"
#include "net/answer.h"

void exchange_sent(struct conn *conn, int status)
{
    if (status < 0) {
        conn_close(conn);
        return;
    }
    jz_free(conn->text);
    conn->text = NULL;
    route_answer_finish(&conn->result.answer);
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
    const struct route_answer *answer = &conn->result.answer;
    const struct jz__answer head = {
        .status = answer->status,
        .content_type = answer->content_type,
        .extra = answer->headers.data,
        .content_length = length,
        .date = (int64_t)time(NULL),
        .keep_alive = conn->keep_alive,
        .is_http10 = conn->is_http10,
    };

    jz__buf_clear(&conn->head);
    jz__answer_put_head(&conn->head, &head);
}

/* Told when the answer is made: how long a client takes to read it says nothing
 * about the server. */
static void count(struct conn *conn, size_t length)
{
    metrics_count_request(conn->server->metrics, conn->result.kind,
                          conn->result.answer.status,
                          uv_hrtime() - conn->started_ns);
    exchange_log_answer(conn, length);
}

void respond_send(struct conn *conn)
{
    struct route_answer *answer = &conn->result.answer;
    char *body = conn->text != NULL ? conn->text : answer->body.data;
    size_t length =
        conn->text != NULL ? strlen(conn->text) : answer->body.length;
    uv_buf_t bytes[2];

    conn->state = CONN_WRITING;
    conn->has_request = false;
    conn->keep_alive = conn->keep_alive && !conn->server->is_stopping;
    put_head(conn, length);
    count(conn, length);
    /* Without memory there is nothing to say. */
    if (conn->head.error != 0 || answer->body.error != 0 ||
        answer->headers.error != 0 || conn->head.length + length > UINT32_MAX) {
        conn_close(conn);
        return;
    }
    bytes[0] = uv_buf_init(conn->head.data, (unsigned)conn->head.length);
    bytes[1] = uv_buf_init(body, (unsigned)length);
    conn->unsent = SIZE_MAX;
    conn_set_timer(conn, conn->server->idle_timeout_ms);
    if (conn_send(conn, bytes, length > 0 && !conn->is_head ? 2 : 1) < 0) {
        conn_close(conn);
    }
}

void respond_send_last(struct conn *conn)
{
    conn->keep_alive = false;
    conn->lingers = true;
    respond_send(conn);
}
