/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks stand in one table in the order in which they are made, because
 * the order is part of the protocol: who may not ask is not told what exists
 * behind the question, and a client that is refused for its Host is not sent
 * looking at its Content-Type. Each check either leaves the request alone or
 * makes it the answer.
 *
 * Paths are compared as they were sent. What is not a route is 404 and never
 * 200, whatever its name: clients probe /.well-known for login servers and
 * would take any 200 for one.
 */
#include "route.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "jezero.h"
#include "net/url.h"

#define METADATA_PATH "/.well-known/oauth-protected-resource"

enum route_kind {
    ROUTE_MCP,
    ROUTE_HEALTH,
    ROUTE_METADATA,
    ROUTE_KINDS
};

#define BIT(method) (1u << (method))
#define READS (BIT(JZ__HTTP_GET) | BIT(JZ__HTTP_HEAD))

static const struct {
    unsigned methods;
    const char *allow;
} kinds[ROUTE_KINDS] = {
    [ROUTE_MCP] = { BIT(JZ__HTTP_POST), "Allow: POST\r\n" },
    [ROUTE_HEALTH] = { READS, "Allow: GET, HEAD\r\n" },
    [ROUTE_METADATA] = { READS | BIT(JZ__HTTP_OPTIONS),
                         "Allow: GET, HEAD, OPTIONS\r\n" },
};

/* The metadata is public by its nature: a web client reads it before it knows
 * the server. */
#define METADATA_CORS "Access-Control-Allow-Origin: *\r\n"
#define METADATA_HEADERS "Cache-Control: public, max-age=3600\r\n" METADATA_CORS
#define METADATA_PREFLIGHT                                                     \
    METADATA_CORS "Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n"       \
                  "Access-Control-Allow-Headers: MCP-Protocol-Version\r\n"     \
                  "Access-Control-Max-Age: 600\r\n"

void route_refuse(struct route_answer *out, int status, const char *reason)
{
    *out = (struct route_answer){ .status = status,
                                  .content_type = "application/json" };
    jz__buf_puts(&out->body, "{\"error\":");
    jz__json_put_str(&out->body, reason);
    jz__buf_puts(&out->body, "}");
}

/* The refusals of MCP's own stack come as bare text without a type. */
static void refuse_bare(struct route_answer *out, int status, const char *text)
{
    *out = (struct route_answer){ .status = status };
    jz__buf_puts(&out->body, text);
}

/* --- routes --- */

/* Does path consist of these parts, one behind the other? */
static bool is_path(struct jz__str path, const struct jz__str *parts,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (path.length < parts[i].length ||
            memcmp(path.data, parts[i].data, parts[i].length) != 0) {
            return false;
        }
        path.data += parts[i].length;
        path.length -= parts[i].length;
    }
    return path.length == 0;
}

/* The path of public_url, without a slash at its end; "" without one. */
static struct jz__str public_prefix(const struct route_rules *rules)
{
    struct jz__str none = JZ__STR("");
    struct jz__url url;

    if (!jz__url_parse(&url, jz__str_of(rules->origin.public_url))) {
        return none;
    }
    while (jz__str_ends(url.path, "/")) {
        url.path.length--;
    }
    return url.path;
}

/*
 * A server behind a proxy at https://host/lib is known by the metadata
 * addresses /lib/.well-known/…/mcp (the proxy strips /lib, or does not) and,
 * by RFC 9728, /.well-known/…/lib/mcp.
 */
static bool is_metadata_path(const struct route_rules *rules,
                             struct jz__str path)
{
    const struct jz__str prefix = public_prefix(rules);
    const struct jz__str mcp = jz__str_of(rules->mcp_path);
    const struct jz__str place = JZ__STR(METADATA_PATH);
    const struct jz__str none = JZ__STR("");
    const struct jz__str forms[][3] = {
        { place, none, none },   { place, mcp, none },   { place, prefix, mcp },
        { prefix, place, none }, { prefix, place, mcp },
    };

    for (size_t i = 0; i < JZ__LENGTH(forms); i++) {
        if (is_path(path, forms[i], JZ__LENGTH(forms[i]))) {
            return true;
        }
    }
    return false;
}

static enum route_kind find_route(const struct route_rules *rules,
                                  struct jz__str path)
{
    struct jz__str bare = path;

    /* Both with and without the slash, for clients that do not follow a
     * redirect with a POST. */
    if (jz__str_ends(bare, "/")) {
        bare.length--;
    }
    if (jz__str_is(bare, rules->mcp_path)) {
        return ROUTE_MCP;
    }
    if (jz__str_is(path, "/healthz")) {
        return ROUTE_HEALTH;
    }
    return is_metadata_path(rules, path) ? ROUTE_METADATA : ROUTE_KINDS;
}

/* --- checks: false, and *out is the answer --- */

struct route_case {
    const struct route_rules *rules;
    const struct jz__http_request *request;
    enum route_kind kind;
};

/* One Host is there: the codec refuses none and two. */
static bool check_host(struct route_answer *out, const struct route_case *asked)
{
    if (jz__origin_host_allowed(&asked->rules->origin, asked->request->host)) {
        return true;
    }
    refuse_bare(out, 421, "Invalid Host header");
    return false;
}

/* Only browsers send one. Two are as wrong as an unknown one. */
static bool check_origin(struct route_answer *out,
                         const struct route_case *asked)
{
    struct jz__str origin;

    if (jz__http_header_count(asked->request, "origin") == 0) {
        return true;
    }
    if (jz__http_header(&origin, asked->request, "origin") &&
        jz__origin_allowed(&asked->rules->origin, origin)) {
        return true;
    }
    refuse_bare(out, 403, "Invalid Origin header");
    return false;
}

static bool check_method(struct route_answer *out,
                         const struct route_case *asked)
{
    if ((kinds[asked->kind].methods & BIT(asked->request->method)) != 0) {
        return true;
    }
    route_refuse(out, 405, "method not allowed");
    out->extra = kinds[asked->kind].allow;
    return false;
}

/* A browser can send a form or plain text to any address without asking first;
 * JSON it cannot, and so this check protects as well. */
static bool check_content_type(struct route_answer *out,
                               const struct route_case *asked)
{
    static const char json[] = "application/json";
    struct jz__str type;

    if (asked->kind != ROUTE_MCP) {
        return true;
    }
    if (jz__http_header(&type, asked->request, "content-type") &&
        jz__str_starts_nocase(type, json)) {
        type.data += sizeof(json) - 1;
        type.length -= sizeof(json) - 1;
        type = jz__str_trim(type);
        if (type.length == 0 || type.data[0] == ';') {
            return true;
        }
    }
    refuse_bare(out, 400, "Invalid Content-Type header");
    return false;
}

/* By its announced length; a chunked body is counted while it arrives. */
static bool check_size(struct route_answer *out, const struct route_case *asked)
{
    if (asked->kind != ROUTE_MCP ||
        asked->request->content_length <= ROUTE_BODY_MOST) {
        return true;
    }
    route_refuse(out, 413, "the request body is too large");
    return false;
}

static bool (*const checks[])(struct route_answer *,
                              const struct route_case *) = {
    check_host, check_origin, check_method, check_content_type, check_size,
};

/* --- answers --- */

/* A proxy must not answer for us from its memory. */
static void answer_health(struct route_answer *out, bool is_healthy)
{
    *out = (struct route_answer){ .status = is_healthy ? 200 : 503,
                                  .content_type = "application/json",
                                  .extra = "Cache-Control: no-store\r\n" };
    jz__buf_printf(&out->body, "{\"ok\":%s,\"version\":\"%s\"}",
                   is_healthy ? "true" : "false", jz_version());
}

/* The address that clients were given: they compare it with ours. */
static void put_resource(struct jz__buf *out, const struct route_case *asked)
{
    const char *public_url = asked->rules->origin.public_url;
    struct jz__str host = asked->request->host;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf url = JZ__BUF_INIT;

    if (public_url != NULL) {
        jz__buf_puts(&url, public_url);
        while (url.length > 0 && url.data[url.length - 1] == '/') {
            jz__buf_truncate(&url, url.length - 1);
        }
    } else {
        jz__buf_puts(&url, "http://");
        jz__buf_append(&url, host.data, host.length);
    }
    jz__buf_puts(&url, asked->rules->mcp_path);
    if (url.error != 0) {
        out->error = url.error;
        return;
    }
    jz__json_put_text(out, url.data, url.length);
}

/* It names no authorization server, because there is none: keys are given out
 * by hand, and a client that is told of a server would try to log in there. */
static void answer_metadata(struct route_answer *out,
                            const struct route_case *asked)
{
    if (asked->request->method == JZ__HTTP_OPTIONS) {
        *out =
            (struct route_answer){ .status = 204, .extra = METADATA_PREFLIGHT };
        return;
    }
    *out = (struct route_answer){ .status = 200,
                                  .content_type = "application/json",
                                  .extra = METADATA_HEADERS };
    jz__buf_puts(&out->body, "{\"resource\":");
    put_resource(&out->body, asked);
    jz__buf_puts(&out->body, ",\"bearer_methods_supported\":[\"header\"],"
                             "\"resource_name\":\"Jezero\"}");
}

bool route_decide(struct route_answer *out, const struct route_rules *rules,
                  const struct jz__http_request *request, bool is_healthy)
{
    struct route_case asked = { rules, request, ROUTE_KINDS };

    assert(out != NULL && rules->mcp_path != NULL);

    asked.kind = find_route(rules, request->path);
    if (asked.kind == ROUTE_KINDS) {
        route_refuse(out, 404, "not found");
        return true;
    }
    for (size_t i = 0; i < JZ__LENGTH(checks); i++) {
        if (!checks[i](out, &asked)) {
            return true;
        }
    }
    if (asked.kind == ROUTE_HEALTH) {
        answer_health(out, is_healthy);
    } else if (asked.kind == ROUTE_METADATA) {
        answer_metadata(out, &asked);
    }
    return asked.kind != ROUTE_MCP;
}

void route_mcp_headers(struct jz__buf *out,
                       const struct jz__http_request *request)
{
    static const char *const names[] = { "accept", "mcp-protocol-version",
                                         "mcp-method", "mcp-name" };

    jz__buf_putc(out, '{');
    /* All values of a repeated header: MCP itself refuses the repetition. */
    for (size_t i = 0; i < JZ__LENGTH(names); i++) {
        if (jz__http_header_count(request, names[i]) == 0) {
            continue;
        }
        jz__json_put_key(out, names[i]);
        jz__buf_putc(out, '[');
        for (size_t k = 0; k < request->header_count; k++) {
            if (jz__str_is_nocase(request->headers[k].name, names[i])) {
                jz__json_put_comma(out);
                jz__json_put_text(out, request->headers[k].value.data,
                                  request->headers[k].value.length);
            }
        }
        jz__buf_putc(out, ']');
    }
    jz__buf_putc(out, '}');
}
