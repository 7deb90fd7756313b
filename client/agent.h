/* SPDX-License-Identifier: Apache-2.0 */
/* The coding agents that the client knows, and where each keeps its things. */
#ifndef JEZERO_CLIENT_AGENT_H
#define JEZERO_CLIENT_AGENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum agent_id {
    AGENT_CLAUDE_CODE,
    AGENT_CODEX,
    AGENT_ANTIGRAVITY,
    AGENT_OPENCODE,
    AGENT_HERMES,
    AGENT_COUNT
};

/* "claude-code", …: what --agent takes. Static. */
const char *agent_name(enum agent_id agent);

/* false: no agent has this name. */
bool agent_find(enum agent_id *out, const char *name);

/* "claude-code, codex, antigravity, opencode or hermes", for messages. Static. */
const char *agent_names(void);

/*
 * Append the agent's configuration folder, which need not exist:
 * $CLAUDE_CONFIG_DIR or ~/.claude; $CODEX_HOME or ~/.codex; ~/.gemini/config;
 * $XDG_CONFIG_HOME/opencode or ~/.config/opencode; $HERMES_HOME or ~/.hermes.
 * Nothing is appended if the user has no home folder. A relative value of a
 * variable counts as not set.
 */
void agent_put_folder(struct jz__buf *out, enum agent_id agent);

/* Append the user's home folder: $HOME, else the password file's. */
void agent_put_user_home(struct jz__buf *out);

#endif
