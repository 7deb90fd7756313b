/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instants are seconds or milliseconds since 1970 in UTC, everywhere. The C
 * library's calendar is not used: mktime() and localtime() depend on TZ, and
 * one library file must answer the same to people in two zones. What is left
 * is arithmetic on the proleptic Gregorian calendar, whose every 400 years
 * have the same 146,097 days.
 */
#include "base/time.h"

#include <assert.h>
#include <string.h>

#define DAY_SECONDS 86400

/* 0000-03-01 to 1970-01-01 in days. The year is counted from March, so that
 * the leap day is its last and needs no rule of its own. */
#define EPOCH_DAYS 719468

/* The last millisecond of the year 9999. */
#define LAST_MS INT64_C(253402300799999)

/* Numbers above this are milliseconds: in seconds it is the year 5138, in
 * milliseconds March 1973, long before there were transcripts. */
#define SECONDS_MOST INT64_C(100000000000)

/* Both in the range of their calendar: year 1 to 9999, month 1 to 12. */
static int days_of_month(int year, int month)
{
    static const signed char days[] = { 31, 28, 31, 30, 31, 30,
                                        31, 31, 30, 31, 30, 31 };
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && is_leap);
}

/* Days since 1970-01-01 of a day that exists. */
static int64_t days_from_date(int year, int month, int day)
{
    int64_t y = year;
    int64_t days;

    if (month < 3) {
        y--;
        month += 12;
    }
    /* Counted from March, the months have 31 30 31 30 31 days, twice and once
     * more in part: 153 days in five. (153 m + 2) / 5 is the sum of those
     * before month m, counted from 0. */
    days = 365 * y + y / 4 - y / 100 + y / 400;
    days += (153 * (month - 3) + 2) / 5 + day - 1;
    return days - EPOCH_DAYS;
}

/* The other way round, for any number of days that an int64_t of seconds can
 * give; the year may then be far out of 0 to 9999. */
static void date_from_days(int64_t *year, int *month, int *day, int64_t days)
{
    int64_t shifted = days + EPOCH_DAYS;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t rest = shifted - era * 146097;
    /* Take off a day for each leap year that is complete, put one back for
     * each century, and what is left counts years of 365 days. */
    int64_t in_era = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
    int of_year = (int)(rest - (365 * in_era + in_era / 4 - in_era / 100));
    int march_month = (5 * of_year + 2) / 153;

    *day = of_year - (153 * march_month + 2) / 5 + 1;
    *month = march_month < 10 ? march_month + 3 : march_month - 9;
    *year = era * 400 + in_era + (*month < 3);
}

/* The take_ functions below read the front of *rest and move it on. On false
 * *rest may stand anywhere: the whole text is then refused. */
static bool take_char(struct jz__str *rest, char c)
{
    if (rest->length == 0 || rest->data[0] != c) {
        return false;
    }
    rest->data++;
    rest->length--;
    return true;
}

/* Exactly `count` digits whose value is within least and most. */
static bool take_number(int *out, struct jz__str *rest, size_t count, int least,
                        int most)
{
    size_t i;

    *out = 0;
    if (rest->length < count) {
        return false;
    }
    for (i = 0; i < count; i++) {
        if (rest->data[i] < '0' || rest->data[i] > '9') {
            return false;
        }
        *out = *out * 10 + (rest->data[i] - '0');
    }
    rest->data += count;
    rest->length -= count;
    return *out >= least && *out <= most;
}

/* One digit or more behind the point, as whole milliseconds. */
static bool take_fraction(int *out_ms, struct jz__str *rest)
{
    int weight = 100;
    int digit;

    *out_ms = 0;
    if (!take_number(&digit, rest, 1, 0, 9)) {
        return false;
    }
    do {
        *out_ms += digit * weight;
        weight /= 10;
    } while (take_number(&digit, rest, 1, 0, 9));
    return true;
}

/* HH:MM[:SS[.fraction]]. A minute has 60 seconds here: leap seconds have no
 * number of their own in seconds since 1970. */
static bool take_clock(int64_t *seconds, int *ms, struct jz__str *rest)
{
    int hour;
    int minute;
    int second = 0;

    if (!take_number(&hour, rest, 2, 0, 23) || !take_char(rest, ':') ||
        !take_number(&minute, rest, 2, 0, 59)) {
        return false;
    }
    if (take_char(rest, ':')) {
        if (!take_number(&second, rest, 2, 0, 59)) {
            return false;
        }
        if (take_char(rest, '.') && !take_fraction(ms, rest)) {
            return false;
        }
    }
    *seconds += (hour * 60 + minute) * 60 + second;
    return true;
}

/* Z, +HH:MM, -HH:MM or nothing. A clock ahead of UTC shows a later time, so
 * its offset is taken off. */
static bool take_offset(int64_t *seconds, struct jz__str *rest)
{
    int sign;
    int hours;
    int minutes;

    if (rest->length == 0 || take_char(rest, 'Z')) {
        return true;
    }
    if (take_char(rest, '+')) {
        sign = 1;
    } else if (take_char(rest, '-')) {
        sign = -1;
    } else {
        return false;
    }
    if (!take_number(&hours, rest, 2, 0, 23) || !take_char(rest, ':') ||
        !take_number(&minutes, rest, 2, 0, 59)) {
        return false;
    }
    *seconds -= (int64_t)sign * (hours * 60 + minutes) * 60;
    return true;
}

/* Both kinds of time: seconds since 1970, and the milliseconds on top of them,
 * which the stamps of transcripts keep and bounds do not. */
static bool parse(int64_t *seconds, int *ms, bool *is_date, struct jz__str text)
{
    int year;
    int month;
    int day;

    *ms = 0;
    if (!take_number(&year, &text, 4, 1, 9999) || !take_char(&text, '-') ||
        !take_number(&month, &text, 2, 1, 12) || !take_char(&text, '-') ||
        !take_number(&day, &text, 2, 1, days_of_month(year, month))) {
        return false;
    }
    *seconds = days_from_date(year, month, day) * DAY_SECONDS;
    *is_date = text.length == 0;
    if (*is_date) {
        return true;
    }
    if (!take_char(&text, 'T') && !take_char(&text, ' ')) {
        return false;
    }
    return take_clock(seconds, ms, &text) && take_offset(seconds, &text) &&
           text.length == 0;
}

/* The results are set together and at the end: a caller's default survives a
 * text that is refused halfway. */
bool jz__time_parse_bound(int64_t *out, bool *is_date, struct jz__str text)
{
    int64_t seconds;
    bool was_date;
    int ms;

    assert(out != NULL && is_date != NULL);

    if (!parse(&seconds, &ms, &was_date, text)) {
        return false;
    }
    *out = seconds;
    *is_date = was_date;
    return true;
}

/* Digits with or without a fraction: seconds or milliseconds since 1970. What
 * would be past the year 9999 is refused, and with it micro- and nanoseconds,
 * which nobody asked for and which must not become dates of a far future. */
static bool parse_number(int64_t *out, struct jz__str text)
{
    int64_t value = 0;
    int digit;
    int ms = 0;

    if (text.length == 0 || text.data[0] < '0' || text.data[0] > '9') {
        return false;
    }
    while (take_number(&digit, &text, 1, 0, 9)) {
        value = value * 10 + digit;
        if (value > LAST_MS) {
            return false;
        }
    }
    if (take_char(&text, '.') && !take_fraction(&ms, &text)) {
        return false;
    }
    if (text.length > 0) {
        return false;
    }
    *out = value > SECONDS_MOST ? value : value * 1000 + ms;
    return true;
}

bool jz__time_parse_stamp(int64_t *out, struct jz__str text)
{
    int64_t seconds;
    bool is_date;
    int ms;

    assert(out != NULL);

    if (parse(&seconds, &ms, &is_date, text)) {
        *out = seconds * 1000 + ms;
        return true;
    }
    return parse_number(out, text);
}

/* What both formats print, held within the years of four digits. */
struct parts {
    int year;
    int month;
    int day;
    int second; /* of the day */
};

/* Held within 0000 to 9999, as the formats have four digits. A stored time can
 * be anything: the file may be damaged. */
static struct parts split(int64_t seconds)
{
    int64_t days = seconds / DAY_SECONDS;
    int64_t second = seconds % DAY_SECONDS;
    struct parts parts = { 0, 1, 1, 0 };
    int64_t year;

    /* C rounds towards 0, days do not: -1 is the last second of a day. */
    if (second < 0) {
        second += DAY_SECONDS;
        days--;
    }
    date_from_days(&year, &parts.month, &parts.day, days);
    if (year < 0) {
        return (struct parts){ 0, 1, 1, 0 };
    }
    if (year > 9999) {
        return (struct parts){ 9999, 12, 31, DAY_SECONDS - 1 };
    }
    parts.year = (int)year;
    parts.second = (int)second;
    return parts;
}

static void put_digits(char *out, int count, int value)
{
    while (count-- > 0) {
        out[count] = (char)('0' + value % 10);
        value /= 10;
    }
}

void jz__time_format(char out[JZ__TIME_SIZE], int64_t seconds)
{
    struct parts parts = split(seconds);

    memcpy(out, "0000-00-00T00:00:00+00:00", JZ__TIME_SIZE);
    put_digits(out, 4, parts.year);
    put_digits(out + 5, 2, parts.month);
    put_digits(out + 8, 2, parts.day);
    put_digits(out + 11, 2, parts.second / 3600);
    put_digits(out + 14, 2, parts.second / 60 % 60);
    put_digits(out + 17, 2, parts.second % 60);
}

void jz__time_format_minute(char out[17], int64_t seconds)
{
    char full[JZ__TIME_SIZE];

    jz__time_format(full, seconds);
    memcpy(out, full, 16);
    out[10] = ' ';
    out[16] = '\0';
}
