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

static void put_valid(struct jz__buf *out, const char *text, size_t length)
{
    size_t start = 0;
    size_t i;

    for (i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (escapes[c] == 0) {
            continue;
        }
        jz__buf_append(out, text + start, i - start);
        put_escaped(out, c);
        start = i + 1;
    }
    jz__buf_append(out, text + start, length - start);
}

void jz__json_put_text(struct jz__buf *out, const char *text, size_t length)
{
    jz__buf_putc(out, '"');
    if (length == 0 || jz__utf8_is_clean(text, length)) {
        put_valid(out, length == 0 ? "" : text, length);
    } else {
        struct jz__buf clean = JZ__BUF_INIT;

        jz__utf8_clean(&clean, text, length);
        put_valid(out, clean.data != NULL ? clean.data : "", clean.length);
        if (clean.error != 0) {
            out->error = clean.error;
        }
        jz__buf_finish(&clean);
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
    jz__buf_printf(out, "%lld", (long long)value);
}

void jz__json_put_bool(struct jz__buf *out, bool value)
{
    jz__buf_puts(out, value ? "true" : "false");
}

void jz__json_put_comma(struct jz__buf *out)
{
    if (out->length > 0 && strchr("{[,:", out->data[out->length - 1]) == NULL) {
        jz__buf_putc(out, ',');
    }
}

void jz__json_put_key(struct jz__buf *out, const char *key)
{
    jz__json_put_comma(out);
    jz__json_put_str(out, key);
    jz__buf_putc(out, ':');
}

static void put_number(struct jz__buf *out, double value)
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
        put_number(out, tree->valuedouble);
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

/* A line feed and the indent. Deeper than a scan goes there is none. */
static void put_line(struct jz__buf *out, size_t depth)
{
    static const char line[] =
        "\n                                                                "
        "                                                                ";
    size_t length = 1 + 2 * depth;

    jz__buf_append(out, line,
                   length < sizeof(line) ? length : sizeof(line) - 1);
}

/* Length of the string that begins with the quote at text[0]. */
static size_t string_length(const char *text, size_t length)
{
    size_t i = 1;

    while (i < length && text[i] != '"') {
        i += text[i] == '\\' ? 2 : 1;
    }
    return i + 1 < length ? i + 1 : length;
}

void jz__json_indent(struct jz__buf *out, const char *compact, size_t length)
{
    size_t depth = 0;
    size_t i = 0;

    while (i < length) {
        char c = compact[i];
        bool is_open = c == '{' || c == '[';

        if (c == '"') {
            size_t n = string_length(compact + i, length - i);

            jz__buf_append(out, compact + i, n);
            i += n;
            continue;
        }
        if (is_open && i + 1 < length &&
            (compact[i + 1] == '}' || compact[i + 1] == ']')) {
            jz__buf_append(out, compact + i, 2);
            i += 2;
            continue;
        }
        if (c == '}' || c == ']') {
            depth -= depth > 0;
            put_line(out, depth);
        }
        jz__buf_putc(out, c);
        if (is_open || c == ',') {
            depth += is_open;
            put_line(out, depth);
        } else if (c == ':') {
            jz__buf_putc(out, ' ');
        }
        i++;
    }
}
