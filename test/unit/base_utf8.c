/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"

static void cut_is(const char *text, size_t points, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_append(&out, "", 0);
    jz__utf8_cut(&out, text, strlen(text), points);
    CHECK_STR(out.data, want);
}

static void clean_is(const char *text, size_t length, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_append(&out, "", 0);
    jz__utf8_clean(&out, text, length);
    CHECK_STR(out.data, want);
}

static void line_is(const char *text, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_append(&out, "", 0);
    jz__utf8_one_line(&out, text, strlen(text));
    CHECK_STR(out.data, want);
}

static void every_code_point_survives_a_round_trip(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    uint32_t point;

    for (point = 0; point <= 0x110000; point++) {
        bool is_point = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
        uint32_t back;

        jz__buf_clear(&out);
        jz__utf8_put(&out, point);
        if (jz__utf8_next(&back, out.data, out.length) != out.length ||
            back != (is_point ? point : JZ__UTF8_REPLACEMENT)) {
            CHECK_INT(back, point);
            return;
        }
    }
    CHECK(true);
}

static void broken_bytes_give_the_maximal_prefix(void)
{
    static const struct {
        const char *text;
        size_t length;
        size_t taken;
    } cases[] = {
        { "\x80", 1, 1 },
        { "\xC0\x80", 2, 1 },
        { "\xC1\xBF", 2, 1 },
        { "\xFF", 1, 1 },
        { "\xE2\x82", 2, 2 },
        { "\xE2\x82x", 3, 2 },
        { "\xE0\x80\x80", 3, 1 },
        { "\xED\xA0\x80", 3, 1 },
        { "\xF0\x9F\x99", 3, 3 },
        { "\xF0\x80\x80\x80", 4, 1 },
        { "\xF4\x90\x80\x80", 4, 1 },
        { "\xF5\x80\x80\x80", 4, 1 },
        { "\xC3", 1, 1 },
        { "\xC3(", 2, 1 },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        uint32_t point = 0;

        CHECK_INT(jz__utf8_next(&point, cases[i].text, cases[i].length),
                  cases[i].taken);
        CHECK_INT(point, JZ__UTF8_REPLACEMENT);
        CHECK(!jz__utf8_is_valid(cases[i].text, cases[i].length));
    }
}

static void a_written_replacement_character_is_valid(void)
{
    CHECK(jz__utf8_is_valid("a\xEF\xBF\xBD", 4));
    CHECK(jz__utf8_is_clean("", 0));
    CHECK(jz__utf8_is_valid(NULL, 0));
}

static void nul_is_valid_but_not_clean(void)
{
    CHECK(jz__utf8_is_valid("a\0b", 3));
    CHECK(!jz__utf8_is_clean("a\0b", 3));
}

static void faults_behind_a_long_ascii_run_are_seen(void)
{
    char text[64];
    size_t i;

    for (i = 0; i < sizeof(text); i++) {
        memset(text, 'a', sizeof(text));
        text[i] = '\xFE';
        CHECK(!jz__utf8_is_valid(text, sizeof(text)));
    }
}

static void cleaning_replaces_each_fault_once(void)
{
    clean_is("plain", 5, "plain");
    clean_is("a\xFFz", 3, "a\xEF\xBF\xBDz");
    clean_is("a\0z", 3, "a\xEF\xBF\xBDz");
    clean_is("\xE2\x82", 2, "\xEF\xBF\xBD");
    clean_is("\xED\xA0\xBD!", 4, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD!");
    clean_is("", 0, "");
}

static void counting_and_prefixes_go_by_code_point(void)
{
    const char *text = "aé€🙂";

    CHECK_INT(jz__utf8_count(text, strlen(text)), 4);
    CHECK_INT(jz__utf8_prefix(text, strlen(text), 0), 0);
    CHECK_INT(jz__utf8_prefix(text, strlen(text), 1), 1);
    CHECK_INT(jz__utf8_prefix(text, strlen(text), 2), 3);
    CHECK_INT(jz__utf8_prefix(text, strlen(text), 3), 6);
    CHECK_INT(jz__utf8_prefix(text, strlen(text), 4), 10);
    CHECK_INT(jz__utf8_prefix(text, strlen(text), 99), 10);
}

static void a_text_that_fits_is_not_cut(void)
{
    cut_is("abc", 3, "abc");
    cut_is("🙂🙂", 2, "🙂🙂");
    cut_is("", 0, "");
}

static void the_ellipsis_counts(void)
{
    cut_is("abcd", 3, "ab…");
    cut_is("ab", 1, "…");
    cut_is("ab", 0, "");
    cut_is("发发发发", 3, "发发…");
    cut_is("🙂🙂🙂🙂", 3, "🙂🙂…");
}

static void a_cut_never_splits_a_base_from_its_marks(void)
{
    cut_is("e\u0301e\u0301e\u0301", 3, "e\u0301…");
    cut_is("e\u0301e\u0301e\u0301", 4, "e\u0301…");
    cut_is("e\u0301e\u0301e\u0301", 5, "e\u0301e\u0301…");
    cut_is("ab\uFE0Fcd", 3, "a…");       /* variation selector */
    cut_is("a1\uFE0F\u20E3bc", 4, "a…"); /* keycap */
    cut_is("か\u3099\u304Bx", 2, "…");
}

static void a_cut_never_splits_an_emoji(void)
{
    /* woman, joiner, woman, joiner, boy */
    cut_is("👩\u200D👩\u200D👦👩\u200D👩\u200D👦", 8, "👩\u200D👩\u200D👦…");
    cut_is("👩\u200D👩\u200D👦!", 4, "…");
    cut_is("a👍🏽b", 3, "a…"); /* skin tone */
    cut_is("🇩🇪🇫🇷🇮🇹", 4, "🇩🇪…");
    cut_is("🇩🇪🇫🇷🇮🇹", 5, "🇩🇪🇫🇷…");
    cut_is("x🇩🇪🇫🇷", 3, "x…");
}

static void every_cut_of_every_case_is_valid(void)
{
    static const char *const texts[] = {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaébbbbb",
        "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
        "👩\u200D👩\u200D👦👩\u200D👩\u200D👦👩\u200D👩\u200D👦",
        "\u0301\u0301\u0301\u0301",
        "あああああああ\u202Ertl",
    };
    size_t i;
    size_t points;

    for (i = 0; i < JZ__LENGTH(texts); i++) {
        for (points = 0; points < 70; points++) {
            JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

            jz__utf8_cut(&out, texts[i], strlen(texts[i]), points);
            CHECK(jz__utf8_is_valid(out.data, out.length));
            CHECK(jz__utf8_count(out.data, out.length) <= points);
        }
    }
}

static void one_line_joins_white_space(void)
{
    line_is("  a\t\tb\r\n\r\n# c \u2028d\u00A0\u3000e ", "a b # c d e");
    line_is(" \n\t ", "");
    line_is("", "");
}

static void one_line_drops_what_hides_or_moves(void)
{
    line_is("\x1B[31mred\x1B[0m", "red");
    line_is("\x1B]0;title\x07z", "]0;titlez");
    line_is("a\x01\x7F\xC2\x85\xC2\x9Bz", "a z");
    line_is("\u202Ertl\u2069\u200F", "rtl");
    line_is("pass\u200B\uFEFF\u2060word", "password");
    line_is("hi\U000E0041\U000E007F", "hi");
    line_is("\x1B[", "[");
}

static void one_line_keeps_joined_emoji_and_marks(void)
{
    line_is("👩\u200D👩\u200D👦 e\u0301", "👩\u200D👩\u200D👦 e\u0301");
}

static void one_line_repairs(void)
{
    line_is("a\xFFz", "a\xEF\xBF\xBDz");
}

static void shown_text_is_one_escaped_line(void)
{
    char out[64];

    jz__utf8_show(out, sizeof(out), "a\nb\x1B\u202Eé\xFF");
    CHECK_STR(out, "a\\u000ab\\u001b\\u202eé\xEF\xBF\xBD");
}

static void shown_text_is_cut_between_characters(void)
{
    char out[6];

    jz__utf8_show(out, sizeof(out), "abcd€");
    CHECK_STR(out, "abcd");
    jz__utf8_show(out, sizeof(out), "abcdefgh");
    CHECK_STR(out, "abcde");
    jz__utf8_show(out, sizeof(out), "ab€x");
    CHECK_STR(out, "ab€");
    jz__utf8_show(out, sizeof(out), "\n\n");
    CHECK_STR(out, "");
    jz__utf8_show(out, 1, "x");
    CHECK_STR(out, "");
}

static void classes_end_where_they_should(void)
{
    CHECK(jz__utf8_is_cjk(0x3005) && !jz__utf8_is_cjk(0x3006));
    CHECK(!jz__utf8_is_cjk(0x303F) && jz__utf8_is_cjk(0x3040));
    CHECK(jz__utf8_is_cjk(0x30FF) && !jz__utf8_is_cjk(0x3100));
    CHECK(!jz__utf8_is_cjk(0x33FF) && jz__utf8_is_cjk(0x3400));
    CHECK(jz__utf8_is_cjk(0x4DBF) && !jz__utf8_is_cjk(0x4DC0));
    CHECK(jz__utf8_is_cjk(0xAC00) && jz__utf8_is_cjk(0xD7AF));
    CHECK(!jz__utf8_is_cjk(0xD7B0) && jz__utf8_is_cjk(0xF900));
    CHECK(jz__utf8_is_cjk(0xFF66) && !jz__utf8_is_cjk(0xFFA0));
    CHECK(jz__utf8_is_cjk(0x20000) && jz__utf8_is_cjk(0x3FFFF));
    CHECK(!jz__utf8_is_cjk(0x1FFFF) && !jz__utf8_is_cjk(0x40000));
    CHECK(!jz__utf8_is_cjk('a'));
    CHECK(jz__utf8_is_white(' ') && jz__utf8_is_white(0x85));
    CHECK(jz__utf8_is_white(0x200A) && !jz__utf8_is_white(0x200B));
    CHECK(jz__utf8_is_white(0x3000) && !jz__utf8_is_white(0x180E));
    CHECK(jz__utf8_is_control(0x9F) && !jz__utf8_is_control(0xA0));
    CHECK(jz__utf8_is_control(0x2029) && !jz__utf8_is_control(' '));
    CHECK(jz__utf8_is_bidi(0x202A) && jz__utf8_is_bidi(0x2069));
    CHECK(!jz__utf8_is_bidi(0x202F) && !jz__utf8_is_bidi(0x200D));
}

int main(void)
{
    TAP_RUN(every_code_point_survives_a_round_trip);
    TAP_RUN(broken_bytes_give_the_maximal_prefix);
    TAP_RUN(a_written_replacement_character_is_valid);
    TAP_RUN(nul_is_valid_but_not_clean);
    TAP_RUN(faults_behind_a_long_ascii_run_are_seen);
    TAP_RUN(cleaning_replaces_each_fault_once);
    TAP_RUN(counting_and_prefixes_go_by_code_point);
    TAP_RUN(a_text_that_fits_is_not_cut);
    TAP_RUN(the_ellipsis_counts);
    TAP_RUN(a_cut_never_splits_a_base_from_its_marks);
    TAP_RUN(a_cut_never_splits_an_emoji);
    TAP_RUN(every_cut_of_every_case_is_valid);
    TAP_RUN(one_line_joins_white_space);
    TAP_RUN(one_line_drops_what_hides_or_moves);
    TAP_RUN(one_line_keeps_joined_emoji_and_marks);
    TAP_RUN(one_line_repairs);
    TAP_RUN(shown_text_is_one_escaped_line);
    TAP_RUN(shown_text_is_cut_between_characters);
    TAP_RUN(classes_end_where_they_should);
    return tap_done();
}
