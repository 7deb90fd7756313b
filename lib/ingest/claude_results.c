/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of tool calls, which stand in the user's records. They are looked up
 * by the id of their call and are decoded only if somebody will read them. What
 * a person wrote while refusing a call, or picked when asked, stands inside
 * results and is taken out as a message.
 */
#include "ingest/claude.h"

#include <assert.h>

#include "base/mem.h"

static const char *const refusal = "The user doesn't want to proceed with "
                                   "this tool use.";

/* Behind these stands what the person wrote, up to the end. */
static const char *const refusal_words[] = {
    "To tell you how to proceed, the user said:\n",
    "the user provided the following reason for the rejection: ",
};

static const char *const answered = "User has answered your questions: ";

/* The person's own words in the result of a refused call, or "". */
static struct jz__str words_of_refusal(struct jz__str output)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(refusal_words); i++) {
        size_t at = jz__str_find(output, refusal_words[i]);

        if (at != SIZE_MAX) {
            at += jz__str_of(refusal_words[i]).length;
            output.data += at;
            output.length -= at;
            return output;
        }
    }
    return JZ__STR("");
}

/* The questions and answers of a result of AskUserQuestion, or "". */
static struct jz__str words_of_answer(struct jz__str output)
{
    struct jz__str head = jz__str_of(answered);
    size_t end;

    if (!jz__str_starts(output, answered)) {
        return JZ__STR("");
    }
    output.data += head.length;
    output.length -= head.length;
    end = jz__str_find(output, " You can now continue");
    if (end != SIZE_MAX) {
        output.length = end;
    }
    return output;
}

/* Does the result's text start so? Told without decoding it. */
static bool result_starts(const struct jz__scan *scan, size_t content,
                          const char *prefix)
{
    return content != 0 && scan->tokens[content].type == JZ__SCAN_STRING &&
           jz__str_starts(jz__scan_raw(scan, content), prefix);
}

/* toolUseResult, beside the message, repeats the output in a form of each
 * tool's own and is not looked at. */
int jz__claude_results_add(struct jz__claude *claude, size_t block,
                           unsigned int number)
{
    const struct jz__scan *scan = &claude->lines.scan;
    struct jz__intake *intake = &claude->intake;
    struct jz__buf *text = &intake->text;
    size_t content = jz__scan_get(scan, block, "content");
    size_t id = jz__scan_get_type(scan, block, "tool_use_id", JZ__SCAN_STRING);
    enum jz__tool_state state = JZ__TOOL_OK;
    bool is_refused = result_starts(scan, content, refusal);
    bool is_answer = result_starts(scan, content, answered);

    if (id == 0) {
        return JZ_OK;
    }
    if (is_refused) {
        state = JZ__TOOL_UNKNOWN;
    } else if (jz__scan_flag(scan, block, "is_error")) {
        state = JZ__TOOL_FAILED;
    }
    jz__buf_clear(text);
    if (is_refused || is_answer ||
        jz__intake_wants_output(intake, jz__scan_raw(scan, id), state)) {
        jz__claude_blocks_put_output(text, scan, content);
    }
    if (text->error != 0) {
        return JZ_ENOMEM;
    }
    if (is_refused || is_answer) {
        struct jz__str words = is_refused
                                   ? words_of_refusal(jz__intake_text(text))
                                   : words_of_answer(jz__intake_text(text));
        int r = jz__claude_blocks_add_message(claude, JZ__EVENT_USER, number,
                                              words);

        if (r < 0) {
            return r;
        }
        jz__buf_clear(text);
    }
    return jz__intake_result(intake, jz__scan_raw(scan, id), state,
                             jz__intake_text(text));
}
