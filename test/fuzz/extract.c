/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what people, agents and commands wrote. The input is cut at
 * 0xFF; the first byte of a piece says whose it is. What comes out keeps to the
 * limits of an item, whatever went in.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ingest/extract.h"

#define EVENTS_MOST 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_text(struct jz__str text, size_t most)
{
    require(text.data != NULL && strlen(text.data) == text.length);
    require(jz__utf8_is_clean(text.data, text.length));
    require(jz__utf8_count(text.data, text.length) <= most);
    require(memchr(text.data, '\n', text.length) == NULL);
}

static void check_item(const struct jz__extract *item)
{
    size_t i;

    check_text(item->title, JZ__EXTRACT_TITLE_MOST);
    check_text(item->summary, JZ__EXTRACT_SUMMARY_MOST);
    require(item->question_count <= JZ__EXTRACT_QUESTIONS_MOST);
    for (i = 0; i < item->question_count; i++) {
        check_text(item->questions[i], JZ__EXTRACT_QUESTION_MOST);
    }
    require(item->atom_count <= JZ__EXTRACT_ATOMS_MOST);
    for (i = 0; i < item->atom_count; i++) {
        check_text(item->atoms[i].text, JZ__EXTRACT_ATOM_MOST);
        require(strstr("decision rationale fix error command fact risk",
                       item->atoms[i].kind) != NULL);
    }
}

static void fill(struct jz__event *event, uint8_t who, struct jz__str text)
{
    memset(event, 0, sizeof(*event));
    event->kind = (enum jz__event_kind)(who % 3);
    event->text = text;
    if (event->kind == JZ__EVENT_TOOL) {
        /* The command up to its first form feed, then the output. */
        const char *end =
            text.length > 0 ? memchr(text.data, '\f', text.length) : NULL;
        size_t length = end != NULL ? (size_t)(end - text.data) : text.length;

        event->text.length = 0;
        event->state = (enum jz__tool_state)(who / 3 % 3);
        event->command = (struct jz__str){ text.data, length };
        event->output =
            (struct jz__str){ text.data + length, text.length - length };
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__buf texts[EVENTS_MOST];
    struct jz__event events[EVENTS_MOST];
    const struct jz__event *pointers[EVENTS_MOST];
    struct jz__extract_context context = { JZ__STR(""), 0, 1 };
    struct jz__extract item;
    size_t count = 0;
    size_t i;

    memset(texts, 0, sizeof(texts));
    memset(&item, 0, sizeof(item));
    while (size > 1 && count < EVENTS_MOST) {
        const uint8_t *end = memchr(data + 1, 0xFF, size - 1);
        size_t length = end != NULL ? (size_t)(end - data) : size;
        struct jz__buf *text = &texts[count];

        jz__utf8_clean(text, (const char *)data + 1, length - 1);
        fill(&events[count], data[0],
             (struct jz__str){ text->data != NULL ? text->data : "",
                               text->length });
        pointers[count] = &events[count];
        count++;
        data += end != NULL ? length + 1 : length;
        size -= end != NULL ? length + 1 : length;
    }
    require(jz__extract_segment(&item, pointers, count, &context) == 0);
    require(item.title.length > 0);
    check_item(&item);
    jz__extract_finish(&item);
    for (i = 0; i < count; i++) {
        jz__buf_finish(&texts[i]);
    }
    return 0;
}
