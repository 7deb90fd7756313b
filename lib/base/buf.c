/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffer under nearly every text that is made here. It keeps one byte for
 * a NUL, so that .data is a C string as soon as anything was appended, and it
 * keeps its first error, so that callers check once.
 */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jezero.h"

char *jz__buf_reserve(struct jz__buf *buf, size_t length)
{
    size_t need;

    assert(buf != NULL);

    if (buf->error != 0) {
        return NULL;
    }
    if (!jz__mem_add(&need, buf->length, length) ||
        !jz__mem_add(&need, need, 1)) {
        buf->error = JZ_ENOMEM;
        return NULL;
    }
    if (need > buf->capacity) {
        if (buf->capacity == 0 && need < 64) {
            need = 64;
        }
        buf->error = jz__mem_grow(&buf->data, &buf->capacity, need, 1);
        if (buf->error != 0) {
            return NULL;
        }
    }
    return buf->data + buf->length;
}

void jz__buf_append(struct jz__buf *buf, const void *data, size_t length)
{
    /* With room for the NUL: nothing to ask for, and data is not NULL. */
    bool has_room = buf->error == 0 && length < buf->capacity - buf->length;

    if (!has_room && jz__buf_reserve(buf, length) == NULL) {
        return;
    }
    if (length > 0) {
        memcpy(buf->data + buf->length, data, length);
    }
    buf->length += length;
    buf->data[buf->length] = '\0';
}

void jz__buf_puts(struct jz__buf *buf, const char *text)
{
    jz__buf_append(buf, text, strlen(text));
}

void jz__buf_printf(struct jz__buf *buf, const char *format, ...)
{
    va_list arguments;
    int length;
    char *end;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    end = jz__buf_reserve(buf, (size_t)length);
    if (end == NULL) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(end, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buf->length += (size_t)length;
}

void jz__buf_truncate(struct jz__buf *buf, size_t length)
{
    assert(length <= buf->length);

    buf->length = length;
    if (buf->data != NULL) {
        buf->data[length] = '\0';
    }
}

void jz__buf_clear(struct jz__buf *buf)
{
    buf->error = 0;
    jz__buf_truncate(buf, 0);
}

int jz__buf_take(char **out, struct jz__buf *buf)
{
    assert(out != NULL);

    *out = NULL;
    if (buf->data == NULL) {
        jz__buf_append(buf, "", 0);
    }
    if (buf->error != 0) {
        return buf->error;
    }
    *out = jz__mem_steal(&buf->data);
    memset(buf, 0, sizeof(*buf));
    return JZ_OK;
}

void jz__buf_finish(struct jz__buf *buf)
{
    free(buf->data);
    memset(buf, 0, sizeof(*buf));
}
