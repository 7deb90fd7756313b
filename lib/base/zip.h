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

#endif
