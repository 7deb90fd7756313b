/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payloads of Codex's records. A response_item is what went to the model or
 * came from it; an event_msg is what the program showed to the person. Of the
 * events the messages, the thread's name, the beginning of a turn and the exit
 * status of a command are read: all else repeats response items.
 */
#include "ingest/codex.h"

#include <assert.h>

#include "base/mem.h"
#include "ingest/injected.h"
#include "ingest/tool_output.h"

/*
 * Append the texts of a list of blocks, each on a line of its own, with
 * "[image]" for a picture. Blocks that the program put in are left out one by
 * one: it writes the surroundings and the prompt into one message.
 */
static int put_blocks(struct jz__buf *out, const struct jz__scan *scan,
                      size_t content, bool is_output)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    size_t i;

    for (i = jz__scan_first(scan, content); i != 0;
         i = jz__scan_after(scan, content, i)) {
        size_t token = jz__scan_get_type(scan, i, "text", JZ__SCAN_STRING);

        jz__buf_clear(&text);
        if (token != 0 && is_output) {
            jz__tool_output_put(&text, scan, token);
        } else if (token != 0) {
            jz__scan_text(&text, scan, token);
        } else if (jz__str_find_nocase(jz__codex_member(scan, i, "type"),
                                       "image") != SIZE_MAX) {
            jz__buf_puts(&text, "[image]");
        }
        if (text.error != 0) {
            return text.error;
        }
        if (text.length > 0 &&
            (is_output || !jz__injected_is_wrapper(jz__intake_text(&text)))) {
            jz__buf_puts(out, out->length > 0 ? "\n" : "");
            jz__buf_append(out, text.data, text.length);
        }
        if (is_output && out->length > JZ__CONVERSATION_OUTPUT_MOST) {
            break;
        }
    }
    return out->error;
}

/* A string, or a list of blocks. */
int jz__codex_items_put(struct jz__buf *out, const struct jz__scan *scan,
                        size_t content, bool is_output)
{
    if (content == 0) {
        return JZ_OK;
    }
    if (scan->tokens[content].type == JZ__SCAN_ARRAY) {
        return put_blocks(out, scan, content, is_output);
    }
    if (is_output) {
        jz__tool_output_put(out, scan, content);
    } else {
        jz__scan_text(out, scan, content);
    }
    return out->error;
}

/* A message whose text is the member `key` of the object. */
static int add_message(struct jz__codex *codex, enum jz__codex_stream stream,
                       enum jz__event_kind kind, size_t object, const char *key)
{
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__buf *text = &codex->intake.text;

    jz__buf_clear(text);
    if (jz__codex_items_put(text, scan, jz__scan_get(scan, object, key),
                            false) < 0) {
        return JZ_ENOMEM;
    }
    return jz__codex_streams_add(codex, stream, kind, jz__intake_text(text));
}

/* "developer" is where the program's own instructions and the context of hooks
 * stand, Jezero's among it. */
static int read_message(struct jz__codex *codex, size_t item)
{
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__str role = jz__codex_member(scan, item, "role");

    if (jz__str_is(role, "user")) {
        return add_message(codex, JZ__CODEX_RESPONSE, JZ__EVENT_USER, item,
                           "content");
    }
    if (jz__str_is(role, "assistant")) {
        return add_message(codex, JZ__CODEX_RESPONSE, JZ__EVENT_ASSISTANT, item,
                           "content");
    }
    return JZ_OK; /* developer, system */
}

/* Reasoning is left out by what is not here. */
int jz__codex_items_response(struct jz__codex *codex, size_t item)
{
    struct jz__str type;
    bool is_taken;
    int r;

    assert(codex != NULL);

    type = jz__codex_member(&codex->lines.scan, item, "type");
    if (jz__str_is(type, "message")) {
        return read_message(codex, item);
    }
    r = jz__codex_calls_add(&is_taken, codex, item);
    if (r == 0 && !is_taken && jz__str_is(type, "compaction")) {
        codex->intake.is_boundary = true;
    }
    return r;
}

/* Newer versions write one event for each thing that is done, messages
 * included, and none of the older events beside it. */
static int read_item_completed(struct jz__codex *codex, size_t item)
{
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__str type = jz__codex_member(scan, item, "type");
    const char *key =
        jz__scan_get(scan, item, "content") != 0 ? "content" : "text";

    if (jz__str_is(type, "UserMessage")) {
        return add_message(codex, JZ__CODEX_ITEM, JZ__EVENT_USER, item, key);
    }
    if (jz__str_is(type, "AgentMessage")) {
        return add_message(codex, JZ__CODEX_ITEM, JZ__EVENT_ASSISTANT, item,
                           key);
    }
    if (jz__str_is(type, "CommandExecution")) {
        return jz__codex_calls_end(codex, item,
                                   jz__codex_member(scan, item, "id"));
    }
    return JZ_OK;
}

/* The title that the person or the program gave; the last one counts. */
static int read_thread_name(struct jz__codex *codex, size_t event)
{
    const struct jz__scan *scan = &codex->lines.scan;

    return jz__intake_keep_title(&codex->intake.out->title, &codex->intake,
                                 scan,
                                 jz__scan_get(scan, event, "thread_name"));
}

/*
 * A turn's number is only counted, since older versions have no ids for turns.
 */
int jz__codex_items_event(struct jz__codex *codex, size_t event)
{
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__str type;

    assert(codex != NULL);

    type = jz__codex_member(scan, event, "type");
    if (jz__str_is(type, "user_message")) {
        return add_message(codex, JZ__CODEX_EVENT, JZ__EVENT_USER, event,
                           "message");
    }
    if (jz__str_is(type, "agent_message")) {
        return add_message(codex, JZ__CODEX_EVENT, JZ__EVENT_ASSISTANT, event,
                           "message");
    }
    if (jz__str_is(type, "item_completed")) {
        return read_item_completed(
            codex, jz__scan_get_type(scan, event, "item", JZ__SCAN_OBJECT));
    }
    if (jz__str_is(type, "exec_command_end")) {
        return jz__codex_calls_end(codex, event,
                                   jz__codex_member(scan, event, "call_id"));
    }
    if (jz__str_is(type, "thread_name_updated")) {
        return read_thread_name(codex, event);
    }
    if (jz__str_is(type, "task_started")) {
        codex->turn++;
    } else if (jz__str_is(type, "context_compacted")) {
        codex->intake.is_boundary = true;
    }
    return JZ_OK;
}
