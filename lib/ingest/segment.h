/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments: a session's events cut where the work paused (4 hours), where the
 * agent's context was compacted, and once a segment's rendered original has
 * reached 60,000 characters. Boundaries depend on what stands before them
 * alone, so a session that grows keeps its segments.
 */
#ifndef JZ_INGEST_SEGMENT_H
#define JZ_INGEST_SEGMENT_H

#include "base/buf.h"
#include "ingest/conversation.h"

struct jz__segment_options {
    int64_t pause_ms;       /* 0: the default, 240 minutes */
    size_t most_characters; /* 0: the default, 60,000 */
};

/* events[first .. first + count) of the conversation are segment `number`. */
struct jz__segment {
    size_t first;
    size_t count;
    int number;
};

/* *out is malloc'ed. 0 or JZ_ENOMEM. */
int jz__segment_cut(struct jz__segment **out, size_t *count,
                    const struct jz__conversation *conversation,
                    const struct jz__segment_options *options);

/*
 * Append one event as it stands in an original, unredacted:
 * "[2026-10-09 21:05] user: …\n", "[…] assistant: …\n", "[…] tool Bash: cmd\n"
 * and, under a failed tool call, its output (1,000 characters).
 */
void jz__segment_render(struct jz__buf *out, const struct jz__event *event);

#endif
