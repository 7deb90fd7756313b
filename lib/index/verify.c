/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three questions, in one walk over the terms of the index.
 *
 * Does a search find what the items say? Every token of every item gets a mark
 * that depends on its column and position too. fts5vocab lists the terms that
 * the index holds, and each is looked up as a search does it, marks added up: the
 * sums must be equal. Sums, because the two come in different orders; marks of
 * single occurrences, because two items whose texts are swapped have the same
 * counts.
 *
 * Are the ways to them whole? fts5vocab reads the leaves one after the other and
 * counts the documents of a term, a search gets to them through two trees (the
 * table of first terms, and the list of where a document stands in a long entry).
 * So the counts are compared, and long entries looked up once more from their
 * last document on.
 *
 * Does FTS5 know how much it holds? Removing an item fails where its totals are
 * too small.
 *
 * The command 'integrity-check' is not used: it is an INSERT and wants the lock
 * of the writer, for as long as it takes to read everything.
 */
#include "index/verify.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "index/trigram.h"

/* From so many documents on an entry may have a list of places. */
#define LONG_ENTRY 64

static const char broken[] = "the index is damaged";
static const char differs[] = "the index differs from the items";

/* One column of an item on its way through the tokenizer. */
struct column {
    struct jz__verify *verify;
    int64_t id;
    int number;
    int places;
};

static int add_token(void *context, int flags, const char *token, int length,
                     int start, int end)
{
    struct column *column = context;
    const struct jz__str text = { token, (size_t)length };

    (void)start;
    (void)end;
    /* As FTS5 counts: what is colocated stands where its predecessor does. */
    if ((flags & FTS5_TOKEN_COLOCATED) == 0 || column->places == 0) {
        column->places++;
    }
    column->verify->tokens++;
    column->verify->sum += jz__trigram_mark(jz__str_hash(text, 0), column->id,
                                            column->number, column->places - 1);
    return SQLITE_OK;
}

void jz__verify_add(struct jz__verify *verify, int64_t id,
                    const struct jz__columns *columns)
{
    int i;

    assert(id > 0);

    verify->items++;
    for (i = 0; i < JZ__COLUMN_COUNT; i++) {
        struct column column = { verify, id, i, 0 };
        const struct jz__buf *text = &columns->text[i];

        if (text->length > 0) {
            (void)jz__trigram_cut(text->data, (int)text->length, &column,
                                  add_token);
        }
        verify->places[i] += column.places;
    }
}

/* --- what the index holds --- */

struct walk {
    const struct jz__verify *wanted;
    sqlite3_stmt *terms;  /* term, documents, occurrences */
    sqlite3_stmt *match;  /* of ?1, with the term's number ?2 */
    sqlite3_stmt *last;   /* of ?1, from the document ?2 on */
    sqlite3_stmt *totals; /* by a match of ?1 */
    struct jz__buf quoted;
    int64_t tokens;
    uint64_t sum;
    bool has_totals; /* they were compared */
    const char *problem;
};

static void walk_finish(struct walk *walk)
{
    (void)sqlite3_finalize(walk->terms);
    (void)sqlite3_finalize(walk->match);
    (void)sqlite3_finalize(walk->last);
    (void)sqlite3_finalize(walk->totals);
    jz__buf_finish(&walk->quoted);
}

static void bind_quoted(sqlite3_stmt *statement, const struct walk *walk)
{
    (void)sqlite3_bind_text64(statement, 1, walk->quoted.data,
                              walk->quoted.length, SQLITE_STATIC, SQLITE_UTF8);
}

/* Add up what a search finds of a term that is in `documents`; *last is the last
 * of them. */
static int look_up(struct walk *walk, struct jz__str term, int64_t documents,
                   int64_t *last)
{
    int64_t count = 0;

    bind_quoted(walk->match, walk);
    (void)sqlite3_bind_int64(walk->match, 2, (int64_t)jz__str_hash(term, 0));
    while (sqlite3_step(walk->match) == SQLITE_ROW) {
        *last = sqlite3_column_int64(walk->match, 0);
        walk->sum += (uint64_t)sqlite3_column_int64(walk->match, 1);
        count++;
    }
    if (count != documents) {
        walk->problem = broken;
    }
    return sqlite3_reset(walk->match);
}

static int look_up_last(struct walk *walk, int64_t id)
{
    int64_t found = 0;

    bind_quoted(walk->last, walk);
    (void)sqlite3_bind_int64(walk->last, 2, id);
    if (sqlite3_step(walk->last) == SQLITE_ROW) {
        found = sqlite3_column_int64(walk->last, 0);
    }
    if (found != id) {
        walk->problem = broken;
    }
    return sqlite3_reset(walk->last);
}

/* Rows, and positions of each column. */
static int compare_totals(struct walk *walk)
{
    int i;

    bind_quoted(walk->totals, walk);
    if (sqlite3_step(walk->totals) == SQLITE_ROW) {
        bool is_equal =
            sqlite3_column_int64(walk->totals, 0) == walk->wanted->items;

        for (i = 0; i < JZ__COLUMN_COUNT; i++) {
            is_equal &= sqlite3_column_int64(walk->totals, i + 1) ==
                        walk->wanted->places[i];
        }
        if (!is_equal) {
            walk->problem = differs;
        }
    }
    walk->has_totals = true;
    return sqlite3_reset(walk->totals);
}

static int take_term(struct walk *walk)
{
    const char *text = (const char *)sqlite3_column_text(walk->terms, 0);
    const struct jz__str term = { text, (size_t)sqlite3_column_bytes(
                                            walk->terms, 0) };
    int64_t documents = sqlite3_column_int64(walk->terms, 1);
    int64_t last = 0;
    int rc;

    if (text == NULL) {
        return SQLITE_NOMEM;
    }
    /* What was removed and not merged away yet. */
    if (documents == 0) {
        return SQLITE_OK;
    }
    walk->tokens += sqlite3_column_int64(walk->terms, 2);
    jz__buf_clear(&walk->quoted);
    jz__trigram_put_quoted(&walk->quoted, term);
    if (walk->quoted.error != 0) {
        return SQLITE_NOMEM;
    }
    rc = look_up(walk, term, documents, &last);
    if (rc == SQLITE_OK && documents >= LONG_ENTRY) {
        rc = look_up_last(walk, last);
    }
    if (rc == SQLITE_OK && !walk->has_totals) {
        rc = compare_totals(walk);
    }
    return rc;
}

static int walk_terms(struct walk *walk)
{
    int rc = SQLITE_OK;
    int step = SQLITE_ROW;

    while (rc == SQLITE_OK && walk->problem == NULL &&
           (step = sqlite3_step(walk->terms)) == SQLITE_ROW) {
        rc = take_term(walk);
    }
    if (rc != SQLITE_OK || walk->problem != NULL) {
        return rc;
    }
    if (step != SQLITE_DONE) {
        return step;
    }
    if (walk->tokens != walk->wanted->tokens ||
        walk->sum != walk->wanted->sum) {
        walk->problem = differs;
    }
    return SQLITE_OK;
}

static int prepare(struct walk *walk, sqlite3 *db)
{
    static const char terms[] = "SELECT term, doc, cnt FROM temp.index_terms";
    static const char match[] = "SELECT rowid, jz_sum(item_index, ?2) "
                                "FROM item_index WHERE item_index MATCH ?1";
    static const char last[] = "SELECT rowid FROM item_index "
                               "WHERE item_index MATCH ?1 AND rowid >= ?2";
    static const char totals[] =
        "SELECT jz_total(item_index, -1), jz_total(item_index, 0), "
        "jz_total(item_index, 1), jz_total(item_index, 2), "
        "jz_total(item_index, 3), jz_total(item_index, 4) FROM item_index "
        "WHERE item_index MATCH ?1 LIMIT 1";
    int rc = sqlite3_exec(db,
                          "CREATE VIRTUAL TABLE temp.index_terms USING "
                          "fts5vocab('main', 'item_index', 'row')",
                          NULL, NULL, NULL);

    if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v2(db, terms, -1, &walk->terms, NULL);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v2(db, match, -1, &walk->match, NULL);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v2(db, last, -1, &walk->last, NULL);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v2(db, totals, -1, &walk->totals, NULL);
    }
    return rc;
}

/* Does this code say that we could not look, and nothing about the index? */
static bool is_failure(int rc)
{
    switch (rc & 0xFF) {
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_FULL:
        return true;
    default:
        return false;
    }
}

static int compare(const char **problem, const struct jz__verify *wanted,
                   struct jz__index *index)
{
    JZ_CLEANUP(walk_finish) struct walk walk = { .wanted = wanted };
    int rc = prepare(&walk, index->db);

    if (rc == SQLITE_OK) {
        rc = jz__index_check_state(index);
    }
    if (rc == SQLITE_OK) {
        rc = walk_terms(&walk);
    }
    *problem = walk.problem;
    return rc;
}

int jz__verify_end(const char **problem, const struct jz__verify *verify,
                   struct jz__index *index)
{
    int rc = compare(problem, verify, index);

    (void)sqlite3_exec(index->db, "DROP TABLE IF EXISTS temp.index_terms", NULL,
                       NULL, NULL);
    if (rc != SQLITE_OK && !is_failure(rc)) {
        *problem = broken;
        rc = SQLITE_OK;
    }
    return rc;
}
