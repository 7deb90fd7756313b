/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of a request comes to, as a table, and the headers for MCP. */
#include "route.h"

#include <string.h>

#include "base/mem.h"
#include "net/key.h"
#include "tap.h"

static const struct route_rules plain = {
    .origin = { .server_host = "127.0.0.1" },
    .mcp_path = "/mcp",
};
static const struct route_rules proxied = {
    .origin = { .public_url = "https://memory.example.test/lib/" },
    .mcp_path = "/mcp",
    .requires_key = true,
};
static const struct route_rules service = {
    .origin = { .server_host = "127.0.0.1" },
    .mcp_path = "/mcp",
    .is_https = true,
    .requires_key = true,
    .has_inbox = true,
    .has_metrics = true,
    .upload_most = 1000,
};

/* Three clients with the keys reader-key, sender-key and watcher-key. */
static struct auth_table *make_clients(void)
{
    static const char *const keys[] = { "reader-key", "sender-key",
                                        "watcher-key" };
    char digests[3][JZ__DIGEST_TEXT_SIZE];
    const char *everything[] = { "*" };
    const struct config_list sources = { everything, 1 };
    const struct config_client clients[] = {
        { .name = "reader", .token_sha256 = digests[0], .sources = sources },
        { .name = "laptop",
          .token_sha256 = digests[1],
          .sources = sources,
          .upload = true },
        { .name = "watcher",
          .token_sha256 = digests[2],
          .sources = sources,
          .metrics = true },
    };
    const struct jz__log log = { 0 };
    struct auth_table *table = NULL;
    struct jz__error error;

    for (size_t i = 0; i < JZ__LENGTH(keys); i++) {
        struct jz__digest digest;

        CHECK_INT(jz__key_digest(&digest, jz__str_of(keys[i]), &error), 0);
        jz__digest_format(digests[i], &digest);
    }
    CHECK_INT(auth_table_build(&table, clients, JZ__LENGTH(clients), NULL, &log,
                               &error),
              0);
    CHECK_INT(auth_table_count(table), 3);
    return table;
}

static void put_next(struct jz__buf *out, const struct route_result *result)
{
    switch (result->next) {
    case ROUTE_DISPATCH:
        jz__buf_puts(out, "MCP");
        break;
    case ROUTE_RECEIVE:
        jz__buf_printf(
            out, "FILE of %s%s, %zu parts, project '%s'", result->path.agent,
            result->is_gzip ? ", gzip" : "", result->path.count,
            result->project.data != NULL ? result->project.data : "");
        break;
    case ROUTE_MEASURE:
        jz__buf_puts(out, "METRICS");
        break;
    default:
        jz__buf_printf(
            out, "%d %s", result->answer.status,
            result->answer.body.data != NULL ? result->answer.body.data : "");
        break;
    }
}

/* What a head comes to: status and body, or what its body is wanted for. */
static char *decide(const struct route_rules *rules, const char *head,
                    bool is_healthy)
{
    struct auth_table *clients = make_clients();
    const struct route_state state = { clients, is_healthy };
    struct jz__http *http = jz__http_new();
    struct route_result result = { 0 };
    struct jz__buf told = JZ__BUF_INIT;
    size_t length = strlen(head);
    struct jz__http_step step;
    char *text = NULL;

    CHECK_INT(jz__http_read(&step, http, &head, &length), JZ__HTTP_REQUEST);
    route_decide(&result, rules, &state, jz__http_request(http));
    put_next(&told, &result);
    CHECK_INT(jz__buf_take(&text, &told), 0);
    route_result_finish(&result);
    jz__http_free(http);
    auth_table_free(clients);
    return text;
}

static void check(const struct route_rules *rules, const char *line,
                  const char *headers, const char *want)
{
    char head[1024];
    char *text;

    (void)snprintf(head, sizeof(head),
                   "%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", line, headers);
    text = decide(rules, head, true);
    CHECK_STR(text, want);
    free(text);
}

#define JSON "Content-Type: application/json\r\n"
#define NOT_FOUND "404 {\"error\":\"not found\"}"
#define NOT_ALLOWED "405 {\"error\":\"method not allowed\"}"
#define NO_TYPE "400 Invalid Content-Type header"

static void messages_for_mcp_want_their_body(void)
{
    check(&plain, "POST /mcp", JSON, "MCP");
    check(&plain, "POST /mcp/", JSON, "MCP");
    check(&plain, "POST /mcp?x=y", JSON, "MCP");
    check(&plain, "POST /mcp", JSON "Content-Length: 4194304\r\n", "MCP");
    check(&plain, "POST /mcp", JSON "Content-Length: 4194305\r\n",
          "413 {\"error\":\"the request body is too large\"}");
}

static void another_content_type_is_refused(void)
{
    check(&plain, "POST /mcp", "", NO_TYPE);
    check(&plain, "POST /mcp", JSON JSON, NO_TYPE);
    check(&plain, "POST /mcp", "Content-Type: text/plain\r\n", NO_TYPE);
    check(&plain, "POST /mcp", "Content-Type: application/jsonl\r\n", NO_TYPE);
    check(&plain, "POST /mcp", "Content-Type: APPLICATION/json ;a=b\r\n",
          "MCP");
}

static void other_methods_are_refused(void)
{
    check(&plain, "GET /mcp", "", NOT_ALLOWED);
    check(&plain, "DELETE /mcp", "", NOT_ALLOWED);
    check(&plain, "BREW /mcp", "", NOT_ALLOWED);
    check(&plain, "POST /healthz", JSON, NOT_ALLOWED);
    check(&plain, "POST /.well-known/oauth-protected-resource", JSON,
          NOT_ALLOWED);
}

static void other_paths_are_not_found(void)
{
    check(&plain, "GET /", "", NOT_FOUND);
    check(&plain, "POST /mcp//", JSON, NOT_FOUND);
    check(&plain, "POST /mcpx", JSON, NOT_FOUND);
    check(&plain, "GET /healthz/", "", NOT_FOUND);
    check(&plain, "OPTIONS *", "", NOT_FOUND);
    check(&plain, "GET /.well-known/oauth-protected-resource/", "", NOT_FOUND);
    check(&plain, "GET /.well-known/oauth-authorization-server", "", NOT_FOUND);
}

static void checks_are_made_in_their_order(void)
{
#define EVIL "HTTP/1.1\r\nHost: evil.example\r\n"
    static const struct {
        const char *head;
        const char *want;
    } cases[] = {
        { "GET /none " EVIL "Origin: http://evil.example\r\n\r\n", NOT_FOUND },
        { "GET /mcp " EVIL "Origin: http://evil.example\r\n\r\n",
          "421 Invalid Host header" },
        { "GET /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n",
          "403 Invalid Origin header" },
        { "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", NOT_ALLOWED },
        { "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
          "Content-Length: 9999999\r\n\r\n",
          NO_TYPE },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        char *text = decide(&plain, cases[i].head, true);

        CHECK_STR(text, cases[i].want);
        free(text);
    }
}

static void health_is_what_was_seen(void)
{
    static const char head[] = "GET /healthz HTTP/1.1\r\nHost: [::1]\r\n\r\n";
    char *good = decide(&plain, head, true);
    char *bad = decide(&plain, head, false);

    CHECK(strncmp(good, "200 {\"ok\":true,\"version\":\"", 26) == 0);
    CHECK(strncmp(bad, "503 {\"ok\":false,\"version\":\"", 27) == 0);
    free(good);
    free(bad);
}

#define METADATA(url)                                                          \
    "200 {\"resource\":\"" url "\",\"bearer_methods_supported\":"              \
    "[\"header\"],\"resource_name\":\"Jezero\"}"

static void links_come_from_the_host_without_a_public_url(void)
{
    check(&plain, "GET /.well-known/oauth-protected-resource", "",
          METADATA("http://localhost/mcp"));
    check(&plain, "GET /.well-known/oauth-protected-resource/mcp", "",
          METADATA("http://localhost/mcp"));
    check(&plain, "OPTIONS /.well-known/oauth-protected-resource/mcp", "",
          "204 ");
}

static void the_prefix_of_a_public_url_is_kept(void)
{
    static const char *const lines[] = {
        "GET /.well-known/oauth-protected-resource",
        "GET /.well-known/oauth-protected-resource/mcp",
        "GET /.well-known/oauth-protected-resource/lib/mcp",
        "GET /lib/.well-known/oauth-protected-resource",
        "GET /lib/.well-known/oauth-protected-resource/mcp",
    };

    for (size_t i = 0; i < JZ__LENGTH(lines); i++) {
        check(&proxied, lines[i], "",
              METADATA("https://memory.example.test/lib/mcp"));
    }
    check(&proxied, "GET /lib/healthz", "", NOT_FOUND);
}

static void headers_for_mcp_are_arrays_of_values(void)
{
    static const char bytes[] =
        "POST /mcp HTTP/1.1\r\nHost: a\r\nACCEPT: a\r\nMcp-Name: \xff\"\r\n"
        "Cookie: c\r\naccept: b\r\nMCP-Method:\r\n\r\n";
    const char *data = bytes;
    size_t length = sizeof(bytes) - 1;
    struct jz__http *http = jz__http_new();
    struct jz__buf out = JZ__BUF_INIT;
    struct jz__http_step step;

    CHECK_INT(jz__http_read(&step, http, &data, &length), JZ__HTTP_REQUEST);
    route_mcp_headers(&out, jz__http_request(http));
    CHECK_STR(out.data, "{\"accept\":[\"a\",\"b\"],\"mcp-method\":[\"\"],"
                        "\"mcp-name\":[\"\xef\xbf\xbd\\\"\"]}");
    jz__buf_finish(&out);
    jz__http_free(http);
}

#define READER "Authorization: Bearer reader-key\r\n"
#define SENDER "Authorization: bearer  sender-key\r\n"
#define WATCHER "Authorization: BEARER watcher-key\r\n"
#define CHALLENGE                                                              \
    "401 {\"error\": \"invalid_token\", \"error_description\": "               \
    "\"Authentication required\"}"
#define NO_UPLOAD "403 {\"ok\":false,\"error\":\"this key may not upload\"}"

static void a_key_is_asked_for_before_anything_is_told(void)
{
    check(&service, "POST /mcp", JSON, CHALLENGE);
    check(&service, "POST /mcp", JSON "Authorization: Bearer x\r\n", CHALLENGE);
    check(&service, "POST /mcp", JSON "Authorization: Basic reader-key\r\n",
          CHALLENGE);
    check(&service, "POST /mcp", JSON READER READER, CHALLENGE);
    check(&service, "POST /mcp?key=reader-key", JSON, CHALLENGE);
    check(&service, "DELETE /mcp", "", CHALLENGE);
    check(&service, "POST /mcp", "Content-Length: 9999999\r\n", CHALLENGE);
    check(&service, "POST /mcp", JSON READER, "MCP");
    check(&service, "DELETE /mcp", READER, NOT_ALLOWED);
    check(&service, "GET /none", READER, NOT_FOUND);
    /* What is public stays so. */
    check(&service, "BREW /healthz", "", NOT_ALLOWED);
    check(&service, "GET /.well-known/oauth-protected-resource", "",
          METADATA("https://localhost/mcp"));
}

static void a_challenge_names_the_metadata(void)
{
    static const struct {
        const struct route_rules *rules;
        const char *url;
    } cases[] = {
        { &service,
          "https://localhost/.well-known/oauth-protected-resource/mcp" },
        { &proxied, "https://memory.example.test/lib/.well-known/"
                    "oauth-protected-resource/mcp" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        const char *head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                           "X-Forwarded-Host: evil.example\r\n"
                           "Forwarded: host=evil.example\r\n\r\n";
        const struct route_state state = { NULL, true };
        struct jz__http *http = jz__http_new();
        struct route_result result = { 0 };
        size_t length = strlen(head);
        struct jz__http_step step;
        char want[512];

        (void)snprintf(want, sizeof(want),
                       "WWW-Authenticate: Bearer error=\"invalid_token\", "
                       "error_description=\"Authentication required\", "
                       "resource_metadata=\"%s\"\r\n",
                       cases[i].url);
        CHECK_INT(jz__http_read(&step, http, &head, &length), JZ__HTTP_REQUEST);
        route_decide(&result, cases[i].rules, &state, jz__http_request(http));
        CHECK_STR(result.answer.headers.data, want);
        route_result_finish(&result);
        jz__http_free(http);
    }
}

static void a_key_has_rights_of_its_own(void)
{
    check(&service, "GET /inbox/v1", "", CHALLENGE);
    check(&service, "GET /inbox/v1", READER, NO_UPLOAD);
    check(&service, "GET /inbox/v1", SENDER,
          "200 {\"ok\":true,\"device\":\"laptop\",\"version\":\"" //
          JZ_VERSION_STRING "\"}");
    check(&service, "PUT /inbox/v1", SENDER,
          "405 {\"ok\":false,\"error\":\"method not allowed\"}");
    check(&service, "GET /metrics", "", CHALLENGE);
    check(&service, "GET /metrics", SENDER,
          "403 {\"error\":\"this key may not read metrics\"}");
    check(&service, "GET /metrics", WATCHER, "METRICS");
    check(&service, "POST /metrics", WATCHER, NOT_ALLOWED);
    /* What is switched off is not there. */
    check(&plain, "GET /metrics", WATCHER, NOT_FOUND);
    check(&plain, "GET /inbox/v1", SENDER, NOT_FOUND);
}

#define FILE_PATH "PUT /inbox/v1/codex/2026/10/09/rollout-a.jsonl"
#define GZIP "Content-Encoding: GZip\r\n"
#define BAD_PROJECT                                                            \
    "400 {\"ok\":false,\"error\":\"X-Jezero-Project must be "                  \
    "percent-encoded UTF-8 of at most 200 bytes\"}"

static void the_head_of_a_file_is_checked(void)
{
    check(&service, FILE_PATH, "", CHALLENGE);
    check(&service, FILE_PATH, READER, NO_UPLOAD);
    check(&service, FILE_PATH, SENDER, "FILE of codex, 4 parts, project ''");
    check(&service, FILE_PATH, SENDER GZIP "X-Jezero-Project: caf%C3%A9\r\n",
          "FILE of codex, gzip, 4 parts, project 'caf\xc3\xa9'");
    check(&service, FILE_PATH, SENDER "X-Jezero-Project: %ff\r\n", BAD_PROJECT);
    check(&service, FILE_PATH,
          SENDER "X-Jezero-Project: a\r\nX-Jezero-Project: a\r\n", BAD_PROJECT);
    check(&service, FILE_PATH "?a=b", SENDER,
          "400 {\"ok\":false,\"error\":\"an upload has no query string\"}");
    check(&service, FILE_PATH, SENDER "Content-Encoding: br\r\n",
          "415 {\"ok\":false,\"error\":\"Content-Encoding must be gzip or "
          "identity\"}");
    check(&service, FILE_PATH, SENDER GZIP GZIP,
          "415 {\"ok\":false,\"error\":\"Content-Encoding must be gzip or "
          "identity\"}");
    check(&service, FILE_PATH, SENDER "Content-Length: 1001\r\n",
          "413 {\"ok\":false,\"error\":\"file too large\"}");
    check(&service, FILE_PATH, SENDER GZIP "Content-Length: 1001\r\n",
          "FILE of codex, gzip, 4 parts, project ''");
    check(&service, "GET /inbox/v1/codex/2026/10/09/rollout-a.jsonl", SENDER,
          "405 {\"ok\":false,\"error\":\"method not allowed\"}");
}

int main(void)
{
    TAP_RUN(messages_for_mcp_want_their_body);
    TAP_RUN(another_content_type_is_refused);
    TAP_RUN(other_methods_are_refused);
    TAP_RUN(other_paths_are_not_found);
    TAP_RUN(checks_are_made_in_their_order);
    TAP_RUN(health_is_what_was_seen);
    TAP_RUN(links_come_from_the_host_without_a_public_url);
    TAP_RUN(the_prefix_of_a_public_url_is_kept);
    TAP_RUN(headers_for_mcp_are_arrays_of_values);
    TAP_RUN(a_key_is_asked_for_before_anything_is_told);
    TAP_RUN(a_challenge_names_the_metadata);
    TAP_RUN(a_key_has_rights_of_its_own);
    TAP_RUN(the_head_of_a_file_is_checked);
    return tap_done();
}
