/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backups by SQLite's online backup API inside one read transaction: what is
 * copied is the snapshot of that transaction, page by page, so that the copy is
 * exact. In WAL mode writers go on meanwhile; without the transaction every
 * write of another process would make the copy begin again, and beside a busy
 * server it would never end. VACUUM INTO would give a consistent file as well,
 * but not the same one, at the cost of building every index anew, and with no
 * word on how far it is.
 *
 * The copy grows under the name of the target with ".part" behind it, which is
 * locked while somebody writes it, and takes its name when it is whole and on
 * disk. What a killed backup leaves is that one file; the next one takes it over.
 *
 * Nothing here may open the library's file but SQLite: closing any descriptor of
 * a file drops the locks that the process has on it, and with them those of
 * SQLite. So whether a path leads to the library is asked by stat(), and what
 * kind of file the target is by an SQLite handle.
 */
#include "store/backup.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

/* Pages of one step: 1 MiB. Between two steps somebody may interrupt. */
#define STEP_PAGES 256

struct backup {
    struct jz__store *store;
    struct jz__buf target; /* no symbolic link any more, if it is there */
    struct jz__buf draft;
    struct stat library;
    struct stat old; /* what is replaced */
    bool replaces;
    int fd; /* of the draft, with its lock; -1: none */
    sqlite3 *db;
    sqlite3_backup *run;
    int64_t page_size;
};

static void let_go(struct backup *backup)
{
    (void)sqlite3_backup_finish(backup->run);
    (void)sqlite3_close(backup->db);
    if (backup->fd >= 0) {
        (void)unlink(backup->draft.data);
        (void)close(backup->fd);
    }
    jz__store_read_end(backup->store);
    jz__buf_finish(&backup->target);
    jz__buf_finish(&backup->draft);
}

/* Why the copy could not be written. Of the two files only one is full. */
static int fail_copy(const struct backup *backup, int rc)
{
    struct jz__error *error = backup->store->error;

    switch (rc & 0xFF) {
    case SQLITE_FULL:
        return jz__fail(error, JZ_EIO,
                        "the disk is full: no backup was written to %s",
                        backup->target.data);
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return jz__store_fail(backup->store, rc);
    default:
        return jz__fail(error, JZ_EIO, "cannot write backup %s: %s",
                        backup->target.data, sqlite3_errstr(rc));
    }
}

static int fail_path(const struct backup *backup, int number)
{
    return jz__fail_errno(backup->store->error, number, "cannot write backup",
                          backup->target.data);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int fail_itself(const struct backup *backup, const char *path)
{
    return jz__fail(backup->store->error, JZ_EINVAL,
                    "%s is the library itself: name another file for the "
                    "backup",
                    path);
}

/* SQLite keeps files of these names beside a library. */
static bool is_reserved(const char *path)
{
    const struct jz__str name = jz__str_of(path);

    return jz__str_ends(name, "-wal") || jz__str_ends(name, "-shm") ||
           jz__str_ends(name, "-journal");
}

static int name_target(struct backup *backup, const char *path)
{
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(path, NULL);

    jz__buf_puts(&backup->target, real != NULL ? real : path);
    jz__buf_puts(&backup->draft, real != NULL ? real : path);
    jz__buf_puts(&backup->draft, ".part");
    if (backup->target.error != 0 || backup->draft.error != 0) {
        return jz__fail_memory(backup->store->error);
    }
    if (is_reserved(backup->target.data)) {
        return jz__fail(backup->store->error, JZ_EINVAL,
                        "a backup cannot be named %s: SQLite would take it for "
                        "a part of another file",
                        path);
    }
    return JZ_OK;
}

/* The one number that a statement gives, 0 if it fails. */
static int64_t read_number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = 0;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        number = sqlite3_column_int64(statement, 0);
    }
    (void)sqlite3_finalize(statement);
    return number;
}

/* "immutable" so that looking leaves no -wal and no -shm behind. */
static bool is_library(const char *path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf uri = JZ__BUF_INIT;
    sqlite3 *db = NULL;
    int64_t mark = 0;

    jz__store_put_uri(&uri, path);
    jz__buf_puts(&uri, "?immutable=1");
    if (uri.error == 0 &&
        sqlite3_open_v2(uri.data, &db,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX |
                            SQLITE_OPEN_URI,
                        NULL) == SQLITE_OK) {
        mark = read_number(db, "PRAGMA application_id");
    }
    (void)sqlite3_close(db);
    return mark == JZ__STORE_APPLICATION_ID;
}

/* A file beside the target that SQLite would take for a part of the copy: of
 * a library that is open, or that was when its process died. Those who only read
 * leave an empty one. */
static int check_beside(const struct backup *backup)
{
    static const char *const endings[] = { "-wal", "-journal" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(endings); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
        struct stat st;

        jz__buf_puts(&path, backup->target.data);
        jz__buf_puts(&path, endings[i]);
        if (path.error != 0) {
            return jz__fail_memory(backup->store->error);
        }
        if (lstat(path.data, &st) == 0 && st.st_size > 0) {
            return jz__fail(backup->store->error, JZ_EINVAL,
                            "%s is in use, or was not closed: there is a %s",
                            backup->target.data, path.data);
        }
    }
    return JZ_OK;
}

/* Has anybody the library open that is to be replaced? In this mode SQLite wants
 * the file for itself as soon as it reads. What stands in the file stays. */
static int check_unused(const struct backup *backup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf uri = JZ__BUF_INIT;
    sqlite3 *db = NULL;
    int rc;

    jz__store_put_uri(&uri, backup->target.data);
    if (uri.error != 0) {
        return jz__fail_memory(backup->store->error);
    }
    rc = sqlite3_open_v2(
        uri.data, &db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(db,
                          "PRAGMA locking_mode = EXCLUSIVE;"
                          "SELECT count(*) FROM sqlite_schema;",
                          NULL, NULL, NULL);
    }
    (void)sqlite3_close(db);
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
        return jz__fail(backup->store->error, JZ_EINVAL,
                        "%s is a library that is in use: it is not replaced",
                        backup->target.data);
    }
    return rc == SQLITE_OK ? JZ_OK : fail_copy(backup, rc);
}

/* Where a link leads that leads nowhere. Mostly a disk that is not mounted, so
 * the folder is named. What the link says is not made: the copy takes its name
 * by a rename, which would take the link's. */
static int fail_link(const struct backup *backup)
{
    struct jz__error *error = backup->store->error;
    const char *target = backup->target.data;
    const struct jz__str parent = jz__path_parent(target);
    JZ_CLEANUP(jz__buf_finish) struct jz__buf base = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf leads = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    char text[PATH_MAX];
    ssize_t length = readlink(target, text, sizeof(text) - 1);
    struct stat st;

    if (length < 0) {
        return fail_path(backup, errno);
    }
    text[length] = '\0';
    jz__buf_append(&base, parent.data, parent.length);
    if (base.error == 0) {
        jz__path_join(&leads, base.data, text);
    }
    if (leads.error == 0 && base.error == 0) {
        const struct jz__str above = jz__path_parent(leads.data);

        jz__buf_append(&folder, above.data, above.length);
    }
    if (base.error != 0 || leads.error != 0 || folder.error != 0) {
        return jz__fail_memory(error);
    }
    if (stat(folder.data, &st) < 0) {
        return jz__fail(error, JZ_ENOTFOUND,
                        "cannot write backup %s: it is a link into the folder "
                        "%s, which is not there",
                        target, folder.data);
    }
    return jz__fail(error, JZ_ENOTFOUND,
                    "cannot write backup %s: it is a link to %s, which is not "
                    "there: name that file itself",
                    target, leads.data);
}

/* May the target be written? Nothing of somebody's is replaced. */
static int check_target(struct backup *backup)
{
    struct jz__error *error = backup->store->error;
    const char *target = backup->target.data;
    struct stat link;
    int r;

    if (stat(backup->store->path, &backup->library) < 0) {
        return jz__fail_errno(error, errno, "cannot stat", backup->store->path);
    }
    backup->replaces = stat(target, &backup->old) == 0;
    if (!backup->replaces && errno != ENOENT) {
        return fail_path(backup, errno);
    }
    if (!backup->replaces && lstat(target, &link) == 0) {
        return fail_link(backup);
    }
    if (!backup->replaces) {
        return check_beside(backup);
    }
    if (is_same(&backup->old, &backup->library)) {
        return fail_itself(backup, target);
    }
    if (!S_ISREG(backup->old.st_mode)) {
        return jz__fail(error, JZ_EINVAL,
                        "backup %s is there and is no regular file", target);
    }
    r = check_beside(backup);
    if (r < 0 || backup->old.st_size == 0) {
        return r;
    }
    if (!is_library(target)) {
        return jz__fail(error, JZ_EINVAL,
                        "%s is there and is no library: it is not replaced",
                        target);
    }
    return check_unused(backup);
}

/* Is the draft the file that was opened, and nobody else's? Another backup may
 * have given it its name between our opening and our lock. */
static bool is_own_draft(const struct backup *backup, int fd)
{
    struct stat opened;
    struct stat named;

    return fstat(fd, &opened) == 0 && lstat(backup->draft.data, &named) == 0 &&
           is_same(&opened, &named) && S_ISREG(opened.st_mode) &&
           opened.st_nlink == 1;
}

/* Make the draft, or take over what a killed backup left. */
static int open_draft(struct backup *backup)
{
    const char *draft = backup->draft.data;
    struct stat st;
    int fd;

    if (lstat(draft, &st) == 0 && is_same(&st, &backup->library)) {
        return fail_itself(backup, draft);
    }
    fd = open(draft, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
              0600);
    if (fd < 0) {
        return fail_path(backup, errno);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 || !is_own_draft(backup, fd)) {
        (void)close(fd);
        return jz__fail(backup->store->error, JZ_EBUSY,
                        "%s is being written by another backup", draft);
    }
    backup->fd = fd;
    return ftruncate(fd, 0) == 0 && fchmod(fd, 0600) == 0
               ? JZ_OK
               : fail_path(backup, errno);
}

/* No journal and no syncs of SQLite's: a copy that was not finished is thrown
 * away, and a whole one is synced at its end. */
static int open_copy(struct backup *backup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf uri = JZ__BUF_INIT;
    int rc;

    jz__store_put_uri(&uri, backup->draft.data);
    if (uri.error != 0) {
        return jz__fail_memory(backup->store->error);
    }
    rc = sqlite3_open_v2(uri.data, &backup->db,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                             SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE,
                         NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(backup->db,
                          "PRAGMA journal_mode = OFF;"
                          "PRAGMA synchronous = OFF;",
                          NULL, NULL, NULL);
    }
    if (rc != SQLITE_OK) {
        return fail_copy(backup, rc);
    }
    backup->page_size = read_number(backup->store->db, "PRAGMA page_size");
    backup->run =
        sqlite3_backup_init(backup->db, "main", backup->store->db, "main");
    return backup->run != NULL ? JZ_OK
                               : fail_copy(backup, sqlite3_errcode(backup->db));
}

static int copy_pages(struct backup *backup, jz_progress_fn fn, void *userdata)
{
    int rc = SQLITE_OK;

    while (rc != SQLITE_DONE) {
        int64_t total;
        int64_t left;

        if (atomic_load(&backup->store->is_interrupted)) {
            return jz__store_fail(backup->store, SQLITE_INTERRUPT);
        }
        rc = sqlite3_backup_step(backup->run, STEP_PAGES);
        if (rc != SQLITE_OK && rc != SQLITE_DONE) {
            return fail_copy(backup, rc);
        }
        total = sqlite3_backup_pagecount(backup->run);
        left = sqlite3_backup_remaining(backup->run);
        if (fn != NULL) {
            fn(userdata, (total - left) * backup->page_size,
               total * backup->page_size);
        }
    }
    return JZ_OK;
}

/* Whole, closed and on disk. */
static int end_copy(struct backup *backup)
{
    int rc = sqlite3_backup_finish(backup->run);

    backup->run = NULL;
    if (rc == SQLITE_OK) {
        rc = sqlite3_close(backup->db);
        backup->db = NULL;
    }
    if (rc != SQLITE_OK) {
        return fail_copy(backup, rc);
    }
    return fsync(backup->fd) == 0 ? JZ_OK : fail_path(backup, errno);
}

/* rename() that replaces nothing. Where the file system has none, a look before
 * it must do. */
static int rename_new(const char *from, const char *to)
{
    struct stat st;

    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    if (lstat(to, &st) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

/* What was allowed at the start is looked at again: copying takes a while. */
static int give_name(struct backup *backup)
{
    const char *target = backup->target.data;
    struct stat now;
    int r = backup->replaces && backup->old.st_size > 0 ? check_unused(backup)
                                                        : check_beside(backup);

    if (r < 0) {
        return r;
    }
    /* The moment from here to the rename is what nobody guards. */
    if (!backup->replaces) {
        r = rename_new(backup->draft.data, target);
    } else if (stat(target, &now) == 0 && !is_same(&now, &backup->old)) {
        errno = EEXIST;
        r = -1;
    } else {
        r = rename(backup->draft.data, target);
    }
    if (r < 0) {
        return fail_path(backup, errno);
    }
    (void)close(backup->fd);
    backup->fd = -1;
    jz__file_sync_parent(target);
    return JZ_OK;
}

int jz__backup_write(struct jz__store *store, const char *path,
                     jz_progress_fn fn, void *userdata)
{
    struct backup backup = { .store = store, .fd = -1 };
    int r;

    assert(!store->in_write && path != NULL);

    /* The read first: it follows a library that was replaced, and what the
     * target is compared with must be what is copied. */
    r = jz__store_read_begin(store, 0);
    if (r < 0) {
        return r;
    }
    r = name_target(&backup, path);
    if (r == 0) {
        r = check_target(&backup);
    }
    if (r == 0) {
        r = open_draft(&backup);
    }
    if (r == 0) {
        r = open_copy(&backup);
    }
    if (r == 0) {
        r = copy_pages(&backup, fn, userdata);
    }
    if (r == 0) {
        r = end_copy(&backup);
    }
    if (r == 0) {
        r = give_name(&backup);
    }
    let_go(&backup);
    return r;
}
