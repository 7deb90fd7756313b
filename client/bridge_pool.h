/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that wait for a thread, and the threads. Each message is run once, by
 * one thread, in the order they came as far as there are threads; but behind an
 * initialize, and the notification that follows it, all others wait until it has
 * been run, except cancellations, which never wait.
 */
#ifndef JEZERO_CLIENT_BRIDGE_POOL_H
#define JEZERO_CLIENT_BRIDGE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "bridge_message.h"

/* Requests under way at once. One more thread is for what is not answered, so
 * that a cancellation passes by requests that hang. */
#define BRIDGE_POOL_REQUESTS 16
#define BRIDGE_POOL_THREADS (BRIDGE_POOL_REQUESTS + 1)

/* Messages, and their bytes, with those under way. The pool counts as full when
 * it has as many; what was read already may still be added. */
#define BRIDGE_POOL_MOST 1024
#define BRIDGE_POOL_BYTES_MOST ((size_t)32 * 1024 * 1024)

struct bridge_job {
    struct bridge_message message;
    atomic_bool is_cancelled; /* nobody waits for the answer any more */
    const int *cancel_fd;     /* can be read from when that is so */
    struct bridge_job *next;
};

/* What runs messages. Each thread opens one of its own. */
struct bridge_pool_functions {
    void *(*open)(void *userdata); /* NULL: out of memory */
    void (*run)(void *runner, struct bridge_job *job);
    void (*close)(void *runner);
};

struct bridge_pool_thread {
    struct bridge_pool *pool;
    pthread_t id;
    void *own;              /* what open() gave */
    int cancel[2];          /* a pipe, told of a job that is cancelled */
    struct bridge_job *job; /* under way */
};

struct bridge_pool {
    const struct bridge_pool_functions *functions;
    void *userdata;       /* theirs */
    int wake_fd;          /* gets a byte when a job has ended; non-blocking */
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work;
    struct bridge_job *first;
    struct bridge_job **last;
    size_t queued;
    size_t bytes;    /* of queued messages and of those under way */
    size_t idle;     /* threads that wait for work */
    size_t starting; /* threads that have not looked for any yet */
    size_t requests; /* under way */
    size_t running;  /* jobs under way */
    size_t thread_count;
    bool has_barrier; /* under way */
    bool is_watched;
    bool is_ending;
    struct bridge_pool_thread threads[BRIDGE_POOL_THREADS];
};

void bridge_pool_init(struct bridge_pool *pool,
                      const struct bridge_pool_functions *functions,
                      void *userdata, int wake_fd);

/*
 * Run the message, which is taken over. JZ_ENOMEM: there is neither memory nor a
 * thread for it, and it is still the caller's.
 */
int bridge_pool_add_take(struct bridge_pool *pool,
                         struct bridge_message *message);

/* Write to wake_fd whenever a job has ended, from now on or no longer. */
void bridge_pool_watch(struct bridge_pool *pool, bool is_watched);

bool bridge_pool_is_full(struct bridge_pool *pool);
bool bridge_pool_is_idle(struct bridge_pool *pool);

/*
 * The client does not want this answer any more. true: it is that of a modern
 * request that waits, which is forgotten, or that is under way, which is told.
 * false: there is none; of older ones the server has to be told.
 */
bool bridge_pool_cancel(struct bridge_pool *pool, struct jz__str id);

/* End the threads and free everything. The pool is idle. */
void bridge_pool_finish(struct bridge_pool *pool);

#endif
