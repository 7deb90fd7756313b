/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the library while others read and write it. */
#ifndef JZ_STORE_BACKUP_H
#define JZ_STORE_BACKUP_H

#include "store/store.h"

/*
 * Copy the library, as it is when the call begins, to path: on disk when it
 * returns, mode 0600. A file that is there is replaced only if it is a library
 * that nobody has open, or empty. fn (may be NULL) is told bytes done and in
 * all. On failure path is as it was: JZ_EINVAL for a path that must not be
 * written, JZ_EBUSY when interrupted or when another backup writes there.
 */
int jz__backup_write(struct jz__store *store, const char *path,
                     jz_progress_fn fn, void *userdata);

#endif
