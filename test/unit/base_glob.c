/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "tap.h"

struct row {
    const char *pattern;
    const char *text;
    bool want;
};

static void check_rows(const struct row *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (!CHECK_INT(jz__glob_match(rows[i].pattern, rows[i].text),
                       rows[i].want)) {
            printf("# %s on %s\n", rows[i].pattern, rows[i].text);
        }
    }
}

static void plain_text_matches_itself_with_case(void)
{
    static const struct row rows[] = {
        { "", "", true },
        { "", "a", false },
        { "a", "", false },
        { "agent", "agent", true },
        { "agent", "Agent", false },
        { "agent", "agents", false },
        { "a\\b", "a\\b", true },
        { "a]b", "a]b", true },
    };

    check_rows(rows, JZ__LENGTH(rows));
}

static void a_star_takes_any_run(void)
{
    static const struct row rows[] = {
        { "*", "", true },
        { "*", "a/b c", true },
        { "agent-*", "agent-claude", true },
        { "agent-*", "agent-", true },
        { "agent-*", "agent", false },
        { "*-code", "claude-code", true },
        { "*-code", "claude-codex", false },
        { "a*b*c", "aXbYbZc", true },
        { "a*b*c", "acb", false },
        { "**a**", "bab", true },
        { "*ab", "aab", true },
        { "*aab", "aaaab", true },
    };

    check_rows(rows, JZ__LENGTH(rows));
}

static void a_question_mark_takes_one_character(void)
{
    static const struct row rows[] = {
        { "?", "a", true },   { "?", "é", true },   { "?", "🙂", true },
        { "?", "", false },   { "?", "ab", false }, { "a?c", "a€c", true },
        { "??", "é", false }, { "*?", "发", true }, { "?*?", "a", false },
    };

    check_rows(rows, JZ__LENGTH(rows));
}

static void sets_hold_characters_and_ranges(void)
{
    static const struct row rows[] = {
        { "[abc]", "b", true },   { "[abc]", "d", false },
        { "[a-c]x", "cx", true }, { "[a-c]", "B", false },
        { "[!a-c]", "d", true },  { "[!a-c]", "b", false },
        { "[!a]", "", false },    { "[α-ω]", "λ", true },
        { "[α-ω]", "z", false },  { "v[0-9].*", "v7.1", true },
        { "[c-a]", "b", false },  { "*[0-9]", "run-12", true },
    };

    check_rows(rows, JZ__LENGTH(rows));
}

static void brackets_and_dashes_at_the_edge_are_members(void)
{
    static const struct row rows[] = {
        { "[]]", "]", true },   { "[]a]", "a", true }, { "[!]]", "]", false },
        { "[!]]", "x", true },  { "[-a]", "-", true }, { "[a-]", "-", true },
        { "[a-]", "b", false }, { "[a!]", "!", true }, { "[*]", "*", true },
        { "[*]", "x", false },  { "[[]", "[", true },
    };

    check_rows(rows, JZ__LENGTH(rows));
}

static void an_open_bracket_without_its_end_is_itself(void)
{
    static const struct row rows[] = {
        { "[", "[", true },    { "[a", "[a", true },   { "[a", "a", false },
        { "[]", "[]", true },  { "[!]", "[!]", true }, { "x[!", "x[!", true },
        { "*[", "ab[", true },
    };

    check_rows(rows, JZ__LENGTH(rows));
}

static void broken_bytes_match_only_themselves(void)
{
    static const struct row rows[] = {
        { "a\xFF", "a\xFF", true },
        { "a\xFF", "a\xFE", false },
        { "a\xFF", "a\xEF\xBF\xBD", false },
        { "a?", "a\xFF", true },
        { "?", "\xE2\x82", false },
        { "??", "\xE2\x82", true },
        { "\xEF\xBF\xBD", "\xEF\xBF\xBD", true },
    };

    check_rows(rows, JZ__LENGTH(rows));
}

/* By the textbook recursion this takes longer than the universe is old. */
static void many_stars_stay_fast(void)
{
    char pattern[201];
    char text[20001];
    size_t i;

    for (i = 0; i < 200; i += 2) {
        memcpy(pattern + i, "a*", 2);
    }
    pattern[199] = 'b';
    pattern[200] = '\0';
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    CHECK(!jz__glob_match(pattern, text));
}

int main(void)
{
    TAP_RUN(plain_text_matches_itself_with_case);
    TAP_RUN(a_star_takes_any_run);
    TAP_RUN(a_question_mark_takes_one_character);
    TAP_RUN(sets_hold_characters_and_ranges);
    TAP_RUN(brackets_and_dashes_at_the_edge_are_members);
    TAP_RUN(an_open_bracket_without_its_end_is_itself);
    TAP_RUN(broken_bytes_match_only_themselves);
    TAP_RUN(many_stars_stay_fast);
    return tap_done();
}
