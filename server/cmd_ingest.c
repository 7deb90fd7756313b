/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ingest: one pass over the paths that were named, or over the connectors of
 * the configuration and what was uploaded. What fails is named with its reason;
 * the rest is taken.
 */
#include "command.h"
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "connectors.h"
#include "device.h"
#include "intake.h"

#define NAME_PATHS "name the files or folders to take in"

/* What could not be taken, as a line of this command. */
static void on_log(void *userdata, int level, const char *message)
{
    const struct jz__opts *opts = userdata;

    if (level <= JZ_LOG_WARNING) {
        (void)jz__command_fail(opts, "%s", message);
    }
}

/* The paths that were typed: transcripts of any known agent, by content. */
/* These are files of this computer, so the git folders that they name may be
 * looked at to find their projects; one that is not here is no project. */
static int name_paths(struct intake_place **out, size_t *count,
                      const struct jz__opts *opts)
{
    size_t i;

    *count = opts->argument_count;
    *out = calloc(opts->argument_count, sizeof(**out));
    if (*out == NULL) {
        return jz__command_fail(opts, "out of memory");
    }
    for (i = 0; i < opts->argument_count; i++) {
        (*out)[i] = (struct intake_place){
            .path = opts->arguments[i],
            .source = jz__opts_value(opts, "source"),
            .is_local = true,
            .must_exist = true,
        };
    }
    return 0;
}

/* The real path of the uploads, if the pass takes everything, for the caller to
 * free; NULL: it does not, or there are none yet. */
static char *inbox_of(const struct jz__opts *opts,
                      const struct command_library *library)
{
    return library->config_file != NULL && opts->argument_count == 0 &&
                   !jz__opts_has(opts, "source")
               ? realpath(library->config.inbox.path, NULL)
               : NULL;
}

/* With --library there is no configuration and so there are no connectors: a
 * path is then missing, which is wrong usage. */
static int name_connectors(struct intake_place **out, size_t *count,
                           const struct jz__opts *opts,
                           const struct command_library *library,
                           bool has_inbox)
{
    struct jz__log log = { on_log, NULL };
    struct jz__error error = { 0 };
    struct jz__opts mine = *opts; /* the callback's argument is not const */

    log.userdata = &mine;
    if (library->config_file == NULL) {
        return jz__command_wrong(opts, NAME_PATHS);
    }
    if (library->config.connector_count == 0) {
        return has_inbox ? 0
                         : jz__command_fail(
                               opts,
                               "%s has no [[connectors]] and nothing was "
                               "uploaded: add one, or name the files or "
                               "folders to take in",
                               library->config_file);
    }
    if (connectors_places(out, count, &library->config,
                          jz__opts_value(opts, "source"), &log, &error) < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    return 0;
}

/* The counts are printed in any case: what was taken before a full disk stays
 * taken. */
static int run_pass(const struct jz__opts *opts,
                    const struct command_library *library, const char *inbox,
                    const struct intake_place *places, size_t place_count)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__term_progress progress;
    struct jz__opts mine = *opts;
    char device[DEVICE_SIZE];
    struct intake intake = {
        .lib = library->lib,
        .inbox = inbox,
        .keep_days = library->config.inbox.keep_days,
        .places = places,
        .place_count = place_count,
        .device = device,
        .is_dry_run = jz__opts_has(opts, "dry-run"),
        .progress = &progress,
        .log = { on_log, &mine },
    };
    struct intake_counts counts;
    struct jz__error error = { 0 };
    bool has_none;
    int status;
    int r;

    device_name(device);
    jz__term_progress_init(&progress, stderr, JZ__TERM_QUIET, intake_now_ms());
    r = intake_run(&counts, &intake, 0, &error);
    has_none = r == 0 && counts.sessions == 0 && counts.failed == 0;
    if (has_none) {
        (void)jz__command_fail(opts, "no sessions of a known agent were found");
    }
    if (counts.waiting > 0) {
        (void)jz__command_fail(
            opts,
            counts.waiting == 1
                ? "%lld upload is of an agent that this version "
                  "does not read: it is kept in %s"
                : "%lld uploads are of agents that this version "
                  "does not read: they are kept in %s",
            (long long)counts.waiting, inbox);
    }
    intake_put_counts(&text, &counts);
    jz__buf_puts(&text,
                 intake.is_dry_run ? " (a dry run: nothing is kept)\n" : "\n");
    if (text.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    status = jz__command_put(opts, text.data);
    if (r < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    /* Without sessions connectors had a quiet day; a path was a mistake. */
    if (counts.failed > 0 || (has_none && opts->argument_count > 0)) {
        return JZ__COMMAND_FAILED;
    }
    return status;
}

/* What is typed wrong must not leave an empty library behind. One path that is
 * there is enough: the others are named by the pass. */
static int check_paths(const struct jz__opts *opts)
{
    size_t i;

    if (opts->argument_count == 0) {
        return jz__opts_has(opts, "library") && !jz__opts_has(opts, "config")
                   ? jz__command_wrong(opts, NAME_PATHS)
                   : 0;
    }
    for (i = 0; i < opts->argument_count; i++) {
        if (access(opts->arguments[i], F_OK) == 0) {
            return 0;
        }
    }
    for (i = 0; i < opts->argument_count; i++) {
        (void)jz__command_fail(opts, "%s: there is no such file or folder",
                               opts->arguments[i]);
    }
    return JZ__COMMAND_FAILED;
}

int cmd_ingest_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    JZ_CLEANUP(jz__mem_freep) struct intake_place *places = NULL;
    JZ_CLEANUP(jz__mem_freep) char *inbox = NULL;
    size_t count = 0;
    int status = check_paths(opts);

    if (status != 0) {
        return status;
    }
    /* A dry run leaves no new library behind. */
    status = command_open(&library, opts,
                          jz__opts_has(opts, "dry-run") ? COMMAND_WRITES
                                                        : COMMAND_CREATES);
    if (status != 0) {
        return status;
    }
    inbox = inbox_of(opts, &library);
    status =
        opts->argument_count > 0
            ? name_paths(&places, &count, opts)
            : name_connectors(&places, &count, opts, &library, inbox != NULL);
    return status == 0 ? run_pass(opts, &library, inbox, places, count)
                       : status;
}
