/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a server: lock, library, port, loop, end.
 *
 * It ends by having nothing left to do. A stop closes the listeners and the
 * connections that wait for nothing; the others, and the background job, keep
 * the loop alive until they are done. The signals and the grace timer do not
 * count (uv_unref), so uv_run() then returns by itself.
 */
#include "serve.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "conn.h"
#include "lock.h"
#include "server.h"

#define REQUEST_TIMEOUT_MS 30000
#define UPLOAD_TIMEOUT_MS (15 * 60 * 1000)
#define IDLE_TIMEOUT_MS 75000
#define GRACE_MS 10000

static int or_default(int value, int fallback)
{
    return value > 0 ? value : fallback;
}

/* --- the end --- */

/* Calls are interrupted by the closing of their connections. The loop then
 * still waits for their threads, which is short. */
static void on_grace_over(uv_timer_t *timer)
{
    struct server *server = timer->data;

    if (server->conns != NULL) {
        jz__log_write(&server->log, JZ_LOG_WARNING,
                      "%zu connections did not end in time",
                      server->conn_count);
    }
    conn_close_all(server);
    background_interrupt(&server->background);
}

static void stop(struct server *server, const char *reason)
{
    if (server->is_stopping) {
        /* Somebody who asks twice does not want to wait. */
        on_grace_over(&server->grace);
        return;
    }
    server->is_stopping = true;
    jz__log_write(&server->log, JZ_LOG_INFO, "stopping: %s", reason);
    listen_close(&server->listeners);
    health_stop(&server->health);
    reload_stop(server->reload);
    server->reload = NULL;
    conn_end_idle(server);
    background_ask(&server->background);
    (void)uv_timer_start(
        &server->grace, on_grace_over,
        (uint64_t)or_default(server->options->grace_ms, GRACE_MS), 0);
    uv_unref((uv_handle_t *)&server->grace);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct server *server = handle->data;

    if (number == SIGHUP) {
        tls_config_reload(&server->tls);
        reload_now(server->reload);
        return;
    }
    stop(server, number == SIGINT ? "interrupted" : "terminated");
}

/* --- the start --- */

/* One sentence: for a person, or as a line of the log for a collector. */
static int fail_start(const struct server *server,
                      const struct jz__error *error)
{
    if (server->sink.is_json) {
        jz__log_write(&server->log, JZ_LOG_ERROR, "%s", error->message);
    } else {
        fprintf(stderr, "jezero-server: %s\n", error->message);
    }
    return EXIT_FAILURE;
}

/* Before the library is opened: a Ctrl-C in between must not be lost. */
static int watch_signals(struct server *server, struct jz__error *error)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    int r = 0;

    for (size_t i = 0; i < JZ__LENGTH(numbers) && r == 0; i++) {
        r = uv_signal_init(&server->loop, &server->signals[i]);
        if (r == 0) {
            server->signals[i].data = server;
            r = uv_signal_start(&server->signals[i], on_signal, numbers[i]);
            uv_unref((uv_handle_t *)&server->signals[i]);
        }
    }
    /* A client that goes away is an error of one write. */
    (void)signal(SIGPIPE, SIG_IGN);
    return r < 0 ? jz__fail(error, JZ_EINTERNAL, "cannot watch signals: %s",
                            uv_strerror(r))
                 : 0;
}

/* --- ready --- */

/* The host to reach it by: for "all addresses" the one that is always there. */
static void put_url(struct jz__buf *out, const struct server *server)
{
    const char *scheme = server->rules.is_https ? "https" : "http";
    const char *host = server->host;

    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0 ||
        strcmp(host, "[::]") == 0) {
        host = "127.0.0.1";
    }
    jz__buf_printf(out,
                   strchr(host, ':') != NULL && host[0] != '['
                       ? "%s://[%s]:%d%s"
                       : "%s://%s:%d%s",
                   scheme, host, server->listeners.port,
                   server->mcp_path[0] != '\0' ? server->mcp_path : "/");
}

/* Every address is a line of the log, for whoever waits for the port. */
static void tell_ready(const struct server *server)
{
    const struct serve_options *options = server->options;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf url = JZ__BUF_INIT;
    const char *addresses[LISTEN_MOST];
    struct serve_ready ready = { .port = server->listeners.port,
                                 .addresses = addresses,
                                 .address_count = server->listeners.count };

    put_url(&url, server);
    for (size_t i = 0; i < server->listeners.count; i++) {
        addresses[i] = server->listeners.sockets[i].address;
        jz__log_write(&server->log, JZ_LOG_INFO, "listening on %s (%s)",
                      addresses[i], server->rules.is_https ? "https" : "http");
    }
    ready.url = url.data;
    if (options->on_ready != NULL && url.error == 0) {
        options->on_ready(options->userdata, &ready);
    }
}

static int run(struct server *server, struct jz__error *error)
{
    int r = watch_signals(server, error);

    if (r == 0) {
        r = server_open(server, error);
    }
    if (r < 0) {
        return r;
    }
    tell_ready(server);
    r = background_start(&server->background, &server->loop, server->options,
                         &server->log);
    if (r < 0) {
        return jz__fail(error, JZ_EINTERNAL, "cannot start a thread: %s",
                        uv_strerror(r));
    }
    (void)uv_run(&server->loop, UV_RUN_DEFAULT);
    jz__log_write(&server->log, JZ_LOG_INFO, "stopped");
    return 0;
}

int serve_run(const struct serve_options *options)
{
    JZ_CLEANUP(jz__mem_freep)
    struct server *server = calloc(1, sizeof(*server));
    struct jz__error error = { 0 };
    int lock = -1;
    int r = 0;

    assert(options != NULL && options->library_path != NULL);

    if (server == NULL || uv_loop_init(&server->loop) < 0) {
        fprintf(stderr, "jezero-server: out of memory\n");
        return EXIT_FAILURE;
    }
    server->options = options;
    server->clients = options->clients;
    server->sink.level = options->log_level;
    server->sink.is_json = options->log_json;
    log_open(&server->log, &server->sink);
    server->request_timeout_ms =
        (uint64_t)or_default(options->request_timeout_ms, REQUEST_TIMEOUT_MS);
    server->upload_timeout_ms =
        (uint64_t)or_default(options->upload_timeout_ms, UPLOAD_TIMEOUT_MS);
    server->idle_timeout_ms =
        (uint64_t)or_default(options->idle_timeout_ms, IDLE_TIMEOUT_MS);
    (void)uv_timer_init(&server->loop, &server->grace);
    server->grace.data = server;
    if (!options->is_locked) {
        r = lock_take(&lock, options->library_path, &error);
    }
    if (r == 0) {
        r = run(server, &error);
    }
    server_close(server);
    if (uv_loop_close(&server->loop) < 0) {
        assert(!"a handle is still open");
    }
    lock_release(lock);
    return r < 0 ? fail_start(server, &error) : EXIT_SUCCESS;
}
