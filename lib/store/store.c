/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions, statements and errors of one connection.
 *
 * Readers never wait for the writer and the other way round: the file is in WAL
 * mode, a read is a deferred transaction that never writes, a write begins with
 * BEGIN IMMEDIATE, so that a busy library shows at its start and not in the
 * middle.
 *
 * At the start of a read the docs of the index are brought up to the snapshot:
 * every change of an item writes the library's position into its row, so what
 * has changed since the last read is one walk over an index.
 */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

/* Instructions of SQLite's machine between two looks at the clock: well under
 * a millisecond. */
#define PROGRESS_STEP 20000

/* Somebody who interrupts without pause hits a few statements in a row. */
#define ROLLBACK_TRIES 10000

int64_t jz__store_now(const struct jz__store *store)
{
    if (store->clock != NULL) {
        return store->clock(store->clock_data);
    }
    return (int64_t)time(NULL);
}

/* The sentence for a code, with the file where it helps. */
static int fail_io(struct jz__store *store, int rc)
{
    const char *path = store->path != NULL ? store->path : "";
    int number = store->db != NULL ? sqlite3_system_errno(store->db) : 0;

    switch (rc & 0xFF) {
    case SQLITE_FULL:
        return jz__fail(store->error, JZ_EIO,
                        "the disk is full: nothing was written to %s", path);
    case SQLITE_READONLY:
        return jz__fail(store->error, JZ_EIO,
                        "library %s is read-only: check the rights of the "
                        "file and its folder",
                        path);
    case SQLITE_CANTOPEN:
        if (number == EMFILE || number == ENFILE) {
            return jz__fail_errno(store->error, number, "cannot open library",
                                  path);
        }
        return jz__fail(store->error, JZ_EIO,
                        "cannot open library %s: check the rights of the file "
                        "and its folder",
                        path);
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS:
        return jz__fail(store->error, JZ_EIO,
                        "the file system of %s does not support the locks a "
                        "library needs: use a local disk",
                        path);
    default:
        return jz__fail(store->error, JZ_EIO, "library %s: %s", path,
                        store->db != NULL ? sqlite3_errmsg(store->db)
                                          : sqlite3_errstr(rc));
    }
}

static int fail_interrupted(struct jz__store *store)
{
    if (atomic_load(&store->is_interrupted)) {
        return jz__fail(store->error, JZ_EBUSY, "interrupted");
    }
    return jz__fail(store->error, JZ_EBUSY, "the search took longer than 10 s");
}

int jz__store_fail(struct jz__store *store, int rc)
{
    switch (rc & 0xFF) {
    case SQLITE_NOMEM:
        return jz__fail_memory(store->error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return jz__fail(store->error, JZ_EBUSY,
                        "library %s is locked by another program: try again",
                        store->path);
    case SQLITE_INTERRUPT:
        return fail_interrupted(store);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return jz__fail(store->error, JZ_ECORRUPT,
                        "library %s is damaged or is no library: %s",
                        store->path, sqlite3_errstr(rc));
    case SQLITE_CONSTRAINT:
    case SQLITE_MISUSE:
    case SQLITE_ERROR:
        return jz__fail(
            store->error, JZ_EINTERNAL, "library %s: %s", store->path,
            store->db != NULL ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc));
    default:
        return fail_io(store, rc);
    }
}

int jz__store_statement(sqlite3_stmt **out, struct jz__store *store,
                        enum jz__sql which)
{
    sqlite3_stmt **slot = &store->statements[which];

    assert(which < JZ__SQL_COUNT);

    *out = NULL;
    if (*slot == NULL) {
        int rc = sqlite3_prepare_v3(store->db, jz__sql_texts[which], -1,
                                    SQLITE_PREPARE_PERSISTENT, slot, NULL);

        if (rc != SQLITE_OK) {
            return jz__store_fail(store, rc);
        }
    }
    *out = *slot;
    return JZ_OK;
}

int jz__store_step(struct jz__store *store, sqlite3_stmt *statement)
{
    int rc = sqlite3_step(statement);

    if (rc == SQLITE_ROW) {
        return 1;
    }
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return rc == SQLITE_DONE ? 0 : jz__store_fail(store, rc);
}

int jz__store_run(struct jz__store *store, sqlite3_stmt *statement)
{
    int r;

    do {
        r = jz__store_step(store, statement);
    } while (r > 0);
    return r;
}

static int run_sql(struct jz__store *store, enum jz__sql which)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, which);

    return r < 0 ? r : jz__store_run(store, statement);
}

int jz__store_state_get(int64_t *out, struct jz__store *store, const char *name)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_STATE_GET);

    *out = 0;
    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    r = jz__store_step(store, statement);
    if (r > 0) {
        *out = sqlite3_column_int64(statement, 0);
        r = jz__store_run(store, statement);
    }
    return r;
}

int jz__store_state_set(struct jz__store *store, const char *name,
                        int64_t value)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_STATE_SET);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 2, value);
    return jz__store_run(store, statement);
}

int jz__store_source_add(struct jz__store *store, const char *name)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_SOURCE_ADD);

    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    return jz__store_run(store, statement);
}

int jz__store_next_position(int64_t *out, struct jz__store *store)
{
    int r = jz__store_state_get(out, store, "position");

    (*out)++;
    return r < 0 ? r : jz__store_state_set(store, "position", *out);
}

static int put_doc(struct jz__store *store, sqlite3_stmt *row)
{
    struct jz__docs *docs = &store->index.docs;
    struct jz__doc_entry entry;

    entry.id = sqlite3_column_int64(row, 0);
    if (sqlite3_column_int(row, 5) != 0) {
        jz__docs_remove(docs, entry.id);
        return JZ_OK;
    }
    entry.source = (const char *)sqlite3_column_text(row, 1);
    entry.project = (const char *)sqlite3_column_text(row, 2);
    entry.occurred_at = sqlite3_column_int64(row, 3);
    entry.length = sqlite3_column_int(row, 4);
    if (entry.source == NULL || entry.length < 0 || entry.id < 1) {
        return jz__store_fail(store, SQLITE_CORRUPT);
    }
    return jz__docs_put(docs, &entry) < 0 ? jz__fail_memory(store->error)
                                          : JZ_OK;
}

/* Bring the docs up to the snapshot that is read. */
static int refresh_docs(struct jz__store *store)
{
    sqlite3_stmt *rows = NULL;
    int64_t position;
    int r = jz__store_state_get(&position, store, "position");

    if (r < 0 || position == store->docs_position) {
        return r;
    }
    if (position < store->docs_position) {
        /* The file was replaced by an older copy under our feet. */
        jz__docs_finish(&store->index.docs);
        store->docs_position = 0;
    }
    r = jz__store_statement(&rows, store, JZ__SQL_DOCS_CHANGED);
    if (r < 0) {
        return r;
    }
    (void)sqlite3_bind_int64(rows, 1, store->docs_position);
    while ((r = jz__store_step(store, rows)) > 0) {
        r = put_doc(store, rows);
        if (r < 0) {
            (void)sqlite3_reset(rows);
            return r;
        }
    }
    if (r == 0) {
        store->docs_position = position;
    }
    return r;
}

/* Called by SQLite from time to time: non-zero stops the statement. */
static int on_progress(void *userdata)
{
    struct jz__store *store = userdata;

    return atomic_load(&store->is_interrupted) ||
           (store->deadline != 0 && jz__store_now(store) > store->deadline);
}

int jz__store_read_begin(struct jz__store *store, int64_t seconds)
{
    int r;

    assert(!store->in_write);

    atomic_store(&store->is_interrupted, false);
    r = jz__store_follow(store);
    if (r < 0) {
        return r;
    }
    store->deadline = seconds > 0 ? jz__store_now(store) + seconds : 0;
    sqlite3_progress_handler(store->db, PROGRESS_STEP, on_progress, store);
    r = run_sql(store, JZ__SQL_BEGIN_READ);
    if (r == 0) {
        r = refresh_docs(store);
    }
    if (r < 0) {
        jz__store_read_end(store);
    }
    return r;
}

void jz__store_read_end(struct jz__store *store)
{
    store->deadline = 0;
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    jz__store_write_rollback(store);
}

int jz__store_write_begin(struct jz__store *store)
{
    int r;

    assert(!store->in_write);

    if (store->is_read_only) {
        return jz__store_fail(store, SQLITE_READONLY);
    }
    r = run_sql(store, JZ__SQL_BEGIN_WRITE);
    store->in_write = r == 0;
    return r;
}

int jz__store_write_commit(struct jz__store *store)
{
    int r;

    assert(store->in_write);

    r = run_sql(store, JZ__SQL_COMMIT);
    if (r == 0) {
        store->in_write = false;
    } else {
        jz__store_write_rollback(store);
    }
    return r;
}

/* Not by jz__store_run(), which would put its own failure in the place of the
 * one that led here. What an interrupt was meant for may just be over: then it
 * ends this statement, and the next try is a new one. */
static void roll_back(struct jz__store *store)
{
    sqlite3_stmt **slot = &store->statements[JZ__SQL_ROLLBACK];
    int tries = 0;
    int rc;

    if (*slot == NULL) {
        (void)sqlite3_prepare_v3(store->db, jz__sql_texts[JZ__SQL_ROLLBACK], -1,
                                 SQLITE_PREPARE_PERSISTENT, slot, NULL);
    }
    do {
        rc = *slot != NULL
                 ? sqlite3_step(*slot)
                 : sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        (void)sqlite3_reset(*slot);
    } while ((rc & 0xFF) == SQLITE_INTERRUPT && tries++ < ROLLBACK_TRIES);
}

void jz__store_write_rollback(struct jz__store *store)
{
    size_t i;

    /* A statement that is still on a row would keep the snapshot open. */
    for (i = 0; i < JZ__LENGTH(store->statements); i++) {
        if (store->statements[i] != NULL) {
            (void)sqlite3_reset(store->statements[i]);
        }
    }
    if (!sqlite3_get_autocommit(store->db)) {
        roll_back(store);
    }
    store->in_write = false;
}

void jz__store_close(struct jz__store *store)
{
    size_t i;

    if (store->db == NULL) {
        free(store->path);
        memset(store, 0, sizeof(*store));
        return;
    }
    jz__store_write_rollback(store);
    for (i = 0; i < JZ__LENGTH(store->statements); i++) {
        sqlite3_finalize(store->statements[i]);
    }
    jz__index_close(&store->index);
    (void)sqlite3_close(store->db);
    free(store->path);
    memset(store, 0, sizeof(*store));
}
