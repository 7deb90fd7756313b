/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding is strict, because what comes out is stored and shown: half an
 * escape, bytes that are no UTF-8 and control characters are refused and not
 * repaired. A blank may stand as it is, since a header can carry one; a plus
 * is a plus, since this is no form.
 */
#include "net/percent.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/utf8.h"
#include "jezero.h"

/* The value of a hexadecimal digit, or -1. */
static int digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Take one byte off the text, or what three of them encode; -1: neither. */
static int next(struct jz__str *text)
{
    unsigned char c = (unsigned char)text->data[0];
    size_t length = 1;
    int value = c;

    if (c == '%') {
        int high = text->length >= 3 ? digit(text->data[1]) : -1;
        int low = text->length >= 3 ? digit(text->data[2]) : -1;

        if (high < 0 || low < 0) {
            return -1;
        }
        length = 3;
        value = high * 16 + low;
    } else if (c < ' ' || c > '~') {
        return -1;
    }
    text->data += length;
    text->length -= length;
    return value;
}

/* Valid UTF-8 that can stand in one line? */
static bool is_plain(const char *text, size_t length)
{
    size_t i = 0;

    if (!jz__utf8_is_clean(text, length)) {
        return false;
    }
    while (i < length) {
        uint32_t point;

        i += jz__utf8_next(&point, text + i, length - i);
        if (jz__utf8_is_control(point)) {
            return false;
        }
    }
    return true;
}

int jz__percent_decode(struct jz__buf *out, struct jz__str text, size_t most)
{
    size_t start = out->length;
    bool is_wrong = false;

    assert(text.data != NULL || text.length == 0);

    while (text.length > 0 && !is_wrong && out->error == 0) {
        int value = next(&text);

        is_wrong = value < 0 || out->length - start == most;
        if (!is_wrong) {
            jz__buf_putc(out, (char)value);
        }
    }
    if (out->error != 0) {
        return JZ_ENOMEM;
    }
    if (!is_wrong && (out->length == start ||
                      is_plain(out->data + start, out->length - start))) {
        return JZ_OK;
    }
    jz__buf_truncate(out, start);
    return JZ_EINVAL;
}

/* The characters that stand for themselves wherever a URL may have them. */
static bool is_unreserved(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '~' ||
           c == '-';
}

void jz__percent_encode(struct jz__buf *out, struct jz__str text)
{
    static const char digits[] = "0123456789ABCDEF";

    assert(text.data != NULL || text.length == 0);

    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (is_unreserved(text.data[i])) {
            jz__buf_putc(out, text.data[i]);
        } else {
            jz__buf_putc(out, '%');
            jz__buf_putc(out, digits[c >> 4]);
            jz__buf_putc(out, digits[c & 15]);
        }
    }
}
