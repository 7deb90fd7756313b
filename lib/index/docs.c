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

static void count_doc(struct jz__docs *docs, const struct jz__doc *doc,
                      int sign)
{
    docs->totals[doc->source].items += sign;
    docs->totals[doc->source].length += sign * (int64_t)doc->length;
}

static int intern(struct jz__doc *out, struct jz__docs *docs,
                  const struct jz__doc_entry *entry)
{
    size_t known = docs->sources.count;

    out->source = jz__names_add(&docs->sources, entry->source);
    out->project = entry->project != NULL
                       ? jz__names_add(&docs->projects, entry->project)
                       : JZ__NAMES_NONE;
    if (out->source < 0 || (entry->project != NULL && out->project < 0) ||
        jz__mem_grow(&docs->totals, &docs->totals_capacity, docs->sources.count,
                     sizeof(*docs->totals)) < 0) {
        return JZ_ENOMEM;
    }
    if (docs->sources.count > known) {
        memset(&docs->totals[known], 0, sizeof(*docs->totals));
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

const struct jz__doc *jz__docs_find(const struct jz__docs *docs, int64_t id)
{
    size_t at = lower_bound(docs, id);

    return at < docs->count && docs->docs[at].id == id ? &docs->docs[at] : NULL;
}

void jz__docs_finish(struct jz__docs *docs)
{
    free(docs->docs);
    free(docs->totals);
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
