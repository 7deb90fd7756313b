/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes in, bytes out: read(2) and write(2) on the two descriptors, no streams,
 * no locale, no text mode, no line limit but LINE_MOST. Requests are answered
 * one at a time in their order, so nothing is in flight when the input ends.
 *
 * A client that closes its end or dies leaves one of three signs: end of input,
 * EPIPE, or a signal. Each ends the process quietly: a server that outlives its
 * agent keeps the library open for nobody.
 */
#include "stdio_run.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/* A longer line is refused and passed over. */
#define LINE_MOST ((size_t)16 * 1024 * 1024)
#define READ_SIZE 65536

#define REFUSAL(code, message)                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" code               \
    ",\"message\":\"" message "\"}}"

struct stdio {
    jz_library *lib;
    const char *scope;   /* as the library takes it; NULL: everything */
    struct jz__buf line; /* what has arrived of the current line */
    bool is_too_long;    /* its rest is thrown away */
};

enum outcome {
    OUTCOME_GO_ON,
    OUTCOME_GONE /* nobody reads the answers any more */
};

/* Only calls that a signal handler may make. Reads leave nothing half done in
 * the library. */
static void on_signal(int number)
{
    (void)number;
    _exit(EXIT_SUCCESS);
}

static void watch_signals(void)
{
    static const int numbers[] = { SIGTERM, SIGHUP, SIGINT };
    struct sigaction action = { .sa_handler = on_signal };

    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < JZ__LENGTH(numbers); i++) {
        (void)sigaction(numbers[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
}

/* Whoever started us may have made the descriptors non-blocking. */
static void wait_for(int fd, short events)
{
    struct pollfd wanted = { .fd = fd, .events = events };

    (void)poll(&wanted, 1, -1);
}

static enum outcome write_all(const char *data, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, data, length);

        if (written >= 0) {
            data += written;
            length -= (size_t)written;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            wait_for(STDOUT_FILENO, POLLOUT);
        } else if (errno != EINTR) {
            return OUTCOME_GONE;
        }
    }
    return OUTCOME_GO_ON;
}

/* One answer is one line, and one write where the pipe takes it. */
static enum outcome answer(const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    jz__buf_puts(&line, text);
    jz__buf_putc(&line, '\n');
    if (line.error != 0) {
        return write_all(text, strlen(text)) == OUTCOME_GONE
                   ? OUTCOME_GONE
                   : write_all("\n", 1);
    }
    return write_all(line.data, line.length);
}

/* A failed call is answered too: the client would wait for ever. */
static enum outcome answer_line(struct stdio *stdio)
{
    const struct jz__str line = { stdio->line.data, stdio->line.length };
    char *text = NULL;
    enum outcome outcome = OUTCOME_GO_ON;
    int r;

    /* The CR of a CRLF is white space of JSON as well. */
    if (jz__str_trim(line).length == 0) {
        return OUTCOME_GO_ON;
    }
    r = jz_mcp_dispatch(&text, NULL, stdio->lib, stdio->scope, NULL, line.data,
                        line.length);
    if (r < 0) {
        outcome = answer(REFUSAL("-32603", "Internal error"));
    } else if (text != NULL) {
        outcome = answer(text);
    }
    jz_free(text);
    return outcome;
}

/* Without an id, because the message was not kept to look for it. */
static enum outcome end_line(struct stdio *stdio)
{
    enum outcome outcome;

    if (stdio->is_too_long) {
        outcome = answer(REFUSAL("-32600", "Message over 16 MiB"));
    } else {
        outcome = answer_line(stdio);
    }
    stdio->is_too_long = false;
    /* The memory of one large message is not kept for all that follow. */
    if (stdio->line.capacity > READ_SIZE) {
        jz__buf_finish(&stdio->line);
    } else {
        jz__buf_clear(&stdio->line);
    }
    return outcome;
}

/* Bytes of the current line, without its end. */
static void add(struct stdio *stdio, const char *data, size_t length)
{
    if (stdio->is_too_long) {
        return;
    }
    if (length > LINE_MOST - stdio->line.length) {
        stdio->is_too_long = true;
        jz__buf_finish(&stdio->line);
        return;
    }
    jz__buf_append(&stdio->line, data, length);
    /* A line that there is no memory for is too long as well. */
    stdio->is_too_long = stdio->line.error != 0;
}

/* What one read gave: the end of a line, several, or none. */
static enum outcome take(struct stdio *stdio, const char *data, size_t length)
{
    enum outcome outcome = OUTCOME_GO_ON;

    while (length > 0 && outcome == OUTCOME_GO_ON) {
        const char *end = memchr(data, '\n', length);
        size_t run = end != NULL ? (size_t)(end - data) : length;

        add(stdio, data, run);
        if (end == NULL) {
            break;
        }
        outcome = end_line(stdio);
        data += run + 1;
        length -= run + 1;
    }
    return outcome;
}

int stdio_run(jz_library *lib, const char *scope_json)
{
    struct stdio stdio = { .lib = lib,
                           .scope = scope_json,
                           .line = JZ__BUF_INIT };
    JZ_CLEANUP(jz__mem_freep) char *input = malloc(READ_SIZE);
    enum outcome outcome = OUTCOME_GO_ON;

    assert(lib != NULL);

    if (input == NULL) {
        return EXIT_FAILURE;
    }
    watch_signals();
    while (outcome == OUTCOME_GO_ON) {
        ssize_t count = read(STDIN_FILENO, input, READ_SIZE);

        if (count > 0) {
            outcome = take(&stdio, input, (size_t)count);
        } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            wait_for(STDIN_FILENO, POLLIN);
        } else if (count == 0 || errno != EINTR) {
            /* The last line may lack its line end. */
            if (stdio.line.length > 0 || stdio.is_too_long) {
                (void)end_line(&stdio);
            }
            break;
        }
    }
    jz__buf_finish(&stdio.line);
    return EXIT_SUCCESS;
}
