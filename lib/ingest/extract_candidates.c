/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best few of one kind. The set is small and kept in order, so a candidate
 * costs a handful of comparisons however many come.
 */
#include "ingest/extract_internal.h"

#include <assert.h>
#include <string.h>

/* Two of the same key are one; so are two sentences that say much the same in
 * other words. */
static bool is_same(const struct jz__extract_candidate *a,
                    const struct jz__extract_candidate *b)
{
    if (a->key == b->key) {
        return true;
    }
    return a->sentence != NULL && b->sentence != NULL &&
           jz__extract_counts_alike(a->sentence, b->sentence);
}

/* Ties go to the earlier one, so that the order never depends on anything but
 * the text. */
static bool is_better(const struct jz__extract_candidate *a,
                      const struct jz__extract_candidate *b)
{
    return a->score > b->score || (a->score == b->score && a->order < b->order);
}

/* A worse double is dropped; a better one takes the place of what it doubles,
 * which may be more than one. */
void jz__extract_candidates_put(struct jz__extract_candidates *set,
                                const struct jz__extract_candidate *candidate)
{
    size_t place = set->count;
    size_t i;

    assert(set->count <= JZ__EXTRACT_CANDIDATES);

    for (i = 0; i < set->count; i++) {
        if (!is_same(&set->best[i], candidate)) {
            continue;
        }
        if (!is_better(candidate, &set->best[i])) {
            return;
        }
        set->count--;
        memmove(&set->best[i], &set->best[i + 1],
                (set->count - i) * sizeof(set->best[0]));
        i--;
        place = set->count;
    }
    while (place > 0 && is_better(candidate, &set->best[place - 1])) {
        place--;
    }
    if (place == JZ__EXTRACT_CANDIDATES) {
        return;
    }
    if (set->count == JZ__EXTRACT_CANDIDATES) {
        set->count--;
    }
    memmove(&set->best[place + 1], &set->best[place],
            (set->count - place) * sizeof(set->best[0]));
    set->best[place] = *candidate;
    set->count++;
}
