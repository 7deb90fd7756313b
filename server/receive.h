/* SPDX-License-Identifier: Apache-2.0 */
/* An upload on its way from the connection to the inbox. */
#ifndef JEZERO_SERVER_RECEIVE_H
#define JEZERO_SERVER_RECEIVE_H

#include "base/str.h"

struct conn;

/* The head of a file is decided. If there is no memory for it, the result is a
 * refusal afterwards. */
void receive_begin(struct conn *conn);

/* Bytes of its body. */
void receive_data(struct conn *conn, struct jz__str data);

/* Its body is complete. */
void receive_end(struct conn *conn);

#endif
