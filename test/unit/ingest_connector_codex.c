/* SPDX-License-Identifier: Apache-2.0 */
/* Codex' rollouts: each message once, whichever streams a version writes. */
#include "ingest/connector.h"

#include "story.h"
#include "tap.h"

#define SESSION "019c0000-1111-7222-8333-444455556666"
#define PARENT "019b0000-1111-7222-8333-444455556666"
#define FILE_NAME "rollout-2026-05-01T10-00-00-" SESSION ".jsonl"

#define LINE(time, type, payload)                                              \
    "{\"timestamp\":\"2026-05-01T10:" time "Z\",\"type\":\"" type              \
    "\",\"payload\":" payload "}\n"

#define HEADER                                                                 \
    LINE("00:00.000", "session_meta",                                          \
         "{\"id\":\"" SESSION "\",\"timestamp\":\"2026-05-01T09:59:50Z\","     \
         "\"cwd\":\"/home/ana/atlas\",\"source\":\"cli\","                     \
         "\"git\":{\"branch\":\"main\"}}")

#define ITEM(time, payload) LINE(time, "response_item", payload)
#define EVENT(time, payload) LINE(time, "event_msg", payload)

#define SAID(time, role, kind, text)                                           \
    ITEM(time,                                                                 \
         "{\"type\":\"message\",\"role\":\"" role                              \
         "\",\"content\":[{\"type\":\"" kind "\",\"text\":\"" text "\"}]}")
#define USER(time, text) SAID(time, "user", "input_text", text)
#define AGENT(time, text) SAID(time, "assistant", "output_text", text)
#define USER_EVENT(time, text)                                                 \
    EVENT(time, "{\"type\":\"user_message\",\"message\":\"" text "\"}")
#define AGENT_EVENT(time, text)                                                \
    EVENT(time, "{\"type\":\"agent_message\",\"message\":\"" text "\"}")
#define DONE(time, item, kind, text)                                           \
    EVENT(time,                                                                \
          "{\"type\":\"item_completed\",\"item\":{\"type\":\"" item            \
          "\",\"content\":[{\"type\":\"" kind "\",\"text\":\"" text "\"}]}}")
#define TURN(time, id)                                                         \
    EVENT(time, "{\"type\":\"task_started\",\"turn_id\":\"" id "\"}")

#define CALL(time, id, name, arguments)                                        \
    ITEM(time, "{\"type\":\"function_call\",\"name\":\"" name                  \
               "\",\"arguments\":\"" arguments "\",\"call_id\":\"" id "\"}")
#define OUTPUT(time, id, text)                                                 \
    ITEM(time, "{\"type\":\"function_call_output\",\"call_id\":\"" id          \
               "\",\"output\":\"" text "\"}")

static void read_text(struct story *story, const char *const *texts)
{
    story_read_lines(story, &jz__connector_codex, FILE_NAME, texts);
}

static void check_events(const char *const *texts, const char *events)
{
    struct story story;

    read_text(&story, texts);
    CHECK_INT(story.r, 0);
    CHECK_STR(story_events(&story), events);
    story_finish(&story);
}

static void header_gives_session_folder_and_branch(void)
{
    struct story story;

    read_text(&story, LINES(HEADER, USER("00:03.000", "hello")));
    CHECK_STR(story.talk.session.data, SESSION);
    CHECK_STR(story.talk.folder.data, "/home/ana/atlas");
    CHECK_STR(story.talk.git_branch.data, "main");
    CHECK_STR(story.talk.parent.data, "");
    CHECK_INT(story.talk.own_time_ms, INT64_C(1777629590000));
    CHECK(!story.talk.is_subagent);
    story_finish(&story);
}

static void mirrored_messages_come_once(void)
{
    check_events(
        LINES(HEADER,
              USER("00:01.000", "<environment_context>\\n  <cwd>/x</cwd>\\n"
                                "</environment_context>"),
              SAID("00:02.000", "developer", "input_text", "house rules"),
              USER("00:03.000", "the tile server returns 502"),
              USER_EVENT("00:03.001", "the tile server returns 502"),
              AGENT_EVENT("01:00.000", "Keep-alive was 5 s."),
              AGENT("01:00.000", "Keep-alive was 5 s.")),
        "user: the tile server returns 502\nassistant: Keep-alive was 5 s.\n");
}

static void completed_items_alone_are_read(void)
{
    check_events(
        LINES(HEADER,
              DONE("00:03.000", "UserMessage", "text", "tiles are blurry"),
              DONE("01:00.000", "AgentMessage", "Text", "512 px then.")),
        "user: tiles are blurry\nassistant: 512 px then.\n");
}

static void response_items_alone_are_read_without_wrappers(void)
{
    check_events(
        LINES(HEADER,
              USER("00:01.000",
                   "# AGENTS.md instructions for /home/ana\\n\\nBe kind."),
              USER("00:01.000", "<user_instructions>x</user_instructions>"),
              USER("00:01.000", "<turn_aborted>stop</turn_aborted>"),
              USER("00:01.000", "<goal_context>new</goal_context>"),
              USER("00:02.000", "why is it slow"),
              AGENT("00:09.000", "An index is missing.")),
        "user: why is it slow\nassistant: An index is missing.\n");
}

static void mirrors_may_come_and_go(void)
{
    check_events(LINES(HEADER, USER("00:01.000", "first"),
                       USER_EVENT("00:01.000", "first"),
                       AGENT("00:02.000", "one"), USER("00:10.000", "second"),
                       AGENT("00:11.000", "two"),
                       AGENT_EVENT("00:11.000", "two"),
                       DONE("00:20.000", "UserMessage", "text", "third"),
                       AGENT_EVENT("00:21.000", "three")),
                 "user: first\nassistant: one\nuser: second\nassistant: two\n"
                 "user: third\nassistant: three\n");
}

static void same_words_twice_are_two_messages(void)
{
    check_events(LINES(HEADER, USER("00:01.000", "yes"),
                       USER_EVENT("00:01.000", "yes"), USER("00:05.000", "yes"),
                       USER_EVENT("00:05.000", "yes")),
                 "user: yes\nuser: yes\n");
    check_events(
        LINES(HEADER, USER("00:01.000", "yes"), USER("00:05.000", "yes")),
        "user: yes\nuser: yes\n");
}

static void copy_with_a_tail_is_the_same_message(void)
{
    check_events(
        LINES(HEADER,
              AGENT("00:01.000", "The cache key lacks the month."
                                 "\\n<oai-mem-citation/>"),
              AGENT_EVENT("00:01.000", "The cache key lacks the month.")),
        "assistant: The cache key lacks the month.\n"
        "<oai-mem-citation/>\n");
}

static void words_of_the_program_beside_a_prompt_are_left_out(void)
{
    check_events(LINES(HEADER, TURN("00:00.000", "t1"),
                       USER("00:01.000", "Remember the rules."),
                       USER("00:01.000", "sort the list"),
                       USER_EVENT("00:01.000", "sort the list"),
                       TURN("00:09.000", "t2"),
                       USER("00:09.000", "and reverse it")),
                 "user: sort the list\nuser: and reverse it\n");
}

static void wrapper_in_a_clean_stream_makes_no_turn_clean(void)
{
    check_events(LINES(HEADER, TURN("00:00.000", "t1"),
                       USER_EVENT("00:01.000", "<environment_context>x"
                                               "</environment_context>"),
                       USER("00:01.000", "sort the list")),
                 "user: sort the list\n");
}

static void completed_item_may_have_a_plain_text(void)
{
    check_events(
        LINES(HEADER, EVENT("00:01.000",
                            "{\"type\":\"item_completed\",\"item\":{"
                            "\"type\":\"AgentMessage\",\"text\":\"Done.\"}}")),
        "assistant: Done.\n");
}

static void context_of_an_editor_is_cut_off_the_prompt(void)
{
    check_events(
        LINES(HEADER, USER_EVENT("00:01.000",
                                 "# Context from my IDE setup:\\n\\n## Open "
                                 "tabs:\\n- a.c\\n\\n## My request for "
                                 "Codex:\\nrename the flag")),
        "user: rename the flag\n");
}

static void pictures_become_a_mark(void)
{
    check_events(
        LINES(HEADER,
              ITEM("00:01.000",
                   "{\"type\":\"message\",\"role\":\"user\",\"content\":["
                   "{\"type\":\"input_text\",\"text\":\"<image "
                   "name=[Image #1]>\"},{\"type\":\"input_image\","
                   "\"image_url\":\"data:image/png;base64,AAAA\"},{\"type\":"
                   "\"input_text\",\"text\":\"</image>\"},{\"type\":"
                   "\"input_text\",\"text\":\"what is this\"}]}")),
        "user: [image]\nwhat is this\n");
}

static void calls_have_command_state_and_output(void)
{
    struct story story;

    read_text(
        &story,
        LINES(
            HEADER,
            CALL("00:01.000", "c1", "exec_command",
                 "{\\\"cmd\\\":\\\"make test\\\",\\\"workdir\\\":\\\"/x\\\"}"),
            OUTPUT("00:02.000", "c1",
                   "Chunk ID: 1\\nWall time: 0.1 seconds\\nProcess exited with "
                   "code 2\\nOutput:\\nmake: *** [test] Error 2\\n"),
            CALL("00:03.000", "c2", "shell",
                 "{\\\"command\\\":[\\\"bash\\\",\\\"-lc\\\",\\\"ls "
                 "-a\\\"]}"),
            OUTPUT("00:04.000", "c2",
                   "{\\\"output\\\":\\\"a\\\\nb\\\","
                   "\\\"metadata\\\":{\\\"exit_code\\\":0}}"),
            CALL("00:05.000", "c3", "view_image",
                 "{\\\"path\\\":\\\"/x.png\\\"}"),
            ITEM("00:06.000", "{\"type\":\"function_call_output\","
                              "\"call_id\":\"c3\",\"output\":[{\"type\":"
                              "\"input_image\",\"image_url\":\"data:\"}]}")));
    CHECK_STR(story_events(&story), "tool exec_command failed: make test\n"
                                    "tool shell ok: ls -a\n"
                                    "tool view_image ?: /x.png\n");
    CHECK_STR(story.talk.events[0].output.data, "make: *** [test] Error 2");
    CHECK_STR(story.talk.events[0].command.data, "make test");
    CHECK_STR(story.talk.events[1].command.data, "ls -a");
    CHECK_STR(story.talk.events[1].output.data, "a\nb");
    CHECK_STR(story.talk.events[2].command.data, "");
    story_finish(&story);
}

static void end_event_tells_the_exit_code(void)
{
    check_events(
        LINES(HEADER,
              CALL("00:01.000", "c1", "exec_command",
                   "{\\\"cmd\\\":\\\"false\\\"}"),
              EVENT("00:02.000", "{\"type\":\"exec_command_end\",\"call_id\":"
                                 "\"c1\",\"exit_code\":1,\"stdout\":\"\"}"),
              OUTPUT("00:02.000", "c1", "odd text"),
              CALL("00:03.000", "c2", "exec_command",
                   "{\\\"cmd\\\":\\\"true\\\"}"),
              EVENT("00:04.000", "{\"type\":\"item_completed\",\"item\":{"
                                 "\"type\":\"CommandExecution\",\"id\":\"c2\","
                                 "\"exit_code\":0}}")),
        "tool exec_command failed: false\ntool exec_command ok: true\n");
}

static void patches_programs_and_searches_are_described(void)
{
    struct story story;

    read_text(
        &story,
        LINES(HEADER,
              ITEM("00:01.000",
                   "{\"type\":\"custom_tool_call\",\"call_id\":\"c1\","
                   "\"name\":\"apply_patch\",\"input\":\"*** Begin Patch\\n"
                   "*** Update File: a.c\\n+x\\n*** Add File: b.c\\n+y\\n"
                   "*** End Patch\"}"),
              ITEM("00:02.000",
                   "{\"type\":\"custom_tool_call_output\",\"call_id\":\"c1\","
                   "\"output\":\"apply_patch verification failed: a.c\"}"),
              ITEM("00:03.000",
                   "{\"type\":\"custom_tool_call\",\"call_id\":\"c2\","
                   "\"name\":\"exec\",\"input\":\"const r = await "
                   "tools.exec_command({\\\"cmd\\\":\\\"make all\\\"});\"}"),
              ITEM("00:04.000",
                   "{\"type\":\"web_search_call\",\"action\":{\"type\":"
                   "\"search\",\"query\":\"sqlite busy timeout\"}}"),
              ITEM("00:05.000", "{\"type\":\"local_shell_call\",\"call_id\":"
                                "\"c3\",\"action\":{\"type\":\"exec\","
                                "\"command\":[\"git\",\"status\"]}}")));
    CHECK_STR(story_events(&story), "tool apply_patch failed: a.c, b.c\n"
                                    "tool exec ?: make all\n"
                                    "tool web_search ?: sqlite busy timeout\n"
                                    "tool local_shell ?: git status\n");
    CHECK_STR(story.talk.events[1].command.data, "make all");
    CHECK_STR(story.talk.events[3].command.data, "git status");
    story_finish(&story);
}

static void jezero_calls_leave_nothing(void)
{
    check_events(
        LINES(HEADER,
              CALL("00:01.000", "c1", "mcp__jezero__search",
                   "{\\\"query\\\":\\\"heliotrope\\\"}"),
              OUTPUT("00:02.000", "c1", "heliotrope chosen"),
              ITEM("00:03.000",
                   "{\"type\":\"function_call\",\"namespace\":"
                   "\"mcp__jezero\",\"name\":\"later\",\"arguments\":\"{}\","
                   "\"call_id\":\"c2\"}"),
              OUTPUT("00:04.000", "c2", "heliotrope"),
              ITEM("00:05.000",
                   "{\"type\":\"custom_tool_call\",\"name\":\"exec\","
                   "\"call_id\":\"c3\",\"input\":\"text(await tools."
                   "mcp__jezero__search({query:'heliotrope'}))\"}"),
              ITEM("00:06.000", "{\"type\":\"custom_tool_call_output\","
                                "\"call_id\":\"c3\",\"output\":\"Script "
                                "failed\\nheliotrope\"}"),
              CALL("00:07.000", "c4", "exec_command",
                   "{\\\"cmd\\\":\\\"jezero-client show 3\\\"}"),
              OUTPUT("00:08.000", "c4",
                     "Process exited with code 1\\n"
                     "Output:\\nheliotrope"),
              AGENT("00:09.000", "The purple one.")),
        "assistant: The purple one.\n");
}

static void history_of_the_parent_is_left_out(void)
{
    struct story story;

    read_text(&story,
              LINES(HEADER,
                    LINE("00:00.100", "session_meta",
                         "{\"id\":\"" PARENT "\",\"timestamp\":"
                         "\"2026-04-20T08:00:00Z\",\"cwd\":\"/other\"}"),
                    USER("00:00.100", "old question"),
                    AGENT("00:00.200", "old answer"),
                    LINE("00:00.300", "compacted", "{\"message\":\"\"}"),
                    USER("05:00.000", "new question"),
                    AGENT("06:00.000", "new answer")));
    CHECK_STR(story_events(&story),
              "user: new question\nassistant: new answer\n");
    CHECK_INT(story.talk.records_copied, 3);
    CHECK_STR(story.talk.parent.data, PARENT);
    CHECK_STR(story.talk.session.data, SESSION);
    CHECK_STR(story.talk.folder.data, "/home/ana/atlas");
    story_finish(&story);
}

/* The ids of turns tell old from new within the same second. 019de2e2 is in the
 * first minutes of 2026-05-01 10 o'clock, 019dc0 days before. */
static void turn_of_the_session_itself_ends_the_history(void)
{
    check_events(
        LINES(HEADER,
              LINE("00:00.100", "session_meta", "{\"id\":\"" PARENT "\"}"),
              TURN("00:00.100", "019dc000-0000-7000-8000-000000000001"),
              USER("00:00.100", "old question"),
              TURN("00:05.000", "019dc000-0000-7000-8000-000000000002"),
              USER("00:05.000", "old too"),
              TURN("00:00.300", "019de300-0000-7000-8000-000000000003"),
              USER("00:00.400", "new question")),
        "user: new question\n");
}

static void repeated_header_of_the_session_itself_changes_nothing(void)
{
    struct story story;

    read_text(&story, LINES(HEADER, USER("00:01.000", "one"), HEADER,
                            USER("00:01.500", "two")));
    CHECK_STR(story_events(&story), "user: one\nuser: two\n");
    CHECK_INT(story.talk.records_copied, 0);
    CHECK_STR(story.talk.parent.data, "");
    story_finish(&story);
}

static void sub_agents_are_marked(void)
{
    static const char *const marks[] = {
        "\"source\":{\"subagent\":\"review\"}",
        "\"source\":{\"subagent\":{\"thread_spawn\":{\"depth\":1}}}",
        "\"source\":\"cli\",\"thread_source\":\"subagent\"",
    };
    size_t i;

    for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        struct jz__buf text = JZ__BUF_INIT;
        struct story story;

        jz__buf_printf(&text,
                       "{\"timestamp\":\"2026-05-01T10:00:00Z\",\"type\":"
                       "\"session_meta\",\"payload\":{\"id\":\"x\",%s}}\n",
                       marks[i]);
        read_text(&story, LINES(text.data));
        CHECK(story.talk.is_subagent);
        story_finish(&story);
        jz__buf_finish(&text);
    }
}

static void compaction_is_a_boundary_and_its_copy_no_text(void)
{
    check_events(
        LINES(HEADER, USER("00:01.000", "before"),
              LINE("00:02.000", "compacted",
                   "{\"message\":\"summary words\",\"replacement_history\":[{"
                   "\"type\":\"message\",\"role\":\"user\",\"content\":[{"
                   "\"type\":\"input_text\",\"text\":\"before\"}]}]}"),
              EVENT("00:02.000", "{\"type\":\"context_compacted\"}"),
              USER("00:03.000", "after"), USER("00:04.000", "later")),
        "user: before\n-- user: after\nuser: later\n");
}

static void boundary_survives_a_message_that_is_left_out(void)
{
    check_events(LINES(HEADER, TURN("00:00.000", "t1"),
                       LINE("00:00.500", "compacted", "{}"),
                       USER("00:01.000", "Remember the rules."),
                       USER_EVENT("00:02.000", "go on")),
                 "-- user: go on\n");
}

static void thread_name_is_the_title(void)
{
    struct story story;

    read_text(&story,
              LINES(HEADER, USER("00:01.000", "hello"),
                    EVENT("00:02.000", "{\"type\":\"thread_name_updated\","
                                       "\"thread_name\":\"First\"}"),
                    EVENT("00:03.000", "{\"type\":\"thread_name_updated\","
                                       "\"thread_name\":\"Fix tiles\"}")));
    CHECK_STR(story.talk.title.data, "Fix tiles");
    story_finish(&story);
}

static void oldest_format_without_envelope_is_read(void)
{
    struct story story;

    story_read(
        &story, &jz__connector_codex, FILE_NAME,
        "{\"id\":\"5d2\",\"timestamp\":\"2025-05-01T10:00:00Z\","
        "\"instructions\":null,\"git\":{\"branch\":\"dev\"}}\n"
        "{\"record_type\":\"state\"}\n"
        "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
        "\"input_text\",\"text\":\"hello\"}]}\n"
        "{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":"
        "\"{\\\"command\\\":[\\\"ls\\\"]}\",\"call_id\":\"c1\"}\n"
        "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":"
        "\"{\\\"output\\\":\\\"x\\\",\\\"metadata\\\":{\\\"exit_code\\\":1}}"
        "\"}\n"
        "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":"
        "\"output_text\",\"text\":\"hi\"}]}\n");
    CHECK_INT(story.r, 0);
    CHECK_STR(story_events(&story),
              "user: hello\ntool shell failed: ls\nassistant: hi\n");
    CHECK_STR(story.talk.session.data, "5d2");
    CHECK_STR(story.talk.git_branch.data, "dev");
    CHECK_INT(story.talk.events[0].time_ms, INT64_C(1746093600000));
    CHECK_INT(story.talk.records_unknown, 0);
    story_finish(&story);
}

static void unknown_kinds_are_counted(void)
{
    struct story story;

    read_text(&story,
              LINES(HEADER, LINE("00:01.000", "some_future_kind", "{\"x\":1}"),
                    LINE("00:01.000", "world_state", "{\"full\":true}"),
                    USER("00:02.000", "hello")));
    CHECK_INT(story.talk.records_unknown, 1);
    CHECK_STR(story_events(&story), "user: hello\n");
    story_finish(&story);
}

static void keys_depend_on_time_role_and_words_alone(void)
{
    struct story a;
    struct story b;

    read_text(&a,
              LINES(HEADER, USER("00:01.000", "hello"),
                    AGENT("00:01.000", "hello"), USER("00:02.000", "hello")));
    read_text(&b, LINES(USER("00:01.000", "hello")));
    CHECK_INT(a.talk.count, 3);
    CHECK(a.talk.events[0].key == b.talk.events[0].key);
    CHECK(a.talk.events[1].key != b.talk.events[0].key);
    CHECK(a.talk.events[2].key != b.talk.events[0].key);
    story_finish(&a);
    story_finish(&b);
}

static void odd_shapes_are_survived(void)
{
    check_events(
        LINES("{}\n", HEADER, ITEM("00:01.000", "{}"), ITEM("00:01.000", "[]"),
              ITEM("00:01.000", "{\"type\":\"message\",\"role\":\"user\"}"),
              ITEM("00:01.000", "{\"type\":\"message\",\"role\":\"user\","
                                "\"content\":[1,null,{\"text\":{}}]}"),
              ITEM("00:01.000", "{\"type\":\"function_call\"}"),
              OUTPUT("00:01.000", "", "x"),
              ITEM("00:01.000", "{\"type\":"
                                "\"function_call_output\","
                                "\"call_id\":\"c\",\"output\":7}"),
              EVENT("00:01.000", "{\"type\":\"item_completed\"}"),
              EVENT("00:01.000", "{\"type\":null}"),
              CALL("00:01.000", "c9", "f", "{broken"),
              USER("00:02.000", "hello")),
        "tool  ?: \ntool f ?: {broken\nuser: hello\n");
}

static void other_files_are_refused(void)
{
    struct story story;

    read_text(&story,
              LINES("{\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n"));
    CHECK_INT(story.r, JZ_EINVAL);
    CHECK(strstr(story.error.message, "Codex") != NULL);
    story_finish(&story);
}

static void paths_and_first_lines_tell_rollouts(void)
{
    const struct jz__connector *c = &jz__connector_codex;

    CHECK(c->is_session_path("/h/.codex/sessions/2026/05/01/" FILE_NAME));
    CHECK(c->is_session_path("/h/.codex/archived_sessions/" FILE_NAME ".zst"));
    CHECK(!c->is_session_path("/h/.codex/session_index.jsonl"));
    CHECK(jz__str_is(c->session_of_path("/x/" FILE_NAME), SESSION));
    CHECK(jz__str_is(c->session_of_path("/x/" FILE_NAME ".zst"), SESSION));
    CHECK(jz__str_is(c->session_of_path("/x/rollout-1.jsonl"), ""));
    CHECK(c->is_transcript(jz__str_of(HEADER)));
    CHECK(c->is_transcript(jz__str_of(USER("00:01.000", "x"))));
    CHECK(!c->is_transcript(jz__str_of("{\"type\":\"user\"}\n")));
}

static void connectors_are_found_by_name_and_content(void)
{
    struct tmpdir dir;

    CHECK(jz__connector_find("codex") == &jz__connector_codex);
    CHECK(jz__connector_find("claude-code") == &jz__connector_claude_code);
    CHECK(jz__connector_find("emacs") == NULL);
    tmpdir_make(&dir);
    CHECK(jz__connector_detect(tmpdir_write(
              &dir, "a", HEADER, strlen(HEADER))) == &jz__connector_codex);
    CHECK(jz__connector_detect(tmpdir_write(
              &dir, "b", "{\"type\":\"mode\",\"sessionId\":\"x\"}", 31)) ==
          &jz__connector_claude_code);
    CHECK(jz__connector_detect(tmpdir_write(&dir, "c", "hello\n", 6)) == NULL);
    CHECK(jz__connector_detect(tmpdir_path(&dir, "none")) == NULL);
    tmpdir_remove(&dir);
}

/* Written by Codex CLI 0.171.0, with hooks, and resumed once. */
static void recorded_rollout_gives_each_message_once(void)
{
    struct story story;

    story_open(&story, &jz__connector_codex,
               "codex/rollout-2026-11-30T17-25-04-01a22d7d-1e34-7c31-a114-"
               "af91a685ace4.jsonl");
    CHECK_INT(story.r, 0);
    CHECK_STR(story_events(&story), "user: please say hi\n"
                                    "tool exec_command ok: echo hi-from-tool\n"
                                    "assistant: All done.\n"
                                    "user: again\n"
                                    "assistant: All done.\n");
    CHECK_STR(story.talk.session.data, "01a22d7d-1e34-7c31-a114-af91a685ace4");
    CHECK_STR(story.talk.folder.data, "/home/me/projects/demo");
    CHECK_INT(story.talk.records_unknown, 0);
    story_finish(&story);
}

int main(void)
{
    TAP_RUN(header_gives_session_folder_and_branch);
    TAP_RUN(mirrored_messages_come_once);
    TAP_RUN(completed_items_alone_are_read);
    TAP_RUN(response_items_alone_are_read_without_wrappers);
    TAP_RUN(mirrors_may_come_and_go);
    TAP_RUN(same_words_twice_are_two_messages);
    TAP_RUN(copy_with_a_tail_is_the_same_message);
    TAP_RUN(words_of_the_program_beside_a_prompt_are_left_out);
    TAP_RUN(wrapper_in_a_clean_stream_makes_no_turn_clean);
    TAP_RUN(completed_item_may_have_a_plain_text);
    TAP_RUN(context_of_an_editor_is_cut_off_the_prompt);
    TAP_RUN(pictures_become_a_mark);
    TAP_RUN(calls_have_command_state_and_output);
    TAP_RUN(end_event_tells_the_exit_code);
    TAP_RUN(patches_programs_and_searches_are_described);
    TAP_RUN(jezero_calls_leave_nothing);
    TAP_RUN(history_of_the_parent_is_left_out);
    TAP_RUN(turn_of_the_session_itself_ends_the_history);
    TAP_RUN(repeated_header_of_the_session_itself_changes_nothing);
    TAP_RUN(sub_agents_are_marked);
    TAP_RUN(compaction_is_a_boundary_and_its_copy_no_text);
    TAP_RUN(boundary_survives_a_message_that_is_left_out);
    TAP_RUN(thread_name_is_the_title);
    TAP_RUN(oldest_format_without_envelope_is_read);
    TAP_RUN(unknown_kinds_are_counted);
    TAP_RUN(keys_depend_on_time_role_and_words_alone);
    TAP_RUN(odd_shapes_are_survived);
    TAP_RUN(other_files_are_refused);
    TAP_RUN(paths_and_first_lines_tell_rollouts);
    TAP_RUN(connectors_are_found_by_name_and_content);
    TAP_RUN(recorded_rollout_gives_each_message_once);
    return tap_done();
}
