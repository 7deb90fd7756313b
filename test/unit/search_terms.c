/* SPDX-License-Identifier: Apache-2.0 */
/* A query as terms: one test for each sentence of the documentation. */
#include "search/terms.h"

#include "base/mem.h"
#include "tap.h"

/* The terms of a query, joined by "|". */
static const char *terms_of(const char *query)
{
    static char out[8192];
    struct jz__terms terms;
    size_t i;

    out[0] = '\0';
    CHECK_INT(jz__terms_parse(&terms, query), 0);
    for (i = 0; i < terms.count; i++) {
        snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%.*s",
                 i > 0 ? "|" : "", (int)terms.terms[i].length,
                 terms.terms[i].data);
    }
    jz__terms_finish(&terms);
    return out;
}

static void words_are_split_at_unicode_white_space(void)
{
    CHECK_STR(terms_of("one\ttwo\n  three\xC2\xA0"
                       "four\xE3\x80\x80"
                       "five"),
              "one|two|three|four|five");
    CHECK_STR(terms_of("   "), "");
    CHECK_STR(terms_of(""), "");
}

static void phrases_keep_their_inner_white_space_and_are_trimmed(void)
{
    CHECK_STR(terms_of("\" csv  export \" done"), "csv  export|done");
    CHECK_STR(terms_of("a\"quoted phrase\"b"), "quoted phrase");
    CHECK_STR(terms_of("say \"\" end"), "say|end");
    CHECK_STR(terms_of("\"\xE3\x80\x80"
                       "abc\xE3\x80\x80\""),
              "abc");
}

static void a_quote_without_a_partner_is_ignored(void)
{
    CHECK_STR(terms_of("\"unbalanced words"), "unbalanced|words");
    CHECK_STR(terms_of("one\"two"), "one|two");
    CHECK_STR(terms_of("\""), "");
    CHECK_STR(terms_of("\"a b c\" \"rest here"), "a b c|rest|here");
}

static void terms_are_folded(void)
{
    CHECK_STR(terms_of("FACTURACIÓN Stra\xC3\x9F"
                       "e"),
              "facturacion|strasse");
}

static void terms_under_three_characters_are_dropped(void)
{
    CHECK_STR(terms_of("ab abc C+ C++ é1 éñü"), "abc|c++|enu");
    CHECK_STR(terms_of("🚀 🚀🚀 🚀🚀🚀"), "🚀🚀🚀");
}

static void short_terms_that_hold_a_cjk_character_stay(void)
{
    CHECK_STR(terms_of("设 设备 a设 カ 결 ｶ"), "设|设备|a设|カ|결|ｶ");
}

static void duplicates_go_after_folding(void)
{
    CHECK_STR(terms_of("Error ERROR error \"error\" érror"), "error");
}

static void only_the_first_64_terms_count(void)
{
    char query[64 * 12 + 200] = "";
    struct jz__terms terms;
    int i;

    for (i = 0; i < 70; i++) {
        snprintf(query + strlen(query), sizeof(query) - strlen(query),
                 "word%d ", i);
    }
    CHECK_INT(jz__terms_parse(&terms, query), 0);
    CHECK_INT(terms.count, 64);
    CHECK(jz__str_is(terms.terms[63], "word63"));
    jz__terms_finish(&terms);
}

static void a_term_is_cut_at_256_characters(void)
{
    char query[1000];
    struct jz__terms terms;

    memset(query, 'x', sizeof(query) - 1);
    query[sizeof(query) - 1] = '\0';
    CHECK_INT(jz__terms_parse(&terms, query), 0);
    CHECK_INT(terms.count, 1);
    CHECK_INT(terms.terms[0].length, 256);
    jz__terms_finish(&terms);
}

static void a_query_is_cut_at_8192_characters(void)
{
    char *query = calloc(1, 9000);
    struct jz__terms terms;

    memset(query, ' ', 8190);
    memcpy(query + 8188, "abcdef", 6);
    CHECK_INT(jz__terms_parse(&terms, query), 0);
    CHECK_INT(terms.count, 1);
    CHECK(jz__str_is(terms.terms[0], "abcd"));
    jz__terms_finish(&terms);
    free(query);
}

static void no_character_is_an_operator(void)
{
    CHECK_STR(terms_of("NOT NEAR(invoice export, 3) invoice* ^invoice col:x"),
              "not|near(invoice|export,|invoice*|^invoice|col:x");
}

int main(void)
{
    TAP_RUN(words_are_split_at_unicode_white_space);
    TAP_RUN(phrases_keep_their_inner_white_space_and_are_trimmed);
    TAP_RUN(a_quote_without_a_partner_is_ignored);
    TAP_RUN(terms_are_folded);
    TAP_RUN(terms_under_three_characters_are_dropped);
    TAP_RUN(short_terms_that_hold_a_cjk_character_stay);
    TAP_RUN(duplicates_go_after_folding);
    TAP_RUN(only_the_first_64_terms_count);
    TAP_RUN(a_term_is_cut_at_256_characters);
    TAP_RUN(a_query_is_cut_at_8192_characters);
    TAP_RUN(no_character_is_an_operator);
    return tap_done();
}
