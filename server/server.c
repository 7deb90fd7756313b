/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a server, opened in an order in which nothing listens before
 * everything else works, and closed from whatever point that came to.
 */
#include "server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "config.h"
#include "conn.h"

#define CONNECTIONS_MOST 1024
#define WORKERS 4

/* Uploads that use the disk at the same time. More would not make it faster,
 * and each takes a thread. */
#define UPLOAD_JOBS 2

/* Threads of libuv beside those: the looks at the library's health and at the
 * configuration, and a library handle that is being opened. */
#define OTHER_JOBS 3

/* Descriptors kept back for all but connections: each library handle has a
 * database, its log and its shared memory; loop, listeners, log, configuration
 * and the files of an ingest pass take the rest. */
#define DESCRIPTORS_PER_HANDLE 4
#define DESCRIPTORS_ASIDE 48

static int workers(const struct server *server)
{
    int wanted = server->options->workers;

    return wanted > 0 ? wanted : WORKERS;
}

/* As many connections as were asked for and as there are descriptors for. */
static size_t count_connections(const struct server *server)
{
    int most = server->options->max_connections;
    size_t wanted = most > 0 ? (size_t)most : CONNECTIONS_MOST;
    size_t aside =
        DESCRIPTORS_ASIDE + (size_t)workers(server) * DESCRIPTORS_PER_HANDLE;
    size_t needed = wanted + aside;
    struct rlimit limit;
    size_t room;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return wanted;
    }
    /* The soft limit is often 1024 by old habit; it may be raised. */
    if (limit.rlim_cur < limit.rlim_max && limit.rlim_cur < needed) {
        limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    room = limit.rlim_cur > aside ? (size_t)limit.rlim_cur - aside : 0;
    room = room > 8 ? room : 8;
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

/* All borrowed: options live as long as serve_run() runs. */
static void fill_rules(struct server *server)
{
    const struct serve_options *options = server->options;

    server->rules = (struct route_rules){
        .origin = { .public_url = options->public_url,
                    .server_host = server->host,
                    .allowed_hosts = options->allowed_hosts,
                    .allowed_host_count = options->allowed_host_count },
        .mcp_path = server->mcp_path,
        .is_https = options->tls_cert != NULL,
        .requires_key = options->requires_key,
        .has_inbox = options->inbox_path != NULL,
        .has_metrics = options->has_metrics,
        .upload_most = options->upload_most,
    };
}

/* A server that would refuse everyone is a mistake in its configuration. */
static int check_clients(struct server *server, struct jz__error *error)
{
    const struct serve_options *options = server->options;

    server->rate = rate_table_new(options->requests_per_minute);
    server->metrics = metrics_new();
    if (server->rate == NULL || server->metrics == NULL) {
        return jz__fail_memory(error);
    }
    server->background.stop.metrics = server->metrics;
    if (options->requires_key && auth_table_count(server->clients) == 0) {
        return jz__fail(error, JZ_EINVAL,
                        "no client has a usable key: approve a computer with "
                        "`jezero device approve NAME SHA256%s%s`, or set the "
                        "variable that token_env names",
                        options->is_config_named ? " --config " : "",
                        options->is_config_named ? options->config_file : "");
    }
    return 0;
}

static int open_tls(struct server *server, struct jz__error *error)
{
    const struct serve_options *options = server->options;
    struct jz__error why = { 0 };
    int r;

    if (options->tls_cert == NULL) {
        return 0;
    }
    r = tls_config_open(&server->tls, options->tls_cert, options->tls_key,
                        &server->log, &why);
    if (r < 0 && options->config != NULL) {
        const char *key =
            strncmp(why.message, "tls_cert", 8) == 0 ? "tls_cert" : "tls_key";

        return jz__fail(error, r, "%s line %d: %s", options->config_file,
                        config_line(options->config, "server", key),
                        why.message);
    }
    return r < 0 ? jz__fail(error, r, "%s", why.message) : 0;
}

/* Here and never later: a handle that is opened while the file is away must not
 * put an empty library in its place, which would answer everything with
 * nothing. So the options of all handles say that none is made. */
static int make_library(struct server *server, struct jz__error *error)
{
    const char *path = server->options->library_path;
    jz_library *lib = NULL;
    int r = 0;

    if (access(path, F_OK) != 0) {
        r = jz_library_open(&lib, path, NULL);
        if (r < 0) {
            (void)jz__fail(error, r, "%s", jz_library_errmsg(lib));
        }
        jz_library_close(lib);
    }
    return r;
}

static int open_pool(struct server *server, struct jz__error *error)
{
    const struct worker_options options = {
        .library_path = server->options->library_path,
        .options_json = server->options->library_options_json,
        .handles = workers(server),
        .log = &server->log,
    };
    char threads[16];

    /* libuv reads this when it starts its first thread. */
    (void)snprintf(threads, sizeof(threads), "%d",
                   workers(server) + UPLOAD_JOBS + OTHER_JOBS);
    (void)setenv("UV_THREADPOOL_SIZE", threads, 1);
    return worker_pool_open(&server->pool, &server->loop, &options, error);
}

/* Nobody waits for uploads that are only kept. */
static void on_arrival(void *userdata, const struct inbox_arrival *arrival)
{
    const struct serve_options *options = ((struct server *)userdata)->options;

    if (options->on_arrival != NULL) {
        options->on_arrival(options->userdata, arrival);
    }
}

static int open_inbox(struct server *server, struct jz__error *error)
{
    const struct inbox_options options = {
        .path = server->options->inbox_path,
        .file_most = server->options->upload_most,
        .total_most = server->options->inbox_most,
        .jobs = UPLOAD_JOBS,
        .log = &server->log,
        .on_arrival = on_arrival,
        .userdata = server,
    };

    return options.path != NULL
               ? inbox_open(&server->inbox, &server->loop, &options, error)
               : 0;
}

/* On the loop, between two requests: none that is at work holds the old table. */
static void on_clients(void *userdata, struct auth_table *clients)
{
    struct server *server = userdata;

    auth_table_free(server->clients);
    server->clients = clients;
}

static int open_reload(struct server *server, struct jz__error *error)
{
    const struct reload_options options = {
        .path = server->options->config_file,
        .home = server->options->home,
        .running = server->options->config,
        .log = &server->log,
        .on_clients = on_clients,
        .userdata = server,
    };

    return options.path != NULL
               ? reload_start(&server->reload, &server->loop, &options,
                              auth_table_count(server->clients), error)
               : 0;
}

static int open_health(struct server *server, struct jz__error *error)
{
    int r = health_start(&server->health, &server->loop,
                         server->options->library_path, &server->log);

    return r < 0 ? jz__fail(error, JZ_EINTERNAL, "cannot start: %s",
                            uv_strerror(r))
                 : 0;
}

static int open_listeners(struct server *server, struct jz__error *error)
{
    server->conn_most = count_connections(server);
    server->listeners.loop = &server->loop;
    server->listeners.log = &server->log;
    server->listeners.accept = conn_accept;
    server->listeners.userdata = server;
    return listen_open(&server->listeners, server->host, server->options->port,
                       error);
}

int server_open(struct server *server, struct jz__error *error)
{
    static int (*const steps[])(struct server *, struct jz__error *) = {
        copy_mcp_path, check_clients, open_tls,    make_library,   open_pool,
        open_inbox,    open_reload,   open_health, open_listeners,
    };
    int r = 0;

    server->host =
        server->options->host != NULL ? server->options->host : "127.0.0.1";
    for (size_t i = 0; i < JZ__LENGTH(steps) && r == 0; i++) {
        r = steps[i](server, error);
    }
    fill_rules(server);
    return r;
}

void server_close(struct server *server)
{
    listen_close(&server->listeners);
    health_stop(&server->health);
    reload_stop(server->reload);
    for (size_t i = 0; i < JZ__LENGTH(server->signals); i++) {
        if (server->signals[i].data != NULL) {
            uv_close((uv_handle_t *)&server->signals[i], NULL);
        }
    }
    uv_close((uv_handle_t *)&server->grace, NULL);
    (void)uv_run(&server->loop, UV_RUN_DEFAULT);
    inbox_close(server->inbox);
    worker_pool_close(server->pool);
    metrics_free(server->metrics);
    rate_table_free(server->rate);
    auth_table_free(server->clients);
    tls_config_close(&server->tls);
    free(server->mcp_path);
}
