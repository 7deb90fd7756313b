/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this library adds to FTS5 on a connection: the tokenizer "jezero" and
 * the auxiliary functions jz_tf(), jz_sum() and jz_total(). Same behaviour on every SQLite
 * from 3.34.
 */
#ifndef JZ_INDEX_TRIGRAM_H
#define JZ_INDEX_TRIGRAM_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Stands between the parts of a column (questions, atoms). No valid UTF-8 holds
 * this byte, so no term can reach across it. */
#define JZ__TRIGRAM_SEPARATOR '\xFF'

/* Register all of it. An SQLite result code. */
int jz__trigram_register(sqlite3 *db);

/* A number for one occurrence of a term, whose own number is `term`, in a column
 * of an item. Sums of them compare indexes. */
uint64_t jz__trigram_mark(uint64_t term, int64_t id, int column, int place);

/* Hand the tokens of a column's text to fn, as the tokenizer does. */
typedef int (*jz__trigram_fn)(void *context, int flags, const char *token,
                              int length, int start, int end);
int jz__trigram_cut(const char *text, int length, void *context,
                    jz__trigram_fn fn);

/* Append a term as an FTS5 expression: one string. */
void jz__trigram_put_quoted(struct jz__buf *out, struct jz__str term);

#endif
