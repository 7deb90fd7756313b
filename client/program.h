/* SPDX-License-Identifier: Apache-2.0 */
/* Where this program lies. */
#ifndef JEZERO_CLIENT_PROGRAM_H
#define JEZERO_CLIENT_PROGRAM_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Append the absolute path that this program is to be called by from elsewhere:
 * the first entry of PATH that is this program, else the path it was called by,
 * else where it lies. Links are not followed where that can be: behind them may
 * be a folder that the next version has no more.
 */
int program_put_path(struct jz__buf *out, struct jz__error *error);

/* Is there a program of this name on the PATH? */
bool program_is_on_path(const char *name);

/* Is the last part of a path a name of this program, of whatever version? */
bool program_is_named(const char *path);

#endif
