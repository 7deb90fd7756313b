/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearly always the group is the document alone: then every message is its own
 * and nothing is decided. Otherwise it grows until no member shares a message
 * with a document outside it, because a new copy can change the rank of one
 * member and with that the messages of a third.
 */
#include "ingest/group.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "ingest/owner.h"

static int compare_messages(const void *a, const void *b)
{
    const struct jz__document_message *x = a;
    const struct jz__document_message *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

/* Sort by key; of a message that comes twice keep the earlier time. */
static void sort_messages(struct jz__group_member *member)
{
    struct jz__document_message *messages = member->messages;
    size_t kept = 0;
    size_t i;

    if (member->message_count < 2) {
        return;
    }
    qsort(messages, member->message_count, sizeof(*messages), compare_messages);
    for (i = 0; i < member->message_count; i++) {
        if (kept > 0 && messages[kept - 1].key == messages[i].key) {
            if (messages[i].time_ms < messages[kept - 1].time_ms) {
                messages[kept - 1].time_ms = messages[i].time_ms;
            }
        } else {
            messages[kept++] = messages[i];
        }
    }
    member->message_count = kept;
}

static struct jz__group_member *add_member(struct jz__group *group)
{
    struct jz__group_member *member;

    if (jz__mem_grow(&group->members, &group->capacity, group->count + 1,
                     sizeof(*group->members)) < 0) {
        return NULL;
    }
    member = &group->members[group->count++];
    memset(member, 0, sizeof(*member));
    return member;
}

/* The document that was read, with the messages it has now. */
static int add_read(struct jz__group *group,
                    const struct jz__document *document,
                    const struct jz__conversation *conversation)
{
    struct jz__group_member *member = add_member(group);
    size_t i;

    if (member == NULL) {
        return JZ_ENOMEM;
    }
    member->document = *document;
    memset(&member->document.arena, 0, sizeof(member->document.arena));
    member->messages =
        calloc(conversation->count + 1, sizeof(*member->messages));
    if (member->messages == NULL) {
        return JZ_ENOMEM;
    }
    for (i = 0; i < conversation->count; i++) {
        member->messages[i].key = conversation->events[i].key;
        member->messages[i].time_ms = conversation->events[i].time_ms;
        member->messages[i].is_owned = true;
    }
    member->message_count = conversation->count;
    sort_messages(member);
    return JZ_OK;
}

static bool is_member(const struct jz__group *group, int64_t id)
{
    size_t i;

    for (i = 0; i < group->count; i++) {
        if (group->members[i].document.id == id) {
            return true;
        }
    }
    return false;
}

static int add_stored(struct jz__group *group, struct jz__store *store,
                      int64_t id)
{
    struct jz__group_member *member = add_member(group);
    int r;

    if (member == NULL) {
        return jz__fail_memory(store->error);
    }
    r = jz__document_get(&member->document, store, id);
    if (r < 0) {
        return r;
    }
    if (r == 0 || strcmp(member->document.session,
                         group->members[0].document.session) == 0) {
        /* Another file of the same session shares everything and is no other
         * holder: it takes part without messages. */
        member->document.id = id;
        return JZ_OK;
    }
    r = jz__document_messages(&member->messages, &member->message_count, store,
                              id);
    sort_messages(member);
    return r;
}

/* Add every document that shares a message with member `at`. */
static int add_sharing(struct jz__group *group, struct jz__store *store,
                       size_t at, const char *source)
{
    JZ_CLEANUP(jz__mem_freep) int64_t *ids = NULL;
    size_t count = 0;
    size_t capacity = 0;
    size_t i;
    int r = JZ_OK;

    for (i = 0; i < group->members[at].message_count && r == 0; i++) {
        size_t k;

        count = 0;
        r = jz__document_holders(&ids, &count, &capacity, store, source,
                                 group->members[at].messages[i].key);
        for (k = 0; k < count && r == 0; k++) {
            if (!is_member(group, ids[k])) {
                r = add_stored(group, store, ids[k]);
            }
        }
    }
    return r;
}

/* Its file is as it was when it was read, so it can be read again. */
static bool can_be_read(const struct jz__document *document)
{
    struct jz__file_state state;

    return jz__file_stat(&state, document->path, NULL) == 0 &&
           state.size == document->file.size &&
           state.mtime_ns == document->file.mtime_ns;
}

/* Every message of every member, in one array. */
static int collect(struct jz__owner_record **out, size_t *count,
                   const struct jz__group *group)
{
    struct jz__owner_record *records;
    size_t total = 0;
    size_t at = 0;
    size_t m;
    size_t i;

    for (m = 0; m < group->count; m++) {
        total += group->members[m].message_count;
    }
    records = calloc(total + 1, sizeof(*records));
    if (records == NULL) {
        return JZ_ENOMEM;
    }
    for (m = 0; m < group->count; m++) {
        const struct jz__group_member *member = &group->members[m];

        for (i = 0; i < member->message_count; i++) {
            records[at].key = member->messages[i].key;
            records[at].time_ms = member->messages[i].time_ms;
            records[at].holder = (uint32_t)m;
            records[at].was_owned = m > 0 && member->messages[i].is_owned;
            at++;
        }
    }
    *out = records;
    *count = total;
    return JZ_OK;
}

static struct jz__document_message *
find_message(const struct jz__group_member *member, uint64_t key)
{
    struct jz__document_message wanted = { .key = key };

    return member->message_count == 0
               ? NULL
               : bsearch(&wanted, member->messages, member->message_count,
                         sizeof(wanted), compare_messages);
}

static void take_decision(struct jz__group *group,
                          const struct jz__owner_record *records, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        struct jz__group_member *member = &group->members[records[i].holder];
        struct jz__document_message *message =
            find_message(member, records[i].key);

        assert(message != NULL);
        if (message->is_owned != records[i].is_owned) {
            message->is_owned = records[i].is_owned;
            member->has_changed = true;
        }
    }
}

static int decide(struct jz__group *group)
{
    JZ_CLEANUP(jz__mem_freep)
    struct jz__owner_holder *holders = calloc(group->count, sizeof(*holders));
    JZ_CLEANUP(jz__mem_freep) struct jz__owner_record *records = NULL;
    size_t count;
    size_t i;
    int r;

    if (holders == NULL) {
        return JZ_ENOMEM;
    }
    for (i = 0; i < group->count; i++) {
        const struct jz__document *document = &group->members[i].document;

        holders[i].session = document->session != NULL ? document->session : "";
        holders[i].parent = document->parent;
        holders[i].own_time_ms = document->own_time_ms;
        holders[i].is_fixed = i > 0 && group->members[i].message_count > 0 &&
                              !can_be_read(document);
    }
    r = collect(&records, &count, group);
    if (r == 0) {
        r = jz__owner_decide(records, count, holders, group->count);
    }
    if (r == 0) {
        take_decision(group, records, count);
    }
    return r;
}

int jz__group_decide(struct jz__group *out, struct jz__store *store,
                     const struct jz__document *document,
                     const struct jz__conversation *conversation)
{
    size_t at;
    int r = add_read(out, document, conversation);

    if (r < 0) {
        return jz__fail_memory(store->error);
    }
    for (at = 0; at < out->count; at++) {
        r = add_sharing(out, store, at, document->source);
        if (r < 0) {
            return r;
        }
    }
    if (out->count > 1 && decide(out) < 0) {
        return jz__fail_memory(store->error);
    }
    return JZ_OK;
}

bool jz__group_owns(const struct jz__group_member *member, uint64_t key)
{
    const struct jz__document_message *message = find_message(member, key);

    return message != NULL && message->is_owned;
}

void jz__group_finish(struct jz__group *group)
{
    size_t i;

    for (i = 0; i < group->count; i++) {
        jz__document_finish(&group->members[i].document);
        free(group->members[i].messages);
    }
    free(group->members);
    memset(group, 0, sizeof(*group));
}
