/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staging. Segments are cut over all messages of a session, before it is known
 * which of them count for it: so a message that moves to another session never
 * moves the boundaries of the rest. A segment that has lost all its messages
 * hides its item; one whose text is what it was is left alone.
 */
#include "ingest/stage.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "ingest/group.h"
#include "ingest/item_import.h"
#include "ingest/segment_item.h"

/* What staging one document works with. */
struct stage {
    struct jz__changes *changes;
    struct jz__store *store;
    const struct jz__pass_options *options;
    const struct jz__group_member *member;
    const struct jz__conversation *conversation;
    struct jz__segment_item_options item_options;
    struct jz__item_segment *stored; /* items of the session as they are */
    size_t stored_count;
    const struct jz__event **events; /* scratch: those that count */
};

static void stage_finish(struct stage *stage)
{
    free(stage->stored);
    free(stage->events);
}

/* The events of a segment that count for this session. */
static size_t pick_events(struct stage *stage,
                          const struct jz__segment *segment)
{
    size_t count = 0;
    size_t i;

    for (i = segment->first; i < segment->first + segment->count; i++) {
        const struct jz__event *event = &stage->conversation->events[i];

        if (jz__group_owns(stage->member, event->key)) {
            stage->events[count++] = event;
        }
    }
    return count;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Is the stored item what would be written again? One that is not stored yet,
 * or hidden, counts as new. */
static int is_unchanged(bool *out, struct stage *stage,
                        const struct jz__item *item)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item old = JZ__ITEM_INIT;
    int r = jz__item_find(&old, stage->store, item->source, item->external_id);

    stage->changes->new_count += r == 0 || (r > 0 && old.is_hidden);
    *out = r > 0 && !old.is_hidden && old.text_hash == item->text_hash &&
           old.occurred_at == item->occurred_at &&
           same_text(old.project, item->project);
    return r < 0 ? r : JZ_OK;
}

static int stage_segment(struct stage *stage, const struct jz__segment *segment,
                         size_t event_count, size_t segment_count)
{
    struct jz__item *item = jz__changes_add_item(stage->changes);
    bool unchanged = false;
    int r;

    if (item == NULL) {
        return jz__fail_memory(stage->store->error);
    }
    stage->item_options.number = segment->number;
    stage->item_options.segments = (int)segment_count;
    r = jz__segment_item_build(item, stage->conversation, stage->events,
                               event_count, &stage->item_options);
    if (r < 0) {
        return jz__fail_memory(stage->store->error);
    }
    r = is_unchanged(&unchanged, stage, item);
    if (r == 0 && unchanged) {
        jz__item_finish(item);
        stage->changes->item_count--;
    }
    return r;
}

/* Hide the item of a segment, if there is one. */
static int hide_segment(struct stage *stage, int64_t number)
{
    size_t i;

    for (i = 0; i < stage->stored_count; i++) {
        if (stage->stored[i].number == number &&
            jz__changes_hide(stage->changes, stage->stored[i].id) < 0) {
            return jz__fail_memory(stage->store->error);
        }
    }
    return JZ_OK;
}

static int stage_segments(struct stage *stage)
{
    JZ_CLEANUP(jz__mem_freep) struct jz__segment *segments = NULL;
    size_t count = 0;
    int64_t last = -1;
    size_t i;
    int r = jz__segment_cut(&segments, &count, stage->conversation,
                            stage->options->segment);

    if (r < 0) {
        return jz__fail_memory(stage->store->error);
    }
    for (i = 0; i < count && r == 0; i++) {
        size_t event_count = pick_events(stage, &segments[i]);

        last = segments[i].number;
        r = event_count > 0
                ? stage_segment(stage, &segments[i], event_count, count)
                : hide_segment(stage, last);
    }
    /* A file that became shorter leaves segments behind. */
    for (i = 0; i < stage->stored_count && r == 0; i++) {
        if (stage->stored[i].number > last) {
            r = hide_segment(stage, stage->stored[i].number);
        }
    }
    return r;
}

/* The project of the session: given, or by the rules; redacted. */
static int find_project(struct jz__buf *out, const struct stage *stage)
{
    const struct jz__pass_options *options = stage->options;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    const char *rule;
    struct jz__str text;

    if (options->project != NULL) {
        jz__item_import_project(&name, options->project);
    }
    /* A name of nothing that can be shown is none. */
    if (name.error == 0 && name.length == 0 &&
        stage->conversation->folder.length > 0) {
        int r;

        jz__buf_append(&folder, stage->conversation->folder.data,
                       stage->conversation->folder.length);
        if (folder.error != 0) {
            return folder.error;
        }
        r = jz__rules_resolve(&name, &rule, options->rules, folder.data,
                              options->is_local, stage->store->error);
        if (r < 0) {
            return r;
        }
    }
    text.data = name.data != NULL ? name.data : "";
    text.length = name.length;
    jz__redact_text(out, NULL, text, options->redact);
    return name.error != 0 ? name.error : out->error;
}

static int stage_items(struct stage *stage)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf project = JZ__BUF_INIT;
    const struct jz__document *document = &stage->member->document;
    int r = find_project(&project, stage);

    if (r < 0) {
        return r == JZ_ENOMEM ? jz__fail_memory(stage->store->error) : r;
    }
    stage->item_options.source = document->source;
    stage->item_options.agent = document->agent;
    stage->item_options.project = project.length > 0 ? project.data : NULL;
    stage->item_options.redact = stage->options->redact;
    stage->item_options.fallback_time = document->file.mtime_ns / 1000000000;
    stage->events =
        calloc(stage->conversation->count + 1, sizeof(*stage->events));
    if (stage->events == NULL) {
        return jz__fail_memory(stage->store->error);
    }
    r = jz__item_segments(&stage->stored, &stage->stored_count, stage->store,
                          document->source, document->session);
    return r == 0 ? stage_segments(stage) : r;
}

/* The document's row and messages. Its texts go into the change's arena. */
static int stage_row(struct jz__changes *changes,
                     const struct jz__group_member *member)
{
    struct jz__change_document *change = jz__changes_add_document(changes);
    const struct jz__document *from = &member->document;
    struct jz__document *to;
    size_t bytes = member->message_count * sizeof(*member->messages);

    if (change == NULL) {
        return JZ_ENOMEM;
    }
    to = &change->document;
    *to = *from;
    memset(&to->arena, 0, sizeof(to->arena));
    to->source = jz__arena_copy(&to->arena, from->source, strlen(from->source));
    to->path = jz__arena_copy(&to->arena, from->path, strlen(from->path));
    to->session =
        jz__arena_copy(&to->arena, from->session, strlen(from->session));
    to->agent = jz__arena_copy(&to->arena, from->agent, strlen(from->agent));
    to->state = "stored";
    to->reason = NULL;
    if (from->parent != NULL) {
        to->parent =
            jz__arena_copy(&to->arena, from->parent, strlen(from->parent));
    }
    change->messages = malloc(bytes + 1);
    if (to->source == NULL || to->path == NULL || to->session == NULL ||
        to->agent == NULL || (from->parent != NULL && to->parent == NULL) ||
        change->messages == NULL) {
        return JZ_ENOMEM;
    }
    if (bytes > 0) {
        memcpy(change->messages, member->messages, bytes);
    }
    change->message_count = member->message_count;
    return JZ_OK;
}

static int stage_member(struct jz__changes *changes, struct jz__store *store,
                        const struct jz__pass_options *options,
                        const struct jz__group_member *member,
                        const struct jz__conversation *conversation)
{
    JZ_CLEANUP(stage_finish)
    struct stage stage = {
        .changes = changes,
        .store = store,
        .options = options,
        .member = member,
        .conversation = conversation,
    };
    int r = stage_items(&stage);

    if (r == 0 && stage_row(changes, member) < 0) {
        return jz__fail_memory(store->error);
    }
    return r;
}

/*
 * The project that a document's items have: 1, 0 if there is none, negative. It
 * may have come with the file, so that the rules would not find it again.
 */
static int find_kept_project(struct jz__item *out, struct jz__store *store,
                             const struct jz__document *document)
{
    JZ_CLEANUP(jz__mem_freep) struct jz__item_segment *stored = NULL;
    size_t count = 0;
    int r = jz__item_segments(&stored, &count, store, document->source,
                              document->session);

    return r == 0 && count > 0 ? jz__item_get(out, store, stored[0].id) : r;
}

/* A document whose messages count elsewhere now, or for it again: its file is
 * read once more. It was looked at a moment ago; if it is gone by now, its
 * items stay as they are. */
static int stage_other(struct jz__changes *changes, struct jz__store *store,
                       const struct jz__pass_options *options,
                       const struct jz__group_member *member)
{
    JZ_CLEANUP(jz__conversation_finish)
    struct jz__conversation conversation = JZ__CONVERSATION_INIT;
    JZ_CLEANUP(jz__item_finish) struct jz__item kept = JZ__ITEM_INIT;
    struct jz__error ignored;
    struct jz__pass_options other = *options;
    int r;

    other.connector = jz__connector_find(member->document.agent);
    if (other.connector == NULL) {
        return JZ_OK;
    }
    r = find_kept_project(&kept, store, &member->document);
    if (r < 0) {
        return r;
    }
    other.project = kept.project;
    r = other.connector->read(&conversation, member->document.path, &ignored);
    if (r < 0) {
        return r == JZ_ENOMEM ? jz__fail_memory(store->error) : JZ_OK;
    }
    return stage_member(changes, store, &other, member, &conversation);
}

int jz__stage_document(struct jz__changes *changes, struct jz__store *store,
                       const struct jz__pass_options *options,
                       const struct jz__document *document,
                       const struct jz__conversation *conversation)
{
    JZ_CLEANUP(jz__group_finish) struct jz__group group = { .members = NULL };
    size_t i;
    int r = jz__group_decide(&group, store, document, conversation);

    if (r == 0) {
        r = stage_member(changes, store, options, &group.members[0],
                         conversation);
    }
    for (i = 1; i < group.count && r == 0; i++) {
        if (group.members[i].has_changed) {
            r = stage_other(changes, store, options, &group.members[i]);
        }
    }
    return r;
}
