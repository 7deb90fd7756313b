/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a slot's thread does: it opens its handle, takes call after call out of
 * the queue, and sleeps when there is none. While it runs a call it holds no
 * lock; between two calls it takes the pool's mutex once, to hand one back and
 * to take the next.
 */
#include "worker_private.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

int worker_slot_open(struct slot *slot, struct jz__error *error)
{
    const struct worker_options *options = &slot->pool->options;
    jz_library *lib = NULL;
    int r = jz_library_open(&lib, options->library_path, options->options_json);

    if (r < 0) {
        r = jz__fail(error, r, "%s", jz_library_errmsg(lib));
        jz_library_close(lib);
        return r;
    }
    jz_library_set_log(lib, options->log->fn, options->log->userdata);
    slot->lib = lib;
    return 0;
}

static void run_call(struct slot *slot, struct worker_call *call)
{
    const struct worker_request *request = &call->request;
    struct worker_answer *answer = &call->answer;

    /* An empty body has no data at all, and is a message like any other: a
     * wrong one. */
    answer->result =
        jz_mcp_dispatch(&answer->text, &answer->status, slot->lib,
                        request->scope.length > 0 ? request->scope.data : NULL,
                        request->headers.data,
                        request->body.data != NULL ? request->body.data : "",
                        request->body.length);
    if (answer->result < 0) {
        answer->status = 500;
    }
}

/* Mutex held: the queue's first call is now this slot's. */
static struct worker_call *take_call(struct slot *slot)
{
    struct worker_pool *pool = slot->pool;
    struct worker_call *call = pool->first;

    if (call == NULL) {
        return NULL;
    }
    pool->first = call->next;
    if (pool->first == NULL) {
        pool->last = &pool->first;
    }
    pool->queued--;
    pool->running++;
    pool->taken++;
    call->next = NULL;
    call->state = CALL_RUNNING;
    call->slot = slot;
    return call;
}

/* Mutex held. Is it the first of a batch, for which the loop is to be woken? */
static bool hand_back(struct worker_call *call, uint64_t spent_ns)
{
    struct worker_pool *pool = call->pool;
    bool is_first = pool->finished == NULL;

    pool->running--;
    call->state = CALL_FINISHED;
    *pool->finished_last = call;
    pool->finished_last = &call->next;
    pool->mean_ns = (pool->mean_ns * 7 + spent_ns) / 8;
    return is_first;
}

/*
 * A pipe and not uv_async_send(): woken threads often take the processor of the
 * one that wakes them, and the loop would then spin until that one has run on.
 * The pipe never fills, because the loop empties list and pipe before the next
 * byte.
 */
static void wake_loop(struct worker_pool *pool)
{
    ssize_t r;

    do {
        r = write(pool->tell[1], "", 1);
    } while (r < 0 && errno == EINTR);
    assert(r == 1);
}

/* Run calls until none waits. */
static void run_calls(struct slot *slot)
{
    struct worker_pool *pool = slot->pool;
    struct worker_call *call;
    uint64_t started;
    uint64_t now;
    bool wakes_loop;

    uv_mutex_lock(&pool->mutex);
    call = take_call(slot);
    uv_mutex_unlock(&pool->mutex);
    now = uv_hrtime();
    while (call != NULL) {
        started = now;
        run_call(slot, call);
        now = uv_hrtime();
        uv_mutex_lock(&pool->mutex);
        wakes_loop = hand_back(call, now - started);
        call = take_call(slot);
        uv_mutex_unlock(&pool->mutex);
        if (wakes_loop) {
            wake_loop(pool);
        }
    }
}

/* The others go on without this one: no call fails for it. Mutex held, but not
 * during the opening. */
static void open_slot(struct slot *slot)
{
    struct worker_pool *pool = slot->pool;
    struct jz__error error;
    int r;

    uv_mutex_unlock(&pool->mutex);
    r = worker_slot_open(slot, &error);
    if (r < 0) {
        jz__log_write(pool->options.log, JZ_LOG_WARNING,
                      "cannot open the library once more: %s", error.message);
    }
    uv_mutex_lock(&pool->mutex);
    slot->failed_at = r < 0 ? uv_hrtime() : 0;
    slot->state = r < 0 ? SLOT_CLOSED : SLOT_AWAKE;
    pool->awake += r == 0;
}

/* Go to sleep if there is nothing to run: is there, or was it woken for
 * something else? Mutex held. */
static bool is_needed(struct slot *slot)
{
    struct worker_pool *pool = slot->pool;

    if (slot->state == SLOT_OPENING) {
        open_slot(slot);
    }
    if (slot->state != SLOT_AWAKE) {
        return false;
    }
    if (pool->first != NULL) {
        return true;
    }
    slot->state = SLOT_IDLE;
    slot->next_idle = pool->idle;
    pool->idle = slot;
    pool->awake--;
    return false;
}

/* Sleep until there is something to run: false, the pool ends. */
static bool wait_for_call(struct slot *slot)
{
    struct worker_pool *pool = slot->pool;
    bool is_ending;

    uv_mutex_lock(&pool->mutex);
    while (!pool->is_ending && !is_needed(slot)) {
        uv_mutex_unlock(&pool->mutex);
        uv_sem_wait(&slot->wake);
        uv_mutex_lock(&pool->mutex);
    }
    is_ending = pool->is_ending;
    uv_mutex_unlock(&pool->mutex);
    return !is_ending;
}

void worker_slot_run(void *argument)
{
    struct slot *slot = argument;

    while (wait_for_call(slot)) {
        run_calls(slot);
    }
    jz_library_close(slot->lib);
}
