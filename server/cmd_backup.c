/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backup FILE: a copy of the library while a server works on it. The library
 * does it all; here are the progress on a terminal and Ctrl-C, which takes the
 * unfinished copy away.
 */
#include "command.h"
#include "commands.h"

#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "intake.h"
#include "prog/term.h"

struct backup_run {
    jz_library *lib;
    struct jz__term_progress progress;
    int64_t bytes;
};

static volatile sig_atomic_t is_stopped;

static void on_signal(int number)
{
    (void)number;
    is_stopped = 1;
}

/* Once: a second Ctrl-C ends the process, whatever it does. */
static void watch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal,
                                .sa_flags = (int)SA_RESETHAND | SA_RESTART };

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
}

static void on_progress(void *userdata, int64_t done, int64_t total)
{
    struct backup_run *run = userdata;
    const struct jz__term_step step = { .verb = "copying",
                                        .bytes_done = done,
                                        .bytes_total = total };

    run->bytes = total;
    jz__term_progress_show(&run->progress, &step, intake_now_ms());
    if (is_stopped != 0) {
        jz_library_interrupt(run->lib);
    }
}

int cmd_backup_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    const char *path = opts->arguments[0];
    struct backup_run run = { .bytes = 0 };
    int status = command_open(&library, opts, COMMAND_READS);
    int r;

    if (status != 0) {
        return status;
    }
    run.lib = library.lib;
    jz__term_progress_init(&run.progress, stderr, JZ__TERM_QUIET,
                           intake_now_ms());
    watch_signals();
    r = jz_backup(library.lib, path, on_progress, &run);
    jz__term_progress_clear(&run.progress);
    if (r < 0) {
        return command_fail_library(opts, library.lib, r);
    }
    jz__buf_puts(&text, "Copied ");
    jz__term_put_size(&text, run.bytes);
    jz__buf_puts(&text, " to ");
    jz__term_clean(&text, path, strlen(path));
    jz__buf_putc(&text, '\n');
    return text.error == 0 ? jz__command_put(opts, text.data)
                           : jz__command_fail(opts, "out of memory");
}
