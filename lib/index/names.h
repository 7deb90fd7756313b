/* SPDX-License-Identifier: Apache-2.0 */
/* A set of strings with a small number each, from 0, in order of arrival. */
#ifndef JZ_INDEX_NAMES_H
#define JZ_INDEX_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* "Not in the set". */
#define JZ__NAMES_NONE (-1)

struct jz__names {
    struct jz__arena arena;
    char **names; /* by number */
    size_t count;
    size_t capacity;
    int32_t *slots; /* open addressing, JZ__NAMES_NONE is empty */
    size_t slot_count;
};

#define JZ__NAMES_INIT                                                         \
    {                                                                          \
        JZ__ARENA_INIT, NULL, 0, 0, NULL, 0                                    \
    }

/* The number of name, or JZ__NAMES_NONE. */
int32_t jz__names_find(const struct jz__names *names, const char *name);

/* The number of name, new if need be; JZ_ENOMEM (negative). */
int32_t jz__names_add(struct jz__names *names, const char *name);

void jz__names_finish(struct jz__names *names);

#endif
