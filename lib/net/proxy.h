/* SPDX-License-Identifier: Apache-2.0 */
/* Which proxy, if any, a server is reached through: no look at the environment,
 * its values are given. */
#ifndef JZ_NET_PROXY_H
#define JZ_NET_PROXY_H

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Values of the variables, NULL or "": not set. */
struct jz__proxy_settings {
    const char *https_proxy;
    const char *http_proxy;
    const char *no_proxy;
};

/*
 * Append the proxy's URL for a server's URL, nothing for a direct connection:
 * loopback hosts, and those that no_proxy names (`*`, names and their
 * sub-domains with or without a leading dot, with or without a port, addresses,
 * CIDR blocks), go direct. JZ_EINVAL: the variable holds no http proxy; the
 * message names the variable and shows no credentials.
 */
int jz__proxy_find(struct jz__buf *out, const char *url,
                   const struct jz__proxy_settings *settings,
                   struct jz__error *error);

/* A proxy's URL, taken apart. */
struct jz__proxy {
    char *host; /* without brackets */
    int port;
    char *authorization; /* "Basic …", or NULL without a name and password */
};

/*
 * Read "http://name:password@host:port", of which scheme, name and password, and
 * port (80) may be missing. JZ_EINVAL: "is …", a phrase about it that shows
 * nothing of it but its scheme; JZ_ENOMEM.
 */
int jz__proxy_parse(struct jz__proxy *out, struct jz__str text,
                    struct jz__error *error);
void jz__proxy_finish(struct jz__proxy *proxy);

#endif
