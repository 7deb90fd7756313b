/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction comes first, event by event: what is rendered, hashed, summarised
 * and stored is made from the redacted events alone. The hash of the original
 * tells at the next pass whether the segment has to be done again.
 */
#include "ingest/segment_item.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "ingest/extract.h"
#include "ingest/segment.h"

/* The redacted copies of the events of one segment. */
struct redacted {
    struct jz__arena arena;
    struct jz__event *events;
    const struct jz__event **pointers;
};

static void redacted_finish(struct redacted *redacted)
{
    jz__arena_finish(&redacted->arena);
}

/* Redact a slice in place: it is copied only if something was found. */
static int redact(struct jz__str *text, struct redacted *out,
                  const struct jz__redact_options *options)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;
    size_t found = 0;

    if (text->length == 0) {
        return JZ_OK;
    }
    jz__redact_text(&clean, &found, *text, options);
    if (clean.error != 0) {
        return clean.error;
    }
    if (found > 0) {
        text->data = jz__arena_copy(&out->arena, clean.data, clean.length);
        text->length = clean.length;
    }
    return text->data != NULL ? JZ_OK : JZ_ENOMEM;
}

static int redact_event(struct jz__event *event, struct redacted *out,
                        const struct jz__redact_options *options)
{
    int r = redact(&event->text, out, options);

    if (r == 0) {
        r = redact(&event->tool, out, options);
    }
    if (r == 0) {
        r = redact(&event->argument, out, options);
    }
    if (r == 0) {
        r = redact(&event->command, out, options);
    }
    return r == 0 ? redact(&event->output, out, options) : r;
}

static int redact_events(struct redacted *out,
                         const struct jz__event *const *events, size_t count,
                         const struct jz__redact_options *options)
{
    size_t i;

    out->events = jz__arena_alloc(&out->arena, count * sizeof(*out->events));
    out->pointers =
        jz__arena_alloc(&out->arena, count * sizeof(*out->pointers));
    if (out->events == NULL || out->pointers == NULL) {
        return JZ_ENOMEM;
    }
    for (i = 0; i < count; i++) {
        int r;

        out->events[i] = *events[i];
        r = redact_event(&out->events[i], out, options);
        if (r < 0) {
            return r;
        }
        out->pointers[i] = &out->events[i];
    }
    return JZ_OK;
}

static const char *copy_str(struct jz__item *item, struct jz__str text)
{
    return jz__arena_copy(&item->arena, text.data != NULL ? text.data : "",
                          text.length);
}

static const char *copy_text(struct jz__item *item, const char *text)
{
    return copy_str(item, jz__str_of(text));
}

/* One line of at most `most` characters. */
static const char *copy_line(struct jz__item *item, struct jz__str text,
                             size_t most)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;

    jz__utf8_one_line(&line, text.data != NULL ? text.data : "", text.length);
    jz__utf8_cut(&cut, line.data != NULL ? line.data : "", line.length, most);
    if (line.error != 0 || cut.error != 0) {
        return NULL;
    }
    return jz__arena_copy(&item->arena, cut.data != NULL ? cut.data : "",
                          cut.length);
}

/* Move what the summariser found into the item. */
static int take_extract(struct jz__item *item,
                        const struct jz__extract *extract)
{
    size_t i;

    item->title = copy_line(item, extract->title, JZ__ITEM_TITLE_MOST);
    item->summary = copy_str(item, extract->summary);
    item->questions = jz__arena_alloc(
        &item->arena, (extract->question_count + 1) * sizeof(*item->questions));
    item->atoms = jz__arena_alloc(&item->arena, (extract->atom_count + 1) *
                                                    sizeof(*item->atoms));
    if (item->title == NULL || item->summary == NULL ||
        item->questions == NULL || item->atoms == NULL) {
        return JZ_ENOMEM;
    }
    for (i = 0; i < extract->question_count; i++) {
        item->questions[i] = copy_str(item, extract->questions[i]);
        if (item->questions[i] == NULL) {
            return JZ_ENOMEM;
        }
    }
    item->question_count = extract->question_count;
    for (i = 0; i < extract->atom_count; i++) {
        item->atoms[i].kind = extract->atoms[i].kind;
        item->atoms[i].text = copy_str(item, extract->atoms[i].text);
        if (item->atoms[i].text == NULL) {
            return JZ_ENOMEM;
        }
    }
    item->atom_count = extract->atom_count;
    return JZ_OK;
}

static int set_names(struct jz__item *item,
                     const struct jz__conversation *conversation,
                     const struct jz__segment_item_options *options)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;

    item->source = copy_text(item, options->source);
    item->project =
        options->project != NULL ? copy_text(item, options->project) : NULL;
    item->trust = "own";
    item->summarizer = JZ__SEGMENT_ITEM_SUMMARIZER;
    jz__buf_append(&name, conversation->session.data,
                   conversation->session.length);
    jz__buf_printf(&name, "#%d", options->number);
    if (name.error != 0) {
        return JZ_ENOMEM;
    }
    item->external_id = copy_text(item, name.data);
    jz__buf_clear(&name);
    jz__buf_printf(&name, "%s-session:", options->agent);
    jz__buf_append(&name, conversation->session.data,
                   conversation->session.length);
    if (name.error != 0) {
        return JZ_ENOMEM;
    }
    item->original_ref = copy_text(item, name.data);
    return item->source != NULL && item->external_id != NULL &&
                   item->original_ref != NULL &&
                   (item->project != NULL || options->project == NULL)
               ? JZ_OK
               : JZ_ENOMEM;
}

/* The rendered original, and the hash of all that the item is made from. */
static int set_original(struct jz__item *item, const struct redacted *redacted,
                        size_t count, struct jz__str title)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__str whole;
    uint64_t seed;
    size_t i;

    for (i = 0; i < count; i++) {
        jz__segment_render(&text, redacted->pointers[i]);
    }
    if (text.error != 0) {
        return JZ_ENOMEM;
    }
    whole.data = text.data != NULL ? text.data : "";
    whole.length = text.length;
    seed = jz__str_hash(title,
                        jz__str_hash(JZ__STR(JZ__SEGMENT_ITEM_SUMMARIZER), 0));
    item->text_hash = (int64_t)jz__str_hash(whole, seed);
    item->has_original = true;
    item->original = copy_str(item, whole);
    return item->original != NULL ? JZ_OK : JZ_ENOMEM;
}

static int64_t last_time(const struct jz__event *const *events, size_t count,
                         int64_t fallback)
{
    int64_t time_ms = events[count - 1]->time_ms;

    return time_ms > 0 ? time_ms / 1000 : fallback;
}

static int summarize(struct jz__item *item, const struct redacted *redacted,
                     size_t count, const struct jz__extract_context *context)
{
    JZ_CLEANUP(jz__extract_finish)
    struct jz__extract extract = { .question_count = 0 };
    int r = jz__extract_segment(&extract, redacted->pointers, count, context);

    return r == 0 ? take_extract(item, &extract) : r;
}

int jz__segment_item_build(struct jz__item *out,
                           const struct jz__conversation *conversation,
                           const struct jz__event *const *events, size_t count,
                           const struct jz__segment_item_options *options)
{
    JZ_CLEANUP(redacted_finish) struct redacted redacted = { .events = NULL };
    struct jz__extract_context context = { conversation->title, options->number,
                                           options->segments };
    int r;

    assert(count > 0);

    r = redact(&context.title, &redacted, options->redact);
    if (r == 0) {
        r = redact_events(&redacted, events, count, options->redact);
    }
    if (r == 0) {
        r = set_names(out, conversation, options);
    }
    if (r == 0) {
        r = set_original(out, &redacted, count, context.title);
    }
    if (r == 0) {
        r = summarize(out, &redacted, count, &context);
    }
    out->occurred_at = last_time(events, count, options->fallback_time);
    return r;
}
