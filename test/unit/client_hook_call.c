/* SPDX-License-Identifier: Apache-2.0 */
/* What agents write to a hook, with members missing, null and of odd types. */
#include "hook_call.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

static int read_call(struct hook_call *call, enum agent_id agent,
                     const char *json)
{
    memset(call, 0, sizeof(*call));
    return hook_call_read(call, agent, jz__str_of(json), NULL);
}

static void check_call(enum agent_id agent, const char *json,
                       const char *session, const char *cwd, const char *prompt,
                       const char *transcript)
{
    JZ_CLEANUP(hook_call_finish) struct hook_call call;

    CHECK_INT(read_call(&call, agent, json), 0);
    CHECK_STR(hook_call_text(&call.session), session);
    CHECK_STR(hook_call_text(&call.cwd), cwd);
    CHECK_STR(hook_call_text(&call.prompt), prompt);
    CHECK_STR(hook_call_text(&call.transcript), transcript);
}

static void members_are_taken(void)
{
    static const char json[] =
        "{\"session_id\":\"s-1\",\"cwd\":\"/w\",\"prompt\":\"he said "
        "\\\"no\\\"\\u00e9\",\"transcript_path\":\"/t.jsonl\","
        "\"source\":\"compact\",\"hook_event_name\":\"X\"}";
    JZ_CLEANUP(hook_call_finish) struct hook_call call;

    check_call(AGENT_CLAUDE_CODE, json, "s-1", "/w", "he said \"no\"\xC3\xA9",
               "/t.jsonl");
    check_call(AGENT_CODEX, json, "s-1", "/w", "he said \"no\"\xC3\xA9",
               "/t.jsonl");
    check_call(AGENT_OPENCODE, json, "s-1", "/w", "he said \"no\"\xC3\xA9",
               "/t.jsonl");
    CHECK_INT(read_call(&call, AGENT_CLAUDE_CODE, json), 0);
    CHECK_STR(hook_call_text(&call.source), "compact");
}

static void odd_types_count_as_missing(void)
{
    check_call(AGENT_CLAUDE_CODE,
               "{\"session_id\":5,\"cwd\":null,\"prompt\":[\"x\"]}", "", "", "",
               "");
    check_call(AGENT_CODEX, "{\"transcript_path\":null}", "", "", "", "");
    check_call(AGENT_HERMES, "{}", "", "", "", "");
    check_call(AGENT_ANTIGRAVITY, "{}", "", "", "", "");
}

static void antigravity_has_names_of_its_own(void)
{
    check_call(AGENT_ANTIGRAVITY,
               "{\"conversationId\":\"c\",\"workspacePaths\":[\"/a\",\"/b\"],"
               "\"transcriptPath\":\"/t\",\"session_id\":\"s\"}",
               "c", "/a", "", "/t");
    check_call(AGENT_ANTIGRAVITY,
               "{\"conversationId\":\"c\",\"workspacePaths\":[],"
               "\"transcriptPath\":\"\"}",
               "c", "", "", "");
    check_call(AGENT_ANTIGRAVITY,
               "{\"conversationId\":\"c\",\"workspacePaths\":null,"
               "\"transcriptPath\":null,\"fullyIdle\":false}",
               "c", "", "", "");
    check_call(AGENT_ANTIGRAVITY, "{\"workspacePaths\":[5]}", "", "", "", "");
}

static void check_begins(const char *json, bool want)
{
    JZ_CLEANUP(hook_call_finish) struct hook_call call;

    CHECK_INT(read_call(&call, AGENT_ANTIGRAVITY, json), 0);
    CHECK_INT(call.begins_turn, want);
}

static void turn_begins_with_invocation_zero(void)
{
    check_begins("{\"invocationNum\":0}", true);
    check_begins("{\"invocationNum\":1}", false);
    check_begins("{\"invocationNum\":null}", false);
    check_begins("{\"invocationNum\":\"0\"}", false);
    check_begins("{}", false);
}

static void hermes_prompt_may_be_a_text_or_parts(void)
{
    check_call(AGENT_HERMES,
               "{\"session_id\":\"h\",\"cwd\":\"/w\",\"extra\":"
               "{\"user_message\":\"fix it\"}}",
               "h", "/w", "fix it", "");
    check_call(AGENT_HERMES,
               "{\"extra\":{\"user_message\":[{\"type\":\"text\",\"text\":"
               "\"one\"},{\"type\":\"image_url\"},\"two\"]}}",
               "", "", "one\n\ntwo", "");
    check_call(AGENT_HERMES,
               "{\"prompt\":\"p\",\"extra\":{\"user_message\":\"m\"}}", "", "",
               "p", "");
    check_call(AGENT_HERMES, "{\"extra\":{\"user_message\":{}}}", "", "", "",
               "");
    check_call(AGENT_HERMES, "{\"extra\":[]}", "", "", "", "");
}

static void hermes_names_its_folder(void)
{
    JZ_CLEANUP(hook_call_finish) struct hook_call call;

    CHECK_INT(read_call(&call, AGENT_HERMES, "{\"hermes_home\":\"/h\"}"), 0);
    CHECK_STR(hook_call_text(&call.database), "/h");
}

static void no_json_is_refused(void)
{
    static const char *const texts[] = { "",           "{",  "{foo}",
                                         "{\"a\":1,}", "[]", "{]" };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        JZ_CLEANUP(hook_call_finish) struct hook_call call;

        CHECK_INT(read_call(&call, AGENT_CLAUDE_CODE, texts[i]), JZ_EINVAL);
    }
}

static void odd_characters_are_repaired(void)
{
    check_call(AGENT_CLAUDE_CODE,
               "{\"session_id\":\"a\\u0000b\",\"prompt\":\"\\ud83d \xFF\"}",
               "a\xEF\xBF\xBD"
               "b",
               "", "\xEF\xBF\xBD \xEF\xBF\xBD", "");
}

int main(void)
{
    TAP_RUN(members_are_taken);
    TAP_RUN(odd_types_count_as_missing);
    TAP_RUN(antigravity_has_names_of_its_own);
    TAP_RUN(turn_begins_with_invocation_zero);
    TAP_RUN(hermes_prompt_may_be_a_text_or_parts);
    TAP_RUN(hermes_names_its_folder);
    TAP_RUN(no_json_is_refused);
    TAP_RUN(odd_characters_are_repaired);
    return tap_done();
}
