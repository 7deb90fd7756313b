/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Below the inbox's own folder every step is taken from a descriptor and no
 * link is followed, so that a link which somebody left there leads nowhere.
 *
 * A file and its project are two files. The project is put in place first: a
 * crash in between leaves the new project beside the old content, and the
 * computer, which got no answer, sends both again. The other order could leave
 * new content with an old project, and the next upload would be taken for
 * identical.
 */
#include "inbox_disk.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "inbox_usage.h"

/* Bytes of a project that is read back; a longer file is none of ours. */
#define PROJECT_MOST 200

/* Of two files that are compared at a time. */
#define COMPARE_STEP 32768

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* Cleanup of a descriptor; -1 is none. */
static void close_fd(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

/* Some file systems cannot sync a folder, and say so. */
static int sync_folder(int folder)
{
    return fsync(folder) == 0 || errno == EINVAL ? 0 : errno;
}

int inbox_disk_open(int *out, const char *inbox)
{
    *out = open(inbox, FOLDER_FLAGS);
    if (*out < 0 && errno == ENOENT) {
        if (jz__file_mkdirs(inbox, NULL) < 0) {
            return EIO;
        }
        *out = open(inbox, FOLDER_FLAGS);
    }
    return *out < 0 ? errno : 0;
}

void inbox_disk_sweep(int inbox)
{
    int fd = openat(inbox, ".", FOLDER_FLAGS);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    if (folder == NULL) {
        close_fd(&fd);
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, INBOX_ARRIVING, strlen(INBOX_ARRIVING)) ==
            0) {
            (void)unlinkat(inbox, entry->d_name, 0);
        }
    }
    (void)closedir(folder);
}

/* Another upload may make the same folder at this moment. The one that it lies
 * in is synced, else the file in it could be lost with its name. */
static int make_folder(int parent, const char *name)
{
    if (mkdirat(parent, name, 0700) < 0) {
        return errno == EEXIST ? 0 : errno;
    }
    return sync_folder(parent);
}

static int open_below(int *out, int parent, const char *name, bool makes)
{
    int flags = FOLDER_FLAGS | O_NOFOLLOW;
    int r;

    *out = openat(parent, name, flags);
    if (*out < 0 && errno == ENOENT && makes) {
        r = make_folder(parent, name);
        if (r != 0) {
            return r;
        }
        *out = openat(parent, name, flags);
    }
    if (*out >= 0) {
        return 0;
    }
    return errno == ELOOP ? ENOTDIR : errno;
}

int inbox_disk_open_folder(int *out, int inbox, const struct inbox_name *name,
                           bool makes)
{
    int at = inbox;
    size_t i;

    *out = -1;
    for (i = 0; i < name->folder_count; i++) {
        int next;
        int r = open_below(&next, at, name->folders[i], makes);

        if (at != inbox) {
            (void)close(at);
        }
        if (r != 0) {
            return r;
        }
        at = next;
    }
    *out = at;
    return 0;
}

/* A whole step of a file at an offset: its length, less at the end. */
static ssize_t read_step(int fd, char *data, off_t offset)
{
    size_t length = 0;
    ssize_t n = 1;

    while (n > 0 && length < COMPARE_STEP) {
        n = pread(fd, data + length, COMPARE_STEP - length,
                  offset + (off_t)length);
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        length += n > 0 ? (size_t)n : 0;
    }
    return n < 0 ? -1 : (ssize_t)length;
}

static int compare(bool *out, int a, int b)
{
    char left[COMPARE_STEP];
    char right[COMPARE_STEP];
    off_t offset = 0;
    ssize_t n;
    ssize_t m;

    do {
        n = read_step(a, left, offset);
        m = read_step(b, right, offset);
        if (n < 0 || m < 0) {
            return errno;
        }
        if (n != m || memcmp(left, right, (size_t)n) != 0) {
            return 0;
        }
        offset += n;
    } while (n == COMPARE_STEP);
    *out = true;
    return 0;
}

int inbox_disk_is_same(bool *out, int folder, const char *file, int other)
{
    JZ_CLEANUP(close_fd)
    int fd =
        openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat mine;
    struct stat theirs;

    *out = false;
    if (fd < 0) {
        return errno == ENOENT || errno == ELOOP ? 0 : errno;
    }
    if (fstat(fd, &mine) < 0 || fstat(other, &theirs) < 0) {
        return errno;
    }
    if (!S_ISREG(mine.st_mode) || mine.st_size != theirs.st_size) {
        return 0;
    }
    return compare(out, fd, other);
}

/* --- the project --- */

/* The side file of the last part of a path. */
static int put_side_name(struct jz__buf *out, struct jz__str file)
{
    jz__buf_putc(out, '.');
    jz__buf_append(out, file.data, file.length);
    jz__buf_puts(out, ".project");
    return out->error != 0 ? ENOMEM : 0;
}

/* The same with the folder, for the path of a file. */
static int put_side_path(struct jz__buf *out, const char *path)
{
    struct jz__str parent = jz__path_parent(path);

    jz__buf_append(out, parent.data, parent.length);
    jz__buf_putc(out, '/');
    return put_side_name(out, jz__path_name(path));
}

static int read_side(struct jz__buf *out, int folder, const char *side)
{
    JZ_CLEANUP(close_fd)
    int fd =
        openat(folder, side, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char text[PROJECT_MOST + 1];
    ssize_t length;

    if (fd < 0) {
        return errno == ENOENT || errno == ELOOP ? 0 : errno;
    }
    /* It was written in one go and is smaller than any file system's block. */
    length = pread(fd, text, sizeof(text), 0);
    if (length < 0) {
        return errno;
    }
    if (length <= PROJECT_MOST) {
        jz__buf_append(out, text, (size_t)length);
    }
    return out->error != 0 ? ENOMEM : 0;
}

int inbox_disk_read_project(struct jz__buf *out, int folder, const char *file)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf side = JZ__BUF_INIT;
    int r = put_side_name(&side, jz__str_of(file));

    return r != 0 ? r : read_side(out, folder, side.data);
}

int inbox_disk_project_of(struct jz__buf *out, const char *path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf side = JZ__BUF_INIT;
    int r = put_side_path(&side, path);

    return r != 0 ? r : read_side(out, AT_FDCWD, side.data);
}

/* 0: there is none. */
static uint64_t room_of(int folder, const char *file)
{
    struct stat st;

    return fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                   S_ISREG(st.st_mode)
               ? inbox_usage_of((uint64_t)st.st_size)
               : 0;
}

int inbox_disk_room(struct inbox_room *out, int inbox,
                    const struct inbox_name *name)
{
    JZ_CLEANUP(close_fd) int folder = -1;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf side = JZ__BUF_INIT;
    int r = inbox_disk_open_folder(&folder, inbox, name, false);

    *out = (struct inbox_room){ 0 };
    if (r != 0) {
        return r == ENOENT ? 0 : r;
    }
    r = put_side_name(&side, jz__str_of(name->file));
    if (r == 0) {
        out->file = room_of(folder, name->file);
        out->project = room_of(folder, side.data);
    }
    return r;
}

static int write_all(int fd, struct jz__str text)
{
    while (text.length > 0) {
        ssize_t n = write(fd, text.data, text.length);

        if (n < 0 && errno != EINTR) {
            return errno;
        }
        text.data += n > 0 ? n : 0;
        text.length -= n > 0 ? (size_t)n : 0;
    }
    return fsync(fd) == 0 ? 0 : errno;
}

/* Written aside under the name of the upload, which nobody else has. */
static int write_project(const struct inbox_commit *commit, const char *side)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf aside = JZ__BUF_INIT;
    JZ_CLEANUP(close_fd) int fd = -1;
    int r;

    jz__buf_printf(&aside, "%s-project", commit->arriving);
    if (aside.error != 0) {
        return ENOMEM;
    }
    fd = openat(commit->inbox, aside.data,
                O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno;
    }
    r = write_all(fd, commit->project);
    if (r == 0 &&
        renameat(commit->inbox, aside.data, commit->folder, side) < 0) {
        r = errno;
    }
    if (r != 0) {
        (void)unlinkat(commit->inbox, aside.data, 0);
    }
    return r;
}

static int put_project(const struct inbox_commit *commit)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf side = JZ__BUF_INIT;
    int r = put_side_name(&side, jz__str_of(commit->file));

    if (r != 0) {
        return r;
    }
    return write_project(commit, side.data);
}

/* --- files come and go --- */

/* flock() that a signal cannot disturb. A file system without locks has no
 * second process on it either, as far as anybody can tell. */
static int lock(int fd, int how)
{
    int r;

    do {
        r = flock(fd, how);
    } while (r < 0 && errno == EINTR);
    return r == 0 || errno == ENOLCK || errno == EOPNOTSUPP ? 0 : errno;
}

/* The lock belongs to the descriptor: each upload has its own, and uploads do
 * not hinder each other. */
int inbox_disk_commit(const struct inbox_commit *commit)
{
    int r = lock(commit->inbox, LOCK_SH);

    if (r == 0 && commit->project.length > 0) {
        r = put_project(commit);
    }
    if (r == 0 && renameat(commit->inbox, commit->arriving, commit->folder,
                           commit->file) < 0) {
        r = errno;
    }
    (void)lock(commit->inbox, LOCK_UN);
    return r == 0 ? sync_folder(commit->folder) : r;
}

/* An upload that comes in between would lose its file: it waits at the lock,
 * and one that came before is seen by the file's state. */
int inbox_disk_remove(const char *inbox, const char *path,
                      const struct jz__file_state *state)
{
    JZ_CLEANUP(close_fd) int fd = open(inbox, FOLDER_FLAGS);
    JZ_CLEANUP(jz__buf_finish) struct jz__buf side = JZ__BUF_INIT;
    struct jz__file_state now;
    int r = fd < 0 ? errno : lock(fd, LOCK_EX);

    if (r == 0) {
        r = put_side_path(&side, path);
    }
    if (r != 0) {
        return r;
    }
    if (jz__file_stat(&now, path, NULL) < 0 || now.inode != state->inode ||
        now.mtime_ns != state->mtime_ns || now.size != state->size) {
        return EBUSY;
    }
    if (unlink(path) < 0) {
        return errno;
    }
    (void)unlink(side.data);
    return 0;
}
