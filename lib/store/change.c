/* SPDX-License-Identifier: Apache-2.0 */
/* Applying a list of changes. See change.h. */
#include "store/change.h"

#include <assert.h>
#include <string.h>

struct jz__item *jz__changes_add_item(struct jz__changes *changes)
{
    struct jz__item *item;

    if (jz__mem_grow(&changes->items, &changes->item_capacity,
                     changes->item_count + 1, sizeof(*changes->items)) < 0) {
        return NULL;
    }
    item = &changes->items[changes->item_count++];
    memset(item, 0, sizeof(*item));
    return item;
}

struct jz__change_document *
jz__changes_add_document(struct jz__changes *changes)
{
    struct jz__change_document *document;

    if (jz__mem_grow(&changes->documents, &changes->document_capacity,
                     changes->document_count + 1,
                     sizeof(*changes->documents)) < 0) {
        return NULL;
    }
    document = &changes->documents[changes->document_count++];
    memset(document, 0, sizeof(*document));
    document->document.own_time_ms = INT64_MAX;
    return document;
}

int jz__changes_hide(struct jz__changes *changes, int64_t id)
{
    if (jz__mem_grow(&changes->hidden, &changes->hidden_capacity,
                     changes->hidden_count + 1, sizeof(*changes->hidden)) < 0) {
        return JZ_ENOMEM;
    }
    changes->hidden[changes->hidden_count++] = id;
    return JZ_OK;
}

void jz__changes_finish(struct jz__changes *changes)
{
    size_t i;

    for (i = 0; i < changes->item_count; i++) {
        jz__item_finish(&changes->items[i]);
    }
    for (i = 0; i < changes->document_count; i++) {
        jz__document_finish(&changes->documents[i].document);
        free(changes->documents[i].messages);
    }
    free(changes->items);
    free(changes->hidden);
    free(changes->documents);
    memset(changes, 0, sizeof(*changes));
}

void jz__changes_result_finish(struct jz__changes_result *result)
{
    free(result->ids);
    memset(result, 0, sizeof(*result));
}

static int apply_items(struct jz__changes_result *out, struct jz__store *store,
                       const struct jz__changes *changes)
{
    size_t i;

    out->ids = calloc(changes->item_count + 1, sizeof(*out->ids));
    if (out->ids == NULL) {
        return jz__fail_memory(store->error);
    }
    for (i = 0; i < changes->item_count; i++) {
        bool created = false;
        int r = jz__item_put(&out->ids[i], &created, store, &changes->items[i]);

        if (r < 0) {
            return r;
        }
        out->created += created;
        out->changed += !created;
    }
    for (i = 0; i < changes->hidden_count; i++) {
        int r = jz__item_hide(store, changes->hidden[i]);

        if (r < 0) {
            return r;
        }
        out->hidden++;
    }
    return JZ_OK;
}

static int apply_documents(struct jz__store *store,
                           const struct jz__changes *changes)
{
    size_t i;

    for (i = 0; i < changes->document_count; i++) {
        const struct jz__change_document *change = &changes->documents[i];
        int64_t id = 0;
        int r = JZ_OK;

        if (change->moved_from != 0) {
            r = jz__document_move(store, change->moved_from,
                                  change->document.path);
        }
        if (r == 0) {
            r = jz__document_put(&id, store, &change->document);
        }
        if (r == 0 && !change->keeps_messages) {
            r = jz__document_set_messages(store, id, change->messages,
                                          change->message_count);
        }
        if (r < 0) {
            return r;
        }
    }
    return JZ_OK;
}

int jz__changes_apply(struct jz__changes_result *out, struct jz__store *store,
                      const struct jz__changes *changes, bool only_fresh)
{
    int64_t position = 0;
    int r = store->in_write ? JZ_OK : jz__store_write_begin(store);

    memset(out, 0, sizeof(*out));
    if (r < 0) {
        return r;
    }
    r = jz__store_state_get(&position, store, "position");
    if (r == 0 && only_fresh && position != changes->position) {
        jz__store_write_rollback(store);
        out->is_stale = true;
        return JZ_OK;
    }
    if (r == 0) {
        r = apply_items(out, store, changes);
    }
    if (r == 0) {
        r = apply_documents(store, changes);
    }
    if (r == 0) {
        r = jz__store_next_position(&position, store);
    }
    if (r == 0) {
        return jz__store_write_commit(store);
    }
    jz__store_write_rollback(store);
    return r;
}
