/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that an agent keeps in a database, as files in the spool. */
#ifndef JEZERO_CLIENT_EXPORT_H
#define JEZERO_CLIENT_EXPORT_H

#include "agent.h"
#include "base/buf.h"
#include "base/error.h"
#include "home.h"
#include "spool.h"

/* There is none to send: a sub-agent's or a scheduled session, or the agent
 * does not know it. */
#define EXPORT_NONE 1

struct exported {
    struct jz__buf path; /* spool/<agent>/<session>.json */
    struct jz__buf cwd;  /* as the session has it; or empty */
};

/* Are this agent's sessions exported? */
bool export_is_for(enum agent_id agent);

/*
 * Export the session; its file is rewritten only if it changed. 0; EXPORT_NONE;
 * JZ_EINTERNAL: libjezero cannot be loaded; JZ_EIO, JZ_ECORRUPT, JZ_EINVAL:
 * the database cannot be read; JZ_ENOMEM. Finish it in every case.
 */
int export_session(struct exported *out, const struct home *home,
                   const struct spool_session *session,
                   struct jz__error *error);
void exported_finish(struct exported *exported);

#endif
