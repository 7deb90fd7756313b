/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of a request comes to, as a table, and the headers for MCP. */
#include "route.h"

#include <string.h>

#include "base/mem.h"
#include "tap.h"

static const struct route_rules plain = {
    .origin = { .server_host = "127.0.0.1" },
    .mcp_path = "/mcp",
};
static const struct route_rules proxied = {
    .origin = { .public_url = "https://memory.example.test/lib/" },
    .mcp_path = "/mcp",
};

/* The status and body that a head comes to; "MCP" if its body is wanted. */
static char *decide(const struct route_rules *rules, const char *head,
                    bool is_healthy)
{
    struct jz__http *http = jz__http_new();
    struct route_answer answer = { 0 };
    struct jz__buf told = JZ__BUF_INIT;
    size_t length = strlen(head);
    struct jz__http_step step;
    char *text = NULL;

    CHECK_INT(jz__http_read(&step, http, &head, &length), JZ__HTTP_REQUEST);
    if (route_decide(&answer, rules, jz__http_request(http), is_healthy)) {
        jz__buf_printf(&told, "%d %s", answer.status,
                       answer.body.data != NULL ? answer.body.data : "");
    } else {
        jz__buf_puts(&told, "MCP");
    }
    CHECK_INT(jz__buf_take(&text, &told), 0);
    jz__buf_finish(&answer.body);
    jz__http_free(http);
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
    return tap_done();
}
