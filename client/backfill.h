/* SPDX-License-Identifier: Apache-2.0 */
/* Queues the sessions that an agent has on this computer already. */
#ifndef JEZERO_CLIENT_BACKFILL_H
#define JEZERO_CLIENT_BACKFILL_H

#include <stdint.h>

#include "agent.h"
#include "base/error.h"
#include "home.h"

struct backfill_counts {
    int64_t queued;
    int64_t failed;         /* could not be queued */
    struct jz__error first; /* why the first of them could not */
};

/* Told before each session. */
typedef void (*backfill_progress_fn)(void *userdata, int64_t done,
                                     int64_t total);

struct backfill_options {
    int64_t since; /* seconds since 1970: changed at or after */
    backfill_progress_fn progress;
    void *userdata;
};

/*
 * Queue them; a computer without the agent has none. The home is set up and may
 * upload. 0; JZ_EINTERNAL: libjezero cannot be loaded; other errors: they
 * cannot be listed.
 */
int backfill_run(struct backfill_counts *out, const struct home *home,
                 enum agent_id agent, const struct backfill_options *options,
                 struct jz__error *error);

#endif
