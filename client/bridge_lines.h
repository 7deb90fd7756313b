/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts what comes on stdin into lines, in memory that is bounded. */
#ifndef JEZERO_CLIENT_BRIDGE_LINES_H
#define JEZERO_CLIENT_BRIDGE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/* Bytes of a line without its end; a longer one is refused and passed over. */
#define BRIDGE_LINES_MOST ((size_t)16 * 1024 * 1024)

/* Zeroed at the start. */
struct bridge_lines {
    struct jz__buf line; /* what has come of the current line */
    bool is_too_long;    /* its rest is thrown away */
    bool has_ended;      /* it is whole: the next byte begins another */
};

enum bridge_lines_got {
    BRIDGE_LINES_MORE,    /* the bytes are used up, the line goes on */
    BRIDGE_LINES_LINE,    /* .line holds one, without its end */
    BRIDGE_LINES_TOO_LONG /* one ended that was over the limit, or over what
                             memory there is; .line is empty */
};

/*
 * Take bytes off *rest, to the end of a line at most. After a line the caller
 * may move .line away (and zero it); what it leaves there is dropped.
 */
enum bridge_lines_got bridge_lines_next(struct bridge_lines *lines,
                                        struct jz__str *rest);

/* The input has ended: a last line may lack its line end. */
enum bridge_lines_got bridge_lines_end(struct bridge_lines *lines);

void bridge_lines_finish(struct bridge_lines *lines);

#endif
