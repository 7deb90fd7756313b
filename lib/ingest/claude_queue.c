/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prompts typed while the agent was busy. They are written when they enter the
 * queue, in newer versions again as an attachment when the agent takes them,
 * and mostly, but not always, a third time as the user's message. So each is
 * remembered and becomes a message at the end if none has its text.
 */
#include "ingest/claude.h"

#include <assert.h>

#include "base/mem.h"
#include "ingest/injected.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "/theme" is for the program; "/usr/bin is full" is for the agent. */
static bool is_slash_command(struct jz__str text)
{
    size_t i = 1;

    if (text.length < 2 || text.data[0] != '/' || !is_letter(text.data[1])) {
        return false;
    }
    while (i < text.length && text.data[i] != ' ' && text.data[i] != '\n') {
        if (text.data[i] == '/') {
            return false;
        }
        i++;
    }
    return true;
}

/* Remember the prompt in intake.text. */
static int remember(struct jz__claude *claude, bool is_settled)
{
    struct jz__intake *intake = &claude->intake;
    struct jz__str uuid = JZ__STR("");
    struct jz__str text = JZ__STR("");
    struct jz__claude_queued *queued;

    if (intake->text.error != 0) {
        return JZ_ENOMEM;
    }
    if (intake->text.length > 0) {
        text.data = intake->text.data;
        text.length = intake->text.length;
        text = jz__str_trim(text);
    }
    if (text.length == 0 || is_slash_command(text) ||
        jz__injected_is_wrapper(text) ||
        claude->queued_count == JZ__CLAUDE_QUEUED_MOST ||
        jz__conversation_is_full(intake->out)) {
        return JZ_OK;
    }
    if (jz__mem_grow(&claude->queued, &claude->queued_capacity,
                     claude->queued_count + 1, sizeof(*queued)) < 0) {
        return JZ_ENOMEM;
    }
    if (claude->record.uuid != 0) {
        uuid = jz__scan_raw(&claude->lines.scan, claude->record.uuid);
    }
    queued = &claude->queued[claude->queued_count++];
    queued->identity = jz__intake_identity(intake, uuid, 0);
    queued->time_ms = intake->time_ms;
    queued->is_settled = is_settled;
    queued->is_dropped = false;
    if (jz__conversation_keep_message(&queued->text, intake->out, text) < 0) {
        return JZ_ENOMEM;
    }
    queued->hash = jz__str_hash(queued->text, 0);
    return JZ_OK;
}

/* The agent takes prompts in the order in which they were typed; the person
 * takes back all that still wait. */
static void settle(struct jz__claude *claude, bool is_taken_back)
{
    size_t i;

    for (i = 0; i < claude->queued_count; i++) {
        struct jz__claude_queued *queued = &claude->queued[i];

        if (!queued->is_settled) {
            queued->is_settled = true;
            queued->is_dropped = queued->is_dropped || is_taken_back;
            if (!is_taken_back) {
                break;
            }
        }
    }
}

/*
 * "enqueue" carries the prompt; "dequeue" and "remove" tell that the agent
 * took one, before or during a turn; "popAll" puts all back into the editor.
 */
int jz__claude_queue_operation(struct jz__claude *claude)
{
    const struct jz__scan *scan = &claude->lines.scan;
    const struct jz__claude_record *record = &claude->record;

    assert(claude != NULL);

    if (jz__scan_is(scan, record->operation, "enqueue")) {
        jz__buf_clear(&claude->intake.text);
        jz__claude_blocks_put(&claude->intake.text, scan, record->content);
        return remember(claude, false);
    }
    /* Without an operation it is none that we know. */
    if (record->operation != 0) {
        settle(claude, jz__scan_is(scan, record->operation, "popAll"));
    }
    return JZ_OK;
}

/* Notifications of background tasks come the same way and are nobody's words;
 * newer versions name the origin. */
int jz__claude_queue_attachment(struct jz__claude *claude)
{
    const struct jz__scan *scan = &claude->lines.scan;
    size_t attachment;
    size_t origin;

    assert(claude != NULL);

    attachment = claude->record.attachment;
    if (!jz__scan_is(scan, jz__scan_get(scan, attachment, "type"),
                     "queued_command")) {
        return JZ_OK;
    }
    origin = jz__scan_get_type(scan, attachment, "origin", JZ__SCAN_OBJECT);
    if (origin != 0 &&
        !jz__scan_is(scan, jz__scan_get(scan, origin, "kind"), "human")) {
        return JZ_OK;
    }
    jz__buf_clear(&claude->intake.text);
    jz__claude_blocks_put(&claude->intake.text, scan,
                          jz__scan_get(scan, attachment, "prompt"));
    return remember(claude, true);
}

/* Drop the prompts that the text's message or an earlier prompt repeats. */
static void drop_equal(struct jz__claude *claude, size_t from, uint64_t hash)
{
    size_t i;

    for (i = from; i < claude->queued_count; i++) {
        if (claude->queued[i].hash == hash) {
            claude->queued[i].is_dropped = true;
        }
    }
}

/* Prompts are few, at most JZ__CLAUDE_QUEUED_MOST, so every message is
 * compared with all of them. */
int jz__claude_queue_finish(struct jz__claude *claude)
{
    struct jz__conversation *out = claude->intake.out;
    size_t i;

    assert(claude != NULL);

    for (i = 0; i < out->count && claude->queued_count > 0; i++) {
        if (out->events[i].kind == JZ__EVENT_USER) {
            drop_equal(claude, 0, jz__str_hash(out->events[i].text, 0));
        }
    }
    for (i = 0; i < claude->queued_count; i++) {
        const struct jz__claude_queued *queued = &claude->queued[i];
        int r;

        if (queued->is_dropped) {
            continue;
        }
        drop_equal(claude, i + 1, queued->hash);
        claude->intake.time_ms = queued->time_ms;
        r = jz__intake_message(NULL, &claude->intake, JZ__EVENT_USER,
                               queued->identity, queued->text);
        if (r < 0) {
            return r;
        }
    }
    return JZ_OK;
}
