/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two eras share one endpoint and one process, and nothing is remembered from
 * one message to the next, so each message has to tell its era: by a protocol
 * version in its _meta, or by the version header. The body comes first: a proxy
 * may lose a header, and on stdio there is none.
 *
 * A modern request climbs a ladder whose order is fixed, because clients act on
 * the code of the first rung that refuses: _meta has its shape (-32602), the
 * headers say what the body says (-32020), the version is known (-32022). The
 * next rung, the method, is the dispatcher's.
 *
 * A notification only has to be free of contradictions: the headers that are
 * required of requests may be missing on it.
 */
#include "mcp/era.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/headers.h"

/* Characters of a client's value that an error repeats. */
#define SHOWN_MOST 60

#define LEGACY_VERSIONS "2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25"

bool jz__era_is_legacy(struct jz__str version)
{
    static const char *const known[] = { "2024-11-05", "2025-03-26",
                                         "2025-06-18", "2025-11-25" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(known); i++) {
        if (jz__str_is(version, known[i])) {
            return true;
        }
    }
    return false;
}

/* The token of a member of params, 0 if there is none or it is null. */
static size_t param(const struct jz__call *call, const char *key)
{
    const struct jz__jsonrpc *message = &call->message;
    size_t token;

    if (message->params == 0) {
        return 0;
    }
    token = jz__scan_get(&message->scan, message->params, key);
    return message->scan.tokens[token].type == JZ__SCAN_NULL ? 0 : token;
}

/* The token of a member of params._meta that the protocol reserves. */
static size_t meta(const struct jz__call *call, const char *key)
{
    const struct jz__scan *scan = &call->message.scan;
    size_t object = param(call, "_meta");
    size_t token = object != 0 ? jz__scan_get(scan, object, key) : 0;

    return scan->tokens[token].type == JZ__SCAN_NULL ? 0 : token;
}

static bool is_type(const struct jz__call *call, size_t token,
                    enum jz__scan_type type)
{
    return token != 0 && call->message.scan.tokens[token].type == type;
}

/* The first rung. clientInfo is asked for but not required, and null stands for
 * nothing everywhere. */
static bool check_meta(struct jz__call *call)
{
    size_t info = meta(call, JZ__CALL_META "clientInfo");

    if (!is_type(call, meta(call, JZ__CALL_META "protocolVersion"),
                 JZ__SCAN_STRING)) {
        jz__call_fail_params(call, "_meta must have a string as " JZ__CALL_META
                                   "protocolVersion");
        return false;
    }
    if (!is_type(call, meta(call, JZ__CALL_META "clientCapabilities"),
                 JZ__SCAN_OBJECT)) {
        jz__call_fail_params(call, "_meta must have an object as " JZ__CALL_META
                                   "clientCapabilities");
        return false;
    }
    if (info != 0 && !is_type(call, info, JZ__SCAN_OBJECT)) {
        jz__call_fail_params(call,
                             JZ__CALL_META "clientInfo must be an object");
        return false;
    }
    return true;
}

/* -32020. data names the header for programs, the message for people. */
static void mismatch(struct jz__call *call, const char *header,
                     const char *what)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf data = JZ__BUF_INIT;

    jz__buf_printf(&data, "{\"header\":\"%s\"}", header);
    jz__call_fail(call, 400, JZ__JSONRPC_HEADER_MISMATCH, data.data,
                  "Header mismatch: %s %s", header, what);
}

/* Does the header `name` (written as messages show it) say what the token
 * does? A token that is no text is left to whoever reads the body. */
static bool check_header(struct jz__call *call, const char *name,
                         const char *key, size_t token, bool is_encoded)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf expected = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf given = JZ__BUF_INIT;
    struct jz__str value;

    switch (jz__headers_get(&value, call->headers, key)) {
    case JZ__HEADERS_NONE:
        if (call->message.kind == JZ__JSONRPC_REQUEST &&
            is_type(call, token, JZ__SCAN_STRING)) {
            mismatch(call, name, "is missing");
            return false;
        }
        return true;
    case JZ__HEADERS_MANY:
        mismatch(call, name, "was given more than once");
        return false;
    case JZ__HEADERS_ONE:
        break;
    }
    if (!is_encoded) {
        jz__buf_append(&given, value.data, value.length);
    } else if (!jz__headers_decode_name(&given, value)) {
        mismatch(call, name, "is not base64 of UTF-8");
        return false;
    }
    if (is_type(call, token, JZ__SCAN_STRING)) {
        jz__scan_text(&expected, &call->message.scan, token);
        if (given.length == expected.length &&
            (given.length == 0 ||
             memcmp(given.data, expected.data, given.length) == 0)) {
            return true;
        }
    }
    mismatch(call, name, "differs from the body");
    return false;
}

/* The token that Mcp-Name must repeat; false: this method has none. */
static bool find_named(const struct jz__call *call, size_t *token)
{
    static const struct {
        const char *method;
        const char *param;
    } named[] = { { "tools/call", "name" },
                  { "prompts/get", "name" },
                  { "resources/read", "uri" } };
    size_t i;

    for (i = 0; i < JZ__LENGTH(named); i++) {
        if (jz__scan_is(&call->message.scan, call->message.method,
                        named[i].method)) {
            *token = param(call, named[i].param);
            return true;
        }
    }
    return false;
}

/* The second rung. Headers of methods that need none are not looked at, nor is
 * a session id: there are no sessions. */
static bool check_headers(struct jz__call *call)
{
    size_t version = meta(call, JZ__CALL_META "protocolVersion");
    size_t token = 0;

    if (call->headers == NULL) {
        return true;
    }
    /* A notification need not have _meta: then the header stands alone. */
    if (version != 0 && !check_header(call, "MCP-Protocol-Version",
                                      "mcp-protocol-version", version, false)) {
        return false;
    }
    if (!check_header(call, "Mcp-Method", "mcp-method", call->message.method,
                      false)) {
        return false;
    }
    return !find_named(call, &token) ||
           check_header(call, "Mcp-Name", "mcp-name", token, true);
}

/* The third rung: it names what a client can go on with. */
static bool check_version(struct jz__call *call)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf data = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf asked = JZ__BUF_INIT;
    size_t version = meta(call, JZ__CALL_META "protocolVersion");

    if (jz__scan_is(&call->message.scan, version, JZ__ERA_MODERN)) {
        return true;
    }
    jz__scan_text(&asked, &call->message.scan, version);
    jz__buf_puts(&data, "{\"supported\":[\"" JZ__ERA_MODERN "\"],"
                        "\"requested\":");
    jz__json_put_text(&data, asked.data, asked.length);
    jz__buf_putc(&data, '}');
    jz__call_fail(call, 400, JZ__JSONRPC_UNSUPPORTED_VERSION, data.data,
                  "Unsupported protocol version");
    return false;
}

/* A version header that no era knows, on a message that says nothing itself.
 * initialize is let through: it is the one that agrees on a version. */
static bool check_legacy(struct jz__call *call, enum jz__headers_count count,
                         struct jz__str version)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf shown = JZ__BUF_INIT;

    if (count == JZ__HEADERS_NONE ||
        (count == JZ__HEADERS_ONE && jz__era_is_legacy(version)) ||
        jz__scan_is(&call->message.scan, call->message.method, "initialize")) {
        return true;
    }
    jz__utf8_cut(&shown, version.data, version.length, SHOWN_MOST);
    jz__call_fail(call, 400, JZ__JSONRPC_INVALID_REQUEST, NULL,
                  "Bad Request: Unsupported protocol version: %s. "
                  "Supported versions: " LEGACY_VERSIONS,
                  shown.data != NULL ? shown.data : "");
    return false;
}

bool jz__era_check(struct jz__call *call)
{
    struct jz__str version;
    enum jz__headers_count count;

    assert(call != NULL && call->message.kind != JZ__JSONRPC_INVALID);

    count = jz__headers_get(&version, call->headers, "mcp-protocol-version");
    call->is_modern =
        meta(call, JZ__CALL_META "protocolVersion") != 0 ||
        (count != JZ__HEADERS_NONE && jz__str_is(version, JZ__ERA_MODERN));
    if (!call->is_modern) {
        return check_legacy(call, count, version);
    }
    switch (call->message.kind) {
    case JZ__JSONRPC_REQUEST:
        return check_meta(call) && check_headers(call) && check_version(call);
    case JZ__JSONRPC_NOTIFICATION:
        return check_headers(call);
    default:
        /* Modern servers send no requests: there is nothing to respond to. */
        call->message.id = JZ__STR("null");
        jz__call_fail(call, 400, JZ__JSONRPC_INVALID_REQUEST, NULL,
                      "Invalid Request: no response is expected");
        return false;
    }
}
