/* SPDX-License-Identifier: Apache-2.0 */
/* What the bridge can answer while the server is away. Any thread may call. */
#ifndef JEZERO_CLIENT_BRIDGE_LOCAL_H
#define JEZERO_CLIENT_BRIDGE_LOCAL_H

#include <pthread.h>

#include "base/buf.h"
#include "base/error.h"
#include "bridge_message.h"
#include "library.h"

struct bridge_local {
    pthread_mutex_t lock;
    const struct library *library; /* NULL: was not needed so far */
    jz_library *empty;
};

void bridge_local_init(struct bridge_local *local);
void bridge_local_finish(struct bridge_local *local);

/* initialize, server/discover and tools/list say the same on every computer. */
bool bridge_local_knows(const struct bridge_message *message);

/* Append the answer as one line with its end. Negative: libjezero cannot be
 * loaded, or there is no memory. */
int bridge_local_put(struct jz__buf *out, struct bridge_local *local,
                     const struct bridge_message *message,
                     struct jz__error *error);

#endif
