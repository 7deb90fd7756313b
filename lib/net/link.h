/* SPDX-License-Identifier: Apache-2.0 */
/* The way to one server: what is known of it beforehand, and the connection. */
#ifndef JZ_NET_LINK_H
#define JZ_NET_LINK_H

#include <stdbool.h>

#include "base/error.h"
#include "net/deadline.h"
#include "net/fetch.h"
#include "net/proxy.h"
#include "net/stream.h"
#include "net/url.h"

struct jz__tls_client;

struct jz__link {
    char *host; /* of the server, without brackets */
    int port;
    bool is_tls;
    bool has_proxy;
    struct jz__proxy proxy;
    char *place;  /* "HOST port N" of what is connected to, for messages */
    char *server; /* "host:port", with brackets, for a proxy to connect to */
    struct jz__stream stream;
    bool is_untrusted; /* the last connection failed for that */

    /* private */
    char *ca_file;
    char *ca_origin;
    struct jz__tls_client *trust; /* NULL before the first handshake */
};

/* Everything is copied. JZ_EINVAL: no such proxy; JZ_ENOMEM. Finished by the
 * caller in every case. */
int jz__link_init(struct jz__link *link, const struct jz__url *url,
                  const struct jz__fetch_options *options,
                  struct jz__error *error);
void jz__link_finish(struct jz__link *link);

/* Connect anew, through the proxy and with TLS if they are due; a connection
 * that there was is closed. JZ_EIO as jz__fetch_send(); JZ_ENOMEM. */
int jz__link_open(struct jz__link *link, const struct jz__deadline *deadline,
                  struct jz__error *error);

#endif
