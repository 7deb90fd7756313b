/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Globs, matched without recursion. Only the last star that was met is ever
 * tried again with one character more: an earlier star cannot help, since
 * whatever it could swallow the later one can as well. So a match costs at most
 * pattern times text, where the textbook recursion is exponential in the stars
 * and anyone who may set a name could stop the server.
 */
#include "base/glob.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/*
 * The next character of a NUL-terminated text, 0 at its end. A byte that is no
 * UTF-8 is a character of its own above all code points, so that two broken
 * names are equal only if their bytes are.
 */
static uint32_t take(const char **text)
{
    static const char written[] = "\xEF\xBF\xBD";
    uint32_t point;
    size_t size;

    if (**text == '\0') {
        return 0;
    }
    if ((unsigned char)**text < 0x80) {
        return (unsigned char)*(*text)++;
    }
    /* A sequence takes 4 bytes at most, and strnlen() keeps within the end. */
    size = jz__utf8_next(&point, *text, strnlen(*text, 4));
    if (point == JZ__UTF8_REPLACEMENT && strncmp(*text, written, 3) != 0) {
        return 0x110000U + (unsigned char)*(*text)++;
    }
    *text += size;
    return point;
}

/* Behind the ] that closes the set whose [ is before `set`; NULL: none. A ]
 * that comes first, also behind the !, is a member. */
static const char *set_end(const char *set)
{
    const char *close;

    set += *set == '!';
    close = *set == '\0' ? NULL : strchr(set + 1, ']');
    return close != NULL ? close + 1 : NULL;
}

/* Is point in the set that ends, with its ], before `end`? */
static bool set_has(const char *set, const char *end, uint32_t point)
{
    bool is_negated = *set == '!';
    bool is_found = false;

    set += is_negated;
    while (set < end - 1) {
        uint32_t first = take(&set);
        uint32_t last = first;

        /* A - that comes first or last is itself. */
        if (*set == '-' && set + 1 < end - 1) {
            set++;
            last = take(&set);
        }
        is_found |= first <= point && point <= last;
    }
    return is_found != is_negated;
}

/* Does one element of the pattern, not a star, take this character? *pattern
 * then stands behind the element. */
static bool match_one(const char **pattern, uint32_t point)
{
    const char *end;

    if (**pattern == '[') {
        end = set_end(*pattern + 1);
        if (end != NULL) {
            const char *set = *pattern + 1;

            *pattern = end;
            return set_has(set, end, point);
        }
    } else if (**pattern == '?') {
        (*pattern)++;
        return true;
    }
    return **pattern != '\0' && take(pattern) == point;
}

bool jz__glob_match(const char *pattern, const char *text)
{
    const char *star = NULL;   /* behind the last star */
    const char *resume = NULL; /* where its next try starts */

    assert(pattern != NULL && text != NULL);

    while (*text != '\0') {
        const char *next = text;
        const char *behind = pattern;
        uint32_t point = take(&next);

        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (match_one(&behind, point)) {
            pattern = behind;
            text = next;
        } else if (star != NULL) {
            (void)take(&resume);
            pattern = star;
            text = resume;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}
