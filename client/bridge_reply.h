/* SPDX-License-Identifier: Apache-2.0 */
/* What goes out on stdout: answers of the server as lines, and answers of the
 * bridge itself. */
#ifndef JEZERO_CLIENT_BRIDGE_REPLY_H
#define JEZERO_CLIENT_BRIDGE_REPLY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"
#include "bridge_message.h"
#include "home.h"

#define BRIDGE_REPLY_PARSE_ERROR (-32700)
#define BRIDGE_REPLY_FAILED (-32000)

enum bridge_reply_kind {
    BRIDGE_REPLY_NONE,   /* no JSON-RPC: nothing was appended */
    BRIDGE_REPLY_ANSWER, /* to the request */
    BRIDGE_REPLY_OTHER   /* a request or notification of the server's */
};

/*
 * Append a body or an event's data as one line with its end, if it is JSON-RPC.
 * `id`: that of the request, "" where there is none to compare; an answer that
 * bears another one gets it, for an agent would wait for its own for ever.
 */
enum bridge_reply_kind bridge_reply_put(struct jz__buf *out,
                                        struct jz__str body, struct jz__str id);

/* Append an error as one line with its end. */
void bridge_reply_put_error(struct jz__buf *out, struct jz__str id, int code,
                            const char *text);

/* One such line for each answer that the message is due. 0 or JZ_ENOMEM. */
int bridge_reply_put_errors(struct jz__buf *out,
                            const struct bridge_message *message, int code,
                            const char *text);

/* --- the texts of errors, appended --- */

/* A home that is refused has its reason; NULL: it is not set up. */
void bridge_reply_put_no_home(struct jz__buf *out, const char *path,
                              const char *reason);

/* "Jezero server URL: reason". */
void bridge_reply_put_away(struct jz__buf *out, const char *url,
                           const char *reason);

/* An answer without JSON-RPC. */
void bridge_reply_put_status(struct jz__buf *out, const char *url, int status,
                             struct jz__str body);

#endif
