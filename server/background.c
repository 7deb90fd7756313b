/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job runs for as long as the server does, so it must not sit on one of
 * libuv's pool threads, which are counted for library calls. Its last act wakes
 * the loop, which then joins the thread; until then the loop stays alive, so
 * the process never ends in the middle of a write.
 */
#include "background.h"

#include <assert.h>

/* --- for the job, on its thread --- */

bool serve_stop_asked(struct serve_stop *stop)
{
    bool is_asked;

    uv_mutex_lock(&stop->lock);
    is_asked = stop->is_asked;
    uv_mutex_unlock(&stop->lock);
    return is_asked;
}

bool serve_stop_wait(struct serve_stop *stop, int timeout_ms)
{
    uint64_t until = uv_hrtime() + (uint64_t)timeout_ms * 1000000;
    uint64_t now;
    bool is_asked;

    assert(timeout_ms >= 0);

    /* A condition may wake without a reason, so the time is looked at again. */
    uv_mutex_lock(&stop->lock);
    while (!stop->is_asked && !stop->is_woken && (now = uv_hrtime()) < until) {
        (void)uv_cond_timedwait(&stop->changed, &stop->lock, until - now);
    }
    stop->is_woken = false;
    is_asked = stop->is_asked;
    uv_mutex_unlock(&stop->lock);
    return is_asked;
}

void serve_stop_wake(struct serve_stop *stop)
{
    uv_mutex_lock(&stop->lock);
    stop->is_woken = true;
    uv_cond_broadcast(&stop->changed);
    uv_mutex_unlock(&stop->lock);
}

void serve_stop_set_library(struct serve_stop *stop, jz_library *lib)
{
    uv_mutex_lock(&stop->lock);
    stop->lib = lib;
    uv_mutex_unlock(&stop->lock);
}

void serve_stop_report(struct serve_stop *stop, const struct metrics_job *job)
{
    if (stop->metrics != NULL) {
        metrics_set_job(stop->metrics, job);
    }
}

/* The thread. Nothing is touched behind the send: the loop may already be
 * joining. */
static void run(void *userdata)
{
    struct background *background = userdata;

    background->result =
        background->job(background->userdata, &background->stop);
    (void)uv_async_send(&background->ended);
}

/* --- for the loop --- */

/* The thread is at its last instruction, so joining takes no time. */
static void on_ended(uv_async_t *async)
{
    struct background *background = async->data;

    (void)uv_thread_join(&background->thread);
    if (background->result != 0) {
        jz__log_write(background->log, JZ_LOG_ERROR,
                      "the background job ended with an error");
    }
    uv_mutex_destroy(&background->stop.lock);
    uv_cond_destroy(&background->stop.changed);
    background->is_started = false;
    uv_close((uv_handle_t *)async, NULL);
}

int background_start(struct background *background, uv_loop_t *loop,
                     const struct serve_options *options,
                     const struct jz__log *log)
{
    int r;

    if (options->background == NULL) {
        return 0;
    }
    background->job = options->background;
    background->userdata = options->userdata;
    background->log = log;
    r = uv_mutex_init(&background->stop.lock);
    if (r < 0) {
        return r;
    }
    r = uv_cond_init(&background->stop.changed);
    if (r < 0) {
        uv_mutex_destroy(&background->stop.lock);
        return r;
    }
    r = uv_async_init(loop, &background->ended, on_ended);
    if (r == 0) {
        background->ended.data = background;
        r = uv_thread_create(&background->thread, run, background);
        if (r < 0) {
            uv_close((uv_handle_t *)&background->ended, NULL);
        }
    }
    if (r < 0) {
        uv_cond_destroy(&background->stop.changed);
        uv_mutex_destroy(&background->stop.lock);
        return r;
    }
    background->is_started = true;
    return 0;
}

void background_ask(struct background *background)
{
    if (background->is_started) {
        uv_mutex_lock(&background->stop.lock);
        background->stop.is_asked = true;
        uv_cond_broadcast(&background->stop.changed);
        uv_mutex_unlock(&background->stop.lock);
    }
}

void background_interrupt(struct background *background)
{
    /* Under the lock, so that the job cannot close the handle meanwhile. */
    if (background->is_started) {
        uv_mutex_lock(&background->stop.lock);
        if (background->stop.lib != NULL) {
            jz_library_interrupt(background->stop.lib);
        }
        uv_mutex_unlock(&background->stop.lock);
    }
}
