/* SPDX-License-Identifier: Apache-2.0 */
/* Slices. Comparisons without case know A to Z alone: they serve protocol
 * words and file names, while text for people goes through base/fold.h. */
#include "base/str.h"

#include <assert.h>
#include <string.h>

struct jz__str jz__str_of(const char *text)
{
    struct jz__str result = { "", 0 };

    if (text != NULL) {
        result.data = text;
        result.length = strlen(text);
    }
    return result;
}

bool jz__str_equal(struct jz__str a, struct jz__str b)
{
    return a.length == b.length &&
           (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool jz__str_is(struct jz__str a, const char *text)
{
    return jz__str_equal(a, jz__str_of(text));
}

bool jz__str_starts(struct jz__str a, const char *prefix)
{
    size_t length = strlen(prefix);

    return a.length >= length && memcmp(a.data, prefix, length) == 0;
}

bool jz__str_ends(struct jz__str a, const char *suffix)
{
    size_t length = strlen(suffix);

    return a.length >= length &&
           memcmp(a.data + a.length - length, suffix, length) == 0;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

bool jz__str_starts_nocase(struct jz__str a, const char *prefix)
{
    size_t i;

    for (i = 0; prefix[i] != '\0'; i++) {
        if (i == a.length || lower(a.data[i]) != lower(prefix[i])) {
            return false;
        }
    }
    return true;
}

bool jz__str_is_nocase(struct jz__str a, const char *text)
{
    return a.length == strlen(text) && jz__str_starts_nocase(a, text);
}

size_t jz__str_find(struct jz__str a, const char *needle)
{
    const char *found;

    if (a.length == 0) {
        return needle[0] == '\0' ? 0 : SIZE_MAX;
    }
    found = memmem(a.data, a.length, needle, strlen(needle));
    return found != NULL ? (size_t)(found - a.data) : SIZE_MAX;
}

size_t jz__str_find_nocase(struct jz__str a, const char *needle)
{
    size_t i;

    for (i = 0; i < a.length; i++) {
        struct jz__str rest = { a.data + i, a.length - i };

        if (jz__str_starts_nocase(rest, needle)) {
            return i;
        }
    }
    return needle[0] == '\0' ? 0 : SIZE_MAX;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct jz__str jz__str_trim(struct jz__str a)
{
    while (a.length > 0 && is_space(a.data[0])) {
        a.data++;
        a.length--;
    }
    while (a.length > 0 && is_space(a.data[a.length - 1])) {
        a.length--;
    }
    return a;
}

bool jz__str_line(struct jz__str *line, struct jz__str *rest)
{
    const char *end;

    assert(line != NULL && rest != NULL);

    if (rest->length == 0) {
        return false;
    }
    end = memchr(rest->data, '\n', rest->length);
    line->data = rest->data;
    line->length = end != NULL ? (size_t)(end - rest->data) : rest->length;
    rest->data += line->length + (end != NULL);
    rest->length -= line->length + (end != NULL);
    if (line->length > 0 && line->data[line->length - 1] == '\r') {
        line->length--;
    }
    return true;
}

/* FNV-1a over the bytes, then the finalizer of MurmurHash3's 64-bit variant:
 * FNV alone leaves the high bits of short keys nearly equal. */
uint64_t jz__str_hash(struct jz__str a, uint64_t seed)
{
    uint64_t hash = 0xcbf29ce484222325u ^ seed;
    size_t i;

    for (i = 0; i < a.length; i++) {
        hash ^= (unsigned char)a.data[i];
        hash *= 0x100000001b3u;
    }
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53u;
    hash ^= hash >> 33;
    return hash;
}
