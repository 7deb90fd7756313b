/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a transcript's lines can look like, all of it seen in real files: two
 * records glued together without a newline; a record cut off in the middle (the
 * agent was killed) with the next one right behind it; a last line that is
 * still being written; a line of 100 MB, nearly all of it one picture.
 *
 * A line that fits into the file's buffer is scanned where it lies. A longer
 * one is copied through base/shrink.h, which cuts each string, and is dropped
 * once the copy passes JZ__LINES_LINE_MOST; so memory is bounded whatever
 * comes.
 *
 * Behind bytes that are no JSON the line is searched for the beginning of
 * another record. The tries are few, so that a line made of beginnings costs a
 * fixed number of scans.
 */
#include "ingest/lines.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

/* Scans that are begun inside one unreadable line. */
#define RECOVERIES_MOST 8

int jz__lines_open(struct jz__lines *lines, const char *path,
                   struct jz__error *error)
{
    assert(lines != NULL && path != NULL);

    return jz__file_lines_open(&lines->file, path, error);
}

void jz__lines_finish(struct jz__lines *lines)
{
    jz__file_lines_closep(&lines->file);
    jz__scan_finish(&lines->scan);
    jz__buf_finish(&lines->shrunk);
}

/* Take the remaining stretches of a long line, the first of which is data. */
static int read_long_line(struct jz__lines *lines, const char *data,
                          size_t length, struct jz__error *error)
{
    bool is_too_long = false;
    int r = 1;

    lines->shrink = (struct jz__shrink)JZ__SHRINK_INIT;
    jz__buf_clear(&lines->shrunk);
    while (r == 1) {
        if (!is_too_long) {
            jz__shrink_feed(&lines->shrunk, &lines->shrink, data, length);
            is_too_long = lines->shrunk.length > JZ__LINES_LINE_MOST;
        }
        if (lines->is_whole) {
            break;
        }
        r = jz__file_lines_next(lines->file, &data, &length, &lines->is_whole,
                                error);
    }
    if (r < 0) {
        return r;
    }
    if (lines->shrunk.error != 0) {
        return jz__fail_memory(error);
    }
    if (is_too_long) {
        lines->count++;
        lines->too_long++;
        jz__buf_clear(&lines->shrunk);
    }
    lines->rest.data = lines->shrunk.data;
    lines->rest.length = lines->shrunk.length;
    return 1;
}

/* The next line into lines->rest: 1, 0 at the end, or an error. */
static int read_line(struct jz__lines *lines, struct jz__error *error)
{
    const char *data;
    size_t length;
    int r;

    r = jz__file_lines_next(lines->file, &data, &length, &lines->is_whole,
                            error);
    if (r <= 0) {
        return r;
    }
    if (!lines->is_whole) {
        /* Either a long line or the end of the file: the copy keeps the bytes
         * while the next call tells which. */
        r = read_long_line(lines, data, length, error);
        if (r < 0) {
            return r;
        }
    } else {
        lines->rest.data = data;
        lines->rest.length = length;
    }
    if (lines->count == 0 && jz__str_starts(lines->rest, "\xEF\xBB\xBF")) {
        lines->rest.data += 3;
        lines->rest.length -= 3;
    }
    lines->rest = jz__str_trim(lines->rest);
    if (lines->rest.length > 0) {
        lines->count++;
    }
    return 1;
}

/* Does a record of one of the agents begin here? Only the keys that they write
 * first count: an object inside a record must not be taken for one. */
static bool is_beginning(struct jz__str text)
{
    return jz__str_starts(text, "{\"parentUuid\"") ||
           jz__str_starts(text, "{\"type\"") ||
           jz__str_starts(text, "{\"timestamp\"") ||
           jz__str_starts(text, "{\"sessionId\"") ||
           jz__str_starts(text, "{\"uuid\"");
}

/* Step to the next place behind the first byte where a record may begin. */
static bool seek_beginning(struct jz__str *rest)
{
    while (rest->length > 1) {
        const char *brace = memchr(rest->data + 1, '{', rest->length - 1);

        if (brace == NULL) {
            break;
        }
        rest->length -= (size_t)(brace - rest->data);
        rest->data = brace;
        if (is_beginning(*rest)) {
            return true;
        }
    }
    rest->length = 0;
    return false;
}

/* A record that stands behind broken bytes: it must reach to the end of the
 * line and carry what only a whole record has, else it is a part of one. */
static bool is_record(const struct jz__lines *lines, struct jz__str text)
{
    const struct jz__scan *scan = &lines->scan;

    return jz__scan_is_whole(scan, text.length) &&
           jz__scan_get(scan, 0, "type") != 0 &&
           (jz__scan_get(scan, 0, "timestamp") != 0 ||
            jz__scan_get(scan, 0, "sessionId") != 0);
}

/* The line could not be read up to its end: look for a record further on. 1 if
 * there is one, 0 if not, or JZ_ENOMEM. */
static int recover(struct jz__lines *lines, struct jz__error *error)
{
    int tries;

    if (!lines->is_whole) {
        lines->is_partial = true;
    } else {
        lines->bad++;
    }
    for (tries = 0; tries < RECOVERIES_MOST; tries++) {
        int r;

        if (!seek_beginning(&lines->rest)) {
            return 0;
        }
        r = jz__scan_parse(&lines->scan, lines->rest.data, lines->rest.length);
        if (r == JZ_ENOMEM) {
            return jz__fail_memory(error);
        }
        if (r == JZ_OK && is_record(lines, lines->rest)) {
            lines->is_partial = false;
            lines->rest.length = 0;
            return 1;
        }
    }
    lines->rest.length = 0;
    return 0;
}

/* Scan the next value of the current line: 1, 0 for none, or an error. */
static int scan_rest(struct jz__lines *lines, struct jz__error *error)
{
    int r = jz__scan_parse(&lines->scan, lines->rest.data, lines->rest.length);

    if (r == JZ_ENOMEM) {
        return jz__fail_memory(error);
    }
    if (r < 0 || lines->scan.tokens[0].type != JZ__SCAN_OBJECT) {
        return recover(lines, error);
    }
    lines->rest.data += lines->scan.end;
    lines->rest.length -= lines->scan.end;
    lines->rest = jz__str_trim(lines->rest);
    return 1;
}

/* Lines are read one by one and values off each line until nothing is left of
 * it. */
int jz__lines_next(struct jz__lines *lines, struct jz__error *error)
{
    assert(lines != NULL && lines->file != NULL);

    for (;;) {
        int r;

        if (lines->rest.length == 0) {
            r = read_line(lines, error);
            if (r <= 0) {
                return r;
            }
            if (lines->is_whole && lines->is_skipped != NULL &&
                lines->rest.length > 0 && lines->is_skipped(lines->rest)) {
                lines->skipped++;
                lines->rest.length = 0;
            }
            if (lines->rest.length == 0) {
                continue;
            }
        }
        r = scan_rest(lines, error);
        if (r != 0) {
            return r;
        }
    }
}
