/* SPDX-License-Identifier: Apache-2.0 */
/* The index on a real SQLite: substrings, CJK, separators, overlaps, removal. */
#include "index/index.h"
#include "index/verify.h"

#include "base/mem.h"
#include "tap.h"

static sqlite3 *db;
static struct jz__index ix;

static void set_up(void)
{
    CHECK_INT(sqlite3_open(":memory:", &db), SQLITE_OK);
    CHECK_INT(jz__index_open(&ix, db), SQLITE_OK);
    CHECK_INT(jz__index_create(db), SQLITE_OK);
}

static void tear_down(void)
{
    jz__index_close(&ix);
    CHECK_INT(sqlite3_close(db), SQLITE_OK);
}

/* Fold into columns: title, and two atoms (either may be NULL). */
static void fold(struct jz__columns *out, const char *title, const char *one,
                 const char *two)
{
    memset(out, 0, sizeof(*out));
    jz__columns_add(out, JZ__COLUMN_TITLE, jz__str_of(title));
    if (one != NULL) {
        jz__columns_add(out, JZ__COLUMN_ATOMS, jz__str_of(one));
    }
    if (two != NULL) {
        jz__columns_add(out, JZ__COLUMN_ATOMS, jz__str_of(two));
    }
    CHECK_INT(jz__columns_end(out), 0);
}

static void add(int64_t id, const char *title, const char *one, const char *two)
{
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns;
    struct jz__doc_entry entry = { id, id, "source", NULL, 0 };

    fold(&columns, title, one, two);
    entry.length = columns.length;
    CHECK_INT(jz__index_add(&ix, id, &columns), SQLITE_OK);
    CHECK_INT(jz__docs_put(&ix.docs, &entry), 0);
}

static struct jz__index_hit hits[16];

static size_t find(const char *term)
{
    const struct jz__doc_filter filter = JZ__DOC_FILTER_INIT;
    struct jz__str folded = jz__str_of(term);
    const struct jz__index_query query = { &folded, 1, &filter, 16 };
    size_t count = 0;

    CHECK_INT(jz__index_search(hits, &count, &ix, &query), SQLITE_OK);
    return count;
}

static void terms_match_as_substrings_punctuation_included(void)
{
    set_up();
    add(1, "Invoices: jezero.toml and E0433 (C++)", NULL, NULL);
    CHECK_INT(find("invoice"), 1);
    CHECK_INT(find("voices: jez"), 1);
    CHECK_INT(find("jezero.toml"), 1);
    CHECK_INT(find("e0433"), 1);
    CHECK_INT(find("c++"), 1);
    CHECK_INT(find("voicez"), 0);
    tear_down();
}

static void quotes_and_operators_of_fts5_are_plain_characters(void)
{
    set_up();
    add(1, "say \"title:x\" NOT near(a*, ^b) -- OR", NULL, NULL);
    CHECK_INT(find("\"title:x\""), 1);
    CHECK_INT(find("title:x"), 1);
    CHECK_INT(find("not"), 1);
    CHECK_INT(find("near(a*,"), 1);
    CHECK_INT(find("\"\"\""), 0);
    tear_down();
}

static void no_term_spans_two_parts_of_a_column(void)
{
    set_up();
    add(1, "t", "abcd", "cdef");
    CHECK_INT(find("abcd"), 1);
    CHECK_INT(find("cdef"), 1);
    CHECK_INT(find("bcde"), 0);
    CHECK_INT(find("bcdcd"), 0);
    tear_down();
}

static void no_term_spans_parts_that_are_shorter_than_a_window(void)
{
    set_up();
    add(1, "t", "ab", "cd");
    add(2, "t", "设", "备备");
    CHECK_INT(find("abc"), 0);
    CHECK_INT(find("abcd"), 0);
    CHECK_INT(find("设备"), 0);
    CHECK_INT(find("备备"), 1);
    tear_down();
}

static void cjk_terms_of_one_and_two_characters_are_found(void)
{
    set_up();
    add(1, "发票导出失败", NULL, NULL);
    add(2, "rerun重跑gen", NULL, NULL);
    CHECK_INT(find("发"), 1);
    CHECK_INT(find("败"), 1);
    CHECK_INT(find("失败"), 1);
    CHECK_INT(find("票导出"), 1);
    CHECK_INT(find("n重"), 1);
    CHECK_INT(find("跑g"), 1);
    CHECK_INT(find("跑gen"), 1);
    CHECK_INT(find("败发"), 0);
    tear_down();
}

static void overlapping_occurrences_count(void)
{
    double twice;

    set_up();
    add(1, "aaaa", NULL, NULL);
    add(2, "aaab", NULL, NULL);
    CHECK_INT(find("aaa"), 2);
    CHECK_INT(hits[0].id, 1);
    twice = hits[0].relevance;
    CHECK(twice > hits[1].relevance);
    /* Equal lengths, tf 4 against tf 2 (a title counts double). */
    CHECK(twice > 0 && twice < 1);
    tear_down();
}

static void length_counts_windows_of_three_characters(void)
{
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns;

    /* "añ" is 2 characters: 0; "abc\nde" is 6: 4. */
    fold(&columns, "añ", "abc", "de");
    CHECK_INT(columns.length, 4);
}

static void what_is_removed_is_not_found_and_verifies(void)
{
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns;
    struct jz__verify verify = { .items = 0 };
    const char *problem = "";
    bool more = true;
    int steps = 0;

    set_up();
    add(1, "marzipan stays secret", NULL, NULL);
    add(2, "nougat", NULL, NULL);
    fold(&columns, "marzipan stays secret", NULL, NULL);
    CHECK_INT(jz__index_remove(&ix, 1, &columns), SQLITE_OK);
    jz__docs_remove(&ix.docs, 1);
    CHECK_INT(find("marzipan"), 0);
    CHECK_INT(find("nougat"), 1);
    while (more && steps++ < 100) {
        CHECK_INT(jz__index_maintain(&ix, &more), SQLITE_OK);
    }
    CHECK(!more);
    jz__columns_finish(&columns);
    fold(&columns, "nougat", NULL, NULL);
    jz__verify_add(&verify, 2, &columns);
    CHECK_INT(jz__verify_end(&problem, &verify, &ix), SQLITE_OK);
    CHECK(problem == NULL);
    tear_down();
}

/* Does any page of FTS5's own table hold these bytes? */
static bool index_holds(const char *bytes)
{
    sqlite3_stmt *rows = NULL;
    bool found = false;

    CHECK_INT(sqlite3_prepare_v2(db, "SELECT block FROM item_index_data", -1,
                                 &rows, NULL),
              SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        found |= memmem(sqlite3_column_blob(rows, 0),
                        (size_t)sqlite3_column_bytes(rows, 0), bytes,
                        strlen(bytes)) != NULL;
    }
    sqlite3_finalize(rows);
    return found;
}

static void maintenance_takes_removed_text_out_of_the_file(void)
{
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns;
    bool more = true;
    int64_t id;

    set_up();
    add(1, "密码", NULL, NULL);
    for (id = 2; id < 60; id++) {
        add(id, "plain text of another item", NULL, NULL);
    }
    fold(&columns, "密码", NULL, NULL);
    CHECK(index_holds("密"));
    CHECK_INT(jz__index_remove(&ix, 1, &columns), SQLITE_OK);
    while (more) {
        CHECK_INT(jz__index_maintain(&ix, &more), SQLITE_OK);
    }
    CHECK(!index_holds("密"));
    tear_down();
}

static void an_index_that_differs_from_the_items_is_found(void)
{
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns;
    struct jz__verify verify = { .items = 0 };
    const char *problem = NULL;

    set_up();
    add(1, "one", NULL, NULL);
    fold(&columns, "other", NULL, NULL);
    jz__verify_add(&verify, 1, &columns);
    CHECK_INT(jz__verify_end(&problem, &verify, &ix), SQLITE_OK);
    CHECK_STR(problem, "the index differs from the items");
    tear_down();
}

int main(void)
{
    TAP_RUN(terms_match_as_substrings_punctuation_included);
    TAP_RUN(quotes_and_operators_of_fts5_are_plain_characters);
    TAP_RUN(no_term_spans_two_parts_of_a_column);
    TAP_RUN(no_term_spans_parts_that_are_shorter_than_a_window);
    TAP_RUN(cjk_terms_of_one_and_two_characters_are_found);
    TAP_RUN(overlapping_occurrences_count);
    TAP_RUN(length_counts_windows_of_three_characters);
    TAP_RUN(what_is_removed_is_not_found_and_verifies);
    TAP_RUN(maintenance_takes_removed_text_out_of_the_file);
    TAP_RUN(an_index_that_differs_from_the_items_is_found);
    return tap_done();
}
