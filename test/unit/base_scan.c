/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON scanner: what it takes, what it refuses and where, what it decodes. */
#include "base/scan.h"
#include "tap.h"

#include "base/mem.h"
#include "jezero.h"

static struct jz__scan scan;

static int parse(const char *text)
{
    return jz__scan_parse(&scan, text, strlen(text));
}

/* The member's decoded text, in a static buffer. */
static const char *text_of(const char *key)
{
    static char out[256];
    struct jz__buf buf = JZ__BUF_INIT;
    size_t token = jz__scan_get(&scan, 0, key);

    out[0] = '\0';
    if (token != 0) {
        jz__scan_text(&buf, &scan, token);
        snprintf(out, sizeof(out), "%s", buf.data != NULL ? buf.data : "");
    }
    jz__buf_finish(&buf);
    return out;
}

static void values_of_all_kinds_are_taken(void)
{
    static const char *const texts[] = {
        "null",        "true",
        "false",       "0",
        "-0",          "12.5e-3",
        "1E+2",        "\"\"",
        "[]",          "{}",
        " [1,2] ",     "{\"a\":1}",
        "[[[[]]]]",    "\"\\u00e9\"",
        "\t\r\n 1 \n", "{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":\"x\"}",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(texts); i++) {
        CHECK_INT(parse(texts[i]), 0);
        CHECK(jz__scan_is_whole(&scan, strlen(texts[i])));
    }
}

static void what_is_no_json_is_refused(void)
{
    static const char *const texts[] = {
        "",           " ",           "nul",       "tru",     "True",
        "1.",         ".5",          "-",         "+1",      "1e",
        "NaN",        "Infinity",    "'a'",       "\"a",     "\"\\x\"",
        "\"\\u12\"",  "\"\\u12g4\"", "\"a\nb\"",  "[1,]",    "[,1]",
        "[1 2]",      "[1",          "{",         "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{a:1}",       "{\"a\" 1}", "{1:2}",   "]",
        "}",          "/* c */ 1",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(texts); i++) {
        if (!CHECK_INT(parse(texts[i]), JZ_EINVAL)) {
            printf("# text: %s\n", texts[i]);
        }
        CHECK(scan.reason != NULL);
        CHECK(scan.error_at <= strlen(texts[i]));
    }
}

static void nesting_ends_at_64(void)
{
    char text[200];

    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = '\0';
    CHECK_INT(parse(text), JZ_EINVAL);
    CHECK_STR(scan.reason, "nested too deep");
    text[129] = '\0';
    CHECK_INT(parse(text + 1), 0);
}

static void text_behind_the_value_is_seen_but_not_read(void)
{
    CHECK_INT(parse("{\"a\":1}{\"b\":2}"), 0);
    CHECK_INT(scan.end, 7);
    CHECK(!jz__scan_is_whole(&scan, 14));
    CHECK_INT(parse("01"), 0);
    CHECK(!jz__scan_is_whole(&scan, 2));
}

static void members_are_found_with_case_and_the_last_wins(void)
{
    CHECK_INT(parse("{\"a\":1,\"A\":2,\"a\":3,\"b\":{\"a\":9}}"), 0);
    CHECK(jz__str_is(jz__scan_raw(&scan, jz__scan_get(&scan, 0, "a")), "3"));
    CHECK(jz__str_is(jz__scan_raw(&scan, jz__scan_get(&scan, 0, "A")), "2"));
    CHECK_INT(jz__scan_get(&scan, 0, "c"), 0);
}

static void an_escaped_key_is_the_key_it_stands_for(void)
{
    CHECK_INT(parse("{\"\\u0061b\":\"x\"}"), 0);
    CHECK_STR(text_of("ab"), "x");
}

static void numbers_keep_their_digits(void)
{
    CHECK_INT(parse("{\"id\":123456789012345678901234567890}"), 0);
    CHECK(jz__str_is(jz__scan_raw(&scan, jz__scan_get(&scan, 0, "id")),
                     "123456789012345678901234567890"));
}

static void whole_numbers_are_read_to_the_last_bit(void)
{
    int64_t value = 0;

    CHECK_INT(parse("9223372036854775807"), 0);
    CHECK(jz__scan_int(&value, &scan, 0) && value == INT64_MAX);
    CHECK_INT(parse("-9223372036854775808"), 0);
    CHECK(jz__scan_int(&value, &scan, 0) && value == INT64_MIN);
    CHECK_INT(parse("9223372036854775808"), 0);
    CHECK(!jz__scan_int(&value, &scan, 0));
    CHECK_INT(parse("1.0"), 0);
    CHECK(!jz__scan_int(&value, &scan, 0));
}

static void escapes_are_decoded(void)
{
    CHECK_INT(
        parse("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude42\"}"),
        0);
    CHECK_STR(text_of("a"), "\"\\/\b\f\n\r\té🙂");
}

static void half_a_surrogate_pair_becomes_a_replacement_character(void)
{
    CHECK_INT(parse("{\"a\":\"x\\ud83dy\",\"b\":\"\\udc4d\",\"c\":"
                    "\"\\ud83d\\ud83d\\ude42\",\"d\":\"\\ud83d\"}"),
              0);
    CHECK_STR(text_of("a"), "x\xEF\xBF\xBDy");
    CHECK_STR(text_of("b"), "\xEF\xBF\xBD");
    CHECK_STR(text_of("c"), "\xEF\xBF\xBD🙂");
    CHECK_STR(text_of("d"), "\xEF\xBF\xBD");
}

static void a_nul_escape_does_not_end_the_text(void)
{
    CHECK_INT(parse("{\"a\":\"x\\u0000y\"}"), 0);
    CHECK_STR(text_of("a"), "x\xEF\xBF\xBDy");
}

static void bytes_that_are_no_utf8_are_replaced(void)
{
    CHECK_INT(parse("{\"a\":\"x\xFFy\xC3\"}"), 0);
    CHECK_STR(text_of("a"), "x\xEF\xBF\xBDy\xEF\xBF\xBD");
}

static void walks_stay_inside_their_container(void)
{
    size_t list;
    size_t i;
    int count = 0;

    CHECK_INT(parse("{\"a\":[1,[2,3],{\"x\":4}],\"b\":5}"), 0);
    list = jz__scan_get(&scan, 0, "a");
    for (i = jz__scan_first(&scan, list); i != 0;
         i = jz__scan_after(&scan, list, i)) {
        count++;
    }
    CHECK_INT(count, 3);
    count = 0;
    for (i = jz__scan_first(&scan, 0); i != 0;
         i = jz__scan_after(&scan, 0, i)) {
        count++;
    }
    CHECK_INT(count, 2);
    CHECK_INT(parse("[]"), 0);
    CHECK_INT(jz__scan_first(&scan, 0), 0);
}

static void long_strings_of_every_alignment_end_at_their_quote(void)
{
    char text[64];
    size_t length;

    for (length = 0; length < 40; length++) {
        text[0] = '"';
        memset(text + 1, 'x', length);
        text[length + 1] = '"';
        text[length + 2] = '\0';
        CHECK_INT(parse(text), 0);
        CHECK_INT(scan.tokens[0].length, length);
    }
}

int main(void)
{
    TAP_RUN(values_of_all_kinds_are_taken);
    TAP_RUN(what_is_no_json_is_refused);
    TAP_RUN(nesting_ends_at_64);
    TAP_RUN(text_behind_the_value_is_seen_but_not_read);
    TAP_RUN(members_are_found_with_case_and_the_last_wins);
    TAP_RUN(an_escaped_key_is_the_key_it_stands_for);
    TAP_RUN(numbers_keep_their_digits);
    TAP_RUN(whole_numbers_are_read_to_the_last_bit);
    TAP_RUN(escapes_are_decoded);
    TAP_RUN(half_a_surrogate_pair_becomes_a_replacement_character);
    TAP_RUN(a_nul_escape_does_not_end_the_text);
    TAP_RUN(bytes_that_are_no_utf8_are_replaced);
    TAP_RUN(walks_stay_inside_their_container);
    TAP_RUN(long_strings_of_every_alignment_end_at_their_quote);
    jz__scan_finish(&scan);
    return tap_done();
}
