/* SPDX-License-Identifier: Apache-2.0 */
/* Looking after a library: integrity, housekeeping, sizes. */
#ifndef JZ_STORE_CHECK_H
#define JZ_STORE_CHECK_H

#include "store/store.h"

typedef void (*jz__check_fn)(void *userdata, const char *problem,
                             bool is_mended);

/*
 * Report every problem of the file and of the index. 0 when the check was made,
 * whatever it found. It is a read, and holds nobody up; with repair it is
 * a write, which makes anew what can be made from the items, and tells which
 * problems are gone by that.
 */
int jz__check_library(struct jz__store *store, bool repair, jz__check_fn fn,
                      void *userdata);

/* One short step of housekeeping in a write transaction of its own; *more: call
 * again. The last step checkpoints the write-ahead log. */
int jz__check_maintain(struct jz__store *store, bool *more);

struct jz__check_sizes {
    int64_t items;
    int64_t hidden;
    int64_t originals;       /* bytes stored */
    int64_t originals_plain; /* bytes of text */
};

int jz__check_sizes(struct jz__check_sizes *out, struct jz__store *store);

#endif
