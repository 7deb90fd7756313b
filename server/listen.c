/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two things are done with care here.
 *
 * All addresses listen on the same port or none does: a client that dials
 * "localhost" may try either family first, and half a server is worse than a
 * message. A family that the system does not have is passed over.
 *
 * When the system has no descriptor or no memory for a connection, accepting
 * pauses for a second. libuv would try again at once, for ever, with the
 * connection still waiting; it has no way to stop that but to close the
 * handle. So the handle is closed, while a second descriptor, made at the
 * start, keeps the socket listening, and connections wait in its queue.
 */
#include "listen.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define BACKLOG 511
#define PAUSE_MS 1000
#define COMPLAIN_MS 60000
#define PORT_TRIES 16

struct address_list {
    struct sockaddr_storage items[LISTEN_MOST];
    size_t count;
};

/* The handle is its own memory: a socket outlives the handles that it pauses
 * with. */
static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static void on_connection(uv_stream_t *listener, int status);

/* --- a pause --- */

static void socket_pause(struct listen_socket *one)
{
    if (one->handle != NULL) {
        uv_close((uv_handle_t *)one->handle, free_handle);
        one->handle = NULL;
    }
}

/* A handle on a copy of the spare descriptor. */
static int socket_resume(struct listen_socket *one)
{
    int fd;
    int r;

    one->handle = malloc(sizeof(*one->handle));
    if (one->handle == NULL) {
        return UV_ENOMEM;
    }
    r = uv_tcp_init(one->set->loop, one->handle);
    if (r < 0) {
        free(one->handle);
        one->handle = NULL;
        return r;
    }
    one->handle->data = one;
    fd = fcntl(one->spare, F_DUPFD_CLOEXEC, 3);
    r = fd < 0 ? UV_EMFILE : uv_tcp_open(one->handle, fd);
    if (r < 0 && fd >= 0) {
        (void)close(fd);
    }
    if (r == 0) {
        r = uv_listen((uv_stream_t *)one->handle, BACKLOG, on_connection);
    }
    if (r < 0) {
        socket_pause(one);
    }
    return r;
}

/* Each socket on its own: one of two may be open again already. */
static void on_resume(uv_timer_t *timer)
{
    struct listen_set *set = timer->data;

    for (size_t i = 0; i < set->count; i++) {
        if (set->sockets[i].handle == NULL &&
            socket_resume(&set->sockets[i]) < 0) {
            (void)uv_timer_start(timer, on_resume, PAUSE_MS, 0);
        }
    }
}

static void set_pause(struct listen_socket *one, int reason)
{
    struct listen_set *set = one->set;
    uint64_t now = uv_now(set->loop);

    if (set->complained_at == 0 || now - set->complained_at >= COMPLAIN_MS) {
        set->complained_at = now;
        jz__log_write(set->log, JZ_LOG_WARNING,
                      "cannot accept connections for now: %s",
                      uv_strerror(reason));
    }
    socket_pause(one);
    (void)uv_timer_start(&set->resume, on_resume, PAUSE_MS, 0);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct listen_socket *one = listener->data;

    if (status == 0) {
        status = one->set->accept(one->set->userdata, listener);
    }
    if (status < 0) {
        set_pause(one, status);
    }
}

/* --- the start --- */

/* The address as it is, with the port that was given for 0. */
static void note_address(struct listen_socket *one, int *port)
{
    struct sockaddr_storage bound;
    int length = sizeof(bound);
    char name[48] = "?";

    if (uv_tcp_getsockname(one->handle, (struct sockaddr *)&bound, &length) <
        0) {
        return;
    }
    if (bound.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&bound;

        (void)uv_ip6_name(six, name, sizeof(name));
        *port = ntohs(six->sin6_port);
        (void)snprintf(one->address, sizeof(one->address), "[%s]:%d", name,
                       *port);
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&bound;

        (void)uv_ip4_name(four, name, sizeof(name));
        *port = ntohs(four->sin_port);
        (void)snprintf(one->address, sizeof(one->address), "%s:%d", name,
                       *port);
    }
}

static void set_port(struct sockaddr_storage *address, int port)
{
    if (address->ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)address)->sin6_port = htons((uint16_t)port);
    } else {
        ((struct sockaddr_in *)address)->sin_port = htons((uint16_t)port);
    }
}

/* libuv reports an address in use at either of the two steps. */
static int socket_open(struct listen_socket *one,
                       const struct sockaddr_storage *address)
{
    uv_os_fd_t fd;
    int r;

    one->handle = malloc(sizeof(*one->handle));
    if (one->handle == NULL) {
        return UV_ENOMEM;
    }
    r = uv_tcp_init(one->set->loop, one->handle);
    if (r < 0) {
        free(one->handle);
        one->handle = NULL;
        return r;
    }
    one->handle->data = one;
    r = uv_tcp_bind(one->handle, (const struct sockaddr *)address, 0);
    if (r == 0) {
        r = uv_listen((uv_stream_t *)one->handle, BACKLOG, on_connection);
    }
    if (r == 0) {
        r = uv_fileno((uv_handle_t *)one->handle, &fd);
    }
    if (r == 0) {
        one->spare = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        r = one->spare < 0 ? UV_EMFILE : 0;
    }
    if (r < 0) {
        socket_pause(one);
    }
    return r;
}

static void close_sockets(struct listen_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        socket_pause(&set->sockets[i]);
        (void)close(set->sockets[i].spare);
    }
    set->count = 0;
}

/* What a kernel without IPv6 answers, or one with it switched off. */
static bool is_missing_family(int r)
{
    return r == UV_EADDRNOTAVAIL || r == UV_EAFNOSUPPORT;
}

/* All addresses on one port: the number of a uv error, or 0. */
static int open_all(struct listen_set *set, struct address_list *list, int port)
{
    int missing = 0;

    set->port = port;
    for (size_t i = 0; i < list->count; i++) {
        struct listen_socket *one = &set->sockets[set->count];
        int r;

        one->set = set;
        one->spare = -1;
        set_port(&list->items[i], set->port);
        r = socket_open(one, &list->items[i]);
        if (r == 0) {
            note_address(one, &set->port);
            set->count++;
        } else if (is_missing_family(r) && list->count > 1) {
            missing = r;
        } else {
            close_sockets(set);
            return r;
        }
    }
    return set->count > 0 ? 0 : missing;
}

static bool add_literal(struct address_list *list, const char *host)
{
    struct sockaddr_storage *next = &list->items[list->count];

    if (uv_ip4_addr(host, 0, (struct sockaddr_in *)next) == 0 ||
        uv_ip6_addr(host, 0, (struct sockaddr_in6 *)next) == 0) {
        list->count++;
        return true;
    }
    return false;
}

/* Names are resolved before the loop runs, so this may block. */
static int resolve(struct address_list *list, uv_loop_t *loop, const char *host)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    uv_getaddrinfo_t request;
    int r;

    if (strcasecmp(host, "localhost") == 0) {
        /* Not from the resolver: a hosts file often names one of the two. */
        return add_literal(list, "127.0.0.1") && add_literal(list, "::1")
                   ? 0
                   : UV_EINVAL;
    }
    if (add_literal(list, host)) {
        return 0;
    }
    r = uv_getaddrinfo(loop, &request, NULL, host, NULL, &hints);
    if (r < 0) {
        return r;
    }
    for (const struct addrinfo *one = request.addrinfo;
         one != NULL && list->count < LISTEN_MOST; one = one->ai_next) {
        if (one->ai_family == AF_INET || one->ai_family == AF_INET6) {
            memcpy(&list->items[list->count++], one->ai_addr, one->ai_addrlen);
        }
    }
    uv_freeaddrinfo(request.addrinfo);
    return list->count > 0 ? 0 : UV_EAI_NONAME;
}

/* Sentences for a person at a terminal, with what to do about it. */
static int fail(struct jz__error *error, int number, const char *host, int port)
{
    switch (number) {
    case UV_EADDRINUSE:
        return jz__fail(error, JZ_EBUSY,
                        "port %d on %s is in use by another program: stop it "
                        "or choose another port",
                        port, host);
    case UV_EACCES:
        return jz__fail(error, JZ_EIO,
                        "not allowed to listen on port %d of %s: choose a port "
                        "over 1023",
                        port, host);
    case UV_EADDRNOTAVAIL:
        return jz__fail(error, JZ_EINVAL,
                        "cannot listen on %s: this computer does not have that "
                        "address",
                        host);
    default:
        return jz__fail(error, JZ_EIO, "cannot listen on %s, port %d: %s", host,
                        port, uv_strerror(number));
    }
}

int listen_open(struct listen_set *set, const char *host, int port,
                struct jz__error *error)
{
    struct address_list list = { .count = 0 };
    char bare[256]; /* host without the brackets of an IPv6 address */
    size_t length = strlen(host);
    int r;

    assert(set->loop != NULL && set->accept != NULL);

    if (length > 2 && length < sizeof(bare) && host[0] == '[' &&
        host[length - 1] == ']') {
        memcpy(bare, host + 1, length - 2);
        bare[length - 2] = '\0';
        host = bare;
    }
    r = resolve(&list, set->loop, host);
    if (r < 0) {
        return jz__fail(error, JZ_EINVAL, "cannot listen on %s: %s", host,
                        uv_strerror(r));
    }
    r = uv_timer_init(set->loop, &set->resume);
    if (r < 0) {
        return fail(error, r, host, port);
    }
    set->resume.data = set;
    set->has_timer = true;
    /* With port 0 the first address gets a free port that may be taken on the
     * second: then again with another. */
    for (int tries = 0; tries < PORT_TRIES; tries++) {
        r = open_all(set, &list, port);
        if (r != UV_EADDRINUSE || port != 0) {
            break;
        }
    }
    return r < 0 ? fail(error, r, host, port) : 0;
}

void listen_close(struct listen_set *set)
{
    close_sockets(set);
    if (set->has_timer) {
        uv_close((uv_handle_t *)&set->resume, NULL);
        set->has_timer = false;
    }
}
