/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs of tool calls. They can be large and most of them are never read
 * again: they are cut before they are unescaped, at places that lie inside no
 * escape, so that the cost of a result does not grow with it.
 */
#include "ingest/tool_output.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

/* The whole number at the start of text; false if there is none. */
static bool read_code(long *out, struct jz__str text)
{
    bool is_negative = text.length > 0 && text.data[0] == '-';
    size_t i = is_negative;
    long value = 0;

    while (i < text.length && i < 10 && text.data[i] >= '0' &&
           text.data[i] <= '9') {
        value = value * 10 + (text.data[i] - '0');
        i++;
    }
    *out = is_negative ? -value : value;
    return i > (size_t)is_negative;
}

/* Behind `mark` stands a status: 0 is success. */
static bool find_code(enum jz__tool_state *state, struct jz__str head,
                      const char *mark)
{
    size_t at = jz__str_find(head, mark);
    struct jz__str rest;
    long code;

    if (at == SIZE_MAX) {
        return false;
    }
    rest.data = head.data + at + strlen(mark);
    rest.length = head.length - at - strlen(mark);
    if (!read_code(&code, rest)) {
        return false;
    }
    *state = code == 0 ? JZ__TOOL_OK : JZ__TOOL_FAILED;
    return true;
}

/* Failures come in two forms: a fixed beginning, when the tool did not run at
 * all, and an exit status in the head, when it did. */
enum jz__tool_state jz__tool_output_state(struct jz__str *body,
                                          struct jz__str output)
{
    static const char *const failures[] = {
        "exec_command failed", "apply_patch verification failed",
        "Script failed",       "failed to parse function arguments",
        "unsupported call:",   "execution error:",
        "patch rejected",
    };
    enum jz__tool_state state = JZ__TOOL_UNKNOWN;
    size_t below;
    struct jz__str head;
    size_t i;

    assert(body != NULL);

    /* The head repeats the command, which may be long. */
    head.data = output.data;
    head.length = output.length < 4096 ? output.length : 4096;
    *body = output;
    for (i = 0; i < JZ__LENGTH(failures); i++) {
        if (jz__str_starts(output, failures[i])) {
            return JZ__TOOL_FAILED;
        }
    }
    below = jz__str_starts(head, "Output:\n")
                ? 0
                : jz__str_find(head, "\nOutput:\n");
    if (below != SIZE_MAX) {
        head.length = below;
        below += below == 0 ? 8 : 9;
        body->data += below;
        body->length -= below;
    }
    if (jz__str_starts(head, "Script completed")) {
        return JZ__TOOL_OK;
    }
    /* Without a head these words are any text's. */
    if (below != SIZE_MAX || jz__str_starts(head, "Command: ") ||
        jz__str_starts(head, "Chunk ID: ")) {
        (void)(find_code(&state, head, "Process exited with code ") ||
               find_code(&state, head, "Exit code: "));
    }
    return state;
}

/* The first place from `at` on where an escaped string can be cut: no escape
 * and no character spans it. */
static size_t next_cut(struct jz__str raw, size_t at)
{
    for (; at < raw.length; at++) {
        size_t slashes = 0;
        size_t back = at < 6 ? at : 6;

        if (((unsigned char)raw.data[at] & 0xC0) == 0x80) {
            continue;
        }
        if (memchr(raw.data + at - back, '\\', back) == NULL) {
            return at;
        }
        if (raw.data[at] == '\\') {
            /* It begins an escape if an even number stands in front of it. */
            while (slashes < at && raw.data[at - slashes - 1] == '\\') {
                slashes++;
            }
            if (slashes % 2 == 0) {
                return at;
            }
        }
    }
    return raw.length;
}

/* A token of its own that points into the middle of the string, so that the
 * scan's decoder can be used. */
static void put_part(struct jz__buf *out, const struct jz__scan *scan,
                     size_t token, size_t from, size_t to)
{
    struct jz__scan_token part = scan->tokens[token];
    struct jz__scan one = *scan;

    part.start += (uint32_t)from;
    part.length = (uint32_t)(to - from);
    one.tokens = &part;
    one.count = 1;
    jz__scan_text(out, &one, 0);
}

/* The two halves stand on both sides of a line with an ellipsis. */
void jz__tool_output_put(struct jz__buf *out, const struct jz__scan *scan,
                         size_t token)
{
    const size_t half = JZ__CONVERSATION_OUTPUT_MOST / 2;
    struct jz__str raw = jz__scan_raw(scan, token);
    size_t first;
    size_t last;

    if (scan->tokens[token].type != JZ__SCAN_STRING) {
        return;
    }
    if (raw.length <= JZ__CONVERSATION_OUTPUT_MOST) {
        jz__scan_text(out, scan, token);
        return;
    }
    first = next_cut(raw, half);
    last = next_cut(raw, raw.length - half);
    put_part(out, scan, token, 0, first);
    if (last > first) {
        jz__buf_puts(out, "\n\xE2\x80\xA6\n");
        put_part(out, scan, token, last, raw.length);
    }
}
