/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two commands may change a file at once, and a person may have it open in an
 * editor. Commands wait for each other by a lock on the file's folder, which
 * needs no file that stays behind. An editor knows no lock; so right before the
 * new text takes the file's place the file is looked at again, and if it has
 * changed meanwhile all of it is done once more.
 *
 * A reader, the server first of all, never waits: it sees the old file or the
 * new one, whole.
 */
#include "clients_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

/* How long another command may hold the lock, and how often it is asked. */
#define LOCK_SECONDS 10
#define LOCK_STEP_MS 20

/* How often a file may change under us. */
#define TRIES 20

static void unlock(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

/* The folder of the file itself, whatever link led to it. It is not waited for
 * without end: everybody who may read the folder can hold its lock. */
static int lock_folder(int *out, const char *path, struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(path, NULL);
    JZ_CLEANUP(jz__mem_freep) char *folder = NULL;
    struct jz__str parent;
    int tries = LOCK_SECONDS * 1000 / LOCK_STEP_MS;

    if (real == NULL) {
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    parent = jz__path_parent(real);
    folder = jz__mem_copy(parent.data, parent.length);
    if (folder == NULL) {
        return jz__fail_memory(error);
    }
    *out = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out < 0) {
        return jz__fail_errno(error, errno, "cannot open", folder);
    }
    while (flock(*out, LOCK_EX | LOCK_NB) < 0) {
        const struct timespec step = { 0, LOCK_STEP_MS * 1000000L };

        if (errno != EWOULDBLOCK && errno != EINTR) {
            return jz__fail_errno(error, errno, "cannot lock", folder);
        }
        if (tries-- == 0) {
            return jz__fail(error, JZ_EBUSY,
                            "another program has locked the folder %s for "
                            "over %d seconds",
                            folder, LOCK_SECONDS);
        }
        (void)nanosleep(&step, NULL);
    }
    return 0;
}

/* A file that was replaced has another inode, one that was written to another
 * time. */
static bool is_same_state(const struct jz__file_state *a,
                          const struct jz__file_state *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns &&
           a->inode == b->inode;
}

/* Read, edit, write: 0, CLIENTS_EDIT_SAME, JZ_EBUSY if the file changed
 * meanwhile, or another failure. */
static int try_change(const char *path, const struct clients_change *change,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf old = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf new = JZ__BUF_INIT;
    /* Paths in the file are checked and not used. */
    const struct config_origin origin = { path, "/", "/" };
    struct jz__file_state before;
    struct jz__file_state now;
    struct jz__str text;
    int r = jz__file_stat(&before, path, error);

    if (r == 0) {
        r = jz__file_read(&old, path, CONFIG_FILE_MAX, error);
    }
    if (r < 0) {
        return r;
    }
    text = (struct jz__str){ old.data != NULL ? old.data : "", old.length };
    r = change->revoked != NULL
            ? clients_edit_revoke(&new, text, &origin, change->revoked, error)
            : clients_edit_approve(&new, text, &origin, &change->approval,
                                   error);
    if (r != 0) {
        return r;
    }
    if (new.length > CONFIG_FILE_MAX) {
        return jz__fail(error, JZ_EINVAL, "%s would become too large", path);
    }
    r = jz__file_stat(&now, path, error);
    if (r == 0 && !is_same_state(&before, &now)) {
        return jz__fail(error, JZ_EBUSY, "%s is changing all the time", path);
    }
    return r < 0 ? r : jz__file_replace(path, new.data, new.length, error);
}

int clients_file_change(const char *path, const struct clients_change *change,
                        struct jz__error *error)
{
    JZ_CLEANUP(unlock) int lock = -1;
    int tries = TRIES;
    int r;

    assert(path != NULL && change != NULL);
    r = lock_folder(&lock, path, error);

    if (r < 0) {
        return r;
    }
    do {
        r = try_change(path, change, error);
    } while (r == JZ_EBUSY && --tries > 0);
    return r;
}
