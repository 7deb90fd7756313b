/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding. Every title, every query and every project name passes here, and
 * both sides of a comparison must pass through the same function.
 *
 * jz__fold_text() is on the hot path of indexing, so utf8proc is asked as
 * seldom as possible. ASCII is lowered in words. All else goes, character by
 * character, into a window of code points: decomposed, without its marks,
 * folded, decomposed again; when the window is full it is composed and written.
 * Composition may join the last character with one that is still to come, so
 * that one stays in the window. Nothing but this can reach over the edge of a
 * window: no marks are left that would have to be sorted.
 */
#include "base/fold.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "jezero.h"

#define WINDOW 256
/* One character decomposes into 4 at most, each of these folds into 3 and one
 * of those decomposes into 4 at most: room for that ends the window. */
#define GROWTH 48

struct window {
    utf8proc_int32_t points[WINDOW];
    utf8proc_ssize_t count;
    bool may_compose; /* holds what composes with the character before it */
};

/* Ideographs and Hangul syllables: themselves, whatever is done to them. A
 * syllable would be taken apart and put together again. */
static bool is_stable(uint32_t point)
{
    return (point >= 0x3400 && point <= 0x9FFF) ||
           (point >= 0xAC00 && point <= 0xD7A3) ||
           (point >= 0x20000 && point <= 0x2A6D6);
}

/* Write the window but its last character, which moves to the front. Unless
 * `is_end`: then all. */
static void flush(struct jz__buf *out, struct window *window, bool is_end)
{
    utf8proc_ssize_t i;
    utf8proc_ssize_t last;

    if (window->may_compose && window->count > 1) {
        window->count = utf8proc_normalize_utf32(
            window->points, window->count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
        assert(window->count > 0);
    }
    last = is_end || window->count == 0 ? window->count : window->count - 1;
    for (i = 0; i < last; i++) {
        jz__utf8_put(out, (uint32_t)window->points[i]);
    }
    if (last < window->count) {
        window->points[0] = window->points[last];
        window->count = 1;
    } else {
        window->count = 0;
        window->may_compose = false;
    }
}

static void add_point(struct window *window, uint32_t point)
{
    window->points[window->count++] = (utf8proc_int32_t)point;
    /* No character below composes with the one before it, once there are no
     * marks; ideographs and whole syllables are no second part either. */
    if (point >= 0x09BE && !is_stable(point)) {
        window->may_compose = true;
    }
}

/* Decompose, drop marks, fold, decompose what that gave. */
static void add_folded(struct window *window, uint32_t point)
{
    utf8proc_int32_t parts[8];
    utf8proc_int32_t folded[16];
    utf8proc_ssize_t count;
    utf8proc_ssize_t i;
    utf8proc_ssize_t j;
    int boundclass = 0;

    if (is_stable(point)) {
        add_point(window, point);
        return;
    }
    count = utf8proc_decompose_char((utf8proc_int32_t)point, parts, 8,
                                    UTF8PROC_DECOMPOSE, &boundclass);
    assert(count >= 0 && count <= 8);
    for (i = 0; i < count; i++) {
        utf8proc_ssize_t n;

        if (utf8proc_get_property(parts[i])->combining_class != 0) {
            continue;
        }
        n = utf8proc_decompose_char(parts[i], folded, 16,
                                    UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD,
                                    &boundclass);
        assert(n >= 0 && n <= 16);
        for (j = 0; j < n; j++) {
            add_point(window, (uint32_t)folded[j]);
        }
    }
}

/*
 * Lower the ASCII characters at the start of text into `to`; their number.
 * Eight at a time: none has its high bit set, so adding what is missing to 128
 * sets that bit where a byte is large enough, and carries nothing over.
 */
static size_t lower_ascii(char *to, const char *text, size_t length)
{
    const uint64_t ones = 0x0101010101010101U;
    const uint64_t highs = ones * 0x80;
    uint64_t word;
    size_t i = 0;

    while (length - i >= sizeof(word)) {
        uint64_t from_a;
        uint64_t past_z;

        memcpy(&word, text + i, sizeof(word));
        if ((word & highs) != 0) {
            break;
        }
        from_a = word + ones * (0x80 - 'A');
        past_z = word + ones * (0x80 - 'Z' - 1);
        word |= (from_a & ~past_z & highs) >> 2; /* 0x20 makes it small */
        memcpy(to + i, &word, sizeof(word));
        i += sizeof(word);
    }
    for (; i < length && (unsigned char)text[i] < 0x80; i++) {
        to[i] = (char)(text[i] + (text[i] >= 'A' && text[i] <= 'Z' ? 32 : 0));
    }
    return i;
}

/* Append the ASCII characters at the start in lower case; their number. The
 * room is for all of the text: what is left of it will want it anyway. */
static size_t fold_ascii(struct jz__buf *out, const char *text, size_t length)
{
    char *end = jz__buf_reserve(out, length);
    size_t run;

    if (end == NULL) {
        return 0;
    }
    run = lower_ascii(end, text, length);
    out->length += run;
    out->data[out->length] = '\0';
    return run;
}

void jz__fold_text(struct jz__buf *out, const char *text, size_t length)
{
    struct window window;
    size_t at = 0;

    assert(out != NULL && (text != NULL || length == 0));

    window.count = 0;
    window.may_compose = false;
    while (at < length && out->error == 0) {
        uint32_t point;

        if ((unsigned char)text[at] < 0x80) {
            /* Nothing composes with an ASCII character but marks. */
            flush(out, &window, true);
            at += fold_ascii(out, text + at, length - at);
            continue;
        }
        at += jz__utf8_next(&point, text + at, length - at);
        if (window.count > WINDOW - GROWTH) {
            flush(out, &window, false);
        }
        add_folded(&window, point);
    }
    flush(out, &window, true);
}

/* Append utf8proc_map() of text. */
static void append_mapped(struct jz__buf *out, const struct jz__buf *text,
                          unsigned options)
{
    JZ_CLEANUP(jz__mem_freep) utf8proc_uint8_t *mapped = NULL;
    utf8proc_ssize_t length;

    if (text->error != 0 || text->length == 0) {
        out->error = out->error != 0 ? out->error : text->error;
        return;
    }
    length = utf8proc_map((const utf8proc_uint8_t *)text->data,
                          (utf8proc_ssize_t)text->length, &mapped,
                          (utf8proc_option_t)options);
    /* The text is valid by now, so all that can fail is memory. */
    if (length < 0) {
        out->error = JZ_ENOMEM;
        return;
    }
    jz__buf_append(out, mapped, (size_t)length);
}

void jz__fold_case(struct jz__buf *out, const char *text, size_t length)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf decomposed = JZ__BUF_INIT;
    size_t run = fold_ascii(out, text, length);

    if (run == length || out->error != 0) {
        return;
    }
    /* The last ASCII letter may carry the accent that follows, so the whole
     * text goes the long way. Folding follows decomposition, as Unicode's
     * canonical caseless match wants it: the iota below a Greek vowel becomes
     * a letter, and must first be sorted behind the accents. */
    jz__buf_truncate(out, out->length - run);
    jz__utf8_clean(&clean, text, length);
    append_mapped(&decomposed, &clean, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE);
    append_mapped(out, &decomposed,
                  UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE | UTF8PROC_STABLE);
}

bool jz__fold_is_word(uint32_t point)
{
    utf8proc_category_t category;

    if (point < 0x80) {
        return (point >= '0' && point <= '9') ||
               ((point | 0x20) >= 'a' && (point | 0x20) <= 'z');
    }
    category = utf8proc_category((utf8proc_int32_t)point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

/* The version of Unicode behind the tables ("15.0.0" is 150000), and that of
 * this file in the last two digits. */
int64_t jz__fold_version(void)
{
    const char *at = utf8proc_unicode_version();
    int64_t version = 0;
    int i;

    for (i = 0; i < 3; i++) {
        char *end;

        version = version * 100 + strtol(at, &end, 10);
        at = *end == '.' ? end + 1 : end;
    }
    return version * 100 + 1;
}
