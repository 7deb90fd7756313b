/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loop has received and the background job is to take in: a queue
 * between two threads.
 */
#ifndef JEZERO_SERVER_ARRIVALS_H
#define JEZERO_SERVER_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>

#include "serve.h"

/* Paths that are remembered one by one. */
#define ARRIVALS_MOST 4096

struct arrivals;

struct arrivals *arrivals_new(void); /* NULL: out of memory */
void arrivals_free(struct arrivals *arrivals);

/* For the loop: a file has come, wake the job. A path that finds no room is
 * forgotten, and the job told to look at everything. */
void arrivals_put(struct arrivals *arrivals, const char *path);

/* For the job: whom to wake; NULL before the job ends. */
void arrivals_set_stop(struct arrivals *arrivals, struct serve_stop *stop);

/* The oldest path, which is freed by the caller; NULL: there is none. */
char *arrivals_take(struct arrivals *arrivals);

/* Is everything to be looked at? Asking takes the answer. */
bool arrivals_take_overflow(struct arrivals *arrivals);

/* Paths that wait. */
size_t arrivals_count(struct arrivals *arrivals);

#endif
