/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What TOML writes without quotes: booleans, integers, floats, dates and times.
 * The kind is told by the form, and each form is checked by hand before the C
 * library sees a digit: strtod() and strtoll() take blanks, hexadecimal floats
 * and half a number, and depend on the locale in the decimal point.
 *
 * Dates and times are checked and then kept as their text. No key of ours takes
 * one; whoever adds such a key parses the text with base/time.h.
 */
#include "base/toml_scalar.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No float that a person writes is longer; a longer one is refused. */
#define FLOAT_MAX_CHARS 400

/* Not isdigit(): that asks the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a digit in a base up to 16, or -1. */
static int digit_value(char c, int base)
{
    int value = -1;

    if (is_digit(c)) {
        value = c - '0';
    } else if (c >= 'a' && c <= 'f') {
        value = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
        value = c - 'A' + 10;
    }
    return value < base ? value : -1;
}

/*
 * Length of a run of digits with single underscores between them; 0 if there
 * is none. An underscore that has no digit on both sides ends the run, and the
 * caller finds it as an odd character.
 */
static size_t digits_length(struct jz__str text, size_t from, int base)
{
    size_t i = from;

    while (i < text.length) {
        bool joins = text.data[i] == '_' && i > from &&
                     text.data[i - 1] != '_' && i + 1 < text.length &&
                     digit_value(text.data[i + 1], base) >= 0;

        if (!joins && digit_value(text.data[i], base) < 0) {
            break;
        }
        i++;
    }
    return i - from;
}

/* Digits of a base into an int64_t: accumulated below zero, where there is room
 * for the smallest one. */
static const char *read_integer(struct jz__toml_value *out,
                                struct jz__str digits, int base,
                                bool is_negative)
{
    int64_t value = 0;
    size_t i;

    for (i = 0; i < digits.length; i++) {
        if (digits.data[i] == '_') {
            continue;
        }
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_sub_overflow(value, digit_value(digits.data[i], base),
                                   &value)) {
            return "is out of the range of 64 bits";
        }
    }
    if (!is_negative && __builtin_sub_overflow(0, value, &value)) {
        return "is out of the range of 64 bits";
    }
    out->type = JZ__TOML_INTEGER;
    out->integer = value;
    out->real = (double)value;
    return NULL;
}

/* 0x…, 0o… and 0b…: without a sign, leading zeros allowed. */
static const char *read_prefixed(struct jz__toml_value *out,
                                 struct jz__str token)
{
    struct jz__str digits = { token.data + 2, token.length - 2 };
    char kind = token.data[1];
    int base = kind == 'x' ? 16 : kind == 'o' ? 8 : 2;

    if (digits.length == 0 || digits_length(digits, 0, base) != digits.length) {
        return "is no number: a digit or underscore is misplaced";
    }
    return read_integer(out, digits, base, false);
}

/* The text was found to be a float; it goes to strtod() without underscores.
 * The programs never call setlocale(), so that the point is a point. */
static const char *convert_float(struct jz__toml_value *out,
                                 struct jz__str token)
{
    char plain[FLOAT_MAX_CHARS + 1];
    size_t length = 0;
    size_t i;

    for (i = 0; i < token.length; i++) {
        if (token.data[i] == '_') {
            continue;
        }
        if (length == FLOAT_MAX_CHARS) {
            return "is a float of too many digits";
        }
        plain[length++] = token.data[i];
    }
    plain[length] = '\0';
    out->type = JZ__TOML_FLOAT;
    out->real = strtod(plain, NULL);
    return NULL;
}

/* Sign, digits, point and digits, exponent: each part is taken once, in order,
 * and what is left over makes the whole no number. A part more than the first
 * makes a float. */
static const char *read_number(struct jz__toml_value *out, struct jz__str token)
{
    static const char misplaced[] =
        "is no number: a digit, sign or underscore is misplaced";
    bool is_signed = token.data[0] == '+' || token.data[0] == '-';
    size_t start = is_signed ? 1 : 0;
    struct jz__str digits = { token.data + start, 0 };
    size_t i;
    size_t run;
    bool is_float = false;

    digits.length = digits_length(token, start, 10);
    if (digits.length == 0) {
        return misplaced;
    }
    if (digits.length > 1 && digits.data[0] == '0') {
        return "is no number: a leading zero is not allowed";
    }
    i = start + digits.length;
    if (i < token.length && token.data[i] == '.') {
        run = digits_length(token, i + 1, 10);
        if (run == 0) {
            return "is no number: a point needs digits on both sides";
        }
        i += 1 + run;
        is_float = true;
    }
    if (i < token.length && (token.data[i] == 'e' || token.data[i] == 'E')) {
        i++;
        if (i < token.length &&
            (token.data[i] == '+' || token.data[i] == '-')) {
            i++;
        }
        run = digits_length(token, i, 10);
        if (run == 0) {
            return "is no number: the exponent has no digits";
        }
        i += run;
        is_float = true;
    }
    if (i != token.length) {
        /* 127.0.0.1 and 8080x are no slips of a number. */
        return token.data[i] == '.' || isalpha((unsigned char)token.data[i])
                   ? "is no number, and text needs quotes"
                   : misplaced;
    }
    return is_float ? convert_float(out, token)
                    : read_integer(out, digits, 10, token.data[0] == '-');
}

/* --- dates and times --- */

/* Does text match a form at an offset? '0' stands for any digit. */
/* Forms keep the checks of dates and times readable: they look like what they
 * match. */
static bool matches(struct jz__str text, size_t at, const char *form)
{
    size_t length = strlen(form);
    size_t i;

    if (at > text.length || text.length - at < length) {
        return false;
    }
    for (i = 0; i < length; i++) {
        char c = text.data[at + i];

        if (form[i] == '0' ? !is_digit(c) : c != form[i]) {
            return false;
        }
    }
    return true;
}

static int two_digits(const char *text)
{
    return (text[0] - '0') * 10 + (text[1] - '0');
}

bool jz__toml_scalar_is_date(struct jz__str token)
{
    return token.length == 10 && matches(token, 0, "0000-00-00");
}

/* In the Gregorian calendar, also for years before it: that is what RFC 3339
 * has. */
static bool is_day(const char *date)
{
    static const int days[] = {
        31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
    };
    int year = two_digits(date) * 100 + two_digits(date + 2);
    int month = two_digits(date + 5);
    int day = two_digits(date + 8);
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    if (month < 1 || month > 12 || day < 1 || day > days[month - 1]) {
        return false;
    }
    return month != 2 || day <= 28 || is_leap;
}

/* HH:MM:SS[.digits] at an offset: its length, or 0. A second 60 is a leap
 * second, which RFC 3339 knows. */
static size_t time_length(struct jz__str text, size_t at)
{
    size_t end = at + 8;

    if (!matches(text, at, "00:00:00") || two_digits(text.data + at) > 23 ||
        two_digits(text.data + at + 3) > 59 ||
        two_digits(text.data + at + 6) > 60) {
        return 0;
    }
    if (matches(text, end, ".0")) {
        end++;
        while (end < text.length && is_digit(text.data[end])) {
            end++;
        }
    }
    return end - at;
}

/* A time without a date has none: the caller asks only behind a date. */
static bool is_offset(struct jz__str text, size_t at)
{
    if (text.length - at == 1) {
        return text.data[at] == 'Z' || text.data[at] == 'z';
    }
    return text.length - at == 6 &&
           (matches(text, at, "+00:00") || matches(text, at, "-00:00")) &&
           two_digits(text.data + at + 1) <= 23 &&
           two_digits(text.data + at + 4) <= 59;
}

/* A date, a time, or both with a T or a blank between them. */
static const char *read_date(struct jz__toml_value *out, struct jz__str token)
{
    size_t at = 0;

    out->type = JZ__TOML_DATE;
    if (matches(token, 0, "0000-00-00")) {
        if (!is_day(token.data)) {
            return "is no day of the calendar";
        }
        if (token.length == 10) {
            return NULL;
        }
        if (strchr("Tt ", token.data[10]) == NULL) {
            return "is no date and time";
        }
        at = 11;
    } else if (!matches(token, 0, "00:")) {
        return "is no date: it must be YYYY-MM-DD";
    }
    size_t length = time_length(token, at);
    if (length == 0) {
        return "is no time of day: it must be HH:MM:SS, with a fraction or not";
    }
    if (at + length == token.length ||
        (at > 0 && is_offset(token, at + length))) {
        return NULL;
    }
    return "is no date and time";
}

/* --- telling them apart --- */

/* inf and nan, which may have a sign. */
static bool read_special(struct jz__toml_value *out, struct jz__str token)
{
    bool is_signed = token.data[0] == '+' || token.data[0] == '-';
    struct jz__str word = { token.data + is_signed, token.length - is_signed };

    if (jz__str_is(word, "inf")) {
        out->real = token.data[0] == '-' ? -INFINITY : INFINITY;
    } else if (jz__str_is(word, "nan")) {
        out->real = NAN;
    } else {
        return false;
    }
    out->type = JZ__TOML_FLOAT;
    return true;
}

/* Words that mean true or false elsewhere. */
static bool is_truth(struct jz__str token)
{
    static const char *const words[] = { "true", "false", "yes",
                                         "no",   "on",    "off" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(words); i++) {
        if (jz__str_is_nocase(token, words[i])) {
            return true;
        }
    }
    return false;
}

/* Words first, then dates and times by their first characters, then numbers:
 * what begins with four digits and a hyphen, or two and a colon, is no number
 * in any reading. */
const char *jz__toml_scalar_read(struct jz__toml_value *out,
                                 struct jz__str token)
{
    if (token.length == 0) {
        return "is no value";
    }
    if (jz__str_is(token, "true") || jz__str_is(token, "false")) {
        out->type = JZ__TOML_BOOLEAN;
        out->boolean = token.data[0] == 't';
        return NULL;
    }
    if (read_special(out, token)) {
        return NULL;
    }
    if (matches(token, 0, "0000-") || matches(token, 0, "00:")) {
        return read_date(out, token);
    }
    if (matches(token, 0, "0x") || matches(token, 0, "0o") ||
        matches(token, 0, "0b")) {
        /* '0' in a form is any digit: 1x is none of the prefixes. */
        return token.data[0] == '0' ? read_prefixed(out, token)
                                    : "is no number";
    }
    if (!is_digit(token.data[0]) && token.data[0] != '+' &&
        token.data[0] != '-') {
        return is_truth(token)
                   ? "is no value: true or false is, in small letters; text "
                     "needs quotes"
                   : "is no value: text needs quotes";
    }
    return read_number(out, token);
}
