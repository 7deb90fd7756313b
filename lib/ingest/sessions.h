/* SPDX-License-Identifier: Apache-2.0 */
/* Which transcripts lie at a place? */
#ifndef JZ_INGEST_SESSIONS_H
#define JZ_INGEST_SESSIONS_H

#include "base/buf.h"
#include "base/error.h"

/*
 * Append a JSON array of {agent, session, path, bytes, modified}, oldest first.
 * agent NULL: files are recognised by content, at any depth; else place is that
 * agent's folder. path is the file; of an agent with exports (ingest/export.h)
 * what its export takes, with 0 bytes where the size is not known. since:
 * modified at or after, seconds; 0: all. JZ_ENOTFOUND: no such place; JZ_EINVAL:
 * unknown agent.
 */
int jz__sessions_list(struct jz__buf *out, const char *agent, const char *place,
                      int64_t since, struct jz__error *error);

#endif
