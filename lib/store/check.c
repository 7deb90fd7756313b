/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check reads everything twice: SQLite's own integrity check, and the index
 * against one that is made anew from the items in a temporary table. It takes
 * the write lock, so that what is compared stands still.
 */
#include "store/check.h"

#include <string.h>

#include "store/item.h"

/* Pages of 4 KiB: 64 MiB. */
#define LOG_FRAMES_MOST 16384

static int check_pages(struct jz__store *store, jz__check_fn fn, void *userdata)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(20)", -1,
                                &statement, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        const char *text;

        rc = sqlite3_step(statement);
        if (rc != SQLITE_ROW) {
            break;
        }
        text = (const char *)sqlite3_column_text(statement, 0);
        if (text != NULL && strcmp(text, "ok") != 0) {
            fn(userdata, text);
        }
    }
    (void)sqlite3_finalize(statement);
    if ((rc & 0xFF) == SQLITE_CORRUPT) {
        fn(userdata, "the file is damaged");
        return JZ_OK;
    }
    return rc == SQLITE_DONE ? JZ_OK : jz__store_fail(store, rc);
}

static int verify_index(const char **problem, struct jz__store *store)
{
    int rc = jz__index_verify_begin(&store->index);
    int r;

    *problem = NULL;
    if (rc != SQLITE_OK) {
        return jz__store_fail(store, rc);
    }
    r = jz__item_verify(store);
    rc = jz__index_verify_end(&store->index, problem);
    if (r == 0 && rc != SQLITE_OK) {
        r = jz__store_fail(store, rc);
    }
    return r;
}

static int check_index(struct jz__store *store, bool repair, jz__check_fn fn,
                       void *userdata)
{
    const char *problem = NULL;
    int r = verify_index(&problem, store);

    if (r == JZ_ECORRUPT) {
        fn(userdata, "the items cannot be read: the file is damaged");
        return JZ_OK;
    }
    if (r < 0 || problem == NULL) {
        return r;
    }
    if (!repair) {
        fn(userdata, problem);
        return JZ_OK;
    }
    r = jz__item_reindex(store);
    if (r == 0) {
        fn(userdata, "the index differed from the items: made anew");
    }
    return r;
}

int jz__check_library(struct jz__store *store, bool repair, jz__check_fn fn,
                      void *userdata)
{
    int r = check_pages(store, fn, userdata);

    if (r < 0) {
        return r;
    }
    if (store->is_read_only) {
        return repair ? jz__store_fail(store, SQLITE_READONLY) : JZ_OK;
    }
    r = jz__store_write_begin(store);
    if (r < 0) {
        return r;
    }
    r = check_index(store, repair, fn, userdata);
    if (r == 0) {
        return jz__store_write_commit(store);
    }
    jz__store_write_rollback(store);
    return r;
}

/* Cut the write-ahead log back. Readers that still need it make this do less:
 * the next time does the rest. One that never ends is worth a line. */
static void checkpoint(struct jz__store *store)
{
    int frames = 0;

    (void)sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
                                    &frames, NULL);
    if (frames > LOG_FRAMES_MOST) {
        jz__log_write(store->log, JZ_LOG_WARNING,
                      "the write-ahead log of %s holds %d pages: a reader "
                      "that does not end keeps it from being cut",
                      store->path, frames);
    }
}

int jz__check_maintain(struct jz__store *store, bool *more)
{
    int rc;
    int r = jz__store_write_begin(store);

    *more = false;
    if (r < 0) {
        return r;
    }
    rc = jz__index_maintain(&store->index, more);
    if (rc != SQLITE_OK) {
        r = jz__store_fail(store, rc);
        jz__store_write_rollback(store);
        return r;
    }
    r = jz__store_write_commit(store);
    if (r == 0 && !*more) {
        checkpoint(store);
    }
    return r;
}

int jz__check_sizes(struct jz__check_sizes *out, struct jz__store *store)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEM_COUNTS);

    memset(out, 0, sizeof(*out));
    if (r < 0) {
        return r;
    }
    r = jz__store_step(store, statement);
    if (r > 0) {
        out->items = sqlite3_column_int64(statement, 0);
        out->hidden = sqlite3_column_int64(statement, 1);
        out->originals = sqlite3_column_int64(statement, 2);
        out->originals_plain = sqlite3_column_int64(statement, 3);
        r = jz__store_run(store, statement);
    }
    return r;
}
