/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document's row says what its file looked like, so that an unchanged one
 * costs a stat, and its messages say what a fork or a resumed session may have
 * copied from it.
 */
#include "store/document.h"

#include <assert.h>
#include <string.h>

void jz__document_finish(struct jz__document *document)
{
    jz__arena_finish(&document->arena);
    memset(document, 0, sizeof(*document));
}

static const char *take_text(struct jz__document *out, sqlite3_stmt *row,
                             int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text == NULL
               ? NULL
               : jz__arena_copy(&out->arena, text,
                                (size_t)sqlite3_column_bytes(row, column));
}

static int take_row(struct jz__document *out, struct jz__store *store,
                    sqlite3_stmt *row)
{
    jz__document_finish(out);
    out->id = sqlite3_column_int64(row, 0);
    out->source = take_text(out, row, 1);
    out->path = take_text(out, row, 2);
    out->session = take_text(out, row, 3);
    out->agent = take_text(out, row, 4);
    out->file.size = sqlite3_column_int64(row, 5);
    out->file.mtime_ns = sqlite3_column_int64(row, 6);
    out->file.inode = sqlite3_column_int64(row, 7);
    out->reader = sqlite3_column_int64(row, 8);
    out->state = take_text(out, row, 9);
    out->reason = take_text(out, row, 10);
    out->read_at = sqlite3_column_int64(row, 11);
    out->own_time_ms = sqlite3_column_type(row, 12) == SQLITE_NULL
                           ? INT64_MAX
                           : sqlite3_column_int64(row, 12);
    out->parent = take_text(out, row, 13);
    if (out->source == NULL || out->path == NULL || out->session == NULL ||
        out->agent == NULL || out->state == NULL) {
        return jz__fail_memory(store->error);
    }
    return JZ_OK;
}

static int take_first(struct jz__document *out, struct jz__store *store,
                      sqlite3_stmt *statement)
{
    int r = jz__store_step(store, statement);

    if (r <= 0) {
        return r;
    }
    r = take_row(out, store, statement);
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return r < 0 ? r : 1;
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    (void)sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

int jz__document_find(struct jz__document *out, struct jz__store *store,
                      const char *source, const char *path)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_DOCUMENT_BY_PATH);

    if (r < 0) {
        return r;
    }
    bind_text(statement, 1, source);
    bind_text(statement, 2, path);
    return take_first(out, store, statement);
}

int jz__document_get(struct jz__document *out, struct jz__store *store,
                     int64_t id)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_DOCUMENT_BY_ID);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    return take_first(out, store, statement);
}

int jz__document_find_other(struct jz__document *out, struct jz__store *store,
                            const char *source, const char *session,
                            const char *but_path)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_DOCUMENT_BY_SESSION);

    if (r < 0) {
        return r;
    }
    bind_text(statement, 1, source);
    bind_text(statement, 2, session);
    bind_text(statement, 3, but_path);
    return take_first(out, store, statement);
}

int jz__document_put(int64_t *id, struct jz__store *store,
                     const struct jz__document *document)
{
    JZ_CLEANUP(jz__document_finish) struct jz__document stored = { .id = 0 };
    sqlite3_stmt *statement = NULL;
    int r = jz__store_source_add(store, document->source);

    assert(store->in_write);

    if (r == 0) {
        r = jz__store_statement(&statement, store, JZ__SQL_DOCUMENT_PUT);
    }
    if (r < 0) {
        return r;
    }
    bind_text(statement, 1, document->source);
    bind_text(statement, 2, document->path);
    bind_text(statement, 3, document->session);
    bind_text(statement, 4, document->agent);
    (void)sqlite3_bind_int64(statement, 5, document->file.size);
    (void)sqlite3_bind_int64(statement, 6, document->file.mtime_ns);
    (void)sqlite3_bind_int64(statement, 7, document->file.inode);
    (void)sqlite3_bind_int64(statement, 8, document->reader);
    bind_text(statement, 9, document->state);
    bind_text(statement, 10, document->reason);
    (void)sqlite3_bind_int64(statement, 11, document->read_at);
    if (document->own_time_ms != INT64_MAX) {
        (void)sqlite3_bind_int64(statement, 12, document->own_time_ms);
    }
    bind_text(statement, 13, document->parent);
    r = jz__store_run(store, statement);
    if (r == 0) {
        r = jz__document_find(&stored, store, document->source, document->path);
    }
    *id = stored.id;
    return r < 0 ? r : JZ_OK;
}

int jz__document_move(struct jz__store *store, int64_t id, const char *path)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_DOCUMENT_TOUCH);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    bind_text(statement, 2, path);
    return jz__store_run(store, statement);
}

static int clear_messages(struct jz__store *store, int64_t id)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_MESSAGES_CLEAR);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    return jz__store_run(store, statement);
}

int jz__document_set_messages(struct jz__store *store, int64_t id,
                              const struct jz__document_message *messages,
                              size_t count)
{
    sqlite3_stmt *statement = NULL;
    size_t i;
    int r = clear_messages(store, id);

    if (r == 0) {
        r = jz__store_statement(&statement, store, JZ__SQL_MESSAGE_ADD);
    }
    for (i = 0; i < count && r == 0; i++) {
        (void)sqlite3_bind_int64(statement, 1, id);
        (void)sqlite3_bind_int64(statement, 2, (int64_t)messages[i].key);
        (void)sqlite3_bind_int64(statement, 3, messages[i].time_ms);
        (void)sqlite3_bind_int(statement, 4, messages[i].is_owned);
        r = jz__store_run(store, statement);
    }
    return r;
}

int jz__document_messages(struct jz__document_message **out, size_t *count,
                          struct jz__store *store, int64_t id)
{
    JZ_CLEANUP(jz__mem_freep) struct jz__document_message *messages = NULL;
    size_t capacity = 0;
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_MESSAGES_OF);

    *out = NULL;
    *count = 0;
    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, id);
    while ((r = jz__store_step(store, statement)) > 0) {
        if (jz__mem_grow(&messages, &capacity, *count + 1, sizeof(*messages)) <
            0) {
            (void)sqlite3_reset(statement);
            return jz__fail_memory(store->error);
        }
        messages[*count].key = (uint64_t)sqlite3_column_int64(statement, 0);
        messages[*count].time_ms = sqlite3_column_int64(statement, 1);
        messages[*count].is_owned = sqlite3_column_int(statement, 2) != 0;
        (*count)++;
    }
    if (r == 0) {
        *out = jz__mem_steal(&messages);
    }
    return r;
}

int jz__document_holders(int64_t **ids, size_t *count, size_t *capacity,
                         struct jz__store *store, const char *source,
                         uint64_t key)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_MESSAGE_HOLDERS);

    if (r < 0) {
        return r;
    }
    bind_text(statement, 1, source);
    (void)sqlite3_bind_int64(statement, 2, (int64_t)key);
    while ((r = jz__store_step(store, statement)) > 0) {
        if (jz__mem_grow(ids, capacity, *count + 1, sizeof(**ids)) < 0) {
            (void)sqlite3_reset(statement);
            return jz__fail_memory(store->error);
        }
        (*ids)[(*count)++] = sqlite3_column_int64(statement, 0);
    }
    return r;
}

int jz__document_each_failed(struct jz__store *store, int64_t most,
                             jz__document_fn fn, void *userdata)
{
    JZ_CLEANUP(jz__document_finish) struct jz__document document = { .id = 0 };
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_DOCUMENTS_FAILED);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(statement, 1, most);
    while ((r = jz__store_step(store, statement)) > 0) {
        r = take_row(&document, store, statement);
        if (r < 0) {
            (void)sqlite3_reset(statement);
            return r;
        }
        fn(userdata, &document);
    }
    return r;
}

int jz__document_count(struct jz__document_counts *out, struct jz__store *store)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_DOCUMENT_COUNTS);

    memset(out, 0, sizeof(*out));
    if (r < 0) {
        return r;
    }
    while ((r = jz__store_step(store, statement)) > 0) {
        const char *state = (const char *)sqlite3_column_text(statement, 0);
        int64_t count = sqlite3_column_int64(statement, 1);

        if (state != NULL && strcmp(state, "stored") == 0) {
            out->stored = count;
        } else if (state != NULL && strcmp(state, "skipped") == 0) {
            out->skipped = count;
        } else {
            out->failed += count;
        }
    }
    return r;
}
