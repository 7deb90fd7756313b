/* SPDX-License-Identifier: Apache-2.0 */
/* What a hook prints, as each agent takes it. */
#ifndef JEZERO_CLIENT_HOOK_ANSWER_H
#define JEZERO_CLIENT_HOOK_ANSWER_H

#include "agent.h"
#include "base/buf.h"

/* Append what the agent takes for an answer with this context, "" for none. */
void hook_answer_put(struct jz__buf *out, enum agent_id agent,
                     const char *context);

#endif
