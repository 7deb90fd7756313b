/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and their answers on one connection. */
#ifndef JEZERO_SERVER_EXCHANGE_H
#define JEZERO_SERVER_EXCHANGE_H

#include <stddef.h>

struct conn;

/*
 * Handle bytes until a request needs its time: how many were used. Afterwards
 * the connection reads on, works for a request, or is closing.
 */
size_t exchange_feed(struct conn *conn, const char *data, size_t length);

/* The answer that conn_send() took is out, or will never be (status < 0). */
void exchange_sent(struct conn *conn, int status);

/* The connection closes: what works for its request is given up. */
void exchange_abort(struct conn *conn);

/* It is closed: give back what requests have held. */
void exchange_finish(struct conn *conn);

/* The client has sent its end while a call runs for it. */
void exchange_expect_silence(struct conn *conn);

/* It waited for a moment: ask whether it is still there. */
void exchange_probe(struct conn *conn);

#endif
