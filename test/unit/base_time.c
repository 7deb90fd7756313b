/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/time.h"
#include "tap.h"

/* The bound's seconds, or INT64_MIN if it is refused. */
static int64_t bound(const char *text)
{
    int64_t seconds = 0;
    bool is_date;

    return jz__time_parse_bound(&seconds, &is_date, jz__str_of(text))
               ? seconds
               : INT64_MIN;
}

/* The same of a stamp, in milliseconds. */
static int64_t stamp(const char *text)
{
    int64_t ms = 0;

    return jz__time_parse_stamp(&ms, jz__str_of(text)) ? ms : INT64_MIN;
}

static void bound_is(const char *text, const char *want)
{
    char shown[JZ__TIME_SIZE] = "refused";
    int64_t seconds = bound(text);

    if (seconds != INT64_MIN) {
        jz__time_format(shown, seconds);
    }
    CHECK_STR(shown, want);
}

/* Items as they are stored, and which of them lie within the bounds: a bare
 * date as upper bound holds its whole day. */
static void within(const char *since, const char *until, const char *want)
{
    static const char *const items[] = {
        "2026-03-28T23:30:00+00:00", "2026-03-29T00:59:59+00:00",
        "2026-03-29T01:00:00+00:00", "2026-10-25T00:30:00+00:00",
        "2026-10-25T01:30:00+00:00", "2026-12-31T23:59:59.999+00:00",
    };
    int64_t from = since != NULL ? bound(since) : INT64_MIN;
    int64_t to = INT64_MAX;
    bool is_date = false;
    char got[16] = "";
    size_t i;

    if (until != NULL) {
        CHECK(jz__time_parse_bound(&to, &is_date, jz__str_of(until)));
        to += is_date ? 86399 : 0;
    }
    for (i = 0; i < JZ__LENGTH(items); i++) {
        int64_t at = bound(items[i]);

        if (at >= from && at <= to) {
            got[strlen(got)] = (char)('A' + i);
        }
    }
    CHECK_STR(got, want);
}

static void bounds_are_compared_as_instants(void)
{
    within("2026-03-29T00:30:00+01:00", NULL, "ABCDEF");
    within("2026-03-29T00:59:59Z", "2026-03-29T00:59:59Z", "B");
    within("2026-03-29T02:00:00+02:00", NULL, "BCDEF");
    within("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "DE");
    within("2026-12-31T23:59:59.500Z", NULL, "F");
    within(NULL, "2026-03-28", "A");
    within("2026-03-29", "2026-03-29", "BC");
}

static void the_zone_of_the_computer_does_not_matter(void)
{
    static const char *const zones[] = { "Asia/Kolkata", "America/St_Johns",
                                         "UTC" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(zones); i++) {
        setenv("TZ", zones[i], 1);
        tzset();
        bounds_are_compared_as_instants();
        CHECK_INT(bound("1970-01-01"), 0);
        bound_is("2026-03-29T02:30:00", "2026-03-29T02:30:00+00:00");
    }
    unsetenv("TZ");
    tzset();
}

static void all_forms_of_the_grammar_are_read(void)
{
    bound_is("2026-03-29", "2026-03-29T00:00:00+00:00");
    bound_is("2026-03-29T00:30:00+01:00", "2026-03-28T23:30:00+00:00");
    bound_is("2026-03-29 00:30", "2026-03-29T00:30:00+00:00");
    bound_is("2026-03-29T09:05Z", "2026-03-29T09:05:00+00:00");
    bound_is("2026-03-29T09:05-03:30", "2026-03-29T12:35:00+00:00");
    bound_is("2026-03-29T09:05:07.1", "2026-03-29T09:05:07+00:00");
    bound_is("2026-03-29T09:05:07.99999999999999999999999999999999Z",
             "2026-03-29T09:05:07+00:00");
    bound_is("2024-02-29", "2024-02-29T00:00:00+00:00");
    bound_is("2000-02-29", "2000-02-29T00:00:00+00:00");
    bound_is("0001-01-01", "0001-01-01T00:00:00+00:00");
    bound_is("9999-12-31T23:59:59Z", "9999-12-31T23:59:59+00:00");
    bound_is("2026-01-01T00:00:00-23:59", "2026-01-01T23:59:00+00:00");
}

static void only_a_bare_date_is_a_date(void)
{
    int64_t seconds;
    bool is_date = false;

    CHECK(jz__time_parse_bound(&seconds, &is_date, JZ__STR("2026-03-29")));
    CHECK(is_date);
    CHECK(
        jz__time_parse_bound(&seconds, &is_date, JZ__STR("2026-03-29T00:00")));
    CHECK(!is_date);
}

static void all_else_is_refused(void)
{
    static const char *const texts[] = {
        "",
        "yesterday",
        "2026-02-30",
        "2026-02-29",
        "1900-02-29",
        "2026-04-31",
        "2026-1-5",
        "2026-00-10",
        "2026-13-01",
        "2026-01-00",
        "0000-01-01",
        "10000-01-01",
        "2026-01",
        "20260101",
        "2026-01-01T",
        "2026-01-01 ",
        "2026-01-01Z",
        "2026-01-01+01:00",
        "2026-01-01t00:00",
        "2026-01-01T00:00z",
        "2026-01-01  00:00",
        "2026-01-01T00",
        "2026-01-01T0:00",
        "2026-01-01T25:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60",
        "2026-01-01T00:00:60",
        "2026-01-01T23:59:60Z",
        "2026-01-01T00:00.5",
        "2026-01-01T00:00:00.",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00,5",
        "2026-01-01T00:00:00+1:00",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+01",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+01:60",
        "2026-01-01T00:00:00Z ",
        " 2026-01-01",
        "-026-01-01",
        "+2026-01-01",
        "2026-01-01T-1:00",
        "2026/01/01",
        "1774742400",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(texts); i++) {
        if (!CHECK_INT(bound(texts[i]), INT64_MIN)) {
            printf("# %s\n", texts[i]);
        }
    }
    CHECK(!jz__time_parse_bound(&(int64_t){ 0 }, &(bool){ false },
                                (struct jz__str){ "2026-01-01\0", 11 }));
}

static void a_refused_text_leaves_the_results_alone(void)
{
    int64_t seconds = 7;
    bool is_date = true;

    CHECK(!jz__time_parse_bound(&seconds, &is_date, JZ__STR("2026-01-01T9")));
    CHECK_INT(seconds, 7);
    CHECK(is_date);
}

static void stamps_are_in_milliseconds(void)
{
    CHECK_INT(stamp("2026-03-29T00:00:00.123Z"), INT64_C(1774742400123));
    CHECK_INT(stamp("2026-03-29T01:00:00.5+01:00"), INT64_C(1774742400500));
    CHECK_INT(stamp("2026-03-29T00:00:00.1239Z"), INT64_C(1774742400123));
    CHECK_INT(stamp("2026-03-29"), INT64_C(1774742400000));
    CHECK_INT(stamp("1969-12-31T23:59:59.250Z"), -750);
}

static void numbers_are_seconds_or_milliseconds(void)
{
    CHECK_INT(stamp("1774742400"), INT64_C(1774742400000));
    CHECK_INT(stamp("1774742400.25"), INT64_C(1774742400250));
    CHECK_INT(stamp("1774742400123"), INT64_C(1774742400123));
    CHECK_INT(stamp("1774742400123.9"), INT64_C(1774742400123));
    CHECK_INT(stamp("0"), 0);
    CHECK_INT(stamp("100000000000"), INT64_C(100000000000000));
    CHECK_INT(stamp("100000000001"), INT64_C(100000000001));
    CHECK_INT(stamp("1774742400123456"), INT64_MIN); /* microseconds */
    CHECK_INT(stamp("99999999999999999999999999"), INT64_MIN);
    CHECK_INT(stamp("-1"), INT64_MIN);
    CHECK_INT(stamp("1."), INT64_MIN);
    CHECK_INT(stamp(".5"), INT64_MIN);
    CHECK_INT(stamp("1e9"), INT64_MIN);
    CHECK_INT(stamp(""), INT64_MIN);
}

/* Against the C library's own calendar, which is UTC here: each day of the 400
 * years after which the calendar repeats, and every 29th of the other years. */
static void every_day_agrees_with_the_c_library(void)
{
    int64_t day;

    for (day = -700000; day < 2900000;
         day += day >= -60000 && day < 90000 ? 1 : 29) {
        time_t seconds = (time_t)(day * 86400 + 45296);
        struct tm tm;
        char want[64];
        char got[JZ__TIME_SIZE];

        gmtime_r(&seconds, &tm);
        if (tm.tm_year < 1 - 1900 || tm.tm_year > 9999 - 1900) {
            continue;
        }
        snprintf(want, sizeof(want), "%04d-%02d-%02dT12:34:56+00:00",
                 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        jz__time_format(got, seconds);
        if (strcmp(got, want) != 0 || bound(want) != seconds) {
            CHECK_STR(got, want);
            CHECK_INT(bound(want), seconds);
            return;
        }
    }
    CHECK(true);
}

static void years_without_four_digits_are_held(void)
{
    char text[JZ__TIME_SIZE];
    char minute[17];

    jz__time_format(text, INT64_MAX);
    CHECK_STR(text, "9999-12-31T23:59:59+00:00");
    jz__time_format(text, INT64_MIN);
    CHECK_STR(text, "0000-01-01T00:00:00+00:00");
    jz__time_format(text, INT64_C(253402300800));
    CHECK_STR(text, "9999-12-31T23:59:59+00:00");
    jz__time_format(text, bound("0001-01-01T00:00:00+23:59"));
    CHECK_STR(text, "0000-12-31T00:01:00+00:00");
    jz__time_format(text, -1);
    CHECK_STR(text, "1969-12-31T23:59:59+00:00");
    jz__time_format_minute(minute, INT64_C(1774742459));
    CHECK_STR(minute, "2026-03-29 00:00");
}

int main(void)
{
    TAP_RUN(bounds_are_compared_as_instants);
    TAP_RUN(the_zone_of_the_computer_does_not_matter);
    TAP_RUN(all_forms_of_the_grammar_are_read);
    TAP_RUN(only_a_bare_date_is_a_date);
    TAP_RUN(all_else_is_refused);
    TAP_RUN(a_refused_text_leaves_the_results_alone);
    TAP_RUN(stamps_are_in_milliseconds);
    TAP_RUN(numbers_are_seconds_or_milliseconds);
    TAP_RUN(every_day_agrees_with_the_c_library);
    TAP_RUN(years_without_four_digits_are_held);
    return tap_done();
}
