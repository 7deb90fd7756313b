/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passwords in URLs: scheme://user:password@host. User and host stay, they
 * tell what was connected to. By the standard the part ends at the first slash,
 * but people paste passwords as they are: one with an @ ends at the last @, and
 * one with a slash is recognised by what stands behind the colon being no port.
 */
#include <assert.h>

#include "ingest/redact_view.h"

#define AUTHORITY_MOST 512
#define RAW_MOST 128

static bool ends_url(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F ||
           jz__redact_is_in(c, "\"'`<>\\");
}

static bool ends_authority(char c)
{
    return ends_url(c) || c == '/' || c == '?' || c == '#';
}

/* Where the class of bytes ends, at most `most` bytes behind start; *last_at is
 * set to the last @ before it, if there is one. */
static size_t stretch(const struct jz__redact_view *in, size_t start,
                      size_t most, bool (*ends)(char), size_t *last_at)
{
    size_t at = start;

    while (at < in->length && at - start < most && !ends(in->text[at])) {
        if (in->text[at] == '@') {
            *last_at = at;
        }
        at++;
    }
    return at;
}

bool jz__redact_urls_match(struct jz__redact_span *out,
                           const struct jz__redact_view *in, size_t at)
{
    size_t start = at + 3;
    size_t last_at = 0;
    size_t end;
    const char *colon;
    struct jz__str value;

    assert(jz__redact_at(in, at, "://"));

    if (at == in->floor || !jz__redact_is_alnum(in->text[at - 1])) {
        return false;
    }
    end = stretch(in, start, AUTHORITY_MOST, ends_authority, &last_at);
    colon =
        memchr(in->text + start, ':', (last_at > 0 ? last_at : end) - start);
    if (colon == NULL) {
        return false;
    }
    value.data = colon + 1;
    if (last_at == 0) {
        size_t port = (size_t)(value.data - in->text);

        /* host:port/path@2 is no password, and host: neither. */
        if (jz__redact_run(in, port, jz__redact_is_digit) == end) {
            return false;
        }
        end = stretch(in, end, RAW_MOST, ends_url, &last_at);
    }
    if (last_at == 0) {
        return false;
    }
    value.length = (size_t)(in->text + last_at - value.data);
    *out = (struct jz__redact_span){ (size_t)(value.data - in->text), last_at,
                                     "password" };
    return value.length > 0 && !jz__redact_has_marker(in, start, end) &&
           !jz__redact_values_is_placeholder(value);
}
