/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool with a library that does what a test says: the functions of
 * libjezero that a slot calls are wrapped (-Wl,--wrap). A message "wait" does
 * not return before the gate is opened or its handle is interrupted.
 */
#include "worker.h"

#include <stdatomic.h>
#include <unistd.h>

#include "tap.h"

struct fake {
    atomic_bool gate;
    atomic_int opened;
    atomic_int closed;
    atomic_int failed; /* openings that were refused */
    atomic_int most;   /* openings that succeed */
    atomic_int running;
    atomic_bool interrupted;
    atomic_int scoped;              /* calls with a scope */
    atomic_uint_least64_t ahead_ns; /* of the clock */
};

static struct fake fake;
static pthread_t loop_thread;

uint64_t __real_uv_hrtime(void);
uint64_t __wrap_uv_hrtime(void);
int __wrap_jz_library_open(jz_library **out, const char *path,
                           const char *options_json);
void __wrap_jz_library_close(jz_library *lib);
const char *__wrap_jz_library_errmsg(const jz_library *lib);
void __wrap_jz_library_set_log(jz_library *lib, jz_log_fn fn, void *userdata);
void __wrap_jz_library_interrupt(jz_library *lib);
int __wrap_jz_mcp_dispatch(char **out, int *http_status, jz_library *lib,
                           const char *scope_json, const char *headers_json,
                           const char *request, size_t length);

uint64_t __wrap_uv_hrtime(void)
{
    return __real_uv_hrtime() + atomic_load(&fake.ahead_ns);
}

int __wrap_jz_library_open(jz_library **out, const char *path,
                           const char *options_json)
{
    (void)path;
    (void)options_json;
    *out = NULL;
    if (atomic_load(&fake.opened) >= atomic_load(&fake.most)) {
        atomic_fetch_add(&fake.failed, 1);
        return JZ_EIO;
    }
    atomic_fetch_add(&fake.opened, 1);
    *out = malloc(1);
    return *out != NULL ? 0 : JZ_ENOMEM;
}

void __wrap_jz_library_close(jz_library *lib)
{
    if (lib != NULL) {
        atomic_fetch_add(&fake.closed, 1);
        free(lib);
    }
}

const char *__wrap_jz_library_errmsg(const jz_library *lib)
{
    (void)lib;
    return "no descriptors left";
}

void __wrap_jz_library_set_log(jz_library *lib, jz_log_fn fn, void *userdata)
{
    (void)lib;
    (void)fn;
    (void)userdata;
}

void __wrap_jz_library_interrupt(jz_library *lib)
{
    (void)lib;
    atomic_store(&fake.interrupted, true);
}

/* The answer is the message once more. */
int __wrap_jz_mcp_dispatch(char **out, int *http_status, jz_library *lib,
                           const char *scope_json, const char *headers_json,
                           const char *request, size_t length)
{
    (void)lib;
    (void)headers_json;
    if (strcmp(request, "wait") == 0) {
        atomic_fetch_add(&fake.running, 1);
        while (!atomic_load(&fake.gate) && !atomic_load(&fake.interrupted)) {
            (void)usleep(200);
        }
        atomic_fetch_sub(&fake.running, 1);
    }
    if (scope_json != NULL) {
        atomic_fetch_add(&fake.scoped, 1);
    }
    *http_status = 200;
    *out = length > 0 ? strdup(request) : NULL;
    return strcmp(request, "fail") == 0 ? JZ_EIO : 0;
}

static void write_nothing(void *userdata, int level, const char *message)
{
    (void)userdata;
    (void)level;
    (void)message;
}

/* --- what the tests share --- */

struct told {
    int count;
    int statuses;
    char last[16];
};

static uv_loop_t loop;
static struct worker_pool *pool;
static struct told told;
static const struct jz__log quiet = { .fn = write_nothing };

static int open_pool(int handles, int most, struct jz__error *error)
{
    const struct worker_options options = { .library_path = "x",
                                            .handles = handles,
                                            .log = &quiet };

    memset(&fake, 0, sizeof(fake));
    memset(&told, 0, sizeof(told));
    atomic_store(&fake.most, most);
    loop_thread = pthread_self();
    CHECK_INT(uv_loop_init(&loop), 0);
    return worker_pool_open(&pool, &loop, &options, error);
}

static void close_pool(void)
{
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    worker_pool_close(pool);
    CHECK_INT(uv_loop_close(&loop), 0);
    CHECK_INT(atomic_load(&fake.closed), atomic_load(&fake.opened));
}

static void on_done(void *userdata, struct worker_answer *answer)
{
    CHECK(pthread_equal(pthread_self(), loop_thread));
    CHECK(userdata == &told);
    told.count++;
    told.statuses += answer->status;
    (void)snprintf(told.last, sizeof(told.last), "%s",
                   answer->text != NULL ? answer->text : "");
    jz_free(answer->text);
}

static struct worker_call *start(const char *message, const char *scope)
{
    struct worker_request request = { JZ__BUF_INIT, JZ__BUF_INIT,
                                      JZ__BUF_INIT };
    struct worker_call *call;

    jz__buf_puts(&request.headers, "{}");
    jz__buf_puts(&request.body, message);
    jz__buf_puts(&request.scope, scope);
    call = worker_call_start(pool, &request, on_done, &told);
    CHECK(call != NULL && request.headers.data == NULL &&
          request.body.data == NULL && request.scope.data == NULL);
    return call;
}

/* Turn the loop until so many calls run in the library, or were told. */
static void turn_until(const atomic_int *running, const int *count, int wanted)
{
    while (running != NULL ? atomic_load(running) < wanted : *count < wanted) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        (void)usleep(100);
    }
}

/* --- tests --- */

static void every_call_is_answered_on_the_loops_thread(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(4, 4, &error), 0);
    for (int i = 0; i < 1000; i++) {
        (void)start("hello", "");
    }
    close_pool();
    CHECK_INT(told.count, 1000);
    CHECK_INT(told.statuses, 200 * 1000);
    CHECK_STR(told.last, "hello");
}

static void one_call_at_a_time_opens_one_handle(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(4, 4, &error), 0);
    for (int i = 1; i <= 20; i++) {
        (void)start("hello", "");
        turn_until(NULL, &told.count, i);
    }
    CHECK_INT(atomic_load(&fake.opened), 1);
    close_pool();
}

static void calls_wait_for_no_other_while_a_handle_is_free(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(3, 3, &error), 0);
    (void)start("wait", "");
    (void)start("wait", "");
    turn_until(&fake.running, NULL, 2);
    (void)start("hello", "");
    turn_until(NULL, &told.count, 1);
    CHECK_STR(told.last, "hello");
    CHECK_INT(atomic_load(&fake.running), 2);
    atomic_store(&fake.gate, true);
    close_pool();
    CHECK_INT(told.count, 3);
    CHECK_INT(atomic_load(&fake.opened), 3);
}

/* Many short calls teach the pool that one thread is enough. */
static void a_long_call_among_short_ones_holds_none_up(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(2, 2, &error), 0);
    for (int i = 0; i < 200; i++) {
        (void)start("hello", "");
    }
    turn_until(NULL, &told.count, 200);
    (void)start("wait", "");
    turn_until(&fake.running, NULL, 1);
    (void)start("hello", "");
    turn_until(NULL, &told.count, 201);
    atomic_store(&fake.gate, true);
    close_pool();
    CHECK_INT(told.count, 202);
}

static void a_cancelled_call_that_waits_is_never_run(void)
{
    struct jz__error error;
    struct worker_call *second;

    CHECK_INT(open_pool(1, 1, &error), 0);
    (void)start("wait", "");
    turn_until(&fake.running, NULL, 1);
    second = start("hello", "{}");
    (void)start("third", "");
    worker_call_cancel(second);
    CHECK(!atomic_load(&fake.interrupted));
    atomic_store(&fake.gate, true);
    close_pool();
    CHECK_INT(told.count, 2);
    CHECK_STR(told.last, "third");
    CHECK_INT(atomic_load(&fake.scoped), 0);
}

static void a_cancelled_call_that_runs_is_interrupted_and_not_told(void)
{
    struct jz__error error;
    struct worker_call *call;

    CHECK_INT(open_pool(2, 2, &error), 0);
    call = start("wait", "");
    turn_until(&fake.running, NULL, 1);
    worker_call_cancel(call);
    CHECK(atomic_load(&fake.interrupted));
    close_pool();
    CHECK_INT(told.count, 0);
}

static void a_call_that_just_returned_can_be_cancelled(void)
{
    struct jz__error error;
    struct worker_call *call;

    CHECK_INT(open_pool(1, 1, &error), 0);
    call = start("hello", "{}");
    while (atomic_load(&fake.scoped) == 0) {
        (void)usleep(100);
    }
    worker_call_cancel(call);
    close_pool();
    CHECK_INT(told.count, 0);
}

static void a_handle_that_cannot_be_opened_fails_no_call(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(3, 1, &error), 0);
    (void)start("wait", "");
    turn_until(&fake.running, NULL, 1);
    (void)start("hello", "");
    (void)start("hello", "");
    /* Both other slots are tried, and not again for a while. */
    turn_until(&fake.failed, NULL, 2);
    (void)start("hello", "");
    for (int i = 0; i < 50; i++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        (void)usleep(200);
    }
    CHECK_INT(atomic_load(&fake.failed), 2);
    CHECK_INT(told.count, 0);
    atomic_store(&fake.gate, true);
    close_pool();
    CHECK_INT(told.count, 4);
}

static void a_handle_that_could_not_be_opened_is_tried_again(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(2, 1, &error), 0);
    (void)start("wait", "");
    turn_until(&fake.running, NULL, 1);
    (void)start("hello", "");
    turn_until(&fake.failed, NULL, 1);
    atomic_store(&fake.most, 2);
    atomic_store(&fake.ahead_ns, UINT64_C(10000000000));
    turn_until(NULL, &told.count, 1);
    CHECK_STR(told.last, "hello");
    atomic_store(&fake.gate, true);
    close_pool();
    CHECK_INT(told.count, 2);
}

static void a_library_that_cannot_be_opened_opens_no_pool(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(4, 0, &error), JZ_EIO);
    CHECK_STR(error.message, "no descriptors left");
    CHECK(pool == NULL);
    close_pool();
}

static void a_fault_of_the_library_is_500(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(1, 1, &error), 0);
    (void)start("fail", "");
    close_pool();
    CHECK_INT(told.statuses, 500);
}

static void only_a_scope_that_is_there_is_handed_on(void)
{
    struct jz__error error;

    CHECK_INT(open_pool(1, 1, &error), 0);
    (void)start("one", "");
    (void)start("two", "{\"sources\":[]}");
    close_pool();
    CHECK_INT(told.count, 2);
    CHECK_INT(atomic_load(&fake.scoped), 1);
}

static void a_scope_that_was_cut_by_memory_starts_nothing(void)
{
    struct worker_request request = { JZ__BUF_INIT, JZ__BUF_INIT,
                                      JZ__BUF_INIT };
    struct jz__error error;

    CHECK_INT(open_pool(1, 1, &error), 0);
    jz__buf_puts(&request.headers, "{}");
    request.scope.error = JZ_ENOMEM;
    CHECK(worker_call_start(pool, &request, on_done, &told) == NULL);
    CHECK(request.headers.data != NULL);
    jz__buf_finish(&request.headers);
    close_pool();
    CHECK_INT(told.count, 0);
}

int main(void)
{
    TAP_RUN(every_call_is_answered_on_the_loops_thread);
    TAP_RUN(one_call_at_a_time_opens_one_handle);
    TAP_RUN(calls_wait_for_no_other_while_a_handle_is_free);
    TAP_RUN(a_long_call_among_short_ones_holds_none_up);
    TAP_RUN(a_cancelled_call_that_waits_is_never_run);
    TAP_RUN(a_cancelled_call_that_runs_is_interrupted_and_not_told);
    TAP_RUN(a_call_that_just_returned_can_be_cancelled);
    TAP_RUN(a_handle_that_cannot_be_opened_fails_no_call);
    TAP_RUN(a_handle_that_could_not_be_opened_is_tried_again);
    TAP_RUN(a_library_that_cannot_be_opened_opens_no_pool);
    TAP_RUN(a_fault_of_the_library_is_500);
    TAP_RUN(only_a_scope_that_is_there_is_handed_on);
    TAP_RUN(a_scope_that_was_cut_by_memory_starts_nothing);
    return tap_done();
}
