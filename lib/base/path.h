/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as text, POSIX: bytes, not characters. */
#ifndef JZ_BASE_PATH_H
#define JZ_BASE_PATH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Append base joined with name by one slash (an absolute name stands alone). */
void jz__path_join(struct jz__buf *out, const char *base, const char *name);

/* The last part, without trailing slashes; "" for "/". Borrowed. */
struct jz__str jz__path_name(const char *path);

/* Everything before the last part, "/" or "." where there is none. Borrowed. */
struct jz__str jz__path_parent(const char *path);

/* Append path without ".", "..", doubled and trailing slashes, by text alone. */
void jz__path_normalize(struct jz__buf *out, const char *path);

/* Is path the same as folder or below it? Both normalized. */
bool jz__path_is_below(const char *path, const char *folder);

/* Append path with a leading "~" or "~/" replaced by home. */
void jz__path_expand(struct jz__buf *out, const char *path, const char *home);

#endif
