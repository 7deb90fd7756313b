/* SPDX-License-Identifier: Apache-2.0 */
/* Sends what is queued. */
#ifndef JEZERO_CLIENT_FLUSH_H
#define JEZERO_CLIENT_FLUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "home.h"

struct flush_counts {
    int64_t sent;
    int64_t unchanged; /* the server has it, or rejected it, as it is */
    int64_t gone;      /* there is no such transcript any more */
    int64_t failed;    /* stays in the queue */
    int64_t rejected;  /* the server will never take it as it is */
};

/* Told before each upload how many of how many pointers are done. */
typedef void (*flush_progress_fn)(void *userdata, int64_t done, int64_t total);

struct flush_options {
    flush_progress_fn progress; /* or NULL */
    void *userdata;
};

/*
 * Send the queue of a home that is set up, until it is empty or the server does
 * not go along; why it stopped is in *why, which is empty otherwise. 0;
 * FLUSH_BUSY: another process is at it, and sends what is here as well. JZ_EIO,
 * JZ_ENOMEM: the queue could not be worked on.
 */
#define FLUSH_BUSY 1
int flush_run(struct flush_counts *out, struct jz__buf *why,
              const struct home *home, const struct flush_options *options,
              struct jz__error *error);

#endif
