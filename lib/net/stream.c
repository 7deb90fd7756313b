/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets do not block here, and every wait is for both directions: a server
 * that refuses an upload answers and closes while the client still sends, and
 * the answer has to be read then, before the reset that follows takes it away.
 * So a failure to send only means that nothing more is sent; what was received
 * is read to its end.
 */
#include "net/stream.h"

#include <assert.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/tls.h"

/* A record of TLS, and a good deal of a plain answer. */
#define PIECE_SIZE 16384

/* macOS has no such flag; there the socket itself is told. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

void jz__stream_open(struct jz__stream *stream, int fd)
{
    assert(fd >= 0 && stream->fd < 0);

    *stream = (struct jz__stream){ .fd = fd };
}

bool jz__stream_is_open(const struct jz__stream *stream)
{
    return stream->fd >= 0;
}

bool jz__stream_is_flushed(const struct jz__stream *stream)
{
    return stream->wire_sent == stream->wire.length;
}

static void drop_wire(struct jz__stream *stream)
{
    jz__buf_clear(&stream->wire);
    stream->wire_sent = 0;
}

/* As much as the peer takes now. */
static void transmit(struct jz__stream *stream)
{
    while (!jz__stream_is_flushed(stream)) {
        ssize_t count =
            send(stream->fd, stream->wire.data + stream->wire_sent,
                 stream->wire.length - stream->wire_sent, MSG_NOSIGNAL);

        if (count >= 0) {
            stream->wire_sent += (size_t)count;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR) {
            stream->is_deaf = true;
            break;
        }
    }
    drop_wire(stream);
}

void jz__stream_close(struct jz__stream *stream)
{
    if (stream->fd >= 0) {
        if (stream->tls != NULL &&
            jz__tls_end(stream->tls, &stream->wire, NULL) == 0) {
            transmit(stream);
        }
        (void)close(stream->fd);
    }
    jz__tls_free(stream->tls);
    jz__buf_finish(&stream->plain);
    jz__buf_finish(&stream->wire);
    *stream = (struct jz__stream)JZ__STREAM_INIT;
}

/* Bytes of the network; none begin a handshake. */
static int take_bytes(struct jz__stream *stream, struct jz__str bytes,
                      struct jz__error *error)
{
    int r;

    if (stream->tls == NULL) {
        jz__buf_append(&stream->plain, bytes.data, bytes.length);
        return stream->plain.error == 0 ? 0 : jz__fail_memory(error);
    }
    r = jz__tls_read(stream->tls, bytes, &stream->plain, &stream->wire, error);
    if (r == 1) {
        stream->is_ended = true;
        stream->is_in_order = true;
        return 0;
    }
    if (r < 0) {
        /* Tell the peer why, if it takes it at once. */
        transmit(stream);
        r = r == JZ_ENOMEM ? r : JZ_EIO;
        if (error != NULL) {
            error->code = r;
        }
    }
    return r;
}

static int receive(struct jz__stream *stream, struct jz__error *error)
{
    char piece[PIECE_SIZE];
    ssize_t count;

    do {
        count = recv(stream->fd, piece, sizeof(piece), 0);
    } while (count < 0 && errno == EINTR);
    if (count > 0) {
        return take_bytes(stream, (struct jz__str){ piece, (size_t)count },
                          error);
    }
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return 0;
    }
    stream->is_ended = true;
    stream->is_in_order = count == 0 && stream->tls == NULL;
    stream->cause = count < 0 ? errno : 0;
    return 0;
}

int jz__stream_put(struct jz__stream *stream, struct jz__str bytes,
                   struct jz__error *error)
{
    if (stream->is_deaf || stream->is_ended) {
        return 0;
    }
    if (stream->tls != NULL) {
        int r = jz__tls_write(stream->tls, bytes, &stream->wire, error);

        if (r != 0) {
            return r == JZ_ENOMEM
                       ? r
                       : jz__fail(error, JZ_EIO, "the connection is broken");
        }
    } else {
        jz__buf_append(&stream->wire, bytes.data, bytes.length);
    }
    return stream->wire.error == 0 ? 0 : jz__fail_memory(error);
}

int jz__stream_step(struct jz__stream *stream,
                    const struct jz__deadline *deadline,
                    struct jz__error *error)
{
    struct pollfd polls[] = {
        { .fd = stream->fd, .events = POLLIN },
        { .fd = stream->cancel_fd != NULL ? *stream->cancel_fd : -1,
          .events = POLLIN },
    };
    struct pollfd *one = &polls[0];

    assert(stream->fd >= 0 && !stream->is_ended);

    if (jz__deadline_left_ms(deadline) == 0) {
        return JZ__STREAM_LATE;
    }
    if (!jz__stream_is_flushed(stream)) {
        one->events |= POLLOUT;
    }
    if (jz__deadline_poll(polls, 2, deadline, 0) == 0) {
        return 0;
    }
    if (polls[1].revents != 0) {
        return jz__fail(error, JZ_EIO, "the request was cancelled");
    }
    if ((one->revents & POLLOUT) != 0) {
        transmit(stream);
    }
    if ((one->revents & ~POLLOUT) != 0) {
        return receive(stream, error);
    }
    return 0;
}

int jz__stream_shake(struct jz__stream *stream, struct jz__tls *tls,
                     const char *place, const struct jz__deadline *deadline,
                     struct jz__error *error)
{
    int r;

    assert(stream->tls == NULL && tls != NULL);

    stream->tls = tls;
    r = take_bytes(stream, JZ__STR(""), error);
    while (r == 0 && !jz__tls_is_ready(tls)) {
        if (stream->is_ended) {
            return jz__fail(error, JZ_EIO,
                            "%s closed the connection instead of speaking TLS",
                            place);
        }
        r = jz__stream_step(stream, deadline, error);
    }
    return r;
}

bool jz__stream_is_quiet(struct jz__stream *stream)
{
    struct pollfd one = { .fd = stream->fd, .events = POLLIN };

    if (stream->is_ended || stream->is_deaf || stream->plain.length > 0 ||
        !jz__stream_is_flushed(stream)) {
        return false;
    }
    if (poll(&one, 1, 0) <= 0) {
        return true;
    }
    /* A TLS server may have sent tickets, which are no plain text. */
    return stream->tls != NULL && receive(stream, NULL) == 0 &&
           !stream->is_ended && stream->plain.length == 0;
}
