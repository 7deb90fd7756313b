/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of the background job, and how it is told to end. */
#ifndef JEZERO_SERVER_BACKGROUND_H
#define JEZERO_SERVER_BACKGROUND_H

#include <stdbool.h>
#include <uv.h>

#include "base/log.h"
#include "metrics.h"
#include "serve.h"

/* Told to the job in serve.h. `lock` guards all that follows it. */
struct serve_stop {
    struct metrics *metrics; /* NULL: nobody counts */
    uv_mutex_t lock;
    uv_cond_t changed;
    bool is_asked;
    bool is_woken; /* and has not seen it yet */
    jz_library *lib;
};

/* Made by its owner, zeroed. */
struct background {
    struct serve_stop stop;
    uv_thread_t thread;
    uv_async_t ended; /* keeps the loop alive until the job has ended */
    bool is_started;
    int (*job)(void *userdata, struct serve_stop *stop);
    void *userdata;
    int result;
    const struct jz__log *log;
};

/* Start the thread: 0, or a negative uv error. job NULL: nothing is done. */
int background_start(struct background *background, uv_loop_t *loop,
                     const struct serve_options *options,
                     const struct jz__log *log);

/* Ask it to end, and wake it if it sleeps. */
void background_ask(struct background *background);

/* Interrupt the library call that it is in. */
void background_interrupt(struct background *background);

#endif
