/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of text: borrowed, not NUL-terminated, length in bytes. */
#ifndef JZ_BASE_STR_H
#define JZ_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jz__str {
    const char *data;
    size_t length;
};

/* A slice of a string literal. */
#define JZ__STR(literal) ((struct jz__str){ "" literal, sizeof(literal) - 1 })

struct jz__str jz__str_of(const char *text); /* NULL becomes "" */
bool jz__str_equal(struct jz__str a, struct jz__str b);
bool jz__str_is(struct jz__str a, const char *text);
bool jz__str_starts(struct jz__str a, const char *prefix);
bool jz__str_ends(struct jz__str a, const char *suffix);

/* Both without regard to the case of A to Z. */
bool jz__str_is_nocase(struct jz__str a, const char *text);
bool jz__str_starts_nocase(struct jz__str a, const char *prefix);

/* Byte offset of the first needle, or SIZE_MAX. */
size_t jz__str_find(struct jz__str a, const char *needle);
size_t jz__str_find_nocase(struct jz__str a, const char *needle);

/* Without ASCII white space at both ends. */
struct jz__str jz__str_trim(struct jz__str a);

/* Take the first line off *rest, without its \n or \r\n; false at the end. */
bool jz__str_line(struct jz__str *line, struct jz__str *rest);

/* 64-bit hash that is the same on every machine and in every version: it is
 * stored. */
uint64_t jz__str_hash(struct jz__str a, uint64_t seed);

#endif
