/* SPDX-License-Identifier: Apache-2.0 */
/* stdout, shared by threads: whole lines, one after the other. */
#ifndef JEZERO_CLIENT_BRIDGE_OUT_H
#define JEZERO_CLIENT_BRIDGE_OUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct bridge_out {
    int fd;
    pthread_mutex_t lock;
    atomic_bool is_closed;  /* nobody reads any more */
    atomic_bool is_writing; /* a line is on its way */
    atomic_size_t written;  /* bytes that were taken so far */
};

void bridge_out_init(struct bridge_out *out, int fd);
void bridge_out_finish(struct bridge_out *out);

/* Write lines, however slowly they are read. What comes after the reader has
 * gone is dropped. */
void bridge_out_write(struct bridge_out *out, const char *lines, size_t length);

#endif
