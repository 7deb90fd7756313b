/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents agree on little: names in snake or camel case, members that are null
 * or left out, the prompt in one place, in another or nowhere. What is missing
 * or of an unexpected type counts as not there, since a hook has to go on with
 * what it has. Texts are taken out of the scanned object one by one: a prompt
 * can be most of 4 MiB, and a tree of it would be another copy.
 */
#include "hook_call.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"

/* Append a member that is a string; nothing if it is none. */
static void put_member(struct jz__buf *out, const struct jz__scan *scan,
                       size_t object, const char *name)
{
    size_t at = jz__scan_get_type(scan, object, name, JZ__SCAN_STRING);

    if (at != 0) {
        jz__scan_text(out, scan, at);
    }
}

/* The first of the array's strings. */
static void put_first(struct jz__buf *out, const struct jz__scan *scan,
                      const char *name)
{
    size_t array = jz__scan_get_type(scan, 0, name, JZ__SCAN_ARRAY);
    size_t at = array != 0 ? jz__scan_first(scan, array) : 0;

    if (at != 0) {
        jz__scan_text(out, scan, at);
    }
}

/* A message is a text, or a list of texts and of parts with a "text". */
static void put_parts(struct jz__buf *out, const struct jz__scan *scan,
                      size_t message)
{
    if (scan->tokens[message].type == JZ__SCAN_STRING) {
        jz__scan_text(out, scan, message);
        return;
    }
    if (scan->tokens[message].type != JZ__SCAN_ARRAY) {
        return;
    }
    for (size_t at = jz__scan_first(scan, message); at != 0;
         at = jz__scan_after(scan, message, at)) {
        if (out->length > 0) {
            jz__buf_putc(out, '\n');
        }
        jz__scan_text(out, scan, at);
        put_member(out, scan, at, "text");
    }
}

/* Our plugin gives "prompt"; a hook that Hermes runs itself finds all arguments
 * of the event in "extra". */
static void take_hermes(struct hook_call *call, const struct jz__scan *scan)
{
    size_t extra = jz__scan_get_type(scan, 0, "extra", JZ__SCAN_OBJECT);
    size_t message = extra != 0 ? jz__scan_get(scan, extra, "user_message") : 0;

    put_member(&call->database, scan, 0, "hermes_home");
    if (call->prompt.length == 0 && message != 0) {
        put_parts(&call->prompt, scan, message);
    }
}

static void take_antigravity(struct hook_call *call,
                             const struct jz__scan *scan)
{
    size_t number = jz__scan_get(scan, 0, "invocationNum");
    int64_t value = -1;

    put_member(&call->session, scan, 0, "conversationId");
    put_first(&call->cwd, scan, "workspacePaths");
    put_member(&call->transcript, scan, 0, "transcriptPath");
    call->begins_turn =
        number != 0 && jz__scan_int(&value, scan, number) && value == 0;
}

static void take_members(struct hook_call *call, const struct jz__scan *scan)
{
    put_member(&call->source, scan, 0, "source");
    if (call->agent == AGENT_ANTIGRAVITY) {
        take_antigravity(call, scan);
        return;
    }
    put_member(&call->session, scan, 0, "session_id");
    put_member(&call->cwd, scan, 0, "cwd");
    put_member(&call->prompt, scan, 0, "prompt");
    put_member(&call->transcript, scan, 0, "transcript_path");
    if (call->agent == AGENT_HERMES) {
        take_hermes(call, scan);
    }
}

int hook_call_read(struct hook_call *call, enum agent_id agent,
                   struct jz__str json, struct jz__error *error)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    int r = jz__scan_parse(&scan, json.data, json.length);

    assert(call != NULL && agent < AGENT_COUNT);

    if (r == JZ_ENOMEM) {
        return jz__fail_memory(error);
    }
    if (r < 0) {
        return jz__fail(error, JZ_EINVAL, "stdin is no JSON: %s at byte %zu",
                        scan.reason, scan.error_at);
    }
    if (scan.tokens[0].type != JZ__SCAN_OBJECT) {
        return jz__fail(error, JZ_EINVAL, "stdin holds no JSON object");
    }
    call->agent = agent;
    take_members(call, &scan);
    return call->session.error != 0 || call->cwd.error != 0 ||
                   call->prompt.error != 0 || call->transcript.error != 0 ||
                   call->source.error != 0 || call->database.error != 0
               ? jz__fail_memory(error)
               : 0;
}

void hook_call_finish(struct hook_call *call)
{
    jz__buf_finish(&call->session);
    jz__buf_finish(&call->cwd);
    jz__buf_finish(&call->prompt);
    jz__buf_finish(&call->transcript);
    jz__buf_finish(&call->source);
    jz__buf_finish(&call->database);
    memset(call, 0, sizeof(*call));
}

const char *hook_call_text(const struct jz__buf *member)
{
    return member->length > 0 ? member->data : "";
}
