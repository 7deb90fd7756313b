/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logging is one callback that gets a finished line. A value in it may be a
 * file name or what somebody sent, so the line passes through jz__utf8_show():
 * nobody writes a second line, or a terminal's escape code, into a log.
 */
#include "base/log.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

#define LINE_SIZE 1025 /* 1 KiB and the NUL */

/* Nothing gets shorter when it is shown, so where this cuts (perhaps inside a
 * character) is never seen. */
#define RAW_SIZE (2 * LINE_SIZE)

void jz__log_write(const struct jz__log *log, int level, const char *format,
                   ...)
{
    char raw[RAW_SIZE];
    char line[LINE_SIZE];
    va_list arguments;
    int length;

    assert(format != NULL && level >= JZ_LOG_ERROR && level <= JZ_LOG_DEBUG);

    if (log == NULL || log->fn == NULL) {
        return;
    }
    va_start(arguments, format);
    length = vsnprintf(raw, sizeof(raw), format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    jz__utf8_show(line, sizeof(line), raw);
    log->fn(log->userdata, level, line);
}
