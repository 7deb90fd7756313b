/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge_reply.h"

#include "base/mem.h"
#include "tap.h"

#define STR(text)                                                              \
    (struct jz__str)                                                           \
    {                                                                          \
        text, strlen(text)                                                     \
    }

static void a_body_goes_out_as_one_line_under_its_id(void)
{
    static const struct {
        const char *body;
        const char *id;
        enum bridge_reply_kind kind;
        const char *line; /* NULL: as the body, and a line end */
    } cases[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\": 1.0}}", "1",
          BRIDGE_REPLY_ANSWER, NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", "",
          BRIDGE_REPLY_ANSWER, NULL },
        { "\n{\n  \"jsonrpc\": \"2.0\",\r\n\t\"id\": 1,\n"
          "  \"result\": \"a \\\" \\\\\" }\n",
          "1", BRIDGE_REPLY_ANSWER,
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a \\\" \\\\\"}\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"id\":4}}", "\"x\"",
          BRIDGE_REPLY_ANSWER,
          "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"id\":4}}\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"server-error\",\"error\":{}}", "7",
          BRIDGE_REPLY_ANSWER,
          "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{}}\n" },
        { "{\"jsonrpc\":\"2.0\",\n\"error\":{}}", "7", BRIDGE_REPLY_ANSWER,
          "{\"id\":7,\"jsonrpc\":\"2.0\",\"error\":{}}\n" },
        { "{\"jsonrpc\":\"2.0\",\"id\":9007199254740992,\"result\":{}}",
          "9007199254740993", BRIDGE_REPLY_ANSWER,
          "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{}}\n" },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}", "1",
          BRIDGE_REPLY_OTHER, NULL },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]", "1",
          BRIDGE_REPLY_ANSWER, NULL },
        { "[]", "1", BRIDGE_REPLY_NONE, "" },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},1]", "1",
          BRIDGE_REPLY_NONE, "" },
        { "{\"error\":\"invalid_token\"}", "1", BRIDGE_REPLY_NONE, "" },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}", "1",
          BRIDGE_REPLY_NONE, "" },
        { "<html>", "1", BRIDGE_REPLY_NONE, "" },
        { "", "1", BRIDGE_REPLY_NONE, "" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} {}", "1",
          BRIDGE_REPLY_NONE, "" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}", "1",
          BRIDGE_REPLY_NONE, "" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct jz__buf out = JZ__BUF_INIT;
        struct jz__buf want = JZ__BUF_INIT;

        jz__buf_puts(&want,
                     cases[i].line != NULL ? cases[i].line : cases[i].body);
        jz__buf_puts(&want, cases[i].line != NULL ? "" : "\n");
        CHECK_INT(bridge_reply_put(&out, STR(cases[i].body), STR(cases[i].id)),
                  cases[i].kind);
        CHECK_STR(out.data != NULL ? out.data : "", want.data);
        jz__buf_finish(&out);
        jz__buf_finish(&want);
    }
}

static void errors_are_whole_lines(void)
{
    struct jz__buf out = JZ__BUF_INIT;

    bridge_reply_put_error(&out, JZ__STR("\"a\""), BRIDGE_REPLY_FAILED,
                           "say \"\n\"");
    CHECK_STR(out.data, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{"
                        "\"code\":-32000,\"message\":\"say \\\"\\n\\\"\"}}\n");
    jz__buf_finish(&out);
}

static const char *text_of(struct jz__buf *out)
{
    return out->data != NULL ? out->data : "";
}

static void texts_are_those_of_the_documentation(void)
{
    struct jz__buf out = JZ__BUF_INIT;

    bridge_reply_put_no_home(&out, "/home/ann/.jezero", NULL);
    CHECK_STR(text_of(&out), "Jezero is not set up on this computer "
                             "(/home/ann/.jezero): run jezero-client init");
    jz__buf_clear(&out);
    bridge_reply_put_away(&out, "https://j.example", "no answer within 60 s");
    CHECK_STR(text_of(&out),
              "Jezero server https://j.example: no answer within 60 s");
    jz__buf_clear(&out);
    bridge_reply_put_status(&out, "https://j.example", 401,
                            JZ__STR("{\"error\": \"invalid_token\"}"));
    CHECK_STR(text_of(&out), "Jezero refused this computer's key: HTTP 401 "
                             "{\"error\": \"invalid_token\"}");
    jz__buf_clear(&out);
    bridge_reply_put_status(&out, "https://j.example", 403, JZ__STR(""));
    CHECK_STR(text_of(&out), "Jezero refused this computer's key: HTTP 403");
    jz__buf_clear(&out);
    bridge_reply_put_status(&out, "https://j.example", 502,
                            JZ__STR("<html>\n<b>Bad gateway</b>\n"));
    CHECK_STR(text_of(&out), "Jezero server https://j.example: HTTP 502 "
                             "<html> <b>Bad gateway</b>");
    jz__buf_finish(&out);
}

static void a_body_is_cut_at_200_characters(void)
{
    struct jz__buf body = JZ__BUF_INIT;
    struct jz__buf out = JZ__BUF_INIT;
    size_t i;

    for (i = 0; i < 100000; i++) {
        jz__buf_puts(&body, "é");
    }
    bridge_reply_put_status(&out, "u", 500,
                            (struct jz__str){ body.data, body.length });
    CHECK_INT(out.length, strlen("Jezero server u: HTTP 500 ") + 400);
    jz__buf_finish(&body);
    jz__buf_finish(&out);
}

int main(void)
{
    TAP_RUN(a_body_goes_out_as_one_line_under_its_id);
    TAP_RUN(errors_are_whole_lines);
    TAP_RUN(texts_are_those_of_the_documentation);
    TAP_RUN(a_body_is_cut_at_200_characters);
    return tap_done();
}
