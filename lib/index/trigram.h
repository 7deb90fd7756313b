/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this library adds to FTS5 on a connection: the tokenizer "jezero" and
 * the auxiliary function jz_tf(). Same behaviour on every SQLite from 3.34.
 */
#ifndef JZ_INDEX_TRIGRAM_H
#define JZ_INDEX_TRIGRAM_H

#include <sqlite3.h>

/* Stands between the parts of a column (questions, atoms). No valid UTF-8 holds
 * this byte, so no term can reach across it. */
#define JZ__TRIGRAM_SEPARATOR '\xFF'

/* Register both. An SQLite result code. */
int jz__trigram_register(sqlite3 *db);

#endif
