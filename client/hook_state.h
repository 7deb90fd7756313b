/* SPDX-License-Identifier: Apache-2.0 */
/* What hooks remember in state.json: what a session was given, whether the
 * server can be asked, and what the log said last. */
#ifndef JEZERO_CLIENT_HOOK_STATE_H
#define JEZERO_CLIENT_HOOK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent.h"
#include "base/error.h"
#include "base/json.h"
#include "home.h"
#include "related.h"

/* Seconds for which a server is not asked that did not answer. */
#define HOOK_STATE_PAUSE 30
/* Sessions that are remembered; the one that was used longest ago goes. */
#define HOOK_STATE_SESSIONS 200

/* As it was read, once. */
struct hook_state {
    const struct home *home; /* borrowed */
    char *session;           /* its key, NULL: the agent did not name it */
    int64_t now;             /* seconds since 1970 */
    bool is_paused;          /* the server is not asked */
    bool has_protocol;       /* the session was given it */
    cJSON *shown;            /* ids that it was shown, or NULL */
};

/* Out of memory is the only error: what cannot be read is not remembered. */
int hook_state_open(struct hook_state *out, const struct home *home,
                    enum agent_id agent, const char *session,
                    struct jz__error *error);
void hook_state_close(struct hook_state *state);

/* Of several hooks at once one gets true, and gives the protocol. is_again: it
 * is due although the session was given it before. A session without a name, or
 * a state that cannot be written, gives is_again || fallback. */
bool hook_state_claim_protocol(const struct hook_state *state, bool is_again,
                               bool fallback);

/* Leave those items that no other hook showed since the state was read, and
 * remember them. If that is impossible none are left: an item that comes at
 * every prompt is worse than one that does not come. */
void hook_state_claim_items(const struct hook_state *state,
                            struct related *related);

/* The server did not answer. */
void hook_state_pause(const struct hook_state *state);

/* A line "<place>: <message>" in client.log, unless the last one within an hour
 * said the same: a key that is not approved yet fails at every prompt. */
void hook_state_log(const struct hook_state *state, const char *place,
                    const char *message);

#endif
