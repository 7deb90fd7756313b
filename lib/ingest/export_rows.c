/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON that an agent keeps in a column is taken over as it stands, if it is JSON: parsing and
 * printing would round its numbers.
 */
#include "ingest/export_rows.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "ingest/export.h"

void jz__export_put_value(struct jz__buf *out, const char *key,
                          const struct jz__foreign_rows *rows, int column)
{
    jz__json_put_key(out, key);
    if (jz__foreign_is_null(rows, column)) {
        jz__buf_puts(out, "null");
    } else if (jz__foreign_is_number(rows, column)) {
        jz__json_put_number(out, jz__foreign_number(rows, column));
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

int jz__export_find(struct jz__foreign **foreign,
                    struct jz__foreign_rows **rows, const char *database,
                    const struct jz__foreign_query *query,
                    struct jz__error *error)
{
    int r = jz__foreign_open(foreign, database, error);

    if (r == 0) {
        r = jz__foreign_select(rows, *foreign, query, error);
    }
    if (r == 0) {
        r = jz__foreign_next(*rows, error);
    }
    if (r == 0) {
        return jz__fail(error, JZ_ENOTFOUND, "%s has no session '%.60s'",
                        database, query->bound);
    }
    return r < 0 ? r : 0;
}
