/* SPDX-License-Identifier: Apache-2.0 */
/* One request and its answer on a connection. */
#ifndef JZ_NET_EXCHANGE_H
#define JZ_NET_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"
#include "net/deadline.h"
#include "net/fetch.h"
#include "net/stream.h"

struct jz__exchange {
    struct jz__stream *stream;
    const struct jz__fetch_request *request;
    struct jz__str head; /* what jz__request_head() made */
    const char *place;   /* "HOST port N", for messages */
    const struct jz__deadline *deadline;
    bool is_reusable; /* afterwards: may another request follow? */
};

/*
 * Send and wait for the whole answer, as jz__fetch_send(). JZ__EXCHANGE_STALE:
 * the connection was closed before a byte of the answer came; the error tells
 * it, for a caller who does not try again.
 */
#define JZ__EXCHANGE_STALE 1
int jz__exchange_run(struct jz__fetch_answer *out,
                     struct jz__exchange *exchange, struct jz__error *error);

#endif
