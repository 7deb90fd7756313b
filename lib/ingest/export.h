/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of agents that keep no file a session: as one text, the form in which
 * they travel to a server and in which its connectors read them.
 */
#ifndef JZ_INGEST_EXPORT_H
#define JZ_INGEST_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* An export that would be larger is refused. */
#define JZ__EXPORT_MOST ((size_t)512 * 1024 * 1024)

/* Positive: a sub-agent's or a scheduled run, which is not exported. */
#define JZ__EXPORT_NONE 1

/*
 * One session of an agent whose sessions lie in place (a database; for
 * Antigravity the folder of a conversation's transcripts, whose session is not
 * looked at). 0; JZ__EXPORT_NONE; JZ_ENOTFOUND: no such place or session;
 * JZ_EINVAL: an agent without exports, or over JZ__EXPORT_MOST; JZ_EIO;
 * JZ_ECORRUPT; JZ_ENOMEM.
 */
int jz__export_session(struct jz__buf *out, const char *agent,
                       const char *place, const char *session,
                       struct jz__error *error);

/* Has this agent exports? */
bool jz__export_is_agent(const char *agent);

/* Told of each session below the agent's folder that an export would give. */
struct jz__export_entry {
    const char *session;
    const char *place; /* what jz__export_session() takes */
    int64_t modified_ns;
    int64_t bytes; /* 0 where that is not known */
};
typedef int (*jz__export_list_fn)(void *userdata,
                                  const struct jz__export_entry *entry);

/* Changed at or after since (seconds). fn returns 0 to go on. */
int jz__export_list(const char *agent, const char *folder, int64_t since,
                    jz__export_list_fn fn, void *userdata,
                    struct jz__error *error);

/* --- one file each --- */

int jz__export_hermes(struct jz__buf *out, const char *database,
                      const char *session, struct jz__error *error);
int jz__export_hermes_list(const char *folder, int64_t since,
                           jz__export_list_fn fn, void *userdata,
                           struct jz__error *error);
int jz__export_opencode(struct jz__buf *out, const char *database,
                        const char *session, struct jz__error *error);
int jz__export_opencode_list(const char *folder, int64_t since,
                             jz__export_list_fn fn, void *userdata,
                             struct jz__error *error);
int jz__export_antigravity(struct jz__buf *out, const char *folder,
                           const char *session, struct jz__error *error);
int jz__export_antigravity_list(const char *folder, int64_t since,
                                jz__export_list_fn fn, void *userdata,
                                struct jz__error *error);

#endif
