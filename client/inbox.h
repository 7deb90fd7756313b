/* SPDX-License-Identifier: Apache-2.0 */
/* Where a transcript goes on the server. Pure. */
#ifndef JEZERO_CLIENT_INBOX_H
#define JEZERO_CLIENT_INBOX_H

#include <stdbool.h>

#include "agent.h"
#include "base/buf.h"
#include "base/str.h"

/* Characters of one part of a path; the ending of the last one does not count.
 * */
#define INBOX_PART_MOST 150

/*
 * Append what stands behind /inbox/v1/<agent>/ for a session: by its file for
 * Claude Code and Codex, by its id for the others. false: the server takes no
 * such file, nothing was appended and *reason is a static phrase.
 */
bool inbox_put_path(struct jz__buf *out, const char **reason,
                    enum agent_id agent, const char *path, const char *id);

/*
 * Append text as a part of a path can have it: every character but A-Z a-z 0-9
 * . _ - becomes _, and it is cut. Of different texts the same may come.
 */
void inbox_put_part(struct jz__buf *out, struct jz__str text);

/* The file's name without .jsonl or .jsonl.zst; empty: it is no such file. */
struct jz__str inbox_stem(const char *path);

#endif
