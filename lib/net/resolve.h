/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of a host, before a deadline. */
#ifndef JZ_NET_RESOLVE_H
#define JZ_NET_RESOLVE_H

#include <stddef.h>

#include "base/error.h"
#include "net/address.h"
#include "net/deadline.h"

/* Of a name that has more the first ones count. */
#define JZ__RESOLVE_MOST 16

struct jz__resolve {
    struct jz__address addresses[JZ__RESOLVE_MOST];
    size_t count;
};

/*
 * Addresses, in the order in which they are to be tried: the two families by
 * turns, beginning with the one that the system prefers. An address stands for
 * itself and localhost for both loopback addresses, without a look-up. JZ_EIO:
 * "cannot find HOST: …"; JZ_ENOMEM.
 */
int jz__resolve_host(struct jz__resolve *out, const char *host,
                     const struct jz__deadline *deadline,
                     struct jz__error *error);

#endif
