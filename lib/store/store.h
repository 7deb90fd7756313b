/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One open library file: the connection, its statements, its transactions and
 * the index that goes with it.
 */
#ifndef JZ_STORE_STORE_H
#define JZ_STORE_STORE_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "index/index.h"
#include "store/sql.h"

/* PRAGMA application_id: "Jezr". PRAGMA user_version: the schema. */
#define JZ__STORE_APPLICATION_ID 0x4A657A72
#define JZ__STORE_SCHEMA 1

/* The path of a library in memory. */
#define JZ__STORE_MEMORY ":memory:"

struct jz__store {
    sqlite3 *db;
    char *path;
    struct jz__error *error; /* the handle's; every failure leaves its text */
    const struct jz__log *log;
    sqlite3_stmt *statements[JZ__SQL_COUNT];
    struct jz__index index;
    int64_t docs_position; /* the docs are those of this position */
    int busy_timeout_ms;
    bool asked_read_only; /* is_read_only: or the file's rights say so */
    bool is_read_only;
    bool in_write;
    atomic_bool is_interrupted;
    atomic_bool db_lock; /* held while db changes, or is interrupted */
    int64_t deadline;    /* of the running read, by the clock; 0: none */
    jz_clock_fn clock;
    void *clock_data;
};

struct jz__store_options {
    bool create;
    bool read_only;
    int busy_timeout_ms;
};

/* Open, create or migrate. On failure the store is closed and error says why.
 * error, log and the clock are borrowed for the store's life. */
int jz__store_open(struct jz__store *out, const char *path,
                   const struct jz__store_options *options,
                   struct jz__error *error, const struct jz__log *log);

/* Append "file:" and the path with what a URI would read otherwise escaped. */
void jz__store_put_uri(struct jz__buf *out, const char *path);

/* Checkpoints if it was the last writer. A zeroed store may be closed. */
void jz__store_close(struct jz__store *store);

/*
 * If the path does not lead to the open file any more, because a backup was put
 * there: open what it leads to now. Outside transactions alone: a read does it
 * by itself, a call that writes before it looks at anything. JZ_EIO if nothing
 * is there; the old file is then kept, it may come back.
 */
int jz__store_follow(struct jz__store *store);

/* From any thread: the statement that runs ends with SQLITE_INTERRUPT. */
void jz__store_interrupt(struct jz__store *store);

/* Seconds since 1970 by the store's clock. */
int64_t jz__store_now(const struct jz__store *store);

/*
 * A read sees one snapshot, and the docs of the index are those of it. Ends
 * with jz__store_read_end(), also as a cleanup on an error. The read is stopped
 * when `seconds` have passed (0: no limit) or it is interrupted.
 */
int jz__store_read_begin(struct jz__store *store, int64_t seconds);
void jz__store_read_end(struct jz__store *store);

/* A write transaction rolls back unless it is committed. */
int jz__store_write_begin(struct jz__store *store);
int jz__store_write_commit(struct jz__store *store);
void jz__store_write_rollback(struct jz__store *store);

/* The statement, reset and without bindings. */
int jz__store_statement(sqlite3_stmt **out, struct jz__store *store,
                        enum jz__sql which);

/* 1: a row; 0: done, the statement is reset; negative: failed, likewise. */
int jz__store_step(struct jz__store *store, sqlite3_stmt *statement);

/* Run a statement whose rows do not matter, and reset it. */
int jz__store_run(struct jz__store *store, sqlite3_stmt *statement);

/* Turn an SQLite result code into ours, with a message that names the file. */
int jz__store_fail(struct jz__store *store, int rc);

int jz__store_state_get(int64_t *out, struct jz__store *store,
                        const char *name);
int jz__store_state_set(struct jz__store *store, const char *name,
                        int64_t value);

/* Make sure that a source has its row, in the write transaction that is open. */
int jz__store_source_add(struct jz__store *store, const char *name);

/* Move the library's position on, in the write transaction that is open: every
 * change has one of its own. */
int jz__store_next_position(int64_t *out, struct jz__store *store);

#endif
