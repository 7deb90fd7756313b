/* SPDX-License-Identifier: Apache-2.0 */
/* Claude Code's transcripts: what becomes a message, and what never does. */
#include "ingest/connector.h"

#include "story.h"
#include "tap.h"

#define SESSION "7d3c1f52-0a4b-4c5d-8e6f-112233445566"
#define FILE_NAME SESSION ".jsonl"

/* The members that every record of the conversation has. */
#define ENVELOPE(id, second)                                                   \
    "\"uuid\":\"5f0e0000-0000-4000-8000-0000000000" id "\","                   \
    "\"sessionId\":\"" SESSION "\",\"cwd\":\"/home/ana/shop\","                \
    "\"gitBranch\":\"main\",\"timestamp\":\"2026-02-03T10:00:" second          \
    ".000Z\""

#define USER(id, second, text)                                                 \
    "{\"type\":\"user\"," ENVELOPE(                                            \
        id, second) ",\"message\":{\"role\":\"user\",\"content\":" text "}}\n"

#define AGENT(id, second, blocks)                                              \
    "{" ENVELOPE(id, second) ",\"message\":{\"id\":\"msg_1\",\"role\":"        \
                             "\"assistant\",\"content\":[" blocks              \
                             "]},\"type\":\"assistant\"}\n"

#define SAY(text) "{\"type\":\"text\",\"text\":\"" text "\"}"

#define CALL(id, name, input)                                                  \
    "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name                \
    "\",\"input\":" input "}"

#define RESULT(id, rest)                                                       \
    "[{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\"," rest "}]"

static void read_text(struct story *story, const char *const *texts)
{
    story_read_lines(story, &jz__connector_claude_code, FILE_NAME, texts);
}

/* Read text and compare its events. */
static void check_events(const char *const *texts, const char *events)
{
    struct story story;

    read_text(&story, texts);
    CHECK_INT(story.r, 0);
    CHECK_STR(story_events(&story), events);
    story_finish(&story);
}

static void prompts_replies_and_calls_become_events(void)
{
    struct story story;

    read_text(&story, LINES(USER("01", "01", "\"the build is red\""),
                            AGENT("02", "02", SAY("I look at the log.")),
                            AGENT("03", "03",
                                  CALL("t1", "Bash",
                                       "{\"command\":\"make\\n test\","
                                       "\"description\":\"run\"}")),
                            USER("04", "04",
                                 RESULT("t1", "\"content\":\"12 passed\","
                                              "\"is_error\":false")),
                            AGENT("05", "05", SAY("All green."))));
    CHECK_INT(story.r, 0);
    CHECK_STR(story_events(&story), "user: the build is red\n"
                                    "assistant: I look at the log.\n"
                                    "tool Bash ok: make test\n"
                                    "assistant: All green.\n");
    CHECK_STR(story.talk.session.data, SESSION);
    CHECK_STR(story.talk.folder.data, "/home/ana/shop");
    CHECK_STR(story.talk.git_branch.data, "main");
    CHECK_INT(story.talk.lines, 5);
    CHECK_STR(story.talk.events[2].command.data, "make\n test");
    CHECK_STR(story.talk.events[2].output.data, "12 passed");
    CHECK_INT(story.talk.events[0].time_ms, INT64_C(1770112801000));
    story_finish(&story);
}

static void thinking_images_and_program_errors_are_left_out(void)
{
    check_events(
        LINES(AGENT("01", "01",
                    "{\"type\":\"thinking\",\"thinking\":\"secret plan\"},"
                    "{\"type\":\"redacted_thinking\",\"data\":\"xx\"}," SAY(
                        "Here.")),
              USER("02", "02",
                   "[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                   "\"data\":\"iVBORw0KGgo\"}},{\"type\":\"text\","
                   "\"text\":\"this screen is wrong\"}]"),
              "{", ENVELOPE("03", "03"), ",\"t", "ype", "\":", "\"as", "sist",
              "ant", "\",", "\"is", "ApiE", "rror", "Mess", "age",
              "\":", "true", ",\"m", "essa", "ge\"", ":{", "\"ro", "le\"", ":",
              "\"as", "sist", "ant", "\",", "\"co", "nten", "t\":", "[",
              SAY("API Error: 500"), "]}}\n", "{", ENVELOPE("04", "04"),
              ",\"type\":\"assistant\",",
              "\"message\":{\"model\":\"<synthetic>\",\"role\":",
              "\"assistant\",\"content\":[", SAY("No response requested."),
              "]}}\n"),
        "assistant: Here.\nuser: [image]\nthis screen is wrong\n");
}

static void blocks_of_one_reply_stay_in_order_with_keys_of_their_own(void)
{
    struct story story;

    read_text(&story, LINES(AGENT("01", "01", SAY("One.") "," SAY("One."))));
    CHECK_STR(story_events(&story), "assistant: One.\nassistant: One.\n");
    CHECK(story.talk.events[0].key != story.talk.events[1].key);
    story_finish(&story);
}

static void sidechain_lines_are_left_out(void)
{
    check_events(LINES(USER("01", "01", "\"main question\""),
                       "{\"type\":\"user\",\"isSidechain\":true,",
                       "\"agentId\":\"a1\",", ENVELOPE("02", "02"),
                       ",\"message\":{\"role\":\"user\",",
                       "\"content\":\"Warmup\"}}\n"),
                 "user: main question\n");
}

static void file_of_a_sub_agent_is_marked(void)
{
    static const char text[] =
        "{\"type\":\"user\",\"isSidechain\":true,\"agentId\":\"a1\"," ENVELOPE(
            "02", "02") ",\"message\":{\"role\":\"user\","
                        "\"content\":\"Warmup\"}}\n";
    struct story story;

    read_text(&story, LINES(text));
    CHECK(story.talk.is_subagent);
    CHECK_INT(story.talk.count, 0);
    story_finish(&story);

    story_read(&story, &jz__connector_claude_code, "agent-1f.jsonl",
               USER("01", "01", "\"hello\""));
    CHECK(story.talk.is_subagent);
    story_finish(&story);
}

static void records_of_the_program_are_no_users_words(void)
{
    check_events(
        LINES(
            "{\"type\":\"user\",\"isMeta\":true,", ENVELOPE("01", "01"),
            ",\"message\":{\"role\":\"user\",\"content\":\"skill ",
            "body\"}}\n", "{\"type\":\"user\",\"origin\":{\"kind\":\"task-",
            "notification\"},", ENVELOPE("02", "02"),
            ",\"message\":{\"role\":\"user\",\"content\":", "\"task done\"}}\n",
            "{\"type\":\"user\",\"origin\":{\"kind\":\"human\"}", ",",
            ENVELOPE("03", "03"), ",\"message\":{\"role\":\"user\",",
            "\"content\":\"typed\"}}\n",
            USER("04", "04",
                 "\"<"
                 "command"
                 "-name>/"
                 "clear</"
                 "command"
                 "-name>"
                 "\""),
            USER("05", "05",
                 "\"<local-command-stdout>bye</"
                 "local-command-stdout>\""),
            USER("06", "06",
                 "[{\"type\":\"text\","
                 "\"text\":"
                 "\"[Request interrupted by "
                 "user]\"}]"),
            USER("07", "07",
                 "\"<command-message>"
                 "brainstorm</"
                 "command-message>\\n"
                 "<command-name>/"
                 "brainstorm</"
                 "command-name>\\n"
                 "<command-args>how do "
                 "we name the new "
                 "shop</command-args>\"")),
        "user: typed\nuser: how do we name the new shop\n");
}

static void reminders_are_cut_out_of_a_prompt(void)
{
    check_events(
        LINES(USER(
            "01", "01",
            "\"<system-reminder>\\nRecent work on project `shop` in Jezero "
            "(newest first):\\n- [3] 2026-05-01 Chart colours\\n"
            "</system-reminder>\\nfix the footer link\"")),
        "user: fix the footer link\n");
}

static void jezero_calls_and_results_leave_nothing(void)
{
    struct story story;

    read_text(
        &story,
        LINES(
            "{\"type\":\"attachment\",", ENVELOPE("01", "01"),
            ",\"attachment\":{\"type\":\"hook_additional_context\",",
            "\"content\":",
            "[\"Recent work on project `shop` in Jezero (newest ", "first):\\n",
            "- [3] heliotrope\"]}}\n",
            USER("02", "02", "\"which colour did we pick\""),
            AGENT("03", "03",
                  CALL("t1", "mcp__jezero__search",
                       "{\"query\":\"heliotrope\"}")),
            USER("04", "04", RESULT("t1", "\"content\":\"heliotrope chosen\"")),
            AGENT("05", "05",
                  CALL("t2", "mcp__plugin_memory_jezero__later",
                       "{\"query\":\"heliotrope\"}")),
            USER("06", "06",
                 RESULT("t2", "\"is_error\":true,"
                              "\"content\":\"heliotrope failed\"")),
            AGENT("07", "07",
                  CALL("t3", "Bash",
                       "{\"command\":"
                       "\"jezero-client search "
                       "heliotrope\"}")),
            USER("08", "08",
                 RESULT("t3", "\"content\":\"[3] "
                              "heliotrope\"")),
            USER("09", "09",
                 RESULT("t4", "\"content\":"
                              "\"heliotrope early\"")),
            AGENT("10", "10", CALL("t4", "jezero_get_item", "{\"item_id\":3}")),
            AGENT("11", "11",
                  SAY("The purple "
                      "one."))));
    CHECK_STR(story_events(&story), "user: which colour did we pick\n"
                                    "assistant: The purple one.\n");
    story_finish(&story);
}

static void failed_calls_keep_their_output(void)
{
    struct story story;

    read_text(
        &story,
        LINES(
            AGENT(
                "01", "01",
                CALL("t1", "Read",
                     "{\"file_path\":\"/home/ana/x.c\"}") "," CALL("t2", "Read",
                                                                   "{\"file_"
                                                                   "path\":\"/"
                                                                   "home/ana/"
                                                                   "y.c\"}")),
            USER("02", "02",
                 RESULT("t1", "\"is_error\":true,\"content\":"
                              "\"<tool_use_error>File does not exist."
                              "</tool_use_error>\"")),
            USER("03", "03", RESULT("t2", "\"content\":\"int error;\""))));
    CHECK_STR(story_events(&story), "tool Read failed: /home/ana/x.c\n"
                                    "tool Read ok: /home/ana/y.c\n");
    CHECK_STR(story.talk.events[0].output.data,
              "<tool_use_error>File does not exist.</tool_use_error>");
    CHECK_STR(story.talk.events[1].output.data, "");
    story_finish(&story);
}

static void result_before_its_call_is_joined(void)
{
    struct story story;

    read_text(&story,
              LINES(USER("02", "02",
                         RESULT("t1", "\"is_error\":true,"
                                      "\"content\":\"no space\"")),
                    AGENT("01", "01",
                          CALL("t1", "Bash", "{\"command\":\"cp a b\"}"))));
    CHECK_STR(story_events(&story), "tool Bash failed: cp a b\n");
    CHECK_STR(story.talk.events[0].output.data, "no space");
    story_finish(&story);
}

static void words_of_a_refusal_are_the_users(void)
{
    check_events(
        LINES(
            AGENT("01", "01", CALL("t1", "Edit", "{\"file_path\":\"/a.c\"}")),
            USER(
                "02", "02",
                RESULT(
                    "t1",
                    "\"is_error\":true,\"content\":\"The user doesn't want to "
                    "proceed with this tool use. The tool use was rejected. To "
                    "tell you how to proceed, the user said:\\nuse a map\""))),
        "tool Edit ?: /a.c\nuser: use a map\n");
}

static void answers_to_questions_are_the_users(void)
{
    check_events(
        LINES(
            AGENT("01", "01",
                  CALL("t1", "AskUserQuestion", "{\"questions\":[]}")),
            USER(
                "02", "02",
                RESULT(
                    "t1",
                    "\"content\":\"User has answered your questions: \\\"Which "
                    "base?\\\"=\\\"SQLite\\\". You can now continue with the "
                    "user's answers in mind.\""))),
        "tool AskUserQuestion ok: \nuser: \"Which base?\"=\"SQLite\".\n");
}

static void compaction_is_a_boundary_and_its_summary_no_text(void)
{
    check_events(
        LINES(USER("01", "01", "\"before\""),
              "{\"type\":\"system\",\"subtype\":", "\"compact_boundary\",",
              ENVELOPE("02", "02"), "}\n", "{\"type\":\"user\",",
              "\"isCompactSummary\":true,", "\"isVisibleInTranscriptOnly\"",
              ":true,", ENVELOPE("03", "03"), ",\"message\":{",
              "\"role\":\"user\",", "\"content\":\"This ", "session is being ",
              "continued from a ", "previous ", "conversation that ", "ran ",
              "out.\"}}\n", USER("04", "04", "\"after\""),
              USER("05", "05", "\"later\"")),
        "user: before\n-- user: after\nuser: later\n");
}

static void queued_prompt_becomes_a_message_once(void)
{
    static const char queue[] =
        "{\"type\":\"queue-operation\",\"operation\":\"enqueue\","
        "\"timestamp\":\"2026-02-03T10:00:02.000Z\",\"sessionId\":\"" SESSION
        "\",\"content\":\"and the logs too\"}\n";
    static const char attached[] = "{\"type\":\"attachment\"," ENVELOPE(
        "03",
        "03") ",\"attachment\":{\"type\":\"queued_command\",\"commandMode\":"
              "\"prompt\",\"prompt\":\"and the logs too\"}}\n";
    static const char want[] = "user: start\nuser: and the logs too\n";
    struct jz__buf text = JZ__BUF_INIT;
    int streams;

    for (streams = 1; streams < 8; streams++) {
        jz__buf_clear(&text);
        jz__buf_puts(&text, USER("01", "01", "\"start\""));
        jz__buf_puts(&text, (streams & 1) != 0 ? queue : "");
        jz__buf_puts(&text, (streams & 2) != 0 ? attached : "");
        jz__buf_puts(&text, (streams & 4) != 0
                                ? USER("04", "04", "\"and the logs too\"")
                                : "");
        check_events(LINES(text.data), want);
    }
    jz__buf_finish(&text);
}

static void queue_of_the_program_is_no_prompt(void)
{
    check_events(
        LINES("{\"type\":\"queue-operation\",\"operation\":\"enqueue\","
              "\"content\":",
              "\"<task-notification>\\n<task-id>b1</task-id>\"}\n",
              "{\"type\":\"queue-operation\",\"operation\":\"enqueue\","
              "\"content\":",
              "\"/theme\"}\n",
              "{\"type\":\"queue-operation\",\"operation\":\"enqueue\","
              "\"content\":",
              "\"changed my mind\"}\n",
              "{\"type\":\"queue-operation\",\"operation\":\"popAll\"}\n",
              "{\"type\":\"attachment\",", ENVELOPE("03", "03"),
              ",\"attachment\":{\"type\":\"queued_command\",",
              "\"origin\":{\"kind\":",
              "\"task-notification\"},\"prompt\":\"agent ended\"}}\n"),
        "");
}

static void check_title(const char *text, const char *title)
{
    struct story story;

    read_text(&story, LINES(text));
    CHECK_STR(story.talk.title.data, title);
    story_finish(&story);
}

static void best_title_wins(void)
{
    static const char ours[] = "{\"type\":\"summary\",\"summary\":\"Ours\","
                               "\"leafUuid\":\"5f0e0000-0000-4000-8000-"
                               "000000000001\"}\n";
    static const char other[] = "{\"type\":\"summary\",\"summary\":\"Other\","
                                "\"leafUuid\":\"5f0e0000-0000-4000-8000-"
                                "000000000077\"}\n";
    static const char made[] =
        "{\"type\":\"ai-title\",\"aiTitle\":\"First\"}\n"
        "{\"type\":\"ai-title\",\"aiTitle\":\"Second\\nline\"}\n";
    static const char typed[] =
        "{\"type\":\"custom-title\",\"customTitle\":\"Mine\"}\n";
    static const char prompt[] = USER("01", "01", "\"hello\"");
    struct jz__buf text = JZ__BUF_INIT;

    jz__buf_puts(&text, other);
    jz__buf_puts(&text, prompt);
    check_title(text.data, "");
    jz__buf_clear(&text);
    jz__buf_puts(&text, ours);
    jz__buf_puts(&text, other);
    jz__buf_puts(&text, prompt);
    check_title(text.data, "Ours");
    jz__buf_puts(&text, made);
    check_title(text.data, "Second line");
    jz__buf_puts(&text, typed);
    jz__buf_puts(&text, made);
    check_title(text.data, "Mine");
    jz__buf_finish(&text);
}

static void copy_of_a_message_has_its_key_under_another_session(void)
{
    static const char parent[] =
        "{\"type\":\"user\",\"uuid\":\"5f0e0000-0000-4000-8000-000000000001\","
        "\"sessionId\":\"" SESSION "\",\"timestamp\":"
        "\"2026-03-02T09:00:00Z\",\"message\":{\"role\":\"user\","
        "\"content\":\"code 17\"}}\n";
    static const char fork[] =
        "{\"type\":\"user\",\"uuid\":\"5f0e0000-0000-4000-8000-000000000001\","
        "\"sessionId\":\"8d3c1f52-0a4b-4c5d-8e6f-112233445566\",\"timestamp\":"
        "\"2026-03-05T14:00:00Z\",\"message\":{\"role\":\"user\","
        "\"content\":\"code 17\"}}\n"
        "{\"type\":\"user\",\"uuid\":\"5f0e0000-0000-4000-8000-000000000002\","
        "\"timestamp\":\"2026-03-05T14:00:01Z\",\"message\":{\"role\":"
        "\"user\",\"content\":\"code 17\"}}\n";
    struct story a;
    struct story b;

    read_text(&a, LINES(parent));
    story_read(&b, &jz__connector_claude_code,
               "8d3c1f52-0a4b-4c5d-8e6f-112233445566.jsonl", fork);
    CHECK_INT(b.talk.count, 2);
    CHECK(a.talk.events[0].key == b.talk.events[0].key);
    CHECK(b.talk.events[0].key != b.talk.events[1].key);
    story_finish(&a);
    story_finish(&b);
}

static void record_without_uuid_dates_the_session_itself(void)
{
    struct story story;

    read_text(
        &story,
        LINES(USER("01", "09", "\"copied\""),
              "{\"type\":\"queue-operation\",\"operation\":", "\"dequeue\",",
              "\"timestamp\":\"2026-02-03T10:00:30.000Z\"}\n",
              "{\"type\":\"queue-operation\",\"operation\":", "\"dequeue\",",
              "\"timestamp\":\"2026-02-03T10:00:20.000Z\"}\n"));
    CHECK_INT(story.talk.own_time_ms, INT64_C(1770112820000));
    story_finish(&story);

    read_text(&story, LINES(USER("01", "09", "\"copied\"")));
    CHECK(story.talk.own_time_ms == INT64_MAX);
    story_finish(&story);
}

static void named_parent_is_told(void)
{
    struct story story;

    read_text(&story,
              LINES("{\"type\":\"user\",", ENVELOPE("01", "01"),
                    ",\"forkedFrom\":{\"sessionId\":\"9d3c1f52\",",
                    "\"messageUuid\":\"x\"},\"message\":{\"role\":\"user\",",
                    "\"content\":\"hi\"}}\n"));
    CHECK_STR(story.talk.parent.data, "9d3c1f52");
    story_finish(&story);
}

static void file_name_is_the_session_among_several(void)
{
    static const char text[] =
        "{\"type\":\"user\",\"sessionId\":\"old-one\",\"timestamp\":"
        "\"2026-02-03T10:00:01Z\",\"message\":{\"content\":\"a\"}}\n"
        "{\"type\":\"user\",\"sessionId\":\"" SESSION "\",\"timestamp\":"
        "\"2026-02-03T10:00:02Z\",\"message\":{\"content\":\"b\"}}\n";
    struct story story;

    read_text(&story, LINES(text));
    CHECK_STR(story.talk.session.data, SESSION);
    CHECK_STR(story_events(&story), "user: a\nuser: b\n");
    story_finish(&story);

    /* A name that is no id gives way to the file's first. */
    story_read(&story, &jz__connector_claude_code, "copy.jsonl", text);
    CHECK_STR(story.talk.session.data, "old-one");
    story_finish(&story);
}

static void events_come_in_the_order_of_time(void)
{
    check_events(
        LINES(USER("01", "05", "\"third\""), USER("02", "01", "\"first\""),
              USER("03", "05", "\"fourth\""), USER("04", "03", "\"second\"")),
        "user: first\nuser: second\nuser: third\nuser: fourth\n");
}

static void record_without_time_has_that_before_it(void)
{
    check_events(
        LINES(USER("01", "05", "\"late\""), "{\"type\":\"user\",\"message\":{",
              "\"content\":\"beside\"}}\n", USER("02", "01", "\"early\"")),
        "user: early\nuser: late\nuser: beside\n");
}

static void unknown_types_are_counted_and_known_ones_skipped(void)
{
    struct story story;

    read_text(
        &story,
        LINES("{\"type\":\"mode\",\"mode\":\"normal\"}\n",
              "{\"parentUuid\":null,\"type\":\"progress\",\"data\":{\"type\":",
              "\"agent_progress\",\"message\":{\"type\":\"user\"}}}\n",
              "{\"type\":\"hologram\",\"x\":1}\n",
              USER("01", "01", "\"hello\"")));
    CHECK_INT(story.r, 0);
    CHECK_INT(story.talk.records_unknown, 1);
    CHECK_INT(story.talk.lines_bad, 0);
    CHECK_STR(story_events(&story), "user: hello\n");
    story_finish(&story);
}

static void skipped_record_hides_nothing_glued_behind_it(void)
{
    check_events(LINES("{\"type\":\"mode\",\"mode\":\"x\"}",
                       USER("01", "01", "\"hello\"")),
                 "user: hello\n");
}

static void lone_surrogates_and_nul_escapes_are_replaced(void)
{
    check_events(LINES(USER("01", "01", "\"stock \\ud83d cut\""),
                       USER("02", "02", "\"low \\udc4d end\""),
                       USER("03", "03", "\"zan\\ud82dzibar\""),
                       USER("04", "04", "\"good \\ud83d\\udc4d\""),
                       USER("05", "05", "\"nul \\u0000 here\""),
                       USER("06", "06", "\"raw \xFF byte\"")),
                 "user: stock \xEF\xBF\xBD cut\n"
                 "user: low \xEF\xBF\xBD end\n"
                 "user: zan\xEF\xBF\xBDzibar\n"
                 "user: good \xF0\x9F\x91\x8D\n"
                 "user: nul \xEF\xBF\xBD here\n"
                 "user: raw \xEF\xBF\xBD byte\n");
}

static void odd_shapes_are_survived(void)
{
    check_events(
        LINES("{\"type\":\"user\"}\n", "{\"type\":\"user\",\"message\":null}\n",
              "{\"type\":\"user\",\"message\":[]}\n",
              "{\"type\":\"user\",\"message\":{\"content\":7}}\n",
              "{\"type\":\"user\",\"message\":{\"content\":[7,null,{}]}}\n",
              "{\"type\":\"assistant\",\"message\":\"text\"}\n",
              "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":",
              "\"tool_use\"},{\"type\":\"text\"}]}}\n",
              "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":",
              "\"tool_result\"}]},\"timestamp\":\"yesterday\"}\n",
              "{\"type\":7}\n", USER("01", "01", "\"hello\"")),
        "tool  ?: \nuser: hello\n");
}

static void long_message_is_cut_with_a_mark(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct story story;
    const char *end = "\xE2\x80\xA6 [25000 characters]";
    int i;

    jz__buf_puts(&text, "{\"type\":\"user\",\"message\":{\"content\":\"");
    for (i = 0; i < 25000; i++) {
        jz__buf_puts(&text, "\xC3\xA9");
    }
    jz__buf_puts(&text, "\"}}\n");
    read_text(&story, LINES(text.data));
    CHECK_INT(story.talk.count, 1);
    CHECK_INT(story.talk.events[0].text.length, 40000 + strlen(end));
    CHECK_STR(story.talk.events[0].text.data + 40000, end);
    story_finish(&story);
    jz__buf_finish(&text);
}

static void other_files_are_refused(void)
{
    struct story story;

    read_text(&story, LINES("not JSON at all\nreally\n"));
    CHECK_INT(story.r, JZ_EINVAL);
    CHECK(strstr(story.error.message, "Claude Code") != NULL);
    story_finish(&story);

    read_text(&story, LINES(""));
    CHECK_INT(story.r, 0);
    CHECK_INT(story.talk.count, 0);
    story_finish(&story);

    memset(&story, 0, sizeof(story));
    CHECK_INT(jz__connector_claude_code.read(&story.talk, "/no/such/file",
                                             &story.error),
              JZ_ENOTFOUND);
    jz__conversation_finish(&story.talk);
    CHECK_INT(
        jz__connector_claude_code.read(&story.talk, "/dev/null", &story.error),
        JZ_EINVAL);
    jz__conversation_finish(&story.talk);
}

static void paths_tell_sessions_from_other_files(void)
{
    const struct jz__connector *c = &jz__connector_claude_code;

    CHECK(c->is_session_path("/h/.claude/projects/-h-shop/" FILE_NAME));
    CHECK(!c->is_session_path("/h/.claude/projects/-h-shop/agent-1f.jsonl"));
    CHECK(!c->is_session_path("/p/" SESSION "/subagents/agent-1f.jsonl"));
    CHECK(!c->is_session_path("/p/" SESSION "/subagents/workflows/w/j.jsonl"));
    CHECK(!c->is_session_path("/h/.claude/history.jsonl"));
    CHECK(!c->is_session_path("/p/" SESSION "/subagents/agent-1f.meta.json"));
    CHECK(jz__str_is(c->session_of_path("/p/" FILE_NAME), SESSION));
    CHECK(jz__str_is(c->session_of_path("/p/agent-1f.jsonl"), ""));
}

static void transcript_is_known_by_its_first_lines(void)
{
    const struct jz__connector *c = &jz__connector_claude_code;

    CHECK(c->is_transcript(jz__str_of(USER("01", "01", "\"x\""))));
    CHECK(c->is_transcript(jz__str_of(
        "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n")));
    CHECK(c->is_transcript(jz__str_of(
        "{\"type\":\"file-history-snapshot\",\"messageId\":\"x\"}\n")));
    CHECK(!c->is_transcript(jz__str_of("{\"type\":\"event_msg\","
                                       "\"payload\":{}}\n")));
    CHECK(!c->is_transcript(jz__str_of("")));
}

/* Written by Claude Code 2.1.197: a session that was resumed, and its fork. */
static void recorded_fork_repeats_the_keys_of_its_parent(void)
{
    struct story parent;
    struct story fork;
    size_t i;

    story_open(&parent, &jz__connector_claude_code,
               "claude-code/2975b54c-9438-4b8a-be6c-17a140d9799d.jsonl");
    story_open(&fork, &jz__connector_claude_code,
               "claude-code/b2122e1e-806f-4d5c-93e6-875d2513cc45.jsonl");
    CHECK_INT(parent.r, 0);
    CHECK_INT(fork.r, 0);
    CHECK_STR(story_events(&parent), "user: please say hi\n"
                                     "tool Bash ok: echo hi-from-tool\n"
                                     "assistant: All done.\n"
                                     "user: again please\n"
                                     "assistant: All done.\n");
    CHECK_STR(story_events(&fork), "user: please say hi\n"
                                   "tool Bash ok: echo hi-from-tool\n"
                                   "assistant: All done.\n"
                                   "user: again please\n"
                                   "assistant: All done.\n"
                                   "user: forked\n"
                                   "assistant: All done.\n");
    for (i = 0; i < parent.talk.count && i < fork.talk.count; i++) {
        CHECK(parent.talk.events[i].key == fork.talk.events[i].key);
    }
    CHECK(parent.talk.own_time_ms < fork.talk.own_time_ms);
    CHECK_INT(fork.talk.records_unknown, 0);
    CHECK_STR(fork.talk.session.data, "b2122e1e-806f-4d5c-93e6-875d2513cc45");
    story_finish(&parent);
    story_finish(&fork);
}

int main(void)
{
    TAP_RUN(prompts_replies_and_calls_become_events);
    TAP_RUN(thinking_images_and_program_errors_are_left_out);
    TAP_RUN(blocks_of_one_reply_stay_in_order_with_keys_of_their_own);
    TAP_RUN(sidechain_lines_are_left_out);
    TAP_RUN(file_of_a_sub_agent_is_marked);
    TAP_RUN(records_of_the_program_are_no_users_words);
    TAP_RUN(reminders_are_cut_out_of_a_prompt);
    TAP_RUN(jezero_calls_and_results_leave_nothing);
    TAP_RUN(failed_calls_keep_their_output);
    TAP_RUN(result_before_its_call_is_joined);
    TAP_RUN(words_of_a_refusal_are_the_users);
    TAP_RUN(answers_to_questions_are_the_users);
    TAP_RUN(compaction_is_a_boundary_and_its_summary_no_text);
    TAP_RUN(queued_prompt_becomes_a_message_once);
    TAP_RUN(queue_of_the_program_is_no_prompt);
    TAP_RUN(best_title_wins);
    TAP_RUN(copy_of_a_message_has_its_key_under_another_session);
    TAP_RUN(record_without_uuid_dates_the_session_itself);
    TAP_RUN(named_parent_is_told);
    TAP_RUN(file_name_is_the_session_among_several);
    TAP_RUN(events_come_in_the_order_of_time);
    TAP_RUN(record_without_time_has_that_before_it);
    TAP_RUN(unknown_types_are_counted_and_known_ones_skipped);
    TAP_RUN(skipped_record_hides_nothing_glued_behind_it);
    TAP_RUN(lone_surrogates_and_nul_escapes_are_replaced);
    TAP_RUN(odd_shapes_are_survived);
    TAP_RUN(long_message_is_cut_with_a_mark);
    TAP_RUN(other_files_are_refused);
    TAP_RUN(paths_tell_sessions_from_other_files);
    TAP_RUN(transcript_is_known_by_its_first_lines);
    TAP_RUN(recorded_fork_repeats_the_keys_of_its_parent);
    return tap_done();
}
