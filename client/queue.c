/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pointer is written beside and renamed, so that a process that is killed
 * leaves a whole one or none; what it leaves of a draft is swept later.
 *
 * While a transcript is sent its agent may write a newer pointer of the same
 * name, and that one must stay. A file can be removed by its name alone, so it
 * is first moved to a name that nobody else uses, and then looked at: a newer
 * one goes back. The descriptor of the one that was read is open all the while,
 * which keeps the number of its inode from being used again.
 */
#include "queue.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define TAKEN ".taken"
#define ENDING ".json"

/* A draft that is older was left by a process that is gone. */
#define DRAFT_SECONDS 3600

void queue_put_path(struct jz__buf *out, const struct home *home,
                    const char *name)
{
    jz__buf_printf(out, "%s/spool/%s", home->path, name);
}

/* The folder is made when it turns out to be missing: it nearly never is, and a
 * look each time would cost every hook. */
int queue_write(const struct home *home, const struct pointer *pointer,
                struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    size_t folder;
    int r;

    queue_put_path(&path, home, "pending");
    folder = path.length;
    jz__buf_putc(&path, '/');
    pointer_put_name(&path, pointer->agent, pointer->session_id);
    pointer_put(&text, pointer);
    if (path.error != 0 || text.error != 0) {
        return jz__fail_memory(error);
    }
    r = jz__file_write_soon(path.data, text.data, text.length, error);
    if (r != JZ_ENOTFOUND) {
        return r;
    }
    path.data[folder] = '\0';
    r = jz__file_mkdirs(path.data, error);
    path.data[folder] = '/';
    return r < 0
               ? r
               : jz__file_write_soon(path.data, text.data, text.length, error);
}

/* --- the folder --- */

/* NULL with errno. */
static DIR *open_folder(struct jz__buf *path, const struct home *home)
{
    queue_put_path(path, home, "pending");
    if (path->error != 0) {
        errno = ENOMEM;
        return NULL;
    }
    return opendir(path->data);
}

/* Drafts and taken pointers have something behind the ending. */
static bool is_pointer(const char *name)
{
    return name[0] != '.' && jz__str_ends(jz__str_of(name), ENDING);
}

int64_t queue_count(const struct home *home, int64_t most)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    DIR *folder = open_folder(&path, home);
    const struct dirent *entry;
    int64_t count = 0;

    if (folder == NULL) {
        return 0;
    }
    while (count < most && (entry = readdir(folder)) != NULL) {
        count += is_pointer(entry->d_name);
    }
    (void)closedir(folder);
    return count;
}

/* A process was killed between two steps of queue_remove(): the pointer goes
 * back, unless there is a newer one. Its name without the ending is in *name.
 * */
static bool put_back(int folder, const char *taken, char **name)
{
    struct stat st;

    *name = jz__mem_copy(taken, strlen(taken) - strlen(TAKEN));
    if (*name == NULL) {
        return false;
    }
    if (fstatat(folder, *name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        (void)unlinkat(folder, taken, 0);
        return false; /* it is listed itself */
    }
    return renameat(folder, taken, folder, *name) == 0;
}

/* Names of drafts end in six characters behind the whole name. A fresh one may
 * be another process's, at this moment. */
static void sweep_draft(int folder, const char *name)
{
    struct stat st;

    if (strstr(name, ENDING ".") != NULL &&
        fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(st.st_mode) && st.st_mtime + DRAFT_SECONDS < time(NULL)) {
        (void)unlinkat(folder, name, 0);
    }
}

static int add_name(struct queue_names *out, char *name)
{
    if (name == NULL || jz__mem_grow(&out->names, &out->capacity,
                                     out->count + 1, sizeof(*out->names)) < 0) {
        free(name);
        return JZ_ENOMEM;
    }
    out->names[out->count++] = name;
    return 0;
}

static int list_one(struct queue_names *out, int folder, const char *name)
{
    char *back = NULL;

    if (is_pointer(name)) {
        return add_name(out, jz__mem_copy(name, strlen(name)));
    }
    if (!jz__str_ends(jz__str_of(name), ENDING TAKEN)) {
        sweep_draft(folder, name);
        return 0;
    }
    if (put_back(folder, name, &back)) {
        return add_name(out, back);
    }
    free(back);
    return 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A name that was put back may have been listed once more. */
static void drop_doubles(struct queue_names *names)
{
    size_t kept = 0;

    for (size_t i = 0; i < names->count; i++) {
        if (kept > 0 && strcmp(names->names[kept - 1], names->names[i]) == 0) {
            free(names->names[i]);
        } else {
            names->names[kept++] = names->names[i];
        }
    }
    names->count = kept;
}

int queue_list(struct queue_names *out, const struct home *home,
               struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    DIR *folder = open_folder(&path, home);
    const struct dirent *entry;
    int r = 0;

    memset(out, 0, sizeof(*out));
    if (folder == NULL) {
        return errno == ENOENT
                   ? 0
                   : jz__fail_errno(error, errno, "cannot list",
                                    path.error == 0 ? path.data : "the queue");
    }
    while (r == 0 && (entry = readdir(folder)) != NULL) {
        r = list_one(out, dirfd(folder), entry->d_name);
    }
    (void)closedir(folder);
    if (r < 0) {
        queue_names_finish(out);
        return jz__fail_memory(error);
    }
    if (out->count > 0) {
        qsort(out->names, out->count, sizeof(*out->names), compare);
        drop_doubles(out);
    }
    return 0;
}

void queue_names_finish(struct queue_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->names[i]);
    }
    free(names->names);
    memset(names, 0, sizeof(*names));
}

/* --- one pointer --- */

/* 0; QUEUE_BROKEN: it is larger than any; JZ_EIO, JZ_ENOMEM. */
static int read_text(struct jz__buf *out, const struct queue_entry *entry,
                     struct jz__error *error)
{
    char *room = jz__buf_reserve(out, POINTER_MOST + 1);
    ssize_t n = 1;

    if (room == NULL) {
        return jz__fail_memory(error);
    }
    while (n != 0 && out->length <= POINTER_MOST) {
        n = read(entry->fd, room + out->length, POINTER_MOST + 1 - out->length);
        if (n < 0 && errno != EINTR) {
            return jz__fail_errno(error, errno, "cannot read", entry->file);
        }
        out->length += n > 0 ? (size_t)n : 0;
    }
    return out->length > POINTER_MOST ? QUEUE_BROKEN : 0;
}

/* No link is followed and nothing is waited for: whatever somebody put there.
 * */
static int open_entry(struct queue_entry *entry, const struct home *home,
                      const char *name, struct jz__error *error)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct jz__buf path = JZ__BUF_INIT;
    struct stat st;

    queue_put_path(&path, home, "pending/");
    jz__buf_puts(&path, name);
    if (jz__buf_take(&entry->file, &path) < 0) {
        return jz__fail_memory(error);
    }
    entry->fd = open(entry->file, flags);
    if (entry->fd < 0) {
        return errno == ELOOP
                   ? QUEUE_BROKEN
                   : jz__fail_errno(error, errno, "cannot open", entry->file);
    }
    return fstat(entry->fd, &st) == 0 && S_ISREG(st.st_mode) ? 0 : QUEUE_BROKEN;
}

int queue_read(struct queue_entry *out, const struct home *home,
               const char *name, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r;

    memset(out, 0, sizeof(*out));
    out->fd = -1;
    r = open_entry(out, home, name, error);
    if (r == 0) {
        r = read_text(&text, out, error);
    }
    if (r != 0) {
        return r;
    }
    r = pointer_read(&out->pointer, (struct jz__str){ text.data, text.length });
    if (r == JZ_ENOMEM) {
        return jz__fail_memory(error);
    }
    return r < 0 ? QUEUE_BROKEN : 0;
}

void queue_close(struct queue_entry *entry)
{
    if (entry->file != NULL && entry->fd >= 0) {
        (void)close(entry->fd);
    }
    free(entry->file);
    pointer_finish(&entry->pointer);
    memset(entry, 0, sizeof(*entry));
    entry->fd = -1;
}

/* Is the file the one that was read? A link that was refused was never open,
 * and is what it is. */
static bool is_same(const char *path, int fd)
{
    struct stat now;
    struct stat read;

    return fd < 0 || (lstat(path, &now) == 0 && fstat(fd, &read) == 0 &&
                      now.st_dev == read.st_dev && now.st_ino == read.st_ino);
}

int queue_remove(const struct queue_entry *entry, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf taken = JZ__BUF_INIT;
    bool is_newer;

    assert(entry->file != NULL);

    jz__buf_printf(&taken, "%s" TAKEN, entry->file);
    if (taken.error != 0) {
        return jz__fail_memory(error);
    }
    if (rename(entry->file, taken.data) < 0) {
        return errno == ENOENT
                   ? 0
                   : jz__fail_errno(error, errno, "cannot remove", entry->file);
    }
    is_newer = !is_same(taken.data, entry->fd);
    /* Between the two an even newer one may have come, which is then replaced:
     * both name the same transcript, and it is read when it is sent. */
    if ((is_newer ? rename(taken.data, entry->file) : unlink(taken.data)) < 0) {
        return jz__fail_errno(error, errno, "cannot remove", taken.data);
    }
    return 0;
}
