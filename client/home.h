/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client home: the folder that holds this computer's key, its settings, the
 * queue, what is remembered and the log.
 */
#ifndef JEZERO_CLIENT_HOME_H
#define JEZERO_CLIENT_HOME_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"

/* Bytes of client.log before it becomes client.log.1. */
#define HOME_LOG_MOST 1048576

struct home {
    char *path;     /* absolute, no link of another user's on the way */
    bool is_set_up; /* url and key are there */
    char *url;      /* of the server, without a slash at the end; or NULL */
    char *device;   /* or NULL */
    char *mcp_path; /* begins with a slash */
    char *projects; /* the rules as JSON text, or NULL */
    char *key;      /* or NULL; never printed or logged */
    bool may_upload;
};

/*
 * The home that a command uses: $JEZERO_CLIENT_HOME, the agent's own folder if
 * it holds a client.json (agent NULL: Claude Code's, then Codex's), ~/.jezero.
 * A home that is not there, or not set up, is no error. JZ_EINVAL, with a
 * sentence that says what to do: it is relative, another user's, open to others,
 * or client.json is damaged; path is set then too, and nothing else.
 */
int home_open(struct home *out, const char *agent, struct jz__error *error);
void home_finish(struct home *home);

/* Make the folder (0700), if it is not there, and check it as home_open(). */
int home_make(const char *path, struct jz__error *error);

/* Append "<path>/<name>" of a file in the home. NULL: out of memory. The caller
 * frees it. */
char *home_file(const struct home *home, const char *name);

/* Remove what killed processes left of files that they were writing. */
void home_sweep(const struct home *home);

/*
 * Append one line with the time to client.log, made if the home is there;
 * control characters become blanks. What cannot be logged is lost: nothing in a
 * hook may fail for it. Never a key, a header or a session's text.
 */
void home_log(const struct home *home, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
