/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge_message.h"

#include "base/mem.h"
#include "jezero.h"
#include "tap.h"

#define META                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"

static void read_message(struct bridge_message *out, const char *text)
{
    struct jz__buf line = JZ__BUF_INIT;

    memset(out, 0, sizeof(*out));
    jz__buf_puts(&line, text);
    CHECK_INT(bridge_message_read_take(out, &line), 0);
    CHECK(line.data == NULL);
    CHECK_STR(out->text.data != NULL ? out->text.data : "", text);
}

static const char *id_text(const struct bridge_message *message)
{
    static char text[64];

    (void)snprintf(text, sizeof(text), "%.*s", (int)message->id.length,
                   message->id.data);
    return text;
}

static void kinds_and_ids_are_those_of_the_server(void)
{
    static const struct {
        const char *text;
        enum bridge_message_kind kind;
        const char *id;
    } cases[] = {
        { "", BRIDGE_MESSAGE_BLANK, "null" },
        { "  \t\r", BRIDGE_MESSAGE_BLANK, "null" },
        { "{not json", BRIDGE_MESSAGE_BROKEN, "null" },
        { "{} {}", BRIDGE_MESSAGE_BROKEN, "null" },
        { "\"\xff\"", BRIDGE_MESSAGE_BROKEN, "null" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
          BRIDGE_MESSAGE_REQUEST, "1" },
        { "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}",
          BRIDGE_MESSAGE_REQUEST, "0" },
        { "{\"id\":\"a\\\"\\u00e9\",\"method\":\"\",\"jsonrpc\":\"2.0\"}",
          BRIDGE_MESSAGE_REQUEST, "\"a\\\"\\u00e9\"" },
        { "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"x\"}",
          BRIDGE_MESSAGE_REQUEST, "9007199254740993" },
        { "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"x\"}",
          BRIDGE_MESSAGE_REQUEST, "-7" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"x\"}",
          BRIDGE_MESSAGE_REQUEST, "2" },
        { "{\"jsonrpc\":\"2.0\",\"params\":{\"id\":1},\"method\":\"x\"}",
          BRIDGE_MESSAGE_NOTIFICATION, "null" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
          BRIDGE_MESSAGE_RESPONSE, "1" },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}",
          BRIDGE_MESSAGE_RESPONSE, "null" },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}",
          BRIDGE_MESSAGE_OTHER, "null" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"x\"}",
          BRIDGE_MESSAGE_OTHER, "null" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1e2,\"method\":\"x\"}",
          BRIDGE_MESSAGE_OTHER, "null" },
        { "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":1}", BRIDGE_MESSAGE_OTHER,
          "8" },
        { "{\"id\":8,\"method\":\"x\"}", BRIDGE_MESSAGE_OTHER, "8" },
        { "{\"method\":\"x\"}", BRIDGE_MESSAGE_OTHER, "null" },
        { "{}", BRIDGE_MESSAGE_OTHER, "null" },
        { "[]", BRIDGE_MESSAGE_OTHER, "null" },
        { "42", BRIDGE_MESSAGE_OTHER, "null" },
        { "null", BRIDGE_MESSAGE_OTHER, "null" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct bridge_message message;

        read_message(&message, cases[i].text);
        if (!CHECK_INT(message.kind, cases[i].kind) ||
            !CHECK_STR(id_text(&message), cases[i].id)) {
            fprintf(stderr, "# %s\n", cases[i].text);
        }
        CHECK((message.reason[0] != '\0') ==
              (message.kind == BRIDGE_MESSAGE_BROKEN));
        bridge_message_finish(&message);
    }
}

static void a_broken_line_is_told_where(void)
{
    struct bridge_message message;

    read_message(&message, "{\"a\": x}");
    CHECK(strstr(message.reason, "at byte 7 of the line") != NULL);
    bridge_message_finish(&message);
    read_message(&message, "\"ab\xc3(\"");
    CHECK_STR(message.reason, "Parse error: not UTF-8 at byte 4 of the line");
    bridge_message_finish(&message);
    read_message(&message, "{} x");
    CHECK_STR(message.reason,
              "Parse error: text behind the message at byte 3 of the line");
    bridge_message_finish(&message);
}

static void methods_are_known_of_their_kind_alone(void)
{
    static const struct {
        const char *text;
        enum bridge_message_method method;
    } cases[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}",
          BRIDGE_MESSAGE_INITIALIZE },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"initialize\"}",
          BRIDGE_MESSAGE_ANY },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}",
          BRIDGE_MESSAGE_DISCOVER },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools\\/list\"}",
          BRIDGE_MESSAGE_TOOLS_LIST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
          BRIDGE_MESSAGE_ANY },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
          BRIDGE_MESSAGE_INITIALIZED },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,"
          "\"method\":\"notifications/initialized\"}",
          BRIDGE_MESSAGE_ANY },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
          BRIDGE_MESSAGE_CANCELLED },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct bridge_message message;

        read_message(&message, cases[i].text);
        CHECK_INT(message.method, cases[i].method);
        bridge_message_finish(&message);
    }
}

static void a_cancellation_names_the_id_as_it_came(void)
{
    struct bridge_message message;

    read_message(&message,
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                 "\"params\":{\"requestId\":\"x\\n\"}}");
    CHECK(jz__str_is(message.cancels, "\"x\\n\""));
    CHECK(!message.is_modern);
    bridge_message_finish(&message);
    read_message(
        &message,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    CHECK_INT(message.cancels.length, 0);
    bridge_message_finish(&message);
}

static void headers_repeat_what_a_modern_message_says(void)
{
    static const struct {
        const char *text;
        const char *headers; /* NULL: the message is an older one */
    } cases[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
          "\"params\":{" META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
          "\"params\":{\"name\":\"search\"," META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
          "Mcp-Name: search\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
          "\"params\":{\"name\":\"n\",\"uri\":\"a:b c\"," META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\n"
          "Mcp-Name: a:b c\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\","
          "\"params\":{\"name\":\"\\u00e9\"," META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: prompts/get\r\n"
          "Mcp-Name: =?base64?w6k=?=\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
          "\"params\":{\"name\":\"a\\r\\nX: y\"," META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
          "Mcp-Name: =?base64?YQ0KWDogeQ==?=\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
          "\"params\":{\"name\":\" abc\"," META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
          "Mcp-Name: =?base64?IGFiYw==?=\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
          "\"params\":{\"name\":\"=?base64?YQ==?=\"," META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
          "Mcp-Name: =?base64?PT9iYXNlNjQ/WVE9PT89?=\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
          "\"params\":{\"name\":5," META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\nb\","
          "\"params\":{" META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\","
          "\"params\":{" META "}}",
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
          "notifications/x\r\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
          "\"params\":{\"name\":\"search\",\"_meta\":{}}}",
          NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"," META "}", NULL },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct bridge_message message;

        read_message(&message, cases[i].text);
        CHECK_INT(message.is_modern, cases[i].headers != NULL);
        CHECK_STR(message.headers.data, cases[i].headers);
        bridge_message_finish(&message);
    }
}

static void note_id(void *userdata, struct jz__str id)
{
    jz__buf_append(userdata, id.data, id.length);
    jz__buf_putc(userdata, ' ');
}

static void answers_are_due_to_each_request(void)
{
    static const struct {
        const char *text;
        const char *ids;
    } cases[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"x\"}", "\"a\" " },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}", "" },
        { "{", "null " },
        { " ", "" },
        { "{\"id\":3}", "3 " },
        { "7", "null " },
        { "[]", "null " },
        { "[1]", "null " },
        { "[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"x\"},7,"
          "{\"jsonrpc\":\"2.0\",\"method\":\"x\"},"
          "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"x\"}]",
          "5 6 " },
        { "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]", "" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct bridge_message message;
        struct jz__buf ids = JZ__BUF_INIT;

        read_message(&message, cases[i].text);
        CHECK_INT(bridge_message_each_id(&message, note_id, &ids), 0);
        CHECK_STR(ids.data != NULL ? ids.data : "", cases[i].ids);
        jz__buf_finish(&ids);
        bridge_message_finish(&message);
    }
}

int main(void)
{
    TAP_RUN(kinds_and_ids_are_those_of_the_server);
    TAP_RUN(a_broken_line_is_told_where);
    TAP_RUN(methods_are_known_of_their_kind_alone);
    TAP_RUN(a_cancellation_names_the_id_as_it_came);
    TAP_RUN(headers_repeat_what_a_modern_message_says);
    TAP_RUN(answers_are_due_to_each_request);
    return tap_done();
}
