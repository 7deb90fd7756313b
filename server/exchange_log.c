/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests as lines of the log. What people put into a query by mistake is a
 * key, so it is left out, and with it every header but Host.
 */
#include "exchange_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "conn_private.h"

/* Bytes of a path or a host in a line. */
#define SHOWN_MOST 200

#define SHOWN(text)                                                            \
    (int)((text).length < SHOWN_MOST ? (text).length : SHOWN_MOST), (text).data

struct log_request exchange_log_about(const struct conn *conn)
{
    return (struct log_request){
        .id = conn->request_id,
        .client = conn->client.length > 0 ? conn->client.data : NULL,
    };
}

void exchange_log_head(struct conn *conn,
                       const struct jz__http_request *request)
{
    const struct log_request about = exchange_log_about(conn);

    log_request(&conn->server->sink, JZ_LOG_DEBUG, &about, "%.*s %.*s",
                SHOWN(request->method_name), SHOWN(request->path));
}

/* "192.0.2.7": whose computer it is. */
static void put_peer(char *out, size_t size, const struct conn *conn)
{
    struct sockaddr_storage address;
    int length = (int)sizeof(address);

    if (uv_tcp_getpeername(&conn->tcp, (struct sockaddr *)&address, &length) <
            0 ||
        uv_ip_name((const struct sockaddr *)&address, out, size) < 0) {
        (void)snprintf(out, size, "an unknown address");
    }
}

/* "(and 7 more since)", for lines that are one of many. */
static void put_left_out(char *out, size_t size, uint64_t left_out)
{
    out[0] = '\0';
    if (left_out > 0) {
        (void)snprintf(out, size, " (%" PRIu64 " more since the last line)",
                       left_out);
    }
}

/* The line that a person looks for when a proxy or another computer on the
 * network is refused: it has to say what to change. */
static void log_host(struct conn *conn, struct jz__str host)
{
    struct server *server = conn->server;
    const struct log_request about = exchange_log_about(conn);
    char kind[LOG_LIMIT_KIND_SIZE];
    char more[64];
    uint64_t left_out;

    (void)snprintf(kind, sizeof(kind), "%.*s", SHOWN(host));
    if (!log_limit_take(&server->refused_hosts, kind, uv_now(&server->loop),
                        &left_out)) {
        return;
    }
    put_left_out(more, sizeof(more), left_out);
    log_request(&server->sink, JZ_LOG_WARNING, &about,
                "Host '%.*s' is refused with 421; to allow it, add \"%.*s\" to "
                "allowed_hosts in [server]%s",
                SHOWN(host), SHOWN(host), more);
}

static void log_key(struct conn *conn, struct jz__str path)
{
    struct server *server = conn->server;
    const struct log_request about = exchange_log_about(conn);
    char peer[64];
    char more[64];
    uint64_t left_out;

    put_peer(peer, sizeof(peer), conn);
    if (!log_limit_take(&server->refused_keys, peer, uv_now(&server->loop),
                        &left_out)) {
        return;
    }
    put_left_out(more, sizeof(more), left_out);
    log_request(&server->sink, JZ_LOG_WARNING, &about,
                "%s asks for %.*s without a key that is known here: 401%s",
                peer, SHOWN(path), more);
}

/* A computer whose sessions do not arrive, or which asks too often: its owner
 * sees nothing of it, and it will try again and again. */
static void log_client(struct conn *conn, struct jz__str path)
{
    struct server *server = conn->server;
    const struct log_request about = exchange_log_about(conn);
    int status = conn->result.answer.status;
    const char *reason = conn->result.answer.reason;
    char kind[LOG_LIMIT_KIND_SIZE];
    char more[64];
    uint64_t left_out;

    (void)snprintf(kind, sizeof(kind), "%d %s", status, about.client);
    if (!log_limit_take(&server->refused_keys, kind, uv_now(&server->loop),
                        &left_out)) {
        return;
    }
    put_left_out(more, sizeof(more), left_out);
    log_request(&server->sink, JZ_LOG_WARNING, &about,
                "%.*s is refused with %d%s%s%s", SHOWN(path), status,
                reason != NULL ? ": " : "", reason != NULL ? reason : "", more);
}

void exchange_log_refusal(struct conn *conn,
                          const struct jz__http_request *request)
{
    int status = conn->result.answer.status;

    if (status == 421) {
        log_host(conn, request->host);
    } else if (status == 401) {
        log_key(conn, request->path);
    } else if (conn->client.length > 0 && conn->client.error == 0 &&
               status >= 400 &&
               (status == 429 || conn->result.kind == ROUTE_UPLOAD)) {
        log_client(conn, request->path);
    }
}

void exchange_log_answer(struct conn *conn, uint64_t bytes)
{
    struct log_request about = exchange_log_about(conn);

    about.status = conn->result.answer.status;
    about.bytes = bytes;
    about.duration_ns = uv_hrtime() - conn->started_ns;
    log_request(&conn->server->sink, JZ_LOG_DEBUG, &about, "answered");
}
