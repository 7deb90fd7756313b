/* SPDX-License-Identifier: Apache-2.0 */
/* What the exports of databases share: the session's row, and its values as JSON
 * members. */
#ifndef JZ_INGEST_EXPORT_ROWS_H
#define JZ_INGEST_EXPORT_ROWS_H

#include "base/buf.h"
#include "store/foreign.h"

/* A text, a number or null, as the database has it. */
void jz__export_put_value(struct jz__buf *out, const char *key,
                          const struct jz__foreign_rows *rows, int column);

/* JSON that is kept as text, as itself; what is none, as a text. */
void jz__export_put_json(struct jz__buf *out, const char *key,
                         const struct jz__foreign_rows *rows, int column);

/* jz__export_put_value() unless it is NULL. */
void jz__export_put_given(struct jz__buf *out, const char *key,
                          const struct jz__foreign_rows *rows, int column);

/* Open the database and stand on the one row of the query, whose bound text is
 * the session's id: JZ_ENOTFOUND if there is none. Both are closed by the caller
 * in every case. */
int jz__export_find(struct jz__foreign **foreign,
                    struct jz__foreign_rows **rows, const char *database,
                    const struct jz__foreign_query *query,
                    struct jz__error *error);

/* JZ_EINVAL once the export is too large. */
int jz__export_check_size(const struct jz__buf *out, struct jz__error *error);

#endif
