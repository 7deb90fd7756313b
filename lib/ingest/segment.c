/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a session is cut, and how its events look in an original. Both belong
 * together: a segment's size is counted in characters as rendered, before
 * redaction, so that other secrets or another setting of the redaction move no
 * boundary.
 *
 * Every decision looks back only. A session that grows by new events keeps the
 * segments that it has; the last one may grow.
 */
#include "ingest/segment.h"

#include <assert.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "jezero.h"

#define PAUSE_DEFAULT_MS (INT64_C(240) * 60 * 1000)
#define CHARACTERS_DEFAULT 60000

/* Characters of a failed call's output in an original. */
#define OUTPUT_MOST 1000

static void render_line(struct jz__buf *out, const char *label,
                        struct jz__str text)
{
    jz__buf_puts(out, label);
    jz__buf_append(out, text.data, text.length);
    jz__buf_putc(out, '\n');
}

/*
 * The name comes from the transcript and is put on one line like the argument.
 */
static void render_tool(struct jz__buf *out, const struct jz__event *event)
{
    jz__buf_puts(out, "tool ");
    jz__utf8_one_line(out, event->tool.data, event->tool.length);
    if (event->argument.length > 0) {
        render_line(out, ": ", event->argument);
    } else {
        jz__buf_putc(out, '\n');
    }
    if (event->state == JZ__TOOL_FAILED && event->output.length > 0) {
        jz__utf8_cut(out, event->output.data, event->output.length,
                     OUTPUT_MOST);
        jz__buf_putc(out, '\n');
    }
}

void jz__segment_render(struct jz__buf *out, const struct jz__event *event)
{
    int64_t seconds;
    char minute[17];

    assert(out != NULL && event != NULL);

    /* Rounded down, also before 1970. */
    seconds = event->time_ms / 1000 - (event->time_ms % 1000 < 0);
    jz__time_format_minute(minute, seconds);
    jz__buf_putc(out, '[');
    jz__buf_puts(out, minute);
    jz__buf_puts(out, "] ");
    switch (event->kind) {
    case JZ__EVENT_USER:
        render_line(out, "user: ", event->text);
        break;
    case JZ__EVENT_ASSISTANT:
        render_line(out, "assistant: ", event->text);
        break;
    case JZ__EVENT_TOOL:
        render_tool(out, event);
        break;
    }
}

/* Is this a new segment's first event, `characters` being those of the current
 * one so far? */
static bool is_start(const struct jz__event *before,
                     const struct jz__event *event, size_t characters,
                     int64_t pause_ms, size_t most)
{
    int64_t pause;

    /* Times can be anything that a file says. */
    if (__builtin_sub_overflow(event->time_ms, before->time_ms, &pause)) {
        return true;
    }
    return event->is_boundary || pause >= pause_ms || characters >= most;
}

/* The current segment's size is known only by rendering it: one event at a
 * time, into one buffer that is used again. */
int jz__segment_cut(struct jz__segment **out, size_t *count,
                    const struct jz__conversation *conversation,
                    const struct jz__segment_options *options)
{
    static const struct jz__segment_options defaults = { 0, 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf rendered = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep) struct jz__segment *segments = NULL;
    size_t capacity = 0;
    size_t used = 0;
    size_t characters = 0;
    int64_t pause_ms;
    size_t most;
    size_t i;

    assert(out != NULL && count != NULL && conversation != NULL);

    *out = NULL;
    *count = 0;
    options = options != NULL ? options : &defaults;
    pause_ms = options->pause_ms > 0 ? options->pause_ms : PAUSE_DEFAULT_MS;
    most = options->most_characters > 0 ? options->most_characters
                                        : CHARACTERS_DEFAULT;
    for (i = 0; i < conversation->count; i++) {
        const struct jz__event *event = &conversation->events[i];

        if (i == 0 || is_start(event - 1, event, characters, pause_ms, most)) {
            if (jz__mem_grow(&segments, &capacity, used + 1,
                             sizeof(*segments)) < 0) {
                return JZ_ENOMEM;
            }
            segments[used].first = i;
            segments[used].count = 0;
            segments[used].number = (int)used;
            used++;
            characters = 0;
        }
        jz__buf_clear(&rendered);
        jz__segment_render(&rendered, event);
        if (rendered.error != 0) {
            return JZ_ENOMEM;
        }
        characters += jz__utf8_count(rendered.data, rendered.length);
        segments[used - 1].count++;
    }
    *out = jz__mem_steal(&segments);
    *count = used;
    return JZ_OK;
}
