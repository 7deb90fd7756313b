/* SPDX-License-Identifier: Apache-2.0 */
/* A segment's events -> an item: redacted, rendered, summarised. */
#ifndef JZ_INGEST_SEGMENT_ITEM_H
#define JZ_INGEST_SEGMENT_ITEM_H

#include "ingest/conversation.h"
#include "ingest/redact.h"
#include "store/item.h"

/* Who makes the items; changes when the outcome for the same text does. */
#define JZ__SEGMENT_ITEM_SUMMARIZER "extractive/1"

struct jz__segment_item_options {
    const char *source;
    const char *agent;
    const char *project; /* NULL: none; already a valid name */
    const struct jz__redact_options *redact;
    int64_t fallback_time; /* for events without a time, seconds */
    int number;            /* of the segment, from 0 */
    int segments;          /* of the session */
};

/*
 * Fill out (zeroed) from events[0 .. count), the part of the segment that
 * counts for this session; there is at least one. Nothing of an event gets into
 * the item without redaction. 0 or JZ_ENOMEM.
 */
int jz__segment_item_build(struct jz__item *out,
                           const struct jz__conversation *conversation,
                           const struct jz__event *const *events, size_t count,
                           const struct jz__segment_item_options *options);

#endif
