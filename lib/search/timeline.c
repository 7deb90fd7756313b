/* SPDX-License-Identifier: Apache-2.0 */
/* timeline, list_sources and get_item: the reads that need no terms. */
#include <string.h>

#include "base/time.h"
#include "search/item_json.h"
#include "search/reads.h"
#include "search/view.h"

static int done(const struct jz__buf *out, struct jz__reads *reads)
{
    return out->error != 0 ? jz__fail_memory(reads->error) : JZ_OK;
}

int jz__reads_timeline(struct jz__buf *out, struct jz__reads *reads,
                       const struct jz__reads_arguments *arguments)
{
    JZ_CLEANUP(jz__view_end) struct jz__view view = { .reads = NULL };
    JZ_CLEANUP(jz__mem_freep) struct jz__index_hit *hits = NULL;
    size_t limit =
        jz__view_limit(arguments->limit, reads->options->timeline_limit,
                       reads->options->timeline_limit_max);
    size_t count;
    size_t i;
    int r = jz__view_begin(&view, reads);

    if (r == 0) {
        r = jz__view_ask(&view, arguments);
    }
    if (r < 0) {
        return r;
    }
    hits = calloc(limit, sizeof(*hits));
    if (hits == NULL) {
        return jz__fail_memory(reads->error);
    }
    count = jz__view_newest(hits, limit, &view, 0);
    jz__buf_puts(out, "{\"count\":");
    jz__json_put_int(out, (int64_t)count);
    jz__json_put_key(out, "items");
    jz__buf_putc(out, '[');
    for (i = 0; i < count; i++) {
        r = jz__view_put_short(out, &view, hits[i].id, NULL,
                               JZ__ITEM_JSON_NO_SCORE);
        if (r < 0) {
            return r;
        }
    }
    jz__buf_puts(out, "]}");
    return done(out, reads);
}

int jz__reads_get_item(struct jz__buf *out, struct jz__reads *reads,
                       const struct jz__reads_arguments *arguments)
{
    JZ_CLEANUP(jz__view_end) struct jz__view view = { .reads = NULL };
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    int r = jz__view_begin(&view, reads);

    if (r < 0) {
        return r;
    }
    if (jz__view_find(&view, arguments->item_id) == NULL) {
        jz__buf_puts(out, "{\"found\":false}");
        return done(out, reads);
    }
    r = jz__item_get(&item, reads->store, arguments->item_id);
    if (r <= 0) {
        return r < 0 ? r : jz__store_fail(reads->store, SQLITE_CORRUPT);
    }
    if (arguments->include_original) {
        r = jz__item_load_original(&item, reads->store);
        if (r < 0) {
            return r;
        }
    }
    jz__buf_puts(out, "{\"found\":true,\"item\":");
    jz__item_json_put_full(out, &item, arguments->include_original);
    jz__buf_putc(out, '}');
    return done(out, reads);
}

/* One pass over the docs: the latest item of each source in scope. */
static int64_t *latest_by_source(const struct jz__view *view)
{
    size_t count = view->docs->sources.count;
    int64_t *latest = malloc((count + 1) * sizeof(*latest));
    size_t i;

    if (latest == NULL) {
        return NULL;
    }
    for (i = 0; i < count; i++) {
        latest[i] = INT64_MIN;
    }
    for (i = 0; i < view->docs->count; i++) {
        const struct jz__doc *doc = &view->docs->docs[i];

        if (doc->occurred_at > latest[doc->source]) {
            latest[doc->source] = doc->occurred_at;
        }
    }
    return latest;
}

static void put_source(struct jz__buf *out, const char *name, int64_t items,
                       int64_t latest)
{
    char time[JZ__TIME_SIZE];

    jz__time_format(time, latest);
    jz__json_put_key(out, name);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "items");
    jz__json_put_int(out, items);
    jz__json_put_key(out, "latest");
    jz__json_put_str(out, time);
    jz__buf_putc(out, '}');
}

/* The numbers of the sources in order of their names. */
static int compare_names(const void *a, const void *b, void *names)
{
    const struct jz__names *n = names;

    return strcmp(n->names[*(const size_t *)a], n->names[*(const size_t *)b]);
}

int jz__reads_list_sources(struct jz__buf *out, struct jz__reads *reads,
                           const struct jz__reads_arguments *arguments)
{
    JZ_CLEANUP(jz__view_end) struct jz__view view = { .reads = NULL };
    JZ_CLEANUP(jz__mem_freep) int64_t *latest = NULL;
    JZ_CLEANUP(jz__mem_freep) size_t *order = NULL;
    size_t count;
    size_t i;
    int r = jz__view_begin(&view, reads);

    (void)arguments;
    if (r < 0) {
        return r;
    }
    count = view.docs->sources.count;
    latest = latest_by_source(&view);
    order = malloc((count + 1) * sizeof(*order));
    if (latest == NULL || order == NULL) {
        return jz__fail_memory(reads->error);
    }
    for (i = 0; i < count; i++) {
        order[i] = i;
    }
    qsort_r(order, count, sizeof(*order), compare_names, &view.docs->sources);
    jz__buf_puts(out, "{\"sources\":{");
    for (i = 0; i < count; i++) {
        size_t source = order[i];

        if ((view.scope == NULL || view.scope[source]) &&
            view.docs->totals[source].items > 0) {
            put_source(out, view.docs->sources.names[source],
                       view.docs->totals[source].items, latest[source]);
        }
    }
    jz__buf_puts(out, "}}");
    return done(out, reads);
}
