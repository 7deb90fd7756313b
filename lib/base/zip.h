/* SPDX-License-Identifier: Apache-2.0 */
/* zlib streams in memory. */
#ifndef JZ_BASE_ZIP_H
#define JZ_BASE_ZIP_H

#include <stddef.h>

#include "base/buf.h"

/* Append data as a zlib stream. 0 or JZ_ENOMEM. */
int jz__zip_deflate(struct jz__buf *out, const void *data, size_t length);

/* Append what a whole zlib stream holds: JZ_ECORRUPT if it is none, is cut or
 * has bytes behind it, JZ_EINVAL if it holds more than `most` bytes. */
int jz__zip_inflate(struct jz__buf *out, const void *data, size_t length,
                    size_t most);

#endif
