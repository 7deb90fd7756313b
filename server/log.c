/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line is one write(2), so that lines of several threads never mix and
 * nothing is held back when the process dies. A line that cannot be written
 * (disk full, reader gone) is lost: a server that ends because of its log would
 * be worse.
 *
 *     2026-10-09T21:23:12+00:00 warning request 7: …
 *     {"time":"2026-10-09T21:23:12+00:00","level":"warning","message":"…"}
 *
 * Messages come with control characters already escaped (base/log.h).
 */
#include "log.h"

#include <assert.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/time.h"

static const char *const level_names[] = { "error", "warning", "info",
                                           "debug" };

void log_write(void *userdata, int level, const char *message)
{
    const struct log_sink *sink = userdata;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    char now[JZ__TIME_SIZE];
    ssize_t written;

    assert(sink != NULL && message != NULL);

    if (level > sink->level || level < 0 || level > JZ_LOG_DEBUG) {
        return;
    }
    jz__time_format(now, (int64_t)time(NULL));
    if (sink->is_json) {
        jz__buf_printf(&line,
                       "{\"time\":\"%s\",\"level\":\"%s\",\"message\":", now,
                       level_names[level]);
        jz__json_put_str(&line, message);
        jz__buf_puts(&line, "}\n");
    } else {
        jz__buf_printf(&line, "%s %s %s\n", now, level_names[level], message);
    }
    if (line.error != 0) {
        return;
    }
    do {
        written = write(STDERR_FILENO, line.data, line.length);
    } while (written < 0 && errno == EINTR);
}

void log_open(struct jz__log *out, struct log_sink *sink)
{
    out->fn = log_write;
    out->userdata = sink;
}
