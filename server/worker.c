/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot is one library handle. The loop's thread keeps a list of idle slots
 * (the one used last goes first, its caches are warm) and a queue of calls, and
 * brings the two together; libuv's threads only run what is in a slot. So all
 * lists belong to one thread and need no lock, and a handle is touched by the
 * thread that works with it alone, jz_library_interrupt() aside.
 *
 * A slot's handle is opened by a work item of its own and not within a call:
 * `lib` is then never written while worker_call_cancel() could read it.
 */
#include "worker.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

#define SLOTS_MOST 64

/* A handle that could not be opened (descriptors, memory) is tried again when
 * there is work, this many milliseconds later at the earliest. */
#define REOPEN_MS 10000

struct worker_call {
    struct worker_pool *pool;
    struct worker_call *next; /* in the queue */
    struct slot *slot;        /* that runs it, or NULL while it is queued */
    struct jz__buf headers;
    struct jz__buf body;
    worker_done_fn fn; /* NULL: cancelled */
    void *userdata;
    struct worker_answer answer;
};

enum slot_state {
    SLOT_CLOSED,
    SLOT_OPENING,
    SLOT_IDLE,
    SLOT_BUSY
};

struct slot {
    struct worker_pool *pool;
    enum slot_state state;
    jz_library *lib;
    uv_work_t work;
    struct worker_call *call;
    struct slot *next_idle;
    int open_result;
    uint64_t closed_at; /* loop time of the last failure to open, 0: none */
};

struct worker_pool {
    uv_loop_t *loop;
    struct worker_options options;
    struct slot *slots;
    struct slot *idle;
    struct worker_call *first;
    struct worker_call **last; /* where the next one is hung in */
};

/* The answer is freed with the call unless somebody took it. */
static void call_free(struct worker_call *call)
{
    jz__buf_finish(&call->headers);
    jz__buf_finish(&call->body);
    jz_free(call->answer.text);
    free(call);
}

/* --- on a thread of libuv's --- */

static int open_library(struct slot *slot, const struct worker_options *options,
                        struct jz__error *error)
{
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

/* The others go on without this one: no call fails for it. */
static void work_open(uv_work_t *work)
{
    struct slot *slot = work->data;
    struct jz__error error;

    slot->open_result = open_library(slot, &slot->pool->options, &error);
    if (slot->open_result < 0) {
        jz__log_write(slot->pool->options.log, JZ_LOG_WARNING,
                      "cannot open the library once more: %s", error.message);
    }
}

static void work_call(uv_work_t *work)
{
    struct slot *slot = work->data;
    struct worker_call *call = slot->call;
    struct worker_answer *answer = &call->answer;

    /* An empty body has no data at all, and is a message like any other: a
     * wrong one. */
    answer->result = jz_mcp_dispatch(
        &answer->text, &answer->status, slot->lib, NULL, call->headers.data,
        call->body.data != NULL ? call->body.data : "", call->body.length);
    if (answer->result < 0) {
        answer->status = 500;
        /* The code's name and not the message, which may quote an item. */
        jz__log_write(slot->pool->options.log, JZ_LOG_ERROR,
                      "a call of the library failed: %s",
                      jz_strerror(answer->result));
    }
}

/* --- on the loop's thread --- */

static void pool_run(struct worker_pool *pool);

static void push_idle(struct worker_pool *pool, struct slot *slot)
{
    slot->state = SLOT_IDLE;
    slot->next_idle = pool->idle;
    pool->idle = slot;
}

static void after_open(uv_work_t *work, int status)
{
    struct slot *slot = work->data;

    (void)status;
    if (slot->open_result < 0) {
        slot->state = SLOT_CLOSED;
        slot->closed_at = uv_now(slot->pool->loop);
        return;
    }
    push_idle(slot->pool, slot);
    pool_run(slot->pool);
}

static void after_call(uv_work_t *work, int status)
{
    struct slot *slot = work->data;
    struct worker_call *call = slot->call;

    (void)status;
    slot->call = NULL;
    push_idle(slot->pool, slot);
    /* The next call first: its thread can start while this answer is sent. */
    pool_run(slot->pool);
    if (call->fn != NULL) {
        struct worker_answer answer = call->answer;

        call->answer.text = NULL;
        call->fn(call->userdata, &answer);
    }
    call_free(call);
}

static void slot_start(struct slot *slot, uv_work_cb work,
                       uv_after_work_cb done)
{
    int r;

    slot->work.data = slot;
    r = uv_queue_work(slot->pool->loop, &slot->work, work, done);
    /* It fails only without a callback. */
    assert(r == 0);
    (void)r;
}

/* At most one at a time, and only when calls wait: a library that is asked by
 * one client never costs more than one handle. */
static void open_another(struct worker_pool *pool)
{
    for (int i = 0; i < pool->options.handles; i++) {
        struct slot *slot = &pool->slots[i];

        if (slot->state == SLOT_OPENING) {
            return;
        }
        if (slot->state == SLOT_CLOSED &&
            (slot->closed_at == 0 ||
             uv_now(pool->loop) - slot->closed_at >= REOPEN_MS)) {
            slot->state = SLOT_OPENING;
            slot_start(slot, work_open, after_open);
            return;
        }
    }
}

/* Give queued calls to idle slots. */
static void pool_run(struct worker_pool *pool)
{
    while (pool->first != NULL && pool->idle != NULL) {
        struct worker_call *call = pool->first;
        struct slot *slot = pool->idle;

        pool->first = call->next;
        if (pool->first == NULL) {
            pool->last = &pool->first;
        }
        pool->idle = slot->next_idle;
        slot->state = SLOT_BUSY;
        slot->call = call;
        call->slot = slot;
        slot_start(slot, work_call, after_call);
    }
    if (pool->first != NULL) {
        open_another(pool);
    }
}

int worker_pool_open(struct worker_pool **out, uv_loop_t *loop,
                     const struct worker_options *options,
                     struct jz__error *error)
{
    struct worker_pool *pool = calloc(1, sizeof(*pool));
    int r;

    assert(out != NULL && options->handles > 0);

    *out = NULL;
    if (pool == NULL) {
        return jz__fail_memory(error);
    }
    pool->loop = loop;
    pool->options = *options;
    if (pool->options.handles > SLOTS_MOST) {
        pool->options.handles = SLOTS_MOST;
    }
    pool->last = &pool->first;
    pool->slots = calloc((size_t)pool->options.handles, sizeof(*pool->slots));
    if (pool->slots == NULL) {
        free(pool);
        return jz__fail_memory(error);
    }
    for (int i = 0; i < pool->options.handles; i++) {
        pool->slots[i].pool = pool;
    }
    r = open_library(&pool->slots[0], &pool->options, error);
    if (r < 0) {
        worker_pool_close(pool);
        return r;
    }
    push_idle(pool, &pool->slots[0]);
    *out = pool;
    return 0;
}

void worker_pool_close(struct worker_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    assert(pool->first == NULL);
    for (int i = 0; i < pool->options.handles; i++) {
        assert(pool->slots[i].call == NULL);
        jz_library_close(pool->slots[i].lib);
    }
    free(pool->slots);
    free(pool);
}

struct worker_call *worker_call_start(struct worker_pool *pool,
                                      struct jz__buf *headers,
                                      struct jz__buf *body, worker_done_fn fn,
                                      void *userdata)
{
    struct worker_call *call = calloc(1, sizeof(*call));

    assert(fn != NULL && headers->data != NULL);

    if (call == NULL) {
        return NULL;
    }
    call->pool = pool;
    call->headers = *headers;
    call->body = *body;
    *headers = (struct jz__buf)JZ__BUF_INIT;
    *body = (struct jz__buf)JZ__BUF_INIT;
    call->fn = fn;
    call->userdata = userdata;
    *pool->last = call;
    pool->last = &call->next;
    pool_run(pool);
    return call;
}

/* The queue is short (a few calls a connection at most), so it is searched. */
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
}

void worker_call_cancel(struct worker_call *call)
{
    call->fn = NULL;
    if (call->slot == NULL) {
        leave_queue(call);
        call_free(call);
        return;
    }
    /* The slot is given back when the call has returned, as always. A call that
     * had just returned is not harmed: no other runs on this handle before
     * after_call(), which the same thread makes. */
    jz_library_interrupt(call->slot->lib);
}
