/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are printed as whole ones where they are whole. JSON that an agent
 * keeps in a column is taken over as it stands, if it is JSON: parsing and
 * printing would round its numbers.
 */
#include "ingest/export_rows.h"

#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "ingest/export.h"

/* Every whole number up to 2^53 is one double. */
#define EXACT_MOST 9007199254740992.0

static void put_number(struct jz__buf *out, double value)
{
    if (value == floor(value) && fabs(value) <= EXACT_MOST) {
        jz__json_put_int(out, (int64_t)value);
    } else if (isfinite(value)) {
        jz__buf_printf(out, "%.17g", value);
    } else {
        jz__buf_puts(out, "null");
    }
}

void jz__export_put_value(struct jz__buf *out, const char *key,
                          const struct jz__foreign_rows *rows, int column)
{
    jz__json_put_key(out, key);
    if (jz__foreign_is_null(rows, column)) {
        jz__buf_puts(out, "null");
    } else if (jz__foreign_is_number(rows, column)) {
        put_number(out, jz__foreign_number(rows, column));
    } else {
        struct jz__str text = jz__foreign_text(rows, column);

        jz__json_put_text(out, text.data, text.length);
    }
}

void jz__export_put_given(struct jz__buf *out, const char *key,
                          const struct jz__foreign_rows *rows, int column)
{
    if (!jz__foreign_is_null(rows, column)) {
        jz__export_put_value(out, key, rows, column);
    }
}

void jz__export_put_json(struct jz__buf *out, const char *key,
                         const struct jz__foreign_rows *rows, int column)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__str text = jz__foreign_text(rows, column);

    if (text.length > 0 && jz__utf8_is_clean(text.data, text.length) &&
        jz__scan_parse(&scan, text.data, text.length) == 0 &&
        jz__scan_is_whole(&scan, text.length)) {
        jz__json_put_key(out, key);
        jz__buf_append(out, text.data, text.length);
    } else {
        jz__export_put_value(out, key, rows, column);
    }
}

int jz__export_check_size(const struct jz__buf *out, struct jz__error *error)
{
    return out->length <= JZ__EXPORT_MOST
               ? 0
               : jz__fail(error, JZ_EINVAL, "the session has over %zu MiB",
                          JZ__EXPORT_MOST / 1048576);
}
