/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line is one write(2), so that lines of several threads never mix and
 * nothing is held back when the process dies.
 *
 *     2026-10-09T21:23:12+00:00 warning request 7: …
 *     {"time":"2026-10-09T21:23:12+00:00","level":"warning","message":"…",
 *     "request":7}
 *
 * A line that cannot be written is lost, because a server that ends for its log
 * would be worse: the disk is full, the reader is gone, or it reads no more and
 * the pipe is full, which would otherwise stop the loop. How many were lost is
 * the first thing that is told when lines can be written again.
 *
 * Messages come with control characters already escaped (base/log.h); what
 * comes in beside the message is escaped here.
 */
#include "log.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"

/* As base/log.h cuts: 1 KiB and the NUL, made of at most so many bytes. */
#define MESSAGE_SIZE 1025
#define RAW_SIZE (2 * MESSAGE_SIZE)

/* A client is named in the configuration, by anything. */
#define CLIENT_SIZE 129

static const char *const level_names[] = { "error", "warning", "info",
                                           "debug" };

static bool is_wanted(const struct log_sink *sink, int level)
{
    return level >= 0 && level <= JZ_LOG_DEBUG && level <= sink->level;
}

/* --- one line --- */

static void put_start(struct jz__buf *line, const struct log_sink *sink,
                      int level)
{
    char now[JZ__TIME_SIZE];

    jz__time_format(now, (int64_t)time(NULL));
    if (sink->is_json) {
        jz__buf_printf(line,
                       "{\"time\":\"%s\",\"level\":\"%s\",\"message\":", now,
                       level_names[level]);
    } else {
        jz__buf_printf(line, "%s %s ", now, level_names[level]);
    }
}

static void put_json(struct jz__buf *line, const struct log_request *request,
                     const char *client, const char *message)
{
    jz__json_put_str(line, message);
    if (request->id != 0) {
        jz__buf_printf(line, ",\"request\":%llu",
                       (unsigned long long)request->id);
    }
    if (client != NULL) {
        jz__json_put_key(line, "client");
        jz__json_put_str(line, client);
    }
    if (request->status != 0) {
        jz__buf_printf(line, ",\"status\":%d,\"bytes\":%llu,\"ms\":%.1f",
                       request->status, (unsigned long long)request->bytes,
                       (double)request->duration_ns / 1e6);
    }
    jz__buf_puts(line, "}\n");
}

static void put_text(struct jz__buf *line, const struct log_request *request,
                     const char *client, const char *message)
{
    if (request->id != 0) {
        jz__buf_printf(line, "request %llu", (unsigned long long)request->id);
        if (client != NULL) {
            jz__buf_printf(line, " of %s", client);
        }
        jz__buf_puts(line, ": ");
    }
    jz__buf_puts(line, message);
    if (request->status != 0) {
        jz__buf_printf(line, ": %d, %llu bytes, %.1f ms", request->status,
                       (unsigned long long)request->bytes,
                       (double)request->duration_ns / 1e6);
    }
    jz__buf_putc(line, '\n');
}

static void put_line(struct jz__buf *line, const struct log_sink *sink,
                     int level, const struct log_request *request,
                     const char *message)
{
    char name[CLIENT_SIZE];
    const char *client = NULL;

    if (request->client != NULL) {
        jz__utf8_show(name, sizeof(name), request->client);
        client = name;
    }
    put_start(line, sink, level);
    if (sink->is_json) {
        put_json(line, request, client, message);
    } else {
        put_text(line, request, client, message);
    }
}

/* --- writing --- */

/* A pipe that says it has room takes a line (it is shorter than PIPE_BUF)
 * without blocking. Files always have room. */
static bool has_room(void)
{
    struct pollfd err = { .fd = STDERR_FILENO, .events = POLLOUT };

    return poll(&err, 1, 0) != 0;
}

static bool write_line(struct log_sink *sink, const struct jz__buf *line)
{
    ssize_t written;

    if (line->error != 0 || !has_room()) {
        return false;
    }
    do {
        written = write(STDERR_FILENO, line->data, line->length);
    } while (written < 0 && errno == EINTR);
    /* A disk that is full takes the first half of a line. */
    if (written > 0) {
        atomic_store(&sink->is_torn, (size_t)written < line->length);
    }
    return written == (ssize_t)line->length;
}

static void write_message(struct log_sink *sink, int level,
                          const struct log_request *request,
                          const char *message)
{
    static const struct log_request none = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    unsigned lost = atomic_exchange(&sink->lost, 0);
    unsigned lines = lost + 1;
    char text[64];

    if (atomic_load(&sink->is_torn)) {
        jz__buf_putc(&line, '\n');
    }
    if (lost > 0) {
        (void)snprintf(text, sizeof(text),
                       "%u lines of the log could not be written", lost);
        put_line(&line, sink, JZ_LOG_WARNING, &none, text);
    }
    put_line(&line, sink, level, request, message);
    if (!write_line(sink, &line)) {
        (void)atomic_fetch_add(&sink->lost, lines);
    }
}

/* --- for all --- */

void log_write(void *userdata, int level, const char *message)
{
    static const struct log_request none = { 0 };
    struct log_sink *sink = userdata;

    assert(sink != NULL && message != NULL);

    if (is_wanted(sink, level)) {
        write_message(sink, level, &none, message);
    }
}

void log_open(struct jz__log *out, struct log_sink *sink)
{
    out->fn = log_write;
    out->userdata = sink;
}

void log_request(struct log_sink *sink, int level,
                 const struct log_request *request, const char *format, ...)
{
    char raw[RAW_SIZE];
    char message[MESSAGE_SIZE];
    va_list arguments;
    int length;

    assert(sink != NULL && request != NULL && format != NULL);

    if (!is_wanted(sink, level)) {
        return;
    }
    va_start(arguments, format);
    length = vsnprintf(raw, sizeof(raw), format, arguments);
    va_end(arguments);
    if (length >= 0) {
        jz__utf8_show(message, sizeof(message), raw);
        write_message(sink, level, request, message);
    }
}
