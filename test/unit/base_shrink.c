/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/shrink.h"
#include "base/utf8.h"
#include "tap.h"

#define MOST JZ__SHRINK_STRING_MOST

static void fill(struct jz__buf *out, size_t length, char c)
{
    char *end = jz__buf_reserve(out, length);

    if (end != NULL) {
        memset(end, c, length);
        out->length += length;
        out->data[out->length] = '\0';
    }
}

static void shrink_in_steps(struct jz__buf *out, const struct jz__buf *line,
                            size_t step)
{
    struct jz__shrink state = JZ__SHRINK_INIT;
    size_t at;

    for (at = 0; at < line->length; at += step) {
        size_t left = line->length - at;

        jz__shrink_feed(out, &state, line->data + at,
                        left < step ? left : step);
    }
    CHECK(!state.in_string);
}

/*
 * A string of `fill_length` letters and then `tail`, inside an object: what is
 * left of the tail must be `want`, however the line is cut into pieces.
 */
static void tail_is(size_t fill_length, const char *tail, const char *want)
{
    static const size_t steps[] = { SIZE_MAX, 1, 7, 4096 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    size_t i;

    jz__buf_puts(&line, "{\"k\\\"\":[\"");
    fill(&line, fill_length, 'a');
    jz__buf_puts(&line, tail);
    jz__buf_puts(&line, "\",7,\"z\"]}");
    for (i = 0; i < JZ__LENGTH(steps); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf wanted = JZ__BUF_INIT;
        JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;

        shrink_in_steps(&out, &line,
                        steps[i] < line.length ? steps[i] : line.length);
        jz__buf_puts(&wanted, want);
        jz__buf_puts(&wanted, "\",7,\"z\"]}");
        CHECK(out.length == 9 + fill_length + wanted.length);
        CHECK_STR(out.data + 9 + fill_length, wanted.data);
        CHECK_INT(jz__scan_parse(&scan, out.data, out.length), 0);
        CHECK(jz__scan_is_whole(&scan, out.length));
        CHECK(jz__utf8_is_valid(out.data, out.length));
    }
}

static void short_strings_stay_as_they_are(void)
{
    tail_is(0, "", "");
    tail_is(0, "\\\"\\\\\\u00e9é", "\\\"\\\\\\u00e9é");
    tail_is(MOST - 3, "abc", "abc");
}

static void a_long_string_is_cut_at_the_limit(void)
{
    tail_is(MOST - 3, "abcd", "abc");
    tail_is(MOST, "b", "");
    tail_is(MOST - 1, "bcdefghijklmnopqrstuvw\\\"xyz\\\\", "b");
}

static void an_escape_is_never_split(void)
{
    tail_is(MOST - 2, "\\nx", "\\n");
    tail_is(MOST - 1, "\\nx", "");
    tail_is(MOST - 1, "\\\"x", "");
    tail_is(MOST - 3, "\\\\\\\\x", "\\\\");
    tail_is(MOST - 6, "\\u00e9x", "\\u00e9");
    tail_is(MOST - 5, "\\u00e9x", "");
    tail_is(MOST - 1, "\\u00e9x", "");
    tail_is(MOST - 2, "\\u00e9x", "");
}

static void a_surrogate_pair_is_never_split(void)
{
    size_t room;

    tail_is(MOST - 12, "\\ud83d\\ude42x", "\\ud83d\\ude42");
    for (room = 0; room < 12; room++) {
        tail_is(MOST - room, "\\ud83d\\ude42x", "");
        tail_is(MOST - room, "\\uD83D\\uDE42x", "");
    }
    tail_is(MOST - 20, "\\ud83d\\ude42\\ud83d\\ude42x", "\\ud83d\\ude42");
    /* A first half that is followed by something else is left to the reader. */
    tail_is(MOST - 8, "\\ud83dabcd", "\\ud83dab");
    tail_is(MOST - 7, "\\ud83da\\n", "\\ud83da");
    tail_is(MOST - 8, "\\ud83da\\n", "\\ud83da");
    tail_is(MOST - 6, "\\ud83d", "\\ud83d");
}

static void a_character_is_never_split(void)
{
    size_t room;

    tail_is(MOST - 4, "🙂x", "🙂");
    for (room = 0; room < 4; room++) {
        tail_is(MOST - room, "🙂x", "");
    }
    tail_is(MOST - 2, "€x", "");
    tail_is(MOST - 3, "€x", "€");
    tail_is(MOST - 1, "éx", "");
    tail_is(MOST - 4, "\\n€x", "\\n");
    tail_is(MOST - 5, "\\n€x", "\\n€");
}

static void each_string_has_its_own_limit(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    size_t i;

    jz__buf_puts(&line, "[");
    for (i = 0; i < 5; i++) {
        jz__buf_puts(&line, i > 0 ? ", \"" : "\"");
        fill(&line, MOST - 2 + i, 'b');
        jz__buf_puts(&line, "\"");
    }
    jz__buf_puts(&line, "] ");
    shrink_in_steps(&out, &line, 1000);
    CHECK_INT(jz__scan_parse(&scan, out.data, out.length), 0);
    CHECK_INT(scan.count, 6);
    for (i = 0; i < 5; i++) {
        CHECK_INT(scan.tokens[1 + i].length, i < 2 ? MOST - 2 + i : MOST);
    }
}

static void a_long_key_is_cut_too(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_puts(&line, "{\"");
    fill(&line, 2 * MOST, 'k');
    jz__buf_puts(&line, "\":1}");
    shrink_in_steps(&out, &line, line.length);
    CHECK_INT(out.length, 2 + MOST + 4);
    CHECK_STR(out.data + 2 + MOST, "\":1}");
}

static void what_is_no_json_ends_as_well(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    struct jz__shrink state = JZ__SHRINK_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    jz__buf_puts(&line, "{\"a\":\"");
    fill(&line, MOST + 100, '\\');
    jz__shrink_feed(&out, &state, line.data, line.length);
    CHECK_INT(out.length, 6 + MOST);
    CHECK(state.in_string);
}

int main(void)
{
    TAP_RUN(short_strings_stay_as_they_are);
    TAP_RUN(a_long_string_is_cut_at_the_limit);
    TAP_RUN(an_escape_is_never_split);
    TAP_RUN(a_surrogate_pair_is_never_split);
    TAP_RUN(a_character_is_never_split);
    TAP_RUN(each_string_has_its_own_limit);
    TAP_RUN(a_long_key_is_cut_too);
    TAP_RUN(what_is_no_json_ends_as_well);
    return tap_done();
}
