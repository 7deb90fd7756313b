/* SPDX-License-Identifier: Apache-2.0 */
/* One pointer of the queue: what becomes of it. */
#ifndef JEZERO_CLIENT_FLUSH_ITEM_H
#define JEZERO_CLIENT_FLUSH_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "home.h"
#include "ledger.h"
#include "upload.h"

struct flush_item_tools {
    const struct home *home;
    struct ledger *ledger;
    struct uploader *uploader; /* opened when it is first needed */
};

enum flush_item_outcome {
    FLUSH_ITEM_SENT,
    FLUSH_ITEM_UNCHANGED,
    FLUSH_ITEM_GONE,
    FLUSH_ITEM_REJECTED,
    FLUSH_ITEM_DROPPED, /* it was no pointer */
    FLUSH_ITEM_LEFT,    /* stays in the queue, for a reason of this computer */
    FLUSH_ITEM_STOPPED  /* stays in the queue, and so do all others */
};

/* What the server said to the uploads so far. */
struct flush_item_end {
    bool is_over;     /* nothing more is to be sent */
    bool is_accepted; /* it took the key */
    bool is_refused;
    int64_t pause_s;
    char *late; /* the pointer that ended it, if that was its own fault */
    struct jz__buf why;
    bool is_stuck; /* the pointer could not be removed */
};

void flush_item_end_finish(struct flush_item_end *end);

/* 0; JZ_EIO: the queue cannot be changed; JZ_ENOMEM. */
int flush_item_run(enum flush_item_outcome *out, struct flush_item_end *end,
                   struct flush_item_tools *tools, const char *name,
                   struct jz__error *error);

#endif
