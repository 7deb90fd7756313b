/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message is scanned, not parsed: its bytes travel as they came, and all that
 * is taken from it are a few slices. The kinds are those of the server (a text
 * as method makes a request or, without an id, a notification; without a method
 * a result or an error makes a response), because what the server takes for a
 * notification it does not answer. Whatever is JSON and none of these is passed
 * on: the server knows best what to say of it.
 *
 * Messages of the revision 2026-07-28 say their version in _meta. HTTP wants
 * what is in the body once more, in headers that proxies can route by.
 */
#include "bridge_message.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "jezero.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"

/* --- header values --- */

/* Visible characters with blanks between them are a header's value as they
 * are. `is_ascii`: bytes over 127 are not. */
static bool is_plain(struct jz__str value, bool is_ascii)
{
    size_t i;

    if (value.length > 0 &&
        (value.data[0] == ' ' || value.data[value.length - 1] == ' ')) {
        return false;
    }
    for (i = 0; i < value.length; i++) {
        unsigned char c = (unsigned char)value.data[i];

        if (c < ' ' || c == 127 || (is_ascii && c > 127)) {
            return false;
        }
    }
    return true;
}

/* The standard alphabet with padding: servers refuse any other form, because two
 * forms of one name would be two routes. */
static void put_base64(struct jz__buf *out, struct jz__str text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at;

    for (at = 0; at < text.length; at += 3) {
        size_t count = text.length - at < 3 ? text.length - at : 3;
        uint32_t bits = 0;
        size_t i;

        for (i = 0; i < 3; i++) {
            bits =
                bits << 8 | (i < count ? (unsigned char)text.data[at + i] : 0u);
        }
        for (i = 0; i < 4; i++) {
            jz__buf_putc(out,
                         i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=');
        }
    }
}

/* A value that cannot stand in a header is left out: the server then names the
 * header that is missing. */
static void put_plain(struct jz__buf *out, const char *name,
                      const struct jz__scan *scan, size_t token)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__str value;

    jz__scan_text(&text, scan, token);
    value = (struct jz__str){ text.data != NULL ? text.data : "", text.length };
    if (text.error != 0) {
        out->error = text.error;
    } else if (value.length > 0 && is_plain(value, false)) {
        jz__buf_printf(out, "%s: %s\r\n", name, value.data);
    }
}

/* The one value that may be any text has a form for that, which a text that
 * looks like it takes too. */
static void put_name(struct jz__buf *out, const struct jz__scan *scan,
                     size_t token)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__str value;

    jz__scan_text(&text, scan, token);
    value = (struct jz__str){ text.data != NULL ? text.data : "", text.length };
    if (text.error != 0) {
        out->error = text.error;
        return;
    }
    jz__buf_puts(out, "Mcp-Name: ");
    if (is_plain(value, true) && !jz__str_starts(value, "=?base64?")) {
        jz__buf_append(out, value.data, value.length);
    } else {
        jz__buf_puts(out, "=?base64?");
        put_base64(out, value);
        jz__buf_puts(out, "?=");
    }
    jz__buf_puts(out, "\r\n");
}

/* What Mcp-Name repeats: 0 where the method has nothing, or it is no text. */
static size_t find_name(const struct jz__scan *scan, size_t method,
                        size_t params)
{
    if (jz__scan_is(scan, method, "resources/read")) {
        return jz__scan_get_type(scan, params, "uri", JZ__SCAN_STRING);
    }
    if (jz__scan_is(scan, method, "tools/call") ||
        jz__scan_is(scan, method, "prompts/get")) {
        return jz__scan_get_type(scan, params, "name", JZ__SCAN_STRING);
    }
    return 0;
}

/* The version decides alone: a message without it is an older one, whatever else
 * is in its _meta. */
static void read_era(struct bridge_message *message,
                     const struct jz__scan *scan, size_t method, size_t params)
{
    size_t meta = jz__scan_get_type(scan, params, "_meta", JZ__SCAN_OBJECT);
    size_t version = meta == 0 ? 0
                               : jz__scan_get_type(scan, meta, META_VERSION,
                                                   JZ__SCAN_STRING);
    size_t name;

    if (version == 0) {
        return;
    }
    message->is_modern = true;
    put_plain(&message->headers, "MCP-Protocol-Version", scan, version);
    put_plain(&message->headers, "Mcp-Method", scan, method);
    name = find_name(scan, method, params);
    if (name != 0) {
        put_name(&message->headers, scan, name);
    }
}

/* --- kinds --- */

/* 1.0 and 1e3 are whole too, but no server takes them for an id. */
static bool is_whole(struct jz__str number)
{
    size_t i = number.data[0] == '-';

    for (; i < number.length; i++) {
        if (number.data[i] < '0' || number.data[i] > '9') {
            return false;
        }
    }
    return true;
}

/* An id as it came, a text's with its quotes. An answer under any other value
 * (null, a fraction, an object) would reach nobody; "" then. */
static struct jz__str id_of(const struct jz__scan *scan, size_t token)
{
    struct jz__str raw = jz__scan_raw(scan, token);

    switch (scan->tokens[token].type) {
    case JZ__SCAN_STRING:
        return (struct jz__str){ raw.data - 1, raw.length + 2 };
    case JZ__SCAN_NUMBER:
        return is_whole(raw) ? raw : JZ__STR("");
    default:
        return JZ__STR("");
    }
}

/* Of one object, at whatever depth: its kind, and its id in *id. */
static enum bridge_message_kind
classify(struct jz__str *id, const struct jz__scan *scan, size_t object)
{
    size_t token = jz__scan_get(scan, object, "id");
    bool has_method =
        jz__scan_get_type(scan, object, "method", JZ__SCAN_STRING) != 0;
    struct jz__str raw = token != 0 ? id_of(scan, token) : JZ__STR("");

    *id = raw.length > 0 ? raw : JZ__STR("null");
    if (!jz__scan_is(scan, jz__scan_get(scan, object, "jsonrpc"), "2.0")) {
        return BRIDGE_MESSAGE_OTHER;
    }
    if (jz__scan_get(scan, object, "method") == 0 &&
        (jz__scan_get(scan, object, "result") != 0 ||
         jz__scan_get(scan, object, "error") != 0)) {
        return BRIDGE_MESSAGE_RESPONSE;
    }
    if (!has_method || (token != 0 && raw.length == 0)) {
        return BRIDGE_MESSAGE_OTHER;
    }
    return token != 0 ? BRIDGE_MESSAGE_REQUEST : BRIDGE_MESSAGE_NOTIFICATION;
}

/* A notification named initialize is none that anybody has to wait for, and a
 * request named notifications/cancelled is due an answer. */
static enum bridge_message_method find_method(const struct jz__scan *scan,
                                              size_t token, bool is_request)
{
    static const struct {
        const char *name;
        enum bridge_message_method method;
        bool is_request;
    } known[] = {
        { "initialize", BRIDGE_MESSAGE_INITIALIZE, true },
        { "server/discover", BRIDGE_MESSAGE_DISCOVER, true },
        { "tools/list", BRIDGE_MESSAGE_TOOLS_LIST, true },
        { "notifications/initialized", BRIDGE_MESSAGE_INITIALIZED, false },
        { "notifications/cancelled", BRIDGE_MESSAGE_CANCELLED, false },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(known); i++) {
        if (known[i].is_request == is_request &&
            jz__scan_is(scan, token, known[i].name)) {
            return known[i].method;
        }
    }
    return BRIDGE_MESSAGE_ANY;
}

static void read_object(struct bridge_message *message,
                        const struct jz__scan *scan)
{
    size_t method = jz__scan_get(scan, 0, "method");
    size_t params = jz__scan_get_type(scan, 0, "params", JZ__SCAN_OBJECT);
    size_t cancelled;

    message->kind = classify(&message->id, scan, 0);
    if (message->kind == BRIDGE_MESSAGE_REQUEST ||
        message->kind == BRIDGE_MESSAGE_NOTIFICATION) {
        message->method =
            find_method(scan, method, message->kind == BRIDGE_MESSAGE_REQUEST);
    }
    if (params != 0 && method != 0) {
        read_era(message, scan, method, params);
    }
    if (message->method == BRIDGE_MESSAGE_CANCELLED && params != 0) {
        cancelled = jz__scan_get(scan, params, "requestId");
        if (cancelled != 0) {
            message->cancels = id_of(scan, cancelled);
        }
    }
}

/* The place counts from 1, in bytes: an agent's line has no columns that anybody
 * sees. */
static void broken(struct bridge_message *message, const char *reason,
                   size_t at)
{
    message->kind = BRIDGE_MESSAGE_BROKEN;
    (void)snprintf(message->reason, sizeof(message->reason),
                   "Parse error: %s at byte %zu of the line", reason, at + 1);
}

/* Bytes in front of the first that is no UTF-8. */
static size_t valid_prefix(struct jz__str text)
{
    size_t at = 0;

    while (at < text.length) {
        uint32_t point;
        size_t step = jz__utf8_next(&point, text.data + at, text.length - at);

        if (!jz__utf8_is_valid(text.data + at, step)) {
            break;
        }
        at += step;
    }
    return at;
}

/* UTF-8 is checked first: the scan lets broken bytes in strings pass, and a
 * server would refuse the message without its id. */
static int read_text(struct bridge_message *message, struct jz__scan *scan)
{
    struct jz__str text = { message->text.data, message->text.length };
    int r;

    if (!jz__utf8_is_valid(text.data, text.length)) {
        broken(message, "not UTF-8", valid_prefix(text));
        return 0;
    }
    r = jz__scan_parse(scan, text.data, text.length);
    if (r == JZ_EINVAL) {
        broken(message, scan->reason, scan->error_at);
        return 0;
    }
    if (r < 0) {
        return r;
    }
    if (!jz__scan_is_whole(scan, text.length)) {
        broken(message, "text behind the message", scan->end);
    } else if (scan->tokens[0].type == JZ__SCAN_OBJECT) {
        read_object(message, scan);
    } else {
        message->kind = BRIDGE_MESSAGE_OTHER;
    }
    return message->headers.error;
}

int bridge_message_read_take(struct bridge_message *out, struct jz__buf *text)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__str line = { text->data, text->length };

    assert(out != NULL && out->text.data == NULL && text->error == 0);

    out->text = *text;
    memset(text, 0, sizeof(*text));
    out->id = JZ__STR("null");
    out->cancels = JZ__STR("");
    if (jz__str_trim(line).length == 0) {
        out->kind = BRIDGE_MESSAGE_BLANK;
        return 0;
    }
    return read_text(out, &scan);
}

void bridge_message_finish(struct bridge_message *message)
{
    jz__buf_finish(&message->text);
    jz__buf_finish(&message->headers);
}

/* --- answers that are due --- */

/* An array without a request in it that is no array of notifications alone is
 * answered as a whole, like anything else that is no message. */
static void each_of_array(const struct jz__scan *scan, bridge_message_id_fn fn,
                          void *userdata)
{
    size_t count = 0;
    bool is_silent = jz__scan_first(scan, 0) != 0;
    size_t i;

    for (i = jz__scan_first(scan, 0); i != 0; i = jz__scan_after(scan, 0, i)) {
        struct jz__str id;

        switch (classify(&id, scan, i)) {
        case BRIDGE_MESSAGE_REQUEST:
            fn(userdata, id);
            count++;
            break;
        case BRIDGE_MESSAGE_NOTIFICATION:
        case BRIDGE_MESSAGE_RESPONSE:
            break;
        default:
            is_silent = false;
        }
    }
    if (count == 0 && !is_silent) {
        fn(userdata, JZ__STR("null"));
    }
}

int bridge_message_each_id(const struct bridge_message *message,
                           bridge_message_id_fn fn, void *userdata)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    int r;

    switch (message->kind) {
    case BRIDGE_MESSAGE_BLANK:
    case BRIDGE_MESSAGE_NOTIFICATION:
    case BRIDGE_MESSAGE_RESPONSE:
        return 0;
    case BRIDGE_MESSAGE_BROKEN:
    case BRIDGE_MESSAGE_REQUEST:
        fn(userdata, message->id);
        return 0;
    case BRIDGE_MESSAGE_OTHER:
        break;
    }
    r = jz__scan_parse(&scan, message->text.data, message->text.length);
    if (r == 0 && scan.tokens[0].type == JZ__SCAN_ARRAY) {
        each_of_array(&scan, fn, userdata);
    } else if (r == 0) {
        fn(userdata, message->id);
    }
    return r;
}
