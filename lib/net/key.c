/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as text. One that is made here is base64url: it stands in a header, in
 * a variable and in a file without being quoted. One that a person chose may be
 * any printable ASCII text, because that is what a header can carry unchanged.
 *
 * No message of this file shows a key, whole or in part.
 */
#include "net/key.h"

#include <assert.h>

int jz__key_make(char out[JZ__KEY_SIZE], struct jz__error *error)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                   "qrstuvwxyz0123456789-_";
    /* 32 bytes are 43 digits of 6 bits; the last digit has two bits to spare,
     * which come from a byte that stays 0. */
    unsigned char bytes[33] = { 0 };

    assert(out != NULL);

    if (jz__digest_random(bytes, 32) < 0) {
        return jz__fail(error, JZ_EIO, "the system gives no random bytes");
    }
    for (size_t i = 0; i < JZ__KEY_SIZE - 1; i++) {
        size_t at = i * 6 / 8;
        unsigned pair = (unsigned)bytes[at] << 8 | bytes[at + 1];

        out[i] = alphabet[pair >> (10 - i * 6 % 8) & 63];
    }
    out[JZ__KEY_SIZE - 1] = '\0';
    return 0;
}

/* Editors and `echo` put a line break behind a key, and pasting puts blanks
 * around it. What is inside must come through a header as it is. */
int jz__key_digest(struct jz__digest *out, struct jz__str key,
                   struct jz__error *error)
{
    int r;

    assert(out != NULL);

    key = jz__str_trim(key);
    if (key.length == 0) {
        return jz__fail(error, JZ_EINVAL, "the key is empty");
    }
    for (size_t i = 0; i < key.length; i++) {
        unsigned char c = (unsigned char)key.data[i];

        if (c < 0x20 || c == 0x7F) {
            return jz__fail(error, JZ_EINVAL,
                            "the key holds a control character");
        }
        if (c > 0x7F) {
            return jz__fail(error, JZ_EINVAL,
                            "the key holds a character that is not ASCII");
        }
    }
    r = jz__digest_sha256(out, key.data, key.length);
    return r == 0 ? 0 : jz__fail(error, r, "SHA-256 failed");
}
