/* SPDX-License-Identifier: Apache-2.0 */
/* status: counts, sizes, and the documents that could not be taken in, each
 * with the reason of its last try. */
#include "command.h"
#include "commands.h"

#include "base/mem.h"

int cmd_status_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    char *json = NULL;
    int status = command_open(&library, opts, COMMAND_READS);
    int r;

    if (status != 0) {
        return status;
    }
    r = jz_status(&json, library.lib);
    return command_print(opts, library.lib, r, json, jz__render_status);
}
