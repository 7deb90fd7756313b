/* SPDX-License-Identifier: Apache-2.0 */
/* What the loop's parts share: the server and its connections. */
#ifndef JEZERO_SERVER_SERVER_H
#define JEZERO_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "background.h"
#include "health.h"
#include "inbox.h"
#include "listen.h"
#include "log.h"
#include "log_limit.h"
#include "metrics.h"
#include "rate.h"
#include "reload.h"
#include "route.h"
#include "serve.h"
#include "tls_config.h"
#include "worker.h"

struct conn;

struct server {
    uv_loop_t loop;
    const struct serve_options *options;
    struct log_sink sink;
    struct jz__log log;
    struct log_limit refused_hosts;
    struct log_limit refused_keys;
    struct route_rules rules;
    const char *host;
    char *mcp_path;
    struct tls_config tls;
    struct auth_table *clients; /* replaced by a reload */
    struct rate_table *rate;
    struct metrics *metrics;
    struct worker_pool *pool;
    struct inbox *inbox; /* NULL: no uploads */
    struct reload *reload;
    struct health health;
    struct listen_set listeners;
    struct background background;
    uv_signal_t signals[3];
    uv_timer_t grace;
    bool is_stopping;

    struct conn *conns; /* all of them, newest first */
    size_t conn_count;
    size_t conn_most;    /* above it: 503 */
    uint64_t refused_at; /* loop time of the last line about that */
    uint64_t last_request_id;
    size_t call_count; /* calls of the library, running or waiting */
    uint64_t request_timeout_ms;
    uint64_t upload_timeout_ms;
    uint64_t idle_timeout_ms;

    /* Every read of every connection lands here and is used up at once, so
     * that an idle connection holds no buffer. */
    char input[65536];
};

/*
 * Open everything that serves, in an order in which nothing listens before
 * everything else works. The loop, the log and options are there. A failure
 * leaves what is open to server_close().
 */
int server_open(struct server *server, struct jz__error *error);

/* Close what is left and give everything back. The loop runs for it. */
void server_close(struct server *server);

#endif
