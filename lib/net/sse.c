/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of the HTML standard, section "server-sent events": lines that end
 * with LF, CR or CRLF, fields "name: value", an empty line behind each event. An
 * event that the stream's end cuts off is dropped, since half a message is none.
 *
 * A CR ends its line at once, without a look at the next byte: the server may
 * send that one only with its next event.
 */
#include "net/sse.h"

#include <assert.h>
#include <string.h>

/* --- lines --- */

/* A byte order mark may stand in front of the first line. */
static struct jz__str without_mark(struct jz__sse *sse, struct jz__str line)
{
    if (!sse->is_past_start && jz__str_starts(line, "\xEF\xBB\xBF")) {
        line.data += 3;
        line.length -= 3;
    }
    sse->is_past_start = true;
    return line;
}

/* The value behind the name and a colon, one blank after it left out; a line
 * without a colon is a name with an empty value. */
static bool is_field(struct jz__str *value, struct jz__str line,
                     const char *name)
{
    size_t length = strlen(name);

    if (!jz__str_starts(line, name)) {
        return false;
    }
    *value = (struct jz__str){ line.data + length, line.length - length };
    if (value->length == 0) {
        return true;
    }
    if (value->data[0] != ':') {
        return false;
    }
    length = value->length > 1 && value->data[1] == ' ' ? 2 : 1;
    value->data += length;
    value->length -= length;
    return true;
}

/* An empty line: is there something to tell? The last LF is no part of it; an
 * event of nothing else only names a place to go on from. */
static bool end_event(struct jz__str *out, struct jz__sse *sse)
{
    bool is_message = sse->data.length > 1 && !sse->is_other;

    sse->is_told = is_message;
    sse->is_other = false;
    if (is_message) {
        *out = (struct jz__str){ sse->data.data, sse->data.length - 1 };
    } else {
        jz__buf_clear(&sse->data);
    }
    return is_message;
}

/* true: an event is complete. */
static bool take_line(struct jz__str *out, struct jz__sse *sse)
{
    struct jz__str line =
        without_mark(sse, (struct jz__str){ sse->line.data, sse->line.length });
    struct jz__str value;

    if (line.length == 0) {
        return end_event(out, sse);
    }
    if (is_field(&value, line, "data")) {
        jz__buf_append(&sse->data, value.data, value.length);
        jz__buf_putc(&sse->data, '\n');
    } else if (is_field(&value, line, "event")) {
        sse->is_other = value.length > 0 && !jz__str_is(value, "message");
    }
    return false;
}

/* --- bytes --- */

static size_t line_length(const char *data, size_t length)
{
    size_t at = 0;

    while (at < length && data[at] != '\n' && data[at] != '\r') {
        at++;
    }
    return at;
}

static enum jz__sse_event stop(struct jz__sse *sse, enum jz__sse_event event,
                               size_t *length)
{
    sse->is_dead = true;
    *length = 0;
    return event;
}

/* Bytes up to a line end or the last one; true: the line is complete. */
static bool gather(struct jz__sse *sse, const char **data, size_t *length)
{
    size_t run = line_length(*data, *length);
    bool is_whole = run < *length;

    jz__buf_append(&sse->line, *data, run);
    sse->is_past_cr = is_whole && (*data)[run] == '\r';
    *data += run + is_whole;
    *length -= run + is_whole;
    return is_whole;
}

void jz__sse_finish(struct jz__sse *sse)
{
    jz__buf_finish(&sse->line);
    jz__buf_finish(&sse->data);
}

enum jz__sse_event jz__sse_read(struct jz__str *out, struct jz__sse *sse,
                                const char **data, size_t *length)
{
    bool is_event = false;
    bool is_whole;

    assert(sse->most > 0);

    *out = (struct jz__str){ *data, 0 };
    if (sse->is_dead) {
        return stop(sse, JZ__SSE_MORE, length);
    }
    if (sse->is_told) {
        jz__buf_clear(&sse->data);
        sse->is_told = false;
    }
    while (*length > 0 && !is_event) {
        if (sse->is_past_cr && **data == '\n') {
            sse->is_past_cr = false;
            ++*data;
            --*length;
            continue;
        }
        is_whole = gather(sse, data, length);
        if (sse->line.error != 0) {
            return stop(sse, JZ__SSE_NO_MEMORY, length);
        }
        if (sse->line.length > sse->most) {
            return stop(sse, JZ__SSE_TOO_LARGE, length);
        }
        if (is_whole) {
            is_event = take_line(out, sse);
            jz__buf_clear(&sse->line);
        }
        if (sse->data.error != 0) {
            return stop(sse, JZ__SSE_NO_MEMORY, length);
        }
        if (sse->data.length > sse->most) {
            return stop(sse, JZ__SSE_TOO_LARGE, length);
        }
    }
    return is_event ? JZ__SSE_DATA : JZ__SSE_MORE;
}
