/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connecting to several addresses. A dead one is a socket that listens with its
 * queue full: the system then drops what asks for a connection, as a network
 * does that a packet filter guards.
 */
#include "net/dial.h"

#include <fcntl.h>
#include <netinet/tcp.h>

#include "base/mem.h"
#include "peer.h"
#include "tap.h"

#define PATIENT_MS 20000

static int listen_at(const char *host, int port)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)inet_pton(AF_INET, host, &v4.sin_addr);
    if (fd < 0 || bind(fd, (void *)&v4, sizeof(v4)) < 0 || listen(fd, 0) < 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* The same port, dead at 127.0.0.2 and alive at 127.0.0.1. */
struct place {
    int port;
    int alive;
    int dead;
    int waiting[8]; /* connections that fill the queue */
};

/* false: this system has no 127.0.0.2, or drops nothing. */
static bool place_open(struct place *place)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    bool is_full = false;

    place->alive = peer_listen(&place->port, "127.0.0.1");
    place->dead = listen_at("127.0.0.2", place->port);
    v4.sin_port = htons((uint16_t)place->port);
    (void)inet_pton(AF_INET, "127.0.0.2", &v4.sin_addr);
    for (size_t i = 0; i < JZ__LENGTH(place->waiting); i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        struct pollfd one = { .fd = fd, .events = POLLOUT };

        (void)connect(fd, (void *)&v4, sizeof(v4));
        is_full = place->dead >= 0 && poll(&one, 1, 50) == 0;
        place->waiting[i] = fd;
    }
    return is_full;
}

static void place_close(struct place *place)
{
    for (size_t i = 0; i < JZ__LENGTH(place->waiting); i++) {
        (void)close(place->waiting[i]);
    }
    (void)close(place->dead);
    (void)close(place->alive);
}

static void add(struct jz__resolve *found, const char *address)
{
    CHECK(jz__address_parse(&found->addresses[found->count++],
                            jz__str_of(address)));
}

static int dial(int *fd, const struct jz__resolve *found, int port, int span_ms,
                struct jz__error *error)
{
    struct jz__deadline deadline =
        jz__deadline_until(jz__deadline_now_ms() + span_ms);

    return jz__dial_connect(fd, found, "desk.example", port, &deadline, error);
}

static void dead_address_costs_little(void)
{
    struct jz__resolve found = { .count = 0 };
    struct jz__error error = { 0 };
    struct place place;
    int64_t start;
    int fd = -1;

    if (!place_open(&place)) {
        printf("# no dead address on this computer\n");
        place_close(&place);
        return;
    }
    add(&found, "127.0.0.2");
    add(&found, "127.0.0.1");
    start = jz__deadline_now_ms();
    CHECK_INT(dial(&fd, &found, place.port, PATIENT_MS, &error), 0);
    CHECK(jz__deadline_now_ms() - start >= JZ__DIAL_STAGGER_MS - 10);
    CHECK(jz__deadline_now_ms() - start < PATIENT_MS / 2);
    (void)close(fd);
    place_close(&place);
}

static void dead_addresses_cost_the_deadline(void)
{
    struct jz__resolve found = { .count = 0 };
    struct jz__error error = { 0 };
    struct place place;
    int fd = 0;

    if (place_open(&place)) {
        add(&found, "127.0.0.2");
        add(&found, "127.0.0.2");
        CHECK_INT(dial(&fd, &found, place.port, 400, &error), JZ_EIO);
        CHECK_INT(fd, -1);
        CHECK(strstr(error.message, ": no answer within 400 ms") != NULL);
    } else {
        printf("# no dead address on this computer\n");
    }
    place_close(&place);
}

/* Refusals cost nothing: the next address is tried at once. */
static void refusing_addresses_are_passed_over(void)
{
    struct jz__resolve found = { .count = 0 };
    struct jz__error error = { 0 };
    int port;
    int alive = peer_listen(&port, "127.0.0.1");
    int64_t start = jz__deadline_now_ms();
    int fd = -1;

    for (int i = 0; i < 8; i++) {
        add(&found, i % 2 == 0 ? "127.0.0.3" : "::1");
    }
    add(&found, "127.0.0.1");
    CHECK_INT(dial(&fd, &found, port, PATIENT_MS, &error), 0);
    CHECK(jz__deadline_now_ms() - start < 8 * JZ__DIAL_STAGGER_MS);
    (void)close(fd);
    (void)close(alive);
}

/* Not the one that says that this computer has no way there. */
static void telling_failure_is_told(void)
{
    struct jz__resolve found = { .count = 0 };
    struct jz__error error = { 0 };
    char want[128];
    int port;
    int fd = peer_listen(&port, "127.0.0.1");

    (void)close(fd);
    add(&found, "fe80::1"); /* without a scope there is no way */
    add(&found, "127.0.0.1");
    (void)snprintf(want, sizeof(want),
                   "cannot connect to desk.example port %d: connection refused",
                   port);
    CHECK_INT(dial(&fd, &found, port, PATIENT_MS, &error), JZ_EIO);
    CHECK_STR(error.message, want);
    CHECK_INT(fd, -1);
}

static void connection_is_set_up(void)
{
    struct jz__resolve found = { .count = 0 };
    struct jz__error error = { 0 };
    int is_set = 0;
    socklen_t size = sizeof(is_set);
    int port;
    int alive = peer_listen(&port, "127.0.0.1");
    int fd = -1;

    add(&found, "127.0.0.1");
    CHECK_INT(dial(&fd, &found, port, PATIENT_MS, &error), 0);
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    CHECK_INT(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &is_set, &size), 0);
    CHECK(is_set != 0);
    (void)close(fd);
    (void)close(alive);
}

int main(void)
{
    TAP_RUN(dead_address_costs_little);
    TAP_RUN(dead_addresses_cost_the_deadline);
    TAP_RUN(refusing_addresses_are_passed_over);
    TAP_RUN(telling_failure_is_told);
    TAP_RUN(connection_is_set_up);
    return tap_done();
}
