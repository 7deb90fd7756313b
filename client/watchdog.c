/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a hook waits for has a deadline of its own, but for what nothing can
 * interrupt politely: a home folder on a file server that is gone, a disk that
 * is full of work, a machine that swaps. The agent's user waits for that as
 * well. So a timer ends the process, from a signal handler, which may do
 * nothing but write what was prepared before.
 */
#include "watchdog.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* What the handler prints: it is called once and cannot be given anything. */
static const char *volatile prepared = "";

static void end(int number)
{
    const char *text = prepared;

    (void)number;
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) {
        _exit(EXIT_SUCCESS); /* nobody reads it */
    }
    _exit(EXIT_SUCCESS);
}

void watchdog_start(int64_t limit_ms)
{
    struct sigaction action = { .sa_handler = end };
    /* 0 would switch it off. */
    int64_t left_ms = limit_ms > 0 ? limit_ms : 1;
    struct itimerval timer = {
        .it_value = { .tv_sec = (time_t)(left_ms / 1000),
                      .tv_usec = (suseconds_t)(left_ms % 1000 * 1000) },
    };
    sigset_t alarms;

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGALRM, &action, NULL);
    /* An agent may have started us with the signal blocked. */
    (void)sigemptyset(&alarms);
    (void)sigaddset(&alarms, SIGALRM);
    (void)sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void watchdog_set_text(const char *text)
{
    assert(text != NULL);

    prepared = text;
}
