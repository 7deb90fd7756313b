/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backfill: the sessions that were there before this computer was connected, or
 * that no hook told of. Each agent's go to the queue of the key that the agent
 * uses, and every such queue is then sent in the background.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent.h"
#include "backfill.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "commands.h"
#include "home.h"
#include "net/fetch.h"
#include "prog/command.h"
#include "prog/term.h"
#include "spool.h"

#define DAYS 90
#define DAYS_MOST 36500
#define DAY_SECONDS 86400

struct run {
    struct jz__term_progress progress;
    const char *called;
    struct backfill_options options;
    int64_t queued;
    bool has_failed;
    bool is_useless; /* there is no agent whose sessions could be sent */
    bool is_sending;
};

static void show(void *userdata, int64_t done, int64_t total)
{
    const struct jz__term_step step = {
        .verb = "queueing", .unit = "sessions", .done = done, .total = total
    };
    struct run *run = userdata;

    jz__term_progress_show(&run->progress, &step, jz__fetch_now_ms());
}

/* "claude-code: …", a fault; the text may have come from elsewhere. */
static void print_fault(struct run *run, const char *agent, const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    jz__utf8_one_line(&line, text, strlen(text));
    jz__term_progress_clear(&run->progress);
    printf("%s: %s\n", agent, line.length > 0 ? line.data : "");
    run->has_failed = true;
}

/* Started at once for each agent, not at the end for all: a flush that is at it
 * takes what the next agents add. */
static void queue_agent(struct run *run, const struct home *home,
                        enum agent_id agent)
{
    struct backfill_counts counts;
    struct jz__error error = { 0 };
    int r = backfill_run(&counts, home, agent, &run->options, &error);

    jz__term_progress_clear(&run->progress);
    run->queued += counts.queued;
    if (r < 0) {
        print_fault(run, agent_name(agent), error.message);
    } else if (counts.failed > 0) {
        printf("%" PRId64 " session%s not queued: ", counts.failed,
               counts.failed == 1 ? "" : "s");
        print_fault(run, agent_name(agent), counts.first.message);
    }
    if (spool_count(home) == 0) {
        return;
    }
    run->is_sending = true;
    if (spool_run_flush(home, &error) < 0) {
        print_fault(run, agent_name(agent), error.message);
    }
}

static void run_agent(struct run *run, enum agent_id agent)
{
    JZ_CLEANUP(home_finish) struct home home = { 0 };
    struct jz__error error = { 0 };

    if (home_open(&home, agent_name(agent), &error) < 0) {
        print_fault(run, agent_name(agent), error.message);
    } else if (!home.is_set_up) {
        printf("%s: not set up (%s): run `init` first\n", agent_name(agent),
               home.path);
        run->has_failed = true;
    } else if (!home.may_upload) {
        printf("%s: read-only computer (init --no-upload): nothing to "
               "upload\n",
               agent_name(agent));
    } else {
        run->is_useless = false;
        queue_agent(run, &home, agent);
    }
}

/* false: it is no whole number of days. */
static bool take_days(int64_t *out, const char *text)
{
    char *end;
    long value;

    if (text == NULL) {
        *out = DAYS;
        return true;
    }
    value = strtol(text, &end, 10);
    *out = value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value >= 1 &&
           value <= DAYS_MOST;
}

/* false: there is no agent of a name that was given. */
static bool take_agents(bool *chosen, const struct jz__opts *opts)
{
    const char *name;
    enum agent_id agent;

    for (size_t n = 0; (name = jz__opts_nth(opts, "agent", n)) != NULL; n++) {
        if (!agent_find(&agent, name)) {
            (void)jz__command_wrong(opts, "--agent must be %s, got '%s'",
                                    agent_names(), name);
            return false;
        }
        chosen[agent] = true;
    }
    for (int i = 0; i < AGENT_COUNT && !jz__opts_has(opts, "agent"); i++) {
        chosen[i] = true;
    }
    return true;
}

static void print_queued(const struct run *run, int64_t days)
{
    if (run->is_useless) {
        return;
    }
    printf("queued %" PRId64 " session%s", run->queued,
           run->queued == 1 ? "" : "s");
    if (run->is_sending) {
        printf("; uploading in the background\n");
    } else if (run->has_failed) {
        printf("\n");
    } else {
        printf(": none changed in the last %" PRId64 " day%s\n", days,
               days == 1 ? "" : "s");
    }
}

int cmd_backfill_run(const struct jz__opts *opts)
{
    struct run run = { .called = opts->called, .is_useless = true };
    bool chosen[AGENT_COUNT] = { false };
    int64_t days;

    if (!take_days(&days, jz__opts_value(opts, "days"))) {
        return jz__command_wrong(
            opts, "--days must be a whole number from 1 to %d, got '%s'",
            DAYS_MOST, jz__opts_value(opts, "days"));
    }
    if (!take_agents(chosen, opts)) {
        return JZ__COMMAND_WRONG;
    }
    jz__term_progress_init(&run.progress, stderr, JZ__TERM_QUIET,
                           jz__fetch_now_ms());
    jz__term_progress_start(&run.progress, jz__fetch_now_ms());
    run.options = (struct backfill_options){
        .since = (int64_t)time(NULL) - days * DAY_SECONDS,
        .progress = show,
        .userdata = &run,
    };
    for (int i = 0; i < AGENT_COUNT; i++) {
        if (chosen[i]) {
            run_agent(&run, (enum agent_id)i);
        }
    }
    print_queued(&run, days);
    return run.has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
