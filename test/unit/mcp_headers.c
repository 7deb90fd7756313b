/* SPDX-License-Identifier: Apache-2.0 */
/* Accept, the version header and the routing headers. */
#include "mcp/headers.h"

#include "base/mem.h"
#include "mcp_talk.h"

#define P "io.modelcontextprotocol/"
#define META                                                                   \
    "\"_meta\":{\"" P "protocolVersion\":\"2026-07-28\",\"" P                  \
    "clientCapabilities\":{}}"
#define LIST                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
#define CALL                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
#define VERSION "\"mcp-protocol-version\":[\"2026-07-28\"]"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

static void accept_must_not_exclude_json(void)
{
    static const struct {
        const char *values;
        int status;
    } accepts[] = {
        { "\"application/json, text/event-stream\"", 200 },
        { "\"application/json\"", 200 },
        { "\"Application/JSON; charset=utf-8\"", 200 },
        { "\"text/html;q=0.9 , application/json ;q=0.1\"", 200 },
        { "\"*/*\"", 200 },
        { "\"application/*\"", 200 },
        { "\"text/event-stream\",\"application/json\"", 200 },
        { "\"\"", 200 },
        { "\"text/event-stream\"", 406 },
        { "\"text/html,text/*\"", 406 },
        { "\"application/jsonx\"", 406 },
        { "\"application/json;q=0\"", 406 },
        { "\"application/json;q=0.0, */*\"", 406 },
        { "\"*/*;q=0\"", 406 },
        { "\"application/*;q=0, application/json;q=0.5\"", 200 },
        { "\",,;;,\"", 406 },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(accepts); i++) {
        char headers[128];

        (void)snprintf(headers, sizeof(headers), "{\"accept\":[%s]}",
                       accepts[i].values);
        talk_http(headers, PING);
        if (!CHECK_INT(talk.status, accepts[i].status)) {
            printf("# for %s\n", headers);
        }
    }
}

static void a_missing_accept_is_served(void)
{
    talk_http("{}", PING);
    CHECK_INT(talk.status, 200);
    talk_http("{\"accept\":[]}", PING);
    CHECK_INT(talk.status, 200);
}

static void accept_is_refused_before_the_body_is_read(void)
{
    talk_http("{\"accept\":[\"text/html\"]}", "{not json");
    CHECK_STR(talk.text.data,
              "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
              "\"message\":\"Not Acceptable: Client must accept "
              "application/json\"}}");
    CHECK_INT(talk.status, 406);
}

static void legacy_version_headers_are_served(void)
{
    static const char *const versions[] = { "2024-11-05", "2025-03-26",
                                            "2025-06-18", "2025-11-25",
                                            " 2025-11-25\\t" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(versions); i++) {
        char headers[128];

        (void)snprintf(headers, sizeof(headers),
                       "{\"mcp-protocol-version\":[\"%s\"]}", versions[i]);
        talk_http(headers, LIST "}}");
        CHECK_INT(talk.status, 200);
        CHECK(talk_node("result.resultType") == NULL);
    }
}

static void an_unsupported_version_header_is_400(void)
{
    talk_http("{\"mcp-protocol-version\":[\"1999-01-01\"]}", LIST "}}");
    CHECK_ERROR(400, "-32600", "1");
    CHECK_STR(talk_text("error.message"),
              "Bad Request: Unsupported protocol version: 1999-01-01. "
              "Supported versions: 2024-11-05, 2025-03-26, 2025-06-18, "
              "2025-11-25");
    talk_http("{\"mcp-protocol-version\":[\"1999-01-01\"]}",
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
    CHECK_ERROR(400, "-32600", "null");
    talk_http("{\"mcp-protocol-version\":[\"2025-06-18\",\"2025-11-25\"]}",
              LIST "}}");
    CHECK_ERROR(400, "-32600", "1");
}

static void initialize_is_served_under_any_version_header(void)
{
    talk_http("{\"mcp-protocol-version\":[\"1999-01-01\"]}",
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
              "\"params\":{\"protocolVersion\":\"2025-03-26\"}}");
    CHECK_INT(talk.status, 200);
    CHECK_STR(talk_text("result.protocolVersion"), "2025-03-26");
}

static void the_modern_version_header_alone_makes_the_era(void)
{
    talk_http("{" VERSION ",\"mcp-method\":[\"tools/list\"]}", LIST "}}");
    CHECK_ERROR(400, "-32602", "1");
}

static void a_modern_body_wins_over_a_legacy_header(void)
{
    talk_http("{\"mcp-protocol-version\":[\"2025-11-25\"],"
              "\"mcp-method\":[\"tools/list\"]}",
              LIST META "}}");
    CHECK_ERROR(400, "-32020", "1");
}

static void the_headers_must_say_what_the_body_says(void)
{
    static const struct {
        const char *headers;
        const char *header; /* that is at fault */
    } wrong[] = {
        { "{\"mcp-method\":[\"tools/call\"],\"mcp-name\":[\"search\"]}",
          "MCP-Protocol-Version" },
        { "{\"mcp-protocol-version\":[\"v999\"],"
          "\"mcp-method\":[\"tools/call\"],\"mcp-name\":[\"search\"]}",
          "MCP-Protocol-Version" },
        { "{\"mcp-protocol-version\":[\"2026-07-28\",\"2026-07-28\"],"
          "\"mcp-method\":[\"tools/call\"],\"mcp-name\":[\"search\"]}",
          "MCP-Protocol-Version" },
        { "{" VERSION ",\"mcp-name\":[\"search\"]}", "Mcp-Method" },
        { "{" VERSION ",\"mcp-method\":[\"TOOLS/CALL\"],"
          "\"mcp-name\":[\"search\"]}",
          "Mcp-Method" },
        { "{" VERSION ",\"mcp-method\":[\"\"],\"mcp-name\":[\"search\"]}",
          "Mcp-Method" },
        { "{" VERSION ",\"mcp-method\":[\"tools/call\",\"prompts/list\"],"
          "\"mcp-name\":[\"search\"]}",
          "Mcp-Method" },
        { "{" VERSION ",\"mcp-method\":[\"tools/call\"]}", "Mcp-Name" },
        { "{" VERSION ",\"mcp-method\":[\"tools/call\"],"
          "\"mcp-name\":[\"other\"]}",
          "Mcp-Name" },
        { "{" VERSION ",\"mcp-method\":[\"tools/call\"],"
          "\"mcp-name\":[\"search\",\"search\"]}",
          "Mcp-Name" },
        { "{" VERSION ",\"mcp-method\":[\"tools/call\"],"
          "\"mcp-name\":[\"=?base64?@@@?=\"]}",
          "Mcp-Name" },
        { "{" VERSION ",\"mcp-method\":[\"tools/call\"],"
          "\"mcp-name\":[\"=?base64?b3RoZXI=?=\"]}",
          "Mcp-Name" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(wrong); i++) {
        talk_http(wrong[i].headers, CALL
                  "\"name\":\"search\",\"arguments\":{\"query\":\"x\"}," META
                  "}}");
        CHECK_ERROR(400, "-32020", "1");
        CHECK_STR(talk_text("error.data.header"), wrong[i].header);
        CHECK_INT(fake.calls, 0);
    }
}

static void equal_headers_are_served(void)
{
    static const char *const names[] = { "search", "  search\\t",
                                         "=?base64?c2VhcmNo?=" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(names); i++) {
        char headers[256];

        (void)snprintf(headers, sizeof(headers),
                       "{\"mcp-protocol-version\":[\" 2026-07-28 \"],"
                       "\"mcp-method\":[\"tools/call \"],"
                       "\"mcp-name\":[\"%s\"]}",
                       names[i]);
        talk_http(headers, CALL "\"name\":\"search\",\"arguments\":{"
                                "\"query\":\"x\"}," META "}}");
        CHECK_INT(talk.status, 200);
        CHECK_INT(fake.calls, 1);
    }
}

static void a_name_in_base64_is_compared_decoded(void)
{
    /* é漢 */
    talk_http("{" VERSION ",\"mcp-method\":[\"tools/call\"],"
              "\"mcp-name\":[\"=?base64?w6nmvKI=?=\"]}",
              CALL "\"name\":\"\\u00e9漢\"," META "}}");
    CHECK_INT(talk.status, 200);
    CHECK_STR(talk_text("result.content.0.text"), "Unknown tool: é漢");
}

static void prompts_and_resources_are_named_too(void)
{
    talk_http("{" VERSION ",\"mcp-method\":[\"resources/read\"]}",
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
              "\"params\":{\"uri\":\"x://y\"," META "}}");
    CHECK_ERROR(400, "-32020", "1");
    talk_http("{" VERSION ",\"mcp-method\":[\"prompts/get\"],"
              "\"mcp-name\":[\"a\"]}",
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\","
              "\"params\":{\"name\":\"b\"," META "}}");
    CHECK_ERROR(400, "-32020", "1");
}

static void a_call_without_a_name_is_bad_params_unless_a_header_has_one(void)
{
    talk_http("{" VERSION ",\"mcp-method\":[\"tools/call\"]}", CALL META "}}");
    CHECK_ERROR(400, "-32602", "1");
    talk_http("{" VERSION ",\"mcp-method\":[\"tools/call\"],"
              "\"mcp-name\":[\"search\"]}",
              CALL META "}}");
    CHECK_ERROR(400, "-32020", "1");
}

static void other_methods_need_no_name(void)
{
    talk_http("{" VERSION ",\"mcp-method\":[\"tools/list\"],"
              "\"mcp-name\":[\"whatever\"],\"mcp-session-id\":[\"zzz\"]}",
              LIST META "}}");
    CHECK_INT(talk.status, 200);
}

static void legacy_requests_need_no_routing_headers(void)
{
    talk_http("{\"mcp-method\":[\"x\",\"y\"],\"mcp-name\":[\"other\"]}",
              CALL "\"name\":\"search\",\"arguments\":{\"query\":\"x\"}}}");
    CHECK_INT(talk.status, 200);
    CHECK_INT(fake.calls, 1);
}

static void check_name(const char *value, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    bool ok = jz__headers_decode_name(&out, jz__str_of(value));

    if (!CHECK(ok == (want != NULL))) {
        printf("# for %s\n", value);
    } else if (ok) {
        CHECK_STR(out.data != NULL ? out.data : "", want);
    }
}

static void base64_is_padded_and_utf_8(void)
{
    check_name("=?base64?"
               "?=",
               ""); /* whole it would be a trigraph */
    check_name("=?base64?SGVsbG8=?=", "Hello");
    check_name("=?base64?SGVsbA==?=", "Hell");
    check_name("=?base64?SGVs?=", "Hel");
    check_name("=?base64?SGVsbG8?=", NULL);
    check_name("=?base64?SGVs!!!bG8=?=", NULL);
    check_name("=?base64?SGVs\nbG8=?=", NULL);
    check_name("=?base64?====?=", NULL);
    check_name("=?base64?S===?=", NULL);
    check_name("=?base64?SG=s?=", NULL);
    check_name("=?base64?SGVsbA==SGVs?=", NULL);
    check_name("=?base64?/w==?=", NULL);
}

static void what_is_not_wholly_framed_is_itself(void)
{
    check_name("", "");
    check_name("search", "search");
    check_name("SGVsbG8=", "SGVsbG8=");
    check_name("=?base64?SGVsbG8=", "=?base64?SGVsbG8=");
    check_name("=?base64?=", "=?base64?=");
    check_name("=?BASE64?SGVs?=", "=?BASE64?SGVs?=");
}

int main(void)
{
    TAP_RUN(accept_must_not_exclude_json);
    TAP_RUN(a_missing_accept_is_served);
    TAP_RUN(accept_is_refused_before_the_body_is_read);
    TAP_RUN(legacy_version_headers_are_served);
    TAP_RUN(an_unsupported_version_header_is_400);
    TAP_RUN(initialize_is_served_under_any_version_header);
    TAP_RUN(the_modern_version_header_alone_makes_the_era);
    TAP_RUN(a_modern_body_wins_over_a_legacy_header);
    TAP_RUN(the_headers_must_say_what_the_body_says);
    TAP_RUN(equal_headers_are_served);
    TAP_RUN(a_name_in_base64_is_compared_decoded);
    TAP_RUN(prompts_and_resources_are_named_too);
    TAP_RUN(a_call_without_a_name_is_bad_params_unless_a_header_has_one);
    TAP_RUN(other_methods_need_no_name);
    TAP_RUN(legacy_requests_need_no_routing_headers);
    TAP_RUN(base64_is_padded_and_utf_8);
    TAP_RUN(what_is_not_wholly_framed_is_itself);
    talk_finish();
    return tap_done();
}
