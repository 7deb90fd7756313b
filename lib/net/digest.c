/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server knows keys by their SHA-256 alone. A key is 32 random bytes, so a
 * fast hash is enough: there is nothing to guess and no salt is needed, and a
 * request must not cost the time that a slow one takes by design.
 *
 * mbedtls_md() is called for the hash because it reads alike in mbedTLS 2.28
 * and 3, where the functions of sha256.h have other names.
 */
#include "net/digest.h"

#include <assert.h>
#include <errno.h>
#include <mbedtls/constant_time.h>
#include <mbedtls/md.h>
#include <string.h>
#include <sys/random.h>

#include "jezero.h"

int jz__digest_sha256(struct jz__digest *out, const void *data, size_t length)
{
    const mbedtls_md_info_t *sha256 =
        mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);

    assert(out != NULL && (data != NULL || length == 0));

    /* No pointer at all is not promised to be taken, even for no bytes. */
    if (length == 0) {
        data = "";
    }
    return sha256 != NULL && mbedtls_md(sha256, data, length, out->bytes) == 0
               ? 0
               : JZ_EINTERNAL;
}

bool jz__digest_equal(const struct jz__digest *a, const struct jz__digest *b)
{
    return mbedtls_ct_memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* -1: no hexadecimal digit. */
static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool jz__digest_parse(struct jz__digest *out, struct jz__str text)
{
    assert(out != NULL);

    if (text.length != 2 * sizeof(out->bytes)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(out->bytes); i++) {
        int high = hex_value(text.data[2 * i]);
        int low = hex_value(text.data[2 * i + 1]);

        if (high < 0 || low < 0) {
            return false;
        }
        out->bytes[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

void jz__digest_format(char out[JZ__DIGEST_TEXT_SIZE],
                       const struct jz__digest *digest)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < sizeof(digest->bytes); i++) {
        out[2 * i] = digits[digest->bytes[i] >> 4];
        out[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
    out[2 * sizeof(digest->bytes)] = '\0';
}

/* The kernel's own: no file to open, so it works without descriptors and in a
 * container without /dev. It waits only in the first moments of a boot. */
int jz__digest_random(void *out, size_t length)
{
    unsigned char *at = out;

    assert(out != NULL);

    while (length > 0) {
        ssize_t n = getrandom(at, length, 0);

        if (n < 0 && errno != EINTR) {
            return JZ_EIO;
        }
        if (n > 0) {
            at += n;
            length -= (size_t)n;
        }
    }
    return 0;
}
