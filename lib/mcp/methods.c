/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything but the tools themselves. Prompts and resources have no entries,
 * yet their lists are answered and declared: the stack that clients know from
 * this endpoint did so, and some of them ask without looking at what is
 * declared. Whoever names a prompt or a resource is told that it does not
 * exist, which is a different mistake from calling a method that does not.
 */
#include "mcp/methods.h"

#include <assert.h>

#include "base/mem.h"
#include "mcp/era.h"
#include "mcp/instructions.h"
#include "mcp/reads.h"

#define LEGACY 1u
#define MODERN 2u

/* How long a client may keep lists and discovery: they change with the program
 * alone. */
#define TTL_MS 3600000

/* The token of a member of params; 0: it is not there. */
static size_t param(const struct jz__call *call, const char *key)
{
    const struct jz__jsonrpc *message = &call->message;

    return message->params != 0
               ? jz__scan_get(&message->scan, message->params, key)
               : 0;
}

/* The hints that modern lists and discovery must carry. `private` where the
 * answer may one day depend on who asks. */
static void put_caching(struct jz__call *call, const char *scope)
{
    if (call->is_modern) {
        jz__json_put_key(call->out, "ttlMs");
        jz__json_put_int(call->out, TTL_MS);
        jz__json_put_key(call->out, "cacheScope");
        jz__json_put_str(call->out, scope);
    }
}

/* The asked version if it is a legacy one, else our newest legacy one: the
 * client then decides whether it can speak that. */
static void initialize(struct jz__call *call)
{
    const struct jz__scan *scan = &call->message.scan;
    size_t asked = param(call, "protocolVersion");
    struct jz__str version = JZ__STR(JZ__ERA_NEWEST_LEGACY);

    if (asked != 0 && jz__era_is_legacy(jz__scan_raw(scan, asked))) {
        version = jz__scan_raw(scan, asked);
    }
    jz__call_begin(call);
    jz__json_put_key(call->out, "protocolVersion");
    jz__json_put_text(call->out, version.data, version.length);
    jz__json_put_key(call->out, "capabilities");
    jz__buf_puts(call->out,
                 "{\"experimental\":{},\"prompts\":{\"listChanged\":false},"
                 "\"resources\":{\"subscribe\":false,\"listChanged\":false},"
                 "\"tools\":{\"listChanged\":false}}");
    jz__json_put_key(call->out, "serverInfo");
    jz__call_put_server(call->out);
    jz__json_put_key(call->out, "instructions");
    jz__json_put_str(call->out, jz__instructions_text());
    jz__call_end(call);
}

/* Only modern versions are named: a client that wants a legacy one says so by
 * initialize, and one that picked a legacy version here would send it in _meta,
 * where it is refused. */
static void discover(struct jz__call *call)
{
    jz__call_begin(call);
    jz__json_put_key(call->out, "supportedVersions");
    jz__buf_puts(call->out, "[\"" JZ__ERA_MODERN "\"]");
    jz__json_put_key(call->out, "capabilities");
    jz__buf_puts(call->out, "{\"prompts\":{},\"resources\":{},\"tools\":{}}");
    jz__json_put_key(call->out, "instructions");
    jz__json_put_str(call->out, jz__instructions_text());
    put_caching(call, "public");
    jz__call_end(call);
}

/* Legacy alone: the modern era dropped it. */
static void ping(struct jz__call *call)
{
    jz__call_begin(call);
    jz__call_end(call);
}

/* Every list fits one page, so no cursor was ever given out. An empty one is
 * what some clients send for the first page. */
static bool check_cursor(struct jz__call *call)
{
    const struct jz__scan *scan = &call->message.scan;
    size_t cursor = param(call, "cursor");

    if (cursor == 0 || scan->tokens[cursor].type == JZ__SCAN_NULL ||
        jz__scan_is(scan, cursor, "")) {
        return true;
    }
    jz__call_fail_params(call, "cursor is not one that this server gave");
    return false;
}

static void list_tools(struct jz__call *call)
{
    if (!check_cursor(call)) {
        return;
    }
    jz__call_begin(call);
    jz__json_put_key(call->out, "tools");
    jz__reads_put_tools(call->out);
    put_caching(call, "private");
    jz__call_end(call);
}

/* A list that is there and has no entries. */
static void list_nothing(struct jz__call *call, const char *key)
{
    if (!check_cursor(call)) {
        return;
    }
    jz__call_begin(call);
    jz__json_put_key(call->out, key);
    jz__buf_puts(call->out, "[]");
    put_caching(call, "private");
    jz__call_end(call);
}

static void list_prompts(struct jz__call *call)
{
    list_nothing(call, "prompts");
}

static void list_resources(struct jz__call *call)
{
    list_nothing(call, "resources");
}

static void list_templates(struct jz__call *call)
{
    list_nothing(call, "resourceTemplates");
}

/* -32602 with the unknown name in data, where clients look for it. */
static void refuse_named(struct jz__call *call, const char *key,
                         const char *what)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf data = JZ__BUF_INIT;
    size_t token = param(call, key);

    if (token == 0 ||
        call->message.scan.tokens[token].type != JZ__SCAN_STRING) {
        jz__buf_printf(&name, "%s must be a string", key);
        jz__call_fail_params(call, name.data != NULL ? name.data : key);
        return;
    }
    jz__scan_text(&name, &call->message.scan, token);
    jz__buf_putc(&data, '{');
    jz__json_put_key(&data, key);
    jz__json_put_text(&data, name.data, name.length);
    jz__buf_putc(&data, '}');
    jz__call_fail(call, call->is_modern ? 400 : 200, JZ__JSONRPC_INVALID_PARAMS,
                  data.data, "Unknown %s: %.200s", what,
                  name.data != NULL ? name.data : "");
}

static void get_prompt(struct jz__call *call)
{
    refuse_named(call, "name", "prompt");
}

static void read_resource(struct jz__call *call)
{
    refuse_named(call, "uri", "resource");
}

/* What is not here is -32601 in that era, logging and completion included: they
 * are not declared. */
static const struct jz__method methods[] = {
    { "initialize", LEGACY, initialize },
    { "server/discover", MODERN, discover },
    { "ping", LEGACY, ping },
    { "tools/list", LEGACY | MODERN, list_tools },
    { "tools/call", LEGACY | MODERN, jz__reads_call },
    { "prompts/list", LEGACY | MODERN, list_prompts },
    { "prompts/get", LEGACY | MODERN, get_prompt },
    { "resources/list", LEGACY | MODERN, list_resources },
    { "resources/templates/list", LEGACY | MODERN, list_templates },
    { "resources/read", LEGACY | MODERN, read_resource },
};

const struct jz__method *jz__methods_find(const struct jz__call *call)
{
    unsigned era = call->is_modern ? MODERN : LEGACY;
    size_t i;

    assert(call->message.kind == JZ__JSONRPC_REQUEST);

    for (i = 0; i < JZ__LENGTH(methods); i++) {
        if ((methods[i].eras & era) != 0 &&
            jz__scan_is(&call->message.scan, call->message.method,
                        methods[i].name)) {
            return &methods[i];
        }
    }
    return NULL;
}
