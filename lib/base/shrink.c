/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This runs over every byte of a huge line before anything else looks at it, so
 * it knows as little JSON as it can: where a string begins and ends, and that
 * the character behind a backslash ends nothing. All else is copied as it is,
 * and whether the result is JSON is the scanner's business: a valid line stays
 * one, of the same structure.
 *
 * A string is copied until it is too long. Then what was copied is cut back, in
 * the output, to where a character or escape begins, and the rest up to the
 * closing quote is skipped. So a cut costs one look back over 64 KiB and the
 * state between two feeds stays a few bytes. The output of earlier feeds of the
 * line must still be in the buffer.
 */
#include "base/shrink.h"

#include <assert.h>
#include <string.h>

/* A string_length that says: cut already, skip to the closing quote. */
#define SKIPPING (JZ__SHRINK_STRING_MOST + 1)

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* Not 0 if one of the eight bytes is `byte`. */
static uint64_t has_byte(uint64_t word, unsigned char byte)
{
    uint64_t zero_where_equal = word ^ (ONES * byte);

    return (zero_where_equal - ONES) & ~zero_where_equal & HIGHS;
}

/* Bytes in front of the first quote or backslash. */
static size_t plain_run(const char *data, size_t length)
{
    size_t i = 0;
    uint64_t word;

    while (length - i >= sizeof(word)) {
        memcpy(&word, data + i, sizeof(word));
        if ((has_byte(word, '"') | has_byte(word, '\\')) != 0) {
            break;
        }
        i += sizeof(word);
    }
    while (i < length && data[i] != '"' && data[i] != '\\') {
        i++;
    }
    return i;
}

/* Bytes up to the closing quote, or all. */
static size_t string_run(struct jz__shrink *state, const char *data,
                         size_t length)
{
    size_t i = 0;

    while (i < length) {
        if (state->escape_left > 0) {
            state->escape_left = 0;
            i++;
            continue;
        }
        i += plain_run(data + i, length - i);
        if (i == length || data[i] == '"') {
            break;
        }
        state->escape_left = 1;
        i++;
    }
    return i;
}

/* Is text, an escape of six bytes, the first half of a surrogate pair? */
static bool is_high_half(const char *text)
{
    return text[1] == 'u' && (text[2] == 'd' || text[2] == 'D') &&
           text[3] != '\0' && strchr("89abAB", text[3]) != NULL;
}

/* Bytes of a begun, unfinished UTF-8 sequence at the end. */
static size_t broken_tail(const char *text, size_t length)
{
    size_t back;

    for (back = 1; back <= 3 && back <= length; back++) {
        unsigned char byte = (unsigned char)text[length - back];

        if (byte >= 0xC0) {
            size_t size = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;

            return size > back ? back : 0;
        }
        if (byte < 0x80) {
            return 0;
        }
    }
    return 0;
}

/*
 * Where to cut text[0..length), the beginning of a longer string: the escapes
 * are stepped over from the front, because from the back nobody can tell
 * whether a backslash begins an escape or ends one.
 */
static size_t cut_at(const char *text, size_t length)
{
    size_t at = 0;
    size_t half_at = length; /* of a first half that ends at `at` */

    while (at < length) {
        const char *escape = memchr(text + at, '\\', length - at);
        size_t size;

        if (escape == NULL) {
            return length - broken_tail(text + at, length - at);
        }
        if ((size_t)(escape - text) > at) {
            half_at = length;
        }
        at = (size_t)(escape - text);
        size = length - at > 1 && escape[1] == 'u' ? 6 : 2;
        if (size > length - at) {
            /* Half a pair is not left alone in front of the cut. */
            return half_at < length ? half_at : at;
        }
        half_at = half_at == length && size == 6 && is_high_half(escape)
                      ? at
                      : length;
        at += size;
    }
    return half_at;
}

/* Copy bytes of the open string as far as it may grow. */
static void keep(struct jz__buf *out, struct jz__shrink *state,
                 const char *data, size_t length)
{
    size_t room = JZ__SHRINK_STRING_MOST - state->string_length;
    size_t start;

    if (state->string_length == SKIPPING) {
        return;
    }
    jz__buf_append(out, data, length < room ? length : room);
    if (length <= room) {
        state->string_length += length;
        return;
    }
    state->string_length = SKIPPING;
    if (out->error == 0) {
        assert(out->length >= JZ__SHRINK_STRING_MOST);
        start = out->length - JZ__SHRINK_STRING_MOST;
        jz__buf_truncate(
            out, start + cut_at(out->data + start, JZ__SHRINK_STRING_MOST));
    }
}

void jz__shrink_feed(struct jz__buf *out, struct jz__shrink *state,
                     const char *data, size_t length)
{
    assert(out != NULL && state != NULL);

    while (length > 0) {
        size_t run;

        if (state->in_string) {
            run = string_run(state, data, length);
            keep(out, state, data, run);
            if (run < length) {
                jz__buf_putc(out, '"');
                state->in_string = false;
                run++;
            }
        } else {
            const char *quote = memchr(data, '"', length);

            run = quote != NULL ? (size_t)(quote - data) + 1 : length;
            jz__buf_append(out, data, run);
            state->in_string = quote != NULL;
            state->string_length = 0;
            state->escape_left = 0;
        }
        data += run;
        length -= run;
    }
}
