/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of Authorization headers, as they stand in raw requests, in
 * arguments of curl, in JSON and in source. The scheme stays ("Bearer",
 * "Basic"), the credentials go. Schemes with parameters (Digest, AWS4-HMAC-…)
 * lose everything behind the scheme, up to the quote that holds the header or
 * the end of the line.
 */
#include <assert.h>
#include <stdint.h>

#include "base/mem.h"
#include "ingest/redact_view.h"

#define ALONE_LEAST 16
/* Where the first = of a scheme with parameters must be. */
#define PARAMETER_MOST 64

/* Words that stand in front of one word of credentials. Any other word in this
 * place is taken for prose, unless what follows is long and random. */
static const char *const schemes[] = {
    "bearer",  "basic",     "token",     "apikey",  "api-key",
    "key",     "negotiate", "ntlm",      "bot",     "sharedkey",
    "splunk",  "genie-key", "genie key", "dpop",    "zoho-oauthtoken",
    "discogs", "ghost",     "snowflake", "sso-key", "sharedkeylite",
};

static const char *const parameter_schemes[] = {
    "digest",
    "aws4-hmac-sha256",
    "aws4-ecdsa-p256-sha256",
    "oauth",
    "hawk",
    "signature",
    "vapid",
    "sharedaccesssignature",
};

static bool is_in(struct jz__str word, const char *const *list, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (jz__str_is_nocase(word, list[i])) {
            return true;
        }
    }
    return false;
}

/* Authorization, Proxy-Authorization, HTTP_AUTHORIZATION. */
bool jz__redact_headers_is_credentials(struct jz__str key)
{
    static const char name[] = "authorization";
    size_t length = sizeof(name) - 1;
    struct jz__str tail;

    if (key.length < length) {
        return false;
    }
    tail.data = key.data + key.length - length;
    tail.length = length;
    return jz__str_is_nocase(tail, name) &&
           (key.length == length || !jz__redact_is_alnum(tail.data[-1]));
}

/* A blank, or the escaped one of an unquoted shell word. */
static size_t skip_blanks(const struct jz__redact_view *in, size_t at)
{
    while (at < in->length) {
        if (jz__redact_is_blank(in->text[at])) {
            at++;
        } else if (jz__redact_at(in, at, "\\ ")) {
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

/* Credentials are of ASCII; a byte from E0 on is an ellipsis, a quotation mark
 * or a character of a text that goes on without a blank. */
static bool ends_word(char c)
{
    return (unsigned char)c <= ' ' || (unsigned char)c >= 0xE0 || c == 0x7F ||
           jz__redact_is_in(c, "\"'`\\,;<>()[]{}|");
}

/* The end of the word at text[at], at most `most` bytes on. */
static size_t word_end(const struct jz__redact_view *in, size_t at, size_t most)
{
    size_t start = at;

    while (at < in->length && at - start < most && !ends_word(in->text[at])) {
        at++;
    }
    return at;
}

/* Does the line go on with words behind a blank at text[at]? */
static bool has_words(const struct jz__redact_view *in, size_t at)
{
    size_t next = skip_blanks(in, at);

    return next > at && next < in->length && in->text[next] != '\n' &&
           in->text[next] != '\r' && in->text[next] != '\\' &&
           in->text[next] != '-';
}

/* Are there credentials at text[start), and not a placeholder or prose? Their
 * end is in *end. */
static bool is_credentials(const struct jz__redact_view *in, size_t start,
                           size_t *end)
{
    struct jz__str word;

    *end = word_end(in, start, JZ__REDACT_JUDGED);
    word = (struct jz__str){ in->text + start, *end - start };
    if (word.length == JZ__REDACT_JUDGED) {
        *end = word_end(in, start, SIZE_MAX);
        return true;
    }
    /* The full stop behind a sentence. */
    if (word.length > 0 && word.data[word.length - 1] == '.') {
        word.length--;
        *end -= 1;
    }
    /* `{token}` and `<token>` end the word before it began. */
    if (word.length < 4 || jz__redact_values_is_placeholder(word) ||
        jz__redact_at(in, *end, JZ__REDACT_MARKER)) {
        return false;
    }
    if (*end < in->length && jz__redact_is_in(in->text[*end], "([{<")) {
        return false;
    }
    /* "Bearer authentication is required." Only the last word of a header may be
     * credentials without a digit. */
    if (jz__redact_values_is_words(word)) {
        bool is_bare;

        return word.length >= 8 && !has_words(in, *end) &&
               !jz__redact_at(in, *end, ".") &&
               jz__redact_names_class(&is_bare, word) == JZ__REDACT_NONE;
    }
    return true;
}

/* Parameters at text[at): up to the quote that opened in front of the header,
 * or to the line's end. at itself: there are none. */
static size_t parameters_end(const struct jz__redact_view *in, size_t at,
                             char quote)
{
    size_t start = at;
    bool has_equals = false;

    while (at < in->length && (has_equals || at - start < PARAMETER_MOST) &&
           in->text[at] != '\n' && in->text[at] != '\r' &&
           !jz__redact_at(in, at, "\\n") && in->text[at] != '[' &&
           (quote == '\0' || in->text[at] != quote)) {
        has_equals = has_equals || in->text[at] == '=';
        at++;
    }
    if (!has_equals) {
        return start;
    }
    while (at > start && (in->text[at - 1] == '\\' ||
                          jz__redact_is_blank(in->text[at - 1]))) {
        at--;
    }
    return at;
}

/* The opening quote of the value or of the whole header; '\0': there is none.
 * *at is moved behind the quote of a value. */
static char find_quote(const struct jz__redact_view *in, size_t *at,
                       struct jz__str key)
{
    size_t value = *at;
    size_t start = (size_t)(key.data - in->text);

    while (value < in->length && in->text[value] == '\\') {
        value++;
    }
    if (value < in->length && jz__redact_is_in(in->text[value], "\"'`")) {
        *at = value + 1;
        return in->text[value];
    }
    if (start > in->floor && jz__redact_is_in(in->text[start - 1], "\"'`")) {
        return in->text[start - 1];
    }
    return '\0';
}

bool jz__redact_headers_match(struct jz__redact_span *out,
                              const struct jz__redact_view *in, size_t at,
                              struct jz__str key)
{
    size_t start = at + 1;
    size_t end;
    size_t next;
    struct jz__str scheme;
    char quote;

    assert(at < in->length);

    /* headers["Authorization"] == …, and 'Authorization' => … */
    if (start < in->length && in->text[at] == '=' && in->text[start] == '=') {
        return false;
    }
    if (start < in->length && in->text[at] == '=' && in->text[start] == '>') {
        start++;
    }
    start = skip_blanks(in, start);
    quote = find_quote(in, &start, key);
    start = skip_blanks(in, start);
    end = word_end(in, start, JZ__REDACT_JUDGED);
    next = skip_blanks(in, end);
    scheme = (struct jz__str){ in->text + start, end - start };
    out->kind = "authorization";
    out->start = next;
    if (next > end &&
        is_in(scheme, parameter_schemes, JZ__LENGTH(parameter_schemes))) {
        out->end = parameters_end(in, next, quote);
        return out->end - next >= ALONE_LEAST;
    }
    if (next > end && is_in(scheme, schemes, JZ__LENGTH(schemes))) {
        return is_credentials(in, next, &out->end);
    }
    /* No scheme, or one that we do not know: then only what looks random, since
     * "Authorization: see the manual" is a sentence. */
    if (jz__redact_values_is_words(scheme) && next > end) {
        end = word_end(in, next, JZ__REDACT_JUDGED);
        scheme = (struct jz__str){ in->text + next, end - next };
        return scheme.length >= ALONE_LEAST &&
               !jz__redact_values_is_words(scheme) &&
               is_credentials(in, next, &out->end);
    }
    out->start = start;
    return scheme.length >= 8 && !jz__redact_values_is_words(scheme) &&
           is_credentials(in, start, &out->end);
}

static bool is_bearer(char c)
{
    return jz__redact_is_token(c) || jz__redact_is_base64(c) || c == '.' ||
           c == '~';
}

/* Without the header's name in front, in source or in a sentence, the word must
 * be long and hold a digit: "Bearer authentication" is no token. */
bool jz__redact_headers_bearer(struct jz__redact_span *out,
                               const struct jz__redact_view *in, size_t at)
{
    size_t start = at + 7;
    size_t end;
    size_t i;
    bool has_digit = false;
    struct jz__str word;

    if (!jz__redact_at(in, at, "Bearer ") || !jz__redact_is_start(in, at)) {
        return false;
    }
    end = jz__redact_run(in, start, is_bearer);
    for (i = start; i < end; i++) {
        has_digit = has_digit || jz__redact_is_digit(in->text[i]);
    }
    word = (struct jz__str){ in->text + start, end - start };
    *out = (struct jz__redact_span){ start, end, "authorization" };
    return word.length >= ALONE_LEAST && has_digit &&
           !jz__redact_values_is_placeholder(word);
}
