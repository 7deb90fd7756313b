/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server: one loop, a pool of threads for library calls, and one
 * thread for a background job (the ingest passes of `up` and `serve`).
 */
#ifndef JEZERO_SERVER_SERVE_H
#define JEZERO_SERVER_SERVE_H

#include <stdbool.h>
#include <stddef.h>

#include "jezero.h"

struct auth_table;
struct config;
struct inbox_arrival;
struct metrics_job;

/* How the background job learns that it has to end. */
struct serve_stop;

/* Has the end been asked for? Ask between two files. */
bool serve_stop_asked(struct serve_stop *stop);

/* Sleep until the end is asked for, somebody wakes the job or timeout_ms are
 * over: true if the end is asked for. */
bool serve_stop_wait(struct serve_stop *stop, int timeout_ms);

/* End the sleep, or the next one if there is none. From any thread, while the
 * job runs. */
void serve_stop_wake(struct serve_stop *stop);

/*
 * The handle that the job works with, NULL before it is closed. Ten seconds
 * after the end was asked for, or at a second Ctrl-C, the call that runs on it
 * is interrupted.
 */
void serve_stop_set_library(struct serve_stop *stop, jz_library *lib);

/* Tell what the job has done, for the metrics. */
void serve_stop_report(struct serve_stop *stop, const struct metrics_job *job);

/* What on_ready gets; all of it is borrowed for the call. */
struct serve_ready {
    const char *url;              /* of MCP: "http://127.0.0.1:8765/mcp" */
    int port;                     /* the real one */
    const char *const *addresses; /* "127.0.0.1:8765", "[::1]:8765" */
    size_t address_count;
};

struct serve_options {
    const char *library_path;
    /* As jz_library_open() takes them. A library that is not there is made in
     * any case, at the start alone: they should say "create":false. */
    const char *library_options_json;
    bool is_locked;         /* the caller holds lock_take() of this library */
    const char *host;       /* NULL: 127.0.0.1 */
    int port;               /* 0: any free one */
    const char *mcp_path;   /* NULL: /mcp */
    const char *public_url; /* NULL: links are built from the checked Host */
    const char *const *allowed_hosts;
    size_t allowed_host_count;
    int max_connections; /* 0: 1024 */

    /* Who may ask. Taken over, also by a start that fails. */
    struct auth_table *clients;  /* NULL: nobody has a key */
    bool requires_key;           /* to read; uploads always need one */
    int64_t requests_per_minute; /* of each client; 0: no limit */
    bool has_metrics;

    /* The configuration whose clients they are, to be read again when it
     * changes. NULL: they stay as they are. */
    const char *config_file;
    bool is_config_named; /* by --config: other commands need it too */
    const struct config *config;
    const char *home; /* what ~ means in it */

    const char *tls_cert; /* PEM files; NULL: plain HTTP */
    const char *tls_key;

    const char *inbox_path; /* NULL: no uploads */
    uint64_t upload_most;   /* bytes of a file, decompressed */
    uint64_t inbox_most;    /* bytes of one device's files; 0: no limit */
    /* A file came in, or another version of one. On the thread of serve_run().
     * NULL: nobody waits for it. */
    void (*on_arrival)(void *userdata, const struct inbox_arrival *arrival);

    int workers;   /* library handles that answer calls; 0: 4 */
    int log_level; /* JZ_LOG_*: what is less severe is not logged */
    bool log_json;

    /* Called once, on the thread of serve_run(), when the port listens. */
    void (*on_ready)(void *userdata, const struct serve_ready *ready);

    /*
     * Runs on a thread of its own once the port listens, with library handles
     * of its own, until it is done or serve_stop_asked(). Its result is 0 or
     * not, and is only logged. NULL: none.
     */
    int (*background)(void *userdata, struct serve_stop *stop);
    void *userdata;

    /* For tests; 0: 30 s for a request to arrive, 15 min for a whole upload,
     * 75 s for a connection without one, 10 s for what runs when the server
     * ends. */
    int request_timeout_ms;
    int upload_timeout_ms;
    int idle_timeout_ms;
    int grace_ms;
};

/*
 * Serve until SIGINT or SIGTERM: 0. What hinders the start is one sentence on
 * stderr and 1.
 */
int serve_run(const struct serve_options *options);

#endif
