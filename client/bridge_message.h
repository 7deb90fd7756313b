/* SPDX-License-Identifier: Apache-2.0 */
/* One line of stdin: what kind of message it is, and what HTTP has to say of it. */
#ifndef JEZERO_CLIENT_BRIDGE_MESSAGE_H
#define JEZERO_CLIENT_BRIDGE_MESSAGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

enum bridge_message_kind {
    BRIDGE_MESSAGE_BLANK,        /* white space: no message */
    BRIDGE_MESSAGE_BROKEN,       /* no JSON of UTF-8: .reason says why */
    BRIDGE_MESSAGE_REQUEST,      /* is answered once, under .id */
    BRIDGE_MESSAGE_NOTIFICATION, /* is never answered */
    BRIDGE_MESSAGE_RESPONSE, /* to a request of the server's: never answered */
    BRIDGE_MESSAGE_OTHER     /* an array, or no message at all: the server says
                                what is wrong with it */
};

/* The methods that the bridge does something of its own for. */
enum bridge_message_method {
    BRIDGE_MESSAGE_ANY,
    BRIDGE_MESSAGE_INITIALIZE,
    BRIDGE_MESSAGE_INITIALIZED, /* the notification that follows it */
    BRIDGE_MESSAGE_DISCOVER,
    BRIDGE_MESSAGE_TOOLS_LIST,
    BRIDGE_MESSAGE_CANCELLED
};

struct bridge_message {
    struct jz__buf text; /* as it came */
    enum bridge_message_kind kind;
    enum bridge_message_method method;
    struct jz__str id;      /* its bytes in text; "null" if there is none */
    struct jz__str cancels; /* of a cancellation: the id it means; or "" */
    bool is_modern;         /* its _meta names a protocol version */
    struct jz__buf headers; /* of a modern one: whole header lines */
    char reason[160];       /* of a broken one */
};

/*
 * Take the text over (it is empty afterwards) and look at it. Zeroed before; to
 * be finished. 0 or JZ_ENOMEM.
 */
int bridge_message_read_take(struct bridge_message *out, struct jz__buf *text);

void bridge_message_finish(struct bridge_message *message);

/*
 * The ids under which a message is due an answer, when there is none from the
 * server: each request's in an array, that of the message itself, or "null" for
 * what is no message; none for notifications and responses. Called for each; 0
 * or JZ_ENOMEM.
 */
typedef void (*bridge_message_id_fn)(void *userdata, struct jz__str id);
int bridge_message_each_id(const struct bridge_message *message,
                           bridge_message_id_fn fn, void *userdata);

#endif
