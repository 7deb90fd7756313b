/* SPDX-License-Identifier: Apache-2.0 */
/* What a message is, and that its id goes back as it came. */
#include "mcp/jsonrpc.h"

#include "base/mem.h"
#include "mcp_talk.h"

#define PING "\"jsonrpc\":\"2.0\",\"method\":\"ping\""

/* A ping under this id, written as JSON, is answered under the same bytes. */
static void check_id(const char *id)
{
    char body[256];
    char want[256];

    (void)snprintf(body, sizeof(body), "{" PING ",\"id\":%s}", id);
    (void)snprintf(want, sizeof(want),
                   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", id);
    talk_http("{}", body);
    CHECK_INT(talk.status, 200);
    CHECK_STR(talk.text.data, want);
}

static void check_refused_id(const char *id)
{
    char body[256];

    (void)snprintf(body, sizeof(body), "{" PING ",\"id\":%s}", id);
    talk_http("{}", body);
    CHECK_ERROR(400, "-32600", "null");
    talk_stdio(body);
    CHECK_ERROR(400, "-32600", "null");
}

static void an_id_goes_back_digit_for_digit(void)
{
    check_id("0");
    check_id("-1");
    check_id("-0");
    check_id("9007199254740993");
    check_id("123456789012345678901234567890");
    check_id("\"two\"");
    check_id("\"\"");
    check_id("\"\\u00e9-\\\"\\\\\\u2028\"");
    check_id("\"é漢😀\"");
    check_id("\"\\ud800\\u0000\"");
}

static void an_id_goes_back_without_the_blanks_around_it(void)
{
    talk_stdio("{ " PING " , \"id\" :\t7 }");
    CHECK_STR(talk.text.data, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
}

static void an_id_that_is_no_text_or_integer_is_refused(void)
{
    check_refused_id("null");
    check_refused_id("1.5");
    check_refused_id("1.0");
    check_refused_id("1e3");
    check_refused_id("true");
    check_refused_id("false");
    check_refused_id("[1]");
    check_refused_id("{}");
}

static void an_error_carries_the_id_where_it_can_be_read(void)
{
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":1,"
                    "\"params\":\"bar\"}");
    CHECK_ERROR(400, "-32600", "8");
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"id\":\"a\"}");
    CHECK_ERROR(400, "-32600", "\"a\"");
    talk_http("{}", "{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"ping\"}");
    CHECK_ERROR(400, "-32600", "3");
    talk_http("{}", "{\"id\":4,\"method\":\"ping\"}");
    CHECK_ERROR(400, "-32600", "4");
    talk_http("{}", "{\"jsonrpc\":2.0,\"id\":5,\"method\":\"ping\"}");
    CHECK_ERROR(400, "-32600", "5");
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\","
                    "\"params\":[1]}");
    CHECK_ERROR(400, "-32600", "6");
}

static void params_null_is_no_params(void)
{
    talk_http("{}", "{" PING ",\"id\":1,\"params\":null}");
    CHECK_INT(talk.status, 200);
    CHECK_STR(talk_at("result"), "{}");
}

static void a_batch_is_refused(void)
{
    talk_http("{}", "[{" PING ",\"id\":5},{" PING ",\"id\":6}]");
    CHECK_ERROR(400, "-32600", "null");
    talk_http("{}", "[]");
    CHECK_ERROR(400, "-32600", "null");
    talk_stdio("[{" PING ",\"id\":5}]");
    CHECK_ERROR(400, "-32600", "null");
}

static void json_that_is_no_message_is_refused(void)
{
    static const char *const bodies[] = { "42",   "\"text\"", "null",
                                          "true", "{}",       "{\"a\":1}" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(bodies); i++) {
        talk_http("{}", bodies[i]);
        CHECK_ERROR(400, "-32600", "null");
        talk_stdio(bodies[i]);
        CHECK_ERROR(400, "-32600", "null");
    }
}

static void keys_are_compared_with_case(void)
{
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"ID\":1,\"id\":2,"
                    "\"Method\":\"no/such\",\"method\":\"ping\"}");
    CHECK_STR(talk.text.data, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    talk_http("{}", "{\"JSONRPC\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    CHECK_ERROR(400, "-32600", "1");
}

static void the_last_of_equal_keys_wins(void)
{
    talk_http("{}", "{\"jsonrpc\":\"1.0\",\"jsonrpc\":\"2.0\",\"id\":1,"
                    "\"method\":\"no/such\",\"id\":2,\"method\":\"ping\"}");
    CHECK_STR(talk.text.data, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
}

static void an_escaped_key_is_the_key(void)
{
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"\\u0069d\":1,"
                    "\"m\\u0065thod\":\"p\\u0069ng\"}");
    CHECK_STR(talk.text.data, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

static void text_behind_the_message_is_a_parse_error(void)
{
    talk_http("{}", "{" PING ",\"id\":1} x");
    CHECK_ERROR(400, "-32700", "null");
    talk_http("{}", "{" PING ",\"id\":1}{" PING ",\"id\":2}");
    CHECK_ERROR(400, "-32700", "null");
    talk_http("{}", "{" PING ",\"id\":1}\n\r\t ");
    CHECK_STR(talk_at("result"), "{}");
    talk_bytes(NULL, "{" PING ",\"id\":1}\0", strlen(PING) + 10);
    CHECK_ERROR(400, "-32700", "null");
}

static void malformed_json_is_a_parse_error(void)
{
    static const char *const bodies[] = {
        "{\"jsonrpc\":\"2.0\",",
        "{not json",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":1,}",
        "[1,]",
        "\xef\xbb\xbf{}",
        "{\"a\":\"\t\"}",
        "{\"a\":NaN}",
        "{\"a\":\"\\x\"}",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(bodies); i++) {
        talk_http("{}", bodies[i]);
        CHECK_ERROR(400, "-32700", "null");
        CHECK(strncmp(talk_text("error.message"), "Parse error: ", 13) == 0);
        talk_stdio(bodies[i]);
        CHECK_ERROR(400, "-32700", "null");
    }
}

static void a_parse_error_names_the_place(void)
{
    talk_http("{}", "{\n \"é\": x}");
    CHECK_STR(talk_text("error.message"),
              "Parse error: invalid value: line 2 column 7 (char 8)");
}

static void bytes_that_are_no_utf_8_are_a_parse_error(void)
{
    talk_http("{}",
              "{" PING ",\"id\":7,\"params\":{\"a\":\"bad \xc3( \xff\"}}");
    CHECK_ERROR(400, "-32700", "null");
    CHECK(strstr(talk_text("error.message"), "not UTF-8") != NULL);
    talk_stdio("{" PING ",\"id\":7,\"x\":\"\xed\xa0\x80\"}");
    CHECK_ERROR(400, "-32700", "null");
    /* A replacement character that was written as such is no fault. */
    talk_stdio("{" PING ",\"id\":7,\"x\":\"\xef\xbf\xbd\"}");
    CHECK_STR(talk_at("result"), "{}");
}

static void nesting_over_64_is_refused(void)
{
    char body[400];
    int depth;

    for (depth = 64; depth <= 65; depth++) {
        int i;

        (void)strcpy(body, "{" PING ",\"id\":1,\"x\":");
        for (i = 1; i < depth; i++) {
            strcat(body, "[");
        }
        for (i = 1; i < depth; i++) {
            strcat(body, "]");
        }
        strcat(body, "}");
        talk_http("{}", body);
        if (depth == 64) {
            CHECK_STR(talk_at("result"), "{}");
        } else {
            CHECK_ERROR(400, "-32700", "null");
        }
    }
}

static void an_empty_body_is_a_parse_error_over_http(void)
{
    talk_http("{}", "");
    CHECK_ERROR(400, "-32700", "null");
    talk_http("{}", " \r\n");
    CHECK_ERROR(400, "-32700", "null");
}

static void a_blank_line_on_stdio_is_no_message(void)
{
    talk_stdio("");
    CHECK_INT(talk.text.length, 0);
    talk_stdio("   \r");
    CHECK_INT(talk.text.length, 0);
}

static void a_carriage_return_behind_a_line_does_not_count(void)
{
    talk_stdio("{" PING ",\"id\":9}\r");
    CHECK_STR(talk.text.data, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
}

static void a_notification_is_never_answered(void)
{
    static const char *const bodies[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":7}",
        ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
         "\"params\":{\"requestId\":\"nothing\"}}"),
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(bodies); i++) {
        talk_http("{}", bodies[i]);
        CHECK_INT(talk.status, 202);
        CHECK_INT(talk.text.length, 0);
        talk_stdio(bodies[i]);
        CHECK_INT(talk.text.length, 0);
    }
}

static void a_response_is_taken_and_dropped(void)
{
    static const char *const bodies[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":1,\"message\":\"\"}"
        "}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,"
        "\"error\":{\"code\":-32700,\"message\":\"\"}}",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"\"}}",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(bodies); i++) {
        talk_http("{}", bodies[i]);
        CHECK_INT(talk.status, 202);
        CHECK_INT(talk.text.length, 0);
        talk_stdio(bodies[i]);
        CHECK_INT(talk.text.length, 0);
    }
}

static void a_response_with_an_id_of_no_use_is_refused(void)
{
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}");
    CHECK_ERROR(400, "-32600", "null");
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}");
    CHECK_ERROR(400, "-32600", "null");
    talk_http("{}", "{\"jsonrpc\":\"2.0\",\"result\":{}}");
    CHECK_ERROR(400, "-32600", "null");
}

/* A server that is fed one broken line after another answers each request
 * once, under its id, and nothing else. */
static void a_run_of_broken_lines_gets_one_answer_each(void)
{
    static const struct {
        const char *line;
        const char *id;   /* NULL: no answer */
        const char *code; /* NULL: a result */
    } lines[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
          "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
          "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
          "1", NULL },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
          NULL, NULL },
        { "{not json", "null", "-32700" },
        { "", NULL, NULL },
        { "   \r", NULL, NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"no/such/method\","
          "\"params\":{}}",
          "\"two\"", "-32601" },
        { "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\","
          "\"params\":null}",
          "3", "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\","
          "\"params\":{\"arguments\":{}}}",
          "4", "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}", "0", NULL },
        { "[{" PING ",\"id\":5},{" PING ",\"id\":6}]", "null", "-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
          "\"name\":\"search\",\"arguments\":{\"query\":\"a \xc3( \xff\"}}}",
          "null", "-32700" },
        { "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":1,\"params\":\"bar\"}", "8",
          "-32600" },
        { "42", "null", "-32600" },
        { "\"text\"", "null", "-32600" },
        { "null", "null", "-32600" },
        { "[]", "null", "-32600" },
        { "{" PING ",\"id\":9}\r", "9", NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"tools/list\"}", "10",
          NULL },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(lines); i++) {
        talk_stdio(lines[i].line);
        CHECK_STR(talk_at("id"), lines[i].id);
        CHECK_STR(talk_at("error.code"), lines[i].code);
        CHECK((talk_node("result") != NULL) ==
              (lines[i].id != NULL && lines[i].code == NULL));
    }
}

static void an_error_is_written_in_the_order_of_keys(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__jsonrpc_put_error(&out, JZ__STR("\"a\""), -32601, "no \"x\"", NULL);
    CHECK_STR(out.data, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{"
                        "\"code\":-32601,\"message\":\"no \\\"x\\\"\"}}");
    jz__buf_clear(&out);
    jz__jsonrpc_put_error(&out, JZ__STR("1"), 5, "m", "{\"a\":[]}");
    CHECK_STR(out.data, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{"
                        "\"code\":5,\"message\":\"m\",\"data\":{\"a\":[]}}}");
}

int main(void)
{
    TAP_RUN(an_id_goes_back_digit_for_digit);
    TAP_RUN(an_id_goes_back_without_the_blanks_around_it);
    TAP_RUN(an_id_that_is_no_text_or_integer_is_refused);
    TAP_RUN(an_error_carries_the_id_where_it_can_be_read);
    TAP_RUN(params_null_is_no_params);
    TAP_RUN(a_batch_is_refused);
    TAP_RUN(json_that_is_no_message_is_refused);
    TAP_RUN(keys_are_compared_with_case);
    TAP_RUN(the_last_of_equal_keys_wins);
    TAP_RUN(an_escaped_key_is_the_key);
    TAP_RUN(text_behind_the_message_is_a_parse_error);
    TAP_RUN(malformed_json_is_a_parse_error);
    TAP_RUN(a_parse_error_names_the_place);
    TAP_RUN(bytes_that_are_no_utf_8_are_a_parse_error);
    TAP_RUN(nesting_over_64_is_refused);
    TAP_RUN(an_empty_body_is_a_parse_error_over_http);
    TAP_RUN(a_blank_line_on_stdio_is_no_message);
    TAP_RUN(a_carriage_return_behind_a_line_does_not_count);
    TAP_RUN(a_notification_is_never_answered);
    TAP_RUN(a_response_is_taken_and_dropped);
    TAP_RUN(a_response_with_an_id_of_no_use_is_refused);
    TAP_RUN(a_run_of_broken_lines_gets_one_answer_each);
    TAP_RUN(an_error_is_written_in_the_order_of_keys);
    talk_finish();
    return tap_done();
}
