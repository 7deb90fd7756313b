/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line grows in a buffer that its message is then made of: however large it
 * is, its bytes are copied once. A line over the limit is remembered as such and
 * its bytes are dropped as they come, so that it costs no memory and the next
 * line is read as if nothing had been. The CR of a CRLF stays: to JSON it is
 * white space.
 */
#include "bridge_lines.h"

#include <assert.h>
#include <string.h>

/* A new line begins; nothing is kept of the last one. */
static void begin(struct bridge_lines *lines)
{
    if (lines->has_ended) {
        jz__buf_finish(&lines->line);
        lines->is_too_long = false;
        lines->has_ended = false;
    }
}

/* A line that there is no memory for is too long as well. */
static void add(struct bridge_lines *lines, const char *data, size_t length)
{
    bool fits = length <= BRIDGE_LINES_MOST - lines->line.length;

    if (lines->is_too_long) {
        return;
    }
    if (fits) {
        jz__buf_append(&lines->line, data, length);
    }
    if (!fits || lines->line.error != 0) {
        lines->is_too_long = true;
        jz__buf_finish(&lines->line);
    }
}

static enum bridge_lines_got end_line(struct bridge_lines *lines)
{
    lines->has_ended = true;
    return lines->is_too_long ? BRIDGE_LINES_TOO_LONG : BRIDGE_LINES_LINE;
}

enum bridge_lines_got bridge_lines_next(struct bridge_lines *lines,
                                        struct jz__str *rest)
{
    const char *end;
    size_t run;

    assert(lines != NULL && rest != NULL);

    begin(lines);
    if (rest->length == 0) {
        return BRIDGE_LINES_MORE;
    }
    end = memchr(rest->data, '\n', rest->length);
    run = end != NULL ? (size_t)(end - rest->data) : rest->length;
    add(lines, rest->data, run);
    run += end != NULL;
    rest->data += run;
    rest->length -= run;
    return end != NULL ? end_line(lines) : BRIDGE_LINES_MORE;
}

enum bridge_lines_got bridge_lines_end(struct bridge_lines *lines)
{
    assert(lines != NULL);

    begin(lines);
    return lines->line.length > 0 || lines->is_too_long ? end_line(lines)
                                                        : BRIDGE_LINES_MORE;
}

void bridge_lines_finish(struct bridge_lines *lines)
{
    jz__buf_finish(&lines->line);
}
