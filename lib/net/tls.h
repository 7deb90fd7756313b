/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS as bytes: what the network brings goes in, what it is to carry comes out,
 * with the plain text on the other side. No socket, no loop. mbedTLS 2.28 and
 * 3.x differ behind this header alone.
 */
#ifndef JZ_NET_TLS_H
#define JZ_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Certificate and key of a server, shared by its connections. All of them are
 * used by one thread at a time: they share a random generator without a lock. */
struct jz__tls_server;

/*
 * Read PEM files. JZ_EIO, JZ_EINVAL with a sentence that names the file: not
 * readable, no certificate, a key that does not belong to it. TLS 1.2 or newer,
 * ALPN http/1.1.
 */
int jz__tls_server_new(struct jz__tls_server **out, const char *cert_file,
                       const char *key_file, struct jz__error *error);

/* Connections that use it keep it alive: it is freed with the last one. */
void jz__tls_server_release(struct jz__tls_server *server);

/* When its own certificate is valid, in seconds since 1970. It is used outside
 * of that as well: clients refuse it and say why, and a server that does not
 * start says less. */
void jz__tls_server_validity(int64_t *from, int64_t *until,
                             const struct jz__tls_server *server);

/* The certificates that a client trusts, shared by its connections: used by one
 * thread at a time. */
struct jz__tls_client;

/*
 * Read a PEM file of trusted certificates. Entries of it that cannot be read are
 * left out, and those that have expired vouch for nobody; JZ_EIO, JZ_ENOTFOUND:
 * it cannot be read, JZ_EINVAL: it holds no certificate that can. The message
 * names the file. TLS 1.2 or newer, ALPN http/1.1. The last session is resumed
 * where a host offers that.
 */
int jz__tls_client_new(struct jz__tls_client **out, const char *ca_file,
                       struct jz__error *error);

/* Connections that use it keep it alive. */
void jz__tls_client_release(struct jz__tls_client *client);

/* One connection. */
struct jz__tls;

/*
 * A connection to a host: a name, or an address without brackets, both as the
 * certificate has to name it (addresses in its subjectAltName). The first
 * jz__tls_read(), without bytes, gives what is to be sent first. When the
 * certificate is refused jz__tls_read() fails with a phrase that says why: "the
 * certificate of HOST is not trusted: …", "… has expired (on DATE)", "… is not
 * for HOST but for A, B".
 */
int jz__tls_connect(struct jz__tls **out, struct jz__tls_client *client,
                    const char *host, struct jz__error *error);

/* Was the certificate refused because no trusted one vouches for it? */
bool jz__tls_is_untrusted(const struct jz__tls *tls);

/* NULL: out of memory. */
struct jz__tls *jz__tls_accept(struct jz__tls_server *server);
void jz__tls_free(struct jz__tls *tls);

/*
 * Take bytes from the network; plain text is appended to `plain` and what has to
 * go back to the network to `wire`. 0; 1: the peer ended its side in order
 * (close_notify); JZ_EINVAL: the connection is broken, the message says why
 * (`wire` may hold an alert to send before closing); JZ_ENOMEM.
 */
int jz__tls_read(struct jz__tls *tls, struct jz__str bytes,
                 struct jz__buf *plain, struct jz__buf *wire,
                 struct jz__error *error);

/* Append plain text as records to `wire`. Not before jz__tls_is_ready(). */
int jz__tls_write(struct jz__tls *tls, struct jz__str plain,
                  struct jz__buf *wire, struct jz__error *error);

/* Append the end of our side (close_notify). Nothing before the handshake is
 * over, nor when the connection is broken. */
int jz__tls_end(struct jz__tls *tls, struct jz__buf *wire,
                struct jz__error *error);

/* Is the handshake over? */
bool jz__tls_is_ready(const struct jz__tls *tls);

#endif
