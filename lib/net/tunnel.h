/* SPDX-License-Identifier: Apache-2.0 */
/* A way through a proxy to a server behind it. */
#ifndef JZ_NET_TUNNEL_H
#define JZ_NET_TUNNEL_H

#include "base/error.h"
#include "net/deadline.h"
#include "net/stream.h"

/*
 * Ask the proxy at the other end of the stream to connect to a server,
 * "host:port". authorization: "Basic …", or NULL. JZ_EIO: "the proxy HOST port N
 * …", where place is "HOST port N"; JZ_ENOMEM.
 */
int jz__tunnel_open(struct jz__stream *stream, const char *server,
                    const char *authorization, const char *place,
                    const struct jz__deadline *deadline,
                    struct jz__error *error);

#endif
