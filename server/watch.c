/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking again and again is a walk with a stat of each file: notifications of
 * the kernel would save that, but they overflow, do not cross every file system
 * and are another mechanism on each system.
 *
 * Most looks ask only for files that changed since the one before. Now and then
 * a look asks for everything, because a file may arrive with an old time (a
 * backup that is put back, a clock that was wrong).
 *
 * Uploads do not wait for a look: the loop names each one when it is on disk.
 * Those that a crash left untold are found by the first look, which asks for
 * everything, the inbox included.
 */
#include "watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "device.h"
#include "metrics.h"

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
    int64_t next_ms; /* when that is, on the clock of intake_now_ms() */
    bool is_failing; /* the last pass failed: it was said */
    bool has_warned; /* of uploads that this version does not read */
    bool has_new;    /* the number of items is not what was told */
    struct metrics_job job;
};

static bool is_stopped(void *userdata)
{
    struct state *state = userdata;

    return serve_stop_asked(state->stop);
}

static void say_counts(const struct state *state, const char *what,
                       const struct intake_counts *counts)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__buf_puts(&text, what);
    intake_put_counts(&text, counts);
    if (text.error == 0) {
        jz__log_write(&state->watch->log, JZ_LOG_INFO, "%s", text.data);
    }
}

/* Sessions that are still being written change at every look; a line for each
 * that gave nothing new would fill the terminal. The first look is told of in
 * any case, unless somebody else does: it shows that the places are right. */
static void say_what_came(const struct state *state,
                          const struct intake_counts *counts, bool is_first)
{
    bool has_news = counts->created + counts->changed + counts->hidden > 0;
    bool has_told = is_first && state->watch->on_pass != NULL;

    if (!has_told && (has_news || (is_first && counts->sessions > 0))) {
        say_counts(state, "", counts);
    }
}

/* --- what is told --- */

static int64_t count_items(jz_library *lib)
{
    JZ_CLEANUP(jz__json_freep) cJSON *status = NULL;
    char *json = NULL;
    int64_t count = -1;

    if (jz_status(&json, lib) == 0 &&
        jz__json_parse(&status, json, strlen(json), NULL) == 0) {
        count = (int64_t)jz__json_number(status, "items", -1.0);
    }
    jz_free(json);
    return count;
}

/* An upload that nobody reads would look like one that holds nothing. */
static void say_waiting(struct state *state, int64_t waiting)
{
    if (waiting > 0 && !state->has_warned) {
        state->has_warned = true;
        jz__log_write(&state->watch->log, JZ_LOG_WARNING,
                      "there are uploads of agents that this version does not "
                      "read: they are kept in %s and wait for one that does",
                      state->watch->inbox);
    }
}

static void report(struct state *state, const struct intake_counts *counts)
{
    struct metrics_job *job = &state->job;

    job->queue = state->watch->arrivals != NULL
                     ? (int64_t)arrivals_count(state->watch->arrivals)
                     : 0;
    job->stored += counts->stored;
    job->failed += counts->failed;
    state->has_new = state->has_new || job->finished_at == 0 ||
                     counts->created + counts->hidden > 0;
    /* Counting reads all items: once for many uploads that came together. */
    if (state->has_new && job->queue == 0) {
        job->items = count_items(state->lib);
        state->has_new = false;
    }
    job->finished_at = (int64_t)time(NULL);
    serve_stop_report(state->stop, job);
    say_waiting(state, counts->waiting);
}

/* The library failed, or works again: each is said once. */
static void say_failing(struct state *state, int r,
                        const struct jz__error *error)
{
    bool is_failing = r < 0;

    if (is_failing && !state->is_failing && !serve_stop_asked(state->stop)) {
        jz__log_write(&state->watch->log, JZ_LOG_ERROR,
                      "sessions cannot be taken in for now: %s",
                      error->message);
    } else if (!is_failing && state->is_failing) {
        jz__log_write(&state->watch->log, JZ_LOG_WARNING,
                      "sessions are taken in again");
    }
    state->is_failing = is_failing;
}

/* --- passes --- */

/* One upload after the other, in the order in which they came. One that fails
 * for the library's sake is found again by a look at everything. */
static int take_queued(struct state *state)
{
    struct intake_counts all = { 0 };
    char *path;
    int r = 0;

    while (r == 0 && !serve_stop_asked(state->stop) &&
           (path = arrivals_take(state->watch->arrivals)) != NULL) {
        struct intake_counts counts = { 0 };
        struct jz__error error = { 0 };

        r = intake_run_upload(&counts, &state->intake, path, &error);
        free(path);
        say_failing(state, r, &error);
        report(state, &counts);
        intake_add_counts(&all, &counts);
    }
    if (all.sessions > 0) {
        say_counts(state, "uploads: ", &all);
    }
    return r;
}

/* A first pass may take an hour, and uploads are taken at once. */
static void between(void *userdata)
{
    (void)take_queued(userdata);
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

    say_failing(state, r, &error);
    if (r < 0) {
        return RETRY_MS;
    }
    if (is_full) {
        state->full_ms = begun_ms;
    }
    state->since = begun - SINCE_MARGIN_SECONDS;
    say_what_came(state, &counts, is_first);
    report(state, &counts);
    if (state->watch->on_pass != NULL && !serve_stop_asked(state->stop)) {
        state->watch->on_pass(state->watch->userdata, state->lib, &counts,
                              is_first);
    }
    rest = (intake_now_ms() - begun_ms) * REST_FACTOR;
    return rest > state->watch->interval_ms ? rest : state->watch->interval_ms;
}

/* Uploads while nothing else is done. What was not taken is for the next look,
 * which then asks for everything. */
static void take_arrivals(struct state *state)
{
    if (take_queued(state) < 0) {
        state->full_ms = INT64_MIN / 2;
        state->next_ms = intake_now_ms() + RETRY_MS;
    } else if (arrivals_take_overflow(state->watch->arrivals)) {
        state->full_ms = INT64_MIN / 2;
        state->next_ms = intake_now_ms();
    }
}

/* Sleep until the next look is due, and take in what comes meanwhile: true if
 * the end is asked for. */
static bool wait(struct state *state)
{
    int64_t left;

    do {
        if (state->watch->arrivals != NULL && state->intake.inbox != NULL) {
            take_arrivals(state);
        }
        left = state->next_ms - intake_now_ms();
        if (left <= 0) {
            return serve_stop_asked(state->stop);
        }
    } while (!serve_stop_wait(state->stop,
                              (int)(left < INT32_MAX ? left : INT32_MAX)));
    return true;
}

/* A first pass that failed is a first pass again: nobody was told yet what
 * there is. */
static void run(struct state *state)
{
    bool is_first = true;

    do {
        int64_t pause_ms = look(state, is_first);

        state->next_ms = intake_now_ms() + pause_ms;
        is_first = is_first && state->is_failing;
    } while (!wait(state));
}

int watch_run(const struct watch *watch, struct serve_stop *stop)
{
    struct state state = { .watch = watch, .stop = stop };
    /* Documents are known by their paths, and uploads come under this one. */
    JZ_CLEANUP(jz__mem_freep)
    char *inbox = watch->inbox != NULL ? realpath(watch->inbox, NULL) : NULL;
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
        .inbox = inbox,
        .keep_days = watch->keep_days,
        .progress = &state.progress,
        .log = watch->log,
        .is_stopped = is_stopped,
        .between = watch->arrivals != NULL && inbox != NULL ? between : NULL,
        .userdata = &state,
    };
    if (watch->arrivals != NULL) {
        arrivals_set_stop(watch->arrivals, stop);
    }
    run(&state);
    if (watch->arrivals != NULL) {
        arrivals_set_stop(watch->arrivals, NULL);
    }
    serve_stop_set_library(stop, NULL);
    jz_library_close(state.lib);
    return 0;
}
