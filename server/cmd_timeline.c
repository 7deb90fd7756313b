/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: what happened in a project, a source or altogether, newest first.
 * The dates of --since and --until are the library's to read: one place knows
 * what "2026-10-19" includes.
 */
#include "command.h"
#include "commands.h"

#include "base/mem.h"

int cmd_timeline_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;
    char *json = NULL;
    int status = command_open(&library, opts, COMMAND_READS);
    int r;

    if (status != 0) {
        return status;
    }
    jz__buf_putc(&arguments, '{');
    jz__command_put_option(&arguments, opts, "project", "project");
    jz__command_put_option(&arguments, opts, "source", "source");
    jz__command_put_option(&arguments, opts, "since", "since");
    jz__command_put_option(&arguments, opts, "until", "until");
    jz__command_put_option(&arguments, opts, "limit", "limit");
    jz__buf_putc(&arguments, '}');
    if (arguments.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    r = jz_timeline(&json, library.lib, NULL, arguments.data);
    if (r == 0) {
        command_tell_filters(opts, library.lib);
    }
    return command_print(opts, library.lib, r, json, jz__render_timeline);
}
