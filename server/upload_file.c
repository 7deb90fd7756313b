/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body is decompressed through one buffer of fixed size and written aside,
 * under a name of its own in the inbox; what it comes to is known at its end.
 * The file is opened anew for each stretch, so that a thousand uploads under
 * way hold no descriptors.
 *
 * Too large is decided before no text: a body that is both is read on, without
 * being stored, until it ends or is over the limit. The size of a file is what
 * a computer can be told early and can act upon.
 */
#include "upload_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "jezero.h"

/* Bytes that are decompressed at a time. */
#define STEP 65536

#define FULL "the quota of this device is used up"

/* Cleanup of a descriptor; -1 is none. */
static void close_fd(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

static void decide(struct upload_file *file, int status, const char *reason)
{
    file->status = status;
    file->reason = reason;
}

/* A link or a file where a folder should be is what the path asks for; a full
 * disk passes, and the computer comes again. */
static void decide_errno(struct upload_file *file, int number)
{
    file->number = number;
    switch (number) {
    case ENOTDIR:
    case EISDIR:
        decide(file, 400, "the path leads through what is no folder");
        break;
    case ENOSPC:
    case EDQUOT:
        decide(file, 507, "the disk is full");
        break;
    default:
        decide(file, 500, "the file could not be written");
        break;
    }
}

/* The one place is free again, whether there is a file or not. */
static void remove_arriving(struct upload_file *file)
{
    JZ_CLEANUP(close_fd) int inbox = -1;

    if (file->is_there && inbox_disk_open(&inbox, file->place->inbox) == 0) {
        (void)unlinkat(inbox, file->arriving, 0);
    }
    file->is_there = false;
}

void upload_file_drop(struct upload_file *file)
{
    remove_arriving(file);
    if (file->taken > 0) {
        inbox_usage_settle(file->place->usage, file->name.folders[0],
                           file->taken, 0);
        file->taken = 0;
    }
}

void upload_file_close(struct upload_file *file)
{
    jz__zip_reader_close(file->reader);
    file->reader = NULL;
    inbox_name_finish(&file->name);
    jz__buf_finish(&file->project);
}

/* Open the file that arrives, which the first call makes. */
static int open_arriving(int *out, struct upload_file *file)
{
    JZ_CLEANUP(close_fd) int inbox = -1;
    int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    int r = inbox_disk_open(&inbox, file->place->inbox);

    *out = -1;
    if (r == 0 && !file->has_begun) {
        r = inbox_disk_room(&file->replaces, inbox, &file->name);
        flags |= O_CREAT | O_EXCL;
    }
    if (r != 0) {
        return r;
    }
    *out = openat(inbox, file->arriving, flags, 0600);
    if (*out < 0) {
        return errno;
    }
    file->has_begun = true;
    file->is_there = true;
    return 0;
}

static int write_all(int fd, struct jz__str data)
{
    while (data.length > 0) {
        ssize_t n = write(fd, data.data, data.length);

        if (n < 0 && errno != EINTR) {
            return errno;
        }
        data.data += n > 0 ? n : 0;
        data.length -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* How much more room the device's files take with the upload in the place of
 * what was there. Without a project of its own the known one stays. */
static int64_t growth_over(const struct upload_file *file,
                           const struct inbox_room *old)
{
    uint64_t project = file->project.length > 0
                           ? inbox_usage_of(file->project.length)
                           : old->project;

    return (int64_t)(inbox_usage_of(file->bytes) + project) -
           (int64_t)(old->file + old->project);
}

static bool take_room(struct upload_file *file)
{
    int64_t growth = growth_over(file, &file->replaces);
    uint64_t more = growth > 0 ? (uint64_t)growth : 0;

    if (file->place->usage == NULL || more <= file->taken) {
        return true;
    }
    if (!inbox_usage_take(file->place->usage, file->name.folders[0],
                          more - file->taken)) {
        return false;
    }
    file->taken = more;
    return true;
}

/* Count, check and store decompressed bytes. */
static void take(struct upload_file *file, int fd, struct jz__str data)
{
    int r;

    file->bytes += data.length;
    upload_text_feed(&file->text, data);
    if (file->bytes > file->place->file_most) {
        decide(file, 413, "file too large");
    } else if (!take_room(file)) {
        decide(file, 507, FULL);
    } else if (!file->text.is_broken) {
        r = write_all(fd, data);
        if (r != 0) {
            decide_errno(file, r);
        }
    }
}

static void take_gzip(struct upload_file *file, int fd, struct jz__str data)
{
    char out[STEP];
    size_t length = 0;
    int r = 0;

    if (file->reader == NULL) {
        r = jz__zip_reader_open(&file->reader);
    }
    while (r == 0 && file->status == 0 && (data.length > 0 || length == STEP)) {
        r = jz__zip_reader_next(&length, file->reader, &data, out, STEP);
        if (length > 0) {
            take(file, fd, (struct jz__str){ out, length });
        }
    }
    if (file->status != 0) {
        return;
    }
    if (r == JZ_ENOMEM) {
        decide_errno(file, ENOMEM);
    } else if (r < 0) {
        decide(file, 400, "the body is no gzip stream, or is damaged");
    }
}

/* What can be said at the end alone. */
static void check_end(struct upload_file *file)
{
    if (file->is_gzip &&
        (file->reader == NULL || !jz__zip_reader_is_complete(file->reader))) {
        decide(file, 400, "the gzip stream is cut");
    } else if (!upload_text_is_fine(&file->text)) {
        decide(file, 400, "the file is no text in UTF-8");
    }
}

void upload_file_write(struct upload_file *file, struct jz__str data,
                       bool is_last)
{
    JZ_CLEANUP(close_fd) int fd = -1;
    int r;

    if (file->status != 0) {
        return;
    }
    r = open_arriving(&fd, file);
    if (r != 0) {
        decide_errno(file, r);
    } else if (!take_room(file)) {
        /* Also an empty one needs some. */
        decide(file, 507, FULL);
    } else if (file->is_gzip) {
        take_gzip(file, fd, data);
    } else {
        take(file, fd, data);
    }
    if (file->status == 0 && is_last) {
        check_end(file);
    }
    if (file->status != 0) {
        upload_file_drop(file);
    }
}

/* Is what lies there the same, content and project? A computer that names no
 * project has nothing to say about it: the one that is known stays. */
static int compare(bool *is_same, struct upload_file *file, int folder, int fd)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf known = JZ__BUF_INIT;
    int r = inbox_disk_read_project(&known, folder, file->name.file);

    if (r == 0 && file->project.length == 0) {
        jz__buf_append(&file->project, known.data, known.length);
        r = file->project.error != 0 ? ENOMEM : 0;
    }
    if (r == 0) {
        r = inbox_disk_is_same(is_same, folder, file->name.file, fd);
    }
    *is_same =
        *is_same && jz__str_equal((struct jz__str){ known.data, known.length },
                                  (struct jz__str){ file->project.data,
                                                    file->project.length });
    return r;
}

/* 0, and *is_new tells whether there was anything to do. */
static int put_in_place(struct upload_file *file, bool *is_new)
{
    JZ_CLEANUP(close_fd) int inbox = -1;
    JZ_CLEANUP(close_fd) int folder = -1;
    JZ_CLEANUP(close_fd) int fd = -1;
    bool same = false;
    int r = inbox_disk_open(&inbox, file->place->inbox);

    if (r == 0) {
        r = inbox_disk_open_folder(&folder, inbox, &file->name, true);
    }
    if (r == 0) {
        r = open_arriving(&fd, file);
    }
    if (r == 0) {
        r = compare(&same, file, folder, fd);
    }
    *is_new = !same;
    if (r != 0 || same) {
        return r;
    }
    const struct inbox_commit commit = {
        .inbox = inbox,
        .folder = folder,
        .arriving = file->arriving,
        .file = file->name.file,
        .project = { file->project.data, file->project.length },
    };
    return fsync(fd) == 0 ? inbox_disk_commit(&commit) : errno;
}

/* What was replaced is looked at again: another upload of the same
 * file may have come in between. */
void upload_file_finish(struct upload_file *file)
{
    JZ_CLEANUP(close_fd) int inbox = -1;
    bool is_new = false;
    struct inbox_room old = file->replaces;
    int r;

    assert(file->status == 0 && file->has_begun);

    if (inbox_disk_open(&inbox, file->place->inbox) == 0) {
        (void)inbox_disk_room(&old, inbox, &file->name);
    }
    r = put_in_place(file, &is_new);
    if (r != 0) {
        decide_errno(file, r);
        upload_file_drop(file);
        return;
    }
    decide(file, 200, NULL);
    file->has_changed = is_new;
    if (!is_new) {
        upload_file_drop(file);
        return;
    }
    file->is_there = false;
    if (file->place->usage != NULL) {
        inbox_usage_settle(file->place->usage, file->name.folders[0],
                           file->taken, growth_over(file, &old));
        file->taken = 0;
    }
}
