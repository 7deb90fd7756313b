/* SPDX-License-Identifier: Apache-2.0 */
#include "rate.h"

#include "tap.h"

static void without_a_limit_everything_goes(void)
{
    struct rate_table *table = rate_table_new(0);

    for (int i = 0; i < 1000; i++) {
        CHECK_INT(rate_take(table, "laptop", 5), 0);
    }
    rate_table_free(table);
    rate_table_free(NULL);
}

static void a_minutes_worth_goes_at_once(void)
{
    struct rate_table *table = rate_table_new(5);

    for (int i = 0; i < 5; i++) {
        CHECK_INT(rate_take(table, "laptop", 1000), 0);
    }
    CHECK_INT(rate_take(table, "laptop", 1000), 12);
    CHECK_INT(rate_take(table, "laptop", 1999), 12);
    CHECK_INT(rate_take(table, "laptop", 2001), 11);
    rate_table_free(table);
}

/* After the seconds that were told, and not a second earlier, one goes. */
static void the_wait_that_is_told_is_enough(void)
{
    static const int64_t limits[] = { 1, 7, 59, 60, 61, 120, 999, 100000 };

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct rate_table *table = rate_table_new(limits[i]);
        uint64_t now = 77;
        int wait = 0;

        for (int64_t k = 0; k < limits[i]; k++) {
            CHECK_INT(rate_take(table, "a", now), 0);
        }
        wait = rate_take(table, "a", now);
        CHECK(wait >= 1 && wait <= 60);
        if (wait > 1) {
            CHECK(rate_take(table, "a", now + ((uint64_t)wait - 1) * 1000) ==
                  1);
        }
        CHECK_INT(rate_take(table, "a", now + (uint64_t)wait * 1000), 0);
        rate_table_free(table);
    }
}

static void clients_do_not_take_from_each_other(void)
{
    struct rate_table *table = rate_table_new(1);

    CHECK_INT(rate_take(table, "b", 0), 0);
    CHECK_INT(rate_take(table, "a", 0), 0);
    CHECK_INT(rate_take(table, "c", 0), 0);
    CHECK_INT(rate_take(table, "a", 0), 60);
    CHECK_INT(rate_take(table, "b", 30000), 30);
    CHECK_INT(rate_take(table, "c", 60000), 0);
    rate_table_free(table);
}

static void a_bucket_holds_no_more_than_a_minute(void)
{
    struct rate_table *table = rate_table_new(3);

    CHECK_INT(rate_take(table, "a", 0), 0);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(rate_take(table, "a", UINT64_C(10000000000)), 0);
    }
    CHECK(rate_take(table, "a", UINT64_C(10000000000)) > 0);
    rate_table_free(table);

    /* Nor when less than a minute tops up one that is nearly full. */
    table = rate_table_new(3);
    CHECK_INT(rate_take(table, "a", 0), 0);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(rate_take(table, "a", 59000), 0);
    }
    CHECK_INT(rate_take(table, "a", 59000), 20);
    rate_table_free(table);
}

static void a_clock_that_goes_back_gives_nothing(void)
{
    struct rate_table *table = rate_table_new(1);

    CHECK_INT(rate_take(table, "a", 90000), 0);
    CHECK_INT(rate_take(table, "a", 1000), 60);
    rate_table_free(table);
}

/* What is used up is kept while others come and go, and ten thousand names
 * that asked once long ago are not. */
static void many_names_are_no_matter(void)
{
    struct rate_table *table = rate_table_new(2);
    char name[32];

    for (int i = 0; i < 10000; i++) {
        (void)snprintf(name, sizeof(name), "client-%d", i * 7919 % 10000);
        CHECK_INT(rate_take(table, name, (uint64_t)i * 100), 0);
    }
    CHECK_INT(rate_take(table, name, 10000 * 100), 0);
    CHECK(rate_take(table, name, 10000 * 100) > 0);
    rate_table_free(table);
}

static void a_huge_limit_does_not_overflow(void)
{
    struct rate_table *table = rate_table_new(INT64_MAX);

    for (uint64_t i = 0; i < 1000; i++) {
        CHECK_INT(rate_take(table, "a", i * 59999), 0);
    }
    rate_table_free(table);
}

int main(void)
{
    TAP_RUN(without_a_limit_everything_goes);
    TAP_RUN(a_minutes_worth_goes_at_once);
    TAP_RUN(the_wait_that_is_told_is_enough);
    TAP_RUN(clients_do_not_take_from_each_other);
    TAP_RUN(a_bucket_holds_no_more_than_a_minute);
    TAP_RUN(a_clock_that_goes_back_gives_nothing);
    TAP_RUN(many_names_are_no_matter);
    TAP_RUN(a_huge_limit_does_not_overflow);
    return tap_done();
}
