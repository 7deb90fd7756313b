/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An upload has two paces, the network's and the disk's. When the disk is
 * behind, the connection reads no more (is_full) and TCP holds the client back;
 * the time that the client has for its next part does not run meanwhile.
 *
 * A request has to be complete in 30 s, which is too short for a large session
 * over a thin line. A client that shows a key and keeps sending has that time
 * for each part that arrives, up to a limit for the whole. The timer never runs
 * beyond that limit and is never stopped before the body's end: so nothing that
 * a client sends, and no disk, makes an upload last longer.
 */
#include "receive.h"

#include "conn_private.h"
#include "exchange_log.h"
#include "respond.h"

/* The longest gzip stream of so many bytes: its headers, and five bytes more
 * for each block of text that does not get smaller. */
static uint64_t gzip_most(uint64_t bytes)
{
    return bytes + bytes / 1024 + 65536;
}

static void log_upload(const struct conn *conn,
                       const struct upload_answer *answer)
{
    struct log_request about = exchange_log_about(conn);
    struct jz__str path = jz__http_request(conn->http)->path;

    about.status = answer->status;
    about.bytes = answer->bytes;
    about.duration_ns = uv_hrtime() - conn->started_ns;
    log_request(&conn->server->sink,
                answer->status == 200 ? JZ_LOG_INFO : JZ_LOG_WARNING, &about,
                "upload to %.*s%s%s", (int)path.length, path.data,
                answer->reason != NULL ? ": " : "",
                answer->reason != NULL ? answer->reason : "");
}

/* Perhaps in the middle of the body: then the connection ends with it. */
static void on_answer(void *userdata, const struct upload_answer *answer)
{
    struct conn *conn = userdata;
    struct route_answer *out = &conn->result.answer;
    bool is_early = conn->state == CONN_READING;

    conn->upload = NULL;
    conn->is_full = false;
    log_upload(conn, answer);
    if (answer->status == 200) {
        metrics_count_upload(conn->server->metrics, answer->bytes);
        out->status = 200;
        out->content_type = "application/json";
        jz__buf_puts(&out->body, "{\"ok\":true}");
    } else {
        route_refuse(&conn->result, answer->status, answer->reason);
    }
    if (is_early) {
        respond_send_last(conn);
    } else {
        respond_send(conn);
    }
}

/* At most so long, and no longer than the whole has left: 0, when that is over,
 * closes the connection before anything else is read from it. */
static void set_timer(struct conn *conn, uint64_t most_ms)
{
    uint64_t whole_ms = conn->server->upload_timeout_ms;
    uint64_t gone_ms = (uv_hrtime() - conn->started_ns) / 1000000;
    uint64_t left_ms = gone_ms < whole_ms ? whole_ms - gone_ms : 0;

    conn->is_arriving = true;
    conn_set_timer(conn, most_ms < left_ms ? most_ms : left_ms);
}

static void on_room(void *userdata)
{
    struct conn *conn = userdata;

    conn->is_full = false;
    if (conn->state == CONN_READING) {
        set_timer(conn, conn->server->request_timeout_ms);
        conn_go_on(conn);
    }
}

void receive_begin(struct conn *conn)
{
    struct server *server = conn->server;
    uint64_t most = server->rules.upload_most;
    const struct upload_calls calls = { on_answer, on_room, conn };
    const struct upload_request request = {
        .device = conn->client.data,
        .path = conn->result.path,
        .project = { conn->result.project.data, conn->result.project.length },
        .is_gzip = conn->result.is_gzip,
    };

    jz__http_limit_body(conn->http,
                        conn->result.is_gzip ? gzip_most(most) : most);
    if (conn->client.error == 0 && conn->result.project.error == 0) {
        conn->upload = upload_start(server->inbox, &request, &calls);
    }
    if (conn->upload == NULL) {
        route_refuse(&conn->result, 503, "out of memory");
    }
}

void receive_data(struct conn *conn, struct jz__str data)
{
    conn->is_full = !upload_feed(conn->upload, data);
    set_timer(conn, conn->is_full ? conn->server->upload_timeout_ms
                                  : conn->server->request_timeout_ms);
}

void receive_end(struct conn *conn)
{
    upload_end(conn->upload);
}
