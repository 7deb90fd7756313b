/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The errors of a segment: the lines of what commands printed that
 * extract_error_line.c takes for errors, those of calls that failed first, and
 * those that a person pasted.
 *
 * Only tools that run something are asked. A file that was read, a search or a
 * history may be full of lines that look like errors and are somebody's text;
 * and that an agent's editor refused a change is no error of the project.
 */
#include "ingest/extract_internal.h"

#include <string.h>

#define LINES_OF_ONE_CALL 3
#define POINTS_LEAST 6
/* Messages that begin with the same letters are told once: a compiler says the
 * same about each of fifty modules. */
#define KEY_LETTERS 40

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Without the colours of a terminal and the columns that a CI's log puts in
 * front ("job<tab>step<tab>2026-01-02T03:04:05.6Z "). Into *buf. */
static struct jz__str clean_line(struct jz__buf *buf, struct jz__str line)
{
    size_t tab = jz__str_find(line, "Z ");
    size_t i = 0;

    if (tab != SIZE_MAX && tab > 24 && tab < 120 &&
        memchr(line.data, '\t', tab) != NULL && line.data[tab - 1] != ' ' &&
        is_digit(line.data[tab - 1])) {
        line.data += tab + 2;
        line.length -= tab + 2;
    }
    /* pytest marks the lines of an assertion. */
    if (jz__str_starts(line, "E   ")) {
        line.data += 4;
        line.length -= 4;
    }
    if (memchr(line.data, '\033', line.length) == NULL) {
        return jz__str_trim(line);
    }
    jz__buf_clear(buf);
    while (i < line.length) {
        if (line.data[i] == '\033') {
            while (i < line.length &&
                   ((line.data[i] | 32) < 'a' || (line.data[i] | 32) > 'z')) {
                i++;
            }
            i++;
            continue;
        }
        jz__buf_putc(buf, line.data[i++]);
    }
    return jz__str_trim(
        (struct jz__str){ buf->data != NULL ? buf->data : "", buf->length });
}

static int put_line(struct jz__extract_candidates *out,
                    struct jz__extract_work *work, struct jz__str line,
                    int score, size_t event)
{
    size_t place = jz__extract_error_line_place(line);
    size_t letters = 0;
    size_t i;
    struct jz__extract_candidate candidate = {
        .score = score,
        .order = (uint32_t)event,
    };

    /* The same message at another line, port or time is the same error. */
    for (i = place; i < line.length && letters < KEY_LETTERS; i++) {
        if (!is_digit(line.data[i])) {
            letters++;
            candidate.key =
                (candidate.key ^ (unsigned char)line.data[i]) * 0x100000001b3u;
        }
    }
    candidate.text.data = jz__arena_copy(&work->arena, line.data, line.length);
    candidate.text.length = line.length;
    if (candidate.text.data == NULL) {
        return JZ_ENOMEM;
    }
    jz__extract_candidates_put(out, &candidate);
    return 0;
}

/* The best lines of one text, in *out; at most LINES_OF_ONE_CALL. */
static int read_text(struct jz__extract_candidates *out,
                     struct jz__extract_work *work, size_t event,
                     struct jz__str text, bool is_failed)
{
    struct jz__extract_candidates lines = { .count = 0 };
    struct jz__str line;
    size_t i;
    int r = 0;

    while (r == 0 && jz__str_line(&line, &text)) {
        struct jz__str clean = clean_line(&work->buf, line);
        int score = clean.length > 0
                        ? jz__extract_error_line_score(clean, is_failed)
                        : 0;

        if (work->buf.error < 0) {
            return JZ_ENOMEM;
        }
        if (score >= POINTS_LEAST) {
            r = put_line(&lines, work, clean, score, event);
        }
    }
    for (i = 0; i < lines.count && i < LINES_OF_ONE_CALL; i++) {
        lines.best[i].score -= 2 * (int)i;
        jz__extract_candidates_put(out, &lines.best[i]);
    }
    return r;
}

/* A command that failed and said one or two lines said why. */
static int read_short(struct jz__extract_candidates *out,
                      struct jz__extract_work *work, size_t event,
                      struct jz__str text)
{
    struct jz__str line;
    struct jz__str first = { NULL, 0 };
    size_t count = 0;

    while (count < 4 && jz__str_line(&line, &text)) {
        line = jz__str_trim(line);
        if (line.length == 0 || jz__str_starts_nocase(line, "exit code")) {
            continue;
        }
        if (count++ == 0) {
            first = line;
        }
    }
    if (count == 0 || count > 3 || jz__extract_error_line_is_other(first) ||
        jz__extract_lines_is_code(first)) {
        return 0;
    }
    return put_line(out, work, first, POINTS_LEAST, event);
}

/* Tools that fail because the agent held them wrongly, or that show text. */
static bool is_shell_like(const struct jz__event *event)
{
    return event->command.length > 0 ||
           jz__str_is(event->tool, "write_stdin") ||
           jz__str_starts(event->tool, "mcp__");
}

/* A person's message is read for the lines that they pasted: that error is
 * what the session is about, and no tool call may ever show it again. */
static int read_event(struct jz__extract_candidates *out,
                      struct jz__extract_work *work, size_t i)
{
    const struct jz__event *event = work->events[i];
    bool is_failed = event->state == JZ__TOOL_FAILED;
    size_t before = out->count;
    int r;

    if (event->kind == JZ__EVENT_USER) {
        return jz__extract_lines_is_injected(event->text)
                   ? 0
                   : read_text(out, work, i, event->text, false);
    }
    if (event->kind != JZ__EVENT_TOOL || event->output.length == 0 ||
        !is_shell_like(event)) {
        return 0;
    }
    /* The log of a job that failed elsewhere counts like its run. */
    if (event->command.length > 0 &&
        (work->shells[i].is_reader ||
         (!is_failed && work->shells[i].score < 4 &&
          jz__str_find(event->command, " --log") == SIZE_MAX))) {
        return 0;
    }
    r = read_text(out, work, i, event->output, is_failed);
    if (r == 0 && is_failed && out->count == before) {
        r = read_short(out, work, i, event->output);
    }
    return r;
}

int jz__extract_errors_pick(struct jz__extract_candidates *out,
                            struct jz__extract_work *work)
{
    size_t i;

    for (i = 0; i < work->event_count; i++) {
        int r = read_event(out, work, i);

        if (r < 0) {
            return r;
        }
    }
    return 0;
}
