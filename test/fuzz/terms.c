/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a query, against an item of that very text: every term must be
 * valid, distinct and within its limits, no query may be an error of the index,
 * and a term that the folded title holds must find the item.
 */
#include "search/terms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fold.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "index/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) {
        abort();
    }
}

static void check_terms(const struct jz__terms *terms)
{
    size_t i;
    size_t j;

    require(terms->count <= JZ__TERMS_MOST);
    for (i = 0; i < terms->count; i++) {
        struct jz__str term = terms->terms[i];

        require(term.length > 0 && jz__utf8_is_clean(term.data, term.length));
        require(jz__utf8_count(term.data, term.length) <= JZ__TERMS_TERM_MOST);
        for (j = 0; j < i; j++) {
            require(!jz__str_equal(terms->terms[j], term));
        }
    }
}

static void check_index(const struct jz__terms *terms, struct jz__str text)
{
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns = { 0 };
    const struct jz__doc_filter filter = JZ__DOC_FILTER_INIT;
    struct jz__doc_entry entry = { 1, 0, "s", NULL, 0 };
    struct jz__index index;
    sqlite3 *db = NULL;
    size_t i;

    require(sqlite3_open(":memory:", &db) == SQLITE_OK);
    require(jz__index_open(&index, db) == SQLITE_OK);
    require(jz__index_create(db) == SQLITE_OK);
    jz__columns_add(&columns, JZ__COLUMN_TITLE, text);
    require(jz__columns_end(&columns) == 0);
    entry.length = columns.length;
    require(jz__index_add(&index, 1, &columns) == SQLITE_OK);
    require(jz__docs_put(&index.docs, &entry) == 0);
    for (i = 0; i < terms->count && i < 8; i++) {
        const struct jz__index_query query = { &terms->terms[i], 1, &filter,
                                               1 };
        const struct jz__buf *title = &columns.text[JZ__COLUMN_TITLE];
        struct jz__index_hit hit;
        size_t count = 0;
        bool holds = memmem(title->data, title->length, terms->terms[i].data,
                            terms->terms[i].length) != NULL;

        require(jz__index_search(&hit, &count, &index, &query) == SQLITE_OK);
        require(count == holds);
    }
    jz__index_close(&index);
    require(sqlite3_close(db) == SQLITE_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__terms_finish) struct jz__terms terms = { .count = 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf query = JZ__BUF_INIT;
    struct jz__str text;

    jz__utf8_clean(&query, (const char *)data, size);
    text.data = query.data != NULL ? query.data : "";
    text.length = query.length;
    require(jz__terms_parse(&terms, text.data) == 0);
    check_terms(&terms);
    check_index(&terms, text);
    return 0;
}
