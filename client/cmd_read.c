/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search, show, later, timeline, sources: the tools for people. The server's
 * library is asked with this computer's key, so a person sees what the agents
 * here see.
 */
#include "commands.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "command.h"
#include "remote.h"

/* Milliseconds that a person waits for an answer. */
#define CALL_MS 30000

struct reader {
    const struct jz__opts *opts;
    struct home home;
    struct remote *remote;
};

static void close_reader(struct reader *reader)
{
    remote_close(reader->remote);
    home_finish(&reader->home);
}

/* 0, or an exit status whose reason is on stderr. */
static int open_reader(struct reader *reader)
{
    struct jz__error error = { 0 };
    int status = command_home(&reader->home, reader->opts);

    if (status != 0) {
        return status;
    }
    if (!reader->home.is_set_up) {
        return jz__command_fail(reader->opts,
                                "not set up (%s): run `init` first",
                                reader->home.path);
    }
    if (remote_open(&reader->remote, &reader->home, &error) < 0) {
        return jz__command_fail(reader->opts, "%s", error.message);
    }
    return 0;
}

/* What the tool says of its arguments was typed: wrong usage, in the words of
 * the library and without those that are meant for an agent. */
static int fail_call(const struct reader *reader, const char *tool, int code,
                     const struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf prefix = JZ__BUF_INIT;
    struct jz__str message = jz__str_of(error->message);

    jz__buf_printf(&prefix, "Error executing tool %s: ", tool);
    if (code == JZ_EINVAL && prefix.error == 0 &&
        jz__str_starts(message, prefix.data)) {
        return jz__command_wrong(reader->opts, "%s",
                                 message.data + prefix.length);
    }
    return jz__command_fail(reader->opts, "Jezero server %s: %s",
                            reader->home.url, error->message);
}

/* Call the tool with `arguments`, an object that lacks its end, and print. With
 * `gap`, an empty line stands in front of the text. */
static int ask(const struct reader *reader, const char *tool,
               struct jz__buf *arguments, jz__render_fn render, bool has_gap)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf json = JZ__BUF_INIT;
    struct jz__error error = { 0 };
    int status = 0;
    int r;

    jz__buf_putc(arguments, '}');
    if (arguments->error != 0) {
        return jz__command_fail(reader->opts, "out of memory");
    }
    r = remote_call(&json, reader->remote, tool, arguments->data,
                    jz__fetch_now_ms() + CALL_MS, &error);
    if (r < 0) {
        return fail_call(reader, tool, r, &error);
    }
    if (has_gap && !jz__opts_has(reader->opts, "json")) {
        status = jz__command_put(reader->opts, "\n");
    }
    r = jz__command_print(reader->opts, json.data, render);
    return status != 0 ? status : r;
}

/* --- the commands --- */

/* One list of options serves commands that have some of them. */
static void put_option(struct jz__buf *out, const struct jz__opts *opts,
                       const char *name)
{
    const struct jz__opts_option *option = opts->command->options;

    while (option->name != NULL && strcmp(option->name, name) != 0) {
        option++;
    }
    if (option->name != NULL) {
        jz__command_put_option(out, opts, name, name);
    }
}

/* Each command has those that its tool takes, by the same names. */
static void put_options(struct jz__buf *out, const struct jz__opts *opts)
{
    static const char *const names[] = { "project", "source", "since", "until",
                                         "limit" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(names); i++) {
        put_option(out, opts, names[i]);
    }
}

static int run_search(const struct reader *reader)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;

    jz__buf_putc(&arguments, '{');
    jz__command_put_query(&arguments, reader->opts, 0);
    put_options(&arguments, reader->opts);
    return ask(reader, "search", &arguments, jz__render_search, false);
}

static int run_timeline(const struct reader *reader)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;

    jz__buf_putc(&arguments, '{');
    put_options(&arguments, reader->opts);
    return ask(reader, "timeline", &arguments, jz__render_timeline, false);
}

static int run_sources(const struct reader *reader)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;

    jz__buf_putc(&arguments, '{');
    return ask(reader, "list_sources", &arguments, jz__render_sources, false);
}

/* The object is left open for what else the tool takes. */
static void put_item(struct jz__buf *out, int64_t id)
{
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "item_id");
    jz__json_put_int(out, id);
}

/* Without a query, the item's title is what the library looks for. */
static int run_later(const struct reader *reader, int64_t id)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;

    put_item(&arguments, id);
    jz__command_put_query(&arguments, reader->opts, 1);
    put_options(&arguments, reader->opts);
    return ask(reader, "later", &arguments, jz__render_later, false);
}

/* With --newer and --json each of the two answers is a line. */
static int run_show(const struct reader *reader, int64_t id)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf item = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf newer = JZ__BUF_INIT;
    int status;

    put_item(&item, id);
    jz__json_put_key(&item, "include_original");
    jz__json_put_bool(&item, jz__opts_has(reader->opts, "original"));
    status = ask(reader, "get_item", &item, jz__render_item, false);
    if (status != 0 || !jz__opts_has(reader->opts, "newer")) {
        return status;
    }
    put_item(&newer, id);
    return ask(reader, "later", &newer, jz__render_later, true);
}

int cmd_read_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(close_reader) struct reader reader = { .opts = opts };
    const char *name = opts->command->name;
    bool is_show = strcmp(name, "show") == 0;
    bool is_of_item = is_show || strcmp(name, "later") == 0;
    int64_t id = 0;
    int status;

    if (is_of_item && !jz__command_read_id(&id, opts->arguments[0])) {
        return jz__command_wrong(opts, "ID must be an item's number, got '%s'",
                                 opts->arguments[0]);
    }
    status = open_reader(&reader);
    if (status != 0) {
        return status;
    }
    if (is_of_item) {
        return is_show ? run_show(&reader, id) : run_later(&reader, id);
    }
    if (strcmp(name, "search") == 0) {
        return run_search(&reader);
    }
    return strcmp(name, "timeline") == 0 ? run_timeline(&reader)
                                         : run_sources(&reader);
}
