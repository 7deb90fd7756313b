/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge_session.h"

#include "tap.h"

#define ANSWER(version)                                                        \
    JZ__STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"                       \
            "\"protocolVersion\":\"" version "\"}}\n")

static struct bridge_session session;
static char id[BRIDGE_SESSION_ID_MOST + 1];

static void check_headers(const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;

    bridge_session_put_headers(&out, id, &session);
    CHECK_STR(out.data != NULL ? out.data : "", want);
    jz__buf_finish(&out);
}

static void begin(void)
{
    bridge_session_init(&session);
    CHECK_INT(bridge_session_begin(&session, JZ__STR("{init}")), 0);
}

static void nothing_is_sent_before_there_is_an_agreement(void)
{
    bridge_session_init(&session);
    check_headers("");
    CHECK_STR(id, "");
    bridge_session_finish(&session);
}

static void version_and_session_are_sent_from_then_on(void)
{
    begin();
    bridge_session_agree(&session, ANSWER("2025-06-18"), JZ__STR("abc"));
    check_headers("MCP-Protocol-Version: 2025-06-18\r\n"
                  "Mcp-Session-Id: abc\r\n");
    CHECK_STR(id, "abc");
    CHECK_INT(bridge_session_begin(&session, JZ__STR("{again}")), 0);
    check_headers("");
    bridge_session_agree(&session, ANSWER("2025-11-25"), JZ__STR(""));
    check_headers("MCP-Protocol-Version: 2025-11-25\r\n");
    bridge_session_finish(&session);
}

static void an_error_agrees_on_nothing(void)
{
    begin();
    bridge_session_agree(&session,
                         JZ__STR("{\"jsonrpc\":\"2.0\",\"id\":1,"
                                 "\"error\":{\"code\":1}}"),
                         JZ__STR("abc"));
    bridge_session_agree(&session, JZ__STR("<html>"), JZ__STR("abc"));
    check_headers("");
    bridge_session_finish(&session);
}

static void what_would_break_a_header_is_not_kept(void)
{
    char longest[BRIDGE_SESSION_ID_MOST + 2];
    struct jz__buf out = JZ__BUF_INIT;

    begin();
    bridge_session_agree(&session, ANSWER("2025\\r\\nX: y"),
                         JZ__STR("a\r\nX: y"));
    check_headers("");
    memset(longest, 'x', sizeof(longest));
    bridge_session_agree(
        &session, ANSWER("1"),
        (struct jz__str){ longest, BRIDGE_SESSION_ID_MOST + 1 });
    check_headers("MCP-Protocol-Version: 1\r\n");
    bridge_session_agree(&session, ANSWER("1"),
                         (struct jz__str){ longest, BRIDGE_SESSION_ID_MOST });
    bridge_session_put_headers(&out, id, &session);
    CHECK_INT(strlen(id), BRIDGE_SESSION_ID_MOST);
    jz__buf_finish(&out);
    bridge_session_finish(&session);
}

static void a_lost_session_is_renewed_by_one_alone(void)
{
    struct jz__buf initialize = JZ__BUF_INIT;
    bool is_initialized = false;

    begin();
    bridge_session_agree(&session, ANSWER("1"), JZ__STR("old"));
    bridge_session_confirm(&session);
    CHECK(bridge_session_renew_begin(&initialize, &is_initialized, &session,
                                     "old"));
    CHECK_STR(initialize.data, "{init}");
    CHECK(is_initialized);
    bridge_session_agree(&session, ANSWER("1"), JZ__STR("new"));
    bridge_session_renew_end(&session);
    CHECK(!bridge_session_renew_begin(&initialize, &is_initialized, &session,
                                      "old"));
    check_headers("MCP-Protocol-Version: 1\r\nMcp-Session-Id: new\r\n");
    jz__buf_finish(&initialize);
    bridge_session_finish(&session);
}

int main(void)
{
    TAP_RUN(nothing_is_sent_before_there_is_an_agreement);
    TAP_RUN(version_and_session_are_sent_from_then_on);
    TAP_RUN(an_error_agrees_on_nothing);
    TAP_RUN(what_would_break_a_header_is_not_kept);
    TAP_RUN(a_lost_session_is_renewed_by_one_alone);
    return tap_done();
}
