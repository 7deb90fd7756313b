/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of documents. Ids grow, so a new item is nearly always appended; a
 * change of an old one is found by bisection. The totals by source make N and
 * the average length of any scope a sum over a handful of sources.
 */
#include "index/docs.h"

#include <assert.h>
#include <string.h>

#include "base/glob.h"
#include "jezero.h"

/* Index of the first doc with an id >= id. */
static size_t lower_bound(const struct jz__docs *docs, int64_t id)
{
    size_t low = 0;
    size_t high = docs->count;

    if (high > 0 && docs->docs[high - 1].id < id) {
        return high;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (docs->docs[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A doc comes (1) or goes (-1). What is left of a source when its latest goes is
 * looked for when somebody asks. */
static void count_doc(struct jz__docs *docs, const struct jz__doc *doc,
                      int sign)
{
    int64_t *latest = &docs->latest[doc->source];

    docs->totals[doc->source].items += sign;
    docs->totals[doc->source].length += sign * (int64_t)doc->length;
    if (sign < 0) {
        docs->latest_is_stale |= doc->occurred_at == *latest;
    } else if (doc->occurred_at > *latest) {
        *latest = doc->occurred_at;
    }
}

/* Room for one more source, before its name is taken: a name without its
 * totals must not be. */
static int reserve_source(struct jz__docs *docs)
{
    size_t need = docs->sources.count + 1;

    if (jz__mem_grow(&docs->totals, &docs->totals_capacity, need,
                     sizeof(*docs->totals)) < 0 ||
        jz__mem_grow(&docs->latest, &docs->latest_capacity, need,
                     sizeof(*docs->latest)) < 0 ||
        jz__mem_grow(&docs->order, &docs->order_capacity, need,
                     sizeof(*docs->order)) < 0) {
        return JZ_ENOMEM;
    }
    return JZ_OK;
}

/* The newest source, with its place among the names. */
static void start_source(struct jz__docs *docs, int32_t source)
{
    char *const *names = docs->sources.names;
    size_t at = (size_t)source;

    memset(&docs->totals[source], 0, sizeof(*docs->totals));
    docs->latest[source] = INT64_MIN;
    while (at > 0 && strcmp(names[docs->order[at - 1]], names[source]) > 0) {
        docs->order[at] = docs->order[at - 1];
        at--;
    }
    docs->order[at] = source;
}

static int intern(struct jz__doc *out, struct jz__docs *docs,
                  const struct jz__doc_entry *entry)
{
    size_t known = docs->sources.count;

    if (reserve_source(docs) < 0) {
        return JZ_ENOMEM;
    }
    out->source = jz__names_add(&docs->sources, entry->source);
    if (docs->sources.count > known) {
        start_source(docs, out->source);
    }
    out->project = entry->project != NULL
                       ? jz__names_add(&docs->projects, entry->project)
                       : JZ__NAMES_NONE;
    if (out->source < 0 || (entry->project != NULL && out->project < 0)) {
        return JZ_ENOMEM;
    }
    out->id = entry->id;
    out->occurred_at = entry->occurred_at;
    out->length = entry->length;
    return JZ_OK;
}

int jz__docs_put(struct jz__docs *docs, const struct jz__doc_entry *entry)
{
    size_t at = lower_bound(docs, entry->id);
    struct jz__doc doc;

    assert(entry->id > 0 && entry->length >= 0);

    if (intern(&doc, docs, entry) < 0 ||
        jz__mem_grow(&docs->docs, &docs->capacity, docs->count + 1,
                     sizeof(*docs->docs)) < 0) {
        return JZ_ENOMEM;
    }
    if (at < docs->count && docs->docs[at].id == entry->id) {
        count_doc(docs, &docs->docs[at], -1);
    } else {
        memmove(&docs->docs[at + 1], &docs->docs[at],
                (docs->count - at) * sizeof(*docs->docs));
        docs->count++;
    }
    docs->docs[at] = doc;
    count_doc(docs, &doc, 1);
    return JZ_OK;
}

void jz__docs_remove(struct jz__docs *docs, int64_t id)
{
    size_t at = lower_bound(docs, id);

    if (at == docs->count || docs->docs[at].id != id) {
        return;
    }
    count_doc(docs, &docs->docs[at], -1);
    docs->count--;
    memmove(&docs->docs[at], &docs->docs[at + 1],
            (docs->count - at) * sizeof(*docs->docs));
}

const struct jz__doc *jz__docs_near(const struct jz__docs *docs, int64_t id)
{
    const struct jz__doc *at = docs->docs;
    size_t rest = docs->count;

    if (rest == 0) {
        return NULL;
    }
    /* The number of halvings is that of the docs, wherever the id lies. */
    while (rest > 1) {
        size_t half = rest / 2;

        at += at[half].id <= id ? half : 0;
        rest -= half;
    }
    return at;
}

const int64_t *jz__docs_latest(struct jz__docs *docs)
{
    size_t i;

    for (i = 0; docs->latest_is_stale && i < docs->sources.count; i++) {
        docs->latest[i] = INT64_MIN;
    }
    for (i = 0; docs->latest_is_stale && i < docs->count; i++) {
        const struct jz__doc *doc = &docs->docs[i];

        if (doc->occurred_at > docs->latest[doc->source]) {
            docs->latest[doc->source] = doc->occurred_at;
        }
    }
    docs->latest_is_stale = false;
    return docs->latest;
}

void jz__docs_finish(struct jz__docs *docs)
{
    free(docs->docs);
    free(docs->totals);
    free(docs->latest);
    free(docs->order);
    jz__names_finish(&docs->sources);
    jz__names_finish(&docs->projects);
    memset(docs, 0, sizeof(*docs));
}

bool jz__docs_matches(const struct jz__doc *doc,
                      const struct jz__doc_filter *filter)
{
    return (filter->scope == NULL || filter->scope[doc->source]) &&
           (filter->source == NULL || filter->source[doc->source]) &&
           (!filter->has_project || (filter->project != JZ__NAMES_NONE &&
                                     doc->project == filter->project)) &&
           doc->occurred_at >= filter->since &&
           doc->occurred_at <= filter->until;
}

int jz__docs_mask(bool **out, const struct jz__docs *docs,
                  const char *const *globs, size_t count)
{
    bool *mask = calloc(docs->sources.count + 1, sizeof(*mask));
    size_t i;
    size_t g;

    *out = mask;
    if (mask == NULL) {
        return JZ_ENOMEM;
    }
    for (i = 0; i < docs->sources.count; i++) {
        for (g = 0; g < count && !mask[i]; g++) {
            mask[i] = jz__glob_match(globs[g], docs->sources.names[i]);
        }
    }
    return JZ_OK;
}

struct jz__doc_totals jz__docs_totals(const struct jz__docs *docs,
                                      const bool *scope)
{
    struct jz__doc_totals sum = { 0, 0 };
    size_t i;

    for (i = 0; i < docs->sources.count; i++) {
        if (scope == NULL || scope[i]) {
            sum.items += docs->totals[i].items;
            sum.length += docs->totals[i].length;
        }
    }
    return sum;
}
