/* SPDX-License-Identifier: Apache-2.0 */
/* Recency, order, and what `later` returns: decisions on numbers alone. */
#ifndef JZ_SEARCH_RANK_H
#define JZ_SEARCH_RANK_H

#include <stddef.h>
#include <stdint.h>

#include "index/index.h"

/* A hit with the score that is shown. */
struct jz__rank_hit {
    int64_t id;
    int64_t occurred_at;
    double relevance;
    int64_t score; /* ten-thousandths */
};

/*
 * relevance x ((1 - weight) + weight x 0.5^(age / half life)), rounded to four
 * decimals as printf and Python's round() do. A date in the future has age 0.
 */
int64_t jz__rank_score(double relevance, int64_t occurred_at, int64_t now,
                       double weight, double half_life_days);

/* Highest score first, then newer, then higher id. */
void jz__rank_sort(struct jz__rank_hit *hits, size_t count);

/* Candidates of `later`, the item itself not counted. */
#define JZ__RANK_LATER_CANDIDATES 50

/*
 * Steps 2 and 3 of `later` on the best hits, which come best first and include
 * the item itself if it matches. Of the first 50 others keep those with at least
 * 30 % of the best relevance; take the two closest and the newest of the rest,
 * up to limit; newest first. Returns how many; the chosen ones are moved to the
 * front of hits.
 */
size_t jz__rank_later(struct jz__index_hit *hits, size_t count, int64_t item_id,
                      size_t limit);

#endif
