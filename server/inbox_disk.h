/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inbox as files: blocking calls for the threads that take uploads and for
 * passes. They give 0 or an errno value.
 */
#ifndef JEZERO_SERVER_INBOX_DISK_H
#define JEZERO_SERVER_INBOX_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "inbox_path.h"

/* Names of files that arrive begin so, in the inbox itself. */
#define INBOX_ARRIVING ".upload-"

/* Where an upload goes: folders below the inbox, then the file. Its texts are
 * in one allocation. */
struct inbox_name {
    char *text;
    const char *folders[2 + INBOX_PARTS_MOST]; /* the first is the device */
    size_t folder_count;
    const char *file;
};

/* false: out of memory. */
bool inbox_name_init(struct inbox_name *out, const char *device,
                     const struct inbox_path *path);
void inbox_name_finish(struct inbox_name *name);
bool inbox_name_equal(const struct inbox_name *a, const struct inbox_name *b);

/* Append the path below the inbox's. */
void inbox_name_put(struct jz__buf *out, const char *inbox,
                    const struct inbox_name *name);

/* Open the inbox's folder, made with 0700 if it is not there. */
int inbox_disk_open(int *out, const char *inbox);

/* Remove what uploads left that a crash cut off. */
void inbox_disk_sweep(int inbox);

/*
 * Open the folder of a name, from folder to folder: a link on the way is
 * ENOTDIR. Missing ones are made with 0700 if `makes`, else ENOENT.
 */
int inbox_disk_open_folder(int *out, int inbox, const struct inbox_name *name,
                           bool makes);

/* What a file and its project count in the room of a device; 0: not there. */
struct inbox_room {
    uint64_t file;
    uint64_t project;
};

int inbox_disk_room(struct inbox_room *out, int inbox,
                    const struct inbox_name *name);

/* Do a file of `folder` and the open one hold the same bytes? A link does
 * not count as a file. */
int inbox_disk_is_same(bool *out, int folder, const char *file, int other);

/* The project that a file was sent with, "" for none. */
int inbox_disk_read_project(struct jz__buf *out, int folder, const char *file);

/* The same by the path of the file. */
int inbox_disk_project_of(struct jz__buf *out, const char *path);

/* One upload that is complete: arriving is its name in the inbox, on disk. */
struct inbox_commit {
    int inbox;
    int folder;
    const char *arriving;
    const char *file;
    struct jz__str project; /* empty: none was ever sent */
};

/*
 * Put it in its place, with its project. At every moment a file with its
 * project is there, the old one or the new one, but for one: the new project
 * may already stand beside the old file.
 */
int inbox_disk_commit(const struct inbox_commit *commit);

/* Remove a file that still is the one which was looked at. */
struct jz__file_state;
int inbox_disk_remove(const char *inbox, const char *path,
                      const struct jz__file_state *state);

#endif
