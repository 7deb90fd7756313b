/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader in front of cJSON, and the writer. */
#include "base/json.h"

#include "base/mem.h"
#include "tap.h"

static struct jz__error error;

/* Parse and give the member "a" as text, "(error)" if it is refused. */
static const char *member(const char *text, size_t length)
{
    static char out[256];
    cJSON *tree = NULL;

    if (jz__json_parse(&tree, text, length, &error) < 0) {
        return "(error)";
    }
    snprintf(out, sizeof(out), "%s", jz__json_text(tree, "a", "(none)"));
    cJSON_Delete(tree);
    return out;
}

static const char *text_of(const char *text)
{
    return member(text, strlen(text));
}

static void keys_are_compared_with_case(void)
{
    CHECK_STR(text_of("{\"A\":\"x\"}"), "(none)");
    CHECK_STR(text_of("{\"A\":\"x\",\"a\":\"y\"}"), "y");
}

static void the_last_of_equal_keys_wins(void)
{
    CHECK_STR(text_of("{\"a\":\"1\",\"a\":\"2\",\"a\":\"3\"}"), "3");
}

static void text_after_the_value_is_an_error(void)
{
    CHECK_STR(text_of("{\"a\":\"1\"} x"), "(error)");
    CHECK_STR(text_of("{\"a\":\"1\"}{}"), "(error)");
    CHECK_STR(text_of("{\"a\":\"1\"} \n"), "1");
}

static void nesting_over_64_is_refused(void)
{
    char text[512];

    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = '\0';
    CHECK_STR(text_of(text), "(error)");
    CHECK(strstr(error.message, "deep") != NULL);
    text[129] = '\0';
    CHECK_STR(text_of(text + 1), "(none)");
}

static void a_nul_escape_is_replaced_and_ends_nothing(void)
{
    CHECK_STR(text_of("{\"a\":\"x\\u0000y\"}"), "x\xEF\xBF\xBDy");
}

static void lone_surrogates_are_replaced_and_pairs_are_kept(void)
{
    CHECK_STR(text_of("{\"a\":\"\\ud83d!\"}"), "\xEF\xBF\xBD!");
    CHECK_STR(text_of("{\"a\":\"\\udc4d!\"}"), "\xEF\xBF\xBD!");
    CHECK_STR(text_of("{\"a\":\"\\ud83d\\ude42\"}"), "🙂");
    CHECK_STR(text_of("{\"a\":\"\\\\ud83d\"}"), "\\ud83d");
}

static void bytes_that_are_no_utf8_are_refused(void)
{
    CHECK_STR(text_of("{\"a\":\"\xC3(\"}"), "(error)");
    CHECK_STR(member("{\"a\":\"\0\"}", 9), "(error)");
}

static void an_error_names_the_place(void)
{
    CHECK_STR(text_of("{\"a\":tru}"), "(error)");
    CHECK_STR(error.message, "not valid JSON at byte 6: invalid value");
}

static void whole_numbers_come_in_three_forms(void)
{
    static const struct {
        const char *text;
        bool is_whole;
        int64_t value;
    } cases[] = {
        { "5", true, 5 },
        { "5.0", true, 5 },
        { "\"5\"", true, 5 },
        { "-3", true, -3 },
        { "\"-3\"", true, -3 },
        { "1e2", true, 100 },
        { "5.5", false, 0 },
        { "true", false, 0 },
        { "\"5.0\"", false, 0 },
        { "\" 5\"", false, 0 },
        { "\"\"", false, 0 },
        { "\"-\"", false, 0 },
        { "null", false, 0 },
        { "[5]", false, 0 },
        { "1e300", false, 0 },
        { "90071992547409930", false, 0 },
        { "\"9007199254740993\"", true, 9007199254740993 },
        { "\"9223372036854775808\"", false, 0 },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        cJSON *tree = NULL;
        int64_t value = 0;

        CHECK_INT(
            jz__json_parse(&tree, cases[i].text, strlen(cases[i].text), &error),
            0);
        CHECK_INT(jz__json_whole(&value, tree), cases[i].is_whole);
        CHECK_INT(value, cases[i].value);
        cJSON_Delete(tree);
    }
}

static const char *taken(struct jz__buf *buf)
{
    static char out[512];

    snprintf(out, sizeof(out), "%s", buf->data);
    jz__buf_clear(buf);
    return out;
}

static void texts_are_written_with_the_escapes_of_json(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf buf = JZ__BUF_INIT;

    jz__json_put_str(&buf, "a\"b\\c\b\f\n\r\t\x01\x7F é\xE2\x80\xA8");
    CHECK_STR(taken(&buf),
              "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\x7F é\xE2\x80\xA8\"");
    jz__json_put_text(&buf, "x\xFFy\0z", 5);
    CHECK_STR(taken(&buf), "\"x\xEF\xBF\xBDy\xEF\xBF\xBDz\"");
    jz__json_put_str(&buf, NULL);
    CHECK_STR(taken(&buf), "null");
    jz__json_put_text(&buf, NULL, 0);
    CHECK_STR(taken(&buf), "\"\"");
}

/* Texts are crossed in words of eight bytes: every place and length. */
static void an_escape_is_written_wherever_it_stands(void)
{
    static const char *const parts[][2] = {
        { "\"", "\\\"" },
        { "\\", "\\\\" },
        { "\x1F", "\\u001f" },
        { "é", "é" },
        { "\xC3", "\xEF\xBF\xBD" },
        { "\xEF\xBF\xBD", "\xEF\xBF\xBD" },
        { "漢\xF0\x9F", "漢\xEF\xBF\xBD" },
    };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf buf = JZ__BUF_INIT;
    char text[64];
    char want[64];
    int before;
    int after;
    size_t i;

    for (i = 0; i < JZ__LENGTH(parts); i++) {
        for (before = 0; before < 18; before++) {
            for (after = 0; after < 18; after++) {
                snprintf(text, sizeof(text), "%.*s%s%.*s", before,
                         "abcdefghijklmnopqr", parts[i][0], after,
                         "ABCDEFGHIJKLMNOPQR");
                snprintf(want, sizeof(want), "\"%.*s%s%.*s\"", before,
                         "abcdefghijklmnopqr", parts[i][1], after,
                         "ABCDEFGHIJKLMNOPQR");
                jz__json_put_str(&buf, text);
                CHECK_STR(taken(&buf), want);
            }
        }
    }
}

static void whole_numbers_are_written_to_their_ends(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf buf = JZ__BUF_INIT;

    jz__json_put_int(&buf, 0);
    jz__buf_putc(&buf, ' ');
    jz__json_put_int(&buf, -7);
    jz__buf_putc(&buf, ' ');
    jz__json_put_int(&buf, INT64_MAX);
    jz__buf_putc(&buf, ' ');
    jz__json_put_int(&buf, INT64_MIN);
    CHECK_STR(taken(&buf), "0 -7 9223372036854775807 -9223372036854775808");
}

static void commas_stand_between_and_nowhere_else(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf buf = JZ__BUF_INIT;

    jz__buf_putc(&buf, '{');
    jz__json_put_key(&buf, "a");
    jz__json_put_int(&buf, -9007199254740993);
    jz__json_put_key(&buf, "b");
    jz__buf_putc(&buf, '[');
    jz__json_put_comma(&buf);
    jz__json_put_bool(&buf, true);
    jz__json_put_comma(&buf);
    jz__json_put_bool(&buf, false);
    jz__buf_puts(&buf, "]}");
    CHECK_STR(taken(&buf), "{\"a\":-9007199254740993,\"b\":[true,false]}");
}

static void a_tree_is_written_as_it_was_read(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf buf = JZ__BUF_INIT;
    static const char text[] = "{\"a\":[1,-2.5,\"x\",null,true,{}],\"b\":"
                               "1234567890123460}";
    cJSON *tree = NULL;

    CHECK_INT(jz__json_parse(&tree, text, strlen(text), &error), 0);
    jz__json_put_tree(&buf, tree);
    CHECK_STR(taken(&buf), text);
    cJSON_Delete(tree);
}

static void an_indent_is_that_of_python(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf buf = JZ__BUF_INIT;
    static const char text[] =
        "{\"a\":[],\"b\":{},\"c\":[1,{\"d\":\"[{,:\\\"}\"}],\"e\":null}";

    static const char escaped[] = "{\"a\\\\b\":\"\\n\\\"\\u0001\"}";
    cJSON *tree = NULL;

    jz__json_put_indented(&buf, text, strlen(text));
    CHECK_INT(jz__json_parse(&tree, buf.data, buf.length, &error), 0);
    CHECK_STR(tree->valuestring,
              "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n"
              "    {\n      \"d\": \"[{,:\\\"}\"\n    }\n  ],\n"
              "  \"e\": null\n}");
    cJSON_Delete(tree);
    jz__buf_clear(&buf);
    jz__json_put_indented(&buf, escaped, strlen(escaped));
    CHECK_STR(taken(&buf), "\"{\\n  \\\"a\\\\\\\\b\\\": "
                           "\\\"\\\\n\\\\\\\"\\\\u0001\\\"\\n}\"");
    jz__json_put_indented(&buf, "[]", 2);
    CHECK_STR(taken(&buf), "\"[]\"");
}

int main(void)
{
    TAP_RUN(keys_are_compared_with_case);
    TAP_RUN(the_last_of_equal_keys_wins);
    TAP_RUN(text_after_the_value_is_an_error);
    TAP_RUN(nesting_over_64_is_refused);
    TAP_RUN(a_nul_escape_is_replaced_and_ends_nothing);
    TAP_RUN(lone_surrogates_are_replaced_and_pairs_are_kept);
    TAP_RUN(bytes_that_are_no_utf8_are_refused);
    TAP_RUN(an_error_names_the_place);
    TAP_RUN(whole_numbers_come_in_three_forms);
    TAP_RUN(texts_are_written_with_the_escapes_of_json);
    TAP_RUN(an_escape_is_written_wherever_it_stands);
    TAP_RUN(whole_numbers_are_written_to_their_ends);
    TAP_RUN(commas_stand_between_and_nowhere_else);
    TAP_RUN(a_tree_is_written_as_it_was_read);
    TAP_RUN(an_indent_is_that_of_python);
    return tap_done();
}
