/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership helpers and checked growth.
 *
 * A local that owns something is declared with JZ_CLEANUP, NULL or zero at
 * birth, and leaves the function by jz__mem_steal(). Many small objects with
 * one life (a parsed query, a conversation) go into one jz__arena, which is
 * freed whole.
 */
#ifndef JZ_BASE_MEM_H
#define JZ_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define JZ_CLEANUP(destroy) __attribute__((cleanup(destroy)))
#define JZ__LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Cleanup for any pointer that malloc() gave: JZ_CLEANUP(jz__mem_freep). */
void jz__mem_freep(void *pointer_to_pointer);

/* Take the pointer out of an owning local: the local is NULL afterwards. */
#define jz__mem_steal(pointer)                                                 \
    __extension__({                                                            \
        __typeof__(*(pointer)) stolen_ = *(pointer);                           \
        *(pointer) = NULL;                                                     \
        stolen_;                                                               \
    })

/* a * b, or false if it does not fit. */
static inline bool jz__mem_mul(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* a + b, or false if it does not fit. */
static inline bool jz__mem_add(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

/*
 * Make room for at least `need` elements of `size` bytes in *array, growing by
 * half at least. 0, or JZ_ENOMEM with *array and *capacity untouched.
 */
int jz__mem_grow(void *array, size_t *capacity, size_t need, size_t size);

/* NUL-terminated copy of length bytes; NULL when out of memory. */
char *jz__mem_copy(const char *data, size_t length);

struct jz__arena_block;

struct jz__arena {
    struct jz__arena_block *blocks;
    size_t used;  /* bytes handed out of the newest block */
    size_t total; /* bytes of all blocks, for limits */
};

#define JZ__ARENA_INIT                                                         \
    {                                                                          \
        NULL, 0, 0                                                             \
    }

/* size bytes, aligned for any type, zeroed; NULL when out of memory. */
void *jz__arena_alloc(struct jz__arena *arena, size_t size);

/* NUL-terminated copy of length bytes inside the arena; NULL: no memory. */
char *jz__arena_copy(struct jz__arena *arena, const char *data, size_t length);

/* Frees everything that the arena gave; it may be used again afterwards. */
void jz__arena_finish(struct jz__arena *arena);

#endif
