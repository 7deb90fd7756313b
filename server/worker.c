/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot is a thread with a library handle of its own. Calls wait in one queue;
 * a thread that is awake takes one after the other and puts each, finished, in
 * a list that the loop's thread empties. Both lists and the states of the slots
 * are guarded by one mutex, which is held for a few instructions.
 *
 * Waking a thread costs more than most calls do, so it is done rarely: the loop
 * is woken for the first finished call of a batch alone, and of the slots (the
 * one used last goes first, its caches are warm) one more is woken only if
 * those that are awake would not come to the call soon. How soon is estimated
 * from how long calls took of late; a call that takes much longer than those is
 * caught by a timer, which wakes another slot for what waits behind it.
 *
 * A handle is opened by its thread before its first call and closed by it at
 * the end; `lib` is never written while worker_call_cancel() could read it.
 */
#include "worker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker_private.h"

#define SLOTS_MOST 64

/* A handle that could not be opened (descriptors, memory) is tried again when
 * there is work, this long after at the earliest. */
#define REOPEN_NS (10 * UINT64_C(1000000000))

/* A call that would wait longer than this for a thread is worth waking one. */
#define PATIENCE_NS 200000

/* The look at calls that wait behind one that takes long. */
#define LOOK_MS 1

/* The answer is freed with the call unless somebody took it. */
static void call_free(struct worker_call *call)
{
    jz__buf_finish(&call->request.headers);
    jz__buf_finish(&call->request.body);
    jz__buf_finish(&call->request.scope);
    jz_free(call->answer.text);
    free(call);
}

/* A slot that is asleep, now awake; NULL: there is none. Mutex held. */
static struct slot *pop_idle(struct worker_pool *pool)
{
    struct slot *slot = pool->idle;

    if (slot != NULL) {
        pool->idle = slot->next_idle;
        slot->state = SLOT_AWAKE;
        pool->awake++;
    }
    return slot;
}

/* A slot that has no handle yet and is now to open one. At most one at a time,
 * and only when calls wait: a library that is asked by one client never costs
 * more than one handle. Mutex held. */
static struct slot *pick_closed(struct worker_pool *pool)
{
    struct slot *found = NULL;

    for (int i = 0; i < pool->options.handles; i++) {
        struct slot *slot = &pool->slots[i];

        if (slot->state == SLOT_OPENING) {
            return NULL;
        }
        if (found == NULL && slot->state == SLOT_CLOSED &&
            (slot->failed_at == 0 ||
             uv_hrtime() - slot->failed_at >= REOPEN_NS)) {
            found = slot;
        }
    }
    if (found != NULL) {
        found->state = SLOT_OPENING;
    }
    return found;
}

/* Wake it, or make its thread. Without the mutex, which it takes at once. */
static void wake_slot(struct slot *slot)
{
    if (slot->has_thread) {
        uv_sem_post(&slot->wake);
        return;
    }
    slot->has_thread =
        uv_thread_create(&slot->thread, worker_slot_run, slot) == 0;
    if (!slot->has_thread) {
        uv_mutex_lock(&slot->pool->mutex);
        slot->state = SLOT_CLOSED;
        slot->failed_at = uv_hrtime();
        uv_mutex_unlock(&slot->pool->mutex);
    }
}

/* Would those that are awake come to the last call of the queue too late? Mutex
 * held. */
static bool is_late(const struct worker_pool *pool)
{
    size_t calls = pool->queued + pool->running;

    /* One that is awake and runs nothing is about to take a call. */
    if (calls <= pool->awake) {
        return false;
    }
    return pool->awake == 0 ||
           (calls - pool->awake) * pool->mean_ns / pool->awake > PATIENCE_NS;
}

static void on_look(uv_timer_t *timer);

/* Wake one more slot if calls wait for too long, as `must` says or as it is
 * estimated. Mutex held; it is given back. */
static void wake_and_unlock(struct worker_pool *pool, bool must)
{
    bool is_waiting = pool->first != NULL;
    struct slot *slot = NULL;

    if (is_waiting && (must || is_late(pool))) {
        slot = pop_idle(pool);
        slot = slot != NULL ? slot : pick_closed(pool);
    }
    uv_mutex_unlock(&pool->mutex);
    if (slot != NULL) {
        wake_slot(slot);
    }
    if (is_waiting && !uv_is_active((uv_handle_t *)&pool->look)) {
        (void)uv_timer_start(&pool->look, on_look, LOOK_MS, 0);
    }
}

/* Calls wait and since the last look none was taken: all that are awake are in
 * calls that take long. */
static void on_look(uv_timer_t *timer)
{
    struct worker_pool *pool = timer->data;
    bool is_stuck;

    uv_mutex_lock(&pool->mutex);
    is_stuck =
        pool->running == pool->awake && pool->taken == pool->taken_at_look;
    pool->taken_at_look = pool->taken;
    wake_and_unlock(pool, is_stuck);
}

/* What the calls came to, in one go. */
static void on_finished(uv_poll_t *handle, int status, int events)
{
    struct worker_pool *pool = handle->data;
    struct worker_call *call;
    struct worker_call *next;
    char byte;

    (void)status;
    (void)events;
    if (read(pool->tell[0], &byte, 1) != 1) {
        return;
    }
    uv_mutex_lock(&pool->mutex);
    call = pool->finished;
    pool->finished = NULL;
    pool->finished_last = &pool->finished;
    uv_mutex_unlock(&pool->mutex);
    for (; call != NULL; call = next) {
        next = call->next;
        if (--pool->call_count == 0) {
            uv_unref((uv_handle_t *)handle);
        }
        if (call->fn != NULL) {
            struct worker_answer answer = call->answer;

            call->answer.text = NULL;
            call->fn(call->userdata, &answer);
        }
        call_free(call);
    }
}

static int start_slots(struct worker_pool *pool, struct jz__error *error)
{
    struct slot *first = &pool->slots[0];
    int r;

    for (int i = 0; i < pool->options.handles; i++) {
        if (uv_sem_init(&pool->slots[i].wake, 0) < 0) {
            return jz__fail_memory(error);
        }
        pool->slots[i].pool = pool;
    }
    r = worker_slot_open(first, error);
    if (r < 0) {
        return r;
    }
    first->state = SLOT_AWAKE;
    pool->awake = 1;
    if (uv_thread_create(&first->thread, worker_slot_run, first) < 0) {
        jz_library_close(first->lib);
        return jz__fail(error, JZ_EINTERNAL, "cannot start a thread");
    }
    first->has_thread = true;
    return 0;
}

/* The threads end, each with the call it may run, and close their handles. */
static void stop_slots(struct worker_pool *pool)
{
    /* In any state: one that sleeps, opens its handle or never began. */
    uv_mutex_lock(&pool->mutex);
    pool->is_ending = true;
    uv_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->options.handles; i++) {
        struct slot *slot = &pool->slots[i];

        if (slot->has_thread) {
            uv_sem_post(&slot->wake);
            (void)uv_thread_join(&slot->thread);
        }
        if (slot->pool != NULL) {
            uv_sem_destroy(&slot->wake);
        }
    }
}

static void pool_free(struct worker_pool *pool)
{
    stop_slots(pool);
    uv_mutex_destroy(&pool->mutex);
    (void)close(pool->tell[0]);
    (void)close(pool->tell[1]);
    free(pool->slots);
    free(pool);
}

/* All but threads and handles. */
static int pool_new(struct worker_pool **out, uv_loop_t *loop,
                    const struct worker_options *options,
                    struct jz__error *error)
{
    struct worker_pool *pool = calloc(1, sizeof(*pool));
    int r = 0;

    if (pool == NULL) {
        return jz__fail_memory(error);
    }
    pool->loop = loop;
    pool->options = *options;
    if (pool->options.handles > SLOTS_MOST) {
        pool->options.handles = SLOTS_MOST;
    }
    pool->last = &pool->first;
    pool->finished_last = &pool->finished;
    pool->slots = calloc((size_t)pool->options.handles, sizeof(*pool->slots));
    if (pool->slots == NULL || uv_mutex_init(&pool->mutex) < 0) {
        r = jz__fail_memory(error);
    } else if (pipe2(pool->tell, O_CLOEXEC | O_NONBLOCK) < 0) {
        r = jz__fail(error, JZ_EIO, "cannot make a pipe: %s", strerror(errno));
        uv_mutex_destroy(&pool->mutex);
    }
    if (r < 0) {
        free(pool->slots);
        free(pool);
        return r;
    }
    *out = pool;
    return 0;
}

/* None of both keeps the loop alive by itself. */
static int watch_finished(struct worker_pool *pool)
{
    int r = uv_poll_init(pool->loop, &pool->told, pool->tell[0]);

    if (r < 0) {
        return r;
    }
    (void)uv_timer_init(pool->loop, &pool->look);
    pool->told.data = pool;
    pool->look.data = pool;
    (void)uv_poll_start(&pool->told, UV_READABLE, on_finished);
    uv_unref((uv_handle_t *)&pool->told);
    uv_unref((uv_handle_t *)&pool->look);
    return 0;
}

int worker_pool_open(struct worker_pool **out, uv_loop_t *loop,
                     const struct worker_options *options,
                     struct jz__error *error)
{
    struct worker_pool *pool = NULL;
    int r;

    assert(out != NULL && options->handles > 0);

    *out = NULL;
    r = pool_new(&pool, loop, options, error);
    if (r < 0) {
        return r;
    }
    r = start_slots(pool, error);
    /* Last, because what the loop knows it has to close itself. */
    if (r == 0 && watch_finished(pool) < 0) {
        r = jz__fail(error, JZ_EINTERNAL, "cannot watch the library's threads");
    }
    if (r < 0) {
        pool_free(pool);
        return r;
    }
    *out = pool;
    return 0;
}

void worker_pool_close(struct worker_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    assert(pool->call_count == 0);
    uv_close((uv_handle_t *)&pool->told, NULL);
    uv_close((uv_handle_t *)&pool->look, NULL);
    (void)uv_run(pool->loop, UV_RUN_DEFAULT);
    pool_free(pool);
}

struct worker_call *worker_call_start(struct worker_pool *pool,
                                      struct worker_request *request,
                                      worker_done_fn fn, void *userdata)
{
    struct worker_call *call;

    assert(fn != NULL);

    /* A scope that could not be written would be an empty one, and that reads
     * everything. */
    if (request->headers.error != 0 || request->body.error != 0 ||
        request->scope.error != 0) {
        return NULL;
    }
    assert(request->headers.data != NULL);
    call = calloc(1, sizeof(*call));
    if (call == NULL) {
        return NULL;
    }
    call->pool = pool;
    call->request = *request;
    *request =
        (struct worker_request){ JZ__BUF_INIT, JZ__BUF_INIT, JZ__BUF_INIT };
    call->fn = fn;
    call->userdata = userdata;
    if (pool->call_count++ == 0) {
        uv_ref((uv_handle_t *)&pool->told);
    }
    uv_mutex_lock(&pool->mutex);
    *pool->last = call;
    pool->last = &call->next;
    pool->queued++;
    wake_and_unlock(pool, false);
    return call;
}

/* The queue is short (a few calls a connection at most), so it is searched.
 * Mutex held. */
static void leave_queue(struct worker_call *call)
{
    struct worker_pool *pool = call->pool;
    struct worker_call **at = &pool->first;

    while (*at != call) {
        assert(*at != NULL);
        at = &(*at)->next;
    }
    *at = call->next;
    if (pool->last == &call->next) {
        pool->last = at;
    }
    pool->queued--;
}

void worker_call_cancel(struct worker_call *call)
{
    struct worker_pool *pool = call->pool;
    bool was_queued;

    call->fn = NULL;
    uv_mutex_lock(&pool->mutex);
    was_queued = call->state == CALL_QUEUED;
    if (was_queued) {
        leave_queue(call);
    } else if (call->state == CALL_RUNNING) {
        /* Under the mutex, so that it is this call and no later one. It comes
         * back through the list of finished, as always. */
        jz_library_interrupt(call->slot->lib);
    }
    uv_mutex_unlock(&pool->mutex);
    if (was_queued) {
        call_free(call);
        if (--pool->call_count == 0) {
            uv_unref((uv_handle_t *)&pool->told);
        }
    }
}
