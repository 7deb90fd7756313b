/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the answer that a request has come to. */
#ifndef JEZERO_SERVER_RESPOND_H
#define JEZERO_SERVER_RESPOND_H

struct conn;

/* Send the library's text, or else the result's answer. */
void respond_send(struct conn *conn);

/* The same where the connection ends with the answer, and the client may not
 * know yet. */
void respond_send_last(struct conn *conn);

#endif
