/* SPDX-License-Identifier: Apache-2.0 */
/* What happens in an agent's session, and what a hook does about it. */
#ifndef JEZERO_CLIENT_HOOK_H
#define JEZERO_CLIENT_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "home.h"
#include "hook_call.h"

enum hook_event {
    HOOK_SESSION_START,
    HOOK_USER_PROMPT,
    HOOK_STOP,
    HOOK_SESSION_END,
    HOOK_EVENT_COUNT
};

/* "session-start", …. Static. */
const char *hook_name(enum hook_event event);

/* false: no event has this name. */
bool hook_find(enum hook_event *out, const char *name);

/* Milliseconds that a hook may take in all, from the process' start on. */
int64_t hook_limit_ms(enum hook_event event);

struct hook {
    enum hook_event event;
    const struct home *home;      /* set up; borrowed */
    const struct hook_call *call; /* borrowed */
    int64_t deadline_ms;          /* the server is waited for until then, by
                            jz__fetch_now_ms() */
    struct jz__buf answer;        /* to be printed */
    struct jz__buf prepared;      /* for the watchdog, whom it must outlive */
    bool has_queue; /* an upload may be started, when it is printed */
};

/* Do what is due. What fails is logged, and the answer then has less in it. 0
 * or JZ_ENOMEM: there is no answer. */
int hook_run(struct hook *hook);
void hook_finish(struct hook *hook);

#endif
