/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table from call ids to events. Ids are random or counted by the
 * agent's program, so 64 bits of hash stand for them: two ids of one session
 * with one hash would give one call the other's result, and nothing worse.
 */
#include "ingest/calls.h"

#include <assert.h>
#include <string.h>

#define FIRST_CAPACITY 64

/* The place of an id, or the free one where it belongs. There always is a free
 * one. */
static struct jz__call *find(struct jz__call *places, size_t capacity,
                             uint64_t id)
{
    size_t at = (size_t)id & (capacity - 1);

    while (places[at].id != 0 && places[at].id != id) {
        at = (at + 1) & (capacity - 1);
    }
    return &places[at];
}

/* Keep at least half of the places free, so that a search is short. */
static bool grow(struct jz__calls *calls)
{
    size_t capacity =
        calls->capacity == 0 ? FIRST_CAPACITY : calls->capacity * 2;
    struct jz__call *places;
    size_t i;

    if (calls->count < calls->capacity / 2) {
        return true;
    }
    places = calloc(capacity, sizeof(*places));
    if (places == NULL) {
        return false;
    }
    for (i = 0; i < calls->capacity; i++) {
        if (calls->places[i].id != 0) {
            *find(places, capacity, calls->places[i].id) = calls->places[i];
        }
    }
    free(calls->places);
    calls->places = places;
    calls->capacity = capacity;
    return true;
}

/* The table may move here, so what an earlier call gave is no longer valid:
 * callers take what they need before they ask again. */
struct jz__call *jz__calls_get(struct jz__calls *calls, struct jz__str id)
{
    uint64_t hash = jz__str_hash(id, 0);
    struct jz__call *call;

    assert(calls != NULL);

    if (!grow(calls)) {
        return NULL;
    }
    hash += hash == 0;
    call = find(calls->places, calls->capacity, hash);
    if (call->id == 0) {
        call->id = hash;
        call->event = JZ__CALLS_NONE;
        call->output = JZ__STR("");
        calls->count++;
    }
    return call;
}

void jz__calls_finish(struct jz__calls *calls)
{
    free(calls->places);
    memset(calls, 0, sizeof(*calls));
}
