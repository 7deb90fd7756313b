/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking again and again is a walk with a stat of each file: notifications of
 * the kernel would save that, but they overflow, do not cross every file system
 * and are another mechanism on each system.
 *
 * Most looks ask only for files that changed since the one before. Now and then
 * a look asks for everything, because a file may arrive with an old time (a
 * backup that is put back, a clock that was wrong).
 */
#include "watch.h"

#include <assert.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "device.h"

#define FULL_EVERY_MS 60000

/* Times of files and the clock of the process need not agree to the second. */
#define SINCE_MARGIN_SECONDS 5

/* After a failure of the library (disk full, locked): it may pass. */
#define RETRY_MS 30000

/* A pass that took long is followed by a pause as many times as long, so that
 * an agent that never stops writing costs a fifth of a processor at most. */
#define REST_FACTOR 4

struct state {
    const struct watch *watch;
    struct serve_stop *stop;
    jz_library *lib;
    struct jz__term_progress progress;
    struct intake intake;
    int64_t full_ms; /* when everything was last asked for */
    int64_t since;   /* what the next look asks for, seconds */
    bool is_failing; /* the last pass failed: it was said */
};

static bool is_stopped(void *userdata)
{
    struct state *state = userdata;

    return serve_stop_asked(state->stop);
}

/* Sessions that are still being written change at every look; a line for each
 * that gave nothing new would fill the terminal. */
static void say_what_came(const struct state *state,
                          const struct intake_counts *counts)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    if (counts->created + counts->changed + counts->hidden == 0) {
        return;
    }
    intake_put_counts(&text, counts);
    if (text.error == 0) {
        jz__log_write(&state->watch->log, JZ_LOG_INFO, "%s", text.data);
    }
}

/* One pass; how long to wait until the next one, in milliseconds. */
static int64_t look(struct state *state, bool is_first)
{
    int64_t begun_ms = intake_now_ms();
    int64_t begun = (int64_t)time(NULL);
    bool is_full = is_first || begun_ms - state->full_ms >= FULL_EVERY_MS;
    struct intake_counts counts;
    struct jz__error error = { 0 };
    int64_t rest;
    int r =
        intake_run(&counts, &state->intake, is_full ? 0 : state->since, &error);

    if (r < 0) {
        if (!state->is_failing && !serve_stop_asked(state->stop)) {
            jz__log_write(&state->watch->log, JZ_LOG_ERROR,
                          "sessions cannot be taken in for now: %s",
                          error.message);
        }
        state->is_failing = true;
        return RETRY_MS;
    }
    if (state->is_failing) {
        jz__log_write(&state->watch->log, JZ_LOG_WARNING,
                      "sessions are taken in again");
        state->is_failing = false;
    }
    if (is_full) {
        state->full_ms = begun_ms;
    }
    state->since = begun - SINCE_MARGIN_SECONDS;
    if (!is_first) {
        say_what_came(state, &counts);
    }
    if (state->watch->on_pass != NULL && !serve_stop_asked(state->stop)) {
        state->watch->on_pass(state->watch->userdata, state->lib, &counts,
                              is_first);
    }
    rest = (intake_now_ms() - begun_ms) * REST_FACTOR;
    return rest > state->watch->interval_ms ? rest : state->watch->interval_ms;
}

/* A first pass that failed is a first pass again: nobody was told yet what
 * there is. */
static void run(struct state *state)
{
    bool is_first = true;
    int64_t pause_ms;

    do {
        pause_ms = look(state, is_first);
        is_first = is_first && state->is_failing;
        pause_ms = pause_ms < INT32_MAX ? pause_ms : INT32_MAX;
    } while (!serve_stop_wait(state->stop, (int)pause_ms));
}

int watch_run(const struct watch *watch, struct serve_stop *stop)
{
    struct state state = { .watch = watch, .stop = stop };
    char device[DEVICE_SIZE];
    int r;

    assert(watch->interval_ms > 0);
    r = jz_library_open(&state.lib, watch->library_path,
                        watch->library_options_json);
    if (r < 0) {
        jz__log_write(&watch->log, JZ_LOG_ERROR, "%s",
                      jz_library_errmsg(state.lib));
        jz_library_close(state.lib);
        return 1;
    }
    serve_stop_set_library(stop, state.lib);
    /* Asked for once: a computer that is renamed meanwhile would otherwise get
     * its sessions a second time, under a second source. */
    device_name(device);
    jz__term_progress_init(&state.progress, stderr, watch->otherwise,
                           intake_now_ms());
    state.intake = (struct intake){
        .lib = state.lib,
        .places = watch->places,
        .place_count = watch->place_count,
        .device = device,
        .progress = &state.progress,
        .log = watch->log,
        .is_stopped = is_stopped,
        .userdata = &state,
    };
    run(&state);
    serve_stop_set_library(stop, NULL);
    jz_library_close(state.lib);
    return 0;
}
