/* SPDX-License-Identifier: Apache-2.0 */
/* mcp: the bridge. A computer that is not set up has one as well: it says so to
 * whoever asks, and works as soon as init has been run. */
#include "bridge.h"
#include "command.h"
#include "commands.h"

int cmd_mcp_run(const struct jz__opts *opts)
{
    const char *agent;
    int status = command_agent(&agent, opts);

    return status != 0 ? status : bridge_run(agent);
}
