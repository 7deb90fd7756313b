/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Header values are compared byte by byte after the blanks at their ends are
 * gone; names are lower case already. A routing header that comes twice is
 * counted rather than joined: a proxy that routed by the first and a server
 * that believed the last would disagree about what is called, which is the
 * fault that the header checks exist to stop.
 */
#include "mcp/headers.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define BASE64_PREFIX "=?base64?"
#define BASE64_SUFFIX "?="

enum jz__headers_count jz__headers_get(struct jz__str *out,
                                       const cJSON *headers, const char *name)
{
    const cJSON *values = jz__json_get(headers, name);
    int count = cJSON_IsArray(values) ? cJSON_GetArraySize(values) : 0;

    assert(out != NULL && name != NULL);

    *out = jz__str_of("");
    if (count == 0) {
        return JZ__HEADERS_NONE;
    }
    if (cJSON_IsString(values->child)) {
        *out = jz__str_trim(jz__str_of(values->child->valuestring));
    }
    return count == 1 ? JZ__HEADERS_ONE : JZ__HEADERS_MANY;
}

/* Take what stands before the first `separator` off *rest, trimmed; false at
 * the end. Quoted separators do not occur in what is looked for here. */
static bool next_part(struct jz__str *part, struct jz__str *rest,
                      char separator)
{
    const char *end;

    if (rest->data == NULL) {
        return false;
    }
    end = rest->length > 0 ? memchr(rest->data, separator, rest->length) : NULL;
    if (end == NULL) {
        *part = jz__str_trim(*rest);
        rest->data = NULL;
        rest->length = 0;
        return true;
    }
    part->data = rest->data;
    part->length = (size_t)(end - rest->data);
    rest->data = end + 1;
    rest->length -= part->length + 1;
    *part = jz__str_trim(*part);
    return true;
}

/* q=0, q=0.0, q=0.00 or q=0.000: "not acceptable". */
static bool is_zero_weight(struct jz__str parameter)
{
    size_t i;

    if (!jz__str_starts_nocase(parameter, "q=") || parameter.length < 3) {
        return false;
    }
    for (i = 2; i < parameter.length; i++) {
        if (parameter.data[i] != '0' && parameter.data[i] != '.') {
            return false;
        }
    }
    return true;
}

/* How closely a media range names JSON: 0 not at all, 3 by its name. */
static int closeness(struct jz__str range)
{
    if (jz__str_is_nocase(range, "application/json")) {
        return 3;
    }
    if (jz__str_is_nocase(range, "application/*")) {
        return 2;
    }
    return jz__str_is(range, "*/*") ? 1 : 0;
}

/* Weigh the ranges of one Accept value: the closest one decides. */
static void weigh_accept(struct jz__str value, int *closest, bool *is_accepted)
{
    struct jz__str rest = value;
    struct jz__str range;

    while (next_part(&range, &rest, ',')) {
        struct jz__str parameters = range;
        struct jz__str type = JZ__STR("");
        struct jz__str parameter = type;
        bool is_refused = false;

        (void)next_part(&type, &parameters, ';');
        while (next_part(&parameter, &parameters, ';')) {
            is_refused |= is_zero_weight(parameter);
        }
        if (closeness(type) > *closest) {
            *closest = closeness(type);
            *is_accepted = !is_refused;
        }
    }
}

bool jz__headers_accept_json(const cJSON *headers)
{
    const cJSON *values = jz__json_get(headers, "accept");
    const cJSON *value;
    bool has_value = false;
    bool is_accepted = false;
    int closest = 0;

    cJSON_ArrayForEach(value, values)
    {
        struct jz__str text = jz__str_trim(
            jz__str_of(cJSON_IsString(value) ? value->valuestring : ""));

        if (text.length > 0) {
            has_value = true;
            weigh_accept(text, &closest, &is_accepted);
        }
    }
    return !has_value || is_accepted;
}

/* The six bits of a digit of base64, or -1. */
static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* Four characters to one, two or three bytes: how many, or 0 for what is no
 * base64. Padding is allowed in the last group alone. */
static size_t decode_group(char out[3], const char *group, bool is_last)
{
    size_t padding = (group[3] == '=') + (size_t)(group[2] == '=');
    uint32_t bits = 0;
    size_t i;

    if ((padding > 0 && !is_last) || (padding == 1 && group[3] != '=')) {
        return 0;
    }
    for (i = 0; i < 4; i++) {
        int digit = i < 4 - padding ? base64_digit(group[i]) : 0;

        if (digit < 0) {
            return 0;
        }
        bits = bits << 6 | (uint32_t)digit;
    }
    out[0] = (char)(bits >> 16);
    out[1] = (char)(bits >> 8 & 0xFF);
    out[2] = (char)(bits & 0xFF);
    return 3 - padding;
}

/* The standard alphabet with padding, nothing else: two texts that decode to
 * one name would be two routes to one tool. */
static bool decode_base64(struct jz__buf *out, struct jz__str text)
{
    size_t start = out->length;
    size_t at;

    if (text.length % 4 != 0 || text.length == 0) {
        return text.length == 0;
    }
    for (at = 0; at < text.length; at += 4) {
        char bytes[3];
        size_t count =
            decode_group(bytes, text.data + at, at + 4 == text.length);

        if (count == 0) {
            return false;
        }
        jz__buf_append(out, bytes, count);
    }
    return out->error == 0 &&
           jz__utf8_is_valid(out->data + start, out->length - start);
}

bool jz__headers_decode_name(struct jz__buf *out, struct jz__str value)
{
    const size_t frame = strlen(BASE64_PREFIX) + strlen(BASE64_SUFFIX);

    assert(out != NULL && value.data != NULL);

    if (value.length >= frame && jz__str_starts(value, BASE64_PREFIX) &&
        jz__str_ends(value, BASE64_SUFFIX)) {
        struct jz__str inner = { value.data + strlen(BASE64_PREFIX),
                                 value.length - frame };

        return decode_base64(out, inner);
    }
    jz__buf_append(out, value.data, value.length);
    return true;
}
