/* SPDX-License-Identifier: Apache-2.0 */
/* --agent decides which home, and with it which key, a command works with. */
#include "command.h"

#include "agent.h"

int command_agent(const char **out, const struct jz__opts *opts)
{
    enum agent_id id;

    *out = jz__opts_value(opts, "agent");
    return *out == NULL || agent_find(&id, *out)
               ? 0
               : jz__command_wrong(opts, "--agent must be %s, got '%s'",
                                   agent_names(), *out);
}

int command_home(struct home *out, const struct jz__opts *opts)
{
    struct jz__error error = { 0 };
    const char *agent;
    int status = command_agent(&agent, opts);

    if (status != 0) {
        return status;
    }
    return home_open(out, agent, &error) < 0
               ? jz__command_fail(opts, "%s", error.message)
               : 0;
}
