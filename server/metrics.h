/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server counts, and how it is told to Prometheus (text format 0.0.4).
 * Counters are written by the loop's thread alone; those of the background job
 * come through metrics_set_job(), which any thread may call.
 */
#ifndef JEZERO_SERVER_METRICS_H
#define JEZERO_SERVER_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "route.h"

struct metrics;

struct metrics *metrics_new(void); /* NULL: out of memory */
void metrics_free(struct metrics *metrics);

/* One request was answered with this status after so long. */
void metrics_count_request(struct metrics *metrics, enum route_kind route,
                           int status, uint64_t duration_ns);

/* One upload was taken: bytes on disk. */
void metrics_count_upload(struct metrics *metrics, uint64_t bytes);

/* What the background job has found and done, in all since the start. */
struct metrics_job {
    int64_t queue;  /* uploads that wait to be taken in */
    int64_t stored; /* documents */
    int64_t failed;
    int64_t items;       /* in the library now; negative: not known */
    int64_t finished_at; /* the last pass, seconds since 1970; 0: none yet */
};
void metrics_set_job(struct metrics *metrics, const struct metrics_job *job);

/* The state at this moment. */
struct metrics_now {
    size_t connections;
    size_t clients; /* whose key can be used */
    size_t calls;   /* of the library, running or waiting */
    int is_healthy;
};

/* Append everything as text. */
void metrics_put(struct jz__buf *out, struct metrics *metrics,
                 const struct metrics_now *now);

#endif
