/* SPDX-License-Identifier: Apache-2.0 */
#include "log_limit.h"

#include "tap.h"

#define MINUTE 60000

static void the_first_line_is_told_at_once(void)
{
    struct log_limit limit = { 0 };
    uint64_t left_out = 99;

    /* Also at the very start of the clock. */
    CHECK(log_limit_take(&limit, "key", 0, &left_out));
    CHECK_INT(left_out, 0);
}

static void then_one_a_minute_counts_what_was_left_out(void)
{
    struct log_limit limit = { 0 };
    uint64_t left_out;
    int told = 0;

    for (uint64_t i = 0; i < 10000; i++) {
        told += log_limit_take(&limit, "key", 1000 + i, &left_out);
    }
    CHECK_INT(told, 1);
    CHECK(!log_limit_take(&limit, "key", 1000 + MINUTE - 1, &left_out));
    CHECK_INT(left_out, 0);
    CHECK(log_limit_take(&limit, "key", 1000 + MINUTE, &left_out));
    CHECK_INT(left_out, 10000);
    CHECK(!log_limit_take(&limit, "key", 1001 + MINUTE, &left_out));
    CHECK(log_limit_take(&limit, "key", 1000 + 2 * MINUTE, &left_out));
    CHECK_INT(left_out, 1);
}

static void each_kind_has_its_own_line(void)
{
    struct log_limit limit = { 0 };
    uint64_t left_out;

    CHECK(log_limit_take(&limit, "nas.lan", 5, &left_out));
    CHECK(log_limit_take(&limit, "nas", 5, &left_out));
    CHECK(!log_limit_take(&limit, "nas.lan", 6, &left_out));
    CHECK(!log_limit_take(&limit, "nas", 6, &left_out));
}

/* Lines of a flood of different kinds within a stretch of time. */
static int flood(struct log_limit *limit, uint64_t from_ms, uint64_t to_ms)
{
    uint64_t left_out;
    char kind[32];
    int told = 0;

    for (uint64_t now = from_ms; now < to_ms; now++) {
        (void)snprintf(kind, sizeof(kind), "host-%llu",
                       (unsigned long long)now);
        told += log_limit_take(limit, kind, now, &left_out);
    }
    return told;
}

static void made_up_kinds_share_one_line(void)
{
    struct log_limit limit = { 0 };

    CHECK_INT(flood(&limit, 0, 10000), LOG_LIMIT_KINDS + 1);
    /* Also over the border of a minute, in which the places become free. */
    CHECK_INT(flood(&limit, 10000, MINUTE + 10000), LOG_LIMIT_KINDS + 1);
}

static void what_is_left_out_of_the_shared_line_is_counted(void)
{
    struct log_limit limit = { 0 };
    uint64_t left_out;

    (void)flood(&limit, 0, 1000);
    for (int i = 0; i < LOG_LIMIT_KINDS; i++) {
        char kind[32];

        (void)snprintf(kind, sizeof(kind), "new-%d", i);
        CHECK(log_limit_take(&limit, kind, MINUTE + 999, &left_out));
        CHECK_INT(left_out, 0);
    }
    CHECK(log_limit_take(&limit, "one-more", MINUTE + 999, &left_out));
    CHECK_INT(left_out, 1000 - LOG_LIMIT_KINDS - 1);
}

/* A kind of which lines were left out keeps its place and with it the count. */
static void a_debt_outlives_kinds_without_one(void)
{
    struct log_limit limit = { 0 };
    uint64_t left_out;

    (void)log_limit_take(&limit, "owes", 0, &left_out);
    (void)log_limit_take(&limit, "owes", 1, &left_out);
    (void)log_limit_take(&limit, "paid", 2, &left_out);
    for (int i = 0; i < LOG_LIMIT_KINDS - 1; i++) {
        char kind[32];

        (void)snprintf(kind, sizeof(kind), "new-%d", i);
        CHECK(log_limit_take(&limit, kind, MINUTE + 10, &left_out));
    }
    CHECK(log_limit_take(&limit, "owes", MINUTE + 11, &left_out));
    CHECK_INT(left_out, 1);
}

static void a_long_kind_is_cut(void)
{
    struct log_limit limit = { 0 };
    uint64_t left_out;
    char kind[300];

    memset(kind, 'a', sizeof(kind) - 1);
    kind[sizeof(kind) - 1] = '\0';
    CHECK(log_limit_take(&limit, kind, 0, &left_out));
    kind[LOG_LIMIT_KIND_SIZE] = 'b';
    CHECK(!log_limit_take(&limit, kind, 0, &left_out));
}

int main(void)
{
    TAP_RUN(the_first_line_is_told_at_once);
    TAP_RUN(then_one_a_minute_counts_what_was_left_out);
    TAP_RUN(each_kind_has_its_own_line);
    TAP_RUN(made_up_kinds_share_one_line);
    TAP_RUN(what_is_left_out_of_the_shared_line_is_counted);
    TAP_RUN(a_debt_outlives_kinds_without_one);
    TAP_RUN(a_long_kind_is_cut);
    return tap_done();
}
