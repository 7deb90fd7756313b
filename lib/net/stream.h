/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection as two buffers: what is put goes out, what comes in lies in
 * `plain`, with or without TLS between. Sending and receiving go on side by
 * side, so that an answer is seen while its request is still on the way.
 */
#ifndef JZ_NET_STREAM_H
#define JZ_NET_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "net/deadline.h"

struct jz__tls;

struct jz__stream {
    int fd;               /* -1: not open */
    struct jz__tls *tls;  /* NULL: none */
    struct jz__buf plain; /* received: the reader empties it */
    bool is_ended;        /* nothing more will be received */
    bool is_in_order;     /* and that as it has to be: under TLS it was said */
    int cause;            /* else an errno, or 0 */
    const int *cancel_fd; /* NULL, or ends a step once it can be read from */

    /* private */
    struct jz__buf wire; /* to be sent */
    size_t wire_sent;
    bool is_deaf; /* the peer takes no more */
};

#define JZ__STREAM_INIT                                                        \
    {                                                                          \
        .fd = -1                                                               \
    }

/* The descriptor, which does not block, is taken over. */
void jz__stream_open(struct jz__stream *stream, int fd);

/* The end is told to a TLS peer, if that needs no waiting. */
void jz__stream_close(struct jz__stream *stream);
bool jz__stream_is_open(const struct jz__stream *stream);

/*
 * Speak TLS from now on; tls is taken over. 0; JZ__STREAM_LATE; JZ_EIO with the
 * reason as a phrase: the certificate, or "HOST port N does not speak TLS: …";
 * JZ_ENOMEM.
 */
#define JZ__STREAM_LATE 1
int jz__stream_shake(struct jz__stream *stream, struct jz__tls *tls,
                     const char *place, const struct jz__deadline *deadline,
                     struct jz__error *error);

/* Queue bytes to be sent. A peer that takes no more is no error here. */
int jz__stream_put(struct jz__stream *stream, struct jz__str bytes,
                   struct jz__error *error);

/* Is all sent, or all that ever can be? */
bool jz__stream_is_flushed(const struct jz__stream *stream);

/*
 * Wait for something to receive or, with bytes queued, for room to send; then do
 * both as far as it goes. 0: look at the stream; JZ__STREAM_LATE; JZ_EIO: TLS
 * failed, or it was cancelled; JZ_ENOMEM.
 */
int jz__stream_step(struct jz__stream *stream,
                    const struct jz__deadline *deadline,
                    struct jz__error *error);

/* May another request be sent on a connection that was left alone? Not if the
 * peer has ended it or said something meanwhile. */
bool jz__stream_is_quiet(struct jz__stream *stream);

#endif
