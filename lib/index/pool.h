/* SPDX-License-Identifier: Apache-2.0 */
/* The best k of many hits, in bounded memory: a heap whose root is the worst. */
#ifndef JZ_INDEX_POOL_H
#define JZ_INDEX_POOL_H

#include "index/index.h"

struct jz__pool {
    struct jz__index_hit *hits; /* the caller's, room for `most` */
    size_t count;
    size_t most;
};

/* Does a come before b: higher relevance, then newer, then higher id? */
bool jz__pool_is_before(const struct jz__index_hit *a,
                        const struct jz__index_hit *b);

void jz__pool_offer(struct jz__pool *pool, const struct jz__index_hit *hit);

/* Sort .hits, best first; the pool takes no more hits afterwards. */
void jz__pool_sort(struct jz__pool *pool);

#endif
