/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunked-body = *( size [ ext ] CRLF data CRLF ) 0 [ ext ] CRLF
 *                *( name ":" value CRLF ) CRLF
 *
 * Nothing is decoded here, only the line ends, digits and characters are
 * checked. A size has at most 15 digits, so it cannot overflow.
 */
#include "net/chunk.h"

#include <string.h>

#include "net/head.h"
#include "net/http.h"

#define SIZE_DIGITS_MOST 15

/* Both cases of A to F; -1 for all else. */
static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

/* A byte of the size line, behind its first digit or before it. */
static bool read_size(struct jz__chunk *chunk, char c)
{
    int value = digit_value(c);

    if (chunk->state == JZ__CHUNK_EXTENSION) {
        chunk->overhead++;
        if (c == '\r') {
            chunk->state = JZ__CHUNK_SIZE_LF;
        }
        return c == '\r' || jz__head_is_text(c);
    }
    if (value >= 0) {
        chunk->state = JZ__CHUNK_DIGITS;
        if (chunk->left >> (4 * (SIZE_DIGITS_MOST - 1)) != 0) {
            return false;
        }
        chunk->left = chunk->left * 16 + (uint64_t)value;
        return true;
    }
    if (chunk->state == JZ__CHUNK_SIZE) {
        return false;
    }
    /* Only a semicolon begins an extension; the blanks that the older RFC
     * allowed before it are read differently by different programs. */
    chunk->state = c == '\r' ? JZ__CHUNK_SIZE_LF : JZ__CHUNK_EXTENSION;
    return c == '\r' || c == ';';
}

/* A trailer is a header that nobody reads, and is held to the same rules. */
static bool read_trailer(struct jz__chunk *chunk, char c)
{
    chunk->overhead++;
    switch (chunk->state) {
    case JZ__CHUNK_TRAILER:
        if (c == '\r') {
            chunk->state = JZ__CHUNK_END_LF;
            return true;
        }
        chunk->state = JZ__CHUNK_TRAILER_NAME;
        return jz__head_is_token(c);
    case JZ__CHUNK_TRAILER_NAME:
        if (c == ':') {
            chunk->state = JZ__CHUNK_TRAILER_LINE;
            return true;
        }
        return jz__head_is_token(c);
    default:
        if (c == '\r') {
            chunk->state = JZ__CHUNK_TRAILER_LF;
            return true;
        }
        return jz__head_is_text(c);
    }
}

/* A byte that can only be this one. */
static bool read_line_end(struct jz__chunk *chunk, char c)
{
    switch (chunk->state) {
    case JZ__CHUNK_SIZE_LF:
        chunk->state = chunk->left > 0 ? JZ__CHUNK_DATA : JZ__CHUNK_TRAILER;
        return c == '\n';
    case JZ__CHUNK_DATA_CR:
        chunk->state = JZ__CHUNK_DATA_LF;
        return c == '\r';
    case JZ__CHUNK_DATA_LF:
        chunk->state = JZ__CHUNK_SIZE;
        return c == '\n';
    case JZ__CHUNK_TRAILER_LF:
        chunk->state = JZ__CHUNK_TRAILER;
        return c == '\n';
    default:
        chunk->state = JZ__CHUNK_END;
        return c == '\n';
    }
}

static bool read_byte(struct jz__chunk *chunk, char c)
{
    switch (chunk->state) {
    case JZ__CHUNK_SIZE:
    case JZ__CHUNK_DIGITS:
    case JZ__CHUNK_EXTENSION:
        return read_size(chunk, c);
    case JZ__CHUNK_TRAILER:
    case JZ__CHUNK_TRAILER_NAME:
    case JZ__CHUNK_TRAILER_LINE:
        return read_trailer(chunk, c);
    default:
        return read_line_end(chunk, c);
    }
}

enum jz__chunk_fault jz__chunk_read(size_t *used, struct jz__chunk *chunk,
                                    const char *data, size_t length)
{
    size_t at = 0;

    while (at < length && chunk->state != JZ__CHUNK_END) {
        if (chunk->state == JZ__CHUNK_DATA) {
            size_t run = length - at;

            run = run > chunk->left ? (size_t)chunk->left : run;
            chunk->left -= run;
            if (chunk->left == 0) {
                chunk->state = JZ__CHUNK_DATA_CR;
            }
            *used = at + run;
            return JZ__CHUNK_FINE;
        }
        if (!read_byte(chunk, data[at])) {
            return JZ__CHUNK_WRONG;
        }
        if (chunk->overhead > JZ__HTTP_HEAD_MOST) {
            return JZ__CHUNK_TOO_LARGE;
        }
        at++;
    }
    *used = at;
    return JZ__CHUNK_FINE;
}
