/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of events of one session. Records come nearly in the order of time,
 * but not quite (an agent writes the results of parallel calls as they come),
 * so the sort works on runs: short ones by insertion, then merged. It is
 * stable, because records of one millisecond belong in the order of the file.
 *
 * Limits are kept here: a message is cut at JZ__CONVERSATION_MESSAGE_MOST
 * characters, and nothing is added once the conversation takes
 * JZ__CONVERSATION_BYTES_MOST of memory.
 */
#include "ingest/conversation.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "jezero.h"

/* Events that are sorted by insertion; also the length of the first runs. */
#define RUN 16

/* The slices of events and the arena are counted together: a file of millions
 * of tiny messages fills the one, a file of long texts the other. */
bool jz__conversation_is_full(struct jz__conversation *conversation)
{
    if (conversation->arena.total +
            conversation->capacity * sizeof(*conversation->events) >
        JZ__CONVERSATION_BYTES_MOST) {
        conversation->is_cut = true;
    }
    return conversation->is_cut;
}

/* Slices are never NULL, so that no reader has to ask. */
struct jz__event *jz__conversation_add(struct jz__conversation *conversation)
{
    struct jz__event *event;

    assert(conversation != NULL);

    if (jz__mem_grow(&conversation->events, &conversation->capacity,
                     conversation->count + 1,
                     sizeof(*conversation->events)) < 0) {
        return NULL;
    }
    event = &conversation->events[conversation->count++];
    memset(event, 0, sizeof(*event));
    event->text = event->tool = event->argument = JZ__STR("");
    event->command = event->output = JZ__STR("");
    return event;
}

int jz__conversation_keep(struct jz__str *out,
                          struct jz__conversation *conversation,
                          struct jz__str text)
{
    char *copy;

    assert(out != NULL && conversation != NULL);

    *out = JZ__STR("");
    if (text.length == 0) {
        return JZ_OK;
    }
    copy = jz__arena_copy(&conversation->arena, text.data, text.length);
    if (copy == NULL) {
        return JZ_ENOMEM;
    }
    out->data = copy;
    out->length = text.length;
    return JZ_OK;
}

/*
 * The number in the mark is that of the whole message, as far as it was read.
 */
int jz__conversation_keep_message(struct jz__str *out,
                                  struct jz__conversation *conversation,
                                  struct jz__str text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;
    size_t kept;

    text = jz__str_trim(text);
    /* A character is a byte at least. */
    if (text.length <= JZ__CONVERSATION_MESSAGE_MOST) {
        return jz__conversation_keep(out, conversation, text);
    }
    kept =
        jz__utf8_prefix(text.data, text.length, JZ__CONVERSATION_MESSAGE_MOST);
    if (kept == text.length) {
        return jz__conversation_keep(out, conversation, text);
    }
    jz__buf_append(&cut, text.data, kept);
    jz__buf_printf(&cut, "\xE2\x80\xA6 [%zu characters]",
                   jz__utf8_count(text.data, text.length));
    if (cut.error != 0) {
        return cut.error;
    }
    text.data = cut.data;
    text.length = cut.length;
    return jz__conversation_keep(out, conversation, text);
}

/* Nearly sorted runs cost one look at each event. */
static void sort_by_insertion(struct jz__event *events, size_t count)
{
    size_t i;

    for (i = 1; i < count; i++) {
        struct jz__event event = events[i];
        size_t at = i;

        while (at > 0 && events[at - 1].time_ms > event.time_ms) {
            at--;
        }
        if (at < i) {
            memmove(&events[at + 1], &events[at], (i - at) * sizeof(events[0]));
            events[at] = event;
        }
    }
}

/* Merge events[0..left) and events[left..count); spare holds `left` events. */
static void merge(struct jz__event *events, size_t left, size_t count,
                  struct jz__event *spare)
{
    size_t from = 0;
    size_t right = left;
    size_t at = 0;

    if (events[left - 1].time_ms <= events[left].time_ms) {
        return;
    }
    memcpy(spare, events, left * sizeof(events[0]));
    while (from < left) {
        if (right < count && events[right].time_ms < spare[from].time_ms) {
            events[at++] = events[right++];
        } else {
            events[at++] = spare[from++];
        }
    }
}

/* Most files are in order already: then this is one walk. */
void jz__conversation_sort(struct jz__conversation *conversation)
{
    struct jz__event *events = conversation->events;
    size_t count = conversation->count;
    struct jz__event *spare;
    size_t width;
    size_t i;

    for (i = 1; i < count; i++) {
        if (events[i - 1].time_ms > events[i].time_ms) {
            break;
        }
    }
    if (i >= count) {
        return;
    }
    spare = count > RUN ? calloc(count, sizeof(*spare)) : NULL;
    if (spare == NULL) {
        /* Few, or no memory: slower on a file in great disorder, and right. */
        sort_by_insertion(events, count);
        return;
    }
    for (i = 0; i < count; i += RUN) {
        sort_by_insertion(events + i, count - i < RUN ? count - i : RUN);
    }
    for (width = RUN; width < count; width *= 2) {
        for (i = 0; count - i > width; i += 2 * width) {
            size_t rest = count - i;

            merge(events + i, width, rest < 2 * width ? rest : 2 * width,
                  spare);
            if (rest <= 2 * width) {
                break;
            }
        }
    }
    free(spare);
}

void jz__conversation_finish(struct jz__conversation *conversation)
{
    free(conversation->events);
    jz__arena_finish(&conversation->arena);
    memset(conversation, 0, sizeof(*conversation));
}
