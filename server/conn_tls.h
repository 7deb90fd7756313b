/* SPDX-License-Identifier: Apache-2.0 */
/* TLS between a connection and its socket. For conn.c alone. */
#ifndef JEZERO_SERVER_CONN_TLS_H
#define JEZERO_SERVER_CONN_TLS_H

#include <stddef.h>
#include <uv.h>

#include "base/str.h"

struct conn;

/*
 * Take bytes of the socket, and send what the protocol has to say to them.
 * *plain is borrowed until the next call for any connection. 0; 1: the client
 * ended its side behind that; negative: the connection cannot go on.
 */
int conn_tls_read(struct jz__str *plain, struct conn *conn, const char *data,
                  size_t length);

/* As conn_send() and conn_say() do; negative uv errors. */
int conn_tls_send(struct conn *conn, const uv_buf_t *bytes, unsigned count);
int conn_tls_say(struct conn *conn, const char *text);

/* Say that nothing follows, if there is a way to say it now. */
void conn_tls_end(struct conn *conn);

/* Give back what the connection has for TLS; without any, nothing. */
void conn_tls_finish(struct conn *conn);

#endif
