/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes out: write(2), no streams, no locale. A reader may be slow: whoever
 * answers then waits here, and in the end stdin is no longer read either. What
 * was written is counted, so that the end can tell a slow reader from one that
 * does not read.
 */
#include "bridge_out.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

void bridge_out_init(struct bridge_out *out, int fd)
{
    out->fd = fd;
    (void)pthread_mutex_init(&out->lock, NULL);
    atomic_init(&out->is_closed, false);
    atomic_init(&out->is_writing, false);
    atomic_init(&out->written, 0);
}

void bridge_out_finish(struct bridge_out *out)
{
    (void)pthread_mutex_destroy(&out->lock);
}

static void write_all(struct bridge_out *out, const char *data, size_t length)
{
    while (length > 0 && !atomic_load(&out->is_closed)) {
        ssize_t count = write(out->fd, data, length);

        if (count >= 0) {
            data += count;
            length -= (size_t)count;
            atomic_fetch_add(&out->written, (size_t)count);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            /* Whoever started us may have made the descriptor so. */
            struct pollfd wanted = { .fd = out->fd, .events = POLLOUT };

            (void)poll(&wanted, 1, -1);
        } else if (errno != EINTR) {
            atomic_store(&out->is_closed, true);
        }
    }
}

void bridge_out_write(struct bridge_out *out, const char *lines, size_t length)
{
    (void)pthread_mutex_lock(&out->lock);
    atomic_store(&out->is_writing, true);
    write_all(out, lines, length);
    atomic_store(&out->is_writing, false);
    (void)pthread_mutex_unlock(&out->lock);
}
