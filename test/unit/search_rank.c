/* SPDX-License-Identifier: Apache-2.0 */
/* Score, order, and the choice that `later` makes, as tables. */
#include "search/rank.h"

#include "base/mem.h"
#include "tap.h"

#define DAY 86400

static void the_score_halves_its_recent_part_in_the_half_life(void)
{
    CHECK_INT(jz__rank_score(1.0, 0, 0, 0.3, 90.0), 10000);
    CHECK_INT(jz__rank_score(1.0, 0, 90 * DAY, 0.3, 90.0), 8500);
    CHECK_INT(jz__rank_score(0.5, 0, 180 * DAY, 0.3, 90.0), 3875);
    CHECK_INT(jz__rank_score(1.0, 0, 4000000LL * DAY, 0.3, 90.0), 7000);
}

static void a_future_date_has_age_0(void)
{
    CHECK_INT(jz__rank_score(0.5, 1000 * DAY, 0, 0.3, 90.0), 5000);
}

static void without_weight_recency_does_not_count(void)
{
    CHECK_INT(jz__rank_score(0.12344, 0, 900 * DAY, 0.0, 90.0), 1234);
    CHECK_INT(jz__rank_score(0.12346, 0, 900 * DAY, 0.0, 90.0), 1235);
}

static void equal_scores_stand_newer_first_then_by_higher_id(void)
{
    struct jz__rank_hit hits[] = {
        { 1, 10, 0.9, 500 },
        { 2, 20, 0.1, 500 },
        { 3, 20, 0.1, 500 },
        { 4, 5, 0.2, 600 },
    };

    jz__rank_sort(hits, JZ__LENGTH(hits));
    CHECK_INT(hits[0].id, 4);
    CHECK_INT(hits[1].id, 3);
    CHECK_INT(hits[2].id, 2);
    CHECK_INT(hits[3].id, 1);
}

/* Best first, as the index gives them: item 1 is the one that is asked for. */
static size_t later(struct jz__index_hit *hits, size_t limit)
{
    static const struct jz__index_hit all[] = {
        { 1, 100, 1.0 }, { 2, 300, 0.9 }, { 3, 200, 0.8 },  { 4, 500, 0.5 },
        { 5, 400, 0.4 }, { 6, 900, 0.3 }, { 7, 999, 0.29 },
    };

    memcpy(hits, all, sizeof(all));
    return jz__rank_later(hits, JZ__LENGTH(all), 1, limit);
}

static void later_keeps_thirty_percent_of_the_best_and_leaves_the_item_out(void)
{
    struct jz__index_hit hits[7];

    CHECK_INT(later(hits, 20), 5);
    CHECK_INT(hits[0].id, 6);
    CHECK_INT(hits[1].id, 4);
    CHECK_INT(hits[2].id, 5);
    CHECK_INT(hits[3].id, 2);
    CHECK_INT(hits[4].id, 3);
}

static void later_takes_the_two_closest_and_the_newest_of_the_rest(void)
{
    struct jz__index_hit hits[7];

    CHECK_INT(later(hits, 3), 3);
    CHECK_INT(hits[0].id, 6);
    CHECK_INT(hits[1].id, 2);
    CHECK_INT(hits[2].id, 3);
}

static void later_with_limit_1_is_the_closest(void)
{
    struct jz__index_hit hits[7];

    CHECK_INT(later(hits, 1), 1);
    CHECK_INT(hits[0].id, 2);
}

static void later_with_limit_2_is_the_two_closest_newest_first(void)
{
    struct jz__index_hit hits[7];

    CHECK_INT(later(hits, 2), 2);
    CHECK_INT(hits[0].id, 2);
    CHECK_INT(hits[1].id, 3);
}

static void later_measures_by_the_item_itself_when_it_is_the_best(void)
{
    struct jz__index_hit hits[] = { { 1, 0, 1.0 }, { 2, 5, 0.29 } };

    CHECK_INT(jz__rank_later(hits, 2, 1, 5), 0);
}

static void later_has_fifty_candidates_whether_the_item_matches_or_not(void)
{
    struct jz__index_hit hits[51];
    size_t i;

    /* The last one is the newest of all: it must not get in. */
    for (i = 0; i < 51; i++) {
        hits[i] = (struct jz__index_hit){ (int64_t)i + 1, (int64_t)i, 0.5 };
    }
    CHECK_INT(jz__rank_later(hits, 51, 99, 20), 20);
    CHECK_INT(hits[0].id, 50);
    for (i = 0; i < 51; i++) {
        hits[i] = (struct jz__index_hit){ (int64_t)i + 1, (int64_t)i, 0.5 };
    }
    CHECK_INT(jz__rank_later(hits, 51, 1, 20), 20);
    CHECK_INT(hits[0].id, 51);
}

static void later_of_nothing_is_nothing(void)
{
    struct jz__index_hit hits[1] = { { 1, 0, 0.4 } };

    CHECK_INT(jz__rank_later(hits, 0, 1, 5), 0);
    CHECK_INT(jz__rank_later(hits, 1, 1, 5), 0);
}

int main(void)
{
    TAP_RUN(the_score_halves_its_recent_part_in_the_half_life);
    TAP_RUN(a_future_date_has_age_0);
    TAP_RUN(without_weight_recency_does_not_count);
    TAP_RUN(equal_scores_stand_newer_first_then_by_higher_id);
    TAP_RUN(later_keeps_thirty_percent_of_the_best_and_leaves_the_item_out);
    TAP_RUN(later_takes_the_two_closest_and_the_newest_of_the_rest);
    TAP_RUN(later_with_limit_1_is_the_closest);
    TAP_RUN(later_with_limit_2_is_the_two_closest_newest_first);
    TAP_RUN(later_measures_by_the_item_itself_when_it_is_the_best);
    TAP_RUN(later_has_fifty_candidates_whether_the_item_matches_or_not);
    TAP_RUN(later_of_nothing_is_nothing);
    return tap_done();
}
