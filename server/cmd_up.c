/* SPDX-License-Identifier: Apache-2.0 */
/*
 * up: the whole thing without configuration. The server listens first and the
 * sessions are taken in behind it, so that agents can be connected at once and
 * a port in use is known before an hour of reading.
 *
 * What the user needs goes to stdout (the address, how to connect); progress
 * and what comes in later go to stderr.
 *
 * Two threads: serve_run() and on_ready() have the caller's, background() and
 * on_pass() have the job's. The first is done with struct up when the second
 * begins, so neither locks anything.
 */
#include "command.h"
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agents.h"
#include "auth.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "config.h"
#include "device.h"
#include "key_file.h"
#include "net/digest.h"
#include "samples.h"
#include "serve.h"
#include "watch.h"

#define DEFAULT_PORT 8765
#define INTERVAL_MS 2000

/* What the start has found out; the thread of the background job reads it and
 * changes has_samples alone. */
struct up {
    const struct jz__opts *opts;
    int port;
    struct jz__buf library_path;
    struct jz__buf options;   /* of the library */
    struct jz__buf key_file;  /* empty: no key is asked for */
    struct jz__digest digest; /* of the key */
    struct jz__buf folders[2];
    struct intake_place places[2];
    size_t place_count;
    bool is_ready;
    bool has_samples; /* and real work was not seen yet: the job's thread */
};

/* --- what is said --- */

/* Every level: what watch.c logs here is meant for the person at the
 * terminal. */
static void on_log(void *userdata, int level, const char *message)
{
    const struct up *up = userdata;

    (void)level;
    (void)jz__command_fail(up->opts, "%s", message);
}

/* Who can read, and how a key comes to those who should. */
static void put_access(struct jz__buf *out, const struct up *up)
{
    if (up->key_file.length == 0) {
        jz__buf_puts(out, "It asks for no key: every user of this computer can "
                          "read all of it.\n\n");
        return;
    }
    jz__buf_printf(out,
                   "It asks for the key in %s,\n"
                   "which you alone can read. Agents take it from a variable; "
                   "for the profile of\nyour shell:\n\n"
                   "    export " AGENTS_KEY_VARIABLE "=\"$(cat ",
                   up->key_file.data);
    agents_put_quoted(out, up->key_file.data);
    jz__buf_puts(out, ")\"\n\n");
}

/* The port listens: now the address is true. All in one write, so that what
 * comes from the other thread does not stand in the middle of it. */
static void on_ready(void *userdata, const struct serve_ready *ready)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf connections = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf unread = JZ__BUF_INIT;
    struct up *up = userdata;

    up->is_ready = true;
    jz__buf_printf(&text, "Jezero serves your past work at %s\n\n", ready->url);
    put_access(&text, up);
    if (agents_put_connections(&connections, ready->url, up->key_file.data) >
        0) {
        jz__buf_puts(&text, "Connect the agents that were found here:\n\n");
        jz__buf_append(&text, connections.data, connections.length);
    } else {
        jz__buf_printf(&text,
                       "No agent was found here. Any MCP client can be "
                       "connected to %s\n",
                       ready->url);
    }
    /* A store that is seen and passed over in silence looks like an empty one. */
    if (agents_put_unread(&unread) > 0) {
        jz__buf_printf(&text,
                       "\nThis version reads the sessions of Claude Code and "
                       "Codex; those of %s are not taken in.\n",
                       unread.data != NULL ? unread.data : "");
    }
    jz__buf_puts(&text, "\nCtrl-C ends it.\n");
    if (text.error == 0 && connections.error == 0 && unread.error == 0) {
        (void)jz__command_put(up->opts, text.data);
    }
}

static void say_counts(const struct up *up, const struct intake_counts *counts)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    intake_put_counts(&text, counts);
    if (text.error == 0) {
        (void)jz__command_fail(up->opts, "%s", text.data);
    }
}

/* No session was found: the samples, unless the library holds work already. */
static int offer_samples(struct up *up, jz_library *lib,
                         const struct jz__buf *lines,
                         const struct samples_count *count,
                         struct jz__error *error)
{
    int r = 0;

    if (count->others > 0) {
        (void)jz__command_fail(up->opts, "no sessions were found; the library "
                                         "holds what was taken in before");
        return 0;
    }
    if (count->samples == 0) {
        r = samples_import(lib, lines, error);
    }
    if (r == 0) {
        up->has_samples = true;
        (void)jz__command_fail(
            up->opts, "no sessions were found on this computer yet: what "
                      "you can search now are samples, made up by us. "
                      "They go as soon as there is real work");
    }
    return r;
}

/* Samples are needed, or have to go: made-up work must not stand among real
 * work, where an agent would cite it. */
static int look_at_samples(struct up *up, jz_library *lib,
                           const struct intake_counts *counts,
                           struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf lines = JZ__BUF_INIT;
    struct samples_count count;
    int r = samples_read(&lines, error);

    if (r == 0) {
        r = samples_look(&count, lib, &lines, error);
    }
    if (r < 0) {
        return r;
    }
    up->has_samples = count.samples > 0;
    if (counts->sessions == 0) {
        return offer_samples(up, lib, &lines, &count, error);
    }
    if (count.samples > 0 && count.others > 0) {
        up->has_samples = false;
        r = samples_remove(lib, &lines, error);
        if (r == 0) {
            (void)jz__command_fail(up->opts,
                                   "the samples are gone: there is real "
                                   "work now");
        }
    }
    return r;
}

static void on_pass(void *userdata, jz_library *lib,
                    const struct intake_counts *counts, bool is_first)
{
    struct up *up = userdata;
    const char *from = jz__opts_value(up->opts, "from");
    bool is_due = is_first || (up->has_samples && counts->created > 0);
    struct jz__error error = { 0 };

    if (is_first && counts->sessions > 0) {
        say_counts(up, counts);
    }
    if (from != NULL && is_first && counts->sessions == 0) {
        (void)jz__command_fail(up->opts, "no sessions were found in %s", from);
    } else if (from == NULL && is_due &&
               look_at_samples(up, lib, counts, &error) < 0) {
        (void)jz__command_fail(up->opts, "no samples: %s", error.message);
    }
}

/* Two seconds between looks is what a person takes to change windows from one
 * agent to the other. */
static int background(void *userdata, struct serve_stop *stop)
{
    struct up *up = userdata;
    const struct watch watch = {
        .library_path = up->library_path.data,
        .library_options_json = up->options.data,
        .places = up->places,
        .place_count = up->place_count,
        .interval_ms = INTERVAL_MS,
        .otherwise = JZ__TERM_LINES,
        .log = { on_log, up },
        .on_pass = on_pass,
        .userdata = up,
    };

    return watch_run(&watch, stop);
}

/* --- what is served --- */

/* Digits alone: strtol() would take a sign, blanks and a tail as well. */
static int read_port(struct up *up)
{
    const char *text = jz__opts_value(up->opts, "port");
    size_t digits;

    up->port = DEFAULT_PORT;
    if (text == NULL) {
        return 0;
    }
    digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != '\0' ||
        strtol(text, NULL, 10) > 65535) {
        return jz__command_wrong(up->opts,
                                 "PORT must be a number from 0 to 65535, "
                                 "got '%s'",
                                 text);
    }
    up->port = (int)strtol(text, NULL, 10);
    return 0;
}

/* The key stays from one start to the next: agents are connected once. It is
 * named by its whole path, because it is used in other folders. */
static int make_key(struct up *up, const char *folder)
{
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(folder, NULL);
    struct jz__error error = { 0 };

    jz__path_join(&up->key_file, real != NULL ? real : folder, "key");
    if (up->key_file.error != 0) {
        return jz__command_fail(up->opts, "out of memory");
    }
    return key_file_open(&up->digest, up->key_file.data, &error) == 0
               ? 0
               : jz__command_fail(up->opts, "%s", error.message);
}

/* One client, who reads everything. NULL without --key. */
static int make_clients(struct auth_table **out, const struct up *up)
{
    static const char *everything[] = { "*" };
    char name[DEVICE_SIZE];
    char digest[JZ__DIGEST_TEXT_SIZE];
    const struct config_client client = { .name = name,
                                          .token_sha256 = digest,
                                          .sources = { everything, 1 } };
    const struct jz__log log = { NULL, NULL };
    struct jz__error error = { 0 };

    *out = NULL;
    if (up->key_file.length == 0) {
        return 0;
    }
    device_name(name);
    jz__digest_format(digest, &up->digest);
    return auth_table_build(out, &client, 1, auth_getenv, &log, &error) == 0
               ? 0
               : jz__command_fail(up->opts, "%s", error.message);
}

/* The folder is made with owner-only rights, and with it everything that the
 * library puts beside itself. */
static int make_library(struct up *up)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf top = JZ__BUF_INIT;
    const char *data = jz__opts_value(up->opts, "data");
    struct jz__error error = { 0 };

    if (data != NULL) {
        jz__buf_puts(&folder, data);
    } else {
        command_put_folder(&top, "XDG_DATA_HOME", ".local/share");
        jz__path_join(&folder, top.error == 0 ? top.data : "", "jezero");
    }
    if (folder.error == 0 && top.error == 0) {
        jz__path_join(&up->library_path, folder.data, "jezero.db");
    }
    jz__buf_puts(&up->options, "{\"create\":false");
    jz__json_put_key(&up->options, "home");
    jz__json_put_str(&up->options, command_home());
    jz__buf_putc(&up->options, '}');
    if (folder.error != 0 || top.error != 0 || up->library_path.error != 0 ||
        up->options.error != 0) {
        return jz__command_fail(up->opts, "out of memory");
    }
    if (jz__file_mkdirs(folder.data, &error) < 0) {
        return jz__command_fail(up->opts, "%s", error.message);
    }
    return jz__opts_has(up->opts, "key") ? make_key(up, folder.data) : 0;
}

static int name_places(struct up *up)
{
    static const char *const types[] = { "claude-code", "codex" };
    const char *from = jz__opts_value(up->opts, "from");
    size_t i;

    if (from != NULL) {
        if (access(from, R_OK) != 0) {
            return jz__command_fail(up->opts, "cannot read the folder %s",
                                    from);
        }
        /* Its sessions may come from another computer: the folders that they
         * name are not looked for on this one. */
        up->places[0] =
            (struct intake_place){ .path = from, .must_exist = true };
        up->place_count = 1;
        return 0;
    }
    for (i = 0; i < JZ__LENGTH(types); i++) {
        agents_put_folder(&up->folders[i], types[i]);
        if (up->folders[i].error != 0) {
            return jz__command_fail(up->opts, "out of memory");
        }
        up->places[i] = (struct intake_place){ .agent = types[i],
                                               .path = up->folders[i].data,
                                               .is_local = true };
    }
    up->place_count = JZ__LENGTH(types);
    return 0;
}

static int serve(struct up *up)
{
    struct serve_options options = {
        .library_path = up->library_path.data,
        .library_options_json = up->options.data,
        .port = up->port,
        .log_level = JZ_LOG_WARNING,
        .on_ready = on_ready,
        .background = background,
        .requires_key = up->key_file.length > 0,
        .userdata = up,
    };
    int status = make_clients(&options.clients, up);

    if (status != 0) {
        return status;
    }
    status = serve_run(&options);
    /* Which of the two it was, serve_run() has said. A server that served and
     * then failed has no use for the hint. */
    if (status != 0 && !up->is_ready) {
        (void)jz__command_fail(
            up->opts, "if the port is in use, --port PORT takes another "
                      "one; if the library is served already, use that "
                      "server, or another library with --data DIR");
    }
    return status;
}

static void up_finish(struct up *up)
{
    jz__buf_finish(&up->library_path);
    jz__buf_finish(&up->options);
    jz__buf_finish(&up->key_file);
    jz__buf_finish(&up->folders[0]);
    jz__buf_finish(&up->folders[1]);
}

int cmd_up_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(up_finish) struct up up = { .opts = opts };
    int status = read_port(&up);

    if (status == 0) {
        status = name_places(&up);
    }
    if (status == 0) {
        status = make_library(&up);
    }
    return status == 0 ? serve(&up) : status;
}
