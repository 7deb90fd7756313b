/* SPDX-License-Identifier: Apache-2.0 */
/* A TCP connection to one of the addresses of a host. */
#ifndef JZ_NET_DIAL_H
#define JZ_NET_DIAL_H

#include "base/error.h"
#include "net/deadline.h"
#include "net/resolve.h"

/* An address that did not answer for so long gets company of the next one. */
#define JZ__DIAL_STAGGER_MS 250

/*
 * Connect to the first of the addresses that answers. The descriptor does not
 * block, is closed on exec and belongs to the caller. JZ_EIO: "cannot connect to
 * HOST port N: …"; the host serves the message alone.
 */
int jz__dial_connect(int *out, const struct jz__resolve *found,
                     const char *host, int port,
                     const struct jz__deadline *deadline,
                     struct jz__error *error);

#endif
