/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A segment written down in a test: lines of who and what.
 *
 *     static const struct line lines[] = {
 *         { 'u', "please fix the export", NULL },
 *         { '$', "make test", "test_export.c:12: expected 3, got 4" },
 *         { '!', … } (the same, and the call failed), { 'a', "Fixed." } };
 */
#ifndef JZ_TEST_SEGMENT_OF_H
#define JZ_TEST_SEGMENT_OF_H

#include <assert.h>
#include <string.h>

#include "ingest/extract.h"

#define SEGMENT_LINES_MOST 64

struct line {
    char who; /* u, a, $ (a command that succeeded), ! (one that failed) */
    const char *text;
    const char *output; /* of a command */
};

static struct jz__event segment_event(const struct line *line)
{
    struct jz__event event;

    memset(&event, 0, sizeof(event));
    if (line->who == 'u' || line->who == 'a') {
        event.kind = line->who == 'u' ? JZ__EVENT_USER : JZ__EVENT_ASSISTANT;
        event.text = jz__str_of(line->text);
        return event;
    }
    event.kind = JZ__EVENT_TOOL;
    event.tool = JZ__STR("Bash");
    event.argument = jz__str_of(line->text);
    event.command = jz__str_of(line->text);
    event.output = jz__str_of(line->output);
    event.state = line->who == '$' ? JZ__TOOL_OK : JZ__TOOL_FAILED;
    return event;
}

/* Extract the item; title is the agent's own, "" if it has none. */
static inline int segment_extract(struct jz__extract *out,
                                  const struct line *lines, size_t count,
                                  const char *title, int number)
{
    struct jz__event events[SEGMENT_LINES_MOST];
    const struct jz__event *pointers[SEGMENT_LINES_MOST];
    struct jz__extract_context context = { jz__str_of(title), number,
                                           number + 1 };
    size_t i;

    assert(count <= SEGMENT_LINES_MOST);
    for (i = 0; i < count; i++) {
        events[i] = segment_event(&lines[i]);
        pointers[i] = &events[i];
    }
    memset(out, 0, sizeof(*out));
    return jz__extract_segment(out, pointers, count, &context);
}

/* The text of the atom of this kind that holds `part`, or NULL. */
static inline const char *segment_atom(const struct jz__extract *item,
                                       const char *kind, const char *part)
{
    size_t i;

    for (i = 0; i < item->atom_count; i++) {
        if (strcmp(item->atoms[i].kind, kind) == 0 &&
            jz__str_find(item->atoms[i].text, part) != SIZE_MAX) {
            return item->atoms[i].text.data;
        }
    }
    return NULL;
}

#endif
