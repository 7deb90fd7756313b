/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool calls, of any agent. Agents name the same things differently, so the
 * argument that tells most is found by its key, in one order of preference for
 * all: what was run, which file, what was looked for, where. A tool that is not
 * known shows its first text.
 */
#include "ingest/tool.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "jezero.h"

/* Bytes of an argument that are looked at for its one line. */
#define LINE_MOST 2048

/* Keys in order: the first that the call has is shown. */
static const char *const telling[] = {
    "command",     "cmd",         "CommandLine",   "script",   "code",
    "file_path",   "filePath",    "notebook_path", "path",     "AbsolutePath",
    "TargetFile",  "pattern",     "query",         "Query",    "url",
    "Url",         "description", "prompt",        "question", "subject",
    "skill",       "name",        "title",         "text",     "message",
    "explanation",
};

/* Tools that run a command line. */
static const char *const shells[] = {
    "bash",
    "shell",
    "exec_command",
    "shell_command",
    "local_shell",
    "container.exec",
    "run_command",
    "local_shell_call",
    "run_shell_command",
    "run_terminal_cmd",
    "execute_command",
    "terminal",
    "powershell",
    "monitor",
};

bool jz__tool_is_shell(struct jz__str name)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(shells); i++) {
        if (jz__str_is_nocase(name, shells[i])) {
            return true;
        }
    }
    return false;
}

/* ["bash", "-lc", "make test"] is its last element; any other list of words is
 * shown with blanks between them. */
static void put_words(struct jz__buf *text, const struct jz__scan *scan,
                      size_t array)
{
    size_t first = jz__scan_first(scan, array);
    size_t flag = first != 0 ? jz__scan_after(scan, array, first) : 0;
    size_t i = first;

    if (flag != 0 &&
        (jz__scan_is(scan, flag, "-lc") || jz__scan_is(scan, flag, "-c")) &&
        jz__scan_after(scan, array, flag) != 0) {
        i = jz__scan_after(scan, array, flag);
    }
    for (; i != 0; i = jz__scan_after(scan, array, i)) {
        /* Some tools take a list of thousands of files. */
        if (text->length > JZ__TOOL_COMMAND_MOST) {
            break;
        }
        if (text->length > 0) {
            jz__buf_putc(text, ' ');
        }
        jz__scan_text(text, scan, i);
    }
}

/* true if something was appended. Objects and flags tell nothing by
 * themselves. */
static bool put_value(struct jz__buf *text, const struct jz__scan *scan,
                      size_t value)
{
    struct jz__str raw;

    switch (scan->tokens[value].type) {
    case JZ__SCAN_STRING:
        jz__scan_text(text, scan, value);
        break;
    case JZ__SCAN_ARRAY:
        put_words(text, scan, value);
        break;
    case JZ__SCAN_NUMBER:
        raw = jz__scan_raw(scan, value);
        jz__buf_append(text, raw.data, raw.length);
        break;
    default:
        break;
    }
    return text->length > 0;
}

/* A key counts only if it has something to show: an empty "path" gives way to
 * the next. */
bool jz__tool_describe(struct jz__buf *text, struct jz__str name,
                       const struct jz__scan *scan, size_t input)
{
    size_t i;

    assert(text != NULL && scan != NULL);

    if (input >= scan->count || scan->tokens[input].type != JZ__SCAN_OBJECT) {
        return false;
    }
    for (i = 0; i < JZ__LENGTH(telling); i++) {
        size_t value = jz__scan_get(scan, input, telling[i]);

        if (value != 0 && put_value(text, scan, value)) {
            /* The first five keys hold what a shell runs. */
            return i < 5 && jz__tool_is_shell(name);
        }
    }
    for (i = jz__scan_first(scan, input); i != 0;
         i = jz__scan_after(scan, input, i)) {
        if (put_value(text, scan, i + 1)) {
            break;
        }
    }
    return false;
}

/* The files that a patch of Codex touches: "*** Update File: path" lines. */
static void put_patched_files(struct jz__buf *text, struct jz__str patch)
{
    struct jz__str line;

    while (text->length < (size_t)4 * JZ__TOOL_ARGUMENT_MOST &&
           jz__str_line(&line, &patch)) {
        size_t colon;

        if (!jz__str_starts(line, "*** ")) {
            continue;
        }
        colon = jz__str_find(line, " File: ");
        if (colon != SIZE_MAX) {
            jz__buf_puts(text, text->length > 0 ? ", " : "");
            jz__buf_append(text, line.data + colon + 7,
                           line.length - colon - 7);
        }
    }
}

/* Codex can run tools out of a JavaScript program: the command is the argument
 * of its first call of exec_command, if that is written as JSON. */
static bool put_program_command(struct jz__buf *text, struct jz__str program)
{
    static const char call[] = "exec_command(";
    struct jz__scan scan = JZ__SCAN_INIT;
    size_t at = jz__str_find(program, call);
    bool is_found = false;

    if (at == SIZE_MAX) {
        return false;
    }
    at += sizeof(call) - 1;
    if (jz__scan_parse(&scan, program.data + at, program.length - at) == 0) {
        size_t command = jz__scan_get_type(&scan, 0, "cmd", JZ__SCAN_STRING);

        if (command != 0) {
            jz__scan_text(text, &scan, command);
            is_found = true;
        }
    }
    jz__scan_finish(&scan);
    return is_found;
}

/* A patch is shown by its files, a program by the command that it runs,
 * anything else as it stands. */
bool jz__tool_describe_text(struct jz__buf *text, struct jz__str name,
                            struct jz__str input)
{
    assert(text != NULL);

    if (jz__str_starts(input, "*** Begin Patch")) {
        put_patched_files(text, input);
    }
    if (text->length == 0 && put_program_command(text, input)) {
        return true;
    }
    /* Cut before it is cleaned: it may be a program of any length. */
    if (text->length == 0) {
        size_t most = JZ__TOOL_COMMAND_MOST;

        jz__utf8_clean(text, input.data,
                       input.length < most ? input.length : most);
        return jz__tool_is_shell(name);
    }
    return false;
}

/* The command keeps its lines, since the extractive summariser reads here-
 * documents and continued lines as what they are. */
int jz__tool_fill(struct jz__event *event,
                  struct jz__conversation *conversation, struct jz__str name,
                  struct jz__str described, bool is_command)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;
    struct jz__str argument;
    size_t kept;
    int r;

    assert(event != NULL && conversation != NULL);

    /* A quarter in characters is never more than the limit in bytes. */
    if (described.length > JZ__TOOL_COMMAND_MOST) {
        described.length = jz__utf8_prefix(described.data, described.length,
                                           JZ__TOOL_COMMAND_MOST / 4);
    }
    /* Enough for the argument, unless it begins with pages of blanks. */
    kept = described.length < LINE_MOST ? described.length : LINE_MOST;
    while (kept < described.length &&
           ((unsigned char)described.data[kept] & 0xC0) == 0x80) {
        kept--;
    }
    jz__utf8_one_line(&line, described.data, kept);
    jz__utf8_cut(&cut, line.data != NULL ? line.data : "", line.length,
                 JZ__TOOL_ARGUMENT_MOST);
    if (line.error != 0 || cut.error != 0) {
        return JZ_ENOMEM;
    }
    argument.data = cut.data != NULL ? cut.data : "";
    argument.length = cut.length;
    r = jz__conversation_keep(&event->tool, conversation, name);
    if (r == 0) {
        r = jz__conversation_keep(&event->argument, conversation, argument);
    }
    if (r == 0 && is_command) {
        /* Most commands are one short line: then both are the same bytes. */
        if (jz__str_equal(described, argument)) {
            event->command = event->argument;
        } else {
            r = jz__conversation_keep(&event->command, conversation, described);
        }
    }
    return r;
}
