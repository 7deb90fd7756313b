/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registering Jezero in an agent: the agents' files, changed in place, and the
 * report of what was done.
 */
#ifndef JEZERO_CLIENT_SETUP_H
#define JEZERO_CLIENT_SETUP_H

#include <stdbool.h>

#include "agent.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* One agent in one run. */
struct setup {
    enum agent_id agent;
    const char *program; /* the path to register, UTF-8 */
    const char *folder;  /* the agent's own */
    bool with_hooks;
    bool is_dry;
    bool is_removal;
    bool has_failed;
    int reported; /* lines that say what was done, or why not */
};

enum setup_outcome {
    SETUP_SAME,
    SETUP_ADDED,
    SETUP_UPDATED,
    SETUP_REMOVED,
};

/* A file's text, being changed. */
struct setup_text {
    struct jz__str old;
    struct jz__buf out; /* the new text, if the outcome is not SETUP_SAME */
    enum setup_outcome outcome;
    bool is_gone;         /* the file itself is to go */
    bool has_no_old;      /* no backup: the old text is ours, or kept already */
    struct jz__buf shown; /* lines for --dry-run, "+ …" and "- …" */
    const char *warning;  /* said in any case; static */
};

/*
 * Make the new text of the old one; an empty old text stands for a file that is
 * not there. Called a second time with an empty one to learn what is to be
 * added by hand, where the file cannot be edited. `what` is the caller's.
 */
typedef int (*setup_edit_fn)(struct setup_text *text, const struct setup *setup,
                             const void *what, struct jz__error *error);

/* A change took place: of several, the last that is not SETUP_SAME counts, but
 * something new in what was there is an update. */
void setup_note(struct setup_text *text, enum setup_outcome outcome);

/*
 * Change a file of the agent's and report it. The old one is kept beside it as
 * .jezero-backup; its mode and a link to it stay. A file that is not there is
 * made. What cannot be done is reported and sets has_failed: nothing was
 * written then. by_hand: tell what to add.
 */
enum setup_outcome setup_file(struct setup *setup, const char *path,
                              setup_edit_fn edit, const void *what,
                              bool by_hand);

/* setup_file() for a file in the agent's folder. */
enum setup_outcome setup_own_file(struct setup *setup, const char *name,
                                  setup_edit_fn edit, const void *what,
                                  bool by_hand);

/* Append the path of a file or folder in the user's home. */
void setup_put_home_path(struct jz__buf *out, const char *name);

/* Is there anything at a path in the user's home? */
bool setup_is_in_home(const char *name);

/* A line of the report, "<agent>: …". */
void setup_say(const struct setup *setup, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line that tells what is wrong. */
void setup_fail(struct setup *setup, const char *reason);

/*
 * Where the agent's plugin is installed, everything would be registered twice:
 * take our entries out, with the function that edits the agent's files, and say
 * "plugin installed, nothing to register"; for a removal, that the plugin stays
 * and the command line that takes it out.
 */
void setup_beside_plugin(struct setup *setup, void (*edit)(struct setup *setup),
                         const char *uninstall);

/* The words behind the program on a command line of an agent's: "hook
 * session-start --agent codex", the program quoted for a shell if it must
 * be. */
void setup_put_hook_command(struct jz__buf *out, const struct setup *setup,
                            const char *event);

/* Is this command line, for a shell, one of our hooks, at whatever path? */
bool setup_is_hook_command(const char *command);

/* --- one function an agent --- */

void setup_claude_code(struct setup *setup);
void setup_codex(struct setup *setup);
void setup_antigravity(struct setup *setup);
void setup_opencode(struct setup *setup);
void setup_hermes(struct setup *setup);

/* Is the agent on this computer, beyond what its folder tells? */
bool setup_has_claude_code(void);
bool setup_has_antigravity(void);
bool setup_has_opencode(void);

#endif
