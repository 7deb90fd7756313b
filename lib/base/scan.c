/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanner is a loop over the bytes with an explicit stack of open
 * containers, so depth costs no C stack. Strings, which are most of a
 * transcript, are crossed eight bytes at a time; only a quote, a backslash or a
 * control character stops that.
 *
 * The grammar is RFC 8259's, strictly: no comments, no trailing commas, no
 * leading zeros, no control characters inside strings. What it does not check
 * is UTF-8, because a broken byte in a transcript must not cost the line.
 */
#include "base/scan.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "jezero.h"

/* Room is made for so many more tokens at once. */
#define TOKENS_LEAST 32

/* One open container while scanning. */
struct open {
    uint32_t token;
    bool is_object;
};

struct scanner {
    struct jz__scan *scan;
    const char *text;
    size_t length;
    size_t at;
    struct open stack[JZ__SCAN_DEPTH];
    size_t depth;
};

static int fail(struct scanner *s, const char *reason)
{
    s->scan->reason = reason;
    s->scan->error_at = s->at;
    return JZ_EINVAL;
}

static struct jz__scan_token *add_token(struct scanner *s,
                                        enum jz__scan_type type, size_t start)
{
    struct jz__scan *scan = s->scan;
    struct jz__scan_token *token;

    if (scan->count == scan->capacity &&
        jz__mem_grow(&scan->tokens, &scan->capacity, scan->count + TOKENS_LEAST,
                     sizeof(*scan->tokens)) < 0) {
        return NULL;
    }
    token = &scan->tokens[scan->count++];
    token->start = (uint32_t)start;
    token->length = 0;
    token->next = (uint32_t)scan->count;
    token->type = (uint8_t)type;
    token->is_escaped = false;
    return token;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void skip_white(struct scanner *s)
{
    while (s->at < s->length && is_white(s->text[s->at])) {
        s->at++;
    }
}

/* The high bit of each byte of x that is a quote, a backslash or below 0x20.
 * The usual exact-zero-byte trick; bytes over 0x7F never match. */
static uint64_t special_bytes(uint64_t x)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t high = 0x8080808080808080u;
    uint64_t quote = x ^ (ones * '"');
    uint64_t slash = x ^ (ones * '\\');

    return (((quote - ones) & ~quote) | ((slash - ones) & ~slash) |
            ((x - ones * 0x20) & ~x)) &
           high;
}

/*
 * The place in memory of the first byte that special_bytes() marks. The trick
 * may mark a byte wrongly only above a marked one in the order of weight, which
 * on a little-endian machine is behind it in memory; elsewhere the byte loop
 * looks again from the word's start.
 */
static size_t first_byte(uint64_t marks)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (size_t)__builtin_ctzll(marks) / 8;
#else
    (void)marks;
    return 0;
#endif
}

/* Bytes in front of the first one that special_bytes() marks or that has a bit
 * of `also`, which is 0 or 0x80 in every byte. */
static inline size_t plain_run(const char *text, size_t length, uint64_t also)
{
    uint64_t word;
    size_t at = 0;

    while (length - at >= 8) {
        memcpy(&word, text + at, sizeof(word));
        word = special_bytes(word) | (word & also);
        if (word != 0) {
            at += first_byte(word);
            break;
        }
        at += 8;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* The last word once more, from where it overlaps: what was crossed already
     * has no mark. */
    if (length - at < 8 && length >= 8) {
        memcpy(&word, text + length - 8, sizeof(word));
        word = special_bytes(word) | (word & also);
        return word != 0 ? length - 8 + first_byte(word) : length;
    }
#endif
    while (at < length) {
        unsigned char c = (unsigned char)text[at];

        if (c == '"' || c == '\\' || c < 0x20 || (c & also) != 0) {
            break;
        }
        at++;
    }
    return at;
}

size_t jz__scan_plain(const char *text, size_t length)
{
    return plain_run(text, length, 0);
}

size_t jz__scan_ascii(const char *text, size_t length)
{
    return plain_run(text, length, 0x8080808080808080u);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
}

/* What a backslash and this letter stand for; NUL: no escape. A switch, because
 * source code inside JSON has an escape a line. */
static char unescape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

/* At a backslash: step over the whole escape. */
static int skip_escape(struct scanner *s)
{
    size_t i;
    char c;

    if (s->length - s->at < 2) {
        s->at = s->length;
        return fail(s, "unterminated string");
    }
    c = s->text[s->at + 1];
    if (c != 'u') {
        if (unescape(c) == '\0') {
            return fail(s, "invalid escape");
        }
        s->at += 2;
        return JZ_OK;
    }
    if (s->length - s->at < 6) {
        s->at = s->length;
        return fail(s, "unterminated string");
    }
    for (i = 2; i < 6; i++) {
        if (!is_hex(s->text[s->at + i])) {
            return fail(s, "invalid escape");
        }
    }
    s->at += 6;
    return JZ_OK;
}

/* At an opening quote. */
static int scan_string(struct scanner *s)
{
    size_t start = ++s->at;
    bool is_escaped = false;
    struct jz__scan_token *token;

    for (;;) {
        s->at += jz__scan_plain(s->text + s->at, s->length - s->at);
        if (s->at == s->length) {
            return fail(s, "unterminated string");
        }
        if (s->text[s->at] == '"') {
            break;
        }
        if (s->text[s->at] != '\\') {
            return fail(s, "control character in a string");
        }
        is_escaped = true;
        if (skip_escape(s) < 0) {
            return JZ_EINVAL;
        }
    }
    token = add_token(s, JZ__SCAN_STRING, start);
    if (token == NULL) {
        return JZ_ENOMEM;
    }
    token->length = (uint32_t)(s->at - start);
    token->is_escaped = is_escaped;
    s->at++;
    return JZ_OK;
}

static size_t skip_digits(struct scanner *s)
{
    size_t start = s->at;

    while (s->at < s->length && s->text[s->at] >= '0' &&
           s->text[s->at] <= '9') {
        s->at++;
    }
    return s->at - start;
}

/* Step over the character a or b, if it stands here. */
static bool skip_if(struct scanner *s, char a, char b)
{
    if (s->at < s->length && (s->text[s->at] == a || s->text[s->at] == b)) {
        s->at++;
        return true;
    }
    return false;
}

static int scan_number(struct scanner *s)
{
    size_t start = s->at;
    struct jz__scan_token *token;

    (void)skip_if(s, '-', '-');
    if (!skip_if(s, '0', '0') && skip_digits(s) == 0) {
        return fail(s, "invalid value");
    }
    if (skip_if(s, '.', '.') && skip_digits(s) == 0) {
        return fail(s, "invalid number");
    }
    if (skip_if(s, 'e', 'E')) {
        (void)skip_if(s, '+', '-');
        if (skip_digits(s) == 0) {
            return fail(s, "invalid number");
        }
    }
    token = add_token(s, JZ__SCAN_NUMBER, start);
    if (token == NULL) {
        return JZ_ENOMEM;
    }
    token->length = (uint32_t)(s->at - start);
    return JZ_OK;
}

static int scan_word(struct scanner *s, const char *word,
                     enum jz__scan_type type)
{
    size_t length = strlen(word);
    struct jz__scan_token *token;

    if (s->length - s->at < length ||
        memcmp(s->text + s->at, word, length) != 0) {
        return fail(s, "invalid value");
    }
    token = add_token(s, type, s->at);
    if (token == NULL) {
        return JZ_ENOMEM;
    }
    token->length = (uint32_t)length;
    s->at += length;
    return JZ_OK;
}

static int open_container(struct scanner *s, bool is_object)
{
    struct jz__scan_token *token;

    if (s->depth == JZ__SCAN_DEPTH) {
        return fail(s, "nested too deep");
    }
    token = add_token(s, is_object ? JZ__SCAN_OBJECT : JZ__SCAN_ARRAY, s->at);
    if (token == NULL) {
        return JZ_ENOMEM;
    }
    s->stack[s->depth].token = (uint32_t)(token - s->scan->tokens);
    s->stack[s->depth].is_object = is_object;
    s->depth++;
    s->at++;
    return JZ_OK;
}

static void close_container(struct scanner *s)
{
    struct jz__scan_token *token;

    s->depth--;
    s->at++;
    token = &s->scan->tokens[s->stack[s->depth].token];
    token->length = (uint32_t)(s->at - token->start);
    token->next = (uint32_t)s->scan->count;
}

/* A value begins here. */
static int scan_value(struct scanner *s)
{
    if (s->at == s->length) {
        return fail(s, "unexpected end");
    }
    switch (s->text[s->at]) {
    case '"':
        return scan_string(s);
    case '{':
        return open_container(s, true);
    case '[':
        return open_container(s, false);
    case 't':
        return scan_word(s, "true", JZ__SCAN_TRUE);
    case 'f':
        return scan_word(s, "false", JZ__SCAN_FALSE);
    case 'n':
        return scan_word(s, "null", JZ__SCAN_NULL);
    default:
        return scan_number(s);
    }
}

/* A key and its colon. */
static int scan_key(struct scanner *s)
{
    int r;

    skip_white(s);
    if (s->at == s->length || s->text[s->at] != '"') {
        return fail(s, s->at == s->length ? "unexpected end" : "key expected");
    }
    r = scan_string(s);
    if (r < 0) {
        return r;
    }
    skip_white(s);
    if (s->at == s->length || s->text[s->at] != ':') {
        return fail(s, s->at == s->length ? "unexpected end" : "':' expected");
    }
    s->at++;
    skip_white(s);
    return JZ_OK;
}

/*
 * Inside the innermost container, in front of its next element: step over the
 * comma, or over the closing bracket. *closed tells which.
 */
static int next_element(struct scanner *s, bool *closed)
{
    const struct open *open = &s->stack[s->depth - 1];
    bool is_first = open->token + 1 == s->scan->count;
    char closing = open->is_object ? '}' : ']';

    *closed = false;
    skip_white(s);
    if (s->at == s->length) {
        return fail(s, "unexpected end");
    }
    if (s->text[s->at] == closing) {
        close_container(s);
        *closed = true;
        return JZ_OK;
    }
    if (!is_first) {
        if (s->text[s->at] != ',') {
            return fail(s, "',' expected");
        }
        s->at++;
        skip_white(s);
    }
    return open->is_object ? scan_key(s) : JZ_OK;
}

int jz__scan_parse(struct jz__scan *scan, const char *text, size_t length)
{
    struct scanner s;
    bool closed;
    int r;

    assert(scan != NULL && (text != NULL || length == 0));

    scan->text = text;
    scan->count = 0;
    scan->end = 0;
    scan->error_at = 0;
    scan->reason = NULL;
    s.scan = scan;
    s.text = text;
    s.length = length;
    s.at = 0;
    s.depth = 0;
    if (length > UINT32_MAX) {
        return fail(&s, "text too long");
    }
    skip_white(&s);
    r = scan_value(&s);
    while (r == JZ_OK && s.depth > 0) {
        r = next_element(&s, &closed);
        if (r == JZ_OK && !closed) {
            r = scan_value(&s);
        }
    }
    scan->end = s.at;
    return r;
}

bool jz__scan_is_whole(const struct jz__scan *scan, size_t length)
{
    size_t at;

    for (at = scan->end; at < length; at++) {
        if (!is_white(scan->text[at])) {
            return false;
        }
    }
    return true;
}

void jz__scan_finish(struct jz__scan *scan)
{
    free(scan->tokens);
    memset(scan, 0, sizeof(*scan));
}

struct jz__str jz__scan_raw(const struct jz__scan *scan, size_t token)
{
    const struct jz__scan_token *t = &scan->tokens[token];
    struct jz__str raw = { scan->text + t->start, t->length };

    assert(token < scan->count);

    return raw;
}

bool jz__scan_is(const struct jz__scan *scan, size_t token, const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf plain = JZ__BUF_INIT;
    struct jz__str raw;

    if (token >= scan->count || scan->tokens[token].type != JZ__SCAN_STRING) {
        return false;
    }
    raw = jz__scan_raw(scan, token);
    if (!scan->tokens[token].is_escaped) {
        return jz__str_is(raw, text);
    }
    jz__scan_text(&plain, scan, token);
    raw.data = plain.data != NULL ? plain.data : "";
    raw.length = plain.length;
    return plain.error == 0 && jz__str_is(raw, text);
}

size_t jz__scan_first(const struct jz__scan *scan, size_t container)
{
    const struct jz__scan_token *t = &scan->tokens[container];

    assert(container < scan->count);

    if (t->type != JZ__SCAN_OBJECT && t->type != JZ__SCAN_ARRAY) {
        return 0;
    }
    return t->next > container + 1 ? container + 1 : 0;
}

size_t jz__scan_after(const struct jz__scan *scan, size_t container,
                      size_t token)
{
    const struct jz__scan_token *t = &scan->tokens[container];
    size_t value = t->type == JZ__SCAN_OBJECT ? token + 1 : token;
    size_t next = scan->tokens[value].next;

    return next < t->next ? next : 0;
}

size_t jz__scan_get(const struct jz__scan *scan, size_t object, const char *key)
{
    size_t length = strlen(key);
    size_t found = 0;
    size_t i;

    if (object >= scan->count || scan->tokens[object].type != JZ__SCAN_OBJECT) {
        return 0;
    }
    for (i = jz__scan_first(scan, object); i != 0;
         i = jz__scan_after(scan, object, i)) {
        const struct jz__scan_token *t = &scan->tokens[i];

        /* The length settles nearly every comparison without a call. */
        if (t->is_escaped ? jz__scan_is(scan, i, key)
                          : t->length == length && memcmp(scan->text + t->start,
                                                          key, length) == 0) {
            found = i + 1;
        }
    }
    return found;
}

size_t jz__scan_get_type(const struct jz__scan *scan, size_t object,
                         const char *key, enum jz__scan_type type)
{
    size_t found = jz__scan_get(scan, object, key);

    return found != 0 && scan->tokens[found].type == type ? found : 0;
}

bool jz__scan_flag(const struct jz__scan *scan, size_t object, const char *key)
{
    return jz__scan_get_type(scan, object, key, JZ__SCAN_TRUE) != 0;
}

bool jz__scan_int(int64_t *out, const struct jz__scan *scan, size_t token)
{
    struct jz__str raw;
    bool is_negative;
    int64_t value = 0;
    size_t i;

    if (token >= scan->count || scan->tokens[token].type != JZ__SCAN_NUMBER) {
        return false;
    }
    raw = jz__scan_raw(scan, token);
    is_negative = raw.data[0] == '-';
    for (i = is_negative; i < raw.length; i++) {
        int digit = raw.data[i] - '0';

        if (digit < 0 || digit > 9 ||
            __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) {
            return false;
        }
    }
    /* The sum is kept negative, because INT64_MIN has no positive twin. */
    if (!is_negative && __builtin_sub_overflow(0, value, &value)) {
        return false;
    }
    *out = value;
    return true;
}

uint32_t jz__scan_hex4(const char *at)
{
    uint32_t value = 0;
    int i;

    for (i = 0; i < 4; i++) {
        char c = at[i];

        value =
            value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* Decode the escape at `at` (which the scan has checked): its length. A pair of
 * surrogates is one character, a half alone becomes U+FFFD. */
static size_t put_escape(struct jz__buf *out, const char *at, size_t left)
{
    uint32_t point;
    uint32_t low;

    if (at[1] != 'u') {
        jz__buf_putc(out, unescape(at[1]));
        return 2;
    }
    point = jz__scan_hex4(at + 2);
    if (point >= 0xD800 && point < 0xDC00 && left >= 12 && at[6] == '\\' &&
        at[7] == 'u') {
        low = jz__scan_hex4(at + 8);
        if (low >= 0xDC00 && low < 0xE000) {
            jz__utf8_put(out,
                         0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00));
            return 12;
        }
    }
    jz__utf8_put(out, point != 0 ? point : JZ__UTF8_REPLACEMENT);
    return 6;
}

void jz__scan_text(struct jz__buf *out, const struct jz__scan *scan,
                   size_t token)
{
    const struct jz__scan_token *t = &scan->tokens[token];
    const char *at = scan->text + t->start;
    const char *end = at + t->length;

    if (t->type != JZ__SCAN_STRING) {
        return;
    }
    while (at < end) {
        const char *slash =
            t->is_escaped ? memchr(at, '\\', (size_t)(end - at)) : NULL;
        const char *stop = slash != NULL ? slash : end;

        jz__utf8_clean(out, at, (size_t)(stop - at));
        at = stop;
        if (slash != NULL) {
            at += put_escape(out, at, (size_t)(end - at));
        }
    }
}
