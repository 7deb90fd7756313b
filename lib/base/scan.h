/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict JSON scanner: one pass over the bytes gives a flat list of tokens
 * that point into the text. Nothing is copied and no tree is built, so a
 * transcript's line costs a few dozen bytes a value, whatever it holds.
 *
 * The tokens stand in the order of the text. An object is followed by key,
 * value, key, value …; an array by its values; `next` is the index of the first
 * token behind the value and all that it holds.
 */
#ifndef JZ_BASE_SCAN_H
#define JZ_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Values nested deeper are refused. */
#define JZ__SCAN_DEPTH 64

enum jz__scan_type {
    JZ__SCAN_NULL,
    JZ__SCAN_FALSE,
    JZ__SCAN_TRUE,
    JZ__SCAN_NUMBER,
    JZ__SCAN_STRING,
    JZ__SCAN_ARRAY,
    JZ__SCAN_OBJECT
};

struct jz__scan_token {
    uint32_t start;  /* offset; of a string: behind its opening quote */
    uint32_t length; /* bytes; of a string: without quotes, still escaped */
    uint32_t next;
    uint8_t type;    /* enum jz__scan_type */
    bool is_escaped; /* a string that holds a backslash */
};

struct jz__scan {
    const char *text; /* borrowed from jz__scan_parse() */
    struct jz__scan_token *tokens;
    size_t count;
    size_t capacity;
    size_t end;         /* offset behind the value, white space not counted */
    size_t error_at;    /* where it failed */
    const char *reason; /* why, a phrase without a full stop */
};

#define JZ__SCAN_INIT                                                          \
    {                                                                          \
        NULL, NULL, 0, 0, 0, 0, NULL                                           \
    }

/*
 * Scan the first whole value of text: 0; JZ_EINVAL with .reason and .error_at;
 * JZ_ENOMEM. Bytes behind the value are not looked at (see .end and
 * jz__scan_is_whole()). Bytes that are no UTF-8 pass: jz__scan_text() repairs
 * them. The tokens stay valid until the next parse on this scan.
 */
int jz__scan_parse(struct jz__scan *scan, const char *text, size_t length);

/* Is there nothing but white space behind the value? */
bool jz__scan_is_whole(const struct jz__scan *scan, size_t length);

void jz__scan_finish(struct jz__scan *scan);

/* Token index of the object's member, the last one if the key comes twice; 0
 * (which can be no member) if there is none or `object` is no object. Keys are
 * compared with case; an escaped key is unescaped first. */
size_t jz__scan_get(const struct jz__scan *scan, size_t object,
                    const char *key);

/* jz__scan_get() if the member is of this type, else 0. */
size_t jz__scan_get_type(const struct jz__scan *scan, size_t object,
                         const char *key, enum jz__scan_type type);

/* The raw bytes of a value; of a string without its quotes. */
struct jz__str jz__scan_raw(const struct jz__scan *scan, size_t token);

/* Is the token the string `text`? */
bool jz__scan_is(const struct jz__scan *scan, size_t token, const char *text);

/*
 * Append a string's text: escapes decoded; lone surrogates, NULs and bytes that
 * are no UTF-8 become U+FFFD. Anything but a string appends nothing.
 */
void jz__scan_text(struct jz__buf *out, const struct jz__scan *scan,
                   size_t token);

/* Bytes in front of the first quote, backslash or control character: those that
 * stand for themselves inside a string. */
size_t jz__scan_plain(const char *text, size_t length);

/* The same, but it also ends at a byte that is not ASCII. */
size_t jz__scan_ascii(const char *text, size_t length);

/* The value of the four hexadecimal digits of a \u escape that was scanned. */
uint32_t jz__scan_hex4(const char *at);

/* Is the member there and true? */
bool jz__scan_flag(const struct jz__scan *scan, size_t object, const char *key);

/* A whole number without fraction or exponent that fits. */
bool jz__scan_int(int64_t *out, const struct jz__scan *scan, size_t token);

/* Walk: for (i = jz__scan_first(s, a); i != 0; i = jz__scan_after(s, a, i)).
 * In an object the walk stands on keys; the value is key + 1. */
size_t jz__scan_first(const struct jz__scan *scan, size_t container);
size_t jz__scan_after(const struct jz__scan *scan, size_t container,
                      size_t token);

#endif
