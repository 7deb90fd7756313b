/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a request. */
#ifndef JZ_NET_REQUEST_H
#define JZ_NET_REQUEST_H

#include "base/buf.h"
#include "base/error.h"
#include "net/fetch.h"

/* Where requests go. */
struct jz__request_target {
    const char *host;   /* as Host names it: "desk.example:8787", "[::1]" */
    const char *prefix; /* what stands in front of every path: "" or a path, for
                           a proxy with scheme and host */
    const char *proxy_authorization; /* NULL: none */
};

/* Append request line and headers. JZ_EINVAL: a path that cannot stand in a
 * request; JZ_ENOMEM. */
int jz__request_head(struct jz__buf *out,
                     const struct jz__request_target *target,
                     const struct jz__fetch_request *request,
                     struct jz__error *error);

#endif
