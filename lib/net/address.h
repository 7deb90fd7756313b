/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 and IPv6 addresses as bytes: read, compared, found in blocks. */
#ifndef JZ_NET_ADDRESS_H
#define JZ_NET_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* In the order of the network; IPv4 in the first four. */
struct jz__address {
    unsigned char bytes[16];
    bool is_v6;
    uint32_t scope; /* of a link-local IPv6 address; 0: none */
};

/* "127.0.0.1", "::1", without brackets, port or scope. An IPv4 address inside
 * of an IPv6 one (::ffff:127.0.0.1) becomes IPv4. false: it is none. */
bool jz__address_parse(struct jz__address *out, struct jz__str text);

/* Is it in "10.0.0.0/8", or is it this one address? false also for what is
 * neither. */
bool jz__address_matches(const struct jz__address *address,
                         struct jz__str block);

#endif
