/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass lists all places first, so that the progress line knows how much there
 * is, and then takes the sessions one by one. Whether a file needs reading is
 * the library's to know: it remembers sizes and times, and an unchanged file
 * costs it a stat. So nothing is remembered here, and a pass that was killed is
 * simply run again.
 */
#include "intake.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "intake_private.h"

/* Housekeeping comes after so many bytes of transcripts: the write-ahead log
 * stays small while a long first pass runs. */
#define MAINTAIN_EVERY ((int64_t)64 * 1024 * 1024)

int64_t intake_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- one session --- */

/* The live line goes first: the message would be printed into it. */
static void say_failed(struct intake_pass *pass, const char *path,
                       const char *reason)
{
    pass->counts->failed++;
    if (pass->intake->progress != NULL) {
        jz__term_progress_clear(pass->intake->progress);
    }
    jz__log_write(&pass->intake->log, JZ_LOG_WARNING, "%s: %s", path, reason);
}

/* As jz_ingest() takes it. The source of a session that was recognised by
 * content depends on its agent, so it is made here and not by the place. */
static void put_connector(struct jz__buf *out, const struct intake_pass *pass,
                          const struct intake_place *place, const char *agent)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;

    if (place->source != NULL) {
        jz__buf_puts(&name, place->source);
    } else {
        jz__buf_printf(&name, "agent-%s-%s", agent, pass->intake->device);
    }
    if (name.error != 0) {
        out->error = name.error;
        return;
    }
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "type");
    jz__json_put_str(out, agent);
    jz__json_put_key(out, "name");
    jz__json_put_str(out, name.data);
    if (place->project != NULL) {
        jz__json_put_key(out, "project");
        jz__json_put_str(out, place->project);
    }
    jz__json_put_key(out, "local");
    jz__json_put_bool(out, place->is_local);
    jz__json_put_key(out, "again");
    jz__json_put_bool(out, place->again);
    jz__json_put_key(out, "dry_run");
    jz__json_put_bool(out, pass->intake->is_dry_run);
    jz__buf_putc(out, '}');
}

/* An unknown state counts as a failure: a newer library may know more of them,
 * and silence would be the wrong guess. */
static enum intake_outcome count_outcome(struct intake_pass *pass,
                                         const char *path, const cJSON *outcome)
{
    enum intake_outcome result = INTAKE_TAKEN;
    const char *state = jz__json_text(outcome, "state", "");
    struct intake_counts *counts = pass->counts;

    if (strcmp(state, "stored") == 0) {
        counts->stored++;
        pass->since_maintained +=
            (int64_t)jz__json_number(outcome, "bytes", 0.0);
    } else if (strcmp(state, "unchanged") == 0) {
        counts->unchanged++;
        /* It was said when it failed. */
        if (strcmp(jz__json_text(outcome, "recorded", ""), "failed") == 0) {
            counts->standing++;
            result = INTAKE_FAILED;
        }
    } else if (strcmp(state, "skipped") == 0) {
        counts->skipped++;
    } else {
        say_failed(pass, path,
                   jz__json_text(outcome, "reason", "failed without a reason"));
        result = INTAKE_FAILED;
    }
    counts->created += (int64_t)jz__json_number(outcome, "created", 0.0);
    counts->changed += (int64_t)jz__json_number(outcome, "changed", 0.0);
    counts->hidden += (int64_t)jz__json_number(outcome, "hidden", 0.0);
    return result;
}

int intake_maintain_sometimes(struct intake_pass *pass)
{
    return pass->since_maintained > MAINTAIN_EVERY ? intake_maintain(pass) : 0;
}

/* Until there is nothing left: what was replaced is gone from the file when
 * the pass ends, not at some later time. */
int intake_maintain(struct intake_pass *pass)
{
    jz_library *lib = pass->intake->lib;
    int more = 1;

    pass->since_maintained = 0;
    while (more != 0) {
        int r = jz_maintain(&more, lib);
        if (r < 0) {
            return jz__fail(pass->error, r, "%s", jz_library_errmsg(lib));
        }
    }
    return 0;
}

/* What concerns this session alone is said and the pass goes on; what concerns
 * the library ends it, because no other session would fare better. */
int intake_take_session(enum intake_outcome *outcome, struct intake_pass *pass,
                        const struct intake_place *place, const char *agent,
                        const char *path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf connector = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *told = NULL;
    jz_library *lib = pass->intake->lib;
    char *json = NULL;
    int r;

    *outcome = INTAKE_FAILED;
    if (agent == NULL) {
        say_failed(pass, path, "it may not be read");
        return 0;
    }
    put_connector(&connector, pass, place, agent);
    if (connector.error != 0) {
        return jz__fail_memory(pass->error);
    }
    r = jz_ingest(&json, lib, connector.data, path);
    if (r == JZ_EINVAL || r == JZ_ENOTFOUND) {
        /* It vanished between the list and now, or is no such file. */
        say_failed(pass, path, jz_library_errmsg(lib));
        return 0;
    }
    if (r < 0) {
        return jz__fail(pass->error, r, "%s: %s", path, jz_library_errmsg(lib));
    }
    r = jz__json_parse(&told, json, strlen(json), pass->error);
    jz_free(json);
    if (r == 0) {
        *outcome = count_outcome(pass, path, told);
    }
    return r;
}

/* --- all sessions --- */

/* Why a place cannot be looked at, or NULL: it can, or need not be there. */
static const char *hindrance(const struct intake_place *place)
{
    if (access(place->path, R_OK) == 0) {
        return NULL;
    }
    if (errno == ENOENT) {
        return place->must_exist ? "there is no such file or folder" : NULL;
    }
    return "it may not be read";
}

/* What a place holds, as the array that jz_list_sessions() gives. */
static int list_place(cJSON **out, struct intake_pass *pass,
                      const struct intake_place *place, int64_t since)
{
    /* A document is known by its path: one place has to have one name. */
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(place->path, NULL);
    const char *why = hindrance(place);
    char *json = NULL;
    int r;

    *out = NULL;
    if (why != NULL) {
        say_failed(pass, place->path, why);
        return 0;
    }
    r = jz_list_sessions(&json, place->agent, real != NULL ? real : place->path,
                         since);
    if (r == JZ_ENOTFOUND && !place->must_exist) {
        return 0;
    }
    if (r == JZ_ENOMEM) {
        return jz__fail_memory(pass->error);
    }
    if (r < 0) {
        say_failed(pass, place->path, jz_strerror(r));
        return 0;
    }
    r = jz__json_parse(out, json, strlen(json), pass->error);
    jz_free(json);
    return r;
}

/* NULL, a place that is not there, has no elements. */
static void add_to_total(struct intake_pass *pass, const cJSON *sessions)
{
    const cJSON *session;

    cJSON_ArrayForEach(session, sessions)
    {
        pass->step.total++;
        pass->step.bytes_total +=
            (int64_t)jz__json_number(session, "bytes", 0.0);
    }
    pass->counts->sessions = pass->step.total;
}

/* Between two sessions and not inside one: a session is one transaction, and
 * the longest takes seconds. */
bool intake_is_stopped(const struct intake *intake)
{
    if (intake->between != NULL) {
        intake->between(intake->userdata);
    }
    return intake->is_stopped != NULL && intake->is_stopped(intake->userdata);
}

/* The oldest first, as they are listed: a session that another one continues
 * is then there before it. */
static int take_place(struct intake_pass *pass,
                      const struct intake_place *place, const cJSON *sessions)
{
    const struct intake *intake = pass->intake;
    const cJSON *session;

    cJSON_ArrayForEach(session, sessions)
    {
        enum intake_outcome outcome;
        int r = 0;

        if (intake_is_stopped(intake)) {
            return 0;
        }
        r = intake_take_session(&outcome, pass, place,
                                jz__json_text(session, "agent", NULL),
                                jz__json_text(session, "path", ""));
        r = r == 0 ? intake_maintain_sometimes(pass) : r;
        if (r < 0) {
            return r;
        }
        pass->step.done++;
        pass->step.bytes_done +=
            (int64_t)jz__json_number(session, "bytes", 0.0);
        if (intake->progress != NULL) {
            jz__term_progress_show(intake->progress, &pass->step,
                                   intake_now_ms());
        }
    }
    return 0;
}

static int run(struct intake_pass *pass, cJSON **lists, int64_t since)
{
    const struct intake *intake = pass->intake;
    size_t i;
    int r = 0;

    for (i = 0; r == 0 && i < intake->place_count; i++) {
        r = list_place(&lists[i], pass, &intake->places[i], since);
        add_to_total(pass, lists[i]);
    }
    for (i = 0; r == 0 && i < intake->place_count; i++) {
        r = take_place(pass, &intake->places[i], lists[i]);
    }
    /* Uploads are told of one by one; this finds those that were not. */
    if (r == 0 && intake->inbox != NULL && since == 0) {
        r = intake_take_inbox(pass);
    }
    /* A pass that changed nothing writes nothing at all, so that a server that
     * only waits leaves the disk in peace. */
    if (r == 0 && !intake->is_dry_run && pass->counts->stored > 0) {
        r = intake_maintain(pass);
    }
    return r;
}

int intake_run(struct intake_counts *out, const struct intake *intake,
               int64_t since, struct jz__error *error)
{
    struct intake_pass pass = { .intake = intake,
                                .counts = out,
                                .error = error };
    cJSON **lists = calloc(intake->place_count + 1, sizeof(cJSON *));
    size_t i;
    int r;

    assert(intake->lib != NULL && intake->device != NULL);
    memset(out, 0, sizeof(*out));
    if (intake->progress != NULL) {
        jz__term_progress_start(intake->progress, intake_now_ms());
    }
    if (lists == NULL) {
        return jz__fail_memory(error);
    }
    pass.step.verb = "reading";
    pass.step.unit = "sessions";
    r = run(&pass, lists, since);
    if (intake->progress != NULL) {
        jz__term_progress_clear(intake->progress);
    }
    for (i = 0; i < intake->place_count; i++) {
        jz__json_freep(&lists[i]);
    }
    free((void *)lists);
    return r;
}

int intake_run_upload(struct intake_counts *counts, const struct intake *intake,
                      const char *path, struct jz__error *error)
{
    struct intake_pass pass = { .intake = intake,
                                .counts = counts,
                                .error = error };
    int r = intake_take_upload(&pass, path);

    return r == 0 && pass.since_maintained > 0 ? intake_maintain(&pass) : r;
}

void intake_add_counts(struct intake_counts *sum,
                       const struct intake_counts *counts)
{
    sum->sessions += counts->sessions;
    sum->stored += counts->stored;
    sum->unchanged += counts->unchanged;
    sum->skipped += counts->skipped;
    sum->failed += counts->failed;
    sum->created += counts->created;
    sum->changed += counts->changed;
    sum->hidden += counts->hidden;
    sum->waiting += counts->waiting;
    sum->standing += counts->standing;
}

/* Every count every time, also the zeros: who compares two lines, or reads
 * them by program, needs them in their places. What calls for somebody to do
 * something is said at the end of its part, and only then. */
void intake_put_counts(struct jz__buf *out, const struct intake_counts *counts)
{
    jz__buf_printf(out, "%lld session%s: %lld read, %lld unchanged",
                   (long long)counts->sessions,
                   counts->sessions == 1 ? "" : "s", (long long)counts->stored,
                   (long long)counts->unchanged);
    if (counts->standing > 0) {
        jz__buf_printf(out, " (%lld of them failed before: see status)",
                       (long long)counts->standing);
    }
    jz__buf_printf(out, ", %lld skipped, %lld failed",
                   (long long)counts->skipped, (long long)counts->failed);
    if (counts->waiting > 0) {
        jz__buf_printf(out, ", %lld wait%s for a version that reads them",
                       (long long)counts->waiting,
                       counts->waiting == 1 ? "s" : "");
    }
    jz__buf_printf(out, "; items: %lld new, %lld changed, %lld hidden",
                   (long long)counts->created, (long long)counts->changed,
                   (long long)counts->hidden);
}
