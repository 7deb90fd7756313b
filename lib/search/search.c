/* SPDX-License-Identifier: Apache-2.0 */
/* search: the best matches by relevance, re-ranked by relevance and recency. */
#include <string.h>

#include "search/item_json.h"
#include "search/rank.h"
#include "search/reads.h"
#include "search/view.h"

static int put_results(struct jz__buf *out, struct jz__view *view,
                       const struct jz__terms *terms,
                       const struct jz__rank_hit *hits, size_t count)
{
    size_t i;

    jz__buf_putc(out, '{');
    jz__json_put_key(out, "count");
    jz__json_put_int(out, (int64_t)count);
    jz__json_put_key(out, "results");
    jz__buf_putc(out, '[');
    for (i = 0; i < count; i++) {
        int r = jz__view_put_short(out, view, hits[i].id, terms, hits[i].score);

        if (r < 0) {
            return r;
        }
    }
    jz__buf_puts(out, "]}");
    return out->error != 0 ? jz__fail_memory(view->reads->error) : JZ_OK;
}

/* The pool, with its scores, best score first. *out is malloc'ed. */
static int rank(struct jz__rank_hit **out, size_t *count, struct jz__view *view,
                const struct jz__terms *terms)
{
    const struct jz__reads_options *options = view->reads->options;
    size_t most = (size_t)options->candidate_pool;
    JZ_CLEANUP(jz__mem_freep)
    struct jz__index_hit *pool = calloc(most, sizeof(*pool));
    const struct jz__index_query query = { terms->terms, terms->count,
                                           &view->filter, most };
    int64_t now = jz__store_now(view->reads->store);
    size_t i;
    int rc;

    *out = calloc(most, sizeof(**out));
    if (pool == NULL || *out == NULL) {
        return jz__fail_memory(view->reads->error);
    }
    rc = jz__index_search(pool, count, &view->reads->store->index, &query);
    if (rc != SQLITE_OK) {
        return jz__store_fail(view->reads->store, rc);
    }
    for (i = 0; i < *count; i++) {
        struct jz__rank_hit *hit = &(*out)[i];

        hit->id = pool[i].id;
        hit->occurred_at = pool[i].occurred_at;
        hit->relevance = pool[i].relevance;
        hit->score = jz__rank_score(pool[i].relevance, pool[i].occurred_at, now,
                                    options->recency_weight,
                                    options->recency_half_life_days);
    }
    jz__rank_sort(*out, *count);
    return JZ_OK;
}

int jz__reads_search(struct jz__buf *out, struct jz__reads *reads,
                     const struct jz__reads_arguments *arguments)
{
    JZ_CLEANUP(jz__terms_finish) struct jz__terms terms = { .count = 0 };
    JZ_CLEANUP(jz__view_end) struct jz__view view = { .reads = NULL };
    JZ_CLEANUP(jz__mem_freep) struct jz__rank_hit *hits = NULL;
    size_t limit = jz__view_limit(arguments->limit, reads->options->limit,
                                  reads->options->limit_max);
    size_t count = 0;
    int r;

    if (jz__terms_parse(&terms, arguments->query) < 0) {
        return jz__fail_memory(reads->error);
    }
    r = jz__view_begin(&view, reads);
    if (r == 0) {
        r = jz__view_ask(&view, arguments);
    }
    if (r == 0 && terms.count > 0) {
        r = rank(&hits, &count, &view, &terms);
    }
    if (r < 0) {
        return r;
    }
    return put_results(out, &view, &terms, hits, count < limit ? count : limit);
}
