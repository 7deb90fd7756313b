/* SPDX-License-Identifier: Apache-2.0 */
/* mcp: the tools over stdin and stdout. From here on nothing of ours may write
 * to stdout; failures of the start are on stderr, where agents show them. */
#include "command.h"
#include "commands.h"

#include "base/mem.h"
#include "stdio_run.h"

int cmd_mcp_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    int status = command_open(&library, opts, COMMAND_READS);

    return status == 0 ? stdio_run(library.lib) : status;
}
