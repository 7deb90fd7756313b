/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flush: what hooks start in the background, and people run to see what becomes
 * of the queue. Hooks' runs have nobody to read what is printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "command.h"
#include "commands.h"
#include "flush.h"
#include "home.h"
#include "net/fetch.h"
#include "prog/term.h"

static void show(void *userdata, int64_t done, int64_t total)
{
    const struct jz__term_step step = {
        .verb = "sending", .unit = "sessions", .done = done, .total = total
    };

    jz__term_progress_show(userdata, &step, jz__fetch_now_ms());
}

static void print_counts(const struct flush_counts *counts)
{
    printf("{\"sent\": %" PRId64 ", \"unchanged\": %" PRId64
           ", \"gone\": %" PRId64 ", \"failed\": %" PRId64
           ", \"rejected\": %" PRId64 "}\n",
           counts->sent, counts->unchanged, counts->gone, counts->failed,
           counts->rejected);
}

static int run(const char *called, const struct home *home)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf why = JZ__BUF_INIT;
    struct jz__term_progress progress;
    const struct flush_options options = { show, &progress };
    struct flush_counts counts = { 0 };
    struct jz__error error = { 0 };
    int r = 0;

    jz__term_progress_init(&progress, stderr, JZ__TERM_QUIET,
                           jz__fetch_now_ms());
    jz__term_progress_start(&progress, jz__fetch_now_ms());
    /* A computer that became read-only keeps what it had queued. */
    if (home->may_upload) {
        r = flush_run(&counts, &why, home, &options, &error);
    }
    jz__term_progress_clear(&progress);
    print_counts(&counts);
    if (r < 0) {
        home_log(home, "flush: %s", error.message);
        fprintf(stderr, "%s flush: %s\n", called, error.message);
    } else if (why.length > 0) {
        fprintf(stderr, "%s flush: %s (the queue is kept)\n", called, why.data);
    }
    return r < 0 || counts.failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cmd_flush_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(home_finish) struct home home = { 0 };
    int status = command_home(&home, opts);

    if (status != 0) {
        return status;
    }
    if (!home.is_set_up) {
        printf("not set up (%s): run `init` first\n", home.path);
        return EXIT_FAILURE;
    }
    return run(opts->called, &home);
}
