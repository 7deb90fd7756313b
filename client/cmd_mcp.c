/* SPDX-License-Identifier: Apache-2.0 */
/* mcp: the bridge. A computer that is not set up has one as well: it says so to
 * whoever asks, and works as soon as init has been run. */
#include <stdio.h>
#include <stdlib.h>

#include "agent.h"
#include "bridge.h"
#include "commands.h"
#include "prog/command.h"

int cmd_mcp_run(const struct jz__opts *opts)
{
    const char *agent = jz__opts_value(opts, "agent");
    enum agent_id id;

    if (agent != NULL && !agent_find(&id, agent)) {
        return jz__command_wrong(opts, "--agent must be %s, got '%s'",
                                 agent_names(), agent);
    }
    return bridge_run(agent);
}
