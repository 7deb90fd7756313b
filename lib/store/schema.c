/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema's version stands in user_version, the mark of a library in
 * application_id. Version 1 is the first; when there is a second, its statements
 * run here, in one transaction with the new number.
 */
#include "store/schema.h"

#include <string.h>

#include "base/fold.h"
#include "store/item.h"

static int get_number(int64_t *out, struct jz__store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    *out = 0;
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(statement);
        if (rc == SQLITE_ROW) {
            *out = sqlite3_column_int64(statement, 0);
            rc = SQLITE_OK;
        }
    }
    (void)sqlite3_finalize(statement);
    return rc == SQLITE_OK || rc == SQLITE_DONE ? JZ_OK
                                                : jz__store_fail(store, rc);
}

/* WAL is what lets readers and the writer work at once. It needs shared memory
 * and locks, which a network file system may not have. A library in memory has
 * one connection alone and keeps the journal of its own. */
static int set_wal(struct jz__store *store)
{
    sqlite3_stmt *statement = NULL;
    bool is_wal = false;
    int rc = sqlite3_prepare_v2(store->db, "PRAGMA journal_mode = WAL", -1,
                                &statement, NULL);

    if (rc == SQLITE_OK) {
        rc = sqlite3_step(statement);
    }
    if (rc == SQLITE_ROW) {
        const char *mode = (const char *)sqlite3_column_text(statement, 0);

        is_wal = mode != NULL &&
                 (strcmp(mode, "wal") == 0 || strcmp(mode, "memory") == 0);
        rc = SQLITE_OK;
    }
    (void)sqlite3_finalize(statement);
    if (rc != SQLITE_OK) {
        return jz__store_fail(store, rc);
    }
    return is_wal ? JZ_OK
                  : jz__fail(store->error, JZ_EIO,
                             "the file system of %s has no shared memory or "
                             "locks for a library: use a local disk",
                             store->path);
}

static int run(struct jz__store *store, const char *sql)
{
    int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? JZ_OK : jz__store_fail(store, rc);
}

static int create_tables(struct jz__store *store)
{
    int rc;
    int r = run(store, jz__sql_schema);

    if (r == 0) {
        rc = jz__index_create(store->db);
        r = rc == SQLITE_OK ? JZ_OK : jz__store_fail(store, rc);
    }
    if (r == 0) {
        r = jz__store_state_set(store, "folding", jz__fold_version());
    }
    if (r == 0) {
        _Static_assert(JZ__STORE_APPLICATION_ID == 1248164466 &&
                           JZ__STORE_SCHEMA == 1,
                       "the numbers below");
        r = run(store, "PRAGMA application_id = 1248164466;"
                       "PRAGMA user_version = 1;");
    }
    return r;
}

/* Two processes may do this at once: the one that gets the lock second finds
 * the tables made. */
static int create(struct jz__store *store)
{
    int64_t version = 0;
    int r = set_wal(store);

    if (r < 0) {
        return r;
    }
    r = jz__store_write_begin(store);
    if (r < 0) {
        return r;
    }
    r = get_number(&version, store, "PRAGMA user_version");
    if (r == 0 && version == 0) {
        r = create_tables(store);
    }
    if (r == 0) {
        return jz__store_write_commit(store);
    }
    jz__store_write_rollback(store);
    return r;
}

/* An index that was folded by other tables finds some words no more, and its
 * entries could not be taken out again: it is made anew before any write. */
static int check_folding(struct jz__store *store)
{
    int64_t folding = 0;
    int r = jz__store_state_get(&folding, store, "folding");

    if (r < 0 || folding == jz__fold_version() || store->is_read_only) {
        return r;
    }
    r = jz__store_write_begin(store);
    if (r < 0) {
        return r;
    }
    r = jz__item_reindex(store);
    if (r == 0) {
        r = jz__store_state_set(store, "folding", jz__fold_version());
    }
    if (r == 0) {
        return jz__store_write_commit(store);
    }
    jz__store_write_rollback(store);
    return r;
}

int jz__schema_check(struct jz__store *store)
{
    int64_t application = 0;
    int64_t version = 0;
    int64_t tables = 0;
    int r = get_number(&application, store, "PRAGMA application_id");

    if (r == 0) {
        r = get_number(&version, store, "PRAGMA user_version");
    }
    if (r == 0) {
        r = get_number(&tables, store, "SELECT count(*) FROM sqlite_schema");
    }
    if (r < 0) {
        return r;
    }
    if (application == 0 && version == 0 && tables == 0) {
        return store->is_read_only
                   ? jz__fail(store->error, JZ_ECORRUPT,
                              "library %s is empty: it was never written to",
                              store->path)
                   : create(store);
    }
    if (application != JZ__STORE_APPLICATION_ID || version < 1) {
        return jz__fail(store->error, JZ_ECORRUPT,
                        "%s is an SQLite file of another program, no library",
                        store->path);
    }
    if (version > JZ__STORE_SCHEMA) {
        return jz__fail(store->error, JZ_ENEWER,
                        "library %s was written by a newer Jezero (schema "
                        "%lld, this one knows %d): upgrade this program",
                        store->path, (long long)version, JZ__STORE_SCHEMA);
    }
    return check_folding(store);
}
