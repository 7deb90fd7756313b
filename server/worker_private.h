/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool from the inside: for worker.c, the loop's side, and worker_slot.c,
 * the threads' side.
 */
#ifndef JEZERO_SERVER_WORKER_PRIVATE_H
#define JEZERO_SERVER_WORKER_PRIVATE_H

#include <stdbool.h>

#include "worker.h"

enum call_state {
    CALL_QUEUED,
    CALL_RUNNING,
    CALL_FINISHED
};

struct worker_call {
    struct worker_pool *pool;
    struct worker_call *next; /* in the queue, or in the list of finished */
    enum call_state state;
    struct slot *slot; /* that runs it */
    struct worker_request request;
    worker_done_fn fn; /* NULL: cancelled; only the loop's thread looks */
    void *userdata;
    struct worker_answer answer;
};

enum slot_state {
    SLOT_CLOSED, /* no handle; asleep, if it has a thread */
    SLOT_OPENING,
    SLOT_IDLE, /* asleep */
    SLOT_AWAKE
};

/* A thread and the handle that it alone uses. */
struct slot {
    struct worker_pool *pool;
    enum slot_state state;
    jz_library *lib;
    struct slot *next_idle;
    uv_sem_t wake; /* the state was changed, or the pool ends */
    uv_thread_t thread;
    bool has_thread;
    uint64_t failed_at; /* when it could not be opened, 0: it could */
};

/* Options, loop and pipe are set before the first thread begins. */
struct worker_pool {
    uv_loop_t *loop;
    struct worker_options options;
    struct slot *slots;
    uv_poll_t told; /* counts for the loop while calls run */
    int tell[2];    /* a pipe: a byte in it for each batch of finished calls */
    uv_timer_t look;
    size_t call_count; /* started and not told; the loop's thread alone */

    uv_mutex_t mutex; /* guards what follows, and the slots */
    bool is_ending;
    struct worker_call *first;
    struct worker_call **last; /* where the next one is hung in */
    size_t queued;
    size_t running;
    uint64_t taken;         /* calls that slots have taken so far, */
    uint64_t taken_at_look; /* and until the timer looked: none since? */
    struct slot *idle;
    size_t awake;
    struct worker_call *finished;
    struct worker_call **finished_last;
    uint64_t mean_ns; /* of the last calls */
};

/* Open the slot's handle: 0, or what the library says. */
int worker_slot_open(struct slot *slot, struct jz__error *error);

/* The body of a slot's thread, which gets the slot. It ends with the pool and
 * closes the handle. */
void worker_slot_run(void *slot);

#endif
