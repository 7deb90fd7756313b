/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a library: the file's mode, SQLite's settings, and what the file
 * says of itself. Opening an existing library writes nothing, so that readers
 * start while a writer works and a read-only copy can be searched.
 *
 * A server holds its handles for weeks. When a backup is put in the place of
 * the file meanwhile, a handle would go on with the old file, which no path
 * leads to any more: answers from the past, and new items written to nowhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/schema.h"
#include "store/store.h"

/* What is freed is overwritten; the log is cut back after a checkpoint; no
 * function of the schema is trusted. None of these writes to the file. */
static const char settings[] = "PRAGMA secure_delete = ON;"
                               "PRAGMA synchronous = NORMAL;"
                               "PRAGMA journal_size_limit = 4194304;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA cache_size = -8192;";

/* Make the file with owner-only rights before SQLite sees it: its -wal and
 * -shm take the rights of the file. */
static int create_file(struct jz__store *store)
{
    int fd = open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0) {
        return errno == EEXIST
                   ? JZ_OK
                   : jz__fail_errno(store->error, errno,
                                    "cannot create library", store->path);
    }
    (void)close(fd);
    return JZ_OK;
}

static int check_file(struct jz__store *store,
                      const struct jz__store_options *options)
{
    struct stat info;

    if (stat(store->path, &info) == 0) {
        if (S_ISREG(info.st_mode)) {
            return JZ_OK;
        }
        return jz__fail(store->error, JZ_EINVAL,
                        "library %s is no regular file", store->path);
    }
    if (errno == ENOENT && options->create && !options->read_only) {
        return create_file(store);
    }
    return jz__fail_errno(store->error, errno, "cannot open library",
                          store->path);
}

static int connect_with(struct jz__store *store, const char *name, int flags)
{
    int rc = sqlite3_open_v2(name, &store->db,
                             flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI |
                                 SQLITE_OPEN_EXRESCODE,
                             NULL);

    if (rc != SQLITE_OK) {
        int r = jz__store_fail(store, rc);

        (void)sqlite3_close(store->db);
        store->db = NULL;
        return r;
    }
    return JZ_OK;
}

void jz__store_put_uri(struct jz__buf *out, const char *path)
{
    const char *at;

    jz__buf_puts(out, "file:");
    for (at = path; *at != '\0'; at++) {
        if (strchr("?#%", *at) != NULL) {
            jz__buf_printf(out, "%%%02X", (unsigned char)*at);
        } else {
            jz__buf_putc(out, *at);
        }
    }
}

/* A file that nobody can write to needs no locks and no -shm. */
static bool is_immutable(const char *path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf wal = JZ__BUF_INIT;
    struct stat info;

    jz__buf_puts(&wal, path);
    jz__buf_puts(&wal, "-wal");
    return wal.error == 0 && stat(wal.data, &info) != 0;
}

static int connect(struct jz__store *store, bool read_only)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf uri = JZ__BUF_INIT;

    store->is_read_only = read_only || access(store->path, W_OK) != 0;
    jz__store_put_uri(&uri, store->path);
    if (store->is_read_only && is_immutable(store->path)) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
        const char *slash = strrchr(store->path, '/');

        jz__buf_append(&folder, slash == store->path ? "/" : store->path,
                       slash == NULL          ? 0
                       : slash == store->path ? 1
                                              : (size_t)(slash - store->path));
        if (folder.error != 0) {
            return jz__fail_memory(store->error);
        }
        if (access(folder.length > 0 ? folder.data : ".", W_OK) != 0) {
            jz__buf_puts(&uri, "?immutable=1");
        }
    }
    if (uri.error != 0) {
        return jz__fail_memory(store->error);
    }
    return connect_with(store, uri.data,
                        store->is_read_only ? SQLITE_OPEN_READONLY
                                            : SQLITE_OPEN_READWRITE);
}

/* A library that is nowhere on disk has neither rights nor locks. */
static int connect_memory(struct jz__store *store)
{
    return connect_with(store, JZ__STORE_MEMORY,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

static int set_up(struct jz__store *store,
                  const struct jz__store_options *options)
{
    int rc;

    (void)sqlite3_busy_timeout(store->db, options->busy_timeout_ms);
    rc = sqlite3_exec(store->db, settings, NULL, NULL, NULL);
    if (rc == SQLITE_OK) {
        rc = jz__index_open(&store->index, store->db);
    }
    if (rc != SQLITE_OK) {
        return jz__store_fail(store, rc);
    }
    return jz__schema_check(store);
}

int jz__store_open(struct jz__store *out, const char *path,
                   const struct jz__store_options *options,
                   struct jz__error *error, const struct jz__log *log)
{
    int r;

    memset(out, 0, sizeof(*out));
    out->error = error;
    out->log = log;
    out->busy_timeout_ms = options->busy_timeout_ms;
    out->asked_read_only = options->read_only;
    out->path = jz__mem_copy(path, strlen(path));
    if (out->path == NULL) {
        return jz__fail_memory(error);
    }
    if (strcmp(path, JZ__STORE_MEMORY) == 0) {
        r = connect_memory(out);
    } else {
        r = check_file(out, options);
        if (r == 0) {
            r = connect(out, options->read_only);
        }
    }
    if (r == 0) {
        r = set_up(out, options);
    }
    if (r < 0) {
        jz__store_close(out);
    }
    return r;
}

/* Held for a few instructions, so waiting for it is not worth a mutex. */
static void lock_db(struct jz__store *store)
{
    while (atomic_exchange(&store->db_lock, true)) {
    }
}

void jz__store_interrupt(struct jz__store *store)
{
    lock_db(store);
    if (store->db != NULL) {
        atomic_store(&store->is_interrupted, true);
        sqlite3_interrupt(store->db);
    }
    atomic_store(&store->db_lock, false);
}

/* Exchange what hangs on the connection. The rest is the caller's. */
static void swap_connection(struct jz__store *store, struct jz__store *fresh)
{
    struct jz__store old;

    lock_db(store);
    old.db = store->db;
    store->db = fresh->db;
    atomic_store(&store->db_lock, false);
    fresh->db = old.db;
    memcpy(old.statements, store->statements, sizeof(old.statements));
    memcpy(store->statements, fresh->statements, sizeof(old.statements));
    memcpy(fresh->statements, old.statements, sizeof(old.statements));
    old.index = store->index;
    store->index = fresh->index;
    fresh->index = old.index;
    store->docs_position = 0;
    store->is_read_only = fresh->is_read_only;
}

int jz__store_follow(struct jz__store *store)
{
    const struct jz__store_options options = { false, store->asked_read_only,
                                               store->busy_timeout_ms };
    struct jz__store fresh;
    int has_moved = 0;
    int r;

    if (sqlite3_file_control(store->db, NULL, SQLITE_FCNTL_HAS_MOVED,
                             &has_moved) != SQLITE_OK ||
        has_moved == 0) {
        return JZ_OK;
    }
    r = jz__store_open(&fresh, store->path, &options, store->error, store->log);
    if (r < 0) {
        /* Not found would be read as an item or a transcript that is not. */
        return r == JZ_ENOTFOUND ? JZ_EIO : r;
    }
    swap_connection(store, &fresh);
    jz__store_close(&fresh);
    jz__log_write(store->log, JZ_LOG_WARNING,
                  "the library %s was replaced: going on with the new file",
                  store->path);
    return JZ_OK;
}
