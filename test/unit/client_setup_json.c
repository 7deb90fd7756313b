/* SPDX-License-Identifier: Apache-2.0 */
/* Servers and hooks in the agents' files of JSON. */
#include "setup_json.h"

#include "base/mem.h"
#include "tap.h"

#define HOOK(command) "{\"type\":\"command\",\"command\":\"" command "\"}"
#define OURS                                                                   \
    "{ \"type\": \"command\", \"command\": \"/opt/jezero-client hook stop "    \
    "--agent codex\", \"timeout\": 7 }"

static const struct setup_json_event events[] = {
    { "Stop", "stop", 7 },
    { 0 },
};

static struct setup setup_for(enum agent_id agent, bool is_removal)
{
    return (struct setup){ .agent = agent,
                           .program = "/opt/jezero-client",
                           .is_removal = is_removal };
}

static int edit(struct jz__buf *out, setup_edit_fn fn, const char *text,
                enum agent_id agent, bool is_removal)
{
    const struct setup setup = setup_for(agent, is_removal);
    struct setup_text edited = { .old = jz__str_of(text) };
    struct jz__error error = { 0 };
    int r = fn(&edited, &setup, events, &error);

    jz__buf_clear(out);
    jz__buf_append(out, edited.out.data, edited.out.length);
    jz__buf_finish(&edited.out);
    jz__buf_finish(&edited.shown);
    return r < 0 ? r : (int)edited.outcome;
}

static void check(setup_edit_fn fn, enum agent_id agent, const char *before,
                  const char *after, enum setup_outcome outcome)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf again = JZ__BUF_INIT;

    CHECK_INT(edit(&out, fn, before, agent, false), outcome);
    if (outcome == SETUP_SAME || !CHECK_STR(out.data, after)) {
        return;
    }
    CHECK_INT(edit(&again, fn, out.data, agent, false), SETUP_SAME);
}

static void check_removed(setup_edit_fn fn, enum agent_id agent,
                          const char *before, const char *after)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    CHECK_INT(edit(&out, fn, before, agent, true), SETUP_REMOVED);
    CHECK_STR(out.data, after);
}

static void a_server_is_as_its_agent_writes_it(void)
{
    check(setup_json_server, AGENT_CLAUDE_CODE, "{\"a\": 1}",
          "{\"a\": 1, \"mcpServers\": { \"jezero\": { \"type\": \"stdio\", "
          "\"command\": \"/opt/jezero-client\", \"args\": [ \"mcp\", "
          "\"--agent\", \"claude-code\" ], \"env\": {} } }}",
          SETUP_ADDED);
    check(setup_json_server, AGENT_ANTIGRAVITY, "{\"a\": 1}",
          "{\"a\": 1, \"mcpServers\": { \"jezero\": { \"command\": "
          "\"/opt/jezero-client\", \"args\": [ \"mcp\", \"--agent\", "
          "\"antigravity\" ] } }}",
          SETUP_ADDED);
}

static void a_server_at_another_path_is_updated_where_it_differs(void)
{
    check(setup_json_server, AGENT_ANTIGRAVITY,
          "{\"mcpServers\":{\"jezero\":{\"args\":[\"mcp\", \"--agent\", "
          "\"antigravity\"],\"env\":{\"A\":\"b\"},\"command\":"
          "\"/v1/jezero-client\"}}}",
          "{\"mcpServers\":{\"jezero\":{\"args\":[\"mcp\", \"--agent\", "
          "\"antigravity\"],\"env\":{\"A\":\"b\"},\"command\":"
          "\"/opt/jezero-client\"}}}",
          SETUP_UPDATED);
    check(setup_json_server, AGENT_ANTIGRAVITY,
          "{\"mcpServers\":{\"jezero\":{\"command\":\"/opt/jezero-client\"}}}",
          "{\"mcpServers\":{\"jezero\":{\"command\":\"/opt/jezero-client\", "
          "\"args\": [ \"mcp\", \"--agent\", \"antigravity\" ]}}}",
          SETUP_UPDATED);
}

static void a_server_of_somebody_else_is_left_alone(void)
{
    static const char *const texts[] = {
        "{\"mcpServers\":{\"jezero\":{\"command\":\"npx\"}}}",
        "{\"mcpServers\":{\"jezero\":{\"url\":\"https://x\"}}}",
        "{\"mcpServers\":{\"jezero\":null}}",
    };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        CHECK_INT(
            edit(&out, setup_json_server, texts[i], AGENT_CLAUDE_CODE, false),
            JZ_EINVAL);
        CHECK_INT(
            edit(&out, setup_json_server, texts[i], AGENT_CLAUDE_CODE, true),
            SETUP_SAME);
    }
}

static void a_hook_goes_behind_those_of_others_and_out_again(void)
{
    const char *before =
        "{\"hooks\": {\"Stop\": [{\"hooks\": [" HOOK("/x/remind") "]}]}}";
    const char *after = "{\"hooks\": {\"Stop\": [{\"hooks\": [" HOOK(
        "/x/remind") "]}, { \"hooks\": [ " OURS " ] }]}}";

    check(setup_json_groups, AGENT_CODEX, before, after, SETUP_ADDED);
    check_removed(setup_json_groups, AGENT_CODEX, after, before);
}

static void a_hook_in_another_group_is_found_there(void)
{
    const char *before =
        "{\"hooks\":{\"Stop\":[{\"matcher\":\"m\",\"hooks\":[" HOOK(
            "/x/remind") ",{\"command\":\"'/v 1/jezero-client' hook stop\","
                         "\"timeout\":3,\"async\":true}]}]}}";

    check(setup_json_groups, AGENT_CODEX, before,
          "{\"hooks\":{\"Stop\":[{\"matcher\":\"m\",\"hooks\":[" HOOK(
              "/x/remind") ",{\"command\":\"/opt/jezero-client hook stop "
                           "--agent codex\",\"timeout\":3,\"async\":true}]}]}}",
          SETUP_UPDATED);
    check_removed(setup_json_groups, AGENT_CODEX, before,
                  "{\"hooks\":{\"Stop\":[{\"matcher\":\"m\",\"hooks\":[" HOOK(
                      "/x/remind") "]}]}}");
}

static void a_hook_is_there_once(void)
{
    const char *before = "{\"hooks\":{\"Stop\":[{\"hooks\":[" HOOK(
        "/a/jezero-client hook stop") "]},{\"hooks\":[" HOOK("/b/"
                                                             "jezero-"
                                                             "client hook "
                                                             "stop --agent "
                                                             "codex") "]}]}"
                                                                      "}";

    check(setup_json_groups, AGENT_CODEX, before,
          "{\"hooks\":{\"Stop\":[{\"hooks\":[" OURS "]}]}}", SETUP_UPDATED);
    check_removed(setup_json_groups, AGENT_CODEX, before,
                  "{\"hooks\":{\"Stop\":[]}}");
}

static void a_named_hook_goes_in_and_out_again(void)
{
    const char *before = "{\"other\": {\"enabled\": false}}";
    const char *after =
        "{\"other\": {\"enabled\": false}, \"jezero\": { \"enabled\": true, "
        "\"Stop\": [ { \"type\": \"command\", \"command\": "
        "\"/opt/jezero-client hook stop --agent antigravity\", \"timeout\": 7 "
        "} ] }}";

    check(setup_json_named, AGENT_ANTIGRAVITY, before, after, SETUP_ADDED);
    check_removed(setup_json_named, AGENT_ANTIGRAVITY, after, before);
}

static void hooks_of_a_wrong_form_are_refused(void)
{
    static const char *const texts[] = { "{\"hooks\": []}",
                                         "{\"hooks\": {\"Stop\": {}}}",
                                         "{\"hooks\": null}" };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        CHECK_INT(edit(&out, setup_json_groups, texts[i], AGENT_CODEX, false),
                  JZ_EINVAL);
    }
}

static void a_command_line_is_quoted_where_a_shell_needs_it(void)
{
    static const char *const cases[][2] = {
        { "/opt/jezero-client", "/opt/jezero-client hook stop --agent codex" },
        { "/h/Dana Reyés (work) & co's $HOME/jezero-client",
          "'/h/Dana Reyés (work) & co'\\''s $HOME/jezero-client' hook stop "
          "--agent codex" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        const struct setup setup = { .agent = AGENT_CODEX,
                                     .program = cases[i][0] };

        setup_put_hook_command(&out, &setup, "stop");
        CHECK_STR(out.data, cases[i][1]);
        CHECK(setup_is_hook_command(out.data));
    }
}

static void only_hooks_of_this_program_count_as_ours(void)
{
    CHECK(setup_is_hook_command("jezero-client hook stop"));
    CHECK(setup_is_hook_command("\"/a b/jezero-client-2\"  hook stop"));
    CHECK(setup_is_hook_command("/a\\ b/jezero-client hook stop"));
    CHECK(!setup_is_hook_command("jezero-client mcp"));
    CHECK(!setup_is_hook_command("/x/remind jezero-client hook stop"));
    CHECK(!setup_is_hook_command("'jezero-client hook stop'"));
    CHECK(!setup_is_hook_command(""));
}

int main(void)
{
    TAP_RUN(a_server_is_as_its_agent_writes_it);
    TAP_RUN(a_server_at_another_path_is_updated_where_it_differs);
    TAP_RUN(a_server_of_somebody_else_is_left_alone);
    TAP_RUN(a_hook_goes_behind_those_of_others_and_out_again);
    TAP_RUN(a_hook_in_another_group_is_found_there);
    TAP_RUN(a_hook_is_there_once);
    TAP_RUN(a_named_hook_goes_in_and_out_again);
    TAP_RUN(hooks_of_a_wrong_form_are_refused);
    TAP_RUN(a_command_line_is_quoted_where_a_shell_needs_it);
    TAP_RUN(only_hooks_of_this_program_count_as_ours);
    return tap_done();
}
