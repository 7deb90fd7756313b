/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents keep their sessions in SQLite with a write-ahead log, and write while
 * we read. The database is opened in place, never copied: nearly all of it may be
 * in the log. SQLite answers a reader with a short "disk I/O error" or "busy"
 * while a writer sets the log up or takes it down, so opening is tried again for
 * a moment.
 */
#include "store/foreign.h"

#include <assert.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/store.h"

#define BUSY_MS 1000
#define TRIES 5
#define TRY_AGAIN_MS 40

struct jz__foreign {
    sqlite3 *db;
    char *path;
};

struct jz__foreign_rows {
    struct jz__foreign *foreign;
    sqlite3_stmt *statement;
};

static int fail(const struct jz__foreign *foreign, int rc,
                struct jz__error *error)
{
    int primary = rc & 0xFF;

    if (primary == SQLITE_NOMEM) {
        return jz__fail_memory(error);
    }
    return jz__fail(
        error,
        primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT ? JZ_ECORRUPT
                                                              : JZ_EIO,
        "cannot read %s: %s", foreign->path,
        foreign->db != NULL ? sqlite3_errmsg(foreign->db) : sqlite3_errstr(rc));
}

/* The first read tells whether it is a database at all, and begins the
 * snapshot. */
static int connect(struct jz__foreign *foreign, const char *uri)
{
    int rc = sqlite3_open_v2(uri, &foreign->db,
                             SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX |
                                 SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE,
                             NULL);

    if (rc == SQLITE_OK) {
        (void)sqlite3_busy_timeout(foreign->db, BUSY_MS);
        rc = sqlite3_exec(foreign->db,
                          "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;"
                          "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1",
                          NULL, NULL, NULL);
    }
    return rc;
}

static bool may_pass(int rc)
{
    int primary = rc & 0xFF;

    return primary == SQLITE_BUSY || primary == SQLITE_IOERR ||
           primary == SQLITE_CANTOPEN || primary == SQLITE_PROTOCOL;
}

static int open_patiently(struct jz__foreign *foreign, const char *uri,
                          struct jz__error *error)
{
    const struct timespec pause = { 0, TRY_AGAIN_MS * 1000000L };

    for (int i = 1;; i++) {
        int rc = connect(foreign, uri);

        if (rc == SQLITE_OK) {
            return 0;
        }
        if (i == TRIES || !may_pass(rc)) {
            return fail(foreign, rc, error);
        }
        (void)sqlite3_close(foreign->db);
        foreign->db = NULL;
        (void)nanosleep(&pause, NULL);
    }
}

int jz__foreign_open(struct jz__foreign **out, const char *path,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__foreign_closep) struct jz__foreign *foreign = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf uri = JZ__BUF_INIT;
    struct stat info;
    int r;

    assert(out != NULL && path != NULL);

    *out = NULL;
    if (stat(path, &info) != 0) {
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return jz__fail(error, JZ_ECORRUPT, "%s is no database", path);
    }
    foreign = calloc(1, sizeof(*foreign));
    jz__store_put_uri(&uri, path);
    if (foreign == NULL || uri.error != 0 ||
        (foreign->path = jz__mem_copy(path, strlen(path))) == NULL) {
        return jz__fail_memory(error);
    }
    r = open_patiently(foreign, uri.data, error);
    if (r == 0) {
        *out = jz__mem_steal(&foreign);
    }
    return r;
}

void jz__foreign_close(struct jz__foreign *foreign)
{
    if (foreign != NULL) {
        (void)sqlite3_close(foreign->db);
        free(foreign->path);
        free(foreign);
    }
}

void jz__foreign_closep(struct jz__foreign **foreign)
{
    jz__foreign_close(*foreign);
}

bool jz__foreign_has(struct jz__foreign *foreign, const char *table,
                     const char *column)
{
    sqlite3_stmt *statement = NULL;
    bool has = false;

    if (sqlite3_prepare_v2(foreign->db,
                           "SELECT 1 FROM pragma_table_info(?) WHERE name = ?",
                           -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) ==
            SQLITE_OK &&
        sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC) ==
            SQLITE_OK) {
        has = sqlite3_step(statement) == SQLITE_ROW;
    }
    (void)sqlite3_finalize(statement);
    return has;
}

static void put_select(struct jz__buf *out, struct jz__foreign *foreign,
                       const struct jz__foreign_query *query)
{
    jz__buf_puts(out, "SELECT ");
    for (int i = 0; query->columns[i] != NULL; i++) {
        const char *column = query->columns[i];

        assert(i < JZ__FOREIGN_COLUMNS_MOST);
        jz__buf_printf(out, "%s%s", i > 0 ? ", " : "",
                       column[0] == '(' ||
                               jz__foreign_has(foreign, query->table, column)
                           ? column
                           : "NULL");
    }
    jz__buf_printf(out, " FROM %s", query->table);
    if (query->where != NULL) {
        jz__buf_printf(out, " WHERE %s", query->where);
    }
    if (query->order != NULL) {
        jz__buf_printf(out, " ORDER BY %s", query->order);
    }
}

int jz__foreign_select(struct jz__foreign_rows **out,
                       struct jz__foreign *foreign,
                       const struct jz__foreign_query *query,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf sql = JZ__BUF_INIT;
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int rc;

    *out = NULL;
    put_select(&sql, foreign, query);
    rows = calloc(1, sizeof(*rows));
    if (sql.error != 0 || rows == NULL) {
        return jz__fail_memory(error);
    }
    rows->foreign = foreign;
    rc = sqlite3_prepare_v2(foreign->db, sql.data, -1, &rows->statement, NULL);
    if (rc == SQLITE_OK && query->bound != NULL) {
        rc = sqlite3_bind_text(rows->statement, 1, query->bound, -1,
                               SQLITE_TRANSIENT);
    }
    if (rc != SQLITE_OK) {
        return fail(foreign, rc, error);
    }
    *out = jz__mem_steal(&rows);
    return 0;
}

void jz__foreign_rows_closep(struct jz__foreign_rows **rows)
{
    if (*rows != NULL) {
        (void)sqlite3_finalize((*rows)->statement);
        free(*rows);
        *rows = NULL;
    }
}

int jz__foreign_next(struct jz__foreign_rows *rows, struct jz__error *error)
{
    int rc = sqlite3_step(rows->statement);

    if (rc == SQLITE_ROW) {
        return 1;
    }
    return rc == SQLITE_DONE ? 0 : fail(rows->foreign, rc, error);
}

bool jz__foreign_is_null(const struct jz__foreign_rows *rows, int column)
{
    return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

bool jz__foreign_is_number(const struct jz__foreign_rows *rows, int column)
{
    int type = sqlite3_column_type(rows->statement, column);

    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

struct jz__str jz__foreign_text(const struct jz__foreign_rows *rows, int column)
{
    const char *text =
        (const char *)sqlite3_column_text(rows->statement, column);
    int length = sqlite3_column_bytes(rows->statement, column);

    return text != NULL ? (struct jz__str){ text, (size_t)length }
                        : JZ__STR("");
}

double jz__foreign_number(const struct jz__foreign_rows *rows, int column)
{
    return sqlite3_column_double(rows->statement, column);
}
