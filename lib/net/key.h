/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys that computers show to a server: made, checked, digested. A server
 * knows the digest alone.
 */
#ifndef JZ_NET_KEY_H
#define JZ_NET_KEY_H

#include "base/error.h"
#include "base/str.h"
#include "net/digest.h"

/* 32 random bytes in base64url without padding, and a NUL. */
#define JZ__KEY_SIZE 44

/* 0, or JZ_EIO. */
int jz__key_make(char out[JZ__KEY_SIZE], struct jz__error *error);

/*
 * The digest of a key as people and variables hold it: white space on both
 * sides is taken off. JZ_EINVAL: nothing is left, or control or non-ASCII bytes
 * stand inside; the message does not show them.
 */
int jz__key_digest(struct jz__digest *out, struct jz__str key,
                   struct jz__error *error);

#endif
