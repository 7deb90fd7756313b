/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge_lines.h"

#include "tap.h"

/* Feed text in pieces of `step` bytes; each outcome is noted: a line's text and
 * a bar, or "!|". */
static void feed(struct jz__buf *seen, struct bridge_lines *lines,
                 const char *text, size_t length, size_t step)
{
    size_t at;

    for (at = 0; at < length; at += step) {
        struct jz__str rest = { text + at,
                                length - at < step ? length - at : step };
        enum bridge_lines_got got;

        while ((got = bridge_lines_next(lines, &rest)) != BRIDGE_LINES_MORE) {
            if (got == BRIDGE_LINES_LINE) {
                jz__buf_append(seen, lines->line.data, lines->line.length);
            } else {
                CHECK_INT(lines->line.length, 0);
                jz__buf_putc(seen, '!');
            }
            jz__buf_putc(seen, '|');
        }
        CHECK_INT(rest.length, 0);
    }
}

static void lines_are_cut_wherever_the_pieces_end(void)
{
    const char *text = "one\n\ntwo\r\n three";
    size_t step;

    for (step = 1; step <= strlen(text); step++) {
        struct bridge_lines lines = { 0 };
        struct jz__buf seen = JZ__BUF_INIT;

        feed(&seen, &lines, text, strlen(text), step);
        CHECK_STR(seen.data, "one||two\r|");
        CHECK_INT(bridge_lines_end(&lines), BRIDGE_LINES_LINE);
        CHECK_STR(lines.line.data, " three");
        CHECK_INT(bridge_lines_end(&lines), BRIDGE_LINES_MORE);
        jz__buf_finish(&seen);
        bridge_lines_finish(&lines);
    }
}

static void a_line_end_at_the_end_is_no_further_line(void)
{
    struct bridge_lines lines = { 0 };
    struct jz__buf seen = JZ__BUF_INIT;

    CHECK_INT(bridge_lines_end(&lines), BRIDGE_LINES_MORE);
    feed(&seen, &lines, "x\n", 2, 2);
    CHECK_INT(bridge_lines_end(&lines), BRIDGE_LINES_MORE);
    jz__buf_finish(&seen);
    bridge_lines_finish(&lines);
}

static void bytes_pass_as_they_are(void)
{
    struct bridge_lines lines = { 0 };
    const char text[] = "\xff\0\x1a\n";
    struct jz__str rest = { text, 4 };

    CHECK_INT(bridge_lines_next(&lines, &rest), BRIDGE_LINES_LINE);
    CHECK_INT(lines.line.length, 3);
    CHECK(memcmp(lines.line.data, text, 3) == 0);
    bridge_lines_finish(&lines);
}

static void a_line_may_be_taken_away(void)
{
    struct bridge_lines lines = { 0 };
    struct jz__str rest = { "a\nb\n", 4 };
    struct jz__buf taken;

    CHECK_INT(bridge_lines_next(&lines, &rest), BRIDGE_LINES_LINE);
    taken = lines.line;
    memset(&lines.line, 0, sizeof(lines.line));
    CHECK_INT(bridge_lines_next(&lines, &rest), BRIDGE_LINES_LINE);
    CHECK_STR(taken.data, "a");
    CHECK_STR(lines.line.data, "b");
    jz__buf_finish(&taken);
    bridge_lines_finish(&lines);
}

static void the_limit_is_16_mib_and_the_next_line_is_read(void)
{
    char *text = malloc(BRIDGE_LINES_MOST + 4);
    struct bridge_lines lines = { 0 };
    struct jz__buf seen = JZ__BUF_INIT;

    CHECK_INT(BRIDGE_LINES_MOST, 16777216);
    if (!CHECK(text != NULL)) {
        return;
    }
    memset(text, 'x', BRIDGE_LINES_MOST + 1);
    text[BRIDGE_LINES_MOST] = '\n';
    feed(&seen, &lines, text, BRIDGE_LINES_MOST + 1, 65536);
    CHECK_INT(seen.length, BRIDGE_LINES_MOST + 1);
    jz__buf_clear(&seen);
    memcpy(text + BRIDGE_LINES_MOST, "x\ny\n", 4);
    feed(&seen, &lines, text, BRIDGE_LINES_MOST + 4, 65536);
    CHECK_STR(seen.data, "!|y|");
    jz__buf_clear(&seen);
    feed(&seen, &lines, text, BRIDGE_LINES_MOST + 1, 65536);
    CHECK_INT(bridge_lines_end(&lines), BRIDGE_LINES_TOO_LONG);
    jz__buf_finish(&seen);
    bridge_lines_finish(&lines);
    free(text);
}

int main(void)
{
    TAP_RUN(lines_are_cut_wherever_the_pieces_end);
    TAP_RUN(a_line_end_at_the_end_is_no_further_line);
    TAP_RUN(bytes_pass_as_they_are);
    TAP_RUN(a_line_may_be_taken_away);
    TAP_RUN(the_limit_is_16_mib_and_the_next_line_is_read);
    return tap_done();
}
