/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding, by utf8proc: what makes two spellings equal.
 *
 * jz__fold_text: NFD, drop every code point whose canonical combining class is
 * not 0, full case folding, NFC; no compatibility mapping. For search.
 * jz__fold_case: full case folding and NFC, accents kept. For project names.
 */
#ifndef JZ_BASE_FOLD_H
#define JZ_BASE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Append the folded form of valid UTF-8. Errors are kept in out->error. */
void jz__fold_text(struct jz__buf *out, const char *text, size_t length);
void jz__fold_case(struct jz__buf *out, const char *text, size_t length);

/* A letter, a digit or a mark that belongs to one, of any script? */
bool jz__fold_is_word(uint32_t point);

/* Which tables fold: another number means that the same text may fold to
 * another one, so what was kept folded must be made anew. */
int64_t jz__fold_version(void);

#endif
