/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codex' calls and results. A call's arguments are JSON inside a string and are
 * scanned a second time; an output begins with a head that names the exit
 * status, is a JSON object of output and status (older versions), or a list of
 * blocks.
 *
 * exec_command_end and its like double an output and are read for the exit
 * status alone, which is not always in the output's head.
 */
#include "ingest/codex.h"

#include <assert.h>

#include "base/mem.h"
#include "ingest/own_calls.h"
#include "ingest/tool.h"
#include "ingest/tool_output.h"

/* Scan the JSON in a string: true if it is an object, then in codex->inner. */
static int scan_inner(bool *is_object, struct jz__codex *codex, size_t token)
{
    int r;

    *is_object = false;
    jz__buf_clear(&codex->inner_text);
    jz__scan_text(&codex->inner_text, &codex->lines.scan, token);
    if (codex->inner_text.error != 0) {
        return JZ_ENOMEM;
    }
    if (codex->inner_text.length == 0) {
        return JZ_OK;
    }
    r = jz__scan_parse(&codex->inner, codex->inner_text.data,
                       codex->inner_text.length);
    if (r == JZ_ENOMEM) {
        return r;
    }
    *is_object = r == 0 && codex->inner.tokens[0].type == JZ__SCAN_OBJECT;
    return JZ_OK;
}

/* "mcp__jezero" and "search" are mcp__jezero__search. */
static int put_name(struct jz__buf *out, const struct jz__scan *scan,
                    size_t item)
{
    size_t space = jz__scan_get_type(scan, item, "namespace", JZ__SCAN_STRING);
    size_t name = jz__scan_get_type(scan, item, "name", JZ__SCAN_STRING);

    if (space != 0) {
        jz__scan_text(out, scan, space);
        jz__buf_puts(out, "__");
    }
    if (name != 0) {
        jz__scan_text(out, scan, name);
    }
    return out->error;
}

/* intake.text holds what was described. Calls of the model are numbered by
 * call_id; a few kinds have an id of their own only. */
static int add_call(struct jz__codex *codex, size_t item, struct jz__str name,
                    bool is_command)
{
    struct jz__intake *intake = &codex->intake;
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__str id = jz__codex_member(scan, item, "call_id");

    if (intake->text.error != 0) {
        return JZ_ENOMEM;
    }
    if (id.length == 0) {
        id = jz__codex_member(scan, item, "id");
    }
    return jz__intake_call(intake, id,
                           jz__intake_identity(intake, JZ__STR(""), 0), name,
                           jz__intake_text(&intake->text), is_command);
}

/* Arguments are an object in a string. A model can write broken JSON: then the
 * bytes themselves are shown. */
static int read_function_call(struct jz__codex *codex, size_t item)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__buf *text = &codex->intake.text;
    size_t arguments = jz__scan_get(scan, item, "arguments");
    bool is_command = false;
    bool is_object = false;

    if (put_name(&name, scan, item) < 0) {
        return JZ_ENOMEM;
    }
    /* Polling a program that runs is no step of the work, and what is typed
     * into it belongs to the call that started it. */
    if (jz__str_is(jz__intake_text(&name), "write_stdin")) {
        return JZ_OK;
    }
    jz__buf_clear(text);
    if (arguments != 0 && scan->tokens[arguments].type == JZ__SCAN_OBJECT) {
        is_command =
            jz__tool_describe(text, jz__intake_text(&name), scan, arguments);
    } else if (arguments != 0) {
        if (scan_inner(&is_object, codex, arguments) < 0) {
            return JZ_ENOMEM;
        }
        is_command =
            is_object
                ? jz__tool_describe(text, jz__intake_text(&name), &codex->inner,
                                    0)
                : jz__tool_describe_text(text, jz__intake_text(&name),
                                         jz__intake_text(&codex->inner_text));
    }
    return add_call(codex, item, jz__intake_text(&name), is_command);
}

/* A program may call Jezero's tools: tools.mcp__jezero__search(…). */
static bool calls_jezero(struct jz__str input)
{
    return jz__str_find(input, "jezero") != SIZE_MAX &&
           jz__own_calls_is_command(input);
}

/* Free text: a patch, or a program that calls tools. If the program calls one
 * of Jezero's, what it prints is Jezero's, whatever else it does. */
static int read_custom_call(struct jz__codex *codex, size_t item)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf input = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    const struct jz__scan *scan = &codex->lines.scan;
    size_t token = jz__scan_get_type(scan, item, "input", JZ__SCAN_STRING);
    bool is_command;

    if (put_name(&name, scan, item) < 0) {
        return JZ_ENOMEM;
    }
    if (token != 0) {
        jz__scan_text(&input, scan, token);
    }
    jz__buf_clear(&codex->intake.text);
    is_command = jz__tool_describe_text(
        &codex->intake.text, jz__intake_text(&name), jz__intake_text(&input));
    if (input.error != 0) {
        return JZ_ENOMEM;
    }
    /* A patch may well hold such a line, when somebody works on Jezero. */
    if (!jz__str_is(jz__intake_text(&name), "apply_patch") &&
        calls_jezero(jz__intake_text(&input))) {
        return add_call(codex, item, JZ__STR("jezero.search"), false);
    }
    return add_call(codex, item, jz__intake_text(&name), is_command);
}

/* An older kind of call, with a list of words for a command. */
static int read_local_shell_call(struct jz__codex *codex, size_t item)
{
    const struct jz__scan *scan = &codex->lines.scan;
    size_t action = jz__scan_get_type(scan, item, "action", JZ__SCAN_OBJECT);
    bool is_command = false;

    jz__buf_clear(&codex->intake.text);
    if (action != 0) {
        is_command = jz__tool_describe(&codex->intake.text,
                                       JZ__STR("local_shell"), scan, action);
    }
    return add_call(codex, item, JZ__STR("local_shell"), is_command);
}

/* It has no result in the rollout: the search runs on the model's side. */
static int read_web_search_call(struct jz__codex *codex, size_t item)
{
    const struct jz__scan *scan = &codex->lines.scan;
    size_t action = jz__scan_get_type(scan, item, "action", JZ__SCAN_OBJECT);

    jz__buf_clear(&codex->intake.text);
    if (action != 0) {
        (void)jz__tool_describe(&codex->intake.text, JZ__STR("web_search"),
                                scan, action);
    }
    return add_call(codex, item, JZ__STR("web_search"), false);
}

/* {"output": "…", "metadata": {"exit_code": 0}} in a string: the output then
 * replaces intake.text. */
static int open_output(enum jz__tool_state *state, struct jz__codex *codex,
                       size_t token)
{
    const struct jz__scan *inner = &codex->inner;
    size_t metadata;
    size_t output;
    int64_t code;
    bool is_object;

    if (scan_inner(&is_object, codex, token) < 0) {
        return JZ_ENOMEM;
    }
    output =
        is_object ? jz__scan_get_type(inner, 0, "output", JZ__SCAN_STRING) : 0;
    if (output == 0) {
        return JZ_OK;
    }
    metadata = jz__scan_get_type(inner, 0, "metadata", JZ__SCAN_OBJECT);
    if (metadata != 0 &&
        jz__scan_int(&code, inner,
                     jz__scan_get(inner, metadata, "exit_code"))) {
        *state = code == 0 ? JZ__TOOL_OK : JZ__TOOL_FAILED;
    }
    /* The raw string was cut before, so the JSON is scanned from the token and
     * not from what is in the buffer. */
    jz__buf_clear(&codex->intake.text);
    jz__tool_output_put(&codex->intake.text, inner, output);
    return codex->intake.text.error;
}

/* The state comes from the surest place that has one: the JSON around an
 * output, its head, or later the event of the command's end. */
static int read_output(struct jz__codex *codex, size_t item)
{
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__intake *intake = &codex->intake;
    struct jz__str id = jz__codex_member(scan, item, "call_id");
    size_t output = jz__scan_get(scan, item, "output");
    enum jz__tool_state state;
    enum jz__tool_state inner_state = JZ__TOOL_UNKNOWN;
    struct jz__str body;
    int r;

    if (id.length == 0 || output == 0) {
        return JZ_OK;
    }
    /* Some versions: {"content": "…", "success": false}. */
    if (scan->tokens[output].type == JZ__SCAN_OBJECT) {
        if (jz__scan_get_type(scan, output, "success", JZ__SCAN_FALSE) != 0) {
            inner_state = JZ__TOOL_FAILED;
        }
        output = jz__scan_get(scan, output, "content");
    }
    jz__buf_clear(&intake->text);
    r = jz__codex_items_put(&intake->text, scan, output, true);
    if (r == 0 &&
        jz__str_starts(jz__intake_text(&intake->text), "{\"output\":")) {
        r = open_output(&inner_state, codex, output);
    }
    if (r < 0) {
        return r;
    }
    state = jz__tool_output_state(&body, jz__intake_text(&intake->text));
    if (inner_state != JZ__TOOL_UNKNOWN) {
        state = inner_state;
    }
    /* Decided last, because a failed call's output is wanted from any tool. */
    if (!jz__intake_wants_output(intake, id, state)) {
        body = JZ__STR("");
    }
    return jz__intake_result(intake, id, state, body);
}

/* An event that tells how a command ended, under the id of its call. */
int jz__codex_calls_end(struct jz__codex *codex, size_t event,
                        struct jz__str id)
{
    const struct jz__scan *scan = &codex->lines.scan;
    int64_t code;

    if (id.length == 0 ||
        !jz__scan_int(&code, scan, jz__scan_get(scan, event, "exit_code"))) {
        return JZ_OK;
    }
    return jz__intake_result(&codex->intake, id,
                             code == 0 ? JZ__TOOL_OK : JZ__TOOL_FAILED,
                             JZ__STR(""));
}

/* Kinds that are not here (tool searches, pictures that were made) leave no
 * trace: they say nothing about the work. */
int jz__codex_calls_add(bool *is_taken, struct jz__codex *codex, size_t item)
{
    static const struct {
        const char *type;
        int (*read)(struct jz__codex *codex, size_t item);
    } readers[] = {
        { "function_call", read_function_call },
        { "function_call_output", read_output },
        { "custom_tool_call", read_custom_call },
        { "custom_tool_call_output", read_output },
        { "local_shell_call", read_local_shell_call },
        { "local_shell_call_output", read_output },
        { "web_search_call", read_web_search_call },
    };
    struct jz__str type;
    size_t i;

    assert(is_taken != NULL && codex != NULL);

    type = jz__codex_member(&codex->lines.scan, item, "type");
    for (i = 0; i < JZ__LENGTH(readers); i++) {
        if (jz__str_is(type, readers[i].type)) {
            *is_taken = true;
            return readers[i].read(codex, item);
        }
    }
    *is_taken = false;
    return JZ_OK;
}
