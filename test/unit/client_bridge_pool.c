/* SPDX-License-Identifier: Apache-2.0 */
/* The pool with jobs that last until the test lets them go. */
#include "bridge_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "jezero.h"
#include "tap.h"

#define MOST 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char begun[MOST][64]; /* ids of jobs in the order they began */
static size_t begun_count;
static size_t ended_count;
static bool is_held; /* jobs do not end */
static bool was_cancelled;
static size_t opened;
static bool fails_to_open;
static int wake[2];
static struct bridge_pool pool;

static void *open_one(void *userdata)
{
    (void)userdata;
    opened++;
    return fails_to_open ? NULL : malloc(1);
}

static void run_one(void *own, struct bridge_job *job)
{
    (void)own;
    pthread_mutex_lock(&lock);
    (void)snprintf(begun[begun_count++ % MOST], sizeof(begun[0]), "%.*s",
                   (int)job->message.text.length, job->message.text.data);
    pthread_cond_broadcast(&changed);
    while (is_held) {
        pthread_cond_wait(&changed, &lock);
    }
    was_cancelled |= atomic_load(&job->is_cancelled);
    ended_count++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static const struct bridge_pool_functions functions = { open_one, run_one,
                                                        free };

static void begin(bool hold)
{
    begun_count = 0;
    ended_count = 0;
    opened = 0;
    is_held = hold;
    was_cancelled = false;
    fails_to_open = false;
    CHECK_INT(pipe2(wake, O_CLOEXEC | O_NONBLOCK), 0);
    bridge_pool_init(&pool, &functions, NULL, wake[1]);
}

/* A message whose text is its name. */
static int add(const char *name, enum bridge_message_kind kind,
               enum bridge_message_method method)
{
    struct bridge_message message = { .kind = kind, .method = method };
    int r;

    jz__buf_puts(&message.text, name);
    message.id = (struct jz__str){ message.text.data, message.text.length };
    message.is_modern = name[0] == 'm';
    r = bridge_pool_add_take(&pool, &message);
    CHECK((message.text.data == NULL) == (r == 0));
    bridge_message_finish(&message);
    return r;
}

static void add_request(const char *name)
{
    CHECK_INT(add(name, BRIDGE_MESSAGE_REQUEST, BRIDGE_MESSAGE_ANY), 0);
}

static void wait_begun(size_t count)
{
    pthread_mutex_lock(&lock);
    while (begun_count < count) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void hold(bool held)
{
    pthread_mutex_lock(&lock);
    is_held = held;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_idle(void)
{
    bridge_pool_watch(&pool, true);
    while (!bridge_pool_is_idle(&pool)) {
        struct pollfd one = { .fd = wake[0], .events = POLLIN };
        char bytes[64];

        (void)poll(&one, 1, -1);
        CHECK(read(wake[0], bytes, sizeof(bytes)) > 0);
    }
    bridge_pool_watch(&pool, false);
}

static void end(void)
{
    hold(false);
    wait_idle();
    bridge_pool_finish(&pool);
    close(wake[0]);
    close(wake[1]);
}

static void one_at_a_time_needs_one_thread(void)
{
    size_t i;

    begin(false);
    for (i = 0; i < 20; i++) {
        add_request("a");
        wait_idle();
    }
    CHECK_INT(ended_count, 20);
    CHECK_INT(opened, 1);
    end();
}

static void sixteen_requests_run_at_once_and_a_note_passes(void)
{
    size_t i;

    begin(true);
    for (i = 0; i < 20; i++) {
        add_request("a");
    }
    wait_begun(BRIDGE_POOL_REQUESTS);
    CHECK_INT(add("note", BRIDGE_MESSAGE_NOTIFICATION, BRIDGE_MESSAGE_ANY), 0);
    wait_begun(BRIDGE_POOL_REQUESTS + 1);
    CHECK_STR(begun[BRIDGE_POOL_REQUESTS], "note");
    CHECK_INT(opened, BRIDGE_POOL_THREADS);
    CHECK(!bridge_pool_is_idle(&pool));
    end();
    CHECK_INT(ended_count, 21);
}

static void behind_an_initialize_all_wait_but_cancellations(void)
{
    begin(true);
    CHECK_INT(add("init", BRIDGE_MESSAGE_REQUEST, BRIDGE_MESSAGE_INITIALIZE),
              0);
    wait_begun(1);
    CHECK_INT(
        add("note", BRIDGE_MESSAGE_NOTIFICATION, BRIDGE_MESSAGE_INITIALIZED),
        0);
    add_request("call");
    CHECK_INT(
        add("cancel", BRIDGE_MESSAGE_NOTIFICATION, BRIDGE_MESSAGE_CANCELLED),
        0);
    wait_begun(2);
    CHECK_STR(begun[1], "cancel");
    CHECK_INT(begun_count, 2);
    hold(false);
    wait_idle();
    CHECK_STR(begun[2], "note");
    CHECK_STR(begun[3], "call");
    end();
}

static void all_that_waited_behind_it_run_at_once(void)
{
    size_t i;

    begin(true);
    CHECK_INT(add("init", BRIDGE_MESSAGE_REQUEST, BRIDGE_MESSAGE_INITIALIZE),
              0);
    for (i = 0; i < 8; i++) {
        add_request("call");
    }
    wait_begun(1);
    /* Only the barrier is let go. */
    pthread_mutex_lock(&lock);
    is_held = false;
    pthread_cond_broadcast(&changed);
    while (ended_count < 1) {
        pthread_cond_wait(&changed, &lock);
    }
    is_held = true;
    pthread_mutex_unlock(&lock);
    wait_begun(9);
    end();
    CHECK_INT(ended_count, 9);
}

static void a_modern_request_can_be_taken_back(void)
{
    size_t i;

    begin(true);
    add_request("m1");
    for (i = 1; i < BRIDGE_POOL_REQUESTS; i++) {
        add_request("old");
    }
    wait_begun(BRIDGE_POOL_REQUESTS);
    add_request("m2");
    CHECK(bridge_pool_cancel(&pool, JZ__STR("m2")));
    CHECK(!bridge_pool_cancel(&pool, JZ__STR("m2")));
    CHECK(!bridge_pool_cancel(&pool, JZ__STR("old")));
    CHECK(bridge_pool_cancel(&pool, JZ__STR("m1")));
    end();
    CHECK_INT(ended_count, BRIDGE_POOL_REQUESTS);
    CHECK(was_cancelled);
}

static void the_last_one_can_be_taken_back_and_more_added(void)
{
    size_t i;

    begin(true);
    for (i = 0; i < BRIDGE_POOL_REQUESTS; i++) {
        add_request("old");
    }
    wait_begun(BRIDGE_POOL_REQUESTS);
    add_request("m1");
    CHECK(bridge_pool_cancel(&pool, JZ__STR("m1")));
    add_request("last");
    end();
    CHECK_INT(ended_count, BRIDGE_POOL_REQUESTS + 1);
    CHECK_STR(begun[BRIDGE_POOL_REQUESTS], "last");
}

static void it_is_full_by_messages_or_bytes(void)
{
    struct bridge_message message = { .kind = BRIDGE_MESSAGE_REQUEST };
    size_t i;

    begin(true);
    for (i = 0; i < BRIDGE_POOL_MOST; i++) {
        CHECK(!bridge_pool_is_full(&pool));
        add_request("a");
    }
    CHECK(bridge_pool_is_full(&pool));
    end();
    begin(true);
    CHECK(jz__buf_reserve(&message.text, BRIDGE_POOL_BYTES_MOST) != NULL);
    message.text.length = BRIDGE_POOL_BYTES_MOST;
    CHECK_INT(bridge_pool_add_take(&pool, &message), 0);
    CHECK(bridge_pool_is_full(&pool));
    hold(false);
    wait_idle();
    CHECK(!bridge_pool_is_full(&pool));
    end();
}

static void without_a_thread_the_message_stays_the_callers(void)
{
    begin(false);
    fails_to_open = true;
    CHECK_INT(add("a", BRIDGE_MESSAGE_REQUEST, BRIDGE_MESSAGE_ANY), JZ_ENOMEM);
    CHECK(bridge_pool_is_idle(&pool));
    CHECK_INT(pool.bytes, 0);
    fails_to_open = false;
    add_request("b");
    end();
    CHECK_INT(ended_count, 1);
}

int main(void)
{
    TAP_RUN(one_at_a_time_needs_one_thread);
    TAP_RUN(sixteen_requests_run_at_once_and_a_note_passes);
    TAP_RUN(behind_an_initialize_all_wait_but_cancellations);
    TAP_RUN(all_that_waited_behind_it_run_at_once);
    TAP_RUN(a_modern_request_can_be_taken_back);
    TAP_RUN(the_last_one_can_be_taken_back_and_more_added);
    TAP_RUN(it_is_full_by_messages_or_bytes);
    TAP_RUN(without_a_thread_the_message_stays_the_callers);
    return tap_done();
}
