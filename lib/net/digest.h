/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 and random bytes, by mbedTLS and the system, and comparison in
 * constant time.
 */
#ifndef JZ_NET_DIGEST_H
#define JZ_NET_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define JZ__DIGEST_SIZE 32

/* 64 hexadecimal digits and a NUL. */
#define JZ__DIGEST_TEXT_SIZE 65

struct jz__digest {
    unsigned char bytes[JZ__DIGEST_SIZE];
};

/* 0, or JZ_EINTERNAL when mbedTLS fails. */
int jz__digest_sha256(struct jz__digest *out, const void *data, size_t length);

/* Takes the same time wherever the two differ. */
bool jz__digest_equal(const struct jz__digest *a, const struct jz__digest *b);

/* From 64 hexadecimal digits of either case; false: it is something else. */
bool jz__digest_parse(struct jz__digest *out, struct jz__str text);

/* In lower case. */
void jz__digest_format(char out[JZ__DIGEST_TEXT_SIZE],
                       const struct jz__digest *digest);

/* Bytes that nobody can guess: 0, or JZ_EIO. */
int jz__digest_random(void *out, size_t length);

#endif
