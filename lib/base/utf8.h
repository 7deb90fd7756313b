/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8: decoding, repair, counting and cutting, and the few classes of
 * characters that the product names. A character is a code point.
 */
#ifndef JZ_BASE_UTF8_H
#define JZ_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define JZ__UTF8_REPLACEMENT 0xFFFD

/*
 * Decode the character at text[0..length): its length in bytes (1 to 4) is
 * returned, *out is the code point. Bytes that are no UTF-8 give U+FFFD and
 * the length of the maximal invalid prefix (at least 1). length must be > 0.
 */
size_t jz__utf8_next(uint32_t *out, const char *text, size_t length);

/* Append one code point; surrogates and values over 10FFFF become U+FFFD. */
void jz__utf8_put(struct jz__buf *buf, uint32_t point);

/* Valid UTF-8 without NUL? */
bool jz__utf8_is_clean(const char *text, size_t length);

/* Valid UTF-8? NUL is a character like any other. */
bool jz__utf8_is_valid(const char *text, size_t length);

/* Append text with every invalid byte sequence and every NUL as U+FFFD. */
void jz__utf8_clean(struct jz__buf *out, const char *text, size_t length);

/* Code points of valid UTF-8. */
size_t jz__utf8_count(const char *text, size_t length);

/* Bytes that the first `points` code points take (length, if it has fewer). */
size_t jz__utf8_prefix(const char *text, size_t length, size_t points);

/*
 * Append text, cut to at most `points` code points: a cut text ends in U+2026,
 * which counts. It is never cut between a base character and the combining
 * marks, joiners or variation selectors that follow it.
 */
void jz__utf8_cut(struct jz__buf *out, const char *text, size_t length,
                  size_t points);

/*
 * Append text as one line that can neither start a heading nor move the
 * cursor: line breaks, tabs and runs of white space become one space, control,
 * escape, bidi and zero-width control characters are dropped, ends trimmed.
 */
void jz__utf8_one_line(struct jz__buf *out, const char *text, size_t length);

/*
 * Copy text into `size` bytes (NUL included) for a message or a log line: one
 * line, control and bidi characters as \uXXXX, invalid bytes as U+FFFD, cut
 * between characters. It allocates nothing, so it works when memory is out.
 */
void jz__utf8_show(char *out, size_t size, const char *text);

bool jz__utf8_is_white(uint32_t point);   /* Unicode White_Space */
bool jz__utf8_is_cjk(uint32_t point);     /* the ranges of short terms */
bool jz__utf8_is_control(uint32_t point); /* C0, C1, DEL, line/para separator */
bool jz__utf8_is_bidi(
    uint32_t point); /* embeddings, overrides, isolates, marks */

#endif
