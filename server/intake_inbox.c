/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uploads as sessions. Where a file lies says everything: whose it is and of
 * which agent, so of which source. What is not at a place where an upload can
 * be (the projects beside the files, an upload that is arriving, what somebody
 * put there by hand) is passed over.
 *
 * A file that did not change costs a stat, so a look at the whole inbox is
 * cheap, and after a crash it is all that is needed: a file is in the inbox
 * before its computer was told so.
 */
#include "intake_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "connectors.h"
#include "inbox_disk.h"

#define DAY_NS ((int64_t)86400 * 1000000000)

/* Readings of a file whose project changes meanwhile. */
#define ATTEMPTS_MOST 3

/* "laptop/codex/2026/10/09/rollout-a.jsonl" below the inbox; false: it is no
 * upload. */
static bool read_place(struct jz__str *device, struct inbox_path *path,
                       const char *inbox, const char *file)
{
    size_t length = strlen(inbox);
    const char *reason;
    const char *slash;

    if (strncmp(file, inbox, length) != 0) {
        return false;
    }
    file += length;
    file += strspn(file, "/");
    slash = strchr(file, '/');
    if (slash == NULL || file[0] == '.') {
        return false;
    }
    *device = (struct jz__str){ file, (size_t)(slash - file) };
    return inbox_path_parse(path, &reason, jz__str_of(slash + 1));
}

/* Remove a file that is old, and in the library. A computer that sends it again
 * costs one more reading of it. */
static void remove_old(const struct intake_pass *pass, const char *path)
{
    const struct intake *intake = pass->intake;
    struct jz__file_state state;
    int64_t now_ns = (int64_t)time(NULL) * 1000000000;

    if (intake->keep_days == 0 || intake->is_dry_run ||
        jz__file_stat(&state, path, NULL) < 0 ||
        now_ns - state.mtime_ns < intake->keep_days * DAY_NS) {
        return;
    }
    if (inbox_disk_remove(intake->inbox, path, &state) != 0) {
        jz__log_write(&intake->log, JZ_LOG_WARNING,
                      "%s: it is in the library and old, and cannot be removed",
                      path);
    }
}

static bool is_same(const struct jz__buf *a, const struct jz__buf *b)
{
    return a->length == b->length &&
           (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

/* Without its project the session would be of the wrong one: it waits. */
static bool read_project(struct jz__buf *out, struct intake_pass *pass,
                         const char *path)
{
    jz__buf_clear(out);
    if (inbox_disk_project_of(out, path) == 0) {
        return true;
    }
    jz__log_write(&pass->intake->log, JZ_LOG_WARNING,
                  "%s: its project cannot be read", path);
    pass->counts->failed++;
    return false;
}

/*
 * An upload may put a new project and a new file in their places between the
 * moment that the one is read and the moment that the other is. So the project
 * is read behind the file once more: else the new file would be known, with the
 * old project, and stay so.
 */
static int take(struct intake_pass *pass, const char *path,
                struct jz__str device, const char *agent)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf source = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf project = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf after = JZ__BUF_INIT;
    struct intake_place place = { .agent = agent, .path = path };
    enum intake_outcome outcome = INTAKE_FAILED;
    bool has_changed = true;
    int i;

    jz__buf_printf(&source, "agent-%s-%.*s", agent, (int)device.length,
                   device.data);
    if (source.error != 0) {
        return jz__fail_memory(pass->error);
    }
    place.source = source.data;
    for (i = 0; has_changed && i < ATTEMPTS_MOST; i++) {
        int r;

        if (!read_project(&project, pass, path)) {
            return 0;
        }
        place.project = project.length > 0 ? project.data : NULL;
        place.again = i > 0;
        r = intake_take_session(&outcome, pass, &place, agent, path);
        if (r < 0) {
            return r;
        }
        if (!read_project(&after, pass, path)) {
            return 0;
        }
        has_changed = !is_same(&project, &after);
    }
    if (outcome == INTAKE_TAKEN && !has_changed) {
        remove_old(pass, path);
    }
    return 0;
}

int intake_take_upload(struct intake_pass *pass, const char *path)
{
    struct inbox_path parts;
    struct jz__str device;

    assert(pass->intake->inbox != NULL);

    if (!read_place(&device, &parts, pass->intake->inbox, path)) {
        return 0;
    }
    pass->counts->sessions++;
    if (!connectors_reads(jz__str_of(parts.agent))) {
        pass->counts->waiting++;
        return 0;
    }
    return take(pass, path, device, parts.agent);
}

/* Above 0 the walk ends in order: somebody asked for the end. */
static int on_file(void *userdata, const char *path)
{
    struct intake_pass *pass = userdata;
    int r;

    if (intake_is_stopped(pass->intake)) {
        return 1;
    }
    r = intake_take_upload(pass, path);
    return r == 0 ? intake_maintain_sometimes(pass) : r;
}

int intake_take_inbox(struct intake_pass *pass)
{
    int r =
        jz__file_walk(pass->intake->inbox, on_file, pass, NULL, pass->error);

    /* Nobody has uploaded anything: there is not even the folder. */
    return r > 0 || r == JZ_ENOTFOUND ? 0 : r;
}
