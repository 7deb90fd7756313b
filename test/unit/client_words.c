/* SPDX-License-Identifier: Apache-2.0 */
/* The words of prompts. */
#include "words.h"

#include <stdlib.h>

#include "base/fold.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"

static void check_words(const char *text, const char *want)
{
    JZ_CLEANUP(words_finish) struct words words = { 0 };

    CHECK_INT(words_find(&words, text, strlen(text)), 0);
    CHECK_STR(words.count > 0 ? words.query.data : "", want);
}

static void words_are_folded(void)
{
    check_words("Facturación EXPORT Fallo\xCC\x81", "facturacion export fallo");
    check_words("Straße ΣΊΣΥΦΟΣ Ошибка", "strasse σισυφοσ ошибка");
}

static void short_words_go(void)
{
    check_words("a ab abc 12 123 é éa éab", "abc 123 eab");
}

static void stop_words_of_both_languages_go(void)
{
    check_words("Please, could you look at the INVOICE?", "look invoice");
    check_words("¿Cómo puedo arreglar la exportación después?",
                "arreglar exportacion");
    check_words("the and with esta también", "");
}

static void names_stay_whole_and_their_ends_are_trimmed(void)
{
    check_words("see lib/base/fold.c, jezero.toml... --dry-run __init__",
                "lib base fold.c jezero.toml dry-run init");
    check_words("-- ... _-. a.b", "a.b");
    check_words("'the-' \"with.\" (invoice)", "invoice");
}

static void words_come_once_in_order(void)
{
    check_words("zeta alpha ZETA Alpha beta", "zeta alpha beta");
}

static void first_twenty_count(void)
{
    JZ_CLEANUP(words_finish) struct words words = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    for (int i = 0; i < 30; i++) {
        jz__buf_printf(&text, "word%d word0 ", i);
    }
    CHECK_INT(words_find(&words, text.data, text.length), 0);
    CHECK_INT(words.count, WORDS_MOST);
    CHECK(jz__str_is(words_get(&words, 0), "word0"));
    CHECK(jz__str_is(words_get(&words, 19), "word19"));
}

static void ideographs_are_cut_into_pairs(void)
{
    check_words("請求書の出力", "請求 求書 書の の出 出力");
    check_words("CSVエクスポート。失敗", "csv エク クス スホ ホー ート 失敗");
    check_words("서버 오류", "서버 오류");
    check_words("本 と invoice", "invoice");
}

static void long_words_are_cut_as_a_search_cuts_them(void)
{
    JZ_CLEANUP(words_finish) struct words words = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    for (int i = 0; i < 100000; i++) {
        jz__buf_puts(&text, i % 2 == 0 ? "\xC3\x86" : "y");
    }
    jz__buf_puts(&text, " invoice");
    CHECK_INT(words_find(&words, text.data, text.length), 0);
    CHECK_INT(words.count, 2);
    CHECK_INT(
        jz__utf8_count(words_get(&words, 0).data, words_get(&words, 0).length),
        WORDS_LENGTH_MOST);
    CHECK(jz__str_is(words_get(&words, 1), "invoice"));
}

static void long_runs_of_ideographs_end(void)
{
    JZ_CLEANUP(words_finish) struct words words = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    for (int i = 0; i < 100000; i++) {
        jz__buf_puts(&text, "書");
    }
    jz__buf_puts(&text, "請求");
    CHECK_INT(words_find(&words, text.data, text.length), 0);
    CHECK_STR(words.query.data, "書書 書請 請求");
}

static void pairs_end_at_twenty_too(void)
{
    JZ_CLEANUP(words_finish) struct words words = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    for (uint32_t i = 0; i < 60; i++) {
        jz__utf8_put(&text, 0x5000 + i);
    }
    CHECK_INT(words_find(&words, text.data, text.length), 0);
    CHECK_INT(words.count, WORDS_MOST);
    CHECK_INT(words.query.length, WORDS_MOST * 7 - 1);
}

static void stop_words_are_folded_and_sorted(void)
{
    for (size_t i = 0; i < words_stop_count; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf folded = JZ__BUF_INIT;

        jz__fold_text(&folded, words_stop[i], strlen(words_stop[i]));
        CHECK_STR(folded.data, words_stop[i]);
        CHECK(strlen(words_stop[i]) >= 3);
        CHECK(i == 0 || strcmp(words_stop[i - 1], words_stop[i]) < 0);
    }
}

static void no_words_are_none(void)
{
    check_words("", "");
    check_words("?! \xE2\x9D\xA4\xEF\xB8\x8F \xF0\x9F\x99\x82", "");
}

int main(void)
{
    TAP_RUN(words_are_folded);
    TAP_RUN(short_words_go);
    TAP_RUN(stop_words_of_both_languages_go);
    TAP_RUN(names_stay_whole_and_their_ends_are_trimmed);
    TAP_RUN(words_come_once_in_order);
    TAP_RUN(first_twenty_count);
    TAP_RUN(ideographs_are_cut_into_pairs);
    TAP_RUN(long_words_are_cut_as_a_search_cuts_them);
    TAP_RUN(long_runs_of_ideographs_end);
    TAP_RUN(pairs_end_at_twenty_too);
    TAP_RUN(stop_words_are_folded_and_sorted);
    TAP_RUN(no_words_are_none);
    return tap_done();
}
