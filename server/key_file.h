/* SPDX-License-Identifier: Apache-2.0 */
/* The key that `up --key` asks for, in a file that its owner alone can read. */
#ifndef JEZERO_SERVER_KEY_FILE_H
#define JEZERO_SERVER_KEY_FILE_H

#include "base/error.h"
#include "net/digest.h"

/*
 * The digest of the key in the file; a file that is not there is made, with a
 * new key. JZ_EINVAL: others can read or replace it, or it holds no key. JZ_EIO.
 */
int key_file_open(struct jz__digest *out, const char *path,
                  struct jz__error *error);

#endif
