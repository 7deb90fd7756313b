/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on stderr, which the tests lead into a pipe, a full disk or nowhere. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"

/* Where the test's own stderr is kept while it is led elsewhere. */
static int real_stderr = -1;

static void lead_to(int fd)
{
    real_stderr = dup(STDERR_FILENO);
    (void)dup2(fd, STDERR_FILENO);
    (void)close(fd);
}

static void lead_back(void)
{
    (void)dup2(real_stderr, STDERR_FILENO);
    (void)close(real_stderr);
}

/* A pipe in place of stderr: its other end, which does not block. */
static int lead_to_pipe(void)
{
    int ends[2];

    CHECK(pipe(ends) == 0);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    lead_to(ends[1]);
    return ends[0];
}

static void drain(struct jz__buf *out, int fd)
{
    char piece[4096];
    ssize_t length;

    while ((length = read(fd, piece, sizeof(piece))) > 0) {
        jz__buf_append(out, piece, (size_t)length);
    }
}

/* What log_request() writes, without the time; the caller frees it. */
static char *line_of(bool is_json, const struct log_request *request,
                     const char *message)
{
    struct log_sink sink = { .level = JZ_LOG_DEBUG, .is_json = is_json };
    struct jz__buf out = JZ__BUF_INIT;
    char *text = NULL;
    int fd = lead_to_pipe();

    log_request(&sink, JZ_LOG_INFO, request, "%s", message);
    lead_back();
    drain(&out, fd);
    (void)close(fd);
    CHECK_INT(jz__buf_take(&text, &out), 0);
    /* "2026-10-09T21:23:12+00:00 " or {"time":"…", */
    if (strlen(text) > 36) {
        size_t skip = is_json ? 36 : 26;

        memmove(text, text + skip, strlen(text) + 1 - skip);
    }
    return text;
}

static void check_line(bool is_json, const struct log_request *request,
                       const char *message, const char *want)
{
    char *text = line_of(is_json, request, message);

    CHECK_STR(text, want);
    free(text);
}

static void a_line_tells_the_request_it_is_about(void)
{
    const struct log_request bare = { .id = 7 };
    const struct log_request known = { .id = 7, .client = "laptop" };
    const struct log_request done = { 7, "laptop", 200, 512, 3149999 };

    check_line(false, &bare, "hello", "info request 7: hello\n");
    check_line(false, &known, "hello", "info request 7 of laptop: hello\n");
    check_line(false, &done, "upload a.jsonl",
               "info request 7 of laptop: upload a.jsonl: 200, 512 bytes, "
               "3.1 ms\n");
    check_line(true, &bare, "hello",
               "\"level\":\"info\",\"message\":\"hello\",\"request\":7}\n");
    check_line(true, &done, "hello",
               "\"level\":\"info\",\"message\":\"hello\",\"request\":7,"
               "\"client\":\"laptop\",\"status\":200,\"bytes\":512,"
               "\"ms\":3.1}\n");
}

static void what_was_sent_cannot_begin_a_line_or_a_sequence(void)
{
    const struct log_request request = { .id = 1, .client = "a\nb" };

    check_line(false, &request,
               "x\n2026-01-01 error\r\x1b[2J\x7f\xc2\x9b\xe2\x80\xae",
               "info request 1 of a\\u000ab: x\\u000a2026-01-01 error\\u000d"
               "\\u001b[2J\\u007f\\u009b\\u202e\n");
}

static void every_byte_gives_one_valid_object(void)
{
    for (int byte = 1; byte < 256; byte++) {
        char message[8] = { 'a', (char)byte, 'b', (char)byte, '"', '\\' };
        const struct log_request request = { .id = 1, .client = message };
        char *text = line_of(true, &request, message);
        JZ_CLEANUP(jz__buf_finish) struct jz__buf object = JZ__BUF_INIT;
        cJSON *tree = NULL;

        CHECK(strchr(text, '\n') == text + strlen(text) - 1);
        jz__buf_printf(&object, "{%s", text);
        CHECK_INT(jz__json_parse(&tree, object.data, object.length, NULL), 0);
        CHECK(jz__utf8_is_clean(text, strlen(text)));
        CHECK(jz__json_text(tree, "client", NULL) != NULL);
        cJSON_Delete(tree);
        free(text);
    }
}

static void a_line_is_bounded(void)
{
    static char long_text[100000];
    const struct log_request request = { .id = UINT64_MAX,
                                         .client = long_text,
                                         .status = 200,
                                         .bytes = UINT64_MAX,
                                         .duration_ns = UINT64_MAX };
    char *text;

    memset(long_text, '"', sizeof(long_text) - 1);
    text = line_of(true, &request, long_text);
    /* A pipe takes 4,096 bytes in one piece. */
    CHECK(strlen(text) > 1000 && strlen(text) < 4000);
    free(text);
}

static void what_is_less_severe_is_not_written(void)
{
    struct log_sink sink = { .level = JZ_LOG_WARNING };
    const struct log_request request = { .id = 1 };
    struct jz__buf out = JZ__BUF_INIT;
    int fd = lead_to_pipe();

    log_request(&sink, JZ_LOG_INFO, &request, "info");
    log_write(&sink, JZ_LOG_DEBUG, "debug");
    log_write(&sink, JZ_LOG_DEBUG + 1, "none");
    log_write(&sink, -1, "none");
    log_request(&sink, JZ_LOG_WARNING, &request, "told");
    lead_back();
    drain(&out, fd);
    CHECK_STR(out.length > 26 ? out.data + 26 : "",
              "warning request 1: told\n");
    jz__buf_finish(&out);
    (void)close(fd);
}

/* --- where lines cannot be written --- */

static void a_full_disk_loses_lines_and_nothing_else(void)
{
    struct log_sink sink = { .level = JZ_LOG_INFO };
    struct jz__buf out = JZ__BUF_INIT;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    if (fd < 0) {
        return;
    }
    lead_to(fd);
    for (int i = 0; i < 3; i++) {
        log_write(&sink, JZ_LOG_INFO, "lost");
    }
    lead_back();
    CHECK_INT(sink.lost, 3);

    fd = lead_to_pipe();
    log_write(&sink, JZ_LOG_INFO, "first");
    log_write(&sink, JZ_LOG_INFO, "second");
    lead_back();
    drain(&out, fd);
    (void)close(fd);
    CHECK(strstr(out.data, "warning 3 lines of the log could not be "
                           "written\n") != NULL);
    CHECK(strstr(out.data, "info first\n") != NULL);
    CHECK(strstr(strstr(out.data, "first"), "could not") == NULL);
    jz__buf_finish(&out);
}

/* A disk takes the first bytes of a line and then no more; here it is the
 * largest size of a file. */
static void a_line_behind_half_a_line_stands_alone(void)
{
    struct log_sink sink = { .level = JZ_LOG_INFO };
    char name[] = "/tmp/jezero-log-XXXXXX";
    struct jz__buf out = JZ__BUF_INIT;
    struct rlimit before;
    struct rlimit small;
    int fd = mkstemp(name);
    int copy = dup(fd);

    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 40;
    lead_to(fd);
    (void)setrlimit(RLIMIT_FSIZE, &small);
    log_write(&sink, JZ_LOG_INFO, "0123456789");
    (void)setrlimit(RLIMIT_FSIZE, &before);
    log_write(&sink, JZ_LOG_INFO, "whole");
    log_write(&sink, JZ_LOG_INFO, "and more");
    lead_back();
    (void)lseek(copy, 0, SEEK_SET);
    drain(&out, copy);
    CHECK(strstr(out.data, "info 012345678\n") != NULL);
    CHECK(strstr(out.data, " warning 1 lines of the log") != NULL);
    CHECK(strstr(out.data, " info whole\n2") != NULL);
    jz__buf_finish(&out);
    (void)close(copy);
    (void)unlink(name);
}

static void a_reader_that_is_gone_does_no_harm(void)
{
    struct log_sink sink = { .level = JZ_LOG_INFO };
    int fd = lead_to_pipe();

    (void)close(fd);
    (void)signal(SIGPIPE, SIG_IGN);
    log_write(&sink, JZ_LOG_INFO, "lost");
    lead_back();
    (void)signal(SIGPIPE, SIG_DFL);
    CHECK_INT(sink.lost, 1);
}

/* The test would hang here if a line waited for the reader. */
static void a_reader_that_sleeps_stops_nobody(void)
{
    struct log_sink sink = { .level = JZ_LOG_INFO };
    struct jz__buf out = JZ__BUF_INIT;
    char told[64];
    int fd = lead_to_pipe();

    for (int i = 0; i < 20000; i++) {
        log_write(&sink, JZ_LOG_INFO, "a line of some length for the pipe");
    }
    CHECK(sink.lost > 1000);
    (void)snprintf(told, sizeof(told), "%u lines of the log could", sink.lost);
    drain(&out, fd);
    jz__buf_clear(&out);
    log_write(&sink, JZ_LOG_INFO, "awake");
    lead_back();
    drain(&out, fd);
    CHECK(strstr(out.data, told) != NULL);
    CHECK_INT(sink.lost, 0);
    jz__buf_finish(&out);
    (void)close(fd);
}

static void *write_many(void *sink)
{
    for (int i = 0; i < 500; i++) {
        log_write(sink, JZ_LOG_INFO, "0123456789");
    }
    return NULL;
}

static void lines_of_several_threads_do_not_mix(void)
{
    struct log_sink sink = { .level = JZ_LOG_INFO };
    char name[] = "/tmp/jezero-log-XXXXXX";
    struct jz__buf out = JZ__BUF_INIT;
    pthread_t threads[4];
    int fd = mkstemp(name);
    int copy = dup(fd);
    int lines = 0;

    /* Appending, as a log file is opened. */
    (void)fcntl(fd, F_SETFL, O_APPEND);
    lead_to(fd);
    for (size_t i = 0; i < JZ__LENGTH(threads); i++) {
        CHECK(pthread_create(&threads[i], NULL, write_many, &sink) == 0);
    }
    for (size_t i = 0; i < JZ__LENGTH(threads); i++) {
        (void)pthread_join(threads[i], NULL);
    }
    lead_back();
    (void)lseek(copy, 0, SEEK_SET);
    drain(&out, copy);
    for (const char *at = out.data; *at != '\0'; at = strchr(at, '\n') + 1) {
        lines += strncmp(at + 26, "info 0123456789\n", 16) == 0;
    }
    CHECK_INT(lines, 2000);
    jz__buf_finish(&out);
    (void)close(copy);
    (void)unlink(name);
}

int main(void)
{
    TAP_RUN(a_line_tells_the_request_it_is_about);
    TAP_RUN(what_was_sent_cannot_begin_a_line_or_a_sequence);
    TAP_RUN(every_byte_gives_one_valid_object);
    TAP_RUN(a_line_is_bounded);
    TAP_RUN(what_is_less_severe_is_not_written);
    TAP_RUN(a_full_disk_loses_lines_and_nothing_else);
    TAP_RUN(a_line_behind_half_a_line_stands_alone);
    TAP_RUN(a_reader_that_is_gone_does_no_harm);
    TAP_RUN(a_reader_that_sleeps_stops_nobody);
    TAP_RUN(lines_of_several_threads_do_not_mix);
    return tap_done();
}
