/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing items: the row, its index rows and the library's position move
 * together, in one transaction of the caller's.
 */
#include <assert.h>
#include <string.h>

#include "base/fold.h"
#include "base/json.h"
#include "base/zip.h"
#include "store/item.h"

static int fold_columns(struct jz__columns *out, const struct jz__item *item)
{
    size_t i;

    jz__columns_add(out, JZ__COLUMN_TITLE, jz__str_of(item->title));
    jz__columns_add(out, JZ__COLUMN_SUMMARY, jz__str_of(item->summary));
    for (i = 0; i < item->question_count; i++) {
        jz__columns_add(out, JZ__COLUMN_QUESTIONS,
                        jz__str_of(item->questions[i]));
    }
    for (i = 0; i < item->atom_count; i++) {
        jz__columns_add(out, JZ__COLUMN_ATOMS, jz__str_of(item->atoms[i].text));
    }
    if (item->project != NULL) {
        jz__columns_add(out, JZ__COLUMN_PROJECT, jz__str_of(item->project));
    }
    return jz__columns_end(out);
}

/* What the row holds in encoded form. */
struct encoded {
    struct jz__buf questions;
    struct jz__buf atoms;
    struct jz__buf project_key;
    struct jz__buf original;
};

static void encoded_finish(struct encoded *encoded)
{
    jz__buf_finish(&encoded->questions);
    jz__buf_finish(&encoded->atoms);
    jz__buf_finish(&encoded->project_key);
    jz__buf_finish(&encoded->original);
}

static int encode(struct encoded *out, const struct jz__item *item)
{
    size_t i;

    jz__buf_putc(&out->questions, '[');
    for (i = 0; i < item->question_count; i++) {
        jz__json_put_comma(&out->questions);
        jz__json_put_str(&out->questions, item->questions[i]);
    }
    jz__buf_putc(&out->questions, ']');
    jz__buf_putc(&out->atoms, '[');
    for (i = 0; i < item->atom_count; i++) {
        jz__json_put_comma(&out->atoms);
        jz__buf_putc(&out->atoms, '{');
        jz__json_put_key(&out->atoms, "kind");
        jz__json_put_str(&out->atoms, item->atoms[i].kind);
        jz__json_put_key(&out->atoms, "text");
        jz__json_put_str(&out->atoms, item->atoms[i].text);
        jz__buf_putc(&out->atoms, '}');
    }
    jz__buf_putc(&out->atoms, ']');
    if (item->project != NULL) {
        jz__fold_case(&out->project_key, item->project, strlen(item->project));
    }
    if (item->original != NULL &&
        jz__zip_deflate(&out->original, item->original,
                        strlen(item->original)) < 0) {
        return JZ_ENOMEM;
    }
    return out->questions.error | out->atoms.error | out->project_key.error;
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    (void)sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static void bind_buf(sqlite3_stmt *statement, int index,
                     const struct jz__buf *text)
{
    (void)sqlite3_bind_text64(statement, index, text->data, text->length,
                              SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_item(sqlite3_stmt *statement, const struct jz__item *item,
                      const struct encoded *encoded)
{
    bind_text(statement, 2, item->source);
    bind_text(statement, 3, item->external_id);
    (void)sqlite3_bind_int64(statement, 4, item->occurred_at);
    bind_text(statement, 5, item->title);
    bind_text(statement, 6, item->summary);
    bind_buf(statement, 7, &encoded->questions);
    bind_buf(statement, 8, &encoded->atoms);
    bind_text(statement, 9, item->project);
    bind_buf(statement, 10, &encoded->project_key);
    bind_text(statement, 11, item->account);
    bind_text(statement, 12, item->original_ref);
    bind_text(statement, 13, item->trust);
    if (item->original != NULL) {
        (void)sqlite3_bind_blob64(statement, 14, encoded->original.data,
                                  encoded->original.length, SQLITE_STATIC);
        (void)sqlite3_bind_int64(statement, 15,
                                 (int64_t)strlen(item->original));
    }
    bind_text(statement, 17, item->summarizer);
    (void)sqlite3_bind_int64(statement, 18, item->text_hash);
}

static int64_t random_tag(void)
{
    int64_t tag;

    sqlite3_randomness(sizeof(tag), &tag);
    return tag;
}

static int check_index(struct jz__store *store, int rc)
{
    return rc == SQLITE_OK ? JZ_OK : jz__store_fail(store, rc);
}

/* Take the texts of a stored item out of the index. */
static int unindex(struct jz__store *store, const struct jz__item *item)
{
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns = { 0 };

    if (item->is_hidden) {
        return JZ_OK;
    }
    if (fold_columns(&columns, item) < 0) {
        return jz__fail_memory(store->error);
    }
    return check_index(store,
                       jz__index_remove(&store->index, item->id, &columns));
}

/*
 * Which row is it to be? *old is the row of (source, external_id) if there is
 * one. JZ_EINVAL if the wanted id is another item's.
 */
static int choose_row(struct jz__item *old, struct jz__store *store,
                      const struct jz__item *item)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item taken = JZ__ITEM_INIT;
    int r = jz__item_find(old, store, item->source, item->external_id);

    if (r < 0 || item->id == 0 || (r > 0 && old->id == item->id)) {
        return r;
    }
    if (r > 0) {
        return jz__fail(store->error, JZ_EINVAL,
                        "id %lld: this source and external_id have id %lld",
                        (long long)item->id, (long long)old->id);
    }
    r = jz__item_get(&taken, store, item->id);
    if (r > 0) {
        return jz__fail(store->error, JZ_EINVAL,
                        "id %lld is taken by another item",
                        (long long)item->id);
    }
    return r;
}

static int write_row(int64_t *id, struct jz__store *store,
                     const struct jz__item *item, int64_t old_id,
                     int32_t length)
{
    JZ_CLEANUP(encoded_finish) struct encoded encoded = { .questions = { 0 } };
    sqlite3_stmt *statement = NULL;
    int64_t position = 0;
    int r;

    if (encode(&encoded, item) < 0) {
        return jz__fail_memory(store->error);
    }
    r = jz__store_next_position(&position, store);
    if (r == 0) {
        r = jz__store_statement(&statement, store,
                                old_id != 0 ? JZ__SQL_ITEM_UPDATE
                                            : JZ__SQL_ITEM_INSERT);
    }
    if (r < 0) {
        return r;
    }
    bind_item(statement, item, &encoded);
    if (old_id != 0 || item->id != 0) {
        (void)sqlite3_bind_int64(statement, 1, old_id != 0 ? old_id : item->id);
    }
    (void)sqlite3_bind_int64(statement, 16, length);
    (void)sqlite3_bind_int64(statement, 19, random_tag());
    (void)sqlite3_bind_int64(statement, 20, position);
    r = jz__store_run(store, statement);
    *id = old_id != 0 ? old_id : sqlite3_last_insert_rowid(store->db);
    return r;
}

int jz__item_put(int64_t *id, bool *created, struct jz__store *store,
                 const struct jz__item *item)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item old = JZ__ITEM_INIT;
    JZ_CLEANUP(jz__columns_finish) struct jz__columns columns = { 0 };
    int r;

    assert(store->in_write && item->source != NULL && item->title != NULL);

    r = choose_row(&old, store, item);
    if (r > 0) {
        r = unindex(store, &old);
    }
    if (r == 0) {
        r = jz__store_source_add(store, item->source);
    }
    if (r == 0 && fold_columns(&columns, item) < 0) {
        r = jz__fail_memory(store->error);
    }
    if (r == 0) {
        r = write_row(id, store, item, old.id, columns.length);
    }
    if (r < 0) {
        return r;
    }
    *created = old.id == 0 || old.is_hidden;
    return check_index(store, jz__index_add(&store->index, *id, &columns));
}

int jz__item_hide(struct jz__store *store, int64_t id)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item old = JZ__ITEM_INIT;
    sqlite3_stmt *statement = NULL;
    int64_t position = 0;
    int r = jz__item_get(&old, store, id);

    if (r <= 0 || old.is_hidden) {
        return r < 0 ? r : JZ_OK;
    }
    r = unindex(store, &old);
    if (r == 0) {
        r = jz__store_next_position(&position, store);
    }
    if (r == 0) {
        r = jz__store_statement(&statement, store, JZ__SQL_ITEM_HIDE);
    }
    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    (void)sqlite3_bind_int64(statement, 2, random_tag());
    (void)sqlite3_bind_int64(statement, 3, position);
    return jz__store_run(store, statement);
}

/* 1: *id is the first item of the source behind `after`; 0: there is none. */
static int next_of_source(int64_t *id, struct jz__store *store,
                          const char *source, int64_t after)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEM_NEXT_OF_SOURCE);

    if (r < 0) {
        return r;
    }
    bind_text(statement, 1, source);
    (void)sqlite3_bind_int64(statement, 2, after);
    r = jz__store_step(store, statement);
    if (r > 0) {
        *id = sqlite3_column_int64(statement, 0);
        r = jz__store_run(store, statement);
        return r < 0 ? r : 1;
    }
    return r;
}

int jz__item_hide_source(int64_t *count, struct jz__store *store,
                         const char *source)
{
    int64_t id = 0;
    int r;

    *count = 0;
    while ((r = next_of_source(&id, store, source, id)) > 0) {
        r = jz__item_hide(store, id);
        if (r < 0) {
            return r;
        }
        (*count)++;
    }
    return r;
}

/* --- all items --- */

typedef int (*item_fn)(void *userdata, struct jz__store *store,
                       struct jz__item *item,
                       const struct jz__columns *columns);

/* Hand every item with its columns to fn. */
static int each_item(struct jz__store *store, item_fn fn, void *userdata)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    int64_t after = 0;
    int r;

    while ((r = jz__item_next(&item, store, after)) > 0) {
        JZ_CLEANUP(jz__columns_finish) struct jz__columns columns = { 0 };

        if (fold_columns(&columns, &item) < 0) {
            return jz__fail_memory(store->error);
        }
        r = fn(userdata, store, &item, &columns);
        if (r < 0) {
            return r;
        }
        after = item.id;
    }
    return r;
}

/* 1: the row's length and project key are those of the item; 0: they are not. */
static int has_derived(struct jz__store *store, int64_t id, int32_t length,
                       const struct jz__buf *key)
{
    sqlite3_stmt *row = NULL;
    const char *text;
    bool is_equal;
    int r = jz__store_statement(&row, store, JZ__SQL_ITEM_DERIVED);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(row, 1, id);
    r = jz__store_step(store, row);
    if (r <= 0) {
        return r;
    }
    text = (const char *)sqlite3_column_text(row, 1);
    is_equal = sqlite3_column_int64(row, 0) == length &&
               (text == NULL) == (key->data == NULL) &&
               (text == NULL || strcmp(text, key->data) == 0);
    r = jz__store_run(store, row);
    return r < 0 ? r : is_equal;
}

static int put_key(struct jz__buf *out, struct jz__store *store,
                   const struct jz__item *item)
{
    if (item->project != NULL) {
        jz__fold_case(out, item->project, strlen(item->project));
    }
    return out->error == 0 ? JZ_OK : jz__fail_memory(store->error);
}

/* Correct what the row keeps. It has changed then, and whoever has its doc in
 * memory has to learn of it: so it gets a position. */
static int mend_row(struct jz__store *store, const struct jz__item *item,
                    int32_t length)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf key = JZ__BUF_INIT;
    sqlite3_stmt *statement = NULL;
    int64_t position = 0;
    int r = put_key(&key, store, item);

    if (r == 0) {
        r = has_derived(store, item->id, length, &key);
    }
    if (r != 0) {
        return r < 0 ? r : JZ_OK;
    }
    r = jz__store_next_position(&position, store);
    if (r == 0) {
        r = jz__store_statement(&statement, store, JZ__SQL_ITEM_SET_DERIVED);
    }
    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, item->id);
    (void)sqlite3_bind_int64(statement, 2, length);
    bind_buf(statement, 3, &key);
    (void)sqlite3_bind_int64(statement, 4, position);
    return jz__store_run(store, statement);
}

static int reindex_item(void *userdata, struct jz__store *store,
                        struct jz__item *item,
                        const struct jz__columns *columns)
{
    int r = mend_row(store, item, columns->length);

    (void)userdata;
    return r < 0 ? r
                 : check_index(store,
                               jz__index_add(&store->index, item->id, columns));
}

int jz__item_reindex(struct jz__store *store)
{
    int r = check_index(store, jz__index_clear(&store->index));

    return r < 0 ? r : each_item(store, reindex_item, NULL);
}

struct verify_run {
    struct jz__item_faults *faults;
    struct jz__verify *verify;
};

static int verify_item(void *userdata, struct jz__store *store,
                       struct jz__item *item, const struct jz__columns *columns)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf key = JZ__BUF_INIT;
    struct verify_run *run = userdata;
    struct jz__item_faults *faults = run->faults;
    int r = put_key(&key, store, item);

    if (r == 0) {
        r = has_derived(store, item->id, columns->length, &key);
    }
    if (r < 0) {
        return r;
    }
    if (r == 0 && faults->rows++ == 0) {
        faults->first = item->id;
    }
    r = jz__item_load_original(item, store);
    if (r == JZ_ECORRUPT && faults->originals++ == 0) {
        faults->original = item->id;
    }
    if (r < 0 && r != JZ_ECORRUPT) {
        return r;
    }
    jz__verify_add(run->verify, item->id, columns);
    faults->last_read = item->id;
    return JZ_OK;
}

int jz__item_verify(struct jz__item_faults *out, struct jz__verify *verify,
                    struct jz__store *store)
{
    struct verify_run run = { out, verify };

    memset(out, 0, sizeof(*out));
    memset(verify, 0, sizeof(*verify));
    return each_item(store, verify_item, &run);
}
