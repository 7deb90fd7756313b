/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal: what it can do, text that cannot harm it, a progress line. */
#ifndef JZ_PROG_TERM_H
#define JZ_PROG_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/str.h"

bool jz__term_is_terminal(FILE *stream);

/* Columns of the terminal behind stream; 0 if it is none. */
int jz__term_width(FILE *stream);

/* May the stream be coloured? It is a terminal that can, and NO_COLOR is not
 * set (or empty). */
bool jz__term_has_color(FILE *stream);

/*
 * Append foreign text of any number of lines so that it can only be read: line
 * ends become LF, tabs stay, other control characters, escape sequences'
 * introducers and bidi controls go. Broken UTF-8 is repaired.
 */
void jz__term_clean(struct jz__buf *out, const char *text, size_t length);

/*
 * Append valid JSON so that a terminal can show it: characters that would steer
 * it, or change the order of what is read, become \uXXXX. They stand in strings
 * only, so the value stays the same.
 */
void jz__term_json(struct jz__buf *out, const char *json, size_t length);

/* Columns that text takes: CJK characters count twice. */
size_t jz__term_columns(const char *text, size_t length);

/*
 * Append text in lines of at most `width` columns behind an indent of blanks,
 * broken at blanks; a longer word stands alone. Its own line ends stay. Width
 * 0: no breaks but its own. Ends with a line end unless text is empty.
 */
void jz__term_wrap(struct jz__buf *out, struct jz__str text, int indent,
                   int width);

/* --- progress --- */

enum jz__term_mode {
    JZ__TERM_QUIET, /* nothing at all */
    JZ__TERM_LIVE,  /* one line that is written over */
    JZ__TERM_LINES  /* a line every few seconds */
};

struct jz__term_progress {
    FILE *stream;
    enum jz__term_mode mode;
    int width;
    int64_t started_ms;
    int64_t shown_ms; /* when the last line was printed; 0: never */
    bool is_shown;    /* a live line stands on the terminal */
};

/* How far a job is. Sizes are what rate and time left are reckoned from. */
struct jz__term_step {
    const char *verb; /* "reading" */
    const char *unit; /* "sessions"; NULL: sizes alone */
    int64_t done;
    int64_t total;
    int64_t bytes_done;
    int64_t bytes_total;
};

/* Live on a terminal, otherwise as is said: quiet or lines. */
void jz__term_progress_init(struct jz__term_progress *progress, FILE *stream,
                            enum jz__term_mode otherwise, int64_t now_ms);

/* A job begins: rate and time left are reckoned from here, and nothing is shown
 * before the first interval is over. */
void jz__term_progress_start(struct jz__term_progress *progress,
                             int64_t now_ms);

/* Show a step: at most ten times a second live, every 5 s as lines. */
void jz__term_progress_show(struct jz__term_progress *progress,
                            const struct jz__term_step *step, int64_t now_ms);

/* Take the live line away, so that something else can be printed. */
void jz__term_progress_clear(struct jz__term_progress *progress);

/* "reading 12 of 340 sessions, 45 MB of 1.2 GB, 38 MB/s, 0:31 left". The rate
 * appears after half a second. */
void jz__term_progress_text(struct jz__buf *out,
                            const struct jz__term_step *step,
                            int64_t elapsed_ms);

/* "512 B", "1.5 kB", "38 MB": three digits, powers of 1,000. */
void jz__term_put_size(struct jz__buf *out, int64_t bytes);

#endif
