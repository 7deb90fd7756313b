/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other side of a socket: a thread that listens on a free port of a loopback
 * address and hands each connection, one after the other, to a function.
 *
 *     struct peer peer;
 *     peer_open(&peer, "127.0.0.1", answer, NULL);
 *     … peer.port …
 *     peer_close(&peer);             when its connections are closed
 */
#ifndef JZ_TEST_PEER_H
#define JZ_TEST_PEER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"

struct peer;

/* Returns when it is done with the connection, which is closed then. */
typedef void (*peer_fn)(struct peer *peer, int fd);

struct peer {
    int fd;
    int port;
    pthread_t thread;
    peer_fn answer;
    const char *text; /* for the function's use */
    /* Of the peer's thread; others read them behind peer_close(). */
    int connections;
    int requests;
    struct jz__buf seen; /* what peer_read_head() and peer_read() took */
};

static inline void *peer_run(void *data)
{
    struct peer *peer = data;
    int fd;

    while ((fd = accept(peer->fd, NULL, NULL)) >= 0) {
        peer->connections++;
        peer->answer(peer, fd);
        (void)close(fd);
    }
    return NULL;
}

/* A listening socket on a free port; -1: there is no such address. */
static inline int peer_listen(int *port, const char *host)
{
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    bool is_v6 = inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
    struct sockaddr *address = is_v6 ? (void *)&v6 : (void *)&v4;
    socklen_t size = is_v6 ? sizeof(v6) : sizeof(v4);
    int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    *port = 0;
    (void)inet_pton(AF_INET, host, &v4.sin_addr);
    if (fd < 0 || bind(fd, address, size) < 0 || listen(fd, 16) < 0 ||
        getsockname(fd, address, &size) < 0) {
        (void)close(fd);
        return -1;
    }
    *port = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
    return fd;
}

static inline bool peer_open(struct peer *peer, const char *host,
                             peer_fn answer, const char *text)
{
    memset(peer, 0, sizeof(*peer));
    peer->answer = answer;
    peer->text = text;
    peer->fd = peer_listen(&peer->port, host);
    if (peer->fd < 0) {
        return false;
    }
    if (pthread_create(&peer->thread, NULL, peer_run, peer) != 0) {
        printf("Bail out! no thread\n");
        exit(EXIT_FAILURE);
    }
    return true;
}

/* peer->seen and the counts stay. */
static inline void peer_close(struct peer *peer)
{
    (void)shutdown(peer->fd, SHUT_RDWR);
    (void)pthread_join(peer->thread, NULL);
    (void)close(peer->fd);
}

static inline void peer_finish(struct peer *peer)
{
    jz__buf_finish(&peer->seen);
}

/* --- for the functions --- */

static inline void peer_say(int fd, const char *text)
{
    size_t length = strlen(text);

    while (length > 0) {
        ssize_t count = send(fd, text, length, MSG_NOSIGNAL);

        if (count <= 0) {
            return;
        }
        text += count;
        length -= (size_t)count;
    }
}

/* The head of a request, to its empty line; false: there is none. */
static inline bool peer_read_head(struct peer *peer, int fd)
{
    size_t start = peer->seen.length;
    char c;

    while (recv(fd, &c, 1, 0) == 1) {
        jz__buf_putc(&peer->seen, c);
        if (peer->seen.length - start >= 4 &&
            memcmp(peer->seen.data + peer->seen.length - 4, "\r\n\r\n", 4) ==
                0) {
            peer->requests++;
            return true;
        }
    }
    return false;
}

/* So many bytes more. */
static inline void peer_read(struct peer *peer, int fd, size_t length)
{
    char c;

    while (length-- > 0 && recv(fd, &c, 1, 0) == 1) {
        jz__buf_putc(&peer->seen, c);
    }
}

/* Until the other side closes; how many bytes came. */
static inline size_t peer_drain(int fd)
{
    char bytes[4096];
    size_t all = 0;
    ssize_t count;

    while ((count = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
        all += (size_t)count;
    }
    return all;
}

#endif
