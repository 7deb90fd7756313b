/* SPDX-License-Identifier: Apache-2.0 */
/* Each case in a process of its own, which tells by its exit status. */
#include "prog/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* Is the descriptor open, and neither for this direction nor anybody's file? */
static bool is_dummy(int fd)
{
    char byte = 'x';
    ssize_t n = fd == 0 ? read(fd, &byte, 1) : write(fd, &byte, 1);

    return n < 0 && errno == EBADF && fcntl(fd, F_GETFD) == 0;
}

/* The three streams with those of the mask closed: 0 if all is right. */
static int run(unsigned closed)
{
    struct stat before[3] = { 0 };
    struct stat after;

    for (int fd = 0; fd < 3; fd++) {
        if ((closed & 1U << fd) != 0) {
            (void)close(fd);
        } else if (fstat(fd, &before[fd]) < 0) {
            return 10;
        }
    }
    if (!jz__streams_reserve()) {
        return 11;
    }
    for (int fd = 0; fd < 3; fd++) {
        bool was_closed = (closed & 1U << fd) != 0;

        if (was_closed && !is_dummy(fd)) {
            return 20 + fd;
        }
        if (!was_closed &&
            (fstat(fd, &after) < 0 || after.st_ino != before[fd].st_ino)) {
            return 30 + fd;
        }
    }
    return open("/dev/null", O_RDONLY | O_CLOEXEC) > 2 ? 0 : 40;
}

static int status_of(unsigned closed)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        _exit(run(closed));
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void what_is_closed_is_taken_and_what_is_open_stays(void)
{
    for (unsigned closed = 0; closed < 8; closed++) {
        CHECK_INT(status_of(closed), 0);
    }
}

int main(void)
{
    TAP_RUN(what_is_closed_is_taken_and_what_is_open_stays);
    return tap_done();
}
