/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only whole addresses are read, by the C library: the short and octal forms of
 * old ("127.1") mean different things to different programs, and are left to the
 * resolver as names.
 */
#include "net/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0,    0,
                                          0, 0, 0, 0, 0xff, 0xff };

bool jz__address_parse(struct jz__address *out, struct jz__str text)
{
    char copy[INET6_ADDRSTRLEN];

    assert(out != NULL);

    *out = (struct jz__address){ .is_v6 = false };
    if (text.length == 0 || text.length >= sizeof(copy) ||
        memchr(text.data, '\0', text.length) != NULL) {
        return false;
    }
    memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    if (inet_pton(AF_INET, copy, out->bytes) == 1) {
        return true;
    }
    if (inet_pton(AF_INET6, copy, out->bytes) != 1) {
        return false;
    }
    out->is_v6 = memcmp(out->bytes, mapped, sizeof(mapped)) != 0;
    if (!out->is_v6) {
        memmove(out->bytes, out->bytes + sizeof(mapped), 4);
        memset(out->bytes + 4, 0, 12);
    }
    return true;
}

/* Do the first `bits` bits agree? Of two families none do. */
static bool is_in(const struct jz__address *address,
                  const struct jz__address *block, unsigned bits)
{
    unsigned whole = bits / 8;
    unsigned rest = bits % 8;

    assert(bits <= (block->is_v6 ? 128u : 32u));

    if (address->is_v6 != block->is_v6 ||
        memcmp(address->bytes, block->bytes, whole) != 0) {
        return false;
    }
    return rest == 0 ||
           (address->bytes[whole] ^ block->bytes[whole]) >> (8 - rest) == 0;
}

/* false: no number from 0 to 128. */
static bool parse_bits(unsigned *out, struct jz__str text)
{
    *out = 0;
    if (text.length == 0 || text.length > 3) {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        *out = *out * 10 + (unsigned)(text.data[i] - '0');
    }
    return *out <= 128;
}

bool jz__address_matches(const struct jz__address *address,
                         struct jz__str block)
{
    size_t slash = jz__str_find(block, "/");
    struct jz__address base;
    unsigned bits;

    if (slash == SIZE_MAX) {
        return jz__address_parse(&base, block) &&
               is_in(address, &base, base.is_v6 ? 128 : 32);
    }
    return jz__address_parse(&base, (struct jz__str){ block.data, slash }) &&
           parse_bits(&bits, (struct jz__str){ block.data + slash + 1,
                                               block.length - slash - 1 }) &&
           bits <= (base.is_v6 ? 128u : 32u) && is_in(address, &base, bits);
}
