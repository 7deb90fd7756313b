/* SPDX-License-Identifier: Apache-2.0 */
/* The searched text of one item, folded, a column each. */
#ifndef JZ_INDEX_COLUMNS_H
#define JZ_INDEX_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "index/bm25.h"

struct jz__columns {
    struct jz__buf text[JZ__COLUMN_COUNT]; /* folded, parts separated */
    int32_t length; /* windows of 3 characters of all columns */
};

/* Append one part (a title, one question) to a column. Zero a jz__columns, add
 * its parts, then end it. Errors stay in the buffers until the end. */
void jz__columns_add(struct jz__columns *columns, enum jz__column column,
                     struct jz__str part);

/* Count the length. 0 or JZ_ENOMEM. */
int jz__columns_end(struct jz__columns *columns);

void jz__columns_finish(struct jz__columns *columns);

#endif
