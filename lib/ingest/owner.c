/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rank of a document comes from what it holds alone, so that a copy's new
 * part, which is dated later than its parent's beginning, never draws the old
 * part after it.
 */
#include "ingest/owner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jezero.h"

static int compare_records(const void *a, const void *b)
{
    const struct jz__owner_record *x = a;
    const struct jz__owner_record *y = b;

    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->holder < y->holder ? -1 : x->holder > y->holder;
}

/* The run of records with one key that begins at `first`. */
static size_t run_length(const struct jz__owner_record *records, size_t count,
                         size_t first)
{
    size_t n = 1;

    while (first + n < count && records[first + n].key == records[first].key) {
        n++;
    }
    return n;
}

/* For each holder the time of its earliest record that it shares with none;
 * INT64_MIN for one that has no such record. */
static void own_times(int64_t *times, const struct jz__owner_record *records,
                      size_t count, const struct jz__owner_holder *holders,
                      size_t holder_count)
{
    size_t i;

    for (i = 0; i < holder_count; i++) {
        times[i] = holders[i].own_time_ms;
    }
    for (i = 0; i < count;) {
        size_t n = run_length(records, count, i);

        if (n == 1 && records[i].time_ms < times[records[i].holder]) {
            times[records[i].holder] = records[i].time_ms;
        }
        i += n;
    }
    for (i = 0; i < holder_count; i++) {
        if (times[i] == INT64_MAX) {
            times[i] = INT64_MIN;
        }
    }
}

static bool names_parent(const struct jz__owner_holder *child,
                         const struct jz__owner_holder *parent)
{
    return child->parent != NULL && strcmp(child->parent, parent->session) == 0;
}

/* Does holder a have a better claim than b? */
static bool is_better(const struct jz__owner_holder *holders,
                      const int64_t *times, uint32_t a, uint32_t b)
{
    if (names_parent(&holders[b], &holders[a])) {
        return true;
    }
    if (names_parent(&holders[a], &holders[b])) {
        return false;
    }
    if (times[a] != times[b]) {
        return times[a] < times[b];
    }
    return strcmp(holders[a].session, holders[b].session) < 0;
}

static void decide_run(struct jz__owner_record *run, size_t n,
                       const struct jz__owner_holder *holders,
                       const int64_t *times)
{
    size_t best = SIZE_MAX;
    size_t i;

    for (i = 0; i < n; i++) {
        run[i].is_owned = false;
        if (holders[run[i].holder].is_fixed && run[i].was_owned) {
            best = i;
            break;
        }
    }
    for (i = 0; i < n && best == SIZE_MAX; i++) {
        size_t j;

        if (holders[run[i].holder].is_fixed) {
            continue;
        }
        for (j = 0; j < n; j++) {
            if (j != i && !holders[run[j].holder].is_fixed &&
                is_better(holders, times, run[j].holder, run[i].holder)) {
                break;
            }
        }
        if (j == n) {
            best = i;
        }
    }
    for (i = 0; i < n; i++) {
        /* A circle of parents has no best one: then the first has it. */
        run[i].is_owned = i == (best != SIZE_MAX ? best : 0);
    }
}

int jz__owner_decide(struct jz__owner_record *records, size_t count,
                     const struct jz__owner_holder *holders,
                     size_t holder_count)
{
    JZ_CLEANUP(jz__mem_freep)
    int64_t *times = malloc((holder_count + 1) * sizeof(*times));
    size_t i;

    assert(records != NULL || count == 0);

    if (times == NULL) {
        return JZ_ENOMEM;
    }
    if (count > 1) {
        qsort(records, count, sizeof(*records), compare_records);
    }
    own_times(times, records, count, holders, holder_count);
    for (i = 0; i < count;) {
        size_t n = run_length(records, count, i);

        decide_run(&records[i], n, holders, times);
        i += n;
    }
    return JZ_OK;
}
