/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of Claude Code's messages: a string or a list of blocks. One
 * reply of the model is written as several lines of one block each, so every
 * text block is an event of its own; of a user's record the text blocks are one
 * message.
 */
#include "ingest/claude.h"

#include <assert.h>

#include "base/mem.h"
#include "ingest/injected.h"
#include "ingest/tool.h"
#include "ingest/tool_output.h"

/* Types are compared where they lie; most blocks need no more than that. */
static bool is_type(const struct jz__scan *scan, size_t block, const char *type)
{
    return jz__scan_is(scan, jz__scan_get(scan, block, "type"), type);
}

/* One block's text, or the mark of a picture. */
static void put_block(struct jz__buf *out, const struct jz__scan *scan,
                      size_t block, bool is_output)
{
    size_t start = out->length;

    /* The line break is taken back if the block turns out to be of a kind that
     * gives no text. */
    if (start > 0) {
        jz__buf_putc(out, '\n');
    }
    if (is_type(scan, block, "text")) {
        size_t text = jz__scan_get(scan, block, "text");

        if (text != 0 && is_output) {
            jz__tool_output_put(out, scan, text);
        } else if (text != 0) {
            jz__scan_text(out, scan, text);
        }
    } else if (is_type(scan, block, "image")) {
        jz__buf_puts(out, "[image]");
    } else if (start > 0) {
        jz__buf_truncate(out, start);
    }
}

/* A string is the content of nearly every prompt and result; lists come with
 * pictures and from tools of other servers. */
static void put_content(struct jz__buf *out, const struct jz__scan *scan,
                        size_t content, bool is_output)
{
    size_t i;

    if (content == 0) {
        return;
    }
    if (scan->tokens[content].type == JZ__SCAN_STRING) {
        if (is_output) {
            jz__tool_output_put(out, scan, content);
        } else {
            jz__scan_text(out, scan, content);
        }
        return;
    }
    if (scan->tokens[content].type != JZ__SCAN_ARRAY) {
        return;
    }
    for (i = jz__scan_first(scan, content); i != 0;
         i = jz__scan_after(scan, content, i)) {
        put_block(out, scan, i, is_output);
        if (is_output && out->length > JZ__CONVERSATION_OUTPUT_MOST) {
            break;
        }
    }
}

void jz__claude_blocks_put_output(struct jz__buf *out,
                                  const struct jz__scan *scan, size_t content)
{
    put_content(out, scan, content, true);
}

void jz__claude_blocks_put(struct jz__buf *out, const struct jz__scan *scan,
                           size_t content)
{
    put_content(out, scan, content, false);
}

/* Copies of a record have its uuid, whatever session they are in. */
static struct jz__str uuid_of(const struct jz__claude *claude)
{
    const struct jz__scan *scan = &claude->lines.scan;

    return claude->record.uuid != 0 ? jz__scan_raw(scan, claude->record.uuid)
                                    : JZ__STR("");
}

/* A message out of intake.text. */
int jz__claude_blocks_add_message(struct jz__claude *claude,
                                  enum jz__event_kind kind, unsigned int block,
                                  struct jz__str text)
{
    struct jz__intake *intake = &claude->intake;

    if (intake->text.error != 0) {
        return JZ_ENOMEM;
    }
    return jz__intake_message(
        NULL, intake, kind, jz__intake_identity(intake, uuid_of(claude), block),
        text);
}

/* Does a person stand behind a user's record? Skills, caveats and notifications
 * are written under the same type. */
static bool is_human(const struct jz__claude *claude)
{
    const struct jz__claude_record *record = &claude->record;
    const struct jz__scan *scan = &claude->lines.scan;

    if (record->meta != 0 && scan->tokens[record->meta].type == JZ__SCAN_TRUE) {
        return false;
    }
    /* Newer versions name the origin of people's prompts too. */
    if (record->origin == 0 ||
        scan->tokens[record->origin].type == JZ__SCAN_NULL) {
        return true;
    }
    return jz__scan_is(scan, jz__scan_get(scan, record->origin, "kind"),
                       "human");
}

/* Append one text block unless it is a wrapper by itself. */
static int put_user_block(struct jz__claude *claude, struct jz__buf *message,
                          size_t block)
{
    const struct jz__scan *scan = &claude->lines.scan;
    struct jz__buf *text = &claude->intake.text;

    jz__buf_clear(text);
    put_block(text, scan, block, false);
    if (text->error != 0) {
        return JZ_ENOMEM;
    }
    if (text->length > 0 && !jz__injected_is_wrapper(jz__intake_text(text))) {
        jz__buf_puts(message, message->length > 0 ? "\n" : "");
        jz__buf_append(message, text->data, text->length);
    }
    return message->error;
}

/* Results and the person's own words can stand in one record, when somebody
 * interrupts a call and says why. Pictures beside a result belong to the
 * result. */
static int add_user_blocks(struct jz__claude *claude, size_t content)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf message = JZ__BUF_INIT;
    const struct jz__scan *scan = &claude->lines.scan;
    bool is_human_record = is_human(claude);
    bool has_result = false;
    unsigned int number = 1; /* 0 is the message's own */
    size_t i;

    for (i = jz__scan_first(scan, content); i != 0;
         i = jz__scan_after(scan, content, i)) {
        int r = JZ_OK;

        if (is_type(scan, i, "tool_result")) {
            has_result = true;
            r = jz__claude_results_add(claude, i, number);
        } else if (is_human_record &&
                   (!has_result || is_type(scan, i, "text"))) {
            r = put_user_block(claude, &message, i);
        }
        if (r < 0) {
            return r;
        }
        number++;
    }
    return jz__claude_blocks_add_message(claude, JZ__EVENT_USER, 0,
                                         jz__intake_text(&message));
}

/* A prompt, or the results of calls: both are the user's to the API. */
int jz__claude_blocks_user(struct jz__claude *claude)
{
    const struct jz__scan *scan = &claude->lines.scan;
    size_t content;

    assert(claude != NULL);

    content = jz__scan_get(scan, claude->record.message, "content");
    if (content == 0) {
        return JZ_OK;
    }
    if (scan->tokens[content].type == JZ__SCAN_ARRAY) {
        return add_user_blocks(claude, content);
    }
    if (!is_human(claude)) {
        return JZ_OK;
    }
    jz__buf_clear(&claude->intake.text);
    jz__scan_text(&claude->intake.text, scan, content);
    return jz__claude_blocks_add_message(claude, JZ__EVENT_USER, 0,
                                         jz__intake_text(&claude->intake.text));
}

/* A call is described here and gets its result later, when a record of the
 * user's brings it. */
static int add_tool_use(struct jz__claude *claude, size_t block,
                        unsigned int number)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    const struct jz__scan *scan = &claude->lines.scan;
    struct jz__intake *intake = &claude->intake;
    size_t id = jz__scan_get_type(scan, block, "id", JZ__SCAN_STRING);
    size_t name_token = jz__scan_get(scan, block, "name");
    size_t input = jz__scan_get(scan, block, "input");
    bool is_command = false;

    /* The name is decoded too: it decides whether the call is Jezero's. */
    jz__buf_clear(&intake->text);
    if (name_token != 0) {
        jz__scan_text(&name, scan, name_token);
    }
    if (input != 0) {
        is_command = jz__tool_describe(&intake->text, jz__intake_text(&name),
                                       scan, input);
    }
    if (name.error != 0 || intake->text.error != 0) {
        return JZ_ENOMEM;
    }
    return jz__intake_call(
        intake, id != 0 ? jz__scan_raw(scan, id) : JZ__STR(""),
        jz__intake_identity(intake, uuid_of(claude), number),
        jz__intake_text(&name), jz__intake_text(&intake->text), is_command);
}

/* Thinking is left out by what is not here: only texts and calls are taken. */
static int add_assistant_block(struct jz__claude *claude, size_t block,
                               unsigned int number)
{
    const struct jz__scan *scan = &claude->lines.scan;
    size_t text;

    if (is_type(scan, block, "tool_use")) {
        return add_tool_use(claude, block, number);
    }
    text = jz__scan_get(scan, block, "text");
    /* "(no content)" is what the API puts in place of an empty reply. */
    if (text == 0 || !is_type(scan, block, "text") ||
        jz__scan_is(scan, text, "(no content)")) {
        return JZ_OK;
    }
    jz__buf_clear(&claude->intake.text);
    jz__scan_text(&claude->intake.text, scan, text);
    return jz__claude_blocks_add_message(claude, JZ__EVENT_ASSISTANT, number,
                                         jz__intake_text(&claude->intake.text));
}

/* Usage and stop reasons are repeated on every line of one reply and are of no
 * interest. */
int jz__claude_blocks_assistant(struct jz__claude *claude)
{
    const struct jz__scan *scan = &claude->lines.scan;
    size_t message;
    size_t content;
    unsigned int number = 0;
    size_t i;

    assert(claude != NULL);

    message = claude->record.message;
    content = jz__scan_get(scan, message, "content");
    /* The program speaks in the model's place: errors of the API. */
    if (content == 0 ||
        jz__scan_is(scan, jz__scan_get(scan, message, "model"),
                    "<synthetic>") ||
        (claude->record.api_error != 0 &&
         scan->tokens[claude->record.api_error].type == JZ__SCAN_TRUE)) {
        return JZ_OK;
    }
    if (scan->tokens[content].type == JZ__SCAN_STRING) {
        jz__buf_clear(&claude->intake.text);
        jz__scan_text(&claude->intake.text, scan, content);
        return jz__claude_blocks_add_message(
            claude, JZ__EVENT_ASSISTANT, 0,
            jz__intake_text(&claude->intake.text));
    }
    for (i = jz__scan_first(scan, content); i != 0;
         i = jz__scan_after(scan, content, i)) {
        int r = add_assistant_block(claude, i, number++);

        if (r < 0) {
            return r;
        }
    }
    return JZ_OK;
}
