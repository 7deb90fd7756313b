/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the index the one that the items make? Nothing is written and no lock is
 * taken but that of a reader: the caller's transaction is what is looked at.
 */
#ifndef JZ_INDEX_VERIFY_H
#define JZ_INDEX_VERIFY_H

#include "index/index.h"

/* What the index must hold, gathered from the items. Zero is none. */
struct jz__verify {
    int64_t items;
    int64_t tokens;
    int64_t places[JZ__COLUMN_COUNT]; /* positions, as FTS5 counts them */
    uint64_t sum; /* of a mark of every (token, item, column, position) */
};

void jz__verify_add(struct jz__verify *verify, int64_t id,
                    const struct jz__columns *columns);

/*
 * Compare with what the index holds and with what it finds. *problem is a static
 * text, or NULL if they are equal. An SQLite result code: whatever says that the
 * index is broken is a problem and no error.
 */
int jz__verify_end(const char **problem, const struct jz__verify *verify,
                   struct jz__index *index);

#endif
