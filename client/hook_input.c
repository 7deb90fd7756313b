/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some agents never close the pipe that they wrote to, so the end of the input
 * cannot be waited for: the object's own last brace is the end. To find it
 * nothing has to be parsed; braces are counted outside strings, each byte once,
 * so that an object that comes in pieces of a few bytes costs no more than one
 * that comes at once.
 *
 * The descriptor belongs to the agent as well, so it is not made non-blocking:
 * poll() says when there is something, and a read then gives what is there.
 */
#include "hook_input.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"
#include "net/fetch.h"

#define PIECE ((size_t)65536)

/* White space or a byte order mark in front of the object. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\xEF' ||
           c == '\xBB' || c == '\xBF';
}

static int find_start(struct hook_input *input, struct jz__error *error)
{
    const struct jz__buf *text = &input->text;

    while (input->checked < text->length &&
           is_blank(text->data[input->checked])) {
        input->checked++;
    }
    if (input->checked == text->length) {
        return 0;
    }
    if (text->data[input->checked] != '{') {
        return jz__fail(error, JZ_EINVAL, "stdin holds no JSON object");
    }
    input->has_begun = true;
    input->start = input->checked;
    return 0;
}

/* The place behind what stands for itself inside a string, or behind what ends
 * it or begins an escape. */
static size_t pass_string(struct hook_input *input, size_t at)
{
    const struct jz__buf *text = &input->text;

    if (input->is_escaped) {
        input->is_escaped = false;
        return at + 1;
    }
    at += jz__scan_plain(text->data + at, text->length - at);
    if (at == text->length) {
        return at;
    }
    input->in_string = text->data[at] != '"';
    input->is_escaped = text->data[at] == '\\';
    return at + 1;
}

static void pass_outside(struct hook_input *input, char c)
{
    if (c == '"') {
        input->in_string = true;
    } else if (c == '{' || c == '[') {
        input->depth++;
    } else if (c == '}' || c == ']') {
        input->depth--;
        input->is_whole = input->depth == 0;
    }
}

int hook_input_check(struct hook_input *input, struct jz__error *error)
{
    const struct jz__buf *text = &input->text;
    size_t at;

    if (!input->has_begun) {
        int r = find_start(input, error);

        if (r < 0 || !input->has_begun) {
            return r;
        }
    }
    at = input->checked;
    while (at < text->length && !input->is_whole) {
        if (input->in_string) {
            at = pass_string(input, at);
        } else {
            pass_outside(input, text->data[at]);
            at++;
        }
    }
    input->checked = at;
    return 0;
}

/* 1: readable, or at its end; 0: not before the deadline; negative: closed. */
static int wait_for(int fd, int64_t deadline_ms)
{
    for (;;) {
        struct pollfd wanted = { .fd = fd, .events = POLLIN };
        int64_t left = deadline_ms - jz__fetch_now_ms();
        int n = poll(&wanted, 1, left > 0 ? (int)left : 0);

        if (n > 0) {
            return (wanted.revents & (POLLIN | POLLHUP)) != 0 ? 1 : -1;
        }
        if (n == 0) {
            return 0;
        }
        if (errno != EINTR) {
            return -1;
        }
    }
}

/* Over the limit it is only counted through: an agent whose write fails may
 * take that for a fault of the hook. */
static void drop_if_too_long(struct hook_input *input)
{
    if (input->text.length >= HOOK_INPUT_MOST) {
        input->is_too_long = true;
    }
    if (input->is_too_long && !input->is_whole) {
        jz__buf_truncate(&input->text, 0);
        input->checked = 0;
    }
}

/* Bytes that were added; 0 at the end of the input. */
static ssize_t read_piece(struct hook_input *input, int fd,
                          struct jz__error *error)
{
    char *room = jz__buf_reserve(&input->text, PIECE);
    ssize_t n;

    if (room == NULL) {
        return jz__fail_memory(error);
    }
    do {
        n = read(fd, room, PIECE);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        n = 0; /* a folder, a terminal that hung up: nothing to read */
    }
    input->text.length += (size_t)n;
    room[n] = '\0';
    return n;
}

static int fail_short(const struct hook_input *input, const char *why,
                      struct jz__error *error)
{
    return jz__fail(error, JZ_EINVAL, "%s on stdin %s",
                    input->has_begun ? "half a JSON object" : "nothing", why);
}

static int judge(const struct hook_input *input, struct jz__error *error)
{
    if (input->is_too_long || input->checked - input->start > HOOK_INPUT_MOST) {
        return jz__fail(error, JZ_EINVAL,
                        "the JSON object on stdin is larger than %zu MiB",
                        HOOK_INPUT_MOST / 1024 / 1024);
    }
    return 0;
}

/* Bytes came: honest input may be slow, half of one that nobody goes on with is
 * given up at the deadline. */
static int64_t move_deadline(int64_t deadline_ms, int64_t last_ms)
{
    int64_t next = jz__fetch_now_ms() + HOOK_INPUT_GAP_MS;

    if (next > last_ms) {
        next = last_ms;
    }
    return next > deadline_ms ? next : deadline_ms;
}

int hook_input_read(struct hook_input *input, int fd, int64_t deadline_ms,
                    struct jz__error *error)
{
    int64_t last_ms = jz__fetch_now_ms() + HOOK_INPUT_MOST_MS;

    assert(input != NULL && !input->has_begun);

    if (isatty(fd)) {
        return HOOK_INPUT_NONE;
    }
    for (;;) {
        int ready = wait_for(fd, deadline_ms);
        ssize_t n;
        int r;

        if (ready == 0) {
            return fail_short(input, "before the time was up", error);
        }
        n = ready > 0 ? read_piece(input, fd, error) : 0;
        if (n < 0) {
            return (int)n;
        }
        if (n == 0) {
            return input->has_begun ? fail_short(input, "at its end", error)
                                    : HOOK_INPUT_NONE;
        }
        r = hook_input_check(input, error);
        if (r < 0) {
            return r;
        }
        if (input->is_whole) {
            return judge(input, error);
        }
        drop_if_too_long(input);
        deadline_ms = move_deadline(deadline_ms, last_ms);
    }
}

struct jz__str hook_input_value(const struct hook_input *input)
{
    assert(input->is_whole);

    return (struct jz__str){ input->text.data + input->start,
                             input->checked - input->start };
}

void hook_input_finish(struct hook_input *input)
{
    jz__buf_finish(&input->text);
    memset(input, 0, sizeof(*input));
}
