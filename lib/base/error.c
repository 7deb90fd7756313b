/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors are a code and one line, set where the fault is found. The line often
 * repeats what somebody sent (a file name, an argument), so it passes through
 * jz__utf8_show(): whatever the value holds, the message is valid UTF-8 on one
 * line. Nothing here allocates, because "out of memory" must be told as well.
 */
#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Twice the message: a value of control characters or broken bytes grows when
 * it is shown, but a plain one is never cut before the message is full. */
#define RAW_SIZE 2048

int jz__fail(struct jz__error *error, int code, const char *format, ...)
{
    char raw[RAW_SIZE];
    va_list arguments;

    assert(code < 0 && format != NULL);

    if (error == NULL) {
        return code;
    }
    va_start(arguments, format);
    if (vsnprintf(raw, sizeof(raw), format, arguments) < 0) {
        raw[0] = '\0';
    }
    va_end(arguments);
    error->code = code;
    jz__utf8_show(error->message, sizeof(error->message), raw);
    return code;
}

int jz__fail_memory(struct jz__error *error)
{
    return jz__fail(error, JZ_ENOMEM, "out of memory");
}

int jz__fail_errno(struct jz__error *error, int number, const char *what,
                   const char *path)
{
    /* A constant text for every known number, in glibc and musl, so threads
     * do not meet here; strerror_r() comes in two incompatible kinds. */
    const char *reason = strerror(number);
    int code = number == ENOENT   ? JZ_ENOTFOUND
               : number == ENOMEM ? JZ_ENOMEM
                                  : JZ_EIO;

    return jz__fail(error, code, "%s %s: %s", what, path, reason);
}
