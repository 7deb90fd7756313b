/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Databases of other programs, read only, while those programs write to them.
 * Which columns a table has is asked first: they come and go with versions.
 */
#ifndef JZ_STORE_FOREIGN_H
#define JZ_STORE_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* Most columns that one query may ask for. */
#define JZ__FOREIGN_COLUMNS_MOST 40

struct jz__foreign;
struct jz__foreign_rows;

/* JZ_ENOTFOUND: no such file; JZ_EIO; JZ_ECORRUPT: no database. It sees one
 * snapshot for its life, so that what is read belongs together. */
int jz__foreign_open(struct jz__foreign **out, const char *path,
                     struct jz__error *error);
void jz__foreign_close(struct jz__foreign *foreign);
void jz__foreign_closep(struct jz__foreign **foreign);

/* Has the table this column? false also when there is no such table. */
bool jz__foreign_has(struct jz__foreign *foreign, const char *table,
                     const char *column);

/* What a query reads. All names and the condition are ours, never input. */
struct jz__foreign_query {
    const char *table;
    const char *const *columns; /* NULL at the end; a column that the table does
                                   not have reads as NULL; "(…)" is an
                                   expression, over columns that are there */
    const char *where; /* over columns that are there; NULL: all rows */
    const char *bound; /* the text for its ?, or NULL */
    const char *order; /* NULL: any */
};

int jz__foreign_select(struct jz__foreign_rows **out,
                       struct jz__foreign *foreign,
                       const struct jz__foreign_query *query,
                       struct jz__error *error);
void jz__foreign_rows_closep(struct jz__foreign_rows **rows);

/* 1: a row; 0: no more; negative. */
int jz__foreign_next(struct jz__foreign_rows *rows, struct jz__error *error);

/* Values of the row, by the place in the query's columns. A text is borrowed
 * until the next row; "" for NULL. */
bool jz__foreign_is_null(const struct jz__foreign_rows *rows, int column);
bool jz__foreign_is_number(const struct jz__foreign_rows *rows, int column);
struct jz__str jz__foreign_text(const struct jz__foreign_rows *rows,
                                int column);
double jz__foreign_number(const struct jz__foreign_rows *rows, int column);

#endif
