/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose message is it? A session that was resumed, forked or spawned repeats
 * records of its parent; each message counts once, for one of the documents
 * that hold it. A decision on numbers and names alone: the order in which the
 * documents arrived changes nothing.
 */
#ifndef JZ_INGEST_OWNER_H
#define JZ_INGEST_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A document that takes part. */
struct jz__owner_holder {
    const char *session;
    const char *parent;  /* the session it names as its parent, or NULL */
    int64_t own_time_ms; /* earliest record that is no copy by its nature */
    bool is_fixed; /* cannot be read again: keeps what it has, gains nothing */
};

/* One message in one document. */
struct jz__owner_record {
    uint64_t key;
    int64_t time_ms;
    uint32_t holder; /* index */
    bool is_owned;   /* out */
    bool was_owned;  /* in: it counted for this holder until now */
};

/*
 * Decide for all records: sorts them by key and sets is_owned. A message counts
 * for the holder that another holder names as its parent, else for the one with
 * the earliest record that no other holds (a document that consists of shared
 * messages alone is the original of its copies and comes first), else for the
 * smaller session id. 0 or JZ_ENOMEM.
 */
int jz__owner_decide(struct jz__owner_record *records, size_t count,
                     const struct jz__owner_holder *holders,
                     size_t holder_count);

#endif
