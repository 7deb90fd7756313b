/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Library calls off the loop: a few handles, each used by one call at a time.
 * All functions are for the loop's thread.
 */
#ifndef JEZERO_SERVER_WORKER_H
#define JEZERO_SERVER_WORKER_H

#include <uv.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "jezero.h"

struct worker_pool;
struct worker_call;

struct worker_options {
    const char *library_path; /* borrowed, like options_json and log */
    const char *options_json;
    int handles;
    const struct jz__log *log;
};

/* What jz_mcp_dispatch() is asked. */
struct worker_request {
    struct jz__buf headers; /* JSON, never empty */
    struct jz__buf body;
    struct jz__buf scope; /* JSON; empty: everything may be read */
};

/* What a call came to. text is freed with jz_free(); NULL: no answer is due. A
 * negative result is a fault of the library: no text, status 500. */
struct worker_answer {
    int result;
    int status;
    char *text;
};

typedef void (*worker_done_fn)(void *userdata, struct worker_answer *answer);

/* Opens the first handle at once, so that a library that cannot be served is
 * known before the port listens; the others when they are needed. */
int worker_pool_open(struct worker_pool **out, uv_loop_t *loop,
                     const struct worker_options *options,
                     struct jz__error *error);

/* When no call is left. NULL is allowed. */
void worker_pool_close(struct worker_pool *pool);

/*
 * Queue one MCP message; the three buffers are taken over (and emptied). fn
 * gets the answer, and its text is then its own. NULL: out of memory, now or
 * while one of the buffers was filled; nothing was taken.
 */
struct worker_call *worker_call_start(struct worker_pool *pool,
                                      struct worker_request *request,
                                      worker_done_fn fn, void *userdata);

/* Nobody waits any more: fn is not called, a running call is interrupted. */
void worker_call_cancel(struct worker_call *call);

#endif
