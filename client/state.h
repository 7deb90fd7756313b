/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.json: what hooks and uploads remember, changed by several processes at
 * once. A change takes the lock, reads the file again, applies itself and saves;
 * members that it did not touch are copied as they are, byte for byte, also those
 * that a newer version put there.
 *
 * Its members:
 *   "sent":     {path: {"size", "mtime" (us), "when" (s), "status": 200}}
 *   "rejected": {path: {"size", "mtime", "when", "status", "agent", "reason"}}
 *   "refused_since": {"when", "reason"} while the server refuses the key
 *   "sessions": {"<agent>:<session>": {"at", "protocol": true, "shown": [id…]}}
 *   "unreachable_until": seconds since 1970
 *   "flush_pause": {"until", "failures", "late"} after a flush that failed
 */
#ifndef JEZERO_CLIENT_STATE_H
#define JEZERO_CLIENT_STATE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/scan.h"
#include "home.h"

struct state_member {
    char *key;
    char *value; /* JSON text; NULL: removed */
};

struct state {
    const struct home *home; /* borrowed */
    int lock;                /* -1: for reading alone */
    struct jz__buf text;     /* as it was read; "{}" if there is no file */
    struct jz__scan scan;
    struct state_member *changed;
    size_t changed_count;
    size_t changed_capacity;
};

/*
 * Read it; to_change: under the lock, for which at most 500 ms are waited
 * (JZ_EBUSY). A damaged file is set aside as state.json.damaged, with a line in
 * the log, and the state is empty. Close it in every case.
 */
int state_open(struct state *out, const struct home *home, bool to_change,
               struct jz__error *error);

/* A copy of a member, the caller's to delete; NULL if it is not there (or out of
 * memory). It sees what state_set() changed. */
cJSON *state_get(const struct state *state, const char *key);

/* Change a member, NULL removes it. 0 or JZ_ENOMEM. */
int state_set(struct state *state, const char *key, const cJSON *value);

/* Write beside and rename, mode 0600; nothing if nothing changed. Opened to
 * change alone. */
int state_save(struct state *state, struct jz__error *error);

/* Lets the lock go. A zeroed state may be closed. */
void state_close(struct state *state);

#endif
