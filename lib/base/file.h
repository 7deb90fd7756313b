/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole reads with a limit, atomic writes, folders, walks. */
#ifndef JZ_BASE_FILE_H
#define JZ_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* What a stat() of a file tells of its content's identity. */
struct jz__file_state {
    int64_t size;
    int64_t mtime_ns;
    int64_t inode;
};

/* 0; JZ_ENOTFOUND; JZ_EINVAL for what is no regular file; JZ_EIO. */
int jz__file_stat(struct jz__file_state *out, const char *path,
                  struct jz__error *error);

/* Read a regular file of at most `most` bytes, without blocking on a FIFO or
 * a device (JZ_EINVAL). JZ_EINVAL also when it is larger. */
int jz__file_read(struct jz__buf *out, const char *path, size_t most,
                  struct jz__error *error);

/* Write beside path, fsync, rename over it; mode 0600. On failure path is as
 * it was. If path is a symbolic link, the file that it leads to is replaced. */
int jz__file_write(const char *path, const void *data, size_t length,
                   struct jz__error *error);

/* The same without waiting for the disk, which takes milliseconds: a reader and a
 * program that is killed find the old content or the new one, after a power cut
 * the file may be empty. For what can be made again. */
int jz__file_write_soon(const char *path, const void *data, size_t length,
                        struct jz__error *error);

/* jz__file_write() over a file that is there, whose mode is kept, and its owner as far
 * as the process may. JZ_ENOTFOUND if there is none. */
int jz__file_replace(const char *path, const void *data, size_t length,
                     struct jz__error *error);

/* Bring the entry of path in its folder to disk, as far as the file system can:
 * a rename lasts from then on. */
void jz__file_sync_parent(const char *path);

/* Create a folder and those above it; new ones have mode 0700. */
int jz__file_mkdirs(const char *path, struct jz__error *error);

/*
 * Call fn for every regular file below folder (or for folder itself, if it is
 * a file), in byte order of the paths, without following symbolic links to
 * folders, to a depth of 32. fn returns 0 to go on, anything else ends the
 * walk and is returned. A folder that cannot be read is skipped; *skipped
 * counts them (may be NULL).
 */
typedef int (*jz__file_walk_fn)(void *userdata, const char *path);
int jz__file_walk(const char *folder, jz__file_walk_fn fn, void *userdata,
                  int64_t *skipped, struct jz__error *error);

/* Line by line, in bounded memory. */
struct jz__file_lines;

/* Open for reading: as jz__file_read() refuses. */
int jz__file_lines_open(struct jz__file_lines **out, const char *path,
                        struct jz__error *error);
void jz__file_lines_close(struct jz__file_lines *lines);
void jz__file_lines_closep(struct jz__file_lines **lines);

/*
 * The next stretch of bytes of the current line, borrowed until the next call:
 * 1 and *data, *length (without the \n); *ends_line tells that the line ends
 * here (a newline was read), which a file's last line may lack.
 * A line that fits into the buffer (256 KiB) comes as one stretch; a longer
 * one comes in several. 0: end of file. Negative: JZ_EIO.
 */
int jz__file_lines_next(struct jz__file_lines *lines, const char **data,
                        size_t *length, bool *ends_line,
                        struct jz__error *error);

#endif
