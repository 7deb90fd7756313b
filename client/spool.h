/* SPDX-License-Identifier: Apache-2.0 */
/* The queue: one pointer to a transcript a file,
 * spool/pending/<agent>__<session>.json. */
#ifndef JEZERO_CLIENT_SPOOL_H
#define JEZERO_CLIENT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "agent.h"
#include "base/error.h"
#include "home.h"

/* What a hook knows of a session that may be sent. Texts are borrowed; NULL or
 * "" for what is not known. */
struct spool_session {
    enum agent_id agent;
    const char *id;
    /* What the hook was given: it may be missing, not there yet, or another
     * session's after a fork. Of agents with a database: its path, or nothing.
     * */
    const char *transcript;
    const char *cwd;
    /* Hermes' home, OpenCode's data folder, where the hook names it. */
    const char *database_folder;
};

/*
 * Queue a session: the transcript is found or exported, its folder and project
 * looked up, and the pointer written beside and renamed over an older one. 0;
 * SPOOL_SKIPPED: there is nothing to send (a read-only computer, a sub-agent's
 * transcript, a file that the server does not take), which is no fault. What
 * has not changed is queued all the same: that the server has it is known when
 * it is to be sent, and nothing is lost if a process ends between two steps.
 * Negative: it could not be queued. Needs no network.
 */
#define SPOOL_SKIPPED 1
int spool_put(const struct home *home, const struct spool_session *session,
              struct jz__error *error);

/* Projects of folders that were looked up, for many sessions in a row. Zeroed
 * at the start. */
struct spool_memory {
    struct spool_folder *folders;
    size_t count;
    size_t capacity;
};
void spool_memory_finish(struct spool_memory *memory);

/* spool_put() of one of many. */
int spool_put_next(const struct home *home, const struct spool_session *session,
                   struct spool_memory *memory, struct jz__error *error);

/* Start `flush` with this home, in a session of its own, with no descriptor of
 * ours: an agent waits for whoever holds its pipes. Nothing if the queue is
 * empty, or the server asked for a pause that is not over. */
int spool_start_flush(const struct home *home, struct jz__error *error);

/* The same, at once: somebody asked for it. */
int spool_run_flush(const struct home *home, struct jz__error *error);

/* Pointers that wait. */
int64_t spool_count(const struct home *home);

#endif
