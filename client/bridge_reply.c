/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent drops a server that writes one line that is no JSON-RPC, and waits
 * for minutes for a request that is not answered. So nothing of a server's goes
 * out unlooked at: a body is scanned first, and whatever else came (a login
 * page, a proxy's error) becomes an error under the request's id.
 *
 * Bytes of an answer stay as they are. Only line ends between its tokens go, and
 * an id that is not the request's is replaced: servers answer under null, or
 * under an id of their own, what they refuse before they have read it.
 */
#include "bridge_reply.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "remote.h"

/* Bytes of a body that may be shown: far more than are. */
#define SHOWN_BYTES 4096

/* --- answers of the server --- */

/* Without white space between tokens; inside a string none is a line end. */
static void put_compact(struct jz__buf *out, const char *text, size_t length)
{
    bool is_string = false;
    size_t from = 0;
    size_t i;

    for (i = 0; i < length; i++) {
        char c = text[i];

        if (is_string && c == '\\') {
            i++;
        } else if (c == '"') {
            is_string = !is_string;
        } else if (!is_string &&
                   (c == '\n' || c == '\r' || c == ' ' || c == '\t')) {
            jz__buf_append(out, text + from, i - from);
            from = i + 1;
        }
    }
    jz__buf_append(out, text + from, length - from);
}

/* Most servers write one line already, and it is not touched then. */
static void put_piece(struct jz__buf *out, const char *text, size_t length)
{
    if (memchr(text, '\n', length) != NULL ||
        memchr(text, '\r', length) != NULL) {
        put_compact(out, text, length);
    } else {
        jz__buf_append(out, text, length);
    }
}

/* Of a string the token stands between the quotes. */
static struct jz__str value_of(const struct jz__scan *scan, size_t token)
{
    struct jz__str raw = jz__scan_raw(scan, token);

    if (scan->tokens[token].type == JZ__SCAN_STRING) {
        raw.data--;
        raw.length += 2;
    }
    return raw;
}

/* An answer without an id gets the request's in front of its members: one that
 * is there twice would leave it to the reader which of them counts. */
static void put_under_id(struct jz__buf *out, const struct jz__scan *scan,
                         struct jz__str body, struct jz__str id)
{
    size_t token = jz__scan_get(scan, 0, "id");
    struct jz__str value;
    const char *rest;

    if (token == 0) {
        jz__buf_puts(out, "{\"id\":");
        jz__buf_append(out, id.data, id.length);
        jz__buf_putc(out, ',');
        rest = memchr(body.data, '{', body.length);
        assert(rest != NULL);
        rest++;
    } else {
        value = value_of(scan, token);
        put_piece(out, body.data, (size_t)(value.data - body.data));
        jz__buf_append(out, id.data, id.length);
        rest = value.data + value.length;
    }
    put_piece(out, rest, body.length - (size_t)(rest - body.data));
}

/* Either a method or an outcome: what has both, or neither, is no message. */
static enum bridge_reply_kind kind_of(const struct jz__scan *scan,
                                      size_t object)
{
    bool has_method = jz__scan_get(scan, object, "method") != 0;
    bool has_outcome = jz__scan_get(scan, object, "result") != 0 ||
                       jz__scan_get(scan, object, "error") != 0;

    if (!jz__scan_is(scan, jz__scan_get(scan, object, "jsonrpc"), "2.0") ||
        has_method == has_outcome) {
        return BRIDGE_REPLY_NONE;
    }
    return has_outcome ? BRIDGE_REPLY_ANSWER : BRIDGE_REPLY_OTHER;
}

/* A batch passes if each of its members would, and answers if one does. */
static enum bridge_reply_kind kind_of_batch(const struct jz__scan *scan)
{
    enum bridge_reply_kind kind = BRIDGE_REPLY_NONE;
    size_t i;

    for (i = jz__scan_first(scan, 0); i != 0; i = jz__scan_after(scan, 0, i)) {
        enum bridge_reply_kind one = kind_of(scan, i);

        if (one == BRIDGE_REPLY_NONE) {
            return BRIDGE_REPLY_NONE;
        }
        if (kind != BRIDGE_REPLY_ANSWER) {
            kind = one;
        }
    }
    return kind;
}

enum bridge_reply_kind bridge_reply_put(struct jz__buf *out,
                                        struct jz__str body, struct jz__str id)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    enum bridge_reply_kind kind;
    bool is_object;

    assert(out != NULL);

    if (body.length == 0 || !jz__utf8_is_valid(body.data, body.length) ||
        jz__scan_parse(&scan, body.data, body.length) < 0 ||
        !jz__scan_is_whole(&scan, body.length)) {
        return BRIDGE_REPLY_NONE;
    }
    is_object = scan.tokens[0].type == JZ__SCAN_OBJECT;
    kind = is_object ? kind_of(&scan, 0) : kind_of_batch(&scan);
    if (kind == BRIDGE_REPLY_NONE) {
        return kind;
    }
    body = jz__str_trim(body);
    if (is_object && kind == BRIDGE_REPLY_ANSWER && id.length > 0) {
        size_t token = jz__scan_get(&scan, 0, "id");

        if (token == 0 || !jz__str_equal(value_of(&scan, token), id)) {
            put_under_id(out, &scan, body, id);
            jz__buf_putc(out, '\n');
            return kind;
        }
    }
    put_piece(out, body.data, body.length);
    jz__buf_putc(out, '\n');
    return kind;
}

/* --- answers of the bridge --- */

void bridge_reply_put_error(struct jz__buf *out, struct jz__str id, int code,
                            const char *text)
{
    jz__buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    jz__buf_append(out, id.data, id.length);
    jz__buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
    jz__json_put_text(out, text, strlen(text));
    jz__buf_puts(out, "}}\n");
}

struct errors {
    struct jz__buf *out;
    int code;
    const char *text;
};

static void put_one(void *userdata, struct jz__str id)
{
    const struct errors *errors = userdata;

    bridge_reply_put_error(errors->out, id, errors->code, errors->text);
}

int bridge_reply_put_errors(struct jz__buf *out,
                            const struct bridge_message *message, int code,
                            const char *text)
{
    struct errors errors = { out, code, text };
    int r = bridge_message_each_id(message, put_one, &errors);

    return r < 0 ? r : out->error;
}

/* --- texts --- */

void bridge_reply_put_no_home(struct jz__buf *out, const char *path,
                              const char *reason)
{
    if (reason != NULL) {
        jz__buf_printf(out, "Jezero cannot be used on this computer: %s",
                       reason);
    } else {
        jz__buf_printf(out,
                       "Jezero is not set up on this computer (%s): run "
                       "jezero-client init",
                       path);
    }
}

void bridge_reply_put_away(struct jz__buf *out, const char *url,
                           const char *reason)
{
    jz__buf_printf(out, "Jezero server %s: %s", url, reason);
}

/* remote.c knows how an answer is shown; the body is lent to it. */
void bridge_reply_put_status(struct jz__buf *out, const char *url, int status,
                             struct jz__str body)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf shown = JZ__BUF_INIT;
    struct jz__fetch_answer answer = { .status = status };

    jz__buf_append(&answer.body, body.data,
                   body.length < SHOWN_BYTES ? body.length : SHOWN_BYTES);
    remote_show_answer(&shown, &answer);
    if (answer.body.error != 0 || shown.error != 0) {
        out->error = JZ_ENOMEM;
    } else if (status == 401 || status == 403) {
        jz__buf_printf(out, "Jezero refused this computer's key: %s",
                       shown.data);
    } else {
        bridge_reply_put_away(out, url, shown.data);
    }
    jz__buf_finish(&answer.body);
}
