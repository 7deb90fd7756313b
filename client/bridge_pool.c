/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads with blocking calls rather than an event loop: there are few of them,
 * they do nothing but wait for the server, and a request can be read from top to
 * bottom. A thread is made when a message finds none idle, so an agent that asks
 * one thing at a time has one thread and one connection.
 *
 * One lock over all. It is held for a few instructions, never while a message is
 * run.
 */
#include "bridge_pool.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jezero.h"

/* A handshake and a look-up of a name take some 100 KB; sanitizers multiply
 * that. Only what is touched takes memory. */
#define STACK_BYTES ((size_t)2 * 1024 * 1024)

/* --- which message is next --- */

/* A server may refuse what comes before it has been initialised, and connections
 * of their own would let it overtake. */
static bool is_barrier(const struct bridge_message *message)
{
    return message->method == BRIDGE_MESSAGE_INITIALIZE ||
           message->method == BRIDGE_MESSAGE_INITIALIZED;
}

/* Whoever waits for an answer may be waiting for a server that hangs: such jobs
 * never take the last thread. */
static bool is_answered(const struct bridge_message *message)
{
    return message->kind == BRIDGE_MESSAGE_REQUEST ||
           message->kind == BRIDGE_MESSAGE_OTHER;
}

/* The link that leads to the first job that may run now, or NULL. */
static struct bridge_job **find_job(struct bridge_pool *pool)
{
    struct bridge_job **link = &pool->first;
    bool is_blocked = pool->has_barrier;

    for (; *link != NULL; link = &(*link)->next) {
        const struct bridge_message *message = &(*link)->message;
        bool is_free =
            message->method == BRIDGE_MESSAGE_CANCELLED ||
            (!is_blocked &&
             !(is_answered(message) && pool->requests == BRIDGE_POOL_REQUESTS));

        if (is_free) {
            return link;
        }
        is_blocked = is_blocked || is_barrier(message);
    }
    return NULL;
}

/* The end of the list is the address of a link, which may be the one that
 * goes. */
static struct bridge_job *unlink_job(struct bridge_pool *pool,
                                     struct bridge_job **link)
{
    struct bridge_job *job = *link;

    *link = job->next;
    if (pool->last == &job->next) {
        pool->last = link;
    }
    pool->queued--;
    return job;
}

static void free_job(struct bridge_job *job)
{
    bridge_message_finish(&job->message);
    free(job);
}

/* --- threads --- */

/* Whoever cancels it finds it in its thread from now on. */
static void begin_job(struct bridge_pool_thread *thread, struct bridge_job *job)
{
    struct bridge_pool *pool = thread->pool;

    thread->job = job;
    job->cancel_fd = &thread->cancel[0];
    pool->running++;
    pool->requests += is_answered(&job->message);
    pool->has_barrier |= is_barrier(&job->message);
}

/* The job is out of the pool's sight. Whoever waits behind a barrier looks for
 * work by itself. */
static struct bridge_job *end_job(struct bridge_pool_thread *thread)
{
    struct bridge_pool *pool = thread->pool;
    struct bridge_job *job = thread->job;

    thread->job = NULL;
    pool->running--;
    pool->requests -= is_answered(&job->message);
    pool->bytes -= job->message.text.length;
    if (atomic_load(&job->is_cancelled)) {
        char byte;
        ssize_t count = read(thread->cancel[0], &byte, 1);

        (void)count; /* it is there: nobody else takes it */
    }
    if (is_barrier(&job->message)) {
        pool->has_barrier = false;
        (void)pthread_cond_broadcast(&pool->work);
    }
    if (pool->is_watched) {
        /* If the pipe is full, there is something to wake up for already. */
        ssize_t written = write(pool->wake_fd, "", 1);

        (void)written;
    }
    return job;
}

static void staff(struct bridge_pool *pool, size_t most);

static void *run_thread(void *argument)
{
    struct bridge_pool_thread *thread = argument;
    struct bridge_pool *pool = thread->pool;

    (void)pthread_mutex_lock(&pool->lock);
    pool->starting--;
    while (!pool->is_ending) {
        struct bridge_job **link = find_job(pool);
        struct bridge_job *job;

        if (link == NULL) {
            pool->idle++;
            (void)pthread_cond_wait(&pool->work, &pool->lock);
            pool->idle--;
            continue;
        }
        begin_job(thread, unlink_job(pool, link));
        (void)pthread_mutex_unlock(&pool->lock);
        pool->functions->run(thread->own, thread->job);
        (void)pthread_mutex_lock(&pool->lock);
        job = end_job(thread);
        staff(pool, BRIDGE_POOL_REQUESTS);
        free_job(job);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Signals are the main thread's. */
static bool create_thread(struct bridge_pool_thread *thread)
{
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t old;
    int failed;

    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    failed = pthread_create(&thread->id, &attributes, run_thread, thread);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attributes);
    return failed == 0;
}

static void close_thread(struct bridge_pool_thread *thread)
{
    thread->pool->functions->close(thread->own);
    (void)close(thread->cancel[0]);
    (void)close(thread->cancel[1]);
}

/* What it needs is made here, so that a thread that runs lacks nothing. */
static bool start_thread(struct bridge_pool *pool)
{
    struct bridge_pool_thread *thread = &pool->threads[pool->thread_count];

    thread->pool = pool;
    thread->job = NULL;
    thread->own = pool->functions->open(pool->userdata);
    if (thread->own == NULL) {
        return false;
    }
    if (pipe2(thread->cancel, O_CLOEXEC | O_NONBLOCK) != 0) {
        pool->functions->close(thread->own);
        return false;
    }
    if (!create_thread(thread)) {
        close_thread(thread);
        return false;
    }
    pool->thread_count++;
    pool->starting++;
    return true;
}

/* So many threads that each message that waits has one, within the limit. While
 * a barrier is under way only a cancellation may run, and one more will do. */
static void staff(struct bridge_pool *pool, size_t most)
{
    size_t wanted = pool->queued;

    if (pool->has_barrier && wanted > 1) {
        wanted = 1;
    }
    while (wanted > pool->idle + pool->starting && pool->thread_count < most &&
           find_job(pool) != NULL && start_thread(pool)) {
    }
}

/* --- the pool --- */

void bridge_pool_init(struct bridge_pool *pool,
                      const struct bridge_pool_functions *functions,
                      void *userdata, int wake_fd)
{
    memset(pool, 0, sizeof(*pool));
    pool->functions = functions;
    pool->userdata = userdata;
    pool->wake_fd = wake_fd;
    pool->last = &pool->first;
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->work, NULL);
}

/* A thread that is idle takes it, or one that is made now, or the first that has
 * ended what it does. */
static void append(struct bridge_pool *pool, struct bridge_job *job)
{
    *pool->last = job;
    pool->last = &job->next;
    pool->queued++;
    pool->bytes += job->message.text.length;
    staff(pool, is_answered(&job->message) ? BRIDGE_POOL_REQUESTS
                                           : BRIDGE_POOL_THREADS);
    (void)pthread_cond_signal(&pool->work);
}

int bridge_pool_add_take(struct bridge_pool *pool,
                         struct bridge_message *message)
{
    struct bridge_job *job = calloc(1, sizeof(*job));
    int r = 0;

    if (job == NULL) {
        return JZ_ENOMEM;
    }
    atomic_init(&job->is_cancelled, false);
    job->message = *message;
    (void)pthread_mutex_lock(&pool->lock);
    append(pool, job);
    if (pool->thread_count == 0) {
        pool->bytes -= message->text.length;
        free(unlink_job(pool, &pool->first));
        r = JZ_ENOMEM;
    } else {
        memset(message, 0, sizeof(*message));
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return r;
}

void bridge_pool_watch(struct bridge_pool *pool, bool is_watched)
{
    (void)pthread_mutex_lock(&pool->lock);
    pool->is_watched = is_watched;
    (void)pthread_mutex_unlock(&pool->lock);
}

bool bridge_pool_is_full(struct bridge_pool *pool)
{
    bool is_full;

    (void)pthread_mutex_lock(&pool->lock);
    is_full = pool->queued + pool->running >= BRIDGE_POOL_MOST ||
              pool->bytes >= BRIDGE_POOL_BYTES_MOST;
    (void)pthread_mutex_unlock(&pool->lock);
    return is_full;
}

bool bridge_pool_is_idle(struct bridge_pool *pool)
{
    bool is_idle;

    (void)pthread_mutex_lock(&pool->lock);
    is_idle = pool->queued == 0 && pool->running == 0;
    (void)pthread_mutex_unlock(&pool->lock);
    return is_idle;
}

/* Ids are compared as they came: a client repeats what it wrote. */
static bool is_meant(const struct bridge_job *job, struct jz__str id)
{
    return job != NULL && job->message.is_modern &&
           job->message.kind == BRIDGE_MESSAGE_REQUEST &&
           jz__str_equal(job->message.id, id);
}

/* It has not been sent: nobody but us knows of it. */
static bool cancel_queued(struct bridge_pool *pool, struct jz__str id)
{
    struct bridge_job **link = &pool->first;

    for (; *link != NULL; link = &(*link)->next) {
        if (is_meant(*link, id)) {
            pool->bytes -= (*link)->message.text.length;
            free_job(unlink_job(pool, link));
            return true;
        }
    }
    return false;
}

/* Once, however often the client says so. */
static void tell_cancelled(struct bridge_pool_thread *thread)
{
    if (!atomic_exchange(&thread->job->is_cancelled, true)) {
        ssize_t count = write(thread->cancel[1], "", 1);

        (void)count; /* the pipe is empty */
    }
}

bool bridge_pool_cancel(struct bridge_pool *pool, struct jz__str id)
{
    bool is_found = false;
    size_t i;

    (void)pthread_mutex_lock(&pool->lock);
    for (i = 0; i < pool->thread_count && !is_found; i++) {
        is_found = is_meant(pool->threads[i].job, id);
        if (is_found) {
            tell_cancelled(&pool->threads[i]);
        }
    }
    is_found = is_found || cancel_queued(pool, id);
    (void)pthread_mutex_unlock(&pool->lock);
    return is_found;
}

void bridge_pool_finish(struct bridge_pool *pool)
{
    size_t i;

    assert(pool->first == NULL);

    (void)pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    (void)pthread_cond_broadcast(&pool->work);
    (void)pthread_mutex_unlock(&pool->lock);
    for (i = 0; i < pool->thread_count; i++) {
        (void)pthread_join(pool->threads[i].id, NULL);
        close_thread(&pool->threads[i]);
    }
    (void)pthread_cond_destroy(&pool->work);
    (void)pthread_mutex_destroy(&pool->lock);
}
