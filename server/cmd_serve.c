/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: the server as configured, for one that runs all the time. Everything
 * it has to say goes to the log on stderr.
 */
#include "command.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "auth.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "connectors.h"
#include "inbox.h"
#include "log.h"
#include "serve.h"
#include "watch.h"

/* Lives as long as the server: the background job reads it. */
struct served {
    struct command_library library; /* its configuration; no handle */
    struct jz__buf options;         /* of the library */
    struct intake_place *places;
    size_t place_count;
    struct auth_table *clients;
    struct arrivals *arrivals;
    struct log_sink sink;
    struct jz__log log;
};

/* The place in the list is the level. */
static int log_level(const char *name)
{
    static const char *const names[] = { "error", "warning", "info", "debug" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(names) && strcmp(names[i], name) != 0; i++) {
    }
    return (int)i; /* the configuration takes no other name */
}

/* A warning, not a refusal: what is left out makes the server less able, never
 * more open than its owner thinks. */
static void say_unused(const struct served *served)
{
    const struct config *config = &served->library.config;

    if (strcmp(config->summarizer.kind, "extractive") != 0) {
        jz__log_write(&served->log, JZ_LOG_WARNING,
                      "summarizer '%s' is left out: this version summarises "
                      "by extraction",
                      config->summarizer.kind);
    }
}

/* With a public address of https a proxy is there, which speaks TLS. */
static void say_unprotected(const struct served *served)
{
    const struct config_server *server = &served->library.config.server;

    if (!config_is_loopback(server->host) && server->tls_cert == NULL &&
        (server->public_url == NULL ||
         !jz__str_starts_nocase(jz__str_of(server->public_url), "https://"))) {
        jz__log_write(&served->log, JZ_LOG_WARNING,
                      "host '%s' is reached over the network, and without TLS: "
                      "whoever listens on the way reads keys and sessions. Set "
                      "tls_cert and tls_key, or put a proxy that speaks TLS in "
                      "front and its https:// address into public_url",
                      server->host);
    }
}

static int background(void *userdata, struct serve_stop *stop)
{
    struct served *served = userdata;
    int64_t seconds = served->library.config.ingest.interval_seconds;
    const struct watch watch = {
        .library_path = served->library.path,
        .library_options_json = served->options.data,
        .places = served->places,
        .place_count = served->place_count,
        .inbox = served->library.config.inbox.path,
        .keep_days = served->library.config.inbox.keep_days,
        .arrivals = served->arrivals,
        .interval_ms = seconds < 1000000 ? (int)seconds * 1000 : 1000000000,
        .otherwise = JZ__TERM_LINES,
        .log = served->log,
    };

    return watch_run(&watch, stop);
}

static void on_arrival(void *userdata, const struct inbox_arrival *arrival)
{
    const struct served *served = userdata;

    arrivals_put(served->arrivals, arrival->path);
}

/* Everything that can be wrong is looked at before the port opens. */
static int prepare(struct served *served, const struct jz__opts *opts)
{
    const struct config *config = &served->library.config;
    struct jz__error error = { 0 };
    JZ_CLEANUP(jz__mem_freep) char *folder = NULL;
    struct jz__str parent;

    served->sink.level = log_level(config->server.log_level);
    served->sink.is_json = strcmp(config->server.log_format, "json") == 0;
    log_open(&served->log, &served->sink);
    parent = jz__path_parent(served->library.path);
    folder = jz__mem_copy(parent.data, parent.length);
    served->arrivals = arrivals_new();
    jz__buf_puts(&served->options, "{\"create\":false");
    config_put_library_options(&served->options, config, command_home());
    jz__buf_putc(&served->options, '}');
    if (folder == NULL || served->arrivals == NULL ||
        served->options.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    if (jz__file_mkdirs(folder, &error) < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    say_unused(served);
    say_unprotected(served);
    if (auth_table_build(&served->clients, config->clients,
                         config->client_count, auth_getenv, &served->log,
                         &error) < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    /* Without connectors it serves what others put into the library. */
    if (config->connector_count > 0 &&
        connectors_places(&served->places, &served->place_count, config, NULL,
                          &served->log, &error) < 0) {
        jz__log_write(&served->log, JZ_LOG_WARNING, "%s", error.message);
    }
    return 0;
}

/* A configuration holds numbers of 64 bits; the ranges of its keys keep those
 * that go in here within an int. */
static int serve(struct served *served)
{
    const struct config_server *server = &served->library.config.server;
    const struct config_inbox *inbox = &served->library.config.inbox;
    const struct serve_options options = {
        .library_path = served->library.path,
        .library_options_json = served->options.data,
        .host = server->host,
        .port = (int)server->port,
        .mcp_path = server->mcp_path,
        .public_url = server->public_url,
        .allowed_hosts = server->allowed_hosts.items,
        .allowed_host_count = server->allowed_hosts.count,
        .max_connections = (int)server->max_connections,
        .clients = served->clients,
        .requires_key = server->require_auth,
        .requests_per_minute = server->requests_per_minute,
        .has_metrics = server->metrics,
        .config_file = served->library.config_file,
        .is_config_named = served->library.is_named,
        .config = &served->library.config,
        .home = command_home(),
        .tls_cert = server->tls_cert,
        .tls_key = server->tls_key,
        .inbox_path = inbox->path,
        .upload_most = (uint64_t)inbox->max_file_mb << 20,
        .inbox_most = (uint64_t)inbox->max_total_gb << 30,
        .log_level = served->sink.level,
        .log_json = served->sink.is_json,
        .on_arrival = on_arrival,
        .background = background,
        .userdata = served,
    };

    return serve_run(&options);
}

static void served_finish(struct served *served)
{
    command_close(&served->library);
    jz__buf_finish(&served->options);
    free(served->places);
    arrivals_free(served->arrivals);
}

int cmd_serve_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(served_finish) struct served served = { 0 };
    int status = command_configure(&served.library, opts);

    if (status == 0) {
        status = prepare(&served, opts);
    }
    return status == 0 ? serve(&served) : status;
}
