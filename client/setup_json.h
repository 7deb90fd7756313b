/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of ours in the agents' files of JSON. Each is a setup_edit_fn. */
#ifndef JEZERO_CLIENT_SETUP_JSON_H
#define JEZERO_CLIENT_SETUP_JSON_H

#include "setup.h"

/* mcpServers.jezero. what: NULL. */
int setup_json_server(struct setup_text *text, const struct setup *setup,
                      const void *what, struct jz__error *error);

/* An event of the agent's, and the hook that it starts. */
struct setup_json_event {
    const char *event; /* NULL ends a table */
    const char *hook;  /* "session-start" */
    int timeout_s;
};

/* hooks.<event>: groups that hold handlers, as Claude Code and Codex have it.
 * what: a table of struct setup_json_event. */
int setup_json_groups(struct setup_text *text, const struct setup *setup,
                      const void *what, struct jz__error *error);

/* jezero.<event>: handlers, as Antigravity has it. what: the table. */
int setup_json_named(struct setup_text *text, const struct setup *setup,
                     const void *what, struct jz__error *error);

#endif
