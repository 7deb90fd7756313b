/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All addresses are tried, one beginning 250 ms after the other or at once when
 * the one before has failed, and the first that answers wins (the "happy
 * eyeballs" of RFC 8305). A dead IPv6 address in front of a living IPv4 one so
 * costs a quarter of a second, and a server that listens on one loopback address
 * only is found at once.
 */
#include "net/dial.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/phrase.h"

struct dial {
    const struct jz__resolve *found;
    int port;
    size_t next;     /* address that is to be tried next */
    int64_t next_ms; /* when */
    struct pollfd tries[JZ__RESOLVE_MOST];
    size_t count; /* of tries under way */
    int cause;    /* errno of the failure that is worth telling */
    int fd;       /* what answered, or -1 */
};

static bool set_up(int fd)
{
    static const int on = 1;
    int flags = fcntl(fd, F_GETFL);

    /* Requests are written in one go, so nothing is gained by waiting for more
     * to send, and the last piece of an upload would wait for an answer. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
#ifdef SO_NOSIGPIPE
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* SOCK_CLOEXEC, where it is, leaves no moment in which another thread's child
 * could inherit the connection. */
static int open_socket(const struct jz__address *address)
{
    int family = address->is_v6 ? AF_INET6 : AF_INET;
#ifdef SOCK_CLOEXEC
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
    int fd = socket(family, SOCK_STREAM, 0);
#endif
    if (fd >= 0 && !set_up(fd)) {
        int number = errno;

        (void)close(fd);
        errno = number;
        return -1;
    }
    return fd;
}

static int start_connect(int fd, const struct jz__address *address, int port)
{
    struct sockaddr_storage storage = { 0 };
    socklen_t size;

    if (address->is_v6) {
        struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
                                   .sin6_port = htons((uint16_t)port),
                                   .sin6_scope_id = address->scope };

        memcpy(&v6.sin6_addr, address->bytes, 16);
        memcpy(&storage, &v6, sizeof(v6));
        size = sizeof(v6);
    } else {
        struct sockaddr_in v4 = { .sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port) };

        memcpy(&v4.sin_addr, address->bytes, 4);
        memcpy(&storage, &v4, sizeof(v4));
        size = sizeof(v4);
    }
    return connect(fd, (const struct sockaddr *)&storage, size);
}

/* A family that this computer has no way for, or a link-local address without
 * its link (EINVAL), says nothing about the server. */
static bool is_own_fault(int number)
{
    return number == ENETUNREACH || number == EADDRNOTAVAIL ||
           number == EAFNOSUPPORT || number == EINVAL;
}

static void note_failure(struct dial *dial, int number)
{
    if (dial->cause == 0 || is_own_fault(dial->cause)) {
        dial->cause = number;
    }
}

/* Begin with the next address; those that fail at once are passed over. */
static void begin_next(struct dial *dial)
{
    while (dial->fd < 0 && dial->next < dial->found->count) {
        const struct jz__address *address =
            &dial->found->addresses[dial->next++];
        int fd = open_socket(address);

        if (fd >= 0 && start_connect(fd, address, dial->port) == 0) {
            dial->fd = fd;
            return;
        }
        if (fd >= 0 && (errno == EINPROGRESS || errno == EINTR)) {
            dial->tries[dial->count++] =
                (struct pollfd){ .fd = fd, .events = POLLOUT };
            dial->next_ms = jz__deadline_now_ms() + JZ__DIAL_STAGGER_MS;
            return;
        }
        note_failure(dial, errno);
        if (fd >= 0) {
            (void)close(fd);
        }
    }
}

/* How a try went that is over: 0, or an errno. */
static int result_of(int fd)
{
    int number = 0;
    socklen_t size = sizeof(number);

    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number
                                                                     : errno;
}

static void take_results(struct dial *dial)
{
    size_t kept = 0;

    for (size_t i = 0; i < dial->count; i++) {
        struct pollfd try = dial->tries[i];
        int number = try.revents != 0 ? result_of(try.fd) : 0;

        if (try.revents == 0 || (number == 0 && dial->fd >= 0)) {
            dial->tries[kept++] = try;
        } else if (number == 0) {
            dial->fd = try.fd;
        } else {
            note_failure(dial, number);
            (void)close(try.fd);
            dial->next_ms = 0;
        }
    }
    dial->count = kept;
}

/* Until one has answered, all have failed or the time is up. */
static void run(struct dial *dial, const struct jz__deadline *deadline)
{
    while (dial->fd < 0 && jz__deadline_left_ms(deadline) > 0) {
        bool has_next = dial->next < dial->found->count;

        if (has_next && jz__deadline_now_ms() >= dial->next_ms) {
            begin_next(dial);
            continue;
        }
        if (!has_next && dial->count == 0) {
            return;
        }
        (void)jz__deadline_poll(dial->tries, dial->count, deadline,
                                has_next ? dial->next_ms : 0);
        take_results(dial);
    }
}

int jz__dial_connect(int *out, const struct jz__resolve *found,
                     const char *host, int port,
                     const struct jz__deadline *deadline,
                     struct jz__error *error)
{
    struct dial dial = { .found = found, .port = port, .fd = -1 };
    char span[JZ__DEADLINE_TEXT_SIZE];
    char reason[JZ__PHRASE_SIZE];
    bool was_late;

    assert(out != NULL && host != NULL && port >= 0 && port <= 65535);

    run(&dial, deadline);
    was_late = dial.count > 0 || dial.next < found->count;
    for (size_t i = 0; i < dial.count; i++) {
        (void)close(dial.tries[i].fd);
    }
    *out = dial.fd;
    if (dial.fd >= 0) {
        return 0;
    }
    if (was_late) {
        return jz__fail(error, JZ_EIO,
                        "cannot connect to %s port %d: no answer within %s",
                        host, port, jz__deadline_show(span, deadline));
    }
    return jz__fail(error, JZ_EIO, "cannot connect to %s port %d: %s", host,
                    port, jz__phrase_errno(reason, dial.cause));
}
