/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook: what agents run. Whatever happens it ends with 0 and in time, and
 * stdout has nothing on it or one whole answer: a status of 2 would block the
 * user's prompt, and a broken answer is an error on the user's screen at every
 * turn.
 *
 * The input is read also when nothing will be done with it: an agent that
 * cannot write it may count the hook as failed.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "base/mem.h"
#include "commands.h"
#include "home.h"
#include "hook.h"
#include "hook_answer.h"
#include "hook_call.h"
#include "hook_input.h"
#include "net/fetch.h"
#include "spool.h"
#include "watchdog.h"

/* What is left of the limit when the server is no longer waited for, and when
 * the watchdog ends it all: the process started before the clock was looked
 * at. */
#define ANSWER_MS 300
#define EXIT_MS 100
/* For the input of a hook that has nothing to do. */
#define IDLE_MS 100

struct job {
    enum hook_event event;
    enum agent_id agent;
    int64_t start_ms;
    struct home home;
    struct hook_input input;
    struct hook_call call;
};

static void finish_job(struct job *job)
{
    home_finish(&job->home);
    hook_input_finish(&job->input);
    hook_call_finish(&job->call);
}

/* From here on the watchdog has nothing to say. */
static void print(const struct jz__buf *answer)
{
    size_t done = 0;

    watchdog_set_text("");
    while (answer->error == 0 && done < answer->length) {
        ssize_t n =
            write(STDOUT_FILENO, answer->data + done, answer->length - done);

        if (n >= 0) {
            done += (size_t)n;
        } else if (errno == EAGAIN) {
            /* Some agents leave our end of the pipe non-blocking. */
            struct pollfd wanted = { .fd = STDOUT_FILENO, .events = POLLOUT };

            (void)poll(&wanted, 1, -1);
        } else if (errno != EINTR) {
            return; /* the agent is gone */
        }
    }
}

static void print_nothing(enum agent_id agent)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf answer = JZ__BUF_INIT;

    hook_answer_put(&answer, agent, "");
    print(&answer);
}

/* Read the input; what an agent needs for it beyond the hook's own time is not
 * taken off that: the clock starts again. */
static int read_input(struct job *job, int64_t most_ms, struct jz__error *error)
{
    int64_t limit_ms = hook_limit_ms(job->event);
    int64_t late_ms;
    int r;

    watchdog_start(HOOK_INPUT_MOST_MS + limit_ms);
    r = hook_input_read(&job->input, STDIN_FILENO, job->start_ms + most_ms,
                        error);
    late_ms = jz__fetch_now_ms() - (job->start_ms + most_ms);
    if (r == 0 && late_ms > 0) {
        job->start_ms = jz__fetch_now_ms();
    }
    watchdog_start(job->start_ms + limit_ms - EXIT_MS - jz__fetch_now_ms());
    return r;
}

/* false: there is nothing to do. */
static bool read_call(struct job *job)
{
    struct jz__error error = { 0 };
    bool is_idle = !job->home.is_set_up;
    int64_t most = is_idle ? IDLE_MS : hook_limit_ms(job->event) - ANSWER_MS;
    int r = read_input(job, most, &error);

    if (r == 0 && !is_idle) {
        r = hook_call_read(&job->call, job->agent,
                           hook_input_value(&job->input), &error);
    }
    if (r < 0 && !is_idle) {
        home_log(&job->home, "hook %s --agent %s: %s", hook_name(job->event),
                 agent_name(job->agent), error.message);
    }
    return r == 0 && !is_idle;
}

static void run(struct job *job)
{
    JZ_CLEANUP(hook_finish)
    struct hook hook = {
        .event = job->event,
        .home = &job->home,
        .call = &job->call,
        .deadline_ms = job->start_ms + hook_limit_ms(job->event) - ANSWER_MS,
    };
    struct jz__error error = { 0 };

    if (hook_run(&hook) < 0) {
        print_nothing(job->agent);
        return;
    }
    print(&hook.answer);
    if (hook.has_queue && spool_start_flush(&job->home, &error) < 0) {
        home_log(&job->home, "hook %s: %s", hook_name(job->event),
                 error.message);
    }
}

static bool is_disabled(void)
{
    const char *value = getenv("JEZERO_DISABLE");

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static void serve(struct job *job)
{
    struct jz__error error = { 0 };

    if (!is_disabled()) {
        if (home_open(&job->home, agent_name(job->agent), &error) < 0) {
            home_log(&job->home, "hook %s: %s", hook_name(job->event),
                     error.message);
            fprintf(stderr, "jezero-client hook: %s\n", error.message);
        }
    }
    if (read_call(job)) {
        run(job);
    } else {
        print_nothing(job->agent);
    }
}

int cmd_hook_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(finish_job) struct job job = { .start_ms = jz__fetch_now_ms() };
    const char *agent = jz__opts_value(opts, "agent");

    (void)signal(SIGPIPE, SIG_IGN);
    if (agent == NULL || !agent_find(&job.agent, agent)) {
        fprintf(stderr, "%s hook: --agent must be %s\n", opts->called,
                agent_names());
        return EXIT_SUCCESS;
    }
    if (!hook_find(&job.event, opts->arguments[0])) {
        fprintf(stderr,
                "%s hook: the event must be session-start, user-prompt, stop "
                "or session-end, got '%s'\n",
                opts->called, opts->arguments[0]);
        print_nothing(job.agent);
        return EXIT_SUCCESS;
    }
    if (job.agent == AGENT_ANTIGRAVITY) {
        watchdog_set_text("{}\n");
    }
    watchdog_start(hook_limit_ms(job.event) - EXIT_MS);
    serve(&job);
    return EXIT_SUCCESS;
}
