/* SPDX-License-Identifier: Apache-2.0 */
/* A connection as two buffers, over a pair of sockets. */
#include "net/stream.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

struct pair {
    struct jz__stream stream;
    int other;
    struct jz__deadline deadline;
    struct jz__error error;
};

static void pair_open(struct pair *pair)
{
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) < 0) {
        printf("Bail out! no sockets\n");
        exit(EXIT_FAILURE);
    }
    *pair = (struct pair){ .stream = JZ__STREAM_INIT, .other = fds[1] };
    pair->deadline = jz__deadline_until(jz__deadline_now_ms() + 20000);
    jz__stream_open(&pair->stream, fds[0]);
}

static void pair_close(struct pair *pair)
{
    jz__stream_close(&pair->stream);
    CHECK(!jz__stream_is_open(&pair->stream));
    jz__stream_close(&pair->stream);
    (void)close(pair->other);
}

static int step(struct pair *pair)
{
    return jz__stream_step(&pair->stream, &pair->deadline, &pair->error);
}

static void bytes_go_both_ways(void)
{
    struct pair pair;
    char got[8] = "";

    pair_open(&pair);
    CHECK_INT(jz__stream_put(&pair.stream, JZ__STR("to"), &pair.error), 0);
    CHECK(!jz__stream_is_flushed(&pair.stream));
    CHECK_INT(write(pair.other, "fro", 3), 3);
    CHECK_INT(step(&pair), 0);
    CHECK(jz__stream_is_flushed(&pair.stream));
    CHECK_STR(pair.stream.plain.data, "fro");
    CHECK_INT(read(pair.other, got, sizeof(got)), 2);
    CHECK_STR(got, "to");
    pair_close(&pair);
}

/* What the peer said before it closed is read, and no signal comes. */
static void closed_peer_is_deaf_and_was_heard(void)
{
    struct pair pair;

    pair_open(&pair);
    CHECK_INT(write(pair.other, "no", 2), 2);
    (void)shutdown(pair.other, SHUT_RDWR);
    CHECK_INT(jz__stream_put(&pair.stream, JZ__STR("bytes"), &pair.error), 0);
    while (!pair.stream.is_ended && step(&pair) == 0) {
    }
    CHECK(pair.stream.is_deaf);
    CHECK(pair.stream.is_ended && pair.stream.is_in_order);
    CHECK(jz__stream_is_flushed(&pair.stream));
    CHECK_STR(pair.stream.plain.data, "no");
    CHECK_INT(jz__stream_put(&pair.stream, JZ__STR("more"), &pair.error), 0);
    CHECK(jz__stream_is_flushed(&pair.stream));
    CHECK(!jz__stream_is_quiet(&pair.stream));
    pair_close(&pair);
}

static void quiet_is_what_nothing_came_on(void)
{
    struct pair pair;

    pair_open(&pair);
    CHECK(jz__stream_is_quiet(&pair.stream));
    CHECK_INT(write(pair.other, "x", 1), 1);
    CHECK(!jz__stream_is_quiet(&pair.stream));
    pair_close(&pair);
    pair_open(&pair);
    (void)shutdown(pair.other, SHUT_WR);
    CHECK(!jz__stream_is_quiet(&pair.stream));
    pair_close(&pair);
}

static void nothing_is_late_at_the_deadline(void)
{
    struct pair pair;
    int r = 0;

    pair_open(&pair);
    pair.deadline = jz__deadline_until(jz__deadline_now_ms() + 30);
    while (r == 0) {
        r = step(&pair);
    }
    CHECK_INT(r, JZ__STREAM_LATE);
    /* Also with bytes to read: there may always be some. */
    CHECK_INT(write(pair.other, "x", 1), 1);
    CHECK_INT(step(&pair), JZ__STREAM_LATE);
    pair_close(&pair);
}

/* More than the system's buffers hold goes out as the peer takes it. */
static void much_is_sent_piece_by_piece(void)
{
    JZ_CLEANUP(jz__mem_freep) char *much = calloc(1, 4000000);
    struct pair pair;
    char piece[65536];
    size_t got = 0;

    pair_open(&pair);
    CHECK_INT(jz__stream_put(&pair.stream, (struct jz__str){ much, 4000000 },
                             &pair.error),
              0);
    CHECK_INT(step(&pair), 0);
    CHECK(!jz__stream_is_flushed(&pair.stream));
    while (got < 4000000) {
        ssize_t count = read(pair.other, piece, sizeof(piece));

        if (count > 0) {
            got += (size_t)count;
        } else if (!CHECK_INT(step(&pair), 0)) {
            break;
        }
    }
    CHECK(jz__stream_is_flushed(&pair.stream));
    CHECK_INT(got, 4000000);
    pair_close(&pair);
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_DFL);
    TAP_RUN(bytes_go_both_ways);
    TAP_RUN(closed_peer_is_deaf_and_was_heard);
    TAP_RUN(quiet_is_what_nothing_came_on);
    TAP_RUN(nothing_is_late_at_the_deadline);
    TAP_RUN(much_is_sent_piece_by_piece);
    return tap_done();
}
