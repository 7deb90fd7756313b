/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that grows and memory that dies together. An arena is a list of
 * blocks; what it hands out is zeroed, aligned for any type and lives until the
 * whole arena goes, so that a conversation with 100,000 texts is freed by a few
 * hundred calls.
 */
#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "jezero.h"

/* Large enough that a message of usual size does not waste a block's rest. */
#define ARENA_BLOCK 65536
/* The first one: many arenas hold one item and no more. */
#define ARENA_FIRST 8192
#define ALIGNMENT _Alignof(max_align_t)

struct jz__arena_block {
    struct jz__arena_block *next;
    size_t size; /* bytes of data */
    _Alignas(max_align_t) char data[];
};

void jz__mem_freep(void *pointer_to_pointer)
{
    void *pointer;

    assert(pointer_to_pointer != NULL);

    memcpy(&pointer, pointer_to_pointer, sizeof(pointer));
    free(pointer);
}

int jz__mem_grow(void *array, size_t *capacity, size_t need, size_t size)
{
    size_t wanted = *capacity + *capacity / 2;
    size_t bytes;
    void *old;
    void *grown;

    assert(array != NULL && size > 0);

    if (need <= *capacity) {
        return JZ_OK;
    }
    if (wanted < need) {
        wanted = need < 8 ? 8 : need;
    }
    if (!jz__mem_mul(&bytes, wanted, size)) {
        return JZ_ENOMEM;
    }
    memcpy(&old, array, sizeof(old));
    grown = realloc(old, bytes);
    if (grown == NULL) {
        return JZ_ENOMEM;
    }
    memcpy(array, &grown, sizeof(grown));
    *capacity = wanted;
    return JZ_OK;
}

char *jz__mem_copy(const char *data, size_t length)
{
    size_t bytes;
    char *copy;

    assert(data != NULL || length == 0);

    if (!jz__mem_add(&bytes, length, 1)) {
        return NULL;
    }
    copy = malloc(bytes);
    if (copy != NULL) {
        if (length > 0) {
            memcpy(copy, data, length);
        }
        copy[length] = '\0';
    }
    return copy;
}

static bool arena_add_block(struct jz__arena *arena, size_t size)
{
    size_t least = arena->blocks == NULL ? ARENA_FIRST : ARENA_BLOCK;
    struct jz__arena_block *block;
    size_t bytes;

    if (size < least) {
        size = least;
    }
    if (!jz__mem_add(&bytes, size, sizeof(*block))) {
        return false;
    }
    block = malloc(bytes);
    if (block == NULL) {
        return false;
    }
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used = 0;
    arena->total += bytes;
    return true;
}

void *jz__arena_alloc(struct jz__arena *arena, size_t size)
{
    size_t padded;
    char *memory;

    assert(arena != NULL);

    if (!jz__mem_add(&padded, size, ALIGNMENT - 1)) {
        return NULL;
    }
    padded &= ~(ALIGNMENT - 1);
    if (arena->blocks == NULL || arena->blocks->size - arena->used < padded) {
        if (!arena_add_block(arena, padded)) {
            return NULL;
        }
    }
    memory = arena->blocks->data + arena->used;
    arena->used += padded;
    memset(memory, 0, size);
    return memory;
}

char *jz__arena_copy(struct jz__arena *arena, const char *data, size_t length)
{
    size_t bytes;
    char *copy;

    assert(data != NULL || length == 0);

    if (!jz__mem_add(&bytes, length, 1)) {
        return NULL;
    }
    copy = jz__arena_alloc(arena, bytes);
    if (copy != NULL && length > 0) {
        memcpy(copy, data, length);
    }
    return copy;
}

void jz__arena_finish(struct jz__arena *arena)
{
    struct jz__arena_block *block = arena->blocks;

    while (block != NULL) {
        struct jz__arena_block *next = block->next;

        free(block);
        block = next;
    }
    memset(arena, 0, sizeof(*arena));
}
