/* SPDX-License-Identifier: Apache-2.0 */
/*
 * later: what newer work changed this? A search for the query (or the item's
 * title) among the items of its project that happened at or after it, without
 * the boost for recency; when that leaves nothing, the project's timeline from
 * there on.
 */
#include <string.h>

#include "base/time.h"
#include "search/item_json.h"
#include "search/rank.h"
#include "search/reads.h"
#include "search/view.h"

/* Hits of the search: the candidates and the item itself. */
#define HITS_MOST (JZ__RANK_LATER_CANDIDATES + 1)

/* Restrict the view to the item's project, or to its source where it has none:
 * without that limit the search would cover the whole library. */
static int restrict_view(struct jz__view *view, const struct jz__doc *doc)
{
    view->filter.since = doc->occurred_at;
    if (doc->project != JZ__NAMES_NONE) {
        view->filter.has_project = true;
        view->filter.project = doc->project;
        return JZ_OK;
    }
    view->source = calloc(view->docs->sources.count + 1, sizeof(*view->source));
    if (view->source == NULL) {
        return jz__fail_memory(view->reads->error);
    }
    view->source[doc->source] = true;
    view->filter.source = view->source;
    return JZ_OK;
}

/* Matches on the subject; *count 0 when nothing is left. hits has room for
 * HITS_MOST. */
static int find_subject(struct jz__index_hit *hits, size_t *count,
                        struct jz__view *view, const struct jz__terms *terms,
                        int64_t item_id, size_t limit)
{
    const struct jz__index_query wanted = { terms->terms, terms->count,
                                            &view->filter, HITS_MOST };
    struct jz__store *store = view->reads->store;
    int rc;

    *count = 0;
    if (terms->count == 0) {
        return JZ_OK;
    }
    rc = jz__index_search(hits, count, &store->index, &wanted);
    if (rc != SQLITE_OK) {
        return jz__store_fail(store, rc);
    }
    *count = jz__rank_later(hits, *count, item_id, limit);
    return JZ_OK;
}

/* What was found, newest first. */
struct found {
    const char *matched_by;
    const struct jz__terms *terms;
    struct jz__index_hit *hits;
    size_t count;
};

static int put_result(struct jz__buf *out, struct jz__view *view,
                      const struct jz__item *item, const struct found *found)
{
    char time[JZ__TIME_SIZE];
    size_t i;

    jz__time_format(time, item->occurred_at);
    jz__buf_puts(out, "{\"found\":true,\"item\":{\"id\":");
    jz__json_put_int(out, item->id);
    jz__json_put_key(out, "occurred_at");
    jz__json_put_str(out, time);
    jz__buf_putc(out, '}');
    jz__json_put_key(out, "matched_by");
    jz__json_put_str(out, found->matched_by);
    jz__json_put_key(out, "count");
    jz__json_put_int(out, (int64_t)found->count);
    jz__json_put_key(out, "later");
    jz__buf_putc(out, '[');
    for (i = 0; i < found->count; i++) {
        int r = jz__view_put_short(out, view, found->hits[i].id, found->terms,
                                   JZ__ITEM_JSON_NO_SCORE);

        if (r < 0) {
            return r;
        }
    }
    jz__buf_puts(out, "]}");
    return out->error != 0 ? jz__fail_memory(view->reads->error) : JZ_OK;
}

static int answer(struct jz__buf *out, struct jz__view *view,
                  const struct jz__item *item, const char *query, size_t limit)
{
    JZ_CLEANUP(jz__terms_finish) struct jz__terms terms = { .count = 0 };
    JZ_CLEANUP(jz__mem_freep) struct jz__index_hit *hits = NULL;
    struct found found = { "subject", &terms, NULL, 0 };
    int r;

    hits = calloc(limit > HITS_MOST ? limit : HITS_MOST, sizeof(*hits));
    if (hits == NULL ||
        jz__terms_parse(&terms, query != NULL ? query : item->title) < 0) {
        return jz__fail_memory(view->reads->error);
    }
    found.hits = hits;
    r = find_subject(hits, &found.count, view, &terms, item->id, limit);
    if (r < 0) {
        return r;
    }
    if (found.count == 0) {
        found.matched_by = "project_timeline";
        found.count = jz__view_newest(hits, limit, view, item->id);
    }
    return put_result(out, view, item, &found);
}

int jz__reads_later(struct jz__buf *out, struct jz__reads *reads,
                    const struct jz__reads_arguments *arguments)
{
    JZ_CLEANUP(jz__view_end) struct jz__view view = { .reads = NULL };
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    const struct jz__doc *doc;
    int r = jz__view_begin(&view, reads);

    if (r < 0) {
        return r;
    }
    doc = jz__view_find(&view, arguments->item_id);
    if (doc == NULL) {
        jz__buf_puts(out, "{\"found\":false}");
        return out->error != 0 ? jz__fail_memory(reads->error) : JZ_OK;
    }
    r = restrict_view(&view, doc);
    if (r < 0) {
        return r;
    }
    r = jz__item_get(&item, reads->store, doc->id);
    if (r <= 0) {
        return r < 0 ? r : jz__store_fail(reads->store, SQLITE_CORRUPT);
    }
    return answer(out, &view, &item, arguments->query,
                  jz__view_limit(arguments->limit, reads->options->later_limit,
                                 reads->options->later_limit_max));
}
