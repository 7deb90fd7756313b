/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one path for every write: a list of changes is staged without writing
 * anything, and then applied in one transaction that also moves the library's
 * position on. A pass that is killed has done nothing.
 */
#ifndef JZ_STORE_CHANGE_H
#define JZ_STORE_CHANGE_H

#include "store/document.h"
#include "store/item.h"

/* A document with its messages. */
struct jz__change_document {
    struct jz__document document;
    struct jz__document_message *messages; /* malloc'ed */
    size_t message_count;
    int64_t moved_from;  /* id of the row that this file took over; 0: none */
    bool keeps_messages; /* nothing is known of them: leave them as they are */
};

struct jz__changes {
    int64_t position;       /* of the library when this was staged */
    struct jz__item *items; /* malloc'ed; each finished with the list */
    size_t item_count;
    size_t item_capacity;
    size_t new_count; /* of the items: not stored when this was staged */
    int64_t *hidden;  /* ids */
    size_t hidden_count;
    size_t hidden_capacity;
    struct jz__change_document *documents;
    size_t document_count;
    size_t document_capacity;
};

/* What applying came to. */
struct jz__changes_result {
    int64_t *ids; /* of .items, in order; malloc'ed */
    int64_t created;
    int64_t changed;
    int64_t hidden;
    bool is_stale; /* the library moved on since: nothing was written */
};

/* New, zeroed elements at the end; NULL when out of memory. */
struct jz__item *jz__changes_add_item(struct jz__changes *changes);
struct jz__change_document *
jz__changes_add_document(struct jz__changes *changes);
int jz__changes_hide(struct jz__changes *changes, int64_t id);

/* Apply all or nothing, in a transaction of its own or in the one that is open,
 * which it ends. With `only_fresh`, a library whose position is not
 * changes->position any more is left alone (is_stale). */
int jz__changes_apply(struct jz__changes_result *out, struct jz__store *store,
                      const struct jz__changes *changes, bool only_fresh);

void jz__changes_finish(struct jz__changes *changes);
void jz__changes_result_finish(struct jz__changes_result *result);

#endif
