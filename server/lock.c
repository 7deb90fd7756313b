/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flock() and not a file with a process id: the kernel lets go when the process
 * ends, however it ends, and a file that was left behind means nothing. The id
 * stands in the file for the message alone. Two paths to one library (a
 * symbolic link) lead to one lock.
 */
#include "lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

/* A library that is not there yet has no real path; its own will do. */
static int lock_path(struct jz__buf *out, const char *library_path)
{
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(library_path, NULL);

    jz__buf_puts(out, real != NULL ? real : library_path);
    jz__buf_puts(out, ".lock");
    return out->error;
}

/* The holder's process id, or 0: it may not have written it yet. */
static long read_holder(int fd)
{
    char text[32];
    ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

    text[length > 0 ? length : 0] = '\0';
    return strtol(text, NULL, 10);
}

/* errno is flock()'s. A file system without locks is told as such. */
static int refuse(int fd, const char *library_path, struct jz__error *error)
{
    int number = errno;
    long holder;

    if (number != EWOULDBLOCK) {
        return jz__fail_errno(error, number, "cannot lock", library_path);
    }
    holder = read_holder(fd);
    if (holder > 0) {
        return jz__fail(error, JZ_EBUSY,
                        "another server (process %ld) already serves the "
                        "library %s",
                        holder, library_path);
    }
    return jz__fail(error, JZ_EBUSY,
                    "another server already serves the library %s",
                    library_path);
}

/* Another process may only be looking (lock_is_taken()): that is over at once,
 * and a server that is started just then should not fail for it. */
static int wait_for_lock(int fd)
{
    const struct timespec moment = { .tv_nsec = 10000000 };
    int tries = 5;

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK || --tries == 0) {
            return -1;
        }
        (void)nanosleep(&moment, NULL);
    }
    return 0;
}

int lock_take(int *out, const char *library_path, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    int fd;
    int r;

    assert(out != NULL && library_path != NULL);

    *out = -1;
    if (lock_path(&path, library_path) < 0) {
        return jz__fail_memory(error);
    }
    fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return jz__fail_errno(error, errno, "cannot open", path.data);
    }
    if (wait_for_lock(fd) < 0) {
        r = refuse(fd, library_path, error);
        (void)close(fd);
        return r;
    }
    /* Not being able to note the id only makes a message shorter. */
    if (ftruncate(fd, 0) == 0) {
        (void)dprintf(fd, "%ld\n", (long)getpid());
    }
    *out = fd;
    return 0;
}

bool lock_is_taken(long *holder, const char *library_path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    bool is_taken;
    int fd;

    *holder = 0;
    if (lock_path(&path, library_path) < 0) {
        return false;
    }
    fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return false;
    }
    is_taken = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    if (is_taken) {
        *holder = read_holder(fd);
    }
    (void)close(fd);
    return is_taken;
}

void lock_release(int lock)
{
    if (lock >= 0) {
        (void)close(lock);
    }
}
