/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: the server as configured, for one that runs all the time. Everything
 * it has to say goes to the log on stderr.
 */
#include "command.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "connectors.h"
#include "log.h"
#include "serve.h"
#include "watch.h"

/* Lives as long as the server: the background job reads it. */
struct served {
    struct command_library library; /* its configuration; no handle */
    struct jz__buf options;         /* of the library */
    struct intake_place *places;
    size_t place_count;
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

/* Parts of a configuration that this version accepts and does not act on. */
/* Warnings, not refusals: none of them makes the server more open than its
 * owner thinks, it only does less. */
static void say_unused(const struct served *served)
{
    const struct config *config = &served->library.config;

    if (config->client_count > 0) {
        jz__log_write(&served->log, JZ_LOG_WARNING,
                      "[[clients]] are left out: this version has no keys and "
                      "takes no uploads");
    }
    if (config->server.metrics) {
        jz__log_write(&served->log, JZ_LOG_WARNING,
                      "metrics are left out: this version has none");
    }
    if (config->server.requests_per_minute > 0) {
        jz__log_write(&served->log, JZ_LOG_WARNING,
                      "requests_per_minute is left out: it is a limit of a "
                      "key, and this version has none");
    }
    if (strcmp(config->summarizer.kind, "extractive") != 0) {
        jz__log_write(&served->log, JZ_LOG_WARNING,
                      "summarizer '%s' is left out: this version summarises "
                      "by extraction",
                      config->summarizer.kind);
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
        .interval_ms = seconds < 1000000 ? (int)seconds * 1000 : 1000000000,
        .otherwise = JZ__TERM_LINES,
        .log = served->log,
    };

    return watch_run(&watch, stop);
}

/* Everything that can be wrong is looked at before the port opens. */
static int prepare(struct served *served, const struct jz__opts *opts)
{
    const struct config *config = &served->library.config;
    struct jz__error error = { 0 };
    JZ_CLEANUP(jz__mem_freep) char *folder = NULL;
    struct jz__str parent;

    if (config_check_served(config, served->library.config_file, &error) < 0) {
        return command_fail(opts, "%s", error.message);
    }
    served->sink.level = log_level(config->server.log_level);
    served->sink.is_json = strcmp(config->server.log_format, "json") == 0;
    log_open(&served->log, &served->sink);
    parent = jz__path_parent(served->library.path);
    folder = jz__mem_copy(parent.data, parent.length);
    jz__buf_putc(&served->options, '{');
    config_put_library_options(&served->options, config, command_home());
    jz__buf_putc(&served->options, '}');
    if (folder == NULL || served->options.error != 0) {
        return command_fail(opts, "out of memory");
    }
    if (jz__file_mkdirs(folder, &error) < 0) {
        return command_fail(opts, "%s", error.message);
    }
    say_unused(served);
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
        .log_level = served->sink.level,
        .log_json = served->sink.is_json,
        .background = served->place_count > 0 ? background : NULL,
        .userdata = served,
    };

    return serve_run(&options);
}

static void served_finish(struct served *served)
{
    command_close(&served->library);
    jz__buf_finish(&served->options);
    free(served->places);
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
