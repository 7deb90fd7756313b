/* SPDX-License-Identifier: Apache-2.0 */
/* sources: who has sent how much. Without a scope: on the command line the
 * file's rights have decided who may read. */
#include "command.h"
#include "commands.h"

#include "base/mem.h"

int cmd_sources_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    char *json = NULL;
    int status = command_open(&library, opts, COMMAND_READS);
    int r;

    if (status != 0) {
        return status;
    }
    r = jz_list_sources(&json, library.lib, NULL, NULL);
    return command_print(opts, library.lib, r, json, jz__render_sources);
}
