/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary heap of at most k hits. The order is total, because ids differ, so
 * what the pool holds does not depend on the order in which hits are offered.
 */
#include "index/pool.h"

#include <assert.h>
#include <stdlib.h>

bool jz__pool_is_before(const struct jz__index_hit *a,
                        const struct jz__index_hit *b)
{
    if (a->relevance != b->relevance) {
        return a->relevance > b->relevance;
    }
    if (a->occurred_at != b->occurred_at) {
        return a->occurred_at > b->occurred_at;
    }
    return a->id > b->id;
}

static void swap(struct jz__pool *pool, size_t a, size_t b)
{
    struct jz__index_hit hit = pool->hits[a];

    pool->hits[a] = pool->hits[b];
    pool->hits[b] = hit;
}

static void sift_up(struct jz__pool *pool, size_t at)
{
    while (at > 0) {
        size_t parent = (at - 1) / 2;

        if (!jz__pool_is_before(&pool->hits[parent], &pool->hits[at])) {
            break;
        }
        swap(pool, parent, at);
        at = parent;
    }
}

static void sift_down(struct jz__pool *pool)
{
    size_t at = 0;

    for (;;) {
        size_t worst = at;
        size_t child;

        for (child = 2 * at + 1; child <= 2 * at + 2 && child < pool->count;
             child++) {
            if (jz__pool_is_before(&pool->hits[worst], &pool->hits[child])) {
                worst = child;
            }
        }
        if (worst == at) {
            return;
        }
        swap(pool, at, worst);
        at = worst;
    }
}

void jz__pool_offer(struct jz__pool *pool, const struct jz__index_hit *hit)
{
    assert(pool->count <= pool->most);

    if (pool->count < pool->most) {
        pool->hits[pool->count] = *hit;
        sift_up(pool, pool->count++);
    } else if (pool->most > 0 && jz__pool_is_before(hit, &pool->hits[0])) {
        pool->hits[0] = *hit;
        sift_down(pool);
    }
}

static int compare(const void *a, const void *b)
{
    return jz__pool_is_before(a, b) ? -1 : 1;
}

void jz__pool_sort(struct jz__pool *pool)
{
    if (pool->count > 1) {
        qsort(pool->hits, pool->count, sizeof(*pool->hits), compare);
    }
}
