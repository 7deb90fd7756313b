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
#include "route_case.h"

#define BIT(method) (1u << (method))
#define READS (BIT(JZ__HTTP_GET) | BIT(JZ__HTTP_HEAD))

static const struct {
    const char *name;
    unsigned methods;
    const char *allow;
    bool asks_for_key; /* always, not only where require_auth says so */
} kinds[ROUTE_KINDS] = {
    [ROUTE_MCP] = { "mcp", BIT(JZ__HTTP_POST), "Allow: POST\r\n", false },
    [ROUTE_HEALTH] = { "health", READS, "Allow: GET, HEAD\r\n", false },
    [ROUTE_METADATA] = { "metadata", READS | BIT(JZ__HTTP_OPTIONS),
                         "Allow: GET, HEAD, OPTIONS\r\n", false },
    [ROUTE_INBOX] = { "inbox", READS, "Allow: GET, HEAD\r\n", true },
    [ROUTE_UPLOAD] = { "upload", BIT(JZ__HTTP_PUT), "Allow: PUT\r\n", true },
    [ROUTE_METRICS] = { "metrics", READS, "Allow: GET, HEAD\r\n", true },
    [ROUTE_NONE] = { "none", 0, "", false },
};

/* The metadata is public by its nature: a web client reads it before it knows
 * the server. */
#define METADATA_CORS "Access-Control-Allow-Origin: *\r\n"
#define METADATA_HEADERS "Cache-Control: public, max-age=3600\r\n" METADATA_CORS
#define METADATA_PREFLIGHT                                                     \
    METADATA_CORS "Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n"       \
                  "Access-Control-Allow-Headers: MCP-Protocol-Version\r\n"     \
                  "Access-Control-Max-Age: 600\r\n"

/* What depends on the state of the server or on the key: a proxy must not
 * answer for us from its memory. */
#define NOT_KEPT "Cache-Control: no-store\r\n"

const char *route_kind_name(enum route_kind kind)
{
    return kinds[kind].name;
}

void route_answer_finish(struct route_answer *answer)
{
    jz__buf_finish(&answer->headers);
    jz__buf_finish(&answer->body);
}

void route_result_finish(struct route_result *result)
{
    route_answer_finish(&result->answer);
    jz__buf_finish(&result->project);
}

/* --- answers --- */

static void begin_answer(struct route_answer *out, int status,
                         const char *content_type)
{
    route_answer_finish(out);
    out->status = status;
    out->content_type = content_type;
    out->reason = NULL;
}

void route_refuse(struct route_result *out, int status, const char *reason)
{
    struct route_answer *answer = &out->answer;
    bool is_inbox = out->kind == ROUTE_INBOX || out->kind == ROUTE_UPLOAD;

    begin_answer(answer, status, "application/json");
    answer->reason = reason;
    out->next = ROUTE_ANSWERED;
    jz__buf_puts(&answer->body,
                 is_inbox ? "{\"ok\":false,\"error\":" : "{\"error\":");
    jz__json_put_str(&answer->body, reason);
    jz__buf_puts(&answer->body, "}");
}

/* The refusals of MCP's own stack come as bare text without a type. */
static void refuse_bare(struct route_case *asked, int status, const char *text)
{
    begin_answer(&asked->result->answer, status, NULL);
    jz__buf_puts(&asked->result->answer.body, text);
}

/* The words are those that clients know from the SDKs, blanks included. */
static void answer_challenge(struct route_case *asked)
{
    struct route_answer *answer = &asked->result->answer;

    begin_answer(answer, 401, "application/json");
    jz__buf_puts(&answer->headers,
                 "WWW-Authenticate: Bearer error=\"invalid_token\", "
                 "error_description=\"Authentication required\", "
                 "resource_metadata=\"");
    route_put_metadata_url(&answer->headers, asked);
    jz__buf_puts(&answer->headers, "\"\r\n");
    jz__buf_puts(&answer->body,
                 "{\"error\": \"invalid_token\", \"error_description\": "
                 "\"Authentication required\"}");
}

static void answer_health(struct route_case *asked)
{
    struct route_answer *answer = &asked->result->answer;
    bool is_healthy = asked->state->is_healthy;

    begin_answer(answer, is_healthy ? 200 : 503, "application/json");
    jz__buf_puts(&answer->headers, NOT_KEPT);
    jz__buf_printf(&answer->body, "{\"ok\":%s,\"version\":\"%s\"}",
                   is_healthy ? "true" : "false", jz_version());
}

/* It names no authorization server, because there is none: keys are given out
 * by hand, and a client that is told of a server would try to log in there. */
static void answer_metadata(struct route_case *asked)
{
    struct route_answer *answer = &asked->result->answer;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf resource = JZ__BUF_INIT;

    if (asked->request->method == JZ__HTTP_OPTIONS) {
        begin_answer(answer, 204, NULL);
        jz__buf_puts(&answer->headers, METADATA_PREFLIGHT);
        return;
    }
    begin_answer(answer, 200, "application/json");
    jz__buf_puts(&answer->headers, METADATA_HEADERS);
    route_put_resource(&resource, asked);
    jz__buf_puts(&answer->body, "{\"resource\":");
    if (resource.error != 0) {
        answer->body.error = resource.error;
        return;
    }
    jz__json_put_text(&answer->body, resource.data, resource.length);
    jz__buf_puts(&answer->body, ",\"bearer_methods_supported\":[\"header\"],"
                                "\"resource_name\":\"Jezero\"}");
}

static void answer_inbox(struct route_case *asked)
{
    struct route_answer *answer = &asked->result->answer;

    begin_answer(answer, 200, "application/json");
    jz__buf_puts(&answer->headers, NOT_KEPT);
    jz__buf_puts(&answer->body, "{\"ok\":true,\"device\":");
    jz__json_put_str(&answer->body, asked->result->client->name);
    jz__buf_printf(&answer->body, ",\"version\":\"%s\"}", jz_version());
}

/* --- routes --- */

static enum route_kind find_inbox(struct jz__str path)
{
    static const char place[] = "/inbox/v1";

    if (!jz__str_starts(path, place)) {
        return ROUTE_NONE;
    }
    path.data += sizeof(place) - 1;
    path.length -= sizeof(place) - 1;
    if (path.length == 0 || jz__str_is(path, "/")) {
        return ROUTE_INBOX;
    }
    return path.data[0] == '/' ? ROUTE_UPLOAD : ROUTE_NONE;
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
    if (rules->has_metrics && jz__str_is(path, "/metrics")) {
        return ROUTE_METRICS;
    }
    if (route_is_metadata(rules, path)) {
        return ROUTE_METADATA;
    }
    return rules->has_inbox ? find_inbox(path) : ROUTE_NONE;
}

/* --- checks: false, and the answer is made --- */

static bool check_route(struct route_case *asked)
{
    if (asked->result->kind != ROUTE_NONE) {
        return true;
    }
    route_refuse(asked->result, 404, "not found");
    return false;
}

/* One Host is there: the codec refuses none and two. */
static bool check_host(struct route_case *asked)
{
    if (jz__origin_host_allowed(&asked->rules->origin, asked->request->host)) {
        return true;
    }
    refuse_bare(asked, 421, "Invalid Host header");
    return false;
}

/* Only browsers send one. Two are as wrong as an unknown one. */
static bool check_origin(struct route_case *asked)
{
    struct jz__str origin;

    if (jz__http_header_count(asked->request, "origin") == 0) {
        return true;
    }
    if (jz__http_header(&origin, asked->request, "origin") &&
        jz__origin_allowed(&asked->rules->origin, origin)) {
        return true;
    }
    refuse_bare(asked, 403, "Invalid Origin header");
    return false;
}

/* Of two Authorization headers neither counts: which of them a proxy in front
 * has looked at cannot be known. */
static bool check_key(struct route_case *asked)
{
    struct route_result *result = asked->result;
    struct jz__str authorization;

    if (!kinds[result->kind].asks_for_key &&
        !(result->kind == ROUTE_MCP && asked->rules->requires_key)) {
        return true;
    }
    if (jz__http_header(&authorization, asked->request, "authorization")) {
        result->client = auth_find(asked->state->clients, authorization);
    }
    if (result->client == NULL) {
        answer_challenge(asked);
        return false;
    }
    return true;
}

/* What a known key may not do. */
static bool check_right(struct route_case *asked)
{
    struct route_result *result = asked->result;

    if ((result->kind == ROUTE_INBOX || result->kind == ROUTE_UPLOAD) &&
        !result->client->may_upload) {
        route_refuse(result, 403, "this key may not upload");
        return false;
    }
    if (result->kind == ROUTE_METRICS && !result->client->may_see_metrics) {
        route_refuse(result, 403, "this key may not read metrics");
        return false;
    }
    return true;
}

static bool check_method(struct route_case *asked)
{
    enum route_kind kind = asked->result->kind;

    if ((kinds[kind].methods & BIT(asked->request->method)) != 0) {
        return true;
    }
    route_refuse(asked->result, 405, "method not allowed");
    jz__buf_puts(&asked->result->answer.headers, kinds[kind].allow);
    return false;
}

/* A browser can send a form or plain text to any address without asking first;
 * JSON it cannot, and so this check protects as well. */
static bool check_content_type(struct route_case *asked)
{
    static const char json[] = "application/json";
    struct jz__str type;

    if (asked->result->kind != ROUTE_MCP) {
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
    refuse_bare(asked, 400, "Invalid Content-Type header");
    return false;
}

/* By its announced length; what comes without one is counted while it arrives.
 * What a gzip stream holds is known only then, too. */
static bool check_size(struct route_case *asked)
{
    uint64_t length = asked->request->content_length;
    bool is_file = asked->result->kind == ROUTE_UPLOAD;

    if (asked->result->kind == ROUTE_MCP && length > ROUTE_BODY_MOST) {
        route_refuse(asked->result, 413, "the request body is too large");
        return false;
    }
    if (is_file && !asked->result->is_gzip &&
        length > asked->rules->upload_most) {
        route_refuse(asked->result, 413, "file too large");
        return false;
    }
    return true;
}

static bool (*const checks[])(struct route_case *) = {
    check_route,          check_host,   check_origin,       check_key,
    check_right,          check_method, check_content_type, route_check_place,
    route_check_encoding, check_size,
};

void route_decide(struct route_result *out, const struct route_rules *rules,
                  const struct route_state *state,
                  const struct jz__http_request *request)
{
    struct route_case asked = { rules, state, request, out };

    assert(out != NULL && rules->mcp_path != NULL);

    out->kind = find_route(rules, request->path);
    out->next = ROUTE_ANSWERED;
    for (size_t i = 0; i < JZ__LENGTH(checks); i++) {
        if (!checks[i](&asked)) {
            return;
        }
    }
    switch (out->kind) {
    case ROUTE_MCP:
        out->next = ROUTE_DISPATCH;
        break;
    case ROUTE_UPLOAD:
        out->next = ROUTE_RECEIVE;
        break;
    case ROUTE_METRICS:
        begin_answer(&out->answer, 200, "text/plain; version=0.0.4");
        jz__buf_puts(&out->answer.headers, NOT_KEPT);
        out->next = ROUTE_MEASURE;
        break;
    case ROUTE_HEALTH:
        answer_health(&asked);
        break;
    case ROUTE_INBOX:
        answer_inbox(&asked);
        break;
    default:
        answer_metadata(&asked);
        break;
    }
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
