/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are secret because of the name in front of them: PASSWORD=…,
 * "password": "…", api_key: …, secret => '…', <password>…</password>,
 * --password …, also inside JSON inside a string, where every quote has a
 * backslash or three. What the name says is decided in redact_names.c, what
 * the value is in redact_values.c; here both are cut out of the text. Only the
 * value itself goes: its quotes and what follows on the line stay.
 */
#include <assert.h>
#include <stdint.h>

#include "ingest/redact_view.h"

#define KEY_MOST 64
#define BLANKS_MOST 16
#define BACKSLASHES_MOST 15
/* A quoted value is looked for its end so far; one that is longer, or never
 * closed, is read like an unquoted one. */
#define QUOTED_MOST 1000

static bool is_key_byte(char c)
{
    return jz__redact_is_token(c) || c == '.' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

/* Skip bytes of a class in front of text[at), at most `most`. */
static size_t skip_back(const struct jz__redact_view *in, size_t at, char c,
                        size_t most)
{
    size_t start = at;

    while (at > in->floor && start - at < most &&
           (in->text[at - 1] == c || (c == ' ' && in->text[at - 1] == '\t'))) {
        at--;
    }
    return at;
}

/* Step over what may stand between a key and its separator: a blank, the
 * quotes of the key, the ] of an index, the ? of an optional field, the ** of
 * bold print. */
static size_t key_end(const struct jz__redact_view *in, size_t at)
{
    at = skip_back(in, at, ' ', BLANKS_MOST);
    at = skip_back(in, at, ']', 1);
    at = skip_back(in, at, '*', 2);
    at = skip_back(in, at, '?', 1);
    if (at > in->floor && is_quote(in->text[at - 1])) {
        at = skip_back(in, at - 1, '\\', BACKSLASHES_MOST);
    }
    return at;
}

struct jz__str jz__redact_assignments_key(const struct jz__redact_view *in,
                                          size_t at)
{
    struct jz__str none = { in->text, 0 };
    size_t end = key_end(in, at);
    size_t start = end;

    while (start > in->floor && end - start < KEY_MOST &&
           is_key_byte(in->text[start - 1])) {
        start--;
    }
    if (start > in->floor && is_key_byte(in->text[start - 1])) {
        return none;
    }
    /* The n of "\nPASSWORD=" is an escape, in text that was JSON. */
    if (start > in->floor && start < end && in->text[start - 1] == '\\' &&
        jz__redact_is_in(in->text[start], "nrt")) {
        start++;
    }
    return (struct jz__str){ in->text + start, end - start };
}

/* Does an unquoted value end at text[at]? */
static bool ends_value(const struct jz__redact_view *in, size_t at, bool is_env)
{
    unsigned char c = (unsigned char)in->text[at];

    if (c <= ' ' || c == 0x7F || c >= 0xE0) {
        return true; /* Latin letters go on, CJK and punctuation do not */
    }
    if (c == 0xC2) {
        return true; /* no-break space, guillemets */
    }
    if (c == '\\' && at + 1 < in->length) {
        return jz__redact_is_in(in->text[at + 1], "nrtu\\\"'`");
    }
    /* A comma parts arguments, but in a .env file it is part of the value. */
    if (c == ',' && is_env && at + 1 < in->length) {
        return !jz__redact_is_alnum(in->text[at + 1]) &&
               in->text[at + 1] != '['; /* where a marker may begin */
    }
    return jz__redact_is_in(in->text[at], "\"'`()[]{}<>;|&,");
}

/* The end of the unquoted value at text[at], at most `most` bytes on. */
static size_t bare_end(const struct jz__redact_view *in, size_t at, bool is_env,
                       size_t most)
{
    size_t start = at;

    while (at < in->length && at - start < most &&
           !ends_value(in, at, is_env)) {
        at++;
    }
    return at;
}

/* The closing quote of the value at text[at], whose quote is written with
 * `escapes` backslashes: the offset of the first of those. 0: it is not on this
 * line. What was looked at ends in front of *reach. */
static size_t quoted_end(const struct jz__redact_view *in, size_t at,
                         char quote, size_t escapes, size_t *reach)
{
    size_t start = at;
    size_t backslashes = 0;

    for (; at < in->length && at - start < QUOTED_MOST && in->text[at] != '\n';
         at++) {
        *reach = at + 1;
        if (in->text[at] == quote && (backslashes <= escapes ||
                                      (escapes == 0 && backslashes % 2 == 0))) {
            return at - (escapes < backslashes ? escapes : backslashes);
        }
        backslashes = in->text[at] == '\\' ? backslashes + 1 : 0;
    }
    return 0;
}

/* Does the line go on with words behind text[at]? Comments, options and the
 * next command are none. */
static bool has_words_behind(const struct jz__redact_view *in, size_t at)
{
    size_t next = at;

    while (next < in->length && jz__redact_is_blank(in->text[next])) {
        next++;
    }
    return next > at && next < in->length &&
           !jz__redact_is_in(in->text[next], "\r\n#\\-|&<") &&
           !jz__redact_at(in, next, "//");
}

/* Where the value begins in the text, behind its quote. */
struct place {
    size_t start;
    size_t end;
};

/* Skip b, f, r and the like in front of a quote, and the backslashes of one.
 * *escapes counts those. at itself: there is no quote. */
static size_t opening_quote(const struct jz__redact_view *in, size_t at,
                            size_t *escapes)
{
    size_t start = at;

    while (at < in->length && at - start < 2 &&
           jz__redact_is_in(in->text[at], "bBrRuUfFL$@")) {
        at++;
    }
    *escapes = 0;
    while (at < in->length && *escapes < BACKSLASHES_MOST &&
           in->text[at] == '\\') {
        at++;
        ++*escapes;
    }
    return at < in->length && is_quote(in->text[at]) ? at + 1 : start;
}

/* Cut out the quoted value behind text[at - 1], its opening quote. */
static bool read_quoted(struct jz__redact_value *value, struct place *place,
                        const struct jz__redact_view *in, size_t at,
                        size_t escapes)
{
    char quote = in->text[at - 1];
    size_t reach = at;
    size_t end = quoted_end(in, at, quote, escapes, &reach);

    if (end == at && escapes == 0 && end + 1 < in->length &&
        in->text[end + 1] == quote) { /* three quotes */
        at = end + 2;
        end = quoted_end(in, at, quote, 0, &reach);
    }
    /* With a marker in it, it was judged before, with other bounds maybe. */
    if (jz__redact_has_marker(in, at, reach)) {
        end = at;
    }
    *place = (struct place){ at, end };
    value->is_quoted = end > 0;
    return value->is_quoted;
}

/* Cut out the value behind a separator, at text[at]. */
static void read_value(struct jz__redact_value *value, struct place *place,
                       const struct jz__redact_view *in, size_t at)
{
    size_t start = at;
    size_t escapes;

    while (at < in->length && at - start < BLANKS_MOST &&
           jz__redact_is_blank(in->text[at])) {
        at++;
    }
    value->is_tight = value->is_tight && at == start;
    value->is_env = value->is_env && value->is_tight;
    /* **Password:** hunter2, as agents write lists. */
    if (jz__redact_at(in, at, "**")) {
        at += 2;
        at += at < in->length && in->text[at] == ' ';
    }
    start = opening_quote(in, at, &escapes);
    if (start == at || !read_quoted(value, place, in, start, escapes)) {
        place->start = start;
        place->end = bare_end(in, start, value->is_env, JZ__REDACT_JUDGED);
        while (place->end > start &&
               jz__redact_is_in(in->text[place->end - 1], ".:*")) {
            place->end--;
        }
    }
    value->text.data = in->text + place->start;
    value->text.length = place->end - place->start;
    value->follows = jz__redact_byte(in, place->end);
    value->has_words_behind =
        !value->is_quoted && has_words_behind(in, place->end);
}

/* Is it a token whose prefix says more than the name in front of it? Its trigger
 * is one of its first bytes. The whole value goes all the same. */
static bool match_token(struct jz__redact_span *out,
                        const struct jz__redact_view *in, struct place place)
{
    size_t at;

    for (at = place.start; at < place.end && at - place.start < 8; at++) {
        if (jz__redact_is_in(in->text[at], "-._Ix") &&
            jz__redact_tokens_match(out, in, at)) {
            return out->start == place.start;
        }
    }
    return false;
}

/* The kind that the marker names. */
static const char *kind_of(enum jz__redact_class kind, struct jz__str key)
{
    if (jz__str_starts_nocase(key, "aws") ||
        jz__str_find_nocase(key, "amz") != SIZE_MAX ||
        jz__str_is_nocase(key, "SecretAccessKey")) {
        return "aws";
    }
    switch (kind) {
    case JZ__REDACT_PASSWORD:
        return "password";
    case JZ__REDACT_TOKEN:
        return "token";
    case JZ__REDACT_KEY:
        return jz__str_is_nocase(key, "AccountKey") ||
                       jz__str_is_nocase(key, "SharedAccessKey")
                   ? "azure"
                   : "api-key";
    case JZ__REDACT_SIGNATURE:
        return jz__str_is_nocase(key, "sig") ? "azure" : "gcp";
    case JZ__REDACT_SECRET:
    case JZ__REDACT_NONE:
    default:
        return "secret";
    }
}

/* Judge the value at text[at] of a key, and make a span of it. */
static bool match_value(struct jz__redact_span *out,
                        const struct jz__redact_view *in, size_t at,
                        struct jz__redact_value *value, struct jz__str key)
{
    struct place place;

    read_value(value, &place, in, at);
    /* A private key has its own part, which knows where it ends. */
    if (place.start == place.end ||
        jz__redact_at(in, place.start, "-----BEGIN") ||
        jz__redact_at(in, place.end, JZ__REDACT_MARKER)) {
        return false;
    }
    /* Too long to be judged is a secret, unless it is a text with blanks. */
    if (value->text.length < JZ__REDACT_JUDGED) {
        if (!jz__redact_values_is_secret(value)) {
            return false;
        }
    } else if (!value->is_quoted) {
        place.end = bare_end(in, place.start, value->is_env, SIZE_MAX);
    } else if (memchr(value->text.data, ' ', value->text.length) != NULL) {
        return false; /* a text */
    }
    if (!match_token(out, in, place)) {
        out->kind = kind_of(value->kind, key);
    }
    out->start = place.start;
    out->end = place.end;
    return true;
}

/* KEY=: capitals, as the names of the environment are written. */
static bool is_env_name(struct jz__str key)
{
    size_t i;

    for (i = 0; i < key.length; i++) {
        if (!jz__redact_is_upper(key.data[i]) && key.data[i] != '_' &&
            !jz__redact_is_digit(key.data[i])) {
            return false;
        }
    }
    return key.length > 0;
}

/* The name in front of the type in `password: str = "…"`. */
static struct jz__str annotated_key(const struct jz__redact_view *in,
                                    struct jz__str type)
{
    size_t at = (size_t)(type.data - in->text);

    at = skip_back(in, at, ' ', BLANKS_MOST);
    if (at == in->floor || in->text[at - 1] != ':') {
        return (struct jz__str){ in->text, 0 };
    }
    return jz__redact_assignments_key(in, at - 1);
}

/* The bytes of the separator at text[at]; 0: a comparison, a path, the end of
 * another tag. *needs_quotes: only a literal can follow. */
static size_t separator_length(bool *needs_quotes,
                               const struct jz__redact_view *in, size_t at,
                               struct jz__str key)
{
    size_t start = (size_t)(key.data - in->text);
    char next = jz__redact_byte(in, at + 1);

    *needs_quotes = false;
    switch (in->text[at]) {
    case '>':
        return start > in->floor && in->text[start - 1] == '<' ? 1 : 0;
    case ':':
        return next == '=' ? 2 : next == ':' ? 0 : 1;
    default:
        *needs_quotes = next == '>';
        return next == '>' ? 2 : next == '=' || next == '~' ? 0 : 1;
    }
}

bool jz__redact_assignments_match(struct jz__redact_span *out,
                                  const struct jz__redact_view *in, size_t at,
                                  struct jz__str key)
{
    struct jz__redact_value value = { .is_quoted = false };
    bool needs_quotes;
    size_t length = separator_length(&needs_quotes, in, at, key);
    bool is_equals = in->text[at] == '=' && length == 1;

    assert(at < in->length && key.length > 0);

    if (length == 0) {
        return false;
    }
    value.kind = jz__redact_names_class(&value.is_bare, key);
    /* In `password: str = "…"` the name in front of the = is the type's. */
    if (value.kind == JZ__REDACT_NONE && is_equals) {
        key = annotated_key(in, key);
        value.kind = jz__redact_names_class(&value.is_bare, key);
    }
    if (value.kind == JZ__REDACT_NONE) {
        return false;
    }
    value.is_tight = in->text[at] == '>' ||
                     (is_equals && key.data + key.length == in->text + at);
    value.is_env = value.is_tight && is_equals && is_env_name(key);
    if (!match_value(out, in, at + length, &value, key)) {
        return false;
    }
    /* <password>…</password>; a bracket behind such a name is often none. */
    if (in->text[at] == '>' && !jz__redact_at(in, out->end, "</")) {
        return false;
    }
    /* "PASS: TestLogin1" is the report of a test. */
    return value.is_quoted ||
           (!needs_quotes && (is_equals || !jz__str_is_nocase(key, "pass")));
}

/* --password VALUE. With a = in between, the = asks. A sentence about an option
 * ("use --token to …") looks the same, so the value is judged as a loose one. */
bool jz__redact_assignments_option(struct jz__redact_span *out,
                                   const struct jz__redact_view *in, size_t at)
{
    struct jz__redact_value value = { .is_quoted = false };
    size_t end = at + 1;
    struct jz__str key;

    if (at == in->floor || in->text[at - 1] != '-' || end >= in->length ||
        !jz__redact_is_letter(in->text[end]) ||
        (at - in->floor >= 2 && jz__redact_is_token(in->text[at - 2]))) {
        return false;
    }
    while (end < in->length && end - at <= KEY_MOST &&
           jz__redact_is_token(in->text[end])) {
        end++;
    }
    if (end == in->length || !jz__redact_is_blank(in->text[end])) {
        return false;
    }
    key = (struct jz__str){ in->text + at + 1, end - at - 1 };
    value.kind = jz__redact_names_class(&value.is_bare, key);
    return value.kind != JZ__REDACT_NONE &&
           match_value(out, in, end, &value, key);
}
