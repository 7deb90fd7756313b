/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all reads share. A scope is turned into a mask over the sources once;
 * from then on what lies outside does not exist, because every look at a doc
 * goes through the filter or through jz__view_find().
 */
#include "search/view.h"

#include <assert.h>
#include <string.h>

#include "base/fold.h"
#include "index/pool.h"
#include "search/item_json.h"

/* Seconds after which a read is stopped. */
#define READ_SECONDS 10

int jz__view_begin(struct jz__view *out, struct jz__reads *reads)
{
    const struct jz__doc_filter everything = JZ__DOC_FILTER_INIT;
    int r = jz__store_read_begin(reads->store, READ_SECONDS);

    memset(out, 0, sizeof(*out));
    out->reads = reads;
    out->docs = &reads->store->index.docs;
    out->filter = everything;
    if (r < 0 || reads->scope == NULL) {
        return r;
    }
    r = jz__docs_mask(&out->scope, out->docs, reads->scope, reads->scope_count);
    if (r < 0) {
        jz__view_end(out);
        return jz__fail_memory(reads->error);
    }
    out->filter.scope = out->scope;
    return r;
}

void jz__view_end(struct jz__view *view)
{
    if (view->reads != NULL) {
        jz__store_read_end(view->reads->store);
    }
    free(view->scope);
    free(view->source);
    memset(view, 0, sizeof(*view));
}

int jz__view_ask_project(struct jz__view *view, const char *project)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf key = JZ__BUF_INIT;

    jz__fold_case(&key, project, strlen(project));
    if (key.error != 0) {
        return jz__fail_memory(view->reads->error);
    }
    view->filter.has_project = true;
    view->filter.project =
        jz__names_find(&view->docs->projects, key.data != NULL ? key.data : "");
    return JZ_OK;
}

int jz__view_ask(struct jz__view *view,
                 const struct jz__reads_arguments *arguments)
{
    if (arguments->has_since) {
        view->filter.since = arguments->since;
    }
    if (arguments->has_until) {
        view->filter.until = arguments->until;
    }
    if (arguments->source != NULL) {
        if (jz__docs_mask(&view->source, view->docs, &arguments->source, 1) <
            0) {
            return jz__fail_memory(view->reads->error);
        }
        view->filter.source = view->source;
    }
    return arguments->project != NULL
               ? jz__view_ask_project(view, arguments->project)
               : JZ_OK;
}

const struct jz__doc *jz__view_find(const struct jz__view *view, int64_t id)
{
    const struct jz__doc *doc = jz__docs_near(view->docs, id);
    bool is_found;

    if (doc == NULL) {
        return NULL;
    }
    /* Both are looked at, so that an id out of scope takes the time of one that
     * is not there. */
    is_found = doc->id == id;
    is_found &= view->scope == NULL || view->scope[doc->source];
    return is_found ? doc : NULL;
}

int jz__view_put_short(struct jz__buf *out, struct jz__view *view, int64_t id,
                       const struct jz__terms *terms, int64_t score)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    struct jz__store *store = view->reads->store;
    int r = jz__item_get(&item, store, id);

    if (r < 0) {
        return r;
    }
    if (r == 0) {
        return jz__store_fail(store, SQLITE_CORRUPT);
    }
    jz__json_put_comma(out);
    jz__item_json_put_short(out, &item, terms, score);
    return JZ_OK;
}

size_t jz__view_limit(int64_t limit, int64_t fallback, int64_t most)
{
    int64_t wanted = limit > 0 ? limit : fallback;

    assert(fallback > 0 && most > 0);

    return (size_t)(wanted < most ? wanted : most);
}

size_t jz__view_newest(struct jz__index_hit *hits, size_t most,
                       const struct jz__view *view, int64_t but)
{
    struct jz__pool pool = { hits, 0, most };
    size_t i;

    for (i = 0; i < view->docs->count; i++) {
        const struct jz__doc *doc = &view->docs->docs[i];

        if (doc->id != but && jz__docs_matches(doc, &view->filter)) {
            struct jz__index_hit hit = { doc->id, doc->occurred_at, 0.0 };

            jz__pool_offer(&pool, &hit);
        }
    }
    jz__pool_sort(&pool);
    return pool.count;
}
