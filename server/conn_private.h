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
    size_t pending_used;
    bool saw_end;     /* the client sends no more */
    bool is_arriving; /* the timer runs for a request */

    /* The request at work. */
    bool has_request;
    uint64_t request_id;
    uint64_t started_ns;
    bool is_decided; /* answer is made; its body is only read to its end */
    bool is_head;
    bool is_http10;
    bool keep_alive;
    bool lingers; /* bytes of the client's may still be on the way */
    struct jz__buf body;
    struct jz__buf headers; /* for the library */
    struct worker_call *call;
    struct route_answer answer;
    char *text; /* the library's answer, in place of answer.body */
    struct jz__buf head;
    size_t unsent; /* at the last look of the timer */
};

/* (Re)start the one timer. */
void conn_set_timer(struct conn *conn, uint64_t ms);

/* Send a few bytes beside the answers. The connection may be closing behind
 * it. */
void conn_say(struct conn *conn, const char *text);

/* An answer is written and the connection goes on: handle what has arrived
 * meanwhile, then read again. */
void conn_resume(struct conn *conn);

/* The last answer is written and the client may still be sending. */
void conn_linger(struct conn *conn);

#endif
