/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The score is a whole number of ten-thousandths from the moment it is made:
 * what is compared is what is shown, so two items that show one score are a tie,
 * and the newer one stands first.
 */
#include "search/rank.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `later` keeps, of the best match's relevance. */
#define LATER_FLOOR 0.3
/* How many of the closest matches it returns before it prefers newer ones. */
#define LATER_CLOSEST 2
#define SECONDS_A_DAY 86400.0

/* Rounded as the decimal text is: half to even on the exact value. The digits
 * without their point are the number of ten-thousandths. */
static int64_t round4(double value)
{
    char text[64];
    char *point;

    (void)snprintf(text, sizeof(text), "%.4f", value);
    point = strchr(text, '.');
    assert(point != NULL);
    memmove(point, point + 1, strlen(point));
    return strtoll(text, NULL, 10);
}

int64_t jz__rank_score(double relevance, int64_t occurred_at, int64_t now,
                       double weight, double half_life_days)
{
    double age_days =
        now > occurred_at ? (double)(now - occurred_at) / SECONDS_A_DAY : 0.0;

    assert(relevance >= 0.0 && half_life_days > 0.0);

    return round4(relevance * ((1.0 - weight) +
                               weight * pow(0.5, age_days / half_life_days)));
}

static int compare_scores(const void *a, const void *b)
{
    const struct jz__rank_hit *x = a;
    const struct jz__rank_hit *y = b;

    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    if (x->occurred_at != y->occurred_at) {
        return x->occurred_at > y->occurred_at ? -1 : 1;
    }
    return x->id > y->id ? -1 : 1;
}

void jz__rank_sort(struct jz__rank_hit *hits, size_t count)
{
    if (count > 1) {
        qsort(hits, count, sizeof(*hits), compare_scores);
    }
}

static int compare_newer(const void *a, const void *b)
{
    const struct jz__index_hit *x = a;
    const struct jz__index_hit *y = b;

    if (x->occurred_at != y->occurred_at) {
        return x->occurred_at > y->occurred_at ? -1 : 1;
    }
    return x->id > y->id ? -1 : 1;
}

static void sort_newer(struct jz__index_hit *hits, size_t count)
{
    if (count > 1) {
        qsort(hits, count, sizeof(*hits), compare_newer);
    }
}

size_t jz__rank_later(struct jz__index_hit *hits, size_t count, int64_t item_id,
                      size_t limit)
{
    double floor_relevance = count > 0 ? hits[0].relevance * LATER_FLOOR : 0.0;
    size_t kept = 0;
    size_t i;

    for (i = 0; i < count && kept < JZ__RANK_LATER_CANDIDATES; i++) {
        if (hits[i].id != item_id && hits[i].relevance >= floor_relevance) {
            hits[kept++] = hits[i];
        }
    }
    if (kept > limit) {
        size_t closest = limit < LATER_CLOSEST ? limit : LATER_CLOSEST;

        sort_newer(hits + closest, kept - closest);
        kept = limit;
    }
    sort_newer(hits, kept);
    return kept;
}
