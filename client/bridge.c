/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main thread reads stdin and watches stdout; threads of the pool do the
 * rest. It never waits for the server, so it sees at once that the agent has
 * gone: by the end of stdin, by a stdout that nobody reads, or by a signal. Each
 * ends the process quietly: hundreds of bridges that outlived their agents are
 * the fault that users of others report most.
 *
 * When messages come faster than the server takes them, stdin is not read until
 * some have been answered.
 */
#include "bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bridge_call.h"
#include "bridge_lines.h"
#include "bridge_reply.h"
#include "net/fetch.h"

#define READ_SIZE 65536
#define TICK_MS 1000

struct bridge {
    struct bridge_out out;
    struct bridge_shared shared;
    struct bridge_pool pool;
    struct bridge_lines lines;
    int wake[2];    /* a pipe that the pool writes to */
    bool has_ended; /* stdin */
    char input[READ_SIZE];
};

/* --- signals --- */

/* Only calls that a handler may make. Nothing is left half done: what the server
 * has begun it ends without us. */
static void on_signal(int number)
{
    (void)number;
    _exit(EXIT_SUCCESS);
}

static void watch_signals(void)
{
    static const int numbers[] = { SIGTERM, SIGHUP, SIGINT };
    struct sigaction action = { .sa_handler = on_signal };
    size_t i;

    (void)sigemptyset(&action.sa_mask);
    for (i = 0; i < JZ__LENGTH(numbers); i++) {
        (void)sigaction(numbers[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
}

/* --- messages --- */

static void answer_error(struct bridge *bridge,
                         const struct bridge_message *message, int code,
                         const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    if (bridge_reply_put_errors(&line, message, code, text) == 0 &&
        line.length > 0) {
        bridge_out_write(&bridge->out, line.data, line.length);
    }
}

/* Hand a message on; what cannot be is answered here. */
static void pass_on(struct bridge *bridge, struct bridge_message *message)
{
    switch (message->kind) {
    case BRIDGE_MESSAGE_BLANK:
        return;
    case BRIDGE_MESSAGE_BROKEN:
        answer_error(bridge, message, BRIDGE_REPLY_PARSE_ERROR,
                     message->reason);
        return;
    default:
        break;
    }
    /* Over HTTP a modern request is cancelled by not waiting for it. */
    if (message->method == BRIDGE_MESSAGE_CANCELLED &&
        (bridge_pool_cancel(&bridge->pool, message->cancels) ||
         message->is_modern)) {
        return;
    }
    if (bridge_pool_add_take(&bridge->pool, message) < 0) {
        answer_error(bridge, message, BRIDGE_REPLY_FAILED,
                     "Jezero: out of memory");
    }
}

static void take_line(struct bridge *bridge)
{
    JZ_CLEANUP(bridge_message_finish) struct bridge_message message = { 0 };

    if (bridge_message_read_take(&message, &bridge->lines.line) < 0) {
        /* Its id is not known either. */
        message.kind = BRIDGE_MESSAGE_BROKEN;
        answer_error(bridge, &message, BRIDGE_REPLY_FAILED,
                     "Jezero: out of memory");
        return;
    }
    pass_on(bridge, &message);
}

static void take_long_line(struct bridge *bridge)
{
    const struct bridge_message message = { .kind = BRIDGE_MESSAGE_BROKEN,
                                            .id = JZ__STR("null") };

    answer_error(bridge, &message, BRIDGE_REPLY_PARSE_ERROR,
                 "Parse error: the line is over 16 MiB");
}

static void take_input(struct bridge *bridge, size_t length)
{
    struct jz__str rest = { bridge->input, length };

    while (!atomic_load(&bridge->out.is_closed)) {
        switch (bridge_lines_next(&bridge->lines, &rest)) {
        case BRIDGE_LINES_MORE:
            return;
        case BRIDGE_LINES_LINE:
            take_line(bridge);
            break;
        case BRIDGE_LINES_TOO_LONG:
            take_long_line(bridge);
            break;
        }
    }
}

static void take_end(struct bridge *bridge)
{
    bridge->has_ended = true;
    switch (bridge_lines_end(&bridge->lines)) {
    case BRIDGE_LINES_MORE:
        break;
    case BRIDGE_LINES_LINE:
        take_line(bridge);
        break;
    case BRIDGE_LINES_TOO_LONG:
        take_long_line(bridge);
        break;
    }
}

static void read_input(struct bridge *bridge)
{
    ssize_t count = read(STDIN_FILENO, bridge->input, READ_SIZE);

    if (count > 0) {
        take_input(bridge, (size_t)count);
    } else if (count == 0 ||
               (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
        take_end(bridge);
    }
}

/* --- waiting --- */

/* Until there is input (if it is wanted), a job has ended, the reader has gone,
 * or the time is up. true: there is input. */
static bool wait_for(struct bridge *bridge, bool wants_input, int timeout_ms)
{
    struct pollfd polls[] = {
        { .fd = wants_input ? STDIN_FILENO : -1, .events = POLLIN },
        { .fd = STDOUT_FILENO, .events = 0 },
        { .fd = bridge->wake[0], .events = POLLIN },
    };
    char drained[256];

    if (poll(polls, JZ__LENGTH(polls), timeout_ms) <= 0) {
        return false;
    }
    if ((polls[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
        atomic_store(&bridge->out.is_closed, true);
        return false;
    }
    if (polls[2].revents != 0) {
        ssize_t count = read(bridge->wake[0], drained, sizeof(drained));

        (void)count;
    }
    return polls[0].revents != 0;
}

static void forward(struct bridge *bridge)
{
    bool is_watched = false;

    while (!bridge->has_ended && !atomic_load(&bridge->out.is_closed)) {
        bool is_full = bridge_pool_is_full(&bridge->pool);

        if (is_full != is_watched) {
            bridge_pool_watch(&bridge->pool, is_full);
            is_watched = is_full;
            /* Look again: the last job may have ended before it was told to
             * wake us. */
            continue;
        }
        if (wait_for(bridge, !is_full, -1)) {
            read_input(bridge);
        }
    }
}

/* Wait for jobs for TICK_MS at most. */
static void wait_a_tick(struct bridge *bridge)
{
    int64_t end = jz__fetch_now_ms() + TICK_MS;
    int64_t left;

    while ((left = end - jz__fetch_now_ms()) > 0 &&
           !bridge_pool_is_idle(&bridge->pool) &&
           !atomic_load(&bridge->out.is_closed)) {
        (void)wait_for(bridge, false, (int)left);
    }
}

/*
 * stdin has ended. true: nothing is under way any more. An answer that is being
 * read, however slowly, is no longer waited for but on its way, and cutting it
 * would leave the agent half a line: it may end as long as it moves.
 */
static bool wait_for_answers(struct bridge *bridge)
{
    size_t before = 0;
    bool moves = false;
    int waited;

    bridge_pool_watch(&bridge->pool, true);
    for (waited = 0;; waited += TICK_MS) {
        if (bridge_pool_is_idle(&bridge->pool)) {
            return true;
        }
        if (atomic_load(&bridge->out.is_closed) ||
            (waited >= BRIDGE_END_MS && !moves)) {
            return false;
        }
        before = atomic_load(&bridge->out.written);
        wait_a_tick(bridge);
        moves = atomic_load(&bridge->out.is_writing) &&
                atomic_load(&bridge->out.written) > before;
    }
}

/* --- the bridge --- */

static bool open_bridge(struct bridge *bridge, const char *agent)
{
    if (pipe2(bridge->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        return false;
    }
    bridge_out_init(&bridge->out, STDOUT_FILENO);
    bridge_shared_init(&bridge->shared, agent, &bridge->out);
    bridge_pool_init(&bridge->pool, &bridge_call_functions, &bridge->shared,
                     bridge->wake[1]);
    return true;
}

static void close_bridge(struct bridge *bridge)
{
    bridge_pool_finish(&bridge->pool);
    if (!atomic_load(&bridge->out.is_closed)) {
        bridge_call_end_session(&bridge->shared);
    }
    bridge_shared_finish(&bridge->shared);
    bridge_out_finish(&bridge->out);
    bridge_lines_finish(&bridge->lines);
    (void)close(bridge->wake[0]);
    (void)close(bridge->wake[1]);
}

int bridge_run(const char *agent)
{
    JZ_CLEANUP(jz__mem_freep) struct bridge *bridge = NULL;

    watch_signals();
    bridge = calloc(1, sizeof(*bridge));
    if (bridge == NULL || !open_bridge(bridge, agent)) {
        return EXIT_FAILURE;
    }
    forward(bridge);
    if (!wait_for_answers(bridge)) {
        /* Threads are under way that nobody waits for. */
        _exit(EXIT_SUCCESS);
    }
    close_bridge(bridge);
    return EXIT_SUCCESS;
}
