/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of bounded size (requests, options, arguments): a strict reader in front
 * of cJSON, checked getters, and a writer that appends to a buffer.
 *
 * cJSON alone ends strings at \u0000, refuses lone surrogates, takes text behind
 * the value, finds keys regardless of case and rounds numbers. So the text is
 * scanned first (base/scan.h), repaired where it must be, and only then handed
 * to cJSON; whoever needs a number's digits takes them from the scan.
 */
#ifndef JZ_BASE_JSON_H
#define JZ_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/*
 * Parse one whole value. JZ_EINVAL: not UTF-8, no JSON, text behind it, nested
 * over 64 deep; the message gives the place. Of equal keys the last one is what
 * jz__json_get() finds.
 */
int jz__json_parse(cJSON **out, const char *text, size_t length,
                   struct jz__error *error);

/* Cleanup: JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL; */
void jz__json_freep(cJSON **tree);

/* The member, compared with case, the last of equal ones; NULL if there is
 * none, also when object is NULL or no object. */
const cJSON *jz__json_get(const cJSON *object, const char *key);

/* The member's text, or fallback if it is absent or no string. Borrowed. */
const char *jz__json_text(const cJSON *object, const char *key,
                          const char *fallback);

bool jz__json_flag(const cJSON *object, const char *key, bool fallback);
double jz__json_number(const cJSON *object, const char *key, double fallback);

/* The value as a whole number: 5, 5.0 or "5" (exactly -?[0-9]+); false for
 * booleans, fractions and what does not fit. */
bool jz__json_whole(int64_t *out, const cJSON *value);

/* --- writing: compact JSON, UTF-8 unescaped, always valid --- */

/* A quoted string. Text that is no UTF-8 is repaired on the way. */
void jz__json_put_text(struct jz__buf *out, const char *text, size_t length);
void jz__json_put_str(struct jz__buf *out, const char *text); /* NULL: null */
void jz__json_put_int(struct jz__buf *out, int64_t value);

/* Whole numbers up to 2^53 as such; null for what is not finite. */
void jz__json_put_number(struct jz__buf *out, double value);
void jz__json_put_bool(struct jz__buf *out, bool value);

/* `"key":`, with a comma in front unless the last byte of out is one of {[,: . */
void jz__json_put_key(struct jz__buf *out, const char *key);

/* A comma, by the same rule: before an element of an array. */
void jz__json_put_comma(struct jz__buf *out);

/* A parsed tree, compact. Whole numbers up to 2^53 are printed as such. */
void jz__json_put_tree(struct jz__buf *out, const cJSON *tree);

/*
 * Append compact JSON that was written here once more, as the text of a quoted
 * string: laid out with an indent of two blanks, as
 * `json.dumps(indent=2, ensure_ascii=False)` does it.
 */
void jz__json_put_indented(struct jz__buf *out, const char *compact,
                           size_t length);

#endif
