/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a search must know of every item without reading it: 32 bytes each, in
 * memory, in order of id. From it come N, the total length and every filter.
 */
#ifndef JZ_INDEX_DOCS_H
#define JZ_INDEX_DOCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/names.h"

struct jz__doc {
    int64_t id;
    int64_t occurred_at; /* seconds since 1970 */
    int32_t source;      /* number in .sources */
    int32_t project;     /* number in .projects, or JZ__NAMES_NONE */
    int32_t length;      /* windows of 3 characters */
};

/* Of the items of one source: exact, kept with every change. */
struct jz__doc_totals {
    int64_t items;
    int64_t length;
};

struct jz__docs {
    struct jz__doc *docs; /* ascending id */
    size_t count;
    size_t capacity;
    struct jz__names sources;
    struct jz__names projects;     /* case-folded */
    struct jz__doc_totals *totals; /* by number of source */
    size_t totals_capacity;
    int64_t *latest; /* by number of source; see jz__docs_latest() */
    size_t latest_capacity;
    bool latest_is_stale;
    int32_t *order; /* the numbers of the sources in order of their names */
    size_t order_capacity;
};

/* A doc as its owner knows it. project: case-folded, or NULL. */
struct jz__doc_entry {
    int64_t id;
    int64_t occurred_at;
    const char *source;
    const char *project;
    int32_t length;
};

/* Add or replace. 0 or JZ_ENOMEM. */
int jz__docs_put(struct jz__docs *docs, const struct jz__doc_entry *entry);

/* Forget; an id that is not there is no error. */
void jz__docs_remove(struct jz__docs *docs, int64_t id);

/*
 * The last doc with an id up to this one, the first if all are higher, NULL if
 * there are no docs. Borrowed until the next change. It takes the same steps for
 * every id, so that time does not tell whether there is such a doc.
 */
const struct jz__doc *jz__docs_near(const struct jz__docs *docs, int64_t id);

/* When the latest item of each source happened, by number of source; INT64_MIN
 * for one without items. Borrowed until the next change. */
const int64_t *jz__docs_latest(struct jz__docs *docs);

void jz__docs_finish(struct jz__docs *docs);

/*
 * A restriction of what is returned. Masks are by number of source, NULL means
 * all; they are made by jz__docs_mask().
 */
struct jz__doc_filter {
    const bool *scope;  /* what exists for the caller */
    const bool *source; /* what the caller asked for */
    bool has_project;
    int32_t project; /* JZ__NAMES_NONE with has_project matches nothing */
    int64_t since;   /* INT64_MIN: no bound; both inclusive */
    int64_t until;   /* INT64_MAX: no bound */
};

#define JZ__DOC_FILTER_INIT                                                    \
    {                                                                          \
        NULL, NULL, false, 0, INT64_MIN, INT64_MAX                             \
    }

bool jz__docs_matches(const struct jz__doc *doc,
                      const struct jz__doc_filter *filter);

/* Which sources does one of the globs match? *out is malloc'ed, never NULL on
 * success, even when there are no sources. 0 or JZ_ENOMEM. */
int jz__docs_mask(bool **out, const struct jz__docs *docs,
                  const char *const *globs, size_t count);

/* Sum of the totals of the sources in scope. */
struct jz__doc_totals jz__docs_totals(const struct jz__docs *docs,
                                      const bool *scope);

#endif
