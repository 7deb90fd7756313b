/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a hook that something holds up. */
#include "watchdog.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* A process that waits for ever, with this text set: what it printed. Each check
 * has its process, because the watchdog ends it. */
static void check_end(const char *text, bool is_blocked, const char *want)
{
    char got[64] = "";
    sigset_t all;
    int ends[2];
    int status;
    pid_t pid;

    CHECK_INT(pipe(ends), 0);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)sigfillset(&all);
        (void)sigprocmask(is_blocked ? SIG_SETMASK : SIG_UNBLOCK, &all, NULL);
        watchdog_start(20);
        if (text != NULL) {
            watchdog_set_text(text);
        }
        for (;;) {
            pause();
        }
    }
    close(ends[1]);
    CHECK_INT(read(ends[0], got, sizeof(got) - 1), strlen(want));
    CHECK_STR(got, want);
    close(ends[0]);
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void text_that_was_set_is_printed(void)
{
    check_end("{}\n", false, "{}\n");
}

static void nothing_is_printed_without_a_text(void)
{
    check_end(NULL, false, "");
    check_end("", false, "");
}

static void blocked_signals_do_not_hold_it_up(void)
{
    check_end("{}\n", true, "{}\n");
}

int main(void)
{
    TAP_RUN(text_that_was_set_is_printed);
    TAP_RUN(nothing_is_printed_without_a_text);
    TAP_RUN(blocked_signals_do_not_hold_it_up);
    return tap_done();
}
