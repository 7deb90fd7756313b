/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which result belongs to which tool call. A transcript names a call by an id;
 * here a call is found by the hash of it, whichever of the two came first.
 */
#ifndef JZ_INGEST_CALLS_H
#define JZ_INGEST_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "ingest/conversation.h"

struct jz__call {
    uint64_t id;      /* hash; 0: a free place */
    size_t event;     /* index in the conversation, or JZ__CALLS_NONE */
    bool is_left_out; /* a call that must leave no trace */
    /* A result that came before its call: */
    enum jz__tool_state state;
    struct jz__str output;
};

#define JZ__CALLS_NONE SIZE_MAX

/* Zero is empty. */
struct jz__calls {
    struct jz__call *places; /* a hash table with open addressing */
    size_t count;
    size_t capacity; /* a power of two, or 0 */
};

/* The call of this id, made if there is none; NULL when out of memory. Valid
 * until the next call. */
struct jz__call *jz__calls_get(struct jz__calls *calls, struct jz__str id);

void jz__calls_finish(struct jz__calls *calls);

#endif
