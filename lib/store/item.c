/* SPDX-License-Identifier: Apache-2.0 */
/* Reading items. Questions and atoms are JSON arrays inside the row: they are
 * always read and written whole. */
#include "store/item.h"

#include <assert.h>
#include <string.h>

#include "base/scan.h"
#include "base/zip.h"

/* An original that unpacks to more is damaged: a segment has some 60,000
 * characters and a message more. */
#define ORIGINAL_MOST (256u << 20)

const char *const jz__item_kinds[] = { "decision", "rationale", "fix",  "error",
                                       "command",  "fact",      "risk", NULL };

void jz__item_finish(struct jz__item *item)
{
    jz__arena_finish(&item->arena);
    memset(item, 0, sizeof(*item));
}

/* A column's text in the item's arena; NULL for null, or with *failed set. */
static const char *take_text(struct jz__item *item, sqlite3_stmt *row,
                             int column, bool *failed)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    const char *copy;

    if (text == NULL) {
        *failed |= sqlite3_column_type(row, column) != SQLITE_NULL;
        return NULL;
    }
    copy = jz__arena_copy(&item->arena, text,
                          (size_t)sqlite3_column_bytes(row, column));
    *failed |= copy == NULL;
    return copy;
}

static const char *scan_text(struct jz__item *item, const struct jz__scan *scan,
                             size_t token)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    if (scan->tokens[token].type == JZ__SCAN_STRING &&
        !scan->tokens[token].is_escaped) {
        struct jz__str raw = jz__scan_raw(scan, token);

        return jz__arena_copy(&item->arena, raw.data, raw.length);
    }
    jz__scan_text(&text, scan, token);
    if (text.error != 0) {
        return NULL;
    }
    return jz__arena_copy(&item->arena, text.data, text.length);
}

/* The elements of the array in a column. JZ_ECORRUPT if it is none. */
static int scan_array(struct jz__scan *scan, size_t *count, sqlite3_stmt *row,
                      int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    size_t i;
    int r;

    *count = 0;
    if (text == NULL) {
        return JZ_ECORRUPT;
    }
    r = jz__scan_parse(scan, text, strlen(text));
    if (r < 0 || scan->tokens[0].type != JZ__SCAN_ARRAY) {
        return r == JZ_ENOMEM ? r : JZ_ECORRUPT;
    }
    for (i = jz__scan_first(scan, 0); i != 0; i = jz__scan_after(scan, 0, i)) {
        (*count)++;
    }
    return JZ_OK;
}

static int take_questions(struct jz__item *item, struct jz__scan *scan,
                          sqlite3_stmt *row, int column)
{
    size_t count;
    size_t i;
    int r = scan_array(scan, &count, row, column);

    if (r < 0) {
        return r;
    }
    item->questions =
        jz__arena_alloc(&item->arena, (count + 1) * sizeof(*item->questions));
    if (item->questions == NULL) {
        return JZ_ENOMEM;
    }
    for (i = jz__scan_first(scan, 0); i != 0; i = jz__scan_after(scan, 0, i)) {
        const char *text = scan_text(item, scan, i);

        if (text == NULL) {
            return JZ_ENOMEM;
        }
        item->questions[item->question_count++] = text;
    }
    return JZ_OK;
}

static int take_atoms(struct jz__item *item, struct jz__scan *scan,
                      sqlite3_stmt *row, int column)
{
    size_t count;
    size_t i;
    int r = scan_array(scan, &count, row, column);

    if (r < 0) {
        return r;
    }
    item->atoms =
        jz__arena_alloc(&item->arena, (count + 1) * sizeof(*item->atoms));
    if (item->atoms == NULL) {
        return JZ_ENOMEM;
    }
    for (i = jz__scan_first(scan, 0); i != 0; i = jz__scan_after(scan, 0, i)) {
        struct jz__item_atom *atom = &item->atoms[item->atom_count];
        size_t kind = jz__scan_get(scan, i, "kind");
        size_t text = jz__scan_get(scan, i, "text");

        if (kind == 0 || text == 0) {
            return JZ_ECORRUPT;
        }
        atom->kind = scan_text(item, scan, kind);
        atom->text = scan_text(item, scan, text);
        if (atom->kind == NULL || atom->text == NULL) {
            return JZ_ENOMEM;
        }
        item->atom_count++;
    }
    return JZ_OK;
}

/* Fill item from a row of ITEM_COLUMNS. */
static int take_row(struct jz__item *item, struct jz__store *store,
                    sqlite3_stmt *row)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    bool failed = false;
    int r;

    item->id = sqlite3_column_int64(row, 0);
    item->source = take_text(item, row, 1, &failed);
    item->external_id = take_text(item, row, 2, &failed);
    item->occurred_at = sqlite3_column_int64(row, 3);
    item->title = take_text(item, row, 4, &failed);
    item->summary = take_text(item, row, 5, &failed);
    item->project = take_text(item, row, 8, &failed);
    item->account = take_text(item, row, 9, &failed);
    item->original_ref = take_text(item, row, 10, &failed);
    item->trust = take_text(item, row, 11, &failed);
    item->has_original = sqlite3_column_type(row, 12) != SQLITE_NULL;
    item->summarizer = take_text(item, row, 13, &failed);
    item->text_hash = sqlite3_column_int64(row, 14);
    item->is_hidden = sqlite3_column_int(row, 15) != 0;
    if (failed) {
        return jz__fail_memory(store->error);
    }
    if (item->source == NULL || item->external_id == NULL ||
        item->title == NULL || item->summary == NULL || item->trust == NULL) {
        return jz__store_fail(store, SQLITE_CORRUPT);
    }
    r = take_questions(item, &scan, row, 6);
    if (r == 0) {
        r = take_atoms(item, &scan, row, 7);
    }
    if (r == JZ_ECORRUPT) {
        return jz__store_fail(store, SQLITE_CORRUPT);
    }
    return r < 0 ? jz__fail_memory(store->error) : JZ_OK;
}

/* Step a bound statement once and take its row, if there is one. */
static int take_first(struct jz__item *out, struct jz__store *store,
                      sqlite3_stmt *statement)
{
    int r = jz__store_step(store, statement);

    if (r <= 0) {
        return r;
    }
    jz__item_finish(out);
    r = take_row(out, store, statement);
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return r < 0 ? r : 1;
}

int jz__item_get(struct jz__item *out, struct jz__store *store, int64_t id)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEM_GET);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    return take_first(out, store, statement);
}

int jz__item_find(struct jz__item *out, struct jz__store *store,
                  const char *source, const char *external_id)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEM_FIND);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, external_id, -1, SQLITE_STATIC);
    return take_first(out, store, statement);
}

int jz__item_segments(struct jz__item_segment **out, size_t *count,
                      struct jz__store *store, const char *source,
                      const char *session)
{
    JZ_CLEANUP(jz__mem_freep) struct jz__item_segment *segments = NULL;
    size_t capacity = 0;
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEMS_OF_SESSION);

    *out = NULL;
    *count = 0;
    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, session, -1, SQLITE_STATIC);
    while ((r = jz__store_step(store, statement)) > 0) {
        const char *external = (const char *)sqlite3_column_text(statement, 1);
        const char *mark = external != NULL ? strrchr(external, '#') : NULL;

        if (mark == NULL) {
            continue;
        }
        if (jz__mem_grow(&segments, &capacity, *count + 1, sizeof(*segments)) <
            0) {
            (void)sqlite3_reset(statement);
            return jz__fail_memory(store->error);
        }
        segments[*count].id = sqlite3_column_int64(statement, 0);
        segments[*count].number = strtoll(mark + 1, NULL, 10);
        (*count)++;
    }
    if (r == 0) {
        *out = jz__mem_steal(&segments);
    }
    return r;
}

int jz__item_next(struct jz__item *out, struct jz__store *store, int64_t after)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEM_NEXT);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, after);
    (void)sqlite3_bind_int64(statement, 2, 1);
    return take_first(out, store, statement);
}

int jz__item_load_original(struct jz__item *item, struct jz__store *store)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEM_ORIGINAL);

    if (r < 0 || !item->has_original) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, item->id);
    r = jz__store_step(store, statement);
    if (r > 0) {
        const void *blob = sqlite3_column_blob(statement, 0);
        int length = sqlite3_column_bytes(statement, 0);

        r = jz__zip_inflate(&text, blob, (size_t)length, ORIGINAL_MOST);
        (void)sqlite3_reset(statement);
        (void)sqlite3_clear_bindings(statement);
        if (r == JZ_ECORRUPT || r == JZ_EINVAL) {
            return jz__fail(store->error, JZ_ECORRUPT,
                            "the original of item %lld is damaged",
                            (long long)item->id);
        }
    }
    if (r < 0) {
        return r == JZ_ENOMEM ? jz__fail_memory(store->error) : r;
    }
    item->original = jz__arena_copy(
        &item->arena, text.data != NULL ? text.data : "", text.length);
    return item->original != NULL ? JZ_OK : jz__fail_memory(store->error);
}
