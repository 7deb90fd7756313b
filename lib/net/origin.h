/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which Host and Origin values a server takes: the protection against a web
 * page that reaches a local server through a name of its own (DNS rebinding).
 */
#ifndef JZ_NET_ORIGIN_H
#define JZ_NET_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* All borrowed; a zeroed struct allows the loopback names alone. */
struct jz__origin_rules {
    const char *public_url;           /* NULL: none */
    const char *server_host;          /* NULL: none; "::1" or "[::1]" */
    const char *const *allowed_hosts; /* "name", "name:port", "name:*" */
    size_t allowed_host_count;
};

/*
 * The value of the one Host header. Accepted are the host of public_url, the
 * server's own and the loopback names with any or no port; of allowed_hosts
 * "name" without a port, "name:port" with this one, "name:*" with any or none.
 * Names are compared whole and without case.
 */
bool jz__origin_host_allowed(const struct jz__origin_rules *rules,
                             struct jz__str host);

/*
 * The value of the one Origin header, judged on its own: the origin of
 * public_url, or http with the server's host or a loopback name and any port.
 */
bool jz__origin_allowed(const struct jz__origin_rules *rules,
                        struct jz__str origin);

#endif
