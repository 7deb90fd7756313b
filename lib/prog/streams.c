/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever starts a program may have closed its standard streams (`2>&-`, some
 * supervisors, a parent that was careless). The next file that is opened gets
 * the free number: a library as descriptor 2 would be overwritten by the first
 * message, and libuv aborts when its own descriptors are among the three.
 *
 * What is opened instead is the null device, and for the wrong direction: a read
 * of stdin or a write to stdout fails with EBADF, as it would have without, so
 * that a result which nobody can read still is a failure and no silence.
 */
#include "prog/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* No O_CLOEXEC: in a program that is started from here the numbers are as free
 * as they were. open() gives the lowest one, and those below are taken. */
bool jz__streams_reserve(void)
{
    static const int flags[] = { O_WRONLY, O_RDONLY, O_RDONLY };

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", flags[fd]) != fd) {
            return false;
        }
    }
    return true;
}
