/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokenizer gets text that is folded already and gives one token for each
 * window of three characters, so that a term of three characters or more is
 * a phrase of consecutive tokens and matches wherever it stands as a substring.
 *
 * FTS5's own trigram tokenizer does not do: before 3.45 it has no way to drop
 * diacritics, and it never finds a CJK word of one or two characters. Here, a
 * position where a CJK character stands carries the window of one character
 * and, with its neighbour, the one of two as further tokens at the same place.
 * Positions count characters, and a separator between two parts of a column
 * takes one position of its own, so that no phrase spans it.
 */
#include "index/trigram.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "index/bm25.h"

/* One character of the text that is being cut. */
struct character {
    int start;
    int end;
    uint32_t point; /* 0: a separator */
};

struct cut {
    const char *text;
    int length;
    int at;
    void *context;
    jz__trigram_fn emit;
};

static bool next_character(struct character *out, struct cut *cut)
{
    if (cut->at >= cut->length) {
        return false;
    }
    out->start = cut->at;
    if (cut->text[cut->at] == JZ__TRIGRAM_SEPARATOR) {
        out->point = 0;
        cut->at++;
    } else {
        cut->at += (int)jz__utf8_next(&out->point, cut->text + cut->at,
                                      (size_t)(cut->length - cut->at));
    }
    out->end = cut->at;
    return true;
}

static int emit(const struct cut *cut, int flags, const struct character *first,
                const struct character *last)
{
    return cut->emit(cut->context, flags, cut->text + first->start,
                     last->end - first->start, first->start, last->end);
}

/*
 * All tokens that begin at window[0], of which `have` characters are there. The
 * longest comes first, the others share its position. Where nothing is due,
 * nothing is emitted: that is only so behind the last whole window of a part,
 * where no phrase of three and more characters can go on.
 */
static int emit_position(const struct cut *cut, const struct character *window,
                         int have)
{
    int flags = 0;
    int rc = SQLITE_OK;

    if (have >= 3) {
        rc = emit(cut, flags, &window[0], &window[2]);
        flags = FTS5_TOKEN_COLOCATED;
    }
    if (rc == SQLITE_OK && have >= 2 &&
        (jz__utf8_is_cjk(window[0].point) ||
         jz__utf8_is_cjk(window[1].point))) {
        rc = emit(cut, flags, &window[0], &window[1]);
        flags = FTS5_TOKEN_COLOCATED;
    }
    if (rc == SQLITE_OK && jz__utf8_is_cjk(window[0].point)) {
        rc = emit(cut, flags, &window[0], &window[0]);
    }
    return rc;
}

/* Number of characters in front of the first separator. */
static int before_separator(const struct character *window, int count)
{
    int i;

    for (i = 0; i < count; i++) {
        if (window[i].point == 0) {
            break;
        }
    }
    return i;
}

static int cut_document(struct cut *cut)
{
    struct character window[3];
    int count = 0;
    int rc = SQLITE_OK;

    for (;;) {
        while (count < 3 && next_character(&window[count], cut)) {
            count++;
        }
        if (count == 0 || rc != SQLITE_OK) {
            return rc;
        }
        rc = window[0].point == 0
                 ? emit(cut, 0, &window[0], &window[0])
                 : emit_position(cut, window, before_separator(window, count));
        count--;
        memmove(&window[0], &window[1], (size_t)count * sizeof(window[0]));
    }
}

/* A term: its windows of three alone, or, when it is shorter, the whole. */
static int cut_query(struct cut *cut)
{
    struct character window[3];
    int count = 0;
    int rc = SQLITE_OK;
    bool is_short = true;

    for (;;) {
        while (count < 3 && next_character(&window[count], cut)) {
            count++;
        }
        if (count < 3) {
            break;
        }
        is_short = false;
        rc = emit(cut, 0, &window[0], &window[2]);
        if (rc != SQLITE_OK) {
            return rc;
        }
        count--;
        memmove(&window[0], &window[1], (size_t)count * sizeof(window[0]));
    }
    return is_short && count > 0 ? emit(cut, 0, &window[0], &window[count - 1])
                                 : rc;
}

static int tokenize(Fts5Tokenizer *tokenizer, void *context, int flags,
                    const char *text, int length, jz__trigram_fn emit_token)
{
    struct cut cut = { text, length, 0, context, emit_token };

    (void)tokenizer;
    if (text == NULL || length <= 0) {
        return SQLITE_OK;
    }
    return (flags & FTS5_TOKENIZE_QUERY) != 0 ? cut_query(&cut)
                                              : cut_document(&cut);
}

/* The tokenizer has no state; FTS5 wants a pointer that is not NULL. */
static int create_tokenizer(void *context, const char **arguments, int count,
                            Fts5Tokenizer **out)
{
    (void)context;
    (void)arguments;
    (void)count;
    *out = sqlite3_malloc(1);
    return *out != NULL ? SQLITE_OK : SQLITE_NOMEM;
}

static void delete_tokenizer(Fts5Tokenizer *tokenizer)
{
    sqlite3_free(tokenizer);
}

/* jz_tf(index): twice the weighted number of occurrences, in this row, of the
 * one phrase of the query; overlapping ones count. */
static void weighted_tf(const Fts5ExtensionApi *api, Fts5Context *fts,
                        sqlite3_context *context, int count,
                        sqlite3_value **values)
{
    Fts5PhraseIter iterator;
    int64_t sum = 0;
    int column;
    int offset;
    int rc;

    (void)count;
    (void)values;
    rc = api->xPhraseFirst(fts, 0, &iterator, &column, &offset);
    if (rc != SQLITE_OK) {
        sqlite3_result_error_code(context, rc);
        return;
    }
    while (column >= 0) {
        assert(column < JZ__COLUMN_COUNT);
        sum += jz__bm25_weights[column];
        api->xPhraseNext(fts, &iterator, &column, &offset);
    }
    sqlite3_result_int64(context, sum);
}

uint64_t jz__trigram_mark(uint64_t term, int64_t id, int column, int place)
{
    uint64_t x = term ^ ((uint64_t)id * 0x9E3779B97F4A7C15u);

    x += ((uint64_t)place * JZ__COLUMN_COUNT + (uint64_t)column) *
         0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* jz_sum(index, term): the marks of all occurrences in this row of the one
 * phrase of the query, whose number is term, added up. */
static void sum_marks(const Fts5ExtensionApi *api, Fts5Context *fts,
                      sqlite3_context *context, int count,
                      sqlite3_value **values)
{
    uint64_t term = count == 1 ? (uint64_t)sqlite3_value_int64(values[0]) : 0;
    int64_t id = api->xRowid(fts);
    Fts5PhraseIter iterator;
    uint64_t sum = 0;
    int column;
    int place;
    int rc = api->xPhraseFirst(fts, 0, &iterator, &column, &place);

    while (rc == SQLITE_OK && column >= 0) {
        sum += jz__trigram_mark(term, id, column, place);
        api->xPhraseNext(fts, &iterator, &column, &place);
    }
    if (rc != SQLITE_OK) {
        sqlite3_result_error_code(context, rc);
        return;
    }
    sqlite3_result_int64(context, (int64_t)sum);
}

/* jz_total(index, column): positions of all rows in a column, or for -1 the
 * number of rows, as FTS5 keeps account of them. */
static void total(const Fts5ExtensionApi *api, Fts5Context *fts,
                  sqlite3_context *context, int count, sqlite3_value **values)
{
    sqlite3_int64 sum = 0;
    int column = count == 1 ? sqlite3_value_int(values[0]) : -1;
    int rc = column < 0 ? api->xRowCount(fts, &sum)
                        : api->xColumnTotalSize(fts, column, &sum);

    if (rc != SQLITE_OK) {
        sqlite3_result_error_code(context, rc);
        return;
    }
    sqlite3_result_int64(context, sum);
}

/* FTS5 hands its API out through an SQL function with a pointer argument. */
static fts5_api *find_api(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    fts5_api *api = NULL;

    if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", NULL);
        (void)sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    return api;
}

int jz__trigram_register(sqlite3 *db)
{
    fts5_tokenizer tokenizer = { create_tokenizer, delete_tokenizer, tokenize };
    fts5_api *api = find_api(db);
    int rc;

    if (api == NULL) {
        return SQLITE_ERROR;
    }
    rc = api->xCreateTokenizer(api, "jezero", NULL, &tokenizer, NULL);
    if (rc != SQLITE_OK) {
        return rc;
    }
    rc = api->xCreateFunction(api, "jz_tf", NULL, weighted_tf, NULL);
    if (rc == SQLITE_OK) {
        rc = api->xCreateFunction(api, "jz_sum", NULL, sum_marks, NULL);
    }
    if (rc == SQLITE_OK) {
        rc = api->xCreateFunction(api, "jz_total", NULL, total, NULL);
    }
    return rc;
}

int jz__trigram_cut(const char *text, int length, void *context,
                    jz__trigram_fn fn)
{
    struct cut cut = { text, length, 0, context, fn };

    return cut_document(&cut);
}

void jz__trigram_put_quoted(struct jz__buf *out, struct jz__str term)
{
    size_t i;

    jz__buf_putc(out, '"');
    for (i = 0; i < term.length; i++) {
        if (term.data[i] == '"') {
            jz__buf_putc(out, '"');
        }
        jz__buf_putc(out, term.data[i]);
    }
    jz__buf_putc(out, '"');
}
