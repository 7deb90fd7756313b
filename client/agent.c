/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents in the order of their enum: names as they stand on command lines,
 * in inbox paths and in the sources' names on the server.
 *
 * A variable with a relative folder is passed over: which folder it means would
 * depend on where the agent was started, and a repository could set it.
 */
#include "agent.h"

#include <assert.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

static const struct {
    const char *name;
    const char *variable; /* holds the folder; NULL: no variable does */
    const char *below;    /* what is put behind the variable's value */
    const char *standard; /* below the user's home */
} agents[AGENT_COUNT] = {
    { "claude-code", "CLAUDE_CONFIG_DIR", "", ".claude" },
    { "codex", "CODEX_HOME", "", ".codex" },
    { "antigravity", NULL, "", ".gemini/config" },
    { "opencode", "XDG_CONFIG_HOME", "opencode", ".config/opencode" },
    { "hermes", "HERMES_HOME", "", ".hermes" },
};

const char *agent_name(enum agent_id agent)
{
    assert(agent < AGENT_COUNT);

    return agents[agent].name;
}

bool agent_find(enum agent_id *out, const char *name)
{
    for (int i = 0; i < AGENT_COUNT; i++) {
        if (strcmp(agents[i].name, name) == 0) {
            *out = (enum agent_id)i;
            return true;
        }
    }
    return false;
}

const char *agent_names(void)
{
    return "claude-code, codex, antigravity, opencode or hermes";
}

void agent_put_user_home(struct jz__buf *out)
{
    const char *home = getenv("HOME");

    if (home == NULL || home[0] != '/') {
        const struct passwd *user = getpwuid(geteuid());

        home = user != NULL ? user->pw_dir : "";
    }
    if (home[0] == '/') {
        jz__buf_puts(out, home);
    }
}

void agent_put_folder(struct jz__buf *out, enum agent_id agent)
{
    const char *value;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf home = JZ__BUF_INIT;

    assert(agent < AGENT_COUNT);

    value =
        agents[agent].variable != NULL ? getenv(agents[agent].variable) : NULL;
    if (value != NULL && value[0] == '/') {
        if (agents[agent].below[0] != '\0') {
            jz__path_join(out, value, agents[agent].below);
        } else {
            jz__path_normalize(out, value);
        }
        return;
    }
    agent_put_user_home(&home);
    if (home.error != 0) {
        out->error = home.error;
    } else if (home.length > 0) {
        jz__path_join(out, home.data, agents[agent].standard);
    }
}
