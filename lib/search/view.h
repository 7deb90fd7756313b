/* SPDX-License-Identifier: Apache-2.0 */
/* A read in progress: the snapshot, the caller's scope and the filter. */
#ifndef JZ_SEARCH_VIEW_H
#define JZ_SEARCH_VIEW_H

#include "search/reads.h"
#include "search/terms.h"

struct jz__view {
    struct jz__reads *reads;
    struct jz__docs *docs;
    bool *scope;  /* mask, NULL: everything */
    bool *source; /* mask, NULL: not asked for */
    struct jz__doc_filter filter;
};

/* Begin a read and make the masks; end it in every case that returned 0. The
 * filter holds the scope alone. */
int jz__view_begin(struct jz__view *out, struct jz__reads *reads);
void jz__view_end(struct jz__view *view);

/* Add what the caller asked for to the filter. Texts may be NULL. */
int jz__view_ask(struct jz__view *view,
                 const struct jz__reads_arguments *arguments);

/* Restrict the filter to one project, by its name. */
int jz__view_ask_project(struct jz__view *view, const char *project);

/* The doc of an id in scope, or NULL. */
const struct jz__doc *jz__view_find(const struct jz__view *view, int64_t id);

/* Append the item of a list; the item must be there. */
int jz__view_put_short(struct jz__buf *out, struct jz__view *view, int64_t id,
                       const struct jz__terms *terms, int64_t score);

/* min(limit or fallback, most). */
size_t jz__view_limit(int64_t limit, int64_t fallback, int64_t most);

/*
 * The newest `most` docs of the filter except `but`, newest first, into hits
 * (which has room for them); relevance is 0.
 */
size_t jz__view_newest(struct jz__index_hit *hits, size_t most,
                       const struct jz__view *view, int64_t but);

#endif
