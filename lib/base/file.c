/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files, opened with distrust. The paths come from people, from transcripts'
 * folders and from uploads, so an open never waits (a FIFO without a writer
 * would hang the program for good) and what was opened is asked for its kind
 * through the descriptor, so that nobody can swap it between look and read.
 * Every read has a limit that is known before, and a whole file is read only
 * where its size may be limited: transcripts come line by line.
 *
 * A write never touches the file itself: a reader sees the old content or the
 * new one, and after a crash or on a full disk the old one is there.
 */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

#define READ_STEP 65536

/* Nearly every line of a transcript fits. A longer one comes in stretches, so
 * that a line of 100 MB costs no more memory than a short one. */
#define LINES_BUFFER ((size_t)256 * 1024)

/* Cleanup of a descriptor; -1 is none. */
static void close_fd(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

static int check_regular(const struct stat *st, const char *path,
                         struct jz__error *error)
{
    if (S_ISREG(st->st_mode)) {
        return JZ_OK;
    }
    return jz__fail(error, JZ_EINVAL, "%s is no regular file", path);
}

/* Open a regular file for reading; its size is in *st. O_NONBLOCK changes
 * nothing for a regular file, and lets the open of a FIFO return at once;
 * O_NOCTTY keeps a terminal's name from making it ours. */
static int open_regular(int *out, struct stat *st, const char *path,
                        struct jz__error *error)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int r;

    *out = -1;
    if (fd < 0) {
        /* What a socket or a device without a driver answers. */
        if (errno == ENXIO || errno == ENODEV) {
            return jz__fail(error, JZ_EINVAL, "%s is no regular file", path);
        }
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    r = fstat(fd, st) < 0 ? jz__fail_errno(error, errno, "cannot open", path)
                          : check_regular(st, path, error);
    if (r < 0) {
        close_fd(&fd);
        return r;
    }
    *out = fd;
    return JZ_OK;
}

/* read() that a signal cannot disturb. */
static ssize_t read_some(int fd, char *data, size_t length)
{
    ssize_t n;

    do {
        n = read(fd, data, length);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* Size, time and inode together: a file that was replaced within the clock's
 * resolution has another inode, one that was appended to has another size. */
int jz__file_stat(struct jz__file_state *out, const char *path,
                  struct jz__error *error)
{
    struct stat st;
    int r;

    assert(out != NULL && path != NULL);

    if (stat(path, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot stat", path);
    }
    r = check_regular(&st, path, error);
    if (r < 0) {
        return r;
    }
    out->size = st.st_size;
    out->mtime_ns =
        (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    out->inode = (int64_t)st.st_ino;
    return JZ_OK;
}

/* Append up to the end of the file, at most one byte over the limit. False:
 * reading failed, by errno, or out->error. */
static bool read_to_end(struct jz__buf *out, int fd, size_t most)
{
    size_t start = out->length;
    ssize_t n = 1;

    jz__buf_append(out, "", 0);
    while (n > 0 && out->length - start <= most) {
        size_t left = most - (out->length - start);
        size_t length = left < READ_STEP ? left + 1 : READ_STEP;
        char *end = jz__buf_reserve(out, length);

        if (end == NULL) {
            return false;
        }
        n = read_some(fd, end, length);
        if (n > 0) {
            out->length += (size_t)n;
        }
        out->data[out->length] = '\0';
    }
    return n >= 0;
}

int jz__file_read(struct jz__buf *out, const char *path, size_t most,
                  struct jz__error *error)
{
    JZ_CLEANUP(close_fd) int fd = -1;
    struct stat st = { 0 };
    size_t start = out->length;
    int r;

    assert(path != NULL);

    r = open_regular(&fd, &st, path, error);
    if (r < 0) {
        return r;
    }
    /* The size is a hint, not more: the file may grow meanwhile, and files of
     * /proc have none. */
    if ((uint64_t)st.st_size <= most) {
        (void)jz__buf_reserve(out, (size_t)st.st_size + 1);
        if (!read_to_end(out, fd, most)) {
            r = out->error != 0
                    ? jz__fail_memory(error)
                    : jz__fail_errno(error, errno, "cannot read", path);
        }
    }
    if (r == 0 && ((uint64_t)st.st_size > most || out->length - start > most)) {
        r = jz__fail(error, JZ_EINVAL, "%s is larger than %zu bytes", path,
                     most);
    }
    if (r < 0) {
        jz__buf_truncate(out, start);
    }
    return r;
}

/* A file that is being written beside its place. */
struct draft {
    int fd;
    bool is_made;
    struct jz__buf path;
};

static void drop_draft(struct draft *draft)
{
    close_fd(&draft->fd);
    if (draft->is_made) {
        (void)unlink(draft->path.data);
    }
    jz__buf_finish(&draft->path);
}

/* write() may take a part only, before a signal or near the end of the disk;
 * the next call then tells what is wrong. */
static int write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, data, length);

        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        }
    }
    return 0;
}

/* Some file systems cannot do this; the file is in place all the same, so
 * nothing is reported. */
void jz__file_sync_parent(const char *path)
{
    JZ_CLEANUP(close_fd) int fd = -1;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf parent = JZ__BUF_INIT;
    struct jz__str name = jz__path_parent(path);

    jz__buf_append(&parent, name.data, name.length);
    if (parent.error == 0) {
        fd = open(parent.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd >= 0) {
        (void)fsync(fd);
    }
}

/* In the same folder, since a rename cannot leave its file system. The mode is
 * 0600 from the first byte on: what is written may be a key. */
static int open_draft(struct draft *draft, const char *target, const char *path,
                      struct jz__error *error)
{
    jz__buf_puts(&draft->path, target);
    jz__buf_puts(&draft->path, ".XXXXXX");
    if (draft->path.error != 0) {
        return jz__fail_memory(error);
    }
    draft->fd = mkostemp(draft->path.data, O_CLOEXEC);
    if (draft->fd < 0) {
        return jz__fail_errno(error, errno, "cannot write beside", path);
    }
    draft->is_made = true;
    return JZ_OK;
}

/* Those of the file that is to be replaced. Who may not give the file away
 * keeps what it wrote; the group is tried alone as well, because the
 * configuration of a service is often readable by its group. A group that could
 * not be kept leaves no rights to the group that is there instead. Owner first:
 * a change of it takes bits off the mode. */
static int copy_rights(int fd, const char *target, struct jz__error *error)
{
    struct stat st;
    mode_t mode;

    if (stat(target, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot stat", target);
    }
    mode = st.st_mode & 07777;
    if (fchown(fd, st.st_uid, st.st_gid) < 0 &&
        fchown(fd, (uid_t)-1, st.st_gid) < 0) {
        mode &= ~(mode_t)07070;
    }
    return fchmod(fd, mode) == 0
               ? JZ_OK
               : jz__fail_errno(error, errno, "cannot write beside", target);
}

enum write_flags {
    KEEP_RIGHTS = 1,
    NO_WAIT = 2 /* for the disk */
};

static int write_over(const char *path, const void *data, size_t length,
                      int flags, struct jz__error *error)
{
    JZ_CLEANUP(drop_draft) struct draft draft = { -1, false, JZ__BUF_INIT };
    JZ_CLEANUP(jz__mem_freep) char *real = NULL;
    const char *target;
    int fd;
    int r;

    /* People keep their settings in one folder and links to them elsewhere:
     * the link stays, and the file that it leads to is replaced. */
    real = realpath(path, NULL);
    target = real != NULL ? real : path;
    r = open_draft(&draft, target, path, error);
    if (r == 0 && (flags & KEEP_RIGHTS) != 0) {
        r = copy_rights(draft.fd, target, error);
    }
    if (r < 0) {
        return r;
    }
    if (write_all(draft.fd, data, length) < 0 ||
        ((flags & NO_WAIT) == 0 && fsync(draft.fd) < 0)) {
        return jz__fail_errno(error, errno, "cannot write", path);
    }
    fd = draft.fd;
    draft.fd = -1;
    /* Network file systems tell at close that the disk is full. */
    if (close(fd) < 0) {
        return jz__fail_errno(error, errno, "cannot write", path);
    }
    if (rename(draft.path.data, target) < 0) {
        return jz__fail_errno(error, errno, "cannot replace", path);
    }
    draft.is_made = false;
    if ((flags & NO_WAIT) == 0) {
        jz__file_sync_parent(target);
    }
    return JZ_OK;
}

int jz__file_write(const char *path, const void *data, size_t length,
                   struct jz__error *error)
{
    assert(path != NULL && (data != NULL || length == 0));

    return write_over(path, data, length, 0, error);
}

int jz__file_write_soon(const char *path, const void *data, size_t length,
                        struct jz__error *error)
{
    assert(path != NULL && (data != NULL || length == 0));

    return write_over(path, data, length, NO_WAIT, error);
}

int jz__file_replace(const char *path, const void *data, size_t length,
                     struct jz__error *error)
{
    assert(path != NULL && (data != NULL || length == 0));

    return write_over(path, data, length, KEEP_RIGHTS, error);
}

/* mkdir() that takes a folder which is there, or a link to one, for success. */
static int make_folder(const char *path, struct jz__error *error)
{
    struct stat st;
    int number;

    if (mkdir(path, 0700) == 0) {
        return JZ_OK;
    }
    number = errno;
    /* Other errors than EEXIST, too: a read-only file system says EROFS and an
     * automounter EACCES for a folder that exists. */
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        return JZ_OK;
    }
    return jz__fail_errno(error, number == EEXIST ? ENOTDIR : number,
                          "cannot create folder", path);
}

/* Each slash ends the name of a folder above; doubled ones do no harm. Where
 * another process makes the same folders, both succeed. */
int jz__file_mkdirs(const char *path, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf part = JZ__BUF_INIT;
    size_t i;

    assert(path != NULL && path[0] != '\0');

    jz__buf_puts(&part, path);
    if (part.error != 0) {
        return jz__fail_memory(error);
    }
    for (i = 1; i < part.length; i++) {
        int r;

        if (part.data[i] != '/') {
            continue;
        }
        part.data[i] = '\0';
        r = make_folder(part.data, error);
        part.data[i] = '/';
        if (r < 0) {
            return r;
        }
    }
    return make_folder(part.data, error);
}

/*
 * data[begin..end) is read and not given yet; data[begin..seen) is known to
 * hold no newline, so that a line that comes in many small reads is not
 * searched again and again.
 */
struct jz__file_lines {
    int fd;
    bool is_at_end;
    size_t begin;
    size_t end;
    size_t seen;
    char *path;
    char data[LINES_BUFFER];
};

int jz__file_lines_open(struct jz__file_lines **out, const char *path,
                        struct jz__error *error)
{
    JZ_CLEANUP(jz__file_lines_closep) struct jz__file_lines *lines = NULL;
    struct stat st;
    int r;

    assert(out != NULL && path != NULL);

    *out = NULL;
    lines = malloc(sizeof(*lines));
    if (lines == NULL) {
        return jz__fail_memory(error);
    }
    /* The buffer needs no zeros. */
    memset(lines, 0, offsetof(struct jz__file_lines, data));
    lines->fd = -1;
    lines->path = jz__mem_copy(path, strlen(path));
    if (lines->path == NULL) {
        return jz__fail_memory(error);
    }
    r = open_regular(&lines->fd, &st, path, error);
    if (r < 0) {
        return r;
    }
    *out = jz__mem_steal(&lines);
    return JZ_OK;
}

void jz__file_lines_close(struct jz__file_lines *lines)
{
    if (lines != NULL) {
        close_fd(&lines->fd);
        free(lines->path);
        free(lines);
    }
}

void jz__file_lines_closep(struct jz__file_lines **lines)
{
    jz__file_lines_close(*lines);
}

/* Read more behind what is there, which moves to the front first. */
static int fill(struct jz__file_lines *lines, struct jz__error *error)
{
    ssize_t n;

    if (lines->begin > 0) {
        memmove(lines->data, lines->data + lines->begin,
                lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->seen -= lines->begin;
        lines->begin = 0;
    }
    n = read_some(lines->fd, lines->data + lines->end,
                  LINES_BUFFER - lines->end);
    if (n < 0) {
        return jz__fail_errno(error, errno, "cannot read", lines->path);
    }
    lines->is_at_end = n == 0;
    lines->end += (size_t)n;
    return JZ_OK;
}

int jz__file_lines_next(struct jz__file_lines *lines, const char **data,
                        size_t *length, bool *ends_line,
                        struct jz__error *error)
{
    assert(lines != NULL && data != NULL && length != NULL);
    assert(ends_line != NULL);

    for (;;) {
        const char *start = lines->data + lines->begin;
        const char *newline =
            memchr(lines->data + lines->seen, '\n', lines->end - lines->seen);
        size_t left = lines->end - lines->begin;

        /* A newline, a full buffer or the end of the file: give what is there.
         * The caller may hold *data until the next call, so nothing moves
         * before then. */
        lines->seen = lines->end;
        if (newline != NULL || left == LINES_BUFFER || lines->is_at_end) {
            *data = start;
            *ends_line = newline != NULL;
            *length = newline != NULL ? (size_t)(newline - start) : left;
            lines->begin += *length + (newline != NULL);
            lines->seen = lines->begin;
            return newline != NULL || left > 0 ? 1 : 0;
        }
        if (fill(lines, error) < 0) {
            return JZ_EIO;
        }
    }
}
