/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column is its parts, folded one by one and joined by the separator that no
 * term holds. Where the separator stands, the length counts the one line feed
 * by which the parts are joined for that purpose.
 */
#include "index/columns.h"

#include <limits.h>
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "index/trigram.h"
#include "jezero.h"

void jz__columns_add(struct jz__columns *columns, enum jz__column column,
                     struct jz__str part)
{
    struct jz__buf *text = &columns->text[column];

    if (text->data != NULL) {
        jz__buf_putc(text, JZ__TRIGRAM_SEPARATOR);
    }
    jz__fold_text(text, part.data, part.length);
    /* An empty first part must still be told from no part. */
    jz__buf_append(text, "", 0);
}

/* Characters of a column. The separator is one byte and one character. */
static size_t count_characters(const struct jz__buf *text)
{
    size_t count = 0;
    size_t i;

    for (i = 0; i < text->length; i++) {
        count += ((unsigned char)text->data[i] & 0xC0) != 0x80;
    }
    return count;
}

int jz__columns_end(struct jz__columns *columns)
{
    size_t length = 0;
    int i;

    for (i = 0; i < JZ__COLUMN_COUNT; i++) {
        size_t count = count_characters(&columns->text[i]);

        if (columns->text[i].error != 0) {
            return columns->text[i].error;
        }
        length += count > 2 ? count - 2 : 0;
    }
    columns->length = length < INT32_MAX ? (int32_t)length : INT32_MAX;
    return JZ_OK;
}

void jz__columns_finish(struct jz__columns *columns)
{
    int i;

    for (i = 0; i < JZ__COLUMN_COUNT; i++) {
        jz__buf_finish(&columns->text[i]);
    }
    memset(columns, 0, sizeof(*columns));
}
