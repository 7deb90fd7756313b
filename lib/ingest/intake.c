/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what a connector has read to events. The rules that do not depend on the
 * agent stand here: what is left out of a user's message, how long a text may
 * be, which outputs are kept, and the key by which a message is known again in
 * another file.
 *
 * The key is made of the record's uuid and the text, not of the uuid alone: a
 * fork copies both, while programs that count their uuids up from 1 in every
 * session give two different messages the same uuid.
 */
#include "ingest/intake.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ingest/injected.h"
#include "ingest/own_calls.h"
#include "ingest/tool.h"
#include "jezero.h"

/* Bytes at either end of a long text that its key is made of. */
#define HASHED_END 1024

void jz__intake_init(struct jz__intake *intake, struct jz__conversation *out)
{
    memset(intake, 0, sizeof(*intake));
    intake->out = out;
}

void jz__intake_finish(struct jz__intake *intake)
{
    jz__calls_finish(&intake->calls);
    jz__buf_finish(&intake->text);
    jz__buf_finish(&intake->clean);
}

/* Long texts differ in their ends, if they differ at all. */
static uint64_t hash_text(struct jz__str text, uint64_t seed)
{
    struct jz__str part = text;

    if (text.length > (size_t)2 * HASHED_END) {
        part.length = HASHED_END;
        seed = jz__str_hash(part, seed + text.length);
        part.data = text.data + text.length - HASHED_END;
    }
    return jz__str_hash(part, seed);
}

/* The block is added, not hashed: blocks of one record must differ, and
 * neighbours of two records meet with the chance of any two hashes. */
uint64_t jz__intake_identity(const struct jz__intake *intake,
                             struct jz__str uuid, unsigned int block)
{
    uint64_t seed = uuid.length > 0 ? 0 : (uint64_t)intake->time_ms;

    return jz__str_hash(uuid, seed) + block;
}

/* A new event with its time, key and boundary; NULL when out of memory. */
static struct jz__event *add_event(struct jz__intake *intake,
                                   enum jz__event_kind kind, uint64_t identity,
                                   struct jz__str text)
{
    struct jz__event *event = jz__conversation_add(intake->out);

    if (event != NULL) {
        event->kind = kind;
        event->time_ms = intake->time_ms;
        event->key = hash_text(text, identity * 4 + (uint64_t)kind);
        event->is_boundary = intake->is_boundary;
        intake->is_boundary = false;
    }
    return event;
}

int jz__intake_keep(struct jz__str *out, struct jz__intake *intake,
                    const struct jz__scan *scan, size_t token)
{
    assert(out != NULL && intake != NULL);

    if (out->length > 0 || jz__intake_raw(scan, token).length == 0) {
        return JZ_OK;
    }
    jz__buf_clear(&intake->text);
    jz__scan_text(&intake->text, scan, token);
    if (intake->text.error != 0) {
        return JZ_ENOMEM;
    }
    return jz__conversation_keep(out, intake->out,
                                 jz__intake_text(&intake->text));
}

/* Titles are written again at every turn: one that did not change takes no more
 * memory. */
int jz__intake_keep_title(struct jz__str *out, struct jz__intake *intake,
                          const struct jz__scan *scan, size_t token)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    struct jz__str title;

    assert(out != NULL && intake != NULL);

    jz__buf_clear(&intake->text);
    if (token != 0) {
        jz__scan_text(&intake->text, scan, token);
    }
    title = jz__intake_text(&intake->text);
    jz__utf8_one_line(&line, title.data, title.length);
    if (intake->text.error != 0 || line.error != 0) {
        return JZ_ENOMEM;
    }
    title = jz__intake_text(&line);
    if (title.length == 0 || jz__str_equal(title, *out) ||
        jz__conversation_is_full(intake->out)) {
        return JZ_OK;
    }
    return jz__conversation_keep(out, intake->out, title);
}

/* A wrapper is dropped whole, but for a request behind a slash command, which
 * a person did type. */
int jz__intake_clean(struct jz__intake *intake, struct jz__str *text)
{
    assert(intake != NULL && text != NULL);

    jz__buf_clear(&intake->clean);
    if (jz__injected_is_wrapper(*text)) {
        *text = jz__injected_command_words(*text);
    }
    if (jz__injected_clean(&intake->clean, *text)) {
        if (intake->clean.error != 0) {
            return JZ_ENOMEM;
        }
        text->data = intake->clean.data;
        text->length = intake->clean.length;
        *text = jz__str_trim(*text);
        /* What a reminder stood in front of may be a wrapper itself. */
        if (jz__injected_is_wrapper(*text)) {
            *text = JZ__STR("");
        }
    }
    return intake->clean.error;
}

/* Cleaning comes before the cut: a reminder of pages must not use up the room
 * of the prompt behind it. */
int jz__intake_message(bool *added, struct jz__intake *intake,
                       enum jz__event_kind kind, uint64_t identity,
                       struct jz__str text)
{
    struct jz__event *event;

    assert(intake != NULL && kind != JZ__EVENT_TOOL);

    if (added != NULL) {
        *added = false;
    }
    text = jz__str_trim(text);
    if (text.length > 0 && kind == JZ__EVENT_USER) {
        int r = jz__intake_clean(intake, &text);

        if (r < 0) {
            return r;
        }
    }
    if (text.length == 0 || jz__conversation_is_full(intake->out)) {
        return JZ_OK;
    }
    /* The key is of the whole text, the event keeps what fits. */
    event = add_event(intake, kind, identity, text);
    if (event == NULL) {
        return JZ_ENOMEM;
    }
    if (added != NULL) {
        *added = true;
    }
    return jz__conversation_keep_message(&event->text, intake->out, text);
}

/* A result may have come first; then it waits in the table. */
int jz__intake_call(struct jz__intake *intake, struct jz__str id,
                    uint64_t identity, struct jz__str name,
                    struct jz__str described, bool is_command)
{
    struct jz__call *call = NULL;
    struct jz__event *event;

    if (id.length > 0) {
        call = jz__calls_get(&intake->calls, id);
        if (call == NULL) {
            return JZ_ENOMEM;
        }
    }
    if (jz__own_calls_is_tool(name) ||
        (is_command && jz__own_calls_is_command(described))) {
        if (call != NULL) {
            call->is_left_out = true;
        }
        return JZ_OK;
    }
    if (jz__conversation_is_full(intake->out)) {
        return JZ_OK;
    }
    event = add_event(intake, JZ__EVENT_TOOL, identity ^ jz__str_hash(name, 0),
                      described);
    if (event == NULL) {
        return JZ_ENOMEM;
    }
    if (call != NULL) {
        call->event = intake->out->count - 1;
        event->state = call->state;
        event->output = call->output;
    }
    return jz__tool_fill(event, intake->out, name, described, is_command);
}

bool jz__intake_wants_output(struct jz__intake *intake, struct jz__str id,
                             enum jz__tool_state state)
{
    const struct jz__call *call = jz__calls_get(&intake->calls, id);

    if (call == NULL || call->is_left_out) {
        return false;
    }
    return state == JZ__TOOL_FAILED ||
           (call->event != JZ__CALLS_NONE &&
            intake->out->events[call->event].command.length > 0);
}

int jz__intake_result(struct jz__intake *intake, struct jz__str id,
                      enum jz__tool_state state, struct jz__str output)
{
    struct jz__call *call = jz__calls_get(&intake->calls, id);
    struct jz__str kept;
    int r;

    if (call == NULL) {
        return JZ_ENOMEM;
    }
    /* The answer of one of Jezero's own tools must leave no trace. */
    if (call->is_left_out || jz__conversation_is_full(intake->out)) {
        return JZ_OK;
    }
    /* Agents append reminders to results too. */
    jz__buf_clear(&intake->clean);
    if (jz__injected_clean(&intake->clean, output)) {
        output.data = intake->clean.data;
        output.length = intake->clean.length;
    }
    if (intake->clean.error != 0) {
        return JZ_ENOMEM;
    }
    r = jz__conversation_keep(&kept, intake->out, jz__str_trim(output));
    if (r < 0) {
        return r;
    }
    /* Some agents tell the state and the output in two records, in either
     * order: what is known stays. */
    if (call->event == JZ__CALLS_NONE) {
        call->state = state != JZ__TOOL_UNKNOWN ? state : call->state;
        call->output = kept.length > 0 ? kept : call->output;
    } else {
        struct jz__event *event = &intake->out->events[call->event];

        event->state = state != JZ__TOOL_UNKNOWN ? state : event->state;
        event->output = kept.length > 0 ? kept : event->output;
    }
    return JZ_OK;
}
