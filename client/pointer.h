/* SPDX-License-Identifier: Apache-2.0 */
/* What the queue holds of one session: where its transcript lies. Pure. */
#ifndef JEZERO_CLIENT_POINTER_H
#define JEZERO_CLIENT_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "base/buf.h"
#include "base/str.h"

/* Bytes of a pointer's file; a larger one was not written by this program. */
#define POINTER_MOST 65536

struct pointer {
    enum agent_id agent;
    char *session_id;
    char *path;
    char *cwd;         /* or NULL */
    char *project;     /* or NULL */
    int64_t queued_at; /* seconds since 1970 */
};

/* The file's text. */
void pointer_put(struct jz__buf *out, const struct pointer *pointer);

/* Append an id as a name of a file can have it. */
void pointer_put_id(struct jz__buf *out, const char *id);

/* Append the file's name, "<agent>__<session>.json". */
void pointer_put_name(struct jz__buf *out, enum agent_id agent, const char *id);

/* Zeroed before; to be finished in every case. 0; JZ_EINVAL: it is no pointer;
 * JZ_ENOMEM. */
int pointer_read(struct pointer *out, struct jz__str text);
void pointer_finish(struct pointer *pointer);

#endif
