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
#include <sys/resource.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "conn.h"
#include "lock.h"
#include "server.h"

#define CONNECTIONS_MOST 1024
#define WORKERS 4
#define REQUEST_TIMEOUT_MS 30000
#define IDLE_TIMEOUT_MS 75000
#define GRACE_MS 10000

/* Descriptors kept back for all but connections: each library handle has a
 * database, its log and its shared memory; loop, listeners, log, configuration
 * and the files of an ingest pass take the rest. */
#define DESCRIPTORS_PER_HANDLE 4
#define DESCRIPTORS_ASIDE 32

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

    /* A terminal that closes does not end a server; the number is free for
     * reading the configuration again. */
    if (number == SIGHUP) {
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

/* As many connections as were asked for and as there are descriptors for. */
static size_t count_connections(const struct server *server, int workers)
{
    size_t wanted =
        (size_t)or_default(server->options->max_connections, CONNECTIONS_MOST);
    size_t aside = DESCRIPTORS_ASIDE + (size_t)workers * DESCRIPTORS_PER_HANDLE;
    struct rlimit limit;
    size_t room;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return wanted;
    }
    /* The soft limit is often 1024 by old habit; it may be raised. */
    if (limit.rlim_cur < limit.rlim_max && limit.rlim_cur < wanted + aside) {
        limit.rlim_cur =
            limit.rlim_max < wanted + aside ? limit.rlim_max : wanted + aside;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    room = limit.rlim_cur > aside + 8 ? (size_t)limit.rlim_cur - aside : 8;
    if (wanted > room) {
        jz__log_write(&server->log, JZ_LOG_WARNING,
                      "%zu connections at once, not %zu: the limit of open "
                      "files is %llu",
                      room, wanted, (unsigned long long)limit.rlim_cur);
        wanted = room;
    }
    return wanted;
}

/* Without the slashes at its end: both forms are routes. */
static int copy_mcp_path(struct server *server, struct jz__error *error)
{
    const char *path = server->options->mcp_path;
    size_t length;

    path = path != NULL ? path : "/mcp";
    length = strlen(path);
    while (length > 0 && path[length - 1] == '/') {
        length--;
    }
    server->mcp_path = jz__mem_copy(path, length);
    return server->mcp_path != NULL ? 0 : jz__fail_memory(error);
}

static int open_pool(struct server *server, int workers,
                     struct jz__error *error)
{
    const struct worker_options options = {
        .library_path = server->options->library_path,
        .options_json = server->options->library_options_json,
        .handles = workers,
        .log = &server->log,
    };
    char threads[16];

    /* One more for the look at the library's health, one for a handle that is
     * being opened. libuv reads this when it starts its first thread. */
    (void)snprintf(threads, sizeof(threads), "%d", workers + 2);
    (void)setenv("UV_THREADPOOL_SIZE", threads, 1);
    return worker_pool_open(&server->pool, &server->loop, &options, error);
}

static int open_listeners(struct server *server, const char *host,
                          struct jz__error *error)
{
    server->listeners.loop = &server->loop;
    server->listeners.log = &server->log;
    server->listeners.accept = conn_accept;
    server->listeners.userdata = server;
    return listen_open(&server->listeners, host, server->options->port, error);
}

/* All borrowed: options live as long as serve_run() runs. */
static void fill_rules(struct server *server, const char *host)
{
    const struct serve_options *options = server->options;

    server->rules = (struct route_rules){
        .origin = { .public_url = options->public_url,
                    .server_host = host,
                    .allowed_hosts = options->allowed_hosts,
                    .allowed_host_count = options->allowed_host_count },
        .mcp_path = server->mcp_path,
    };
}

/* In an order in which nothing listens before everything else works. */
static int start(struct server *server, struct jz__error *error)
{
    const struct serve_options *options = server->options;
    const char *host = options->host != NULL ? options->host : "127.0.0.1";
    int workers = or_default(options->workers, WORKERS);
    int r = copy_mcp_path(server, error);

    if (r == 0) {
        r = watch_signals(server, error);
    }
    if (r == 0) {
        r = open_pool(server, workers, error);
    }
    if (r == 0) {
        fill_rules(server, host);
        server->conn_most = count_connections(server, workers);
        r = open_listeners(server, host, error);
    }
    if (r < 0) {
        return r;
    }
    r = health_start(&server->health, &server->loop, options->library_path,
                     &server->log);
    return r < 0 ? jz__fail(error, JZ_EINTERNAL, "cannot start: %s",
                            uv_strerror(r))
                 : 0;
}

/* --- ready --- */

/* The host to reach it by: for "all addresses" the one that is always there. */
static void put_url(struct jz__buf *out, const struct server *server)
{
    const char *host = server->rules.origin.server_host;

    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0 ||
        strcmp(host, "[::]") == 0) {
        host = "127.0.0.1";
    }
    jz__buf_printf(out,
                   strchr(host, ':') != NULL && host[0] != '['
                       ? "http://[%s]:%d%s"
                       : "http://%s:%d%s",
                   host, server->listeners.port,
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
        jz__log_write(&server->log, JZ_LOG_INFO, "listening on %s",
                      addresses[i]);
    }
    ready.url = url.data;
    if (options->on_ready != NULL && url.error == 0) {
        options->on_ready(options->userdata, &ready);
    }
}

static int run(struct server *server, struct jz__error *error)
{
    int r = start(server, error);

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

/* Close what is left and give everything back; also after a failed start. */
static void finish(struct server *server)
{
    listen_close(&server->listeners);
    health_stop(&server->health);
    for (size_t i = 0; i < JZ__LENGTH(server->signals); i++) {
        if (server->signals[i].data != NULL) {
            uv_close((uv_handle_t *)&server->signals[i], NULL);
        }
    }
    uv_close((uv_handle_t *)&server->grace, NULL);
    (void)uv_run(&server->loop, UV_RUN_DEFAULT);
    worker_pool_close(server->pool);
    free(server->mcp_path);
    if (uv_loop_close(&server->loop) < 0) {
        assert(!"a handle is still open");
    }
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
    server->sink.level = options->log_level;
    server->sink.is_json = options->log_json;
    log_open(&server->log, &server->sink);
    server->request_timeout_ms =
        (uint64_t)or_default(options->request_timeout_ms, REQUEST_TIMEOUT_MS);
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
    finish(server);
    lock_release(lock);
    return r < 0 ? fail_start(server, &error) : EXIT_SUCCESS;
}
