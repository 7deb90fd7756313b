/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strict reader in front of cJSON, and the writer.
 *
 * What cJSON would get wrong is settled before it sees the text: the scan
 * refuses what is no JSON, escapes that cJSON refuses or stops at (halves of
 * surrogate pairs, \u0000) are overwritten by \ufffd, which is as long. What it
 * would print wrong never goes through its printer.
 */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"

/* Whole numbers beyond are not exact as a double. */
#define EXACT_MOST 9007199254740992.0

static bool is_low_half(const char *at, const char *end)
{
    uint32_t value;

    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') {
        return false;
    }
    value = jz__scan_hex4(at + 2);
    return value >= 0xDC00 && value < 0xE000;
}

/* Overwrite the escapes that cJSON cannot take. The text is scanned already,
 * so every backslash begins a whole escape. */
static void repair_escapes(char *text, size_t length)
{
    static const char replacement[6] = { '\\', 'u', 'f', 'f', 'f', 'd' };
    char *end = text + length;
    char *at = text;

    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        uint32_t value;

        if (at[1] != 'u') {
            at += 2;
            continue;
        }
        value = jz__scan_hex4(at + 2);
        if (value >= 0xD800 && value < 0xDC00 && is_low_half(at + 6, end)) {
            at += 12;
            continue;
        }
        if (value == 0 || (value >= 0xD800 && value < 0xE000)) {
            memcpy(at, replacement, sizeof(replacement));
        }
        at += 6;
    }
}

int jz__json_parse(cJSON **out, const char *text, size_t length,
                   struct jz__error *error)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    JZ_CLEANUP(jz__mem_freep) char *copy = NULL;
    int r;

    assert(out != NULL && (text != NULL || length == 0));

    *out = NULL;
    if (!jz__utf8_is_valid(text, length)) {
        return jz__fail(error, JZ_EINVAL, "not valid UTF-8");
    }
    r = jz__scan_parse(&scan, text, length);
    if (r == JZ_EINVAL) {
        return jz__fail(error, r, "not valid JSON at byte %zu: %s",
                        scan.error_at + 1, scan.reason);
    }
    if (r < 0) {
        return jz__fail_memory(error);
    }
    if (!jz__scan_is_whole(&scan, length)) {
        return jz__fail(error, JZ_EINVAL,
                        "not valid JSON at byte %zu: text after the value",
                        scan.end + 1);
    }
    copy = jz__mem_copy(text, length);
    if (copy == NULL) {
        return jz__fail_memory(error);
    }
    repair_escapes(copy, length);
    *out = cJSON_ParseWithLength(copy, length + 1);
    return *out != NULL ? JZ_OK : jz__fail_memory(error);
}

void jz__json_freep(cJSON **tree)
{
    cJSON_Delete(*tree);
}

const cJSON *jz__json_get(const cJSON *object, const char *key)
{
    const cJSON *found = NULL;
    const cJSON *member;

    if (!cJSON_IsObject(object)) {
        return NULL;
    }
    cJSON_ArrayForEach(member, object)
    {
        if (strcmp(member->string, key) == 0) {
            found = member;
        }
    }
    return found;
}

const char *jz__json_text(const cJSON *object, const char *key,
                          const char *fallback)
{
    const cJSON *member = jz__json_get(object, key);

    return cJSON_IsString(member) ? member->valuestring : fallback;
}

bool jz__json_flag(const cJSON *object, const char *key, bool fallback)
{
    const cJSON *member = jz__json_get(object, key);

    return cJSON_IsBool(member) ? cJSON_IsTrue(member) : fallback;
}

double jz__json_number(const cJSON *object, const char *key, double fallback)
{
    const cJSON *member = jz__json_get(object, key);

    return cJSON_IsNumber(member) ? member->valuedouble : fallback;
}

/* -?[0-9]+ and nothing else, within int64_t. */
static bool parse_whole(int64_t *out, const char *text)
{
    bool is_negative = text[0] == '-';
    const char *at = text + is_negative;
    int64_t value = 0;

    if (*at == '\0') {
        return false;
    }
    for (; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' ||
            __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *at - '0', &value)) {
            return false;
        }
    }
    if (!is_negative && __builtin_sub_overflow(0, value, &value)) {
        return false;
    }
    *out = value;
    return true;
}

bool jz__json_whole(int64_t *out, const cJSON *value)
{
    if (cJSON_IsString(value)) {
        return parse_whole(out, value->valuestring);
    }
    if (!cJSON_IsNumber(value) ||
        value->valuedouble != floor(value->valuedouble) ||
        fabs(value->valuedouble) > EXACT_MOST) {
        return false;
    }
    *out = (int64_t)value->valuedouble;
    return true;
}

/* The letter behind the backslash, by the byte that it stands for; 'u' for the
 * other control characters; 0: the byte stands for itself. The escapes are those
 * that Python's json module writes. */
static const char escapes[256] = {
    ['\b'] = 'b', ['\f'] = 'f',  ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't',
    ['"'] = '"',  ['\\'] = '\\', [0x00] = 'u', [0x01] = 'u', [0x02] = 'u',
    [0x03] = 'u', [0x04] = 'u',  [0x05] = 'u', [0x06] = 'u', [0x07] = 'u',
    [0x0B] = 'u', [0x0E] = 'u',  [0x0F] = 'u', [0x10] = 'u', [0x11] = 'u',
    [0x12] = 'u', [0x13] = 'u',  [0x14] = 'u', [0x15] = 'u', [0x16] = 'u',
    [0x17] = 'u', [0x18] = 'u',  [0x19] = 'u', [0x1A] = 'u', [0x1B] = 'u',
    [0x1C] = 'u', [0x1D] = 'u',  [0x1E] = 'u', [0x1F] = 'u',
};

static void put_escaped(struct jz__buf *out, unsigned char c)
{
    char text[2] = { '\\', escapes[c] };

    if (escapes[c] == 'u') {
        jz__buf_printf(out, "\\u%04x", (unsigned)c);
    } else {
        jz__buf_append(out, text, sizeof(text));
    }
}

/* From a byte on that is not ASCII: valid characters as they are, or U+FFFD for
 * what is none. Returns the bytes taken. */
static size_t put_wide(struct jz__buf *out, const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && ((unsigned char)text[at] & 0x80) != 0) {
        uint32_t point;
        size_t size = jz__utf8_next(&point, text + at, length - at);

        if (point == JZ__UTF8_REPLACEMENT) {
            jz__buf_append(out, text, at);
            jz__utf8_put(out, point);
            return at + size;
        }
        at += size;
    }
    jz__buf_append(out, text, at);
    return at;
}

void jz__json_put_text(struct jz__buf *out, const char *text, size_t length)
{
    size_t at = 0;

    jz__buf_putc(out, '"');
    while (at < length) {
        size_t run = jz__scan_ascii(text + at, length - at);

        jz__buf_append(out, text + at, run);
        at += run;
        if (at == length) {
            break;
        }
        if (((unsigned char)text[at] & 0x80) != 0) {
            at += put_wide(out, text + at, length - at);
        } else if (text[at] != '\0') {
            put_escaped(out, (unsigned char)text[at++]);
        } else {
            jz__utf8_put(out, JZ__UTF8_REPLACEMENT);
            at++;
        }
    }
    jz__buf_putc(out, '"');
}

void jz__json_put_str(struct jz__buf *out, const char *text)
{
    if (text == NULL) {
        jz__buf_puts(out, "null");
        return;
    }
    jz__json_put_text(out, text, strlen(text));
}

void jz__json_put_int(struct jz__buf *out, int64_t value)
{
    char text[20];
    size_t at = sizeof(text);
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    /* By hand: printf() costs more than all the rest of a short answer. */
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        text[--at] = '-';
    }
    jz__buf_append(out, text + at, sizeof(text) - at);
}

void jz__json_put_bool(struct jz__buf *out, bool value)
{
    jz__buf_puts(out, value ? "true" : "false");
}

void jz__json_put_comma(struct jz__buf *out)
{
    int last = out->length > 0 ? out->data[out->length - 1] : '{';

    if (last != '{' && last != '[' && last != ',' && last != ':') {
        jz__buf_putc(out, ',');
    }
}

void jz__json_put_key(struct jz__buf *out, const char *key)
{
    jz__json_put_comma(out);
    jz__json_put_str(out, key);
    jz__buf_putc(out, ':');
}

void jz__json_put_number(struct jz__buf *out, double value)
{
    if (value == floor(value) && fabs(value) <= EXACT_MOST) {
        jz__json_put_int(out, (int64_t)value);
    } else if (isfinite(value)) {
        jz__buf_printf(out, "%.17g", value);
    } else {
        jz__buf_puts(out, "null");
    }
}

/* Every parsed tree went through a scan, which bounds its depth. */
/* NOLINTNEXTLINE(misc-no-recursion): see above. */
void jz__json_put_tree(struct jz__buf *out, const cJSON *tree)
{
    const cJSON *child;

    if (cJSON_IsString(tree)) {
        jz__json_put_str(out, tree->valuestring);
    } else if (cJSON_IsNumber(tree)) {
        jz__json_put_number(out, tree->valuedouble);
    } else if (cJSON_IsBool(tree)) {
        jz__json_put_bool(out, cJSON_IsTrue(tree));
    } else if (cJSON_IsArray(tree) || cJSON_IsObject(tree)) {
        jz__buf_putc(out, cJSON_IsArray(tree) ? '[' : '{');
        cJSON_ArrayForEach(child, tree)
        {
            jz__json_put_comma(out);
            if (cJSON_IsObject(tree)) {
                jz__json_put_key(out, child->string);
            }
            jz__json_put_tree(out, child);
        }
        jz__buf_putc(out, cJSON_IsArray(tree) ? ']' : '}');
    } else {
        jz__buf_puts(out, "null");
    }
}

/* The escape of a line feed and the indent. Deeper than a scan goes there is
 * none. */
static void put_line(struct jz__buf *out, size_t depth)
{
    static const char line[] =
        "\\n                                                                "
        "                                                                ";
    size_t length = 2 + 2 * depth;

    jz__buf_append(out, line,
                   length < sizeof(line) ? length : sizeof(line) - 1);
}

/*
 * A string of JSON inside a string of JSON, from the quote at text[0] on: quotes
 * and backslashes are escaped, and nothing else needs it. Returns the bytes
 * taken, of `most` at most.
 */
static size_t put_string_again(struct jz__buf *out, const char *text,
                               size_t most)
{
    char *to = jz__buf_reserve(out, 2 * most + 2);
    size_t at = 1;

    if (to == NULL) {
        return most;
    }
    memcpy(to, "\\\"", 2);
    to += 2;
    while (at < most) {
        size_t run = jz__scan_plain(text + at, most - at);
        char c = '"';

        memcpy(to, text + at, run);
        to += run;
        at += run;
        if (at < most) {
            c = text[at++];
        }
        *to++ = '\\';
        *to++ = c;
        if (c == '"') {
            break;
        }
        /* A backslash: what it escapes stands behind it. */
        if (at < most) {
            c = text[at++];
            if (c == '"' || c == '\\') {
                *to++ = '\\';
            }
            *to++ = c;
        }
    }
    out->length = (size_t)(to - out->data);
    *to = '\0';
    return at;
}

static bool is_mark(char c)
{
    return c == ',' || c == ':' || c == '"' || c == '{' || c == '}' ||
           c == '[' || c == ']';
}

/* Bytes of a number or a literal. */
static size_t word_length(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && !is_mark(text[at])) {
        at++;
    }
    return at;
}

/* A bracket, a comma or a colon, with the line that follows or precedes it.
 * Returns the bytes taken: two of an empty container. */
static size_t put_mark(struct jz__buf *out, size_t *depth, const char *text,
                       size_t length)
{
    bool is_open = text[0] == '{' || text[0] == '[';

    if (is_open && length > 1 && (text[1] == '}' || text[1] == ']')) {
        jz__buf_append(out, text, 2);
        return 2;
    }
    if (text[0] == '}' || text[0] == ']') {
        *depth -= *depth > 0;
        put_line(out, *depth);
    }
    jz__buf_putc(out, text[0]);
    if (is_open || text[0] == ',') {
        *depth += is_open;
        put_line(out, *depth);
    } else if (text[0] == ':') {
        jz__buf_putc(out, ' ');
    }
    return 1;
}

void jz__json_put_indented(struct jz__buf *out, const char *compact,
                           size_t length)
{
    size_t depth = 0;
    size_t at = 0;

    jz__buf_putc(out, '"');
    while (at < length) {
        const char *text = compact + at;
        size_t run;

        if (*text == '"') {
            run = put_string_again(out, text, length - at);
        } else if ((run = word_length(text, length - at)) > 0) {
            jz__buf_append(out, text, run);
        } else {
            run = put_mark(out, &depth, text, length - at);
        }
        at += run;
    }
    jz__buf_putc(out, '"');
}
