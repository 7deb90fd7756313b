/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of state.json is about uploads: which transcripts the server has, which
 * it will not take, since when it refuses the key, and until when it is left
 * alone.
 */
#ifndef JEZERO_CLIENT_LEDGER_H
#define JEZERO_CLIENT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "home.h"
#include "transcript.h"

/* A file as the server has seen it, found by its path's hash: that two paths
 * share it, and size and time as well, does not happen. */
struct ledger_known {
    uint64_t hash; /* 0: the slot is free */
    struct transcript_state state;
};

/* Changes are collected and written together: to write the file for each of
 * thousands of uploads would take longer than they do. */
struct ledger {
    const struct home *home;
    struct ledger_known *known; /* an open hash table, at most half full */
    size_t known_count;
    size_t known_slots; /* 0 or a power of two */
    cJSON *sent;        /* to be written; NULL: nothing */
    cJSON *rejected;
    bool was_refused; /* the file says so */
    bool was_paused;
    int failures;     /* in a row, by the file */
    char *late;       /* the pointer whose upload took too long the last time */
    int64_t saved_ms; /* when it was last written */
};

/* A state that cannot be read is empty: everything is offered once more. 0 or
 * JZ_ENOMEM; close it in every case. */
int ledger_open(struct ledger *out, const struct home *home,
                struct jz__error *error);
void ledger_close(struct ledger *ledger);

/* Was this file, as it is, sent or rejected? */
bool ledger_is_known(const struct ledger *ledger, const char *path,
                     const struct transcript_state *state);

int ledger_add_sent(struct ledger *ledger, const char *path,
                    const struct transcript_state *state);

/* status 0: it was not even sent. */
struct ledger_rejection {
    const char *agent;
    const char *reason;
    int status;
};
int ledger_add_rejected(struct ledger *ledger, const char *path,
                        const struct transcript_state *state,
                        const struct ledger_rejection *rejection);

/* Write what was collected, at most once a second. Another process that holds
 * the file is no error: it is written the next time. */
int ledger_save(struct ledger *ledger, struct jz__error *error);

/* How a flush ended. */
struct ledger_end {
    bool is_accepted;   /* the server took the key */
    bool is_refused;    /* 401, 403 */
    bool is_failed;     /* anything else that stopped it */
    const char *reason; /* of either */
    int64_t pause_s;    /* that the server asked for; 0: it did not */
    const char *late;   /* the pointer whose upload took too long, or NULL */
};

/* Write what was collected and how it ended; transcripts that are gone are
 * forgotten. */
int ledger_finish(struct ledger *ledger, const struct ledger_end *end,
                  struct jz__error *error);

/* Has a flush that nobody asked for to wait? */
bool ledger_is_paused(const struct home *home);

#endif
