/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses a server listens on. */
#ifndef JEZERO_SERVER_LISTEN_H
#define JEZERO_SERVER_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/error.h"
#include "base/log.h"

#define LISTEN_MOST 8

/* Take the connection that waits on this listener. A negative uv error: there
 * are no means for it now, accepting pauses. */
typedef int (*listen_accept_fn)(void *userdata, uv_stream_t *listener);

struct listen_set;

struct listen_socket {
    struct listen_set *set;
    uv_tcp_t *handle; /* NULL while accepting pauses */
    int spare;        /* a second descriptor of the listening socket */
    char address[64]; /* "127.0.0.1:8765", "[::1]:8765" */
};

/* Made by its owner, zeroed. */
struct listen_set {
    uv_loop_t *loop;
    const struct jz__log *log;
    listen_accept_fn accept;
    void *userdata;
    struct listen_socket sockets[LISTEN_MOST];
    size_t count;
    int port; /* the real one */
    uv_timer_t resume;
    bool has_timer;
    uint64_t complained_at; /* loop time of the last line about a pause */
};

/*
 * Listen on host: "localhost" is both loopback addresses, as far as the system
 * has them; another name is all of its addresses. port 0: any that is free on
 * all of them. loop, log, accept and userdata are set by the caller. An error
 * is a sentence for people; JZ_EBUSY: the port is in use.
 */
int listen_open(struct listen_set *set, const char *host, int port,
                struct jz__error *error);

/* Stop for good. May be called twice, and after listen_open() failed. */
void listen_close(struct listen_set *set);

#endif
