/* SPDX-License-Identifier: Apache-2.0 */
/* zlib streams in memory, and gzip streams that arrive in pieces. */
#ifndef JZ_BASE_ZIP_H
#define JZ_BASE_ZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/* Append data as a zlib stream. 0 or JZ_ENOMEM. */
int jz__zip_deflate(struct jz__buf *out, const void *data, size_t length);

/* Append what a whole zlib stream holds: JZ_ECORRUPT if it is none, is cut or
 * has bytes behind it, JZ_EINVAL if it holds more than `most` bytes. */
int jz__zip_inflate(struct jz__buf *out, const void *data, size_t length,
                    size_t most);

/* --- gzip in pieces --- */

/* One stream: about 48 KiB of memory. */
struct jz__zip_reader;

/* 0 or JZ_ENOMEM. NULL may be closed. */
int jz__zip_reader_open(struct jz__zip_reader **out);
void jz__zip_reader_close(struct jz__zip_reader *reader);

/*
 * Decompress what stands at the start of *in into out, which has room for
 * `room` bytes: *length of them are written, and *in is what is left. A full
 * out has to be asked again, also when *in is empty; else all of *in was used.
 * Members that follow each other are one text. JZ_ECORRUPT: it is no gzip
 * stream, or damaged; JZ_ENOMEM. The stream ends with either.
 */
int jz__zip_reader_next(size_t *length, struct jz__zip_reader *reader,
                        struct jz__str *in, char *out, size_t room);

/* Did the last member end, checksum and all, with nothing behind it? */
bool jz__zip_reader_is_complete(const struct jz__zip_reader *reader);

/* --- zstd in pieces --- */

/* One stream of frames: some hundred KiB, and its window of at most 128 MiB. */
struct jz__zip_zstd;

/* 0; JZ_EINVAL: this build has no zstd; JZ_ENOMEM. NULL may be closed. */
int jz__zip_zstd_open(struct jz__zip_zstd **out);
void jz__zip_zstd_close(struct jz__zip_zstd *zstd);

/* As jz__zip_reader_next(). */
int jz__zip_zstd_next(size_t *length, struct jz__zip_zstd *zstd,
                      struct jz__str *in, char *out, size_t room);

/* Did the last frame end, with nothing behind it? */
bool jz__zip_zstd_is_complete(const struct jz__zip_zstd *zstd);

/* --- making gzip in pieces --- */

/* One stream after the other: about 256 KiB of memory. */
struct jz__zip_writer;

/* 0 or JZ_ENOMEM. NULL may be closed. */
int jz__zip_writer_open(struct jz__zip_writer **out);
void jz__zip_writer_close(struct jz__zip_writer *writer);

/* Append what is known of the stream with these bytes, which may be nothing yet.
 * 0 or JZ_ENOMEM, after which it can only be closed. */
int jz__zip_writer_put(struct jz__buf *out, struct jz__zip_writer *writer,
                       struct jz__str bytes);

/* Append the rest of the stream; the next bytes begin another. 0 or
 * JZ_ENOMEM. */
int jz__zip_writer_end(struct jz__buf *out, struct jz__zip_writer *writer);

#endif
