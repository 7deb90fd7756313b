/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With --filter it folds each line of its input and writes it out: the way in
 * for base_fold.py, which compares with Python's own tables.
 */
#include <string.h>

#include "base/buf.h"
#include "base/fold.h"
#include "base/mem.h"
#include "tap.h"

static void text_is(const char *text, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_append(&out, "", 0);
    jz__fold_text(&out, text, strlen(text));
    CHECK_STR(out.data, want);
}

static void case_is(const char *text, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_append(&out, "", 0);
    jz__fold_case(&out, text, strlen(text));
    CHECK_STR(out.data, want);
}

static void three_spellings_of_one_word_are_equal(void)
{
    text_is("Facturación", "facturacion");
    text_is("Facturacio\u0301n", "facturacion");
    text_is("FACTURACION", "facturacion");
}

static void letters_without_decomposition_keep_what_case_folding_makes(void)
{
    text_is("Łódź", "łodz");
    text_is("Øre", "øre");
    text_is("Straße STRASSE", "strasse strasse");
    text_is("ẞ", "ss");
    text_is("ﬁ", "fi"); /* by full case folding, not by compatibility */
    text_is("ℌ", "ℌ");  /* compatibility mapping would make it h */
    text_is("ｱＡ", "ｱａ");
}

static void dotted_i_loses_its_dot(void)
{
    text_is("İstanbul", "istanbul");
    text_is("ı", "ı");
    text_is("I\u0307", "i");
}

static void final_sigma_is_sigma(void)
{
    text_is("ΣΊΣΥΦΟΣ", "σισυφοσ");
    text_is("Σίσυφος", "σισυφοσ");
    text_is("ᾴ", "α"); /* the iota below is a mark as well */
}

static void hangul_comes_out_composed(void)
{
    text_is("한국어", "한국어");
    text_is("\u1112\u1161\u11AB", "한");
    text_is("\uD558\u11AB", "한"); /* syllable and final consonant */
}

static void ideographs_are_themselves(void)
{
    text_is("請求書发票", "請求書发票");
    text_is("㈱①", "㈱①");
    text_is("\u2126\u212B", "ωa"); /* canonical singletons are mapped */
    text_is("\uF900", "\u8C48");
    text_is("ガ", "カ"); /* the voicing mark has a combining class */
}

static void vowel_signs_without_a_class_are_composed(void)
{
    text_is("\u0995\u09C7\u09BE", "\u0995\u09CB");
}

static void marks_alone_fold_to_nothing(void)
{
    text_is("\u0301\u0302", "");
    text_is("", "");
    text_is("a\u0301\u0302\u0303b", "ab");
}

static void a_nul_is_a_character(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__fold_text(&out, "A\0É", 4);
    CHECK_INT(out.length, 3);
    CHECK(out.length == 3 && memcmp(out.data, "a\0e", 3) == 0);
}

static void folding_appends(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_puts(&out, "X:");
    jz__fold_text(&out, "É", 2);
    jz__fold_case(&out, "É", 2);
    CHECK_STR(out.data, "X:eé");
}

/* Longer than the window, and so that its edge falls on every place. */
static void long_texts_compose_over_every_edge(void)
{
    size_t shift;

    for (shift = 0; shift < 3; shift++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf want = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        size_t i;

        for (i = 0; i < shift; i++) {
            jz__buf_puts(&text, "ß");
            jz__buf_puts(&want, "ss");
        }
        for (i = 0; i < 1000; i++) {
            jz__buf_puts(&text, "\u1112\u1161\u11AB");
            jz__buf_puts(&want, "한");
        }
        jz__fold_text(&out, text.data, text.length);
        CHECK_STR(out.data, want.data);
    }
}

static void names_keep_their_accents(void)
{
    case_is("Facturación", "facturación");
    case_is("Facturacio\u0301n", "facturación");
    case_is("FACTURACIÓN", "facturación");
    case_is("Straße", "strasse");
    case_is("plain-NAME_1", "plain-name_1");
    case_is("", "");
    /* The iota below, written before the accent and behind it. */
    case_is("\u03B1\u0345\u0301", "άι");
    case_is("\u03B1\u0301\u0345", "άι");
}

static void broken_names_do_not_fail(void)
{
    case_is("É\xFF", "é\xEF\xBF\xBD");
}

static int filter(void)
{
    char line[1024];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        line[strcspn(line, "\n")] = '\0';
        jz__fold_text(&out, line, strlen(line));
        jz__buf_puts(&out, "\t");
        jz__fold_case(&out, line, strlen(line));
        if (out.error != 0 || puts(out.data) < 0) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

static void letters_digits_and_marks_are_word_characters(void)
{
    /* a 9 é ß ж ٣ ½ U+0301 U+093E 発 ー, and what is none. */
    static const uint32_t words[] = { 'a',  '9',   0xE9,  0xDF,   0x436, 0x663,
                                      0xBD, 0x301, 0x93E, 0x767A, 0x30FC };
    static const uint32_t others[] = {
        ' ', '_', '-', '.', 0xB7, 0x2028, 0x3002, 0x30FB, 0x1F642, 0x110000
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        CHECK(jz__fold_is_word(words[i]));
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        CHECK(!jz__fold_is_word(others[i]));
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--filter") == 0) {
        return filter();
    }
    TAP_RUN(three_spellings_of_one_word_are_equal);
    TAP_RUN(letters_without_decomposition_keep_what_case_folding_makes);
    TAP_RUN(dotted_i_loses_its_dot);
    TAP_RUN(final_sigma_is_sigma);
    TAP_RUN(hangul_comes_out_composed);
    TAP_RUN(ideographs_are_themselves);
    TAP_RUN(vowel_signs_without_a_class_are_composed);
    TAP_RUN(marks_alone_fold_to_nothing);
    TAP_RUN(a_nul_is_a_character);
    TAP_RUN(folding_appends);
    TAP_RUN(long_texts_compose_over_every_edge);
    TAP_RUN(names_keep_their_accents);
    TAP_RUN(broken_names_do_not_fail);
    TAP_RUN(letters_digits_and_marks_are_word_characters);
    return tap_done();
}
