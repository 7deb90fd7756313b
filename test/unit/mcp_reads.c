/* SPDX-License-Identifier: Apache-2.0 */
/* The five reads as tools: their definitions, and what a call comes to. */
#include "base/mem.h"
#include "mcp_talk.h"

#define P "io.modelcontextprotocol/"
#define META                                                                   \
    "\"_meta\":{\"" P "protocolVersion\":\"2026-07-28\",\"" P                  \
    "clientCapabilities\":{}}"

static const char *const tool_names[] = { "search", "get_item", "later",
                                          "timeline", "list_sources" };

/* tools/call in the legacy era; arguments is JSON, or NULL for none. */
static void call(const char *name, const char *arguments)
{
    static char body[4096];

    (void)snprintf(body, sizeof(body),
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"%s\"%s%s}}",
                   name, arguments != NULL ? ",\"arguments\":" : "",
                   arguments != NULL ? arguments : "");
    talk_http("{}", body);
}

/* The last call was an error result with this text. */
static void check_tool_error(const char *text)
{
    CHECK_INT(talk.status, 200);
    CHECK_STR(talk_at("result.isError"), "true");
    CHECK_STR(talk_text("result.content.0.text"), text);
    CHECK(talk_node("result.structuredContent") == NULL);
    CHECK(talk_node("error") == NULL);
}

static void a_result_comes_twice_and_in_the_order_of_keys(void)
{
    fake.result =
        "{\"count\":1,\"results\":[{\"id\":5,\"title\":\"é \\\"q\\\"\","
        "\"atoms\":[]}]}";
    call("search", "{\"query\":\"x\"}");
    CHECK_STR(talk.text.data,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{"
              "\"type\":\"text\",\"text\":\"{\\n  \\\"count\\\": 1,\\n  "
              "\\\"results\\\": [\\n    {\\n      \\\"id\\\": 5,\\n      "
              "\\\"title\\\": \\\"é \\\\\\\"q\\\\\\\"\\\",\\n      "
              "\\\"atoms\\\": []\\n    }\\n  ]\\n}\"}],"
              "\"structuredContent\":{\"count\":1,\"results\":[{\"id\":5,"
              "\"title\":\"é \\\"q\\\"\",\"atoms\":[]}]},\"isError\":false}}");
    CHECK_INT(talk.status, 200);
    fake.result = NULL;
}

static void the_text_is_the_object_again(void)
{
    JZ_CLEANUP(jz__json_freep) cJSON *again = NULL;
    const char *text;

    fake.result = "{\"found\":true,\"item\":{\"id\":1,\"project\":null,"
                  "\"summary\":\"a\\nb\\u0001 \xe2\x80\xa8\",\"n\":[1,[2]]}}";
    call("get_item", "{\"item_id\":1}");
    text = talk_text("result.content.0.text");
    CHECK_INT(jz__json_parse(&again, text, strlen(text), NULL), JZ_OK);
    CHECK(cJSON_Compare(again, talk_node("result.structuredContent"), true));
    CHECK_INT(cJSON_GetArraySize(talk_node("result.content")), 1);
    fake.result = NULL;
}

static void each_tool_reaches_its_read(void)
{
    static const char *const arguments[] = {
        "{\"query\":\"a\"}", "{\"item_id\":\"7\"}",
        "{\"item_id\":7.0,\"query\":\"a\"}", "{}", "{}"
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(tool_names); i++) {
        call(tool_names[i], arguments[i]);
        CHECK_INT(fake.calls, 1);
        CHECK_INT(fake.read, i);
        CHECK_STR(talk_at("result.isError"), "false");
    }
    call("later", "{\"item_id\":9,\"query\":\"who\",\"limit\":\"3\"}");
    CHECK_INT(fake.arguments.item_id, 9);
    CHECK_INT(fake.arguments.limit, 3);
    CHECK_STR(fake.query, "who");
}

static void arguments_may_be_left_out_or_null(void)
{
    call("list_sources", NULL);
    CHECK_STR(talk_at("result.isError"), "false");
    call("timeline", "null");
    CHECK_STR(talk_at("result.isError"), "false");
    CHECK_INT(fake.calls, 1);
}

static void arguments_that_are_no_object_are_32602(void)
{
    call("search", "[1]");
    CHECK_ERROR(200, "-32602", "1");
    call("search", "\"x\"");
    CHECK_ERROR(200, "-32602", "1");
    call("no_such_tool", "7");
    CHECK_ERROR(200, "-32602", "1");
    CHECK_INT(fake.calls, 0);
}

static void a_call_without_a_name_is_32602(void)
{
    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}");
    CHECK_ERROR(200, "-32602", "1");
    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
               "\"params\":{\"name\":null}}");
    CHECK_ERROR(200, "-32602", "1");
    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
               "\"params\":{\"name\":5}}");
    CHECK_ERROR(200, "-32602", "1");
    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
               "\"params\":{" META "}}");
    CHECK_ERROR(400, "-32602", "1");
}

static void an_unknown_tool_is_an_error_result(void)
{
    call("no_such_tool", "{}");
    CHECK_STR(talk.text.data,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{"
              "\"type\":\"text\",\"text\":\"Unknown tool: no_such_tool\"}],"
              "\"isError\":true}}");
    call("Search", "{\"query\":\"x\"}");
    check_tool_error("Unknown tool: Search");
    call("", "{}");
    check_tool_error("Unknown tool: ");
    CHECK_INT(fake.calls, 0);
}

static void a_very_long_tool_name_is_cut(void)
{
    char name[1001];

    (void)memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    call(name, "{}");
    CHECK(strlen(talk_text("result.content.0.text")) < 160);
}

static void a_wrong_argument_is_an_error_result(void)
{
    call("timeline", "{\"since\":\"yesterday\"}");
    check_tool_error("Error executing tool timeline: since must be an ISO 8601 "
                     "date or datetime (2026-01-31 or "
                     "2026-01-31T09:00:00+02:00), got 'yesterday'");
    call("search", "{}");
    check_tool_error("Error executing tool search: query is required");
    call("search", "{\"query\":\"x\",\"foo\":1}");
    check_tool_error("Error executing tool search: unknown argument 'foo' "
                     "(search takes query, project, source, since, limit)");
    call("get_item", "{\"item_id\":true}");
    check_tool_error("Error executing tool get_item: item_id must be a whole "
                     "number from 1, got 'true'");
    CHECK_INT(fake.calls, 0);
}

static void a_read_that_fails_is_an_error_result(void)
{
    fake.failure = "the search took longer than 10 s";
    call("search", "{\"query\":\"x\"}");
    check_tool_error(
        "Error executing tool search: the search took longer than 10 s");
    fake.failure = NULL;
}

static void a_modern_result_is_complete(void)
{
    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":\"m\",\"method\":\"tools/call\","
               "\"params\":{\"name\":\"search\",\"arguments\":{"
               "\"query\":\"x\"}," META "}}");
    CHECK_STR(talk_text("result.resultType"), "complete");
    CHECK_STR(talk_at("result.structuredContent"),
              "{\"count\":0,\"results\":[]}");
    CHECK_STR(talk_at("result.isError"), "false");
    CHECK_STR(talk_text("result._meta.[" P "serverInfo].name"), "jezero");
    CHECK(talk_node("result.ttlMs") == NULL);
    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":\"m\",\"method\":\"tools/call\","
               "\"params\":{\"name\":\"nope\"," META "}}");
    CHECK_STR(talk_text("result.resultType"), "complete");
    CHECK_STR(talk_at("result.isError"), "true");
}

static void a_query_of_any_text_arrives(void)
{
    call("search", "{\"query\":\"\\u00e9Đ漢😀\\u2028\"}");
    CHECK_STR(fake.query, "éĐ漢😀\xe2\x80\xa8");
    /* Halves of surrogate pairs and NULs are replaced, not refused. */
    call("search", "{\"query\":\"a\\ud83db\\u0000c\"}");
    CHECK_STR(fake.query, "a\xef\xbf\xbd"
                          "b\xef\xbf\xbd"
                          "c");
    call("search", "{\"query\":\"\\ud83d\\ude00\"}");
    CHECK_STR(fake.query, "😀");
}

static void a_long_message_is_taken(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf body = JZ__BUF_INIT;
    int i;

    jz__buf_puts(&body, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":"
                        "\"tools/call\",\"params\":{\"name\":\"search\","
                        "\"arguments\":{\"query\":\"");
    for (i = 0; i < 1000000; i++) {
        jz__buf_puts(&body, "é");
    }
    jz__buf_puts(&body, "\"}}}");
    talk_bytes(NULL, body.data, body.length);
    CHECK_STR(talk_at("id"), "8");
    CHECK_STR(talk_at("result.isError"), "false");
}

/* Walk a schema: no key and no value that some client stumbles over. */
static void check_plain(const cJSON *schema, bool is_schema)
{
    static const char *const types[] = { "object", "array",   "string",
                                         "number", "integer", "boolean" };
    const cJSON *type = jz__json_get(schema, "type");
    const cJSON *member;

    if (is_schema) {
        size_t i;
        bool is_known = false;

        for (i = 0; i < JZ__LENGTH(types); i++) {
            is_known |= cJSON_IsString(type) &&
                        strcmp(type->valuestring, types[i]) == 0;
        }
        CHECK(is_known);
    }
    cJSON_ArrayForEach(member, schema)
    {
        if (!is_schema || strcmp(member->string, "items") == 0) {
            check_plain(member, true);
        } else if (strcmp(member->string, "properties") == 0) {
            check_plain(member, false);
        } else {
            CHECK(strcmp(member->string, "type") == 0 ||
                  strcmp(member->string, "description") == 0 ||
                  strcmp(member->string, "required") == 0 ||
                  strcmp(member->string, "minimum") == 0);
        }
    }
}

static void tool_schemas_are_plain(void)
{
    const cJSON *tool;
    const cJSON *property;

    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    cJSON_ArrayForEach(tool, talk_node("result.tools"))
    {
        const cJSON *input = jz__json_get(tool, "inputSchema");
        const cJSON *output = jz__json_get(tool, "outputSchema");

        CHECK_STR(jz__json_text(input, "type", ""), "object");
        CHECK_STR(jz__json_text(output, "type", ""), "object");
        CHECK(cJSON_IsObject(jz__json_get(input, "properties")));
        CHECK(cJSON_IsObject(jz__json_get(output, "properties")));
        check_plain(input, true);
        check_plain(output, true);
        CHECK(strlen(jz__json_text(tool, "description", "")) > 40);
        cJSON_ArrayForEach(property, jz__json_get(input, "properties"))
        {
            CHECK(strlen(jz__json_text(property, "description", "")) > 20);
        }
    }
}

static void tools_are_read_only(void)
{
    size_t i;

    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    for (i = 0; i < JZ__LENGTH(tool_names); i++) {
        char path[64];

        (void)snprintf(path, sizeof(path), "result.tools.%zu.annotations", i);
        CHECK_STR(talk_at(path),
                  "{\"readOnlyHint\":true,\"destructiveHint\":false,"
                  "\"idempotentHint\":true,\"openWorldHint\":false}");
    }
}

/* Every property that a schema offers is taken, and there is no other. */
static void schemas_offer_what_is_taken(void)
{
    static const char *const inputs[][2] = {
        { "query project source since limit", "[\"query\"]" },
        { "item_id include_original", "[\"item_id\"]" },
        { "item_id query limit", "[\"item_id\"]" },
        { "project source since until limit", NULL },
        { "", NULL },
    };
    size_t i;

    talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    for (i = 0; i < JZ__LENGTH(inputs); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf names = JZ__BUF_INIT;
        const cJSON *property;
        char path[64];

        (void)snprintf(path, sizeof(path),
                       "result.tools.%zu.inputSchema.required", i);
        CHECK_STR(talk_at(path), inputs[i][1]);
        (void)snprintf(path, sizeof(path),
                       "result.tools.%zu.inputSchema.properties", i);
        cJSON_ArrayForEach(property, talk_node(path))
        {
            jz__buf_printf(&names, "%s%s", names.length > 0 ? " " : "",
                           property->string);
        }
        CHECK_STR(names.data != NULL ? names.data : "", inputs[i][0]);
    }
}

/* An unknown argument's message lists what the read takes: the same names, in
 * the same order, as the schema's properties. */
static void schemas_and_argument_checks_agree(void)
{
    size_t i;

    for (i = 0; i < 4; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf want = JZ__BUF_INIT;
        const cJSON *property;
        char path[64];

        talk_stdio("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        (void)snprintf(path, sizeof(path),
                       "result.tools.%zu.inputSchema.properties", i);
        jz__buf_printf(&want,
                       "Error executing tool %s: unknown argument 'x' (%s "
                       "takes ",
                       tool_names[i], tool_names[i]);
        cJSON_ArrayForEach(property, talk_node(path))
        {
            jz__buf_printf(&want, "%s%s", property->string,
                           property->next != NULL ? ", " : ")");
        }
        call(tool_names[i], "{\"x\":1}");
        check_tool_error(want.data);
    }
}

int main(void)
{
    TAP_RUN(a_result_comes_twice_and_in_the_order_of_keys);
    TAP_RUN(the_text_is_the_object_again);
    TAP_RUN(each_tool_reaches_its_read);
    TAP_RUN(arguments_may_be_left_out_or_null);
    TAP_RUN(arguments_that_are_no_object_are_32602);
    TAP_RUN(a_call_without_a_name_is_32602);
    TAP_RUN(an_unknown_tool_is_an_error_result);
    TAP_RUN(a_very_long_tool_name_is_cut);
    TAP_RUN(a_wrong_argument_is_an_error_result);
    TAP_RUN(a_read_that_fails_is_an_error_result);
    TAP_RUN(a_modern_result_is_complete);
    TAP_RUN(a_query_of_any_text_arrives);
    TAP_RUN(a_long_message_is_taken);
    TAP_RUN(tool_schemas_are_plain);
    TAP_RUN(tools_are_read_only);
    TAP_RUN(schemas_offer_what_is_taken);
    TAP_RUN(schemas_and_argument_checks_agree);
    talk_finish();
    return tap_done();
}
