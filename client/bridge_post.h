/* SPDX-License-Identifier: Apache-2.0 */
/* One POST of a message, and what came of it. */
#ifndef JEZERO_CLIENT_BRIDGE_POST_H
#define JEZERO_CLIENT_BRIDGE_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "bridge_out.h"
#include "net/sse.h"
#include "remote.h"

/* Bytes of an answer, or of an event of a stream. */
#define BRIDGE_POST_ANSWER_MOST ((size_t)32 * 1024 * 1024)

struct bridge_post {
    /* what is asked; all borrowed */
    const char *path;
    struct jz__str text;
    struct jz__str id; /* whose answer ends a stream; "": its end alone does */
    bool is_silent;    /* no answer is due, and what comes is dropped */
    struct jz__str headers; /* whole lines, besides those of every POST */
    const int *cancel_fd;   /* NULL, or ends it once it can be read from */
    struct bridge_out *out; /* gets what a stream holds besides the answer, at
                               once; NULL: that is dropped */
    int64_t deadline_ms;

    /* what came */
    struct jz__fetch_answer answer; /* its status and headers; status 0: none */
    struct jz__buf body;
    struct jz__buf lines; /* what is to go out, each with its end */
    bool is_answered;     /* the answer is among the lines */
    bool has_written;     /* something went out already */

    bool is_stream;
    struct jz__sse sse;
};

/* Zeroed but for what is asked. 0: an answer of HTTP came, whatever it says;
 * JZ_EIO as remote_send(), JZ_ENOMEM. To be finished in every case. */
int bridge_post_send(struct bridge_post *post, struct remote *remote,
                     struct jz__error *error);
void bridge_post_finish(struct bridge_post *post);

#endif
