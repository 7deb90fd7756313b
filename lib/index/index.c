/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index on FTS5: one contentless table of folded columns. FTS5 answers one
 * question, "which rows hold this term, and how often, weighted"; N, n, lengths,
 * scores and filters are computed here, because its own bm25() knows neither
 * scopes nor a positive idf.
 *
 * Terms are taken one after the other: the postings of one are gathered, n is
 * counted in scope, and its share is added to the score of each document. So
 * memory is bounded by the number of documents, whatever the query, and the
 * additions come in the order of the terms, which makes scores reproducible to
 * the bit.
 *
 * FTS5 keeps removed text in its older segments until they are merged. So
 * a removal leaves a mark in index_state, and jz__index_maintain() merges
 * everything into one segment, step by step, before it takes the mark away.
 */
#include "index/index.h"

#include <assert.h>
#include <string.h>

#include "index/pool.h"
#include "index/trigram.h"

enum {
    SQL_ADD,
    SQL_REMOVE,
    SQL_MATCH,
    SQL_STATE_GET,
    SQL_STATE_SET,
    SQL_MERGE,
    SQL_COUNT
};

/* Pages that one step of merging may write: some 10 ms. */
#define MERGE_PAGES 300

static const char *const texts[SQL_COUNT] = {
    [SQL_ADD] = "INSERT INTO item_index(rowid, title, summary, questions, "
                "atoms, project) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    [SQL_REMOVE] =
        "INSERT INTO item_index(item_index, rowid, title, summary, questions, "
        "atoms, project) VALUES('delete', ?1, ?2, ?3, ?4, ?5, ?6)",
    [SQL_MATCH] = "SELECT rowid, jz_tf(item_index) FROM item_index "
                  "WHERE item_index MATCH ?1",
    [SQL_STATE_GET] = "SELECT value FROM index_state WHERE name = ?1",
    [SQL_STATE_SET] = "INSERT INTO index_state(name, value) VALUES(?1, ?2) "
                      "ON CONFLICT(name) DO UPDATE SET value = excluded.value",
    [SQL_MERGE] = "INSERT INTO item_index(item_index, rank) "
                  "VALUES('merge', ?1)",
};

/* States of the row 'removed' in index_state. */
enum {
    CLEAN = 0,   /* no removed text is left */
    REMOVED = 1, /* something was removed since the last merge began */
    MERGING = 2  /* a merge of everything is under way */
};

int jz__index_create(sqlite3 *db)
{
    /* columnsize=0: the lengths are kept by the docs. */
    return sqlite3_exec(
        db,
        "CREATE VIRTUAL TABLE item_index USING fts5(title, summary, questions, "
        "atoms, project, content='', columnsize=0, tokenize='jezero');"
        "CREATE TABLE index_state(name TEXT PRIMARY KEY, value INTEGER NOT "
        "NULL) WITHOUT ROWID;",
        NULL, NULL, NULL);
}

int jz__index_open(struct jz__index *out, sqlite3 *db)
{
    memset(out, 0, sizeof(*out));
    out->db = db;
    return jz__trigram_register(db);
}

static void finalize_all(struct jz__index *index)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(index->statements); i++) {
        sqlite3_finalize(index->statements[i]);
        index->statements[i] = NULL;
    }
}

void jz__index_close(struct jz__index *index)
{
    finalize_all(index);
    jz__docs_finish(&index->docs);
    free(index->scores);
    memset(index, 0, sizeof(*index));
}

static int get_statement(sqlite3_stmt **out, struct jz__index *index, int which)
{
    _Static_assert(SQL_COUNT <= 8, "room for every statement");
    int rc = SQLITE_OK;

    if (index->statements[which] == NULL) {
        rc = sqlite3_prepare_v3(index->db, texts[which], -1,
                                SQLITE_PREPARE_PERSISTENT,
                                &index->statements[which], NULL);
    }
    *out = index->statements[which];
    return rc;
}

/* Run a statement that gives no rows, and let go of its bindings. */
static int run(sqlite3_stmt *statement)
{
    int rc = sqlite3_step(statement);
    int reset = sqlite3_reset(statement);

    (void)sqlite3_clear_bindings(statement);
    return rc == SQLITE_DONE ? SQLITE_OK : reset;
}

static int write_columns(struct jz__index *index, int which, int64_t id,
                         const struct jz__columns *columns)
{
    sqlite3_stmt *statement = NULL;
    int rc = get_statement(&statement, index, which);
    int i;

    if (rc != SQLITE_OK) {
        return rc;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    for (i = 0; i < JZ__COLUMN_COUNT && rc == SQLITE_OK; i++) {
        const struct jz__buf *text = &columns->text[i];

        rc = sqlite3_bind_text64(statement, i + 2,
                                 text->data != NULL ? text->data : "",
                                 text->length, SQLITE_STATIC, SQLITE_UTF8);
    }
    return rc == SQLITE_OK ? run(statement) : rc;
}

static int get_state(int64_t *out, struct jz__index *index, const char *name)
{
    sqlite3_stmt *statement = NULL;
    int rc = get_statement(&statement, index, SQL_STATE_GET);

    *out = 0;
    if (rc != SQLITE_OK) {
        return rc;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *out = sqlite3_column_int64(statement, 0);
    }
    return sqlite3_reset(statement);
}

static int set_state(struct jz__index *index, const char *name, int64_t value)
{
    sqlite3_stmt *statement = NULL;
    int rc = get_statement(&statement, index, SQL_STATE_SET);

    if (rc != SQLITE_OK) {
        return rc;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 2, value);
    return run(statement);
}

int jz__index_add(struct jz__index *index, int64_t id,
                  const struct jz__columns *columns)
{
    assert(id > 0);

    return write_columns(index, SQL_ADD, id, columns);
}

int jz__index_remove(struct jz__index *index, int64_t id,
                     const struct jz__columns *columns)
{
    int rc = write_columns(index, SQL_REMOVE, id, columns);

    return rc == SQLITE_OK ? set_state(index, "removed", REMOVED) : rc;
}

/* A virtual table that cannot be opened cannot be dropped either: then its name
 * is taken out of the schema. */
static int drop_index(struct jz__index *index)
{
    static const char by_force[] =
        "PRAGMA writable_schema = ON;"
        "DELETE FROM sqlite_schema WHERE name = 'item_index';"
        "PRAGMA writable_schema = RESET;";
    int rc = sqlite3_exec(index->db, "DROP TABLE IF EXISTS item_index", NULL,
                          NULL, NULL);

    if (rc != SQLITE_OK) {
        rc = sqlite3_exec(index->db, by_force, NULL, NULL, NULL);
        (void)sqlite3_exec(index->db, "PRAGMA writable_schema = OFF", NULL,
                           NULL, NULL);
    }
    return rc;
}

int jz__index_clear(struct jz__index *index)
{
    /* Mostly they went with the index that they are the parts of. */
    static const char drop_parts[] = "DROP TABLE IF EXISTS item_index_data;"
                                     "DROP TABLE IF EXISTS item_index_idx;"
                                     "DROP TABLE IF EXISTS item_index_config;"
                                     "DROP TABLE IF EXISTS index_state;";
    int rc;

    finalize_all(index);
    rc = drop_index(index);
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(index->db, drop_parts, NULL, NULL, NULL);
    }
    return rc == SQLITE_OK ? jz__index_create(index->db) : rc;
}

int jz__index_check_state(struct jz__index *index)
{
    int64_t state;

    return get_state(&state, index, "removed");
}

/* One step of merging; *is_done when FTS5 found nothing to do: it then
 * changes fewer than two rows. */
static int merge(struct jz__index *index, int pages, bool *is_done)
{
    sqlite3_stmt *statement = NULL;
    int before = sqlite3_total_changes(index->db);
    int rc = get_statement(&statement, index, SQL_MERGE);

    if (rc != SQLITE_OK) {
        return rc;
    }
    (void)sqlite3_bind_int(statement, 1, pages);
    rc = run(statement);
    *is_done = sqlite3_total_changes(index->db) - before < 2;
    return rc;
}

int jz__index_maintain(struct jz__index *index, bool *more)
{
    int64_t state;
    bool is_done = false;
    int rc = get_state(&state, index, "removed");

    *more = false;
    if (rc != SQLITE_OK || state == CLEAN) {
        return rc;
    }
    /* A negative number begins a merge of all segments into one, whatever
     * their sizes; positive ones go on with it. */
    rc = merge(index, state == REMOVED ? -MERGE_PAGES : MERGE_PAGES, &is_done);
    if (rc == SQLITE_OK && state == REMOVED) {
        rc = set_state(index, "removed", MERGING);
        is_done = false;
    }
    if (rc == SQLITE_OK && is_done) {
        rc = set_state(index, "removed", CLEAN);
    }
    *more = rc == SQLITE_OK && !is_done;
    return rc;
}

/* ---- searching ---- */

/* One document that holds the term at hand. */
struct posting {
    size_t place; /* in docs */
    int64_t half_tf;
};

struct search {
    struct jz__index *index;
    const struct jz__doc_filter *filter;
    struct posting *postings; /* of one term */
    size_t posting_count;
    size_t posting_capacity;
    size_t *touched; /* places with a score, in order of first touch */
    size_t touched_count;
    size_t touched_capacity;
    struct jz__doc_totals totals;
    double idf_sum;
};

static void search_finish(struct search *search)
{
    free(search->postings);
    free(search->touched);
}

static int bind_term(sqlite3_stmt *statement, struct jz__str term)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf quoted = JZ__BUF_INIT;

    jz__trigram_put_quoted(&quoted, term);
    if (quoted.error != 0) {
        return SQLITE_NOMEM;
    }
    return sqlite3_bind_text64(statement, 1, quoted.data, quoted.length,
                               SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* The place of id at or behind `from`: rows come in order of id, so a search
 * forward with doubling steps beats a bisection of the whole. */
static size_t find_place(const struct jz__docs *docs, size_t from, int64_t id)
{
    size_t step = 1;
    size_t high = from;

    while (high < docs->count && docs->docs[high].id < id) {
        from = high + 1;
        high = high + step < docs->count ? high + step : docs->count;
        step *= 2;
    }
    while (from < high) {
        size_t middle = from + (high - from) / 2;

        if (docs->docs[middle].id < id) {
            from = middle + 1;
        } else {
            high = middle;
        }
    }
    return from;
}

/* The postings of one term in scope. */
static int gather(struct search *search, sqlite3_stmt *statement)
{
    const struct jz__docs *docs = &search->index->docs;
    const bool *scope = search->filter->scope;
    size_t place = 0;
    int rc;

    search->posting_count = 0;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);

        place = find_place(docs, place, id);
        if (place == docs->count || docs->docs[place].id != id ||
            (scope != NULL && !scope[docs->docs[place].source])) {
            continue;
        }
        if (jz__mem_grow(&search->postings, &search->posting_capacity,
                         search->posting_count + 1,
                         sizeof(*search->postings)) < 0) {
            return SQLITE_NOMEM;
        }
        search->postings[search->posting_count].place = place;
        search->postings[search->posting_count].half_tf =
            sqlite3_column_int64(statement, 1);
        search->posting_count++;
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int add_scores(struct search *search, double idf)
{
    const struct jz__docs *docs = &search->index->docs;
    double average = search->totals.items > 0 ? (double)search->totals.length /
                                                    (double)search->totals.items
                                              : 0.0;
    size_t i;

    if (jz__mem_grow(&search->touched, &search->touched_capacity,
                     search->touched_count + search->posting_count,
                     sizeof(*search->touched)) < 0) {
        return SQLITE_NOMEM;
    }
    for (i = 0; i < search->posting_count; i++) {
        const struct posting *posting = &search->postings[i];
        const struct jz__doc *doc = &docs->docs[posting->place];
        double *score = &search->index->scores[posting->place];

        if (!jz__docs_matches(doc, search->filter)) {
            continue;
        }
        if (*score == 0.0) {
            search->touched[search->touched_count++] = posting->place;
        }
        *score += jz__bm25_term(idf, posting->half_tf, doc->length, average);
    }
    return SQLITE_OK;
}

static int search_term(struct search *search, struct jz__str term)
{
    sqlite3_stmt *statement = NULL;
    double idf;
    int rc = get_statement(&statement, search->index, SQL_MATCH);

    if (rc != SQLITE_OK) {
        return rc;
    }
    rc = bind_term(statement, term);
    if (rc == SQLITE_OK) {
        rc = gather(search, statement);
    }
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    if (rc != SQLITE_OK) {
        return rc;
    }
    idf = jz__bm25_idf(search->totals.items, (int64_t)search->posting_count);
    search->idf_sum += idf;
    return add_scores(search, idf);
}

/* Room for a score of every document, all 0 between searches. */
static int prepare_scores(struct jz__index *index)
{
    size_t had = index->scores_capacity;

    if (jz__mem_grow(&index->scores, &index->scores_capacity,
                     index->docs.count + 1, sizeof(*index->scores)) < 0) {
        return SQLITE_NOMEM;
    }
    if (index->scores_capacity > had) {
        memset(index->scores + had, 0,
               (index->scores_capacity - had) * sizeof(*index->scores));
    }
    return SQLITE_OK;
}

/* Take the scores into the pool and leave the scratch zeroed. */
static void collect(struct jz__pool *pool, const struct search *search)
{
    double best = search->idf_sum * (JZ__BM25_K1 + 1.0);
    size_t i;

    for (i = 0; i < search->touched_count; i++) {
        size_t place = search->touched[i];
        const struct jz__doc *doc = &search->index->docs.docs[place];
        struct jz__index_hit hit = { doc->id, doc->occurred_at,
                                     search->index->scores[place] / best };

        jz__pool_offer(pool, &hit);
        search->index->scores[place] = 0.0;
    }
}

int jz__index_search(struct jz__index_hit *out, size_t *count,
                     struct jz__index *index,
                     const struct jz__index_query *query)
{
    JZ_CLEANUP(search_finish)
    struct search search = { .index = index, .filter = query->filter };
    struct jz__pool pool = { out, 0, query->most };
    int rc = prepare_scores(index);
    size_t i;

    assert(out != NULL && count != NULL && query->filter != NULL);

    *count = 0;
    search.totals = jz__docs_totals(&index->docs, query->filter->scope);
    for (i = 0; i < query->term_count && rc == SQLITE_OK; i++) {
        rc = search_term(&search, query->terms[i]);
    }
    collect(&pool, &search);
    if (rc == SQLITE_OK) {
        jz__pool_sort(&pool);
        *count = pool.count;
    }
    return rc;
}
