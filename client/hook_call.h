/* SPDX-License-Identifier: Apache-2.0 */
/* What an agent tells a hook, whatever its way to say it. */
#ifndef JEZERO_CLIENT_HOOK_CALL_H
#define JEZERO_CLIENT_HOOK_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "agent.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Texts, "" for what is missing or of another type. */
struct hook_call {
    enum agent_id agent;
    struct jz__buf session;
    struct jz__buf cwd;
    struct jz__buf prompt;
    struct jz__buf transcript;
    struct jz__buf source;   /* why a session starts: "clear", "compact", … */
    struct jz__buf database; /* the folder that Hermes keeps state.db in */
    bool begins_turn; /* Antigravity: of a turn's model calls the first */
};

/* From the JSON object that the agent wrote. JZ_EINVAL: it is none; JZ_ENOMEM.
 * The call is zeroed, and finished by the caller in every case. */
int hook_call_read(struct hook_call *call, enum agent_id agent,
                   struct jz__str json, struct jz__error *error);
void hook_call_finish(struct hook_call *call);

/* The text of a buffer that may have been left empty. Borrowed. */
const char *hook_call_text(const struct jz__buf *member);

#endif
