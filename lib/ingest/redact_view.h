/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of redaction share: the view of the text that all of them
 * look at, the span that they answer with, and classes of bytes.
 *
 * A part is asked at one trigger byte. It may look back as far as .floor and
 * ahead as far as the text goes, but by a bounded number of bytes, or over a
 * run that no later question will cross again: this keeps the whole linear.
 * .floor is where the last secret or marker ended. Nothing in front of it is
 * ever looked at, so a second pass, which finds a marker in place of each
 * secret, comes to the same answers.
 */
#ifndef JZ_INGEST_REDACT_VIEW_H
#define JZ_INGEST_REDACT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

#define JZ__REDACT_MARKER "[redacted:"

/* A value is judged (placeholder? code?) by at most so many bytes; a longer one
 * is a secret as a whole. So what was left alone is never long, and may be read
 * again by the next question without making the time quadratic. */
#define JZ__REDACT_JUDGED 256

struct jz__redact_view {
    const char *text;
    size_t length;
    size_t floor;
};

/* text[start .. end) is a secret of a kind: [a-z-]+, static text. */
struct jz__redact_span {
    size_t start;
    size_t end;
    const char *kind;
};

/* The parts. Each answers whether a secret is recognised at the trigger byte
 * text[at]; its span starts at the floor or behind it and ends behind at. */

/* Known prefixes: ghp_, AKIA, xoxb-, … (redact_tokens.c). */
bool jz__redact_tokens_match(struct jz__redact_span *out,
                             const struct jz__redact_view *in, size_t at);

/* Keys without a prefix, by their shape (redact_shapes.c), each with the byte
 * that asks. */
bool jz__redact_shapes_jwt(struct jz__redact_span *out,
                           const struct jz__redact_view *in, size_t at); /* J */
bool jz__redact_shapes_dot(struct jz__redact_span *out,
                           const struct jz__redact_view *in, size_t at); /* . */
bool jz__redact_shapes_sendgrid(struct jz__redact_span *out,
                                const struct jz__redact_view *in,
                                size_t at); /* G */
bool jz__redact_shapes_telegram(struct jz__redact_span *out,
                                const struct jz__redact_view *in,
                                size_t at); /* : */
bool jz__redact_shapes_twilio(struct jz__redact_span *out,
                              const struct jz__redact_view *in,
                              size_t at); /* C, K */
bool jz__redact_shapes_azure(struct jz__redact_span *out,
                             const struct jz__redact_view *in,
                             size_t at); /* ~ */

/* The B of BEGIN and the E of END (redact_pem.c). */
bool jz__redact_pem_begin(struct jz__redact_span *out,
                          const struct jz__redact_view *in, size_t at);
bool jz__redact_pem_end(struct jz__redact_span *out,
                        const struct jz__redact_view *in, size_t at);

/* The colon of :// (redact_urls.c). */
bool jz__redact_urls_match(struct jz__redact_span *out,
                           const struct jz__redact_view *in, size_t at);

/* Is this the name of a header that carries credentials? */
bool jz__redact_headers_is_credentials(struct jz__str key);

/* The : or = behind such a name, and the B of a Bearer that stands alone
 * (redact_headers.c). */
bool jz__redact_headers_match(struct jz__redact_span *out,
                              const struct jz__redact_view *in, size_t at,
                              struct jz__str key);
bool jz__redact_headers_bearer(struct jz__redact_span *out,
                               const struct jz__redact_view *in, size_t at);

/* The key that ends in front of the separator text[at], quotes, backslashes
 * and blanks between skipped; empty if there is none. */
struct jz__str jz__redact_assignments_key(const struct jz__redact_view *in,
                                          size_t at);

/* = : or > behind a key, and the second - of an option with its value as the
 * next word (redact_assignments.c). */
bool jz__redact_assignments_match(struct jz__redact_span *out,
                                  const struct jz__redact_view *in, size_t at,
                                  struct jz__str key);
bool jz__redact_assignments_option(struct jz__redact_span *out,
                                   const struct jz__redact_view *in, size_t at);

/* What a value is a value of. */
enum jz__redact_class {
    JZ__REDACT_NONE,
    JZ__REDACT_PASSWORD,
    JZ__REDACT_SECRET,
    JZ__REDACT_KEY,
    JZ__REDACT_TOKEN,
    JZ__REDACT_SIGNATURE /* of a signed URL */
};

/* By its name, is this the name of a secret (redact_names.c)? *is_bare: the
 * name says no more than `token`, `pass`. */
enum jz__redact_class jz__redact_names_class(bool *is_bare, struct jz__str key);

/* A value with all that tells a literal from code and prose. */
struct jz__redact_value {
    struct jz__str text; /* without its quotes */
    enum jz__redact_class kind;
    bool is_bare; /* of jz__redact_names_class() */
    bool is_quoted;
    bool is_env;   /* KEY=value, as the environment and .env files write */
    bool is_tight; /* no blank between key, separator and value */
    char follows;  /* the byte behind it, '\0' at the end of the text */
    bool has_words_behind; /* more on its line, after a blank */
};

/* Is it a literal secret (redact_values.c)? */
bool jz__redact_values_is_secret(const struct jz__redact_value *value);

/* Does it stand for a secret instead of being one: xxxx, <token>, ${VAR},
 * changeme, your-api-key, AKIAIOSFODNN7EXAMPLE, a path …? */
bool jz__redact_values_is_placeholder(struct jz__str text);

/* The part of it that holds for random keys: xxxx, EXAMPLE, one byte only. */
bool jz__redact_values_is_sample(struct jz__str text);

/* Letters and separators of words (_ - . blank), nothing else? */
bool jz__redact_values_is_words(struct jz__str text);

/* --- bytes --- */

static inline bool jz__redact_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool jz__redact_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool jz__redact_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool jz__redact_is_letter(char c)
{
    return jz__redact_is_lower((char)(c | 0x20));
}

static inline bool jz__redact_is_alnum(char c)
{
    return jz__redact_is_letter(c) || jz__redact_is_digit(c);
}

/* Of the alphabet of URL-safe base64, which most tokens are made of. */
static inline bool jz__redact_is_token(char c)
{
    return jz__redact_is_alnum(c) || c == '_' || c == '-';
}

static inline bool jz__redact_is_base64(char c)
{
    return jz__redact_is_alnum(c) || c == '+' || c == '/' || c == '=';
}

static inline bool jz__redact_is_hex(char c)
{
    return jz__redact_is_digit(c) || (c >= 'a' && c <= 'f');
}

static inline bool jz__redact_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Is c one of a set? strchr() alone finds the NUL as well. */
static inline bool jz__redact_is_in(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* --- places --- */

/* The byte at text[at], NUL behind the end. */
static inline char jz__redact_byte(const struct jz__redact_view *in, size_t at)
{
    if (at < in->length) {
        return in->text[at];
    }
    return '\0';
}

/* Does literal stand at text[at]? */
static inline bool jz__redact_at(const struct jz__redact_view *in, size_t at,
                                 const char *literal)
{
    size_t length = strlen(literal);

    return at <= in->length && in->length - at >= length &&
           memcmp(in->text + at, literal, length) == 0;
}

/* Does a marker begin in text[start .. end], the end included? */
static inline bool jz__redact_has_marker(const struct jz__redact_view *in,
                                         size_t start, size_t end)
{
    while (start <= end && start < in->length) {
        size_t length = (end < in->length ? end + 1 : end) - start;
        const char *p = memchr(in->text + start, '[', length);

        if (p == NULL) {
            return false;
        }
        start = (size_t)(p - in->text);
        if (jz__redact_at(in, start, JZ__REDACT_MARKER)) {
            return true;
        }
        start++;
    }
    return false;
}

/* The end of the run of bytes of a class that begins at text[at]. */
static inline size_t jz__redact_run(const struct jz__redact_view *in, size_t at,
                                    bool (*is_in)(char))
{
    while (at < in->length && is_in(in->text[at])) {
        at++;
    }
    return at;
}

/* Can a token begin at text[at], or is this the middle of a longer word? */
static inline bool jz__redact_is_start(const struct jz__redact_view *in,
                                       size_t at)
{
    size_t back = at - in->floor; /* bytes that may be looked at */
    const char *p = in->text + at;

    if (back == 0 || !jz__redact_is_token(p[-1])) {
        return true;
    }
    /* \n, \t and \r as two bytes: the text was JSON or source. */
    if (back >= 2 && p[-2] == '\\' &&
        (p[-1] == 'n' || p[-1] == 't' || p[-1] == 'r')) {
        return true;
    }
    /* %3D and its like: the text was part of a URL. */
    if (back >= 3 && p[-3] == '%') {
        return jz__redact_is_alnum(p[-1]) && jz__redact_is_digit(p[-2]);
    }
    /* The m that ends a terminal's colour. */
    if (p[-1] == 'm') {
        while (back >= 2 && (jz__redact_is_digit(p[-2]) || p[-2] == ';')) {
            p--;
            back--;
        }
        return back >= 2 && p[-2] == '[';
    }
    return false;
}

/* A cut text goes on with U+2026: what is left of a secret is shorter then. */
static inline bool jz__redact_is_cut(const struct jz__redact_view *in,
                                     size_t end)
{
    return jz__redact_at(in, end, "\xe2\x80\xa6");
}

#endif
