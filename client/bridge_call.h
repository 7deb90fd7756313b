/* SPDX-License-Identifier: Apache-2.0 */
/* One message's way to the server and its answer's way back. */
#ifndef JEZERO_CLIENT_BRIDGE_CALL_H
#define JEZERO_CLIENT_BRIDGE_CALL_H

#include <pthread.h>

#include "bridge_local.h"
#include "bridge_out.h"
#include "bridge_pool.h"
#include "bridge_session.h"

/* Milliseconds for an answer; for what the bridge can answer itself, so that it
 * does so within 3 s; and for the end of a session. */
#define BRIDGE_CALL_MS 60000
#define BRIDGE_CALL_LOCAL_MS 2500
#define BRIDGE_CALL_END_MS 1000

/* What all threads of a bridge share. */
struct bridge_shared {
    const char *agent; /* as home_open() takes it */
    struct bridge_out *out;
    struct bridge_session session;
    struct bridge_local local;
    pthread_mutex_t home_lock; /* while the home is read */
    pthread_mutex_t log_lock;
    char logged[sizeof(((struct jz__error *)NULL)
                           ->message)]; /* what went into client.log last */
};

void bridge_shared_init(struct bridge_shared *shared, const char *agent,
                        struct bridge_out *out);
void bridge_shared_finish(struct bridge_shared *shared);

/* A thread's own connection, and its own view of the home; the userdata is a
 * struct bridge_shared. */
extern const struct bridge_pool_functions bridge_call_functions;

/* Tell the server that its session is over, if there is one. */
void bridge_call_end_session(struct bridge_shared *shared);

#endif
