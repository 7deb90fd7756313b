/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The envelope. It is read from the scan's tokens and not from a tree, because
 * an id goes back byte for byte: 9007199254740993 and "\u00e9" come out as they
 * came in, which no parser that makes doubles and decodes text can promise.
 *
 * The line between the kinds: a text as method makes a request or, without an
 * id, a notification, and a notification is never answered, whatever else is
 * wrong with it. Without a method a result or an error makes a response. All
 * other JSON is invalid, and so is an array: batches are gone since 2025-06-18.
 *
 * An id may be a text or a whole number in plain digits. Null, a fraction and a
 * boolean are refused: an answer under such an id reaches nobody.
 */
#include "mcp/jsonrpc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

/* Mark the message as invalid, with what its answer will say. */
static void __attribute__((format(printf, 3, 4)))
invalid(struct jz__jsonrpc *message, int code, const char *format, ...)
{
    va_list arguments;

    message->kind = JZ__JSONRPC_INVALID;
    message->code = code;
    va_start(arguments, format);
    (void)vsnprintf(message->message, sizeof(message->message), format,
                    arguments);
    va_end(arguments);
}

/* The place in lines and columns, as people and Python's json count them. */
static void parse_error(struct jz__jsonrpc *message, const char *reason,
                        const char *text, size_t at)
{
    size_t line = 1;
    size_t line_start = 0;
    size_t i;

    for (i = 0; i < at; i++) {
        if (text[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    }
    invalid(message, JZ__JSONRPC_PARSE_ERROR,
            "Parse error: %s: line %zu column %zu (char %zu)", reason, line,
            jz__utf8_count(text + line_start, at - line_start) + 1,
            jz__utf8_count(text, at));
}

/* Bytes in front of the first that is no UTF-8. */
static size_t valid_prefix(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        uint32_t point;
        size_t step = jz__utf8_next(&point, text + at, length - at);

        /* A U+FFFD that was written as such takes three bytes. */
        if (point == JZ__UTF8_REPLACEMENT &&
            !jz__utf8_is_valid(text + at, step)) {
            break;
        }
        at += step;
    }
    return at;
}

/* Scan the text; false: it is invalid, or *r is JZ_ENOMEM. */
static bool scan_text(struct jz__jsonrpc *message, const char *text,
                      size_t length, int *r)
{
    struct jz__scan *scan = &message->scan;

    *r = JZ_OK;
    if (!jz__utf8_is_valid(text, length)) {
        parse_error(message, "not UTF-8", text, valid_prefix(text, length));
        return false;
    }
    *r = jz__scan_parse(scan, text, length);
    if (*r == JZ_EINVAL) {
        *r = JZ_OK;
        parse_error(message, scan->reason, text, scan->error_at);
        return false;
    }
    if (*r == JZ_OK && !jz__scan_is_whole(scan, length)) {
        parse_error(message, "text after the message", text, scan->end);
        return false;
    }
    return *r == JZ_OK;
}

/* A number of JSON in plain digits: 1.0 and 1e3 are whole too, but no client
 * that counts its requests writes them so. */
static bool is_integer(struct jz__str digits)
{
    size_t i = digits.length > 0 && digits.data[0] == '-';

    for (; i < digits.length; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9') {
            return false;
        }
    }
    return true;
}

/* Keep the id's bytes; false: there is one and it is none of ours. */
static bool take_id(struct jz__jsonrpc *message, size_t id)
{
    struct jz__str raw;

    if (id == 0) {
        return true;
    }
    raw = jz__scan_raw(&message->scan, id);
    switch (message->scan.tokens[id].type) {
    case JZ__SCAN_STRING:
        /* The token stands between the quotes; they belong to the id. */
        message->id.data = raw.data - 1;
        message->id.length = raw.length + 2;
        return true;
    case JZ__SCAN_NUMBER:
        if (is_integer(raw)) {
            message->id = raw;
            return true;
        }
        return false;
    default:
        return false;
    }
}

/* A message without a method. An error without an id is one of those that
 * answer what could not be read; answering it could go on for ever. */
static bool is_response(const struct jz__scan *scan, size_t id, bool has_id)
{
    bool has_result = jz__scan_get(scan, 0, "result") != 0;
    bool has_error = jz__scan_get(scan, 0, "error") != 0;
    bool is_null = id != 0 && scan->tokens[id].type == JZ__SCAN_NULL;

    if (has_error && !has_result) {
        return id == 0 || is_null || has_id;
    }
    return has_result && !has_error && id != 0 && has_id;
}

/* Of an object. The order of the checks decides which fault is named; the id is
 * read first, for whatever the fault is, it is answered under the id. */
static void classify(struct jz__jsonrpc *message)
{
    const struct jz__scan *scan = &message->scan;
    size_t id = jz__scan_get(scan, 0, "id");
    size_t method = jz__scan_get(scan, 0, "method");
    size_t params = jz__scan_get(scan, 0, "params");
    bool has_id = take_id(message, id);

    if (!jz__scan_is(scan, jz__scan_get(scan, 0, "jsonrpc"), "2.0")) {
        invalid(message, JZ__JSONRPC_INVALID_REQUEST,
                "Invalid Request: jsonrpc must be \"2.0\"");
    } else if (method == 0 && is_response(scan, id, has_id)) {
        message->kind = JZ__JSONRPC_RESPONSE;
    } else if (!has_id) {
        invalid(message, JZ__JSONRPC_INVALID_REQUEST,
                "Invalid Request: id must be a string or an integer");
    } else if (method == 0 || scan->tokens[method].type != JZ__SCAN_STRING) {
        invalid(message, JZ__JSONRPC_INVALID_REQUEST,
                "Invalid Request: method must be a string");
    } else if (id == 0) {
        message->kind = JZ__JSONRPC_NOTIFICATION;
    } else if (params != 0 && scan->tokens[params].type != JZ__SCAN_NULL &&
               scan->tokens[params].type != JZ__SCAN_OBJECT) {
        invalid(message, JZ__JSONRPC_INVALID_REQUEST,
                "Invalid Request: params must be an object");
    } else {
        message->kind = JZ__JSONRPC_REQUEST;
    }
    message->method = method;
    if (params != 0 && scan->tokens[params].type == JZ__SCAN_OBJECT) {
        message->params = params;
    }
}

int jz__jsonrpc_read(struct jz__jsonrpc *out, const char *text, size_t length)
{
    int r;

    assert(out != NULL && (text != NULL || length == 0));

    if (!scan_text(out, text, length, &r)) {
        return r;
    }
    if (out->scan.tokens[0].type == JZ__SCAN_ARRAY) {
        invalid(out, JZ__JSONRPC_INVALID_REQUEST,
                "Invalid Request: batches are not supported");
    } else if (out->scan.tokens[0].type != JZ__SCAN_OBJECT) {
        invalid(out, JZ__JSONRPC_INVALID_REQUEST,
                "Invalid Request: a message must be an object");
    } else {
        classify(out);
    }
    return JZ_OK;
}

void jz__jsonrpc_finish(struct jz__jsonrpc *message)
{
    jz__scan_finish(&message->scan);
}

void jz__jsonrpc_put_result(struct jz__buf *out, struct jz__str id)
{
    jz__buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    jz__buf_append(out, id.data, id.length);
    jz__buf_puts(out, ",\"result\":");
}

void jz__jsonrpc_put_error(struct jz__buf *out, struct jz__str id, int code,
                           const char *message, const char *data)
{
    jz__buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    jz__buf_append(out, id.data, id.length);
    jz__buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
    jz__json_put_str(out, message);
    if (data != NULL) {
        jz__buf_printf(out, ",\"data\":%s", data);
    }
    jz__buf_puts(out, "}}");
}
