/* SPDX-License-Identifier: Apache-2.0 */
/* The table of documents, its names, totals, masks and filters; the pool. */
#include "index/docs.h"

#include "index/pool.h"
#include "tap.h"

static void put(struct jz__docs *docs, int64_t id, int64_t at,
                const char *source, const char *project, int32_t length)
{
    struct jz__doc_entry entry = { id, at, source, project, length };

    CHECK_INT(jz__docs_put(docs, &entry), 0);
}

static void docs_are_kept_in_order_of_id_whatever_order_they_come_in(void)
{
    JZ_CLEANUP(jz__docs_finish) struct jz__docs docs = { .docs = NULL };
    int64_t i;

    for (i = 0; i < 1000; i++) {
        put(&docs, (i * 617) % 1000 + 1, i, "a", NULL, 1);
    }
    CHECK_INT(docs.count, 1000);
    for (i = 0; i < 1000; i++) {
        CHECK_INT(docs.docs[i].id, i + 1);
    }
}

static void the_nearest_doc_is_that_of_the_id_or_the_one_before(void)
{
    JZ_CLEANUP(jz__docs_finish) struct jz__docs docs = { .docs = NULL };
    int64_t id;
    int count;

    CHECK(jz__docs_near(&docs, 5) == NULL);
    for (count = 1; count <= 40; count++) {
        put(&docs, 3 * count, 0, "a", NULL, 1);
        for (id = 1; id < 3 * count + 5; id++) {
            int64_t want = id < 3 ? 3 : id / 3 * 3;

            CHECK_INT(jz__docs_near(&docs, id)->id,
                      want < 3 * count ? want : 3 * count);
        }
        CHECK_INT(jz__docs_near(&docs, INT64_MAX)->id, 3 * count);
    }
}

static void the_latest_of_a_source_follows_every_change(void)
{
    JZ_CLEANUP(jz__docs_finish) struct jz__docs docs = { .docs = NULL };

    put(&docs, 1, 10, "b", NULL, 1);
    put(&docs, 2, 30, "b", NULL, 1);
    put(&docs, 3, -5, "a", NULL, 1);
    CHECK_INT(jz__docs_latest(&docs)[0], 30);
    CHECK_INT(jz__docs_latest(&docs)[1], -5);
    jz__docs_remove(&docs, 2);
    CHECK_INT(jz__docs_latest(&docs)[0], 10);
    put(&docs, 1, 4, "b", NULL, 1);
    CHECK_INT(jz__docs_latest(&docs)[0], 4);
    put(&docs, 1, 4, "a", NULL, 1);
    CHECK_INT(jz__docs_latest(&docs)[0], INT64_MIN);
    CHECK_INT(jz__docs_latest(&docs)[1], 4);
}

static void sources_stand_in_order_of_their_names(void)
{
    JZ_CLEANUP(jz__docs_finish) struct jz__docs docs = { .docs = NULL };
    char name[32];
    int i;

    for (i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "s%03d", (i * 77) % 200);
        put(&docs, i + 1, 0, name, NULL, 1);
    }
    for (i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "s%03d", i);
        CHECK_STR(docs.sources.names[docs.order[i]], name);
    }
}

static void totals_follow_every_change(void)
{
    JZ_CLEANUP(jz__docs_finish) struct jz__docs docs = { .docs = NULL };
    const bool only_b[] = { false, true };

    put(&docs, 1, 0, "a", NULL, 10);
    put(&docs, 2, 0, "b", NULL, 20);
    put(&docs, 3, 0, "b", NULL, 30);
    CHECK_INT(jz__docs_totals(&docs, NULL).items, 3);
    CHECK_INT(jz__docs_totals(&docs, NULL).length, 60);
    CHECK_INT(jz__docs_totals(&docs, only_b).length, 50);
    put(&docs, 3, 0, "a", NULL, 5);
    CHECK_INT(jz__docs_totals(&docs, only_b).items, 1);
    CHECK_INT(jz__docs_totals(&docs, only_b).length, 20);
    CHECK_INT(jz__docs_totals(&docs, NULL).length, 35);
    jz__docs_remove(&docs, 2);
    jz__docs_remove(&docs, 2);
    jz__docs_remove(&docs, 99);
    CHECK_INT(jz__docs_totals(&docs, only_b).items, 0);
    CHECK_INT(docs.count, 2);
}

static void names_are_found_again_after_the_table_has_grown(void)
{
    JZ_CLEANUP(jz__names_finish) struct jz__names names = JZ__NAMES_INIT;
    char name[32];
    int i;

    CHECK_INT(jz__names_find(&names, "x"), JZ__NAMES_NONE);
    for (i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "name-%d", i);
        CHECK_INT(jz__names_add(&names, name), i);
    }
    for (i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "name-%d", i);
        CHECK_INT(jz__names_find(&names, name), i);
        CHECK_INT(jz__names_add(&names, name), i);
    }
    CHECK_INT(jz__names_find(&names, "name-5000"), JZ__NAMES_NONE);
}

static void masks_follow_the_globs(void)
{
    JZ_CLEANUP(jz__docs_finish) struct jz__docs docs = { .docs = NULL };
    static const char *const globs[] = { "agent-*", "notes" };
    bool *mask = NULL;

    put(&docs, 1, 0, "agent-codex-a", NULL, 1);
    put(&docs, 2, 0, "mail", NULL, 1);
    put(&docs, 3, 0, "notes", NULL, 1);
    put(&docs, 4, 0, "Notes", NULL, 1);
    CHECK_INT(jz__docs_mask(&mask, &docs, globs, 2), 0);
    CHECK(mask[0] && !mask[1] && mask[2] && !mask[3]);
    free(mask);
    CHECK_INT(jz__docs_mask(&mask, &docs, NULL, 0), 0);
    CHECK(!mask[0] && !mask[1] && !mask[2]);
    free(mask);
}

static void filters_are_inclusive_at_both_ends(void)
{
    const struct jz__doc doc = { 1, 100, 0, 3, 10 };
    struct jz__doc_filter filter = JZ__DOC_FILTER_INIT;

    CHECK(jz__docs_matches(&doc, &filter));
    filter.since = 100;
    filter.until = 100;
    CHECK(jz__docs_matches(&doc, &filter));
    filter.since = 101;
    CHECK(!jz__docs_matches(&doc, &filter));
    filter.since = 0;
    filter.until = 99;
    CHECK(!jz__docs_matches(&doc, &filter));
}

static void a_project_that_nobody_has_matches_nothing(void)
{
    const struct jz__doc with = { 1, 0, 0, 3, 10 };
    const struct jz__doc without = { 2, 0, 0, JZ__NAMES_NONE, 10 };
    struct jz__doc_filter filter = JZ__DOC_FILTER_INIT;

    filter.has_project = true;
    filter.project = 3;
    CHECK(jz__docs_matches(&with, &filter));
    CHECK(!jz__docs_matches(&without, &filter));
    filter.project = JZ__NAMES_NONE;
    CHECK(!jz__docs_matches(&with, &filter));
    CHECK(!jz__docs_matches(&without, &filter));
}

static void the_pool_holds_the_best_in_any_order_of_arrival(void)
{
    struct jz__index_hit hits[10];
    struct jz__pool pool = { hits, 0, 10 };
    int i;

    for (i = 0; i < 1000; i++) {
        int n = (i * 389) % 1000;
        struct jz__index_hit hit = { n + 1, n / 2, (double)(n / 4) };

        jz__pool_offer(&pool, &hit);
    }
    jz__pool_sort(&pool);
    CHECK_INT(pool.count, 10);
    for (i = 0; i < 10; i++) {
        CHECK_INT(hits[i].id, 1000 - i);
    }
}

static void ties_go_to_the_newer_then_to_the_higher_id(void)
{
    const struct jz__index_hit a = { 1, 10, 0.5 };
    const struct jz__index_hit b = { 2, 10, 0.5 };
    const struct jz__index_hit c = { 3, 9, 0.5 };
    const struct jz__index_hit d = { 4, 99, 0.4 };

    CHECK(jz__pool_is_before(&b, &a));
    CHECK(jz__pool_is_before(&a, &c));
    CHECK(jz__pool_is_before(&c, &d));
    CHECK(!jz__pool_is_before(&d, &c));
}

int main(void)
{
    TAP_RUN(docs_are_kept_in_order_of_id_whatever_order_they_come_in);
    TAP_RUN(the_nearest_doc_is_that_of_the_id_or_the_one_before);
    TAP_RUN(the_latest_of_a_source_follows_every_change);
    TAP_RUN(sources_stand_in_order_of_their_names);
    TAP_RUN(totals_follow_every_change);
    TAP_RUN(names_are_found_again_after_the_table_has_grown);
    TAP_RUN(masks_follow_the_globs);
    TAP_RUN(filters_are_inclusive_at_both_ends);
    TAP_RUN(a_project_that_nobody_has_matches_nothing);
    TAP_RUN(the_pool_holds_the_best_in_any_order_of_arrival);
    TAP_RUN(ties_go_to_the_newer_then_to_the_higher_id);
    return tap_done();
}
