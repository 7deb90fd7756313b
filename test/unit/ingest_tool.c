/* SPDX-License-Identifier: Apache-2.0 */
/* Tool calls: what is shown of them, and whether they failed. */
#include "ingest/tool.h"

#include "base/utf8.h"
#include "ingest/tool_output.h"
#include "tap.h"

/* Describe the call of a tool with this JSON object. */
static void check_call(const char *name, const char *input, const char *want,
                       bool is_command)
{
    struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__buf text = JZ__BUF_INIT;

    CHECK_INT(jz__scan_parse(&scan, input, strlen(input)), 0);
    CHECK_INT(jz__tool_describe(&text, jz__str_of(name), &scan, 0), is_command);
    CHECK_STR(text.data != NULL ? text.data : "", want);
    jz__scan_finish(&scan);
    jz__buf_finish(&text);
}

static void most_telling_argument_is_shown(void)
{
    check_call("Read", "{\"limit\":5,\"file_path\":\"/x/a.c\"}", "/x/a.c",
               false);
    check_call("Grep", "{\"path\":\"src\",\"pattern\":\"main\"}", "src", false);
    check_call("WebFetch", "{\"prompt\":\"sum up\",\"url\":\"https://x.test\"}",
               "https://x.test", false);
    check_call("WebSearch", "{\"query\":\"sqlite wal\"}", "sqlite wal", false);
    check_call("Task", "{\"prompt\":\"do\",\"description\":\"child task\"}",
               "child task", false);
    check_call("Odd", "{\"a\":true,\"b\":{},\"c\":12,\"d\":\"x\"}", "12",
               false);
    check_call("Odd", "{\"list\":[\"a\",\"b\"]}", "a b", false);
    check_call("Odd", "{}", "", false);
    check_call("Odd", "[1]", "", false);
}

static void commands_are_known_by_tool_and_key(void)
{
    check_call("Bash", "{\"description\":\"d\",\"command\":\"make\"}", "make",
               true);
    check_call("exec_command", "{\"cmd\":\"make\",\"workdir\":\"/\"}", "make",
               true);
    check_call("shell", "{\"command\":[\"bash\",\"-lc\",\"ls | wc\"]}",
               "ls | wc", true);
    check_call("shell", "{\"command\":[\"git\",\"log\",\"-1\"]}", "git log -1",
               true);
    check_call("run_command", "{\"CommandLine\":\"make\"}", "make", true);
    check_call("str_replace_based_edit_tool",
               "{\"command\":\"view\",\"path\":\"/x\"}", "view", false);
    check_call("Bash", "{\"description\":\"no command\"}", "no command", false);
}

static void check_text(const char *name, const char *input, const char *want,
                       bool is_command)
{
    struct jz__buf text = JZ__BUF_INIT;

    CHECK_INT(
        jz__tool_describe_text(&text, jz__str_of(name), jz__str_of(input)),
        is_command);
    CHECK_STR(text.data != NULL ? text.data : "", want);
    jz__buf_finish(&text);
}

static void patches_and_programs_are_described(void)
{
    check_text("apply_patch",
               "*** Begin Patch\n*** Update File: a.c\n@@\n-x\n+y\n"
               "*** Delete File: b.c\n*** End Patch\n",
               "a.c, b.c", false);
    check_text("exec",
               "const r = await tools.exec_command({\"cmd\":\"make\"});\n",
               "make", true);
    check_text("exec", "await tools.exec_command({cmd: 'make'})",
               "await tools.exec_command({cmd: 'make'})", false);
    check_text("shell", "make", "make", true);
}

/* Fill an event; the text of the call is a run of `count` times `unit`. */
static void check_filled(const char *unit, int count, bool is_command,
                         size_t argument, size_t command)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__event *event = jz__conversation_add(&talk);
    struct jz__str described;
    int i;

    for (i = 0; i < count; i++) {
        jz__buf_puts(&text, unit);
    }
    described.data = text.data;
    described.length = text.length;
    CHECK(event != NULL);
    CHECK_INT(
        jz__tool_fill(event, &talk, JZ__STR("Bash"), described, is_command), 0);
    CHECK_INT(jz__utf8_count(event->argument.data, event->argument.length),
              argument);
    CHECK_INT(jz__utf8_count(event->command.data, event->command.length),
              command);
    CHECK(jz__utf8_is_clean(event->argument.data, event->argument.length));
    CHECK(jz__utf8_is_clean(event->command.data, event->command.length));
    CHECK(memchr(event->argument.data, '\n', event->argument.length) == NULL);
    jz__conversation_finish(&talk);
    jz__buf_finish(&text);
}

static void argument_is_one_short_line_and_command_whole(void)
{
    check_filled("make", 1, true, 4, 4);
    check_filled("make", 1, false, 4, 0);
    check_filled("a\nb ", 10, true, 39, 40);
    check_filled("word ", 100, true, 300, 500);
    check_filled("\xE4\xB8\xAD", 2000, true, 300, 2000);
    check_filled("\xF0\x9F\x91\x8D", 9000, true, 300, 2048);
}

static void check_state(const char *output, enum jz__tool_state state,
                        const char *body)
{
    struct jz__str kept;

    CHECK_INT(jz__tool_output_state(&kept, jz__str_of(output)), state);
    CHECK(jz__str_is(kept, body));
}

static void head_of_an_output_tells_the_state(void)
{
    check_state("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code "
                "0\nOriginal token count: 4\nOutput:\nhi\n",
                JZ__TOOL_OK, "hi\n");
    check_state("Command: make\nProcess exited with code 127\nOutput:\nno\n",
                JZ__TOOL_FAILED, "no\n");
    check_state("Chunk ID: 1\nProcess running with session ID 7\nOutput:\n",
                JZ__TOOL_UNKNOWN, "");
    check_state("Exit code: 1\nWall time: 0 seconds\nOutput:\nbad",
                JZ__TOOL_FAILED, "bad");
    check_state("Script completed\nWall time 0.3 seconds\nOutput:\nx",
                JZ__TOOL_OK, "x");
    check_state("Script failed\nx", JZ__TOOL_FAILED, "Script failed\nx");
    check_state("exec_command failed for `x`: gone", JZ__TOOL_FAILED,
                "exec_command failed for `x`: gone");
    check_state("Plan updated", JZ__TOOL_UNKNOWN, "Plan updated");
    check_state("", JZ__TOOL_UNKNOWN, "");
    /* Without a head these are words of a file. */
    check_state("a log: Process exited with code 3", JZ__TOOL_UNKNOWN,
                "a log: Process exited with code 3");
    check_state("Chunk ID: 1\nProcess exited with code x\nOutput:\n",
                JZ__TOOL_UNKNOWN, "");
}

/* Put out a string of JSON that repeats `unit`. */
static void check_output(const char *unit, size_t bytes)
{
    struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__buf out = JZ__BUF_INIT;
    bool is_cut;

    jz__buf_puts(&text, "\"first ");
    while (text.length < bytes) {
        jz__buf_puts(&text, unit);
    }
    jz__buf_puts(&text, " last\"");
    is_cut = text.length > JZ__CONVERSATION_OUTPUT_MOST + 2;
    CHECK_INT(jz__scan_parse(&scan, text.data, text.length), 0);
    jz__tool_output_put(&out, &scan, 0);
    CHECK(out.length <= JZ__CONVERSATION_OUTPUT_MOST + 32);
    CHECK(jz__utf8_is_clean(out.data, out.length));
    CHECK(strncmp(out.data, "first ", 6) == 0);
    CHECK_STR(out.data + out.length - 5, " last");
    CHECK_INT(strstr(out.data, "\n\xE2\x80\xA6\n") != NULL, is_cut);
    /* Nothing was cut inside an escape. */
    CHECK(strstr(out.data, "\xEF\xBF\xBD") == NULL);
    CHECK(strpbrk(out.data, "u24") == NULL);
    jz__scan_finish(&scan);
    jz__buf_finish(&text);
    jz__buf_finish(&out);
}

static void long_output_keeps_both_ends(void)
{
    static const char *const units[] = {
        "x",       "\\n",          "\\\\",      "a\\n",    "\\\"b",
        "\\u4e2d", "\xE4\xB8\xAD", "\xC3\xA9x", "\\\\\\n",
    };
    size_t i;
    size_t shift;

    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        check_output(units[i], 1000);
        for (shift = 0; shift < 8; shift++) {
            check_output(units[i], 40000 + shift);
        }
    }
}

int main(void)
{
    TAP_RUN(most_telling_argument_is_shown);
    TAP_RUN(commands_are_known_by_tool_and_key);
    TAP_RUN(patches_and_programs_are_described);
    TAP_RUN(argument_is_one_short_line_and_command_whole);
    TAP_RUN(head_of_an_output_tells_the_state);
    TAP_RUN(long_output_keeps_both_ends);
    return tap_done();
}
