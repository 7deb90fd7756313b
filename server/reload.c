/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop's side of a reload: a timer that lets a thread of the pool look at
 * the file (reload_look.c), and takes over what it found. The disk may hang;
 * the loop does not wait for it, and no second look joins one that does not
 * come back.
 *
 * One thing is under way at any time, a timer or a look, and whichever ends
 * starts the other. The memory goes when neither is left.
 */
#include "reload.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "reload_look.h"

#define LOOK_MS 1000

/* Until the next look at a file that somebody is writing to. */
#define MOVING_MS 100

struct reload {
    uv_timer_t timer;
    uv_work_t work;
    struct reload_look look; /* the thread's while is_looking */
    enum reload_found found;
    bool is_asked; /* of the look that is under way, or the next one */
    bool is_looking;
    bool asked_again; /* while one was under way */
    bool is_stopping;
    bool is_closed; /* the timer */

    size_t count; /* clients in force */
    const struct jz__log *log;
    void (*on_clients)(void *userdata, struct auth_table *clients);
    void *userdata;
};

static void start_look(struct reload *reload);

/* The thread may still be at the file when the loop is done with it. */
static void free_if_done(struct reload *reload)
{
    if (reload->is_closed && !reload->is_looking) {
        reload_look_finish(&reload->look);
        free(reload);
    }
}

/* --- what was found --- */

/* A warning: who changed them waits for what does not come. */
static void tell_others(const struct reload *reload)
{
    const struct jz__buf *others = &reload->look.others;

    if (others->error == 0 && others->length > 0) {
        jz__log_write(reload->log, JZ_LOG_WARNING,
                      "config changed: %s will take effect at the next start",
                      others->data);
    }
}

/* In force first, then told: whoever waits for the line finds it true. */
static void take_clients(struct reload *reload)
{
    struct auth_table *clients = jz__mem_steal(&reload->look.clients);

    reload->count = auth_table_count(clients);
    reload->on_clients(reload->userdata, clients);
    if (reload->count > 0) {
        jz__log_write(reload->log, JZ_LOG_INFO, "config loaded: %zu client%s",
                      reload->count, reload->count == 1 ? "" : "s");
    } else {
        jz__log_write(reload->log, JZ_LOG_WARNING,
                      "config loaded: no client has a key that can be used, "
                      "and every key is refused");
    }
}

/* What a look found becomes what the server does and says. */
static void take(struct reload *reload)
{
    switch (reload->found) {
    case RELOAD_CLIENTS:
        take_clients(reload);
        tell_others(reload);
        break;
    case RELOAD_OTHERS:
        if (reload->look.was_bad) {
            jz__log_write(reload->log, JZ_LOG_INFO,
                          "config can be loaded again; its clients are those "
                          "that were kept");
        }
        tell_others(reload);
        break;
    case RELOAD_BAD:
        /* Two lines: what happened reads alike every time. */
        jz__log_write(reload->log, JZ_LOG_ERROR,
                      "config changed but could not be loaded; keeping the "
                      "previous %zu clients",
                      reload->count);
        jz__log_write(reload->log, JZ_LOG_ERROR, "the reason is: %s",
                      reload->look.error.message);
        break;
    case RELOAD_NOTHING:
    case RELOAD_MOVING:
        break;
    }
}

/* --- timer and look --- */

static void on_time(uv_timer_t *timer)
{
    start_look(timer->data);
}

static void wait_for(struct reload *reload, uint64_t timeout_ms)
{
    (void)uv_timer_start(&reload->timer, on_time, timeout_ms, 0);
}

/* On a thread of the pool; nothing else touches reload->look meanwhile. */
static void look(uv_work_t *work)
{
    struct reload *reload = work->data;
    struct timespec now = { 0 };

    (void)clock_gettime(CLOCK_REALTIME, &now);
    reload->found = reload_look(&reload->look, reload->is_asked,
                                (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

/* On the loop again, also for a look that was cancelled. */
static void after_look(uv_work_t *work, int status)
{
    struct reload *reload = work->data;

    reload->is_looking = false;
    reload->is_asked = false;
    if (reload->is_stopping) {
        free_if_done(reload);
        return;
    }
    if (status == 0) {
        take(reload);
    }
    if (reload->asked_again) {
        reload->asked_again = false;
        reload->is_asked = true;
        start_look(reload);
    } else {
        wait_for(reload, reload->found == RELOAD_MOVING ? MOVING_MS : LOOK_MS);
    }
}

/* When the pool takes no more, there is a next time. */
static void start_look(struct reload *reload)
{
    reload->work.data = reload;
    reload->is_looking = true;
    if (uv_queue_work(reload->timer.loop, &reload->work, look, after_look) <
        0) {
        reload->is_looking = false;
        wait_for(reload, LOOK_MS);
    }
}

/* --- from outside --- */

int reload_start(struct reload **out, uv_loop_t *loop,
                 const struct reload_options *options, size_t count,
                 struct jz__error *error)
{
    struct reload *reload = calloc(1, sizeof(*reload));
    int r;

    assert(out != NULL && options->path != NULL && options->on_clients != NULL);

    *out = NULL;
    if (reload == NULL) {
        return jz__fail_memory(error);
    }
    reload->look = (struct reload_look){ .path = options->path,
                                         .home = options->home,
                                         .log = options->log };
    reload_look_init(&reload->look, options->running);
    reload->count = count;
    reload->log = options->log;
    reload->on_clients = options->on_clients;
    reload->userdata = options->userdata;
    r = uv_timer_init(loop, &reload->timer);
    if (r < 0) {
        free(reload);
        return jz__fail(error, JZ_EINTERNAL, "cannot start a timer: %s",
                        uv_strerror(r));
    }
    reload->timer.data = reload;
    wait_for(reload, LOOK_MS);
    *out = reload;
    return 0;
}

/* A look that is under way may have read the file before it changed. */
void reload_now(struct reload *reload)
{
    if (reload == NULL || reload->is_stopping) {
        return;
    }
    if (reload->is_looking) {
        reload->asked_again = true;
        return;
    }
    (void)uv_timer_stop(&reload->timer);
    reload->is_asked = true;
    start_look(reload);
}

static void on_closed(uv_handle_t *handle)
{
    struct reload *reload = handle->data;

    reload->is_closed = true;
    free_if_done(reload);
}

void reload_stop(struct reload *reload)
{
    if (reload == NULL || reload->is_stopping) {
        return;
    }
    reload->is_stopping = true;
    /* One that did not begin yet comes back at once. */
    if (reload->is_looking) {
        (void)uv_cancel((uv_req_t *)&reload->work);
    }
    uv_close((uv_handle_t *)&reload->timer, on_closed);
}
