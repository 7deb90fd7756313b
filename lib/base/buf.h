/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing byte buffer that carries its own first error, so that a run of
 * appends is checked once, at the end, by jz__buf_take() or .error.
 */
#ifndef JZ_BASE_BUF_H
#define JZ_BASE_BUF_H

#include <stddef.h>

struct jz__buf {
    char *data; /* NUL-terminated once anything was appended */
    size_t length;
    size_t capacity;
    int error; /* 0, or the first JZ_ENOMEM; later appends then do nothing */
};

#define JZ__BUF_INIT                                                           \
    {                                                                          \
        NULL, 0, 0, 0                                                          \
    }

void jz__buf_append(struct jz__buf *buf, const void *data, size_t length);
void jz__buf_puts(struct jz__buf *buf, const char *text);
void jz__buf_printf(struct jz__buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for `length` more bytes behind the end; NULL when out of memory. */
char *jz__buf_reserve(struct jz__buf *buf, size_t length);

/* Inline, because answers are made of single characters between names. */
static inline void jz__buf_putc(struct jz__buf *buf, char c)
{
    if (buf->error == 0 && buf->length + 1 < buf->capacity) {
        buf->data[buf->length++] = c;
        buf->data[buf->length] = '\0';
    } else {
        jz__buf_append(buf, &c, 1);
    }
}

/* Cut back to length (<= buf->length). */
void jz__buf_truncate(struct jz__buf *buf, size_t length);

/* Empty it, keep the memory and forget an error. */
void jz__buf_clear(struct jz__buf *buf);

/* Hand the text over ("" if nothing was appended): 0, or JZ_ENOMEM. */
int jz__buf_take(char **out, struct jz__buf *buf);

void jz__buf_finish(struct jz__buf *buf);

#endif
