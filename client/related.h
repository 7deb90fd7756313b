/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the items that a search found are related to a prompt. */
#ifndef JEZERO_CLIENT_RELATED_H
#define JEZERO_CLIENT_RELATED_H

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "context.h"
#include "words.h"

#define RELATED_MOST 3

struct related {
    const struct words *words; /* those that were searched for */
    const char *session;       /* the session's own items are left out */
    const cJSON *shown;        /* ids, or NULL: these were shown already */
    struct context_item items[RELATED_MOST];
    size_t count;
};

/*
 * Add those of a search's answer, the best first, that hold at least two of the
 * words (one, if there is only one) and score at least half of the answer's
 * best. The answer must live as long as the items. 0 or JZ_ENOMEM.
 */
int related_add(struct related *related, const cJSON *answer);

/* What is printed of an item as the reads return it. Borrowed from it. */
struct context_item related_item(const cJSON *item);

/* Is the number one of the array's? */
bool related_holds_id(const cJSON *ids, int64_t id);

#endif
