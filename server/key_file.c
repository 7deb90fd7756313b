/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key that others can read is none, so the file is refused when anybody but
 * its owner may read it, or may put another one in its place. It is opened once
 * and judged through the descriptor, and no symbolic link is followed: what was
 * judged is what is read.
 */
#include "key_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "net/key.h"

/* A key with room for what people put around one. */
#define FILE_MOST 1024

/* Characters of the shortest key that is taken. */
#define KEY_LEAST 16

static void close_fd(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

/* Who may write to the folder may put a key of his own there, and an agent that
 * shows it would then be talking to his server as if it were this one. */
static int check_folder(const char *path, struct jz__error *error)
{
    struct jz__str parent = jz__path_parent(path);
    JZ_CLEANUP(jz__mem_freep)
    char *folder = jz__mem_copy(parent.data, parent.length);
    struct stat st;

    if (folder == NULL) {
        return jz__fail_memory(error);
    }
    if (stat(folder, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot open", folder);
    }
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return jz__fail(error, JZ_EINVAL,
                        "others may write to the folder of the key: chmod 700 "
                        "%s",
                        folder);
    }
    return 0;
}

/* Through the descriptor: a file that is swapped after the look is not read. */
static int check_file(int fd, const char *path, struct jz__error *error)
{
    struct stat st;

    if (fstat(fd, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return jz__fail(error, JZ_EINVAL, "%s is no regular file", path);
    }
    if (st.st_uid != geteuid()) {
        return jz__fail(error, JZ_EINVAL,
                        "the file of the key belongs to somebody else: %s",
                        path);
    }
    if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return jz__fail(error, JZ_EINVAL,
                        "others may read the file of the key: chmod 600 %s, "
                        "or remove it to get a new key",
                        path);
    }
    return 0;
}

/* Made by this call or not at all: another program that starts at the same time
 * finds the file, and then its key. */
static int make(const char *path, struct jz__error *error)
{
    char line[JZ__KEY_SIZE + 1];
    JZ_CLEANUP(close_fd) int fd = -1;
    int r = jz__key_make(line, error);

    if (r < 0) {
        return r;
    }
    line[JZ__KEY_SIZE - 1] = '\n';
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno == EEXIST
                   ? 0
                   : jz__fail_errno(error, errno, "cannot make", path);
    }
    if (write(fd, line, JZ__KEY_SIZE) != JZ__KEY_SIZE || fsync(fd) < 0) {
        r = jz__fail_errno(error, errno, "cannot write", path);
        (void)unlink(path);
    }
    return r;
}

/* A word that somebody put there is found by trying, and a blank is mostly a
 * sign that the file holds something else. */
static int check_strength(const char *text, size_t length, const char *path,
                          struct jz__error *error)
{
    struct jz__str key = jz__str_trim((struct jz__str){ text, length });

    if (key.length < KEY_LEAST || memchr(key.data, ' ', key.length) != NULL) {
        return jz__fail(error, JZ_EINVAL,
                        "the key in %s must have %d characters at least and no "
                        "blank; remove the file to get a new key",
                        path, KEY_LEAST);
    }
    return 0;
}

/* One read is enough for a regular file of this size. */
static int read_key(struct jz__digest *out, int fd, const char *path,
                    struct jz__error *error)
{
    struct jz__error why = { 0 };
    char text[FILE_MOST];
    ssize_t length = read(fd, text, sizeof(text));

    if (length < 0) {
        return jz__fail_errno(error, errno, "cannot read", path);
    }
    if (length == FILE_MOST) {
        return jz__fail(error, JZ_EINVAL, "%s is too large for a key", path);
    }
    if (jz__key_digest(out, (struct jz__str){ text, (size_t)length }, &why) <
        0) {
        return jz__fail(error, JZ_EINVAL,
                        "%s: %s; remove the file to get a new key", path,
                        why.message);
    }
    return check_strength(text, (size_t)length, path, error);
}

/* O_NONBLOCK: a FIFO of that name must not hold the start for ever. */
int key_file_open(struct jz__digest *out, const char *path,
                  struct jz__error *error)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    JZ_CLEANUP(close_fd) int fd = -1;
    int r;

    assert(out != NULL && path != NULL);

    r = check_folder(path, error);
    if (r == 0) {
        fd = open(path, flags);
        if (fd < 0 && errno == ENOENT) {
            r = make(path, error);
            fd = r == 0 ? open(path, flags) : -1;
        }
    }
    if (r < 0) {
        return r;
    }
    if (fd < 0) {
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    r = check_file(fd, path, error);
    return r == 0 ? read_key(out, fd, path, error) : r;
}
