/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of the server. */
#ifndef JEZERO_SERVER_CONN_H
#define JEZERO_SERVER_CONN_H

#include "server.h"

/* Take the connection that waits on the listener: a listen_accept_fn with the
 * server as userdata. */
int conn_accept(void *server, uv_stream_t *listener);

/* Close it, whatever it does: a call that runs for it is interrupted. May be
 * called twice. */
void conn_close(struct conn *conn);

/* The server ends: connections without a request close now, the others when
 * theirs is answered. */
void conn_end_idle(struct server *server);

void conn_close_all(struct server *server);

#endif
