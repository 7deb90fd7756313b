/* SPDX-License-Identifier: Apache-2.0 */
/*
 * later ID [QUERY]: what may have changed since an item. Without QUERY the
 * library looks for the item's title; what it found, by subject or by date
 * alone, is said in the heading and never left to the reader.
 */
#include "command.h"
#include "commands.h"

#include "base/json.h"
#include "base/mem.h"

int cmd_later_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;
    char *json = NULL;
    int64_t id;
    int status;
    int r;

    if (!jz__command_read_id(&id, opts->arguments[0])) {
        return jz__command_wrong(opts, "ID must be an item's number, got '%s'",
                                 opts->arguments[0]);
    }
    status = command_open(&library, opts, COMMAND_READS);
    if (status != 0) {
        return status;
    }
    jz__buf_putc(&arguments, '{');
    jz__json_put_key(&arguments, "item_id");
    jz__json_put_int(&arguments, id);
    jz__command_put_query(&arguments, opts, 1);
    jz__command_put_option(&arguments, opts, "limit", "limit");
    jz__buf_putc(&arguments, '}');
    if (arguments.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    r = jz_later(&json, library.lib, NULL, arguments.data);
    return command_print(opts, library.lib, r, json, jz__render_later);
}
