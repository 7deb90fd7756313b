/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything here that depends on the world (a descriptor, the environment, the
 * clock) is an argument or a small function of its own; the rest turns text
 * into text, so that it is tested without a terminal and without waiting.
 *
 * Item text was written by agents, web pages and mail. It goes to the terminal
 * through jz__term_clean() or jz__utf8_one_line() and in no other way: a stored
 * escape sequence could clear the screen, rename the window or paste commands.
 * An escape character whose sequence is not of the common kind is dropped
 * alone: the rest then shows as the harmless text that it is.
 */
#include "prog/term.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

#define LIVE_INTERVAL_MS 100
#define LINES_INTERVAL_MS 5000

/* A rate of less time is noise. */
#define RATE_AFTER_MS 500

bool jz__term_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

/* Asked for each time: a terminal changes its size. One that does not tell has
 * the 80 columns that all began with. */
int jz__term_width(FILE *stream)
{
    struct winsize size;

    if (!jz__term_is_terminal(stream)) {
        return 0;
    }
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 80;
    }
    return size.ws_col;
}

/* Does the terminal know escape sequences? */
static bool is_capable(FILE *stream)
{
    const char *term = getenv("TERM");

    return jz__term_is_terminal(stream) && term != NULL &&
           strcmp(term, "dumb") != 0;
}

/* NO_COLOR counts when it is set and not empty, as those who named it ask
 * for. */
bool jz__term_has_color(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");

    return is_capable(stream) && (no_color == NULL || no_color[0] == '\0');
}

/* --- text --- */

/* Bytes of a control sequence (ESC [ … letter) at the start, or 0: colours in
 * stored tool output leave no litter behind. */
static size_t sequence_length(const char *text, size_t length)
{
    size_t i = 2;

    if (length < 3 || text[0] != '\x1b' || text[1] != '[') {
        return 0;
    }
    while (i < length && text[i] >= 0x20 && text[i] <= 0x3f) {
        i++;
    }
    return i < length && text[i] >= 0x40 && text[i] <= 0x7e ? i + 1 : 0;
}

/* Character by character, so that a sequence which broken UTF-8 hides is found
 * as well: the broken bytes become U+FFFD and what follows is looked at
 * again. */
void jz__term_clean(struct jz__buf *out, const char *text, size_t length)
{
    size_t i = 0;

    while (i < length) {
        uint32_t point;
        size_t bytes = sequence_length(text + i, length - i);

        if (bytes > 0) {
            i += bytes;
            continue;
        }
        bytes = jz__utf8_next(&point, text + i, length - i);
        if (point == '\r' && i + 1 < length && text[i + 1] == '\n') {
            /* The LF that follows is the line end. */
        } else if (point == '\r' || point == 0x2028 || point == 0x2029) {
            jz__buf_putc(out, '\n');
        } else if (point == '\n' || point == '\t' ||
                   (!jz__utf8_is_control(point) && !jz__utf8_is_bidi(point))) {
            jz__utf8_put(out, point);
        }
        i += bytes;
    }
}

/* JSON itself has C0 escaped already, but not DEL, C1 (in which a terminal may
 * see an escape sequence too) and bidi controls. All of them are below 10000,
 * so none needs a pair of escapes. */
void jz__term_json(struct jz__buf *out, const char *json, size_t length)
{
    size_t begun = 0;
    size_t i = 0;

    while (i < length) {
        uint32_t point;
        size_t bytes = jz__utf8_next(&point, json + i, length - i);

        if (point >= 0x7f &&
            (jz__utf8_is_control(point) || jz__utf8_is_bidi(point))) {
            jz__buf_append(out, json + begun, i - begun);
            jz__buf_printf(out, "\\u%04x", (unsigned)point);
            begun = i + bytes;
        }
        i += bytes;
    }
    jz__buf_append(out, json + begun, length - begun);
}

/* Near enough for breaking lines: wcwidth() knows more, but only of the locale
 * that the program does not set. */
size_t jz__term_columns(const char *text, size_t length)
{
    size_t columns = 0;
    size_t i = 0;

    while (i < length) {
        uint32_t point;

        i += jz__utf8_next(&point, text + i, length - i);
        columns += jz__utf8_is_cjk(point) ? 2 : 1;
    }
    return columns;
}

/* One line of the text, of any length. */
/* A narrow terminal gets 20 columns all the same: broken by the terminal they
 * are still easier to read than a column of syllables. Blanks go with the word
 * behind them and vanish at a break. */
static void wrap_line(struct jz__buf *out, struct jz__str line, int indent,
                      int width)
{
    size_t room = width > indent + 20 ? (size_t)(width - indent) : 20;
    size_t column = 0;
    size_t i = 0;

    jz__buf_printf(out, "%*s", indent, "");
    if (width == 0) {
        jz__buf_append(out, line.data, line.length);
        jz__buf_putc(out, '\n');
        return;
    }
    while (i < line.length) {
        size_t blanks = 0;
        size_t word = 0;
        size_t columns;

        while (i + blanks < line.length && line.data[i + blanks] == ' ') {
            blanks++;
        }
        while (i + blanks + word < line.length &&
               line.data[i + blanks + word] != ' ') {
            word++;
        }
        columns = jz__term_columns(line.data + i + blanks, word);
        if (column > 0 && column + blanks + columns > room) {
            jz__buf_printf(out, "\n%*s", indent, "");
            column = 0;
            i += blanks;
            blanks = 0;
        }
        jz__buf_append(out, line.data + i, blanks + word);
        column += blanks + columns;
        i += blanks + word;
    }
    jz__buf_putc(out, '\n');
}

void jz__term_wrap(struct jz__buf *out, struct jz__str text, int indent,
                   int width)
{
    struct jz__str line;

    assert(indent >= 0 && width >= 0);
    while (jz__str_line(&line, &text)) {
        if (line.length == 0) {
            jz__buf_putc(out, '\n');
        } else {
            wrap_line(out, line, indent, width);
        }
    }
}

/* --- progress --- */

void jz__term_put_size(struct jz__buf *out, int64_t bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
    double value = (double)bytes;
    size_t unit = 0;

    /* 999.5 would be printed as 1000. */
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1000.0;
        unit++;
    }
    jz__buf_printf(out, "%.*f %s", unit > 0 && value < 9.95 ? 1 : 0, value,
                   units[unit]);
}

/* 0:31, 12:05, 1:02:03. */
static void put_duration(struct jz__buf *out, int64_t seconds)
{
    if (seconds >= 3600) {
        jz__buf_printf(out, "%lld:%02lld:%02lld", (long long)(seconds / 3600),
                       (long long)(seconds / 60 % 60),
                       (long long)(seconds % 60));
    } else {
        jz__buf_printf(out, "%lld:%02lld", (long long)(seconds / 60),
                       (long long)(seconds % 60));
    }
}

void jz__term_progress_text(struct jz__buf *out,
                            const struct jz__term_step *step,
                            int64_t elapsed_ms)
{
    jz__buf_printf(out, "%s ", step->verb);
    if (step->unit != NULL) {
        jz__buf_printf(out, "%lld of %lld %s, ", (long long)step->done,
                       (long long)step->total, step->unit);
    }
    jz__term_put_size(out, step->bytes_done);
    jz__buf_puts(out, " of ");
    jz__term_put_size(out, step->bytes_total);
    if (elapsed_ms < RATE_AFTER_MS || step->bytes_done <= 0) {
        return;
    }
    /* Over all of the job and not the last seconds: sessions differ in size,
     * and a figure that jumps tells nothing. */
    double rate = (double)step->bytes_done * 1000.0 / (double)elapsed_ms;
    jz__buf_puts(out, ", ");
    jz__term_put_size(out, (int64_t)rate);
    jz__buf_puts(out, "/s");
    if (step->bytes_total > step->bytes_done && rate >= 1.0) {
        jz__buf_puts(out, ", ");
        put_duration(
            out,
            (int64_t)((double)(step->bytes_total - step->bytes_done) / rate +
                      0.999));
        jz__buf_puts(out, " left");
    }
}

void jz__term_progress_init(struct jz__term_progress *progress, FILE *stream,
                            enum jz__term_mode otherwise, int64_t now_ms)
{
    memset(progress, 0, sizeof(*progress));
    progress->stream = stream;
    progress->width = jz__term_width(stream);
    progress->mode = is_capable(stream) ? JZ__TERM_LIVE : otherwise;
    progress->started_ms = now_ms;
}

void jz__term_progress_start(struct jz__term_progress *progress, int64_t now_ms)
{
    progress->started_ms = now_ms;
    progress->shown_ms = 0;
}

/* The first line waits for an interval too: a job that is over at once shows
 * no progress at all. */
void jz__term_progress_show(struct jz__term_progress *progress,
                            const struct jz__term_step *step, int64_t now_ms)
{
    int64_t last =
        progress->shown_ms > 0 ? progress->shown_ms : progress->started_ms;
    int64_t interval =
        progress->mode == JZ__TERM_LIVE ? LIVE_INTERVAL_MS : LINES_INTERVAL_MS;
    struct jz__buf text = JZ__BUF_INIT;

    if (progress->mode == JZ__TERM_QUIET || now_ms - last < interval) {
        return;
    }
    jz__term_progress_text(&text, step, now_ms - progress->started_ms);
    if (text.error == 0 && progress->mode == JZ__TERM_LINES) {
        fprintf(progress->stream, "%s\n", text.data);
    } else if (text.error == 0) {
        /* The last column stays free: some terminals wrap there at once. */
        size_t cut = jz__utf8_prefix(text.data, text.length,
                                     (size_t)progress->width - 1);
        fprintf(progress->stream, "\r%.*s\x1b[K", (int)cut, text.data);
        progress->is_shown = true;
    }
    fflush(progress->stream);
    progress->shown_ms = now_ms;
    jz__buf_finish(&text);
}

void jz__term_progress_clear(struct jz__term_progress *progress)
{
    if (progress->is_shown) {
        fputs("\r\x1b[K", progress->stream);
        fflush(progress->stream);
        progress->is_shown = false;
    }
}
