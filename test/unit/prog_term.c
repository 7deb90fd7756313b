/* SPDX-License-Identifier: Apache-2.0 */
#include "prog/term.h"

#include "base/mem.h"
#include "tap.h"

static void check_clean(const char *text, size_t length, const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;

    jz__buf_puts(&out, "");
    jz__term_clean(&out, text, length);
    CHECK_STR(out.data, want);
    jz__buf_finish(&out);
}

#define CLEAN(literal, want) check_clean(literal, sizeof(literal) - 1, want)

static void cleaned_text_cannot_move_the_cursor(void)
{
    CLEAN("plain\ttab\nline", "plain\ttab\nline");
    CLEAN("a\r\nb\rc", "a\nb\nc");
    CLEAN("\x1b[31mred\x1b[0m", "red");
    CLEAN("\x1b[?25l\x1b[1;2Hx\x1b[", "x[");
    CLEAN("\x1b]0;title\x07", "]0;title");
    CLEAN("bell\x07 back\x08 del\x7f nul\0!", "bell back del nul!");
    CLEAN("c1 \xc2\x9b"
          "31m",
          "c1 31m");
    CLEAN("bidi \xe2\x80\xae"
          "txt\xe2\x80\xac \xe2\x81\xa6x\xe2\x81\xa9",
          "bidi txt x");
    CLEAN("sep\xe2\x80\xa8line", "sep\nline");
    CLEAN("broken \xff\xc3", "broken \xef\xbf\xbd\xef\xbf\xbd");
    CLEAN("caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac", "caf\xc3\xa9 "
                                                  "\xe6\x97\xa5\xe6\x9c\xac");
}

static void check_json(const char *json, const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;

    jz__buf_puts(&out, "");
    jz__term_json(&out, json, strlen(json));
    CHECK_STR(out.data, want);
    jz__buf_finish(&out);
}

static void json_cannot_move_the_cursor(void)
{
    check_json("", "");
    check_json("{\"a\":[1,\"caf\xc3\xa9 \\u001b\"]}\n",
               "{\"a\":[1,\"caf\xc3\xa9 \\u001b\"]}\n");
    check_json("[\"\x7f\",\"c1 \xc2\x9b"
               "31m\"]",
               "[\"\\u007f\",\"c1 \\u009b"
               "31m\"]");
    check_json("[\"\xe2\x80\xae"
               "txt\xe2\x81\xa9\xe2\x80\xa8\"]",
               "[\"\\u202e"
               "txt\\u2069\\u2028\"]");
    check_json("[\"\xf0\x9f\x99\x82\"]", "[\"\xf0\x9f\x99\x82\"]");
}

static void check_wrap(const char *text, int indent, int width,
                       const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;

    jz__buf_puts(&out, "");
    jz__term_wrap(&out, jz__str_of(text), indent, width);
    CHECK_STR(out.data, want);
    jz__buf_finish(&out);
}

static void lines_break_at_blanks(void)
{
    check_wrap("", 2, 30, "");
    check_wrap("one two", 2, 0, "  one two\n");
    check_wrap("one two three four five six seven", 2, 22,
               "  one two three four\n  five six seven\n");
    check_wrap("a\n\nb", 1, 40, " a\n\n b\n");
    check_wrap("x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa y", 0, 22,
               "x\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\ny\n");
    check_wrap("  keeps its own indent", 2, 60, "    keeps its own indent\n");
}

static void cjk_takes_two_columns(void)
{
    CHECK_INT(jz__term_columns("abc", 3), 3);
    CHECK_INT(jz__term_columns("\xe6\x97\xa5"
                               "a",
                               4),
              3);
    check_wrap("\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5 "
               "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5",
               0, 20,
               "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\n"
               "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
               "\n");
}

static void sizes_have_three_digits(void)
{
    static const struct {
        int64_t bytes;
        const char *want;
    } sizes[] = {
        { 0, "0 B" },         { 999, "999 B" },      { 1000, "1.0 kB" },
        { 9949, "9.9 kB" },   { 9950, "10 kB" },     { 999499, "999 kB" },
        { 999500, "1.0 MB" }, { 45000000, "45 MB" }, { 1200000000, "1.2 GB" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(sizes); i++) {
        struct jz__buf out = JZ__BUF_INIT;

        jz__term_put_size(&out, sizes[i].bytes);
        CHECK_STR(out.data, sizes[i].want);
        jz__buf_finish(&out);
    }
}

static void check_progress(const struct jz__term_step *step, int64_t elapsed_ms,
                           const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;

    jz__term_progress_text(&out, step, elapsed_ms);
    CHECK_STR(out.data, want);
    jz__buf_finish(&out);
}

static void progress_tells_rate_and_time_left(void)
{
    struct jz__term_step step = { "reading", "sessions", 12,
                                  340,       45000000,   1200000000 };

    check_progress(&step, 100, "reading 12 of 340 sessions, 45 MB of 1.2 GB");
    check_progress(&step, 1000,
                   "reading 12 of 340 sessions, 45 MB of 1.2 GB, "
                   "45 MB/s, 0:26 left");
    check_progress(&step, 200000,
                   "reading 12 of 340 sessions, 45 MB of 1.2 "
                   "GB, 225 kB/s, 1:25:34 left");
    step.done = 340;
    step.bytes_done = step.bytes_total;
    check_progress(&step, 10000,
                   "reading 340 of 340 sessions, 1.2 GB of 1.2 "
                   "GB, 120 MB/s");
    step = (struct jz__term_step){ "reading", "sessions", 0, 0, 0, 0 };
    check_progress(&step, 1000, "reading 0 of 0 sessions, 0 B of 0 B");
    step = (struct jz__term_step){ "copying", NULL, 0, 0, 38000000, 76000000 };
    check_progress(&step, 1000, "copying 38 MB of 76 MB, 38 MB/s, 0:01 left");
}

/* What a run of steps, one a second, writes to a stream that is no terminal. */
static void run_steps(char *out, size_t size, enum jz__term_mode otherwise)
{
    FILE *stream = tmpfile();
    struct jz__term_progress progress;
    struct jz__term_step step = { "reading", "sessions", 0, 20, 0, 20 };
    size_t length = 0;
    int i;

    if (CHECK(stream != NULL)) {
        jz__term_progress_init(&progress, stream, otherwise, 1000);
        for (i = 1; i <= 12; i++) {
            step.done = i;
            step.bytes_done = i;
            jz__term_progress_show(&progress, &step, 1000 + i * 1000);
        }
        jz__term_progress_clear(&progress);
        rewind(stream);
        length = fread(out, 1, size - 1, stream);
        fclose(stream);
    }
    out[length] = '\0';
}

static void no_terminal_gets_a_line_every_five_seconds_or_nothing(void)
{
    char text[1024];

    run_steps(text, sizeof(text), JZ__TERM_QUIET);
    CHECK_STR(text, "");
    run_steps(text, sizeof(text), JZ__TERM_LINES);
    CHECK_STR(text,
              "reading 5 of 20 sessions, 5 B of 20 B, 1 B/s, 0:15 left\n"
              "reading 10 of 20 sessions, 10 B of 20 B, 1 B/s, 0:10 left\n");
}

static void a_new_job_is_reckoned_from_its_own_start(void)
{
    FILE *stream = tmpfile();
    struct jz__term_progress progress;
    struct jz__term_step step = { "reading", "sessions", 5, 10, 5000, 10000 };
    char text[256];
    size_t length;

    if (!CHECK(stream != NULL)) {
        return;
    }
    jz__term_progress_init(&progress, stream, JZ__TERM_LINES, 1000);
    jz__term_progress_start(&progress, 100000);
    jz__term_progress_show(&progress, &step, 101000);
    jz__term_progress_show(&progress, &step, 105000);
    rewind(stream);
    length = fread(text, 1, sizeof(text) - 1, stream);
    text[length] = '\0';
    fclose(stream);
    CHECK_STR(text, "reading 5 of 10 sessions, 5.0 kB of 10 kB, 1.0 kB/s, 0:05 "
                    "left\n");
}

static void a_file_is_no_terminal(void)
{
    FILE *stream = tmpfile();

    if (CHECK(stream != NULL)) {
        CHECK(!jz__term_is_terminal(stream));
        CHECK(!jz__term_has_color(stream));
        CHECK_INT(jz__term_width(stream), 0);
        fclose(stream);
    }
}

int main(void)
{
    TAP_RUN(cleaned_text_cannot_move_the_cursor);
    TAP_RUN(json_cannot_move_the_cursor);
    TAP_RUN(lines_break_at_blanks);
    TAP_RUN(cjk_takes_two_columns);
    TAP_RUN(sizes_have_three_digits);
    TAP_RUN(progress_tells_rate_and_time_left);
    TAP_RUN(no_terminal_gets_a_line_every_five_seconds_or_nothing);
    TAP_RUN(a_new_job_is_reckoned_from_its_own_start);
    TAP_RUN(a_file_is_no_terminal);
    return tap_done();
}
