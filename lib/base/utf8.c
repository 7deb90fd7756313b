/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 by hand, because every limit of the product counts code points and
 * every text that leaves it must be valid. Everything rests on jz__utf8_next(),
 * which never fails and never reads past the end: broken bytes come out as
 * U+FFFD, one for each maximal invalid prefix, as the Unicode standard and the
 * browsers count them.
 *
 * The classes are short tables of ranges, searched in order. Where a cluster
 * may be cut is decided by such a table too: the marks that people meet, not
 * the whole of Unicode's text segmentation, which would need a library and a
 * version of Unicode. A mark that the table lacks costs a stray accent at the
 * end of a cut text and nothing else.
 */
#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define ZERO_WIDTH_JOINER 0x200D
#define ELLIPSIS "\xE2\x80\xA6"
#define REPLACEMENT "\xEF\xBF\xBD"

struct range {
    uint32_t first;
    uint32_t last;
};

/* What never stands at the start of a cluster, in ascending order. */
static const struct range extending[] = {
    { 0x0300, 0x036F },   /* combining diacritical marks */
    { 0x0483, 0x0489 },   /* Cyrillic */
    { 0x0591, 0x05BD },   /* Hebrew points */
    { 0x064B, 0x065F },   /* Arabic points */
    { 0x093A, 0x093C },   /* Devanagari */
    { 0x093E, 0x094D },   /* Devanagari vowels and virama */
    { 0x0E31, 0x0E31 },   /* Thai */
    { 0x0E34, 0x0E3A },   /* Thai vowels */
    { 0x0E47, 0x0E4E },   /* Thai tones */
    { 0x1160, 0x11FF },   /* Hangul vowels and finals */
    { 0x1AB0, 0x1AFF },   /* combining marks, extended */
    { 0x1DC0, 0x1DFF },   /* combining marks, supplement */
    { 0x200D, 0x200D },   /* zero width joiner */
    { 0x20D0, 0x20FF },   /* marks for symbols, the keycap among them */
    { 0x3099, 0x309A },   /* kana voicing */
    { 0xFE00, 0xFE0F },   /* variation selectors */
    { 0xFE20, 0xFE2F },   /* half marks */
    { 0x1F3FB, 0x1F3FF }, /* emoji skin tones */
    { 0xE0020, 0xE007F }, /* tags of the flags of regions */
    { 0xE0100, 0xE01EF }, /* variation selectors, supplement */
};

static const struct range white[] = {
    { 0x0009, 0x000D }, { 0x0020, 0x0020 }, { 0x0085, 0x0085 },
    { 0x00A0, 0x00A0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200A },
    { 0x2028, 0x2029 }, { 0x202F, 0x202F }, { 0x205F, 0x205F },
    { 0x3000, 0x3000 },
};

static const struct range cjk[] = {
    { 0x3005, 0x3005 }, { 0x3040, 0x30FF }, { 0x31F0, 0x31FF },
    { 0x3400, 0x4DBF }, { 0x4E00, 0x9FFF }, { 0xAC00, 0xD7AF },
    { 0xF900, 0xFAFF }, { 0xFF66, 0xFF9F }, { 0x20000, 0x3FFFF },
};

static const struct range bidi[] = {
    { 0x061C, 0x061C },
    { 0x200E, 0x200F },
    { 0x202A, 0x202E },
    { 0x2066, 0x2069 },
};

/*
 * Characters that show nothing and can hide text from a reader. The two
 * zero-width joiners are no such: emoji families and Persian words are spelt
 * with them. Tags are, although three flags are spelt with them: whole
 * sentences have been smuggled past people in tags.
 */
static const struct range hidden[] = {
    { 0x180E, 0x180E },   { 0x200B, 0x200B }, { 0x2060, 0x2064 },
    { 0x206A, 0x206F },   { 0xFEFF, 0xFEFF }, { 0xFFF9, 0xFFFB },
    { 0xE0000, 0xE007F },
};

static bool is_in(const struct range *ranges, size_t count, uint32_t point)
{
    size_t i;

    for (i = 0; i < count && point >= ranges[i].first; i++) {
        if (point <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/*
 * What a lead byte promises: the number of bytes, and the limits of the second
 * one, which shut out overlong forms, surrogates and values over 10FFFF. 0: no
 * lead byte.
 */
static size_t lead(unsigned char byte, unsigned char *low, unsigned char *high)
{
    *low = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    *high = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
    if (byte >= 0xC2 && byte <= 0xDF) {
        return 2;
    }
    if (byte >= 0xE0 && byte <= 0xEF) {
        return 3;
    }
    return byte >= 0xF0 && byte <= 0xF4 ? 4 : 0;
}

size_t jz__utf8_next(uint32_t *out, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char low;
    unsigned char high;
    uint32_t point;
    size_t size;
    size_t i;

    assert(out != NULL && text != NULL && length > 0);

    if (bytes[0] < 0x80) {
        *out = bytes[0];
        return 1;
    }
    *out = JZ__UTF8_REPLACEMENT;
    size = lead(bytes[0], &low, &high);
    if (size == 0) {
        return 1;
    }
    point = bytes[0] & (0x7FU >> size);
    for (i = 1; i < size; i++) {
        if (i == length || bytes[i] < low || bytes[i] > high) {
            return i;
        }
        point = point << 6 | (bytes[i] & 0x3FU);
        low = 0x80;
        high = 0xBF;
    }
    *out = point;
    return size;
}

static size_t encode(char out[4], uint32_t point)
{
    if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        point = JZ__UTF8_REPLACEMENT;
    }
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xE0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

void jz__utf8_put(struct jz__buf *buf, uint32_t point)
{
    char bytes[4];

    jz__buf_append(buf, bytes, encode(bytes, point));
}

/* Bytes of the ASCII run at the start, in steps of eight: nearly all text is
 * ASCII, and this is what makes the checks below cost next to nothing. */
static size_t ascii_run(const char *text, size_t length)
{
    size_t i = 0;
    uint64_t word;

    while (length - i >= sizeof(word)) {
        memcpy(&word, text + i, sizeof(word));
        if ((word & 0x8080808080808080U) != 0) {
            break;
        }
        i += sizeof(word);
    }
    while (i < length && (unsigned char)text[i] < 0x80) {
        i++;
    }
    return i;
}

/* Is the U+FFFD that jz__utf8_next() gave in the text itself? */
static bool is_written(const char *text, size_t size)
{
    return size == 3 && memcmp(text, REPLACEMENT, 3) == 0;
}

/* Bytes of valid UTF-8 at the start. */
static size_t valid_run(const char *text, size_t length)
{
    size_t at = ascii_run(text, length);
    uint32_t point;
    size_t size;

    while (at < length) {
        size = jz__utf8_next(&point, text + at, length - at);
        if (point == JZ__UTF8_REPLACEMENT && !is_written(text + at, size)) {
            return at;
        }
        at += size;
        at += ascii_run(text + at, length - at);
    }
    return at;
}

bool jz__utf8_is_valid(const char *text, size_t length)
{
    return valid_run(text, length) == length;
}

bool jz__utf8_is_clean(const char *text, size_t length)
{
    return (length == 0 || memchr(text, '\0', length) == NULL) &&
           jz__utf8_is_valid(text, length);
}

void jz__utf8_clean(struct jz__buf *out, const char *text, size_t length)
{
    size_t at = 0;
    uint32_t point;

    while (at < length) {
        size_t run = valid_run(text + at, length - at);
        const char *nul = run > 0 ? memchr(text + at, '\0', run) : NULL;

        if (nul != NULL) {
            run = (size_t)(nul - (text + at));
        }
        jz__buf_append(out, text + at, run);
        at += run;
        if (at < length) {
            at += jz__utf8_next(&point, text + at, length - at);
            jz__buf_append(out, REPLACEMENT, 3);
        }
    }
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t jz__utf8_count(const char *text, size_t length)
{
    size_t count = 0;
    size_t i;

    for (i = 0; i < length; i++) {
        count += !is_continuation(text[i]);
    }
    return count;
}

size_t jz__utf8_prefix(const char *text, size_t length, size_t points)
{
    size_t i;

    /* No text has more characters than bytes: the usual case needs no look. */
    if (length <= points) {
        return length;
    }
    for (i = 0; i < length; i++) {
        if (!is_continuation(text[i]) && points-- == 0) {
            return i;
        }
    }
    return length;
}

/* Offset of the character before `at`, which must be > 0. */
static size_t previous(const char *text, size_t at)
{
    size_t least = at > 4 ? at - 4 : 0;

    do {
        at--;
    } while (at > least && is_continuation(text[at]));
    return at;
}

static bool is_regional(uint32_t point)
{
    return point >= 0x1F1E6 && point <= 0x1F1FF;
}

/* Would a cut at `at`, where a character begins, fall between the two letters
 * of a flag? They pair off from the start of their run. */
static bool splits_flag(const char *text, size_t length, size_t at)
{
    bool is_odd = false;
    uint32_t point;

    (void)jz__utf8_next(&point, text + at, length - at);
    while (is_regional(point) && at > 0) {
        at = previous(text, at);
        (void)jz__utf8_next(&point, text + at, length - at);
        is_odd ^= is_regional(point);
    }
    return is_odd;
}

/* May the text be cut at `at` (0 < at < length), where a character begins? */
static bool is_boundary(const char *text, size_t length, size_t at)
{
    uint32_t before;
    uint32_t behind;
    size_t start = previous(text, at);

    (void)jz__utf8_next(&before, text + start, length - start);
    (void)jz__utf8_next(&behind, text + at, length - at);
    return before != ZERO_WIDTH_JOINER &&
           !is_in(extending, JZ__LENGTH(extending), behind) &&
           !splits_flag(text, length, at);
}

void jz__utf8_cut(struct jz__buf *out, const char *text, size_t length,
                  size_t points)
{
    size_t at;

    if (jz__utf8_prefix(text, length, points) == length) {
        jz__buf_append(out, text, length);
        return;
    }
    if (points == 0) {
        return;
    }
    /* Back to where a cluster ends. If the text is one single cluster, only
     * the ellipsis is left of it. */
    at = jz__utf8_prefix(text, length, points - 1);
    while (at > 0 && !is_boundary(text, length, at)) {
        at = previous(text, at);
    }
    jz__buf_append(out, text, at);
    jz__buf_append(out, ELLIPSIS, 3);
}

/* Bytes of a terminal's control sequence (ESC [ … letter) at the start, or 0:
 * without its ESC the rest of it would stay behind as litter. */
static size_t control_sequence(const char *text, size_t length)
{
    size_t i;

    if (length < 3 || text[0] != '\x1B' || text[1] != '[') {
        return 0;
    }
    for (i = 2; i < length && text[i] >= 0x20 && text[i] <= 0x3F; i++) {
    }
    return i < length && text[i] >= 0x40 && text[i] <= 0x7E ? i + 1 : 0;
}

void jz__utf8_one_line(struct jz__buf *out, const char *text, size_t length)
{
    bool is_begun = false;
    bool has_gap = false;
    size_t at = 0;

    while (at < length) {
        uint32_t point;
        size_t skip = control_sequence(text + at, length - at);

        if (skip > 0) {
            at += skip;
            continue;
        }
        at += jz__utf8_next(&point, text + at, length - at);
        if (jz__utf8_is_white(point)) {
            has_gap = true;
        } else if (!jz__utf8_is_control(point) && !jz__utf8_is_bidi(point) &&
                   !is_in(hidden, JZ__LENGTH(hidden), point)) {
            if (has_gap && is_begun) {
                jz__buf_putc(out, ' ');
            }
            jz__utf8_put(out, point);
            is_begun = true;
            has_gap = false;
        }
    }
}

void jz__utf8_show(char *out, size_t size, const char *text)
{
    size_t left = strlen(text);
    size_t used = 0;

    assert(out != NULL && size > 0);

    while (left > 0) {
        char piece[16];
        uint32_t point;
        size_t taken = jz__utf8_next(&point, text, left);
        size_t length;

        if (jz__utf8_is_control(point) || jz__utf8_is_bidi(point)) {
            length = (size_t)snprintf(piece, sizeof(piece), "\\u%04x",
                                      (unsigned)point);
        } else {
            length = encode(piece, point);
        }
        if (length >= size - used) {
            break;
        }
        memcpy(out + used, piece, length);
        used += length;
        text += taken;
        left -= taken;
    }
    out[used] = '\0';
}

bool jz__utf8_is_white(uint32_t point)
{
    return is_in(white, JZ__LENGTH(white), point);
}

bool jz__utf8_is_cjk(uint32_t point)
{
    return is_in(cjk, JZ__LENGTH(cjk), point);
}

bool jz__utf8_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) ||
           point == 0x2028 || point == 0x2029;
}

bool jz__utf8_is_bidi(uint32_t point)
{
    return is_in(bidi, JZ__LENGTH(bidi), point);
}
