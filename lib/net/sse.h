/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event streams (text/event-stream) as servers of MCP send them: bytes in, the
 * data of each event out. Events of another type than "message" are passed
 * over, as are those without data, ids and times to reconnect after.
 */
#ifndef JZ_NET_SSE_H
#define JZ_NET_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

enum jz__sse_event {
    JZ__SSE_MORE,      /* all bytes are used */
    JZ__SSE_DATA,      /* *out, borrowed until the next call */
    JZ__SSE_TOO_LARGE, /* an event over the limit; nothing more is read */
    JZ__SSE_NO_MEMORY  /* the same */
};

/* Zeroed but for `most`: before the stream. */
struct jz__sse {
    size_t most; /* bytes of an event */

    /* private */
    struct jz__buf line;
    struct jz__buf data; /* each line with an LF */
    bool is_told;
    bool is_other;   /* the event has another type */
    bool is_past_cr; /* an LF that comes next belongs to it */
    bool is_past_start;
    bool is_dead;
};

void jz__sse_finish(struct jz__sse *sse);

/* The next event out of *length bytes at *data, both moved on. */
enum jz__sse_event jz__sse_read(struct jz__str *out, struct jz__sse *sse,
                                const char **data, size_t *length);

#endif
