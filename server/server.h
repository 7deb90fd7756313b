/* SPDX-License-Identifier: Apache-2.0 */
/* What the loop's parts share: the server and its connections. */
#ifndef JEZERO_SERVER_SERVER_H
#define JEZERO_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "background.h"
#include "health.h"
#include "listen.h"
#include "log.h"
#include "route.h"
#include "serve.h"
#include "worker.h"

struct conn;

struct server {
    uv_loop_t loop;
    const struct serve_options *options;
    struct log_sink sink;
    struct jz__log log;
    struct route_rules rules;
    char *mcp_path;
    struct worker_pool *pool;
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
    uint64_t request_timeout_ms;
    uint64_t idle_timeout_ms;

    /* Every read of every connection lands here and is used up at once, so
     * that an idle connection holds no buffer. */
    char input[65536];
};

#endif
