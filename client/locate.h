/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the transcript of a session among the agent's files. */
#ifndef JEZERO_CLIENT_LOCATE_H
#define JEZERO_CLIENT_LOCATE_H

#include "agent.h"
#include "base/buf.h"
#include "spool.h"

/* There is none to send: *reason says why. */
#define LOCATE_NONE 1

struct located {
    struct jz__buf path; /* Antigravity: of one of the two files */
    struct jz__buf id;   /* of the session, as its file is named */
};

/*
 * For Claude Code, Codex and Antigravity. What a hook was given may be missing,
 * a sub-agent's, or the parent's after a fork: the session's id in the name of
 * a file is what counts. 0; LOCATE_NONE, *reason is a static phrase; JZ_ENOMEM.
 */
int locate_transcript(struct located *out, const char **reason,
                      const struct spool_session *session);
void located_finish(struct located *located);

/*
 * Append where a Codex transcript is now that has left its place: it may have
 * been packed, archived or taken out of the archive. Nothing if it is nowhere.
 */
void locate_moved(struct jz__buf *out, enum agent_id agent, const char *path);

/* Append the folder below which the agent keeps its sessions, as
 * jz_list_sessions() takes it; nothing if the user has no home. */
void locate_put_place(struct jz__buf *out, enum agent_id agent);

#endif
