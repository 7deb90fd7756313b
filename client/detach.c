/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent waits until nobody holds the pipes that it gave a hook, and ends the
 * hook's whole group when it loses patience. So the uploader gets neither.
 *
 * posix_spawn() is used, since it costs a third of what fork() does. It cannot
 * close descriptors that nobody knows of in the child, so they are marked here
 * to be closed there.
 */
#include "detach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "program.h"

#define VARIABLE "JEZERO_CLIENT_HOME="

/* The file that is running, also when another version lies there by now. */
#define SELF "/proc/self/exe"

extern char **environ;

struct start {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
};

/* --- what the child must not inherit --- */

static void mark(int fd)
{
    int flags = fcntl(fd, F_GETFD);

    if (flags >= 0) {
        (void)fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
}

/* All but the three streams, which the child gets anew. */
static void mark_all(void)
{
    DIR *folder = opendir("/dev/fd");
    const struct dirent *entry;

    if (folder == NULL) {
        long most = sysconf(_SC_OPEN_MAX);

        for (int fd = STDERR_FILENO + 1; fd < (most > 0 ? most : 256); fd++) {
            mark(fd);
        }
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        long fd = strtol(entry->d_name, NULL, 10);

        if (fd > STDERR_FILENO) {
            mark((int)fd);
        }
    }
    (void)closedir(folder);
}

/* --- what it gets --- */

/* Signals may be ignored or blocked by whoever started us. SIGKILL and SIGSTOP
 * cannot be, and not every system lets them be named. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t all;
    sigset_t none;
    int r;

    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGKILL);
    (void)sigdelset(&all, SIGSTOP);
    (void)sigemptyset(&none);
    r = posix_spawnattr_setsigdefault(attributes, &all);
    if (r == 0) {
        r = posix_spawnattr_setsigmask(attributes, &none);
    }
    return r != 0 ? r
                  : posix_spawnattr_setflags(
                        attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
                                        POSIX_SPAWN_SETSIGMASK);
}

static int set_streams(posix_spawn_file_actions_t *actions)
{
    int r = 0;

    for (int fd = 0; fd <= STDERR_FILENO && r == 0; fd++) {
        r = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR,
                                             0);
    }
    return r;
}

/* The environment with the home in it, ended by a NULL; the strings are
 * borrowed. */
static char **make_environment(char *home)
{
    size_t count = 0;
    size_t kept = 0;
    char **made;

    while (environ[count] != NULL) {
        count++;
    }
    made = calloc(count + 2, sizeof(*made));
    if (made == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], VARIABLE, strlen(VARIABLE)) != 0) {
            made[kept++] = environ[i];
        }
    }
    made[kept] = home;
    return made;
}

/* Without /proc by its path, which an update may have replaced. */
static int spawn(const struct start *start, char **environment)
{
    char name[] = "jezero-client";
    char command[] = "flush";
    char *arguments[] = { name, command, NULL };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    pid_t pid;
    int r = posix_spawn(&pid, SELF, &start->actions, &start->attributes,
                        arguments, environment);

    if (r == 0 || program_put_path(&path, NULL) < 0) {
        return r;
    }
    return posix_spawn(&pid, path.data, &start->actions, &start->attributes,
                       arguments, environment);
}

static int prepare_and_spawn(struct start *start, char **environment)
{
    int r = set_signals(&start->attributes);

    if (r == 0) {
        r = set_streams(&start->actions);
    }
    if (r != 0) {
        return r;
    }
    mark_all();
    return spawn(start, environment);
}

int detach_flush(const struct home *home, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf value = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep) char **environment = NULL;
    struct start start;
    int r;

    jz__buf_printf(&value, VARIABLE "%s", home->path);
    environment = value.error == 0 ? make_environment(value.data) : NULL;
    if (environment == NULL) {
        return jz__fail_memory(error);
    }
    r = posix_spawnattr_init(&start.attributes);
    if (r == 0) {
        r = posix_spawn_file_actions_init(&start.actions);
        if (r == 0) {
            r = prepare_and_spawn(&start, environment);
            (void)posix_spawn_file_actions_destroy(&start.actions);
        }
        (void)posix_spawnattr_destroy(&start.attributes);
    }
    return r == 0 ? 0 : jz__fail_errno(error, r, "cannot start", "the upload");
}
