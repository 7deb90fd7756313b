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

int jz__reads_list_sources(struct jz__buf *out, struct jz__reads *reads,
                           const struct jz__reads_arguments *arguments)
{
    JZ_CLEANUP(jz__view_end) struct jz__view view = { .reads = NULL };
    const int64_t *latest;
    size_t i;
    int r = jz__view_begin(&view, reads);

    (void)arguments;
    if (r < 0) {
        return r;
    }
    latest = jz__docs_latest(view.docs);
    jz__buf_puts(out, "{\"sources\":{");
    for (i = 0; i < view.docs->sources.count; i++) {
        int32_t source = view.docs->order[i];

        if ((view.scope == NULL || view.scope[source]) &&
            view.docs->totals[source].items > 0) {
            put_source(out, view.docs->sources.names[source],
                       view.docs->totals[source].items, latest[source]);
        }
    }
    jz__buf_puts(out, "}}");
    return done(out, reads);
}
