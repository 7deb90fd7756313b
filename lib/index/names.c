/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names (sources, projects): a document then holds four bytes for each,
 * and a filter compares numbers. Open addressing with linear probing, at most
 * half full.
 */
#include "index/names.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "jezero.h"

/* The slot that holds name, or the empty one where it would go. */
static size_t find_slot(const struct jz__names *names, const char *name)
{
    size_t at =
        (size_t)jz__str_hash(jz__str_of(name), 0) & (names->slot_count - 1);

    while (names->slots[at] != JZ__NAMES_NONE &&
           strcmp(names->names[names->slots[at]], name) != 0) {
        at = (at + 1) & (names->slot_count - 1);
    }
    return at;
}

int32_t jz__names_find(const struct jz__names *names, const char *name)
{
    assert(name != NULL);

    if (names->slot_count == 0) {
        return JZ__NAMES_NONE;
    }
    return names->slots[find_slot(names, name)];
}

static int grow_slots(struct jz__names *names)
{
    size_t count = names->slot_count > 0 ? names->slot_count * 2 : 64;
    int32_t *slots = malloc(count * sizeof(*slots));
    size_t i;

    if (slots == NULL) {
        return JZ_ENOMEM;
    }
    for (i = 0; i < count; i++) {
        slots[i] = JZ__NAMES_NONE;
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (i = 0; i < names->count; i++) {
        slots[find_slot(names, names->names[i])] = (int32_t)i;
    }
    return JZ_OK;
}

int32_t jz__names_add(struct jz__names *names, const char *name)
{
    int32_t found = jz__names_find(names, name);
    char *copy;

    if (found != JZ__NAMES_NONE) {
        return found;
    }
    if (names->count >= INT32_MAX / 2 ||
        jz__mem_grow(&names->names, &names->capacity, names->count + 1,
                     sizeof(*names->names)) < 0) {
        return JZ_ENOMEM;
    }
    if (names->count * 2 >= names->slot_count && grow_slots(names) < 0) {
        return JZ_ENOMEM;
    }
    copy = jz__arena_copy(&names->arena, name, strlen(name));
    if (copy == NULL) {
        return JZ_ENOMEM;
    }
    names->names[names->count] = copy;
    names->slots[find_slot(names, name)] = (int32_t)names->count;
    return (int32_t)names->count++;
}

void jz__names_finish(struct jz__names *names)
{
    jz__arena_finish(&names->arena);
    free(names->names);
    free(names->slots);
    memset(names, 0, sizeof(*names));
}
