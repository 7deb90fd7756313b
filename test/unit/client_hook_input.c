/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON object from a pipe that its writer does not close. */
#include "hook_input.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/fetch.h"
#include "tap.h"

#define OBJECT "{\"a\":\"}\\\"{[\",\"b\":[1,{\"c\":\"\\\\\"}]}"
#define LONG_MS 20000
#define SHORT_MS 50

struct pipe {
    int read;
    int write;
};

static struct pipe make_pipe(void)
{
    int ends[2] = { -1, -1 };

    CHECK(pipe(ends) == 0);
    return (struct pipe){ ends[0], ends[1] };
}

static void close_pipe(const struct pipe *ends)
{
    close(ends->read);
    if (ends->write >= 0) {
        close(ends->write);
    }
}

static void write_text(const struct pipe *ends, const char *text)
{
    CHECK_INT(write(ends->write, text, strlen(text)), strlen(text));
}

/* Read what was written, with the pipe left open unless is_closed. */
static int read_text(struct hook_input *input, const char *text, bool is_closed,
                     int64_t wait_ms, struct jz__error *error)
{
    struct pipe ends = make_pipe();
    int r;

    write_text(&ends, text);
    if (is_closed) {
        close(ends.write);
        ends.write = -1;
    }
    r = hook_input_read(input, ends.read, jz__fetch_now_ms() + wait_ms, error);
    close_pipe(&ends);
    return r;
}

static void check_reads(const char *text, bool is_closed, int64_t wait_ms,
                        int want, const char *message)
{
    JZ_CLEANUP(hook_input_finish) struct hook_input input = { 0 };
    struct jz__error error = { 0 };

    CHECK_INT(read_text(&input, text, is_closed, wait_ms, &error), want);
    CHECK_STR(error.message, message);
}

static void whole_object_is_taken_from_an_open_pipe(void)
{
    JZ_CLEANUP(hook_input_finish) struct hook_input input = { 0 };
    struct jz__error error = { 0 };
    struct jz__str value;

    CHECK_INT(
        read_text(&input, " \r\n" OBJECT "trailing", false, LONG_MS, &error),
        0);
    value = hook_input_value(&input);
    CHECK_INT(value.length, strlen(OBJECT));
    CHECK(memcmp(value.data, OBJECT, strlen(OBJECT)) == 0);
}

static void byte_order_mark_is_passed_over(void)
{
    check_reads("\xEF\xBB\xBF{}", false, LONG_MS, 0, "");
}

static void every_cut_into_two_gives_the_same(void)
{
    for (size_t cut = 1; cut < strlen(OBJECT); cut++) {
        JZ_CLEANUP(hook_input_finish) struct hook_input input = { 0 };

        jz__buf_append(&input.text, OBJECT, cut);
        CHECK_INT(hook_input_check(&input, NULL), 0);
        CHECK(!input.is_whole);
        jz__buf_puts(&input.text, &OBJECT[cut]);
        CHECK_INT(hook_input_check(&input, NULL), 0);
        CHECK(input.is_whole);
        CHECK_INT(hook_input_value(&input).length, strlen(OBJECT));
    }
}

static void half_an_object_ends_at_the_deadline(void)
{
    check_reads("{\"a\":\"}", false, SHORT_MS, JZ_EINVAL,
                "half a JSON object on stdin before the time was up");
    check_reads("{\"a\":1", true, LONG_MS, JZ_EINVAL,
                "half a JSON object on stdin at its end");
}

static void silence_ends_at_the_deadline(void)
{
    check_reads("", false, SHORT_MS, JZ_EINVAL,
                "nothing on stdin before the time was up");
}

static void nothing_to_read_is_no_fault(void)
{
    int null = open("/dev/null", O_RDONLY);
    int folder = open("/", O_RDONLY);
    struct hook_input input = { 0 };
    int64_t end = jz__fetch_now_ms() + LONG_MS;

    check_reads("", true, LONG_MS, HOOK_INPUT_NONE, "");
    check_reads(" \n", true, LONG_MS, HOOK_INPUT_NONE, "");
    CHECK_INT(hook_input_read(&input, null, end, NULL), HOOK_INPUT_NONE);
    hook_input_finish(&input);
    CHECK_INT(hook_input_read(&input, folder, end, NULL), HOOK_INPUT_NONE);
    hook_input_finish(&input);
    close(null);
    close(folder);
    CHECK_INT(hook_input_read(&input, null, end, NULL), HOOK_INPUT_NONE);
    hook_input_finish(&input);
    CHECK(jz__fetch_now_ms() < end);
}

static void terminal_is_not_waited_for(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct hook_input input = { 0 };
    int terminal;

    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0) {
        return; /* no terminals here */
    }
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(terminal >= 0);
    CHECK_INT(
        hook_input_read(&input, terminal, jz__fetch_now_ms() + LONG_MS, NULL),
        HOOK_INPUT_NONE);
    hook_input_finish(&input);
    close(terminal);
    close(master);
}

static void what_is_no_object_is_refused_at_once(void)
{
    static const char *const texts[] = { "not json\n", "[]\n", "5",
                                         "\"text\"",   "null", "}" };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        check_reads(texts[i], false, LONG_MS, JZ_EINVAL,
                    "stdin holds no JSON object");
    }
}

/* --- much, from a thread --- */

struct writer {
    int fd;
    size_t size;
    size_t piece;
    bool is_done;
};

static void *write_much(void *userdata)
{
    struct writer *writer = userdata;
    char piece[4096];
    size_t left = writer->size;

    memset(piece, 'x', sizeof(piece));
    if (write(writer->fd, "{\"a\":\"", 6) != 6) {
        return NULL;
    }
    while (left > 0) {
        size_t most = left < writer->piece ? left : writer->piece;
        ssize_t n = write(writer->fd, piece, most);

        if (n < 0) {
            return NULL;
        }
        left -= (size_t)n;
    }
    writer->is_done = write(writer->fd, "\"}", 2) == 2;
    return NULL;
}

static int read_much(struct hook_input *input, size_t size, size_t piece,
                     struct jz__error *error)
{
    struct pipe ends = make_pipe();
    struct writer writer = { ends.write, size, piece, false };
    pthread_t thread;
    int r;

    CHECK_INT(pthread_create(&thread, NULL, write_much, &writer), 0);
    r = hook_input_read(input, ends.read, jz__fetch_now_ms() + LONG_MS, error);
    pthread_join(thread, NULL);
    CHECK(writer.is_done);
    close_pipe(&ends);
    return r;
}

static void four_mebibytes_are_taken(void)
{
    JZ_CLEANUP(hook_input_finish) struct hook_input input = { 0 };
    const size_t size = HOOK_INPUT_MOST - 8;

    CHECK_INT(read_much(&input, size, 4096, NULL), 0);
    CHECK_INT(hook_input_value(&input).length, HOOK_INPUT_MOST);
}

static void more_is_read_to_its_end_and_refused(void)
{
    JZ_CLEANUP(hook_input_finish) struct hook_input input = { 0 };
    struct jz__error error = { 0 };

    CHECK_INT(read_much(&input, 5 * 1024 * 1024, 4096, &error), JZ_EINVAL);
    CHECK_STR(error.message, "the JSON object on stdin is larger than 4 MiB");
    hook_input_finish(&input);
    CHECK_INT(read_much(&input, HOOK_INPUT_MOST - 7, 4096, &error), JZ_EINVAL);
}

static void each_byte_is_looked_at_once(void)
{
    JZ_CLEANUP(hook_input_finish) struct hook_input input = { 0 };
    const size_t size = (size_t)3 * 1024 * 1024;

    jz__buf_puts(&input.text, "{\"a\":\"");
    for (size_t i = 0; i < size; i++) {
        size_t before = input.checked;

        jz__buf_putc(&input.text, i % 7 == 0 ? '}' : 'x');
        if (hook_input_check(&input, NULL) < 0 || input.checked <= before) {
            CHECK(false);
            return;
        }
    }
    jz__buf_puts(&input.text, "\"}");
    CHECK_INT(hook_input_check(&input, NULL), 0);
    CHECK(input.is_whole);
}

int main(void)
{
    TAP_RUN(whole_object_is_taken_from_an_open_pipe);
    TAP_RUN(byte_order_mark_is_passed_over);
    TAP_RUN(every_cut_into_two_gives_the_same);
    TAP_RUN(half_an_object_ends_at_the_deadline);
    TAP_RUN(silence_ends_at_the_deadline);
    TAP_RUN(nothing_to_read_is_no_fault);
    TAP_RUN(terminal_is_not_waited_for);
    TAP_RUN(what_is_no_object_is_refused_at_once);
    TAP_RUN(four_mebibytes_are_taken);
    TAP_RUN(more_is_read_to_its_end_and_refused);
    TAP_RUN(each_byte_is_looked_at_once);
    return tap_done();
}
