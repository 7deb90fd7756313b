/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show ID: one item in full. With --newer, what `later` finds for it follows;
 * with --json as well, each of the two answers is a line.
 */
#include "command.h"
#include "commands.h"

#include "base/json.h"
#include "base/mem.h"

static int show_item(const struct jz__opts *opts, jz_library *lib, int64_t id)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;
    char *json = NULL;
    int r;

    jz__buf_putc(&arguments, '{');
    jz__json_put_key(&arguments, "item_id");
    jz__json_put_int(&arguments, id);
    jz__json_put_key(&arguments, "include_original");
    jz__json_put_bool(&arguments, jz__opts_has(opts, "original"));
    jz__buf_putc(&arguments, '}');
    if (arguments.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    r = jz_get_item(&json, lib, NULL, arguments.data);
    return command_print(opts, lib, r, json, jz__render_item);
}

/* Without a query, the title is what `later` looks for. */
static int show_newer(const struct jz__opts *opts, jz_library *lib, int64_t id)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;
    char *json = NULL;
    int status = 0;
    int r;

    jz__buf_putc(&arguments, '{');
    jz__json_put_key(&arguments, "item_id");
    jz__json_put_int(&arguments, id);
    jz__buf_putc(&arguments, '}');
    if (arguments.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    r = jz_later(&json, lib, NULL, arguments.data);
    if (r == 0 && !jz__opts_has(opts, "json")) {
        status = jz__command_put(opts, "\n");
    }
    r = command_print(opts, lib, r, json, jz__render_later);
    return status != 0 ? status : r;
}

int cmd_show_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    int64_t id;
    int status;

    if (!jz__command_read_id(&id, opts->arguments[0])) {
        return jz__command_wrong(opts, "ID must be an item's number, got '%s'",
                                 opts->arguments[0]);
    }
    status = command_open(&library, opts, COMMAND_READS);
    if (status == 0) {
        status = show_item(opts, library.lib, id);
    }
    if (status == 0 && jz__opts_has(opts, "newer")) {
        status = show_newer(opts, library.lib, id);
    }
    return status;
}
