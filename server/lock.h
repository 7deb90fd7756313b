/* SPDX-License-Identifier: Apache-2.0 */
/* The lock that lets one server at a time serve a library. */
#ifndef JEZERO_SERVER_LOCK_H
#define JEZERO_SERVER_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Take the lock "<library>.lock" (mode 0600, next to the library, which need
 * not exist yet): *out is a descriptor that holds it until lock_release() or
 * the end of the process. JZ_EBUSY: another process serves this library, the
 * message is a sentence that names both. The folder must exist.
 */
int lock_take(int *out, const char *library_path, struct jz__error *error);

/*
 * Is it taken? *holder is the process, 0 if it is not known. The look itself
 * takes the lock for an instant, for which lock_take() waits.
 */
bool lock_is_taken(long *holder, const char *library_path);

/* Let go. The file stays: removing it would let two take it. -1 is allowed. */
void lock_release(int lock);

#endif
