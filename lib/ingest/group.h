/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The documents that share messages with one that was just read, and whose
 * message is whose after that. Reads the store, writes nothing.
 */
#ifndef JZ_INGEST_GROUP_H
#define JZ_INGEST_GROUP_H

#include "ingest/conversation.h"
#include "store/document.h"

struct jz__group_member {
    struct jz__document document; /* [0]: the one that was read, else stored */
    struct jz__document_message *messages; /* sorted by key, no key twice */
    size_t message_count;
    bool has_changed; /* another set of messages counts for it now */
};

struct jz__group {
    struct jz__group_member *members;
    size_t count;
    size_t capacity;
};

/*
 * Gather the group of a document that was read and decide. `document` gives
 * source, path, session, parent and own_time_ms; its texts are borrowed.
 * 0 or negative with store->error set.
 */
int jz__group_decide(struct jz__group *out, struct jz__store *store,
                     const struct jz__document *document,
                     const struct jz__conversation *conversation);

/* Does the event count for this member? */
bool jz__group_owns(const struct jz__group_member *member, uint64_t key);

void jz__group_finish(struct jz__group *group);

#endif
