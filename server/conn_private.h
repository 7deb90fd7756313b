/* SPDX-License-Identifier: Apache-2.0 */
/* A connection from the inside: for conn.c, which owns the socket, and
 * exchange.c, which turns requests into answers. */
#ifndef JEZERO_SERVER_CONN_PRIVATE_H
#define JEZERO_SERVER_CONN_PRIVATE_H

#include "conn.h"

enum conn_state {
    CONN_READING,
    CONN_CALLING,
    CONN_WRITING,
    CONN_LINGERING
};

struct conn {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    uv_shutdown_t shutdown;
    int open_handles;
    bool is_closing;
    struct server *server;
    struct conn *previous;
    struct conn *next;

    enum conn_state state;
    struct jz__http *http;
    struct jz__buf pending; /* arrived while a request is at work */
    bool saw_end;           /* the client sends no more */
    bool is_arriving;       /* the timer runs for a request */

    /* The request at work. */
    bool has_request;
    uint64_t request_id;
    uint64_t started_ns;
    bool is_head;
    bool is_http10;
    bool keep_alive;
    bool lingers; /* bytes of the client's may still be on the way */
    struct route_result result;
    struct jz__buf client;  /* the name that its key has; empty: none */
    struct jz__buf body;    /* of a message */
    struct jz__buf headers; /* for the library, like scope */
    struct jz__buf scope;
    struct worker_call *call;
    struct upload *upload;
    bool is_full; /* the upload takes no more bytes for now */
    char *text;   /* the library's answer, in place of the result's */
    struct jz__buf head;
    size_t unsent; /* at the last look of the timer */

    bool is_feeding;  /* exchange_feed() is at work */
    bool is_settling; /* exchange_sent() is */
    bool is_sent;     /* exchange_sent() is due behind it */

    /* TLS alone. */
    struct jz__tls *tls;      /* NULL: plain */
    struct jz__buf wire;      /* records that are being written */
    struct jz__buf wire_next; /* records behind them */
    bool is_wire_busy;
    bool is_answering; /* exchange_sent() is due when all of them are out */
    bool is_tls_ended; /* our side */
    bool is_greeted;   /* the client's first bytes are here */
    bool is_excess;    /* gets 503 when the handshake is over */
};

/* (Re)start the one timer. */
void conn_set_timer(struct conn *conn, uint64_t ms);

/*
 * Send an answer: what the buffers point to has to stay until exchange_sent()
 * tells how it went. That may be during this call, unless the answer is given
 * inside exchange_feed(). A negative uv error: exchange_sent() is not called.
 */
int conn_send(struct conn *conn, const uv_buf_t *bytes, unsigned count);

/* Call exchange_sent() if it is due (is_sent), unless that is for one further
 * up to do. */
void conn_settle(struct conn *conn);

/* Send a few bytes beside the answers. The connection may be closing behind
 * it. */
void conn_say(struct conn *conn, const char *text);

/* Handle what has arrived while an upload was full, then read again. */
void conn_go_on(struct conn *conn);

/* An answer is written and the connection goes on: handle what has arrived
 * meanwhile, then read again. */
void conn_resume(struct conn *conn);

/* The last answer is written and the client may still be sending. */
void conn_linger(struct conn *conn);

#endif
