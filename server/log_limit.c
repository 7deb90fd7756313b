/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small table of kinds, searched from its start: it is looked at once for a
 * refused request, which costs far more. A kind keeps its place for a minute
 * after its last line and may then lose it to a new one, first the place of a
 * kind of which nothing was left out. While all places are younger, new kinds
 * share one: that is a flood of made-up names, and one line tells it.
 */
#include "log_limit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define INTERVAL_MS 60000

static bool is_over(const struct log_limit_kind *kind, uint64_t now_ms)
{
    return !kind->is_used || now_ms - kind->told_at >= INTERVAL_MS;
}

static struct log_limit_kind *find(struct log_limit *limit, const char *name)
{
    for (size_t i = 0; i < JZ__LENGTH(limit->kinds); i++) {
        if (limit->kinds[i].is_used &&
            strcmp(limit->kinds[i].name, name) == 0) {
            return &limit->kinds[i];
        }
    }
    return NULL;
}

/* A place for a new kind: never used, or over and without a debt, or over. */
static struct log_limit_kind *choose(struct log_limit *limit, uint64_t now_ms)
{
    struct log_limit_kind *best = NULL;

    for (size_t i = 0; i < JZ__LENGTH(limit->kinds); i++) {
        struct log_limit_kind *kind = &limit->kinds[i];

        if (!is_over(kind, now_ms)) {
            continue;
        }
        if (!kind->is_used || kind->left_out == 0) {
            return kind;
        }
        if (best == NULL) {
            best = kind;
        }
    }
    return best;
}

/* A line of this kind is told or left out. */
static bool take(struct log_limit_kind *kind, uint64_t now_ms,
                 uint64_t *left_out)
{
    if (!is_over(kind, now_ms)) {
        kind->left_out++;
        return false;
    }
    *left_out = kind->left_out;
    kind->is_used = true;
    kind->told_at = now_ms;
    kind->left_out = 0;
    return true;
}

bool log_limit_take(struct log_limit *limit, const char *kind, uint64_t now_ms,
                    uint64_t *left_out)
{
    char name[LOG_LIMIT_KIND_SIZE];
    struct log_limit_kind *found;

    assert(limit != NULL && kind != NULL && left_out != NULL);

    *left_out = 0;
    /* Two that differ only behind the cut are one kind. */
    (void)snprintf(name, sizeof(name), "%s", kind);
    found = find(limit, name);
    if (found != NULL) {
        return take(found, now_ms, left_out);
    }
    found = choose(limit, now_ms);
    if (found == NULL) {
        return take(&limit->rest, now_ms, left_out);
    }
    memset(found, 0, sizeof(*found));
    memcpy(found->name, name, sizeof(found->name));
    return take(found, now_ms, left_out);
}
