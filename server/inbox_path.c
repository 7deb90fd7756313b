/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each agent keeps its sessions in one shape of path, and that shape alone is
 * taken: a known number of parts, each of a few harmless characters and not
 * beginning with a dot, and a known ending. So there is no `..`, no hidden
 * file and no name that the inbox uses itself. Nothing is decoded: a path that
 * needs decoding holds a percent sign, which is not one of the characters.
 *
 * What the agents' connectors would leave out (transcripts of sub-agents,
 * journals) is refused here, so that the computer that sent it is told.
 */
#include "inbox_path.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

const char *const inbox_agents[] = { "claude-code", "codex",  "antigravity",
                                     "opencode",    "hermes", NULL };

struct shape {
    const char *agent;
    size_t count;
    const char *ending;
    bool (*is_session)(const struct jz__str *parts); /* NULL: any */
    const char *reason;                              /* when it is another */
};

static bool is_number(struct jz__str text, size_t digits, int least, int most)
{
    int value = 0;
    size_t i;

    if (text.length != digits) {
        return false;
    }
    for (i = 0; i < digits; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        value = value * 10 + (text.data[i] - '0');
    }
    return value >= least && value <= most;
}

/* <folder>/<session>.jsonl */
static bool is_claude_session(const struct jz__str *parts)
{
    return !jz__str_is(parts[0], "subagents") &&
           !jz__str_starts(parts[1], "agent-") &&
           !jz__str_is(parts[1], "journal.jsonl") &&
           !jz__str_is(parts[1], "history.jsonl");
}

/* YYYY/MM/DD/rollout-….jsonl */
static bool is_codex_session(const struct jz__str *parts)
{
    return is_number(parts[0], 4, 0, 9999) && is_number(parts[1], 2, 1, 12) &&
           is_number(parts[2], 2, 1, 31) &&
           jz__str_starts(parts[3], "rollout-");
}

static const struct shape shapes[] = {
    { "claude-code", 2, ".jsonl", is_claude_session,
      "the path must be <folder>/<session>.jsonl and not a sub-agent's" },
    { "codex", 4, ".jsonl", is_codex_session,
      "the path must be YYYY/MM/DD/rollout-<session>.jsonl" },
    { "antigravity", 1, ".jsonl", NULL,
      "the path must be <conversation>.jsonl" },
    { "opencode", 1, ".json", NULL, "the path must be <session>.json" },
    { "hermes", 1, ".json", NULL, "the path must be <session>.json" },
};

static const struct shape *find_shape(struct jz__str agent)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(shapes); i++) {
        if (jz__str_is(agent, shapes[i].agent)) {
            return &shapes[i];
        }
    }
    return NULL;
}

static bool is_allowed(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/* NULL, or why it is no part of a path. */
static const char *fault_of(struct jz__str part)
{
    size_t i;

    if (part.length == 0) {
        return "a part of the path is empty";
    }
    if (part.data[0] == '.') {
        return "a part of the path begins with a dot";
    }
    for (i = 0; i < part.length; i++) {
        if (!is_allowed(part.data[i])) {
            return "the path has other characters than A-Z a-z 0-9 . _ -";
        }
    }
    return NULL;
}

/* Take what stands before the next slash off the text; false: it was the last
 * part. */
static bool next_part(struct jz__str *part, struct jz__str *text)
{
    const char *slash = memchr(text->data, '/', text->length);

    *part = *text;
    if (slash == NULL) {
        return false;
    }
    part->length = (size_t)(slash - text->data);
    text->data += part->length + 1;
    text->length -= part->length + 1;
    return true;
}

/* Computers cut the name of a session and then put its ending behind it, so
 * the ending of the last part does not count. */
static bool is_too_long(struct jz__str part, const char *ending)
{
    size_t spare = jz__str_ends(part, ending) ? strlen(ending) : 0;

    return part.length - spare > INBOX_PART_MOST;
}

bool inbox_path_parse(struct inbox_path *out, const char **reason,
                      struct jz__str text)
{
    const struct shape *shape;
    struct jz__str part;
    bool has_more;

    assert(out != NULL && reason != NULL);

    *out = (struct inbox_path){ .agent = NULL };
    if (text.length == 0 || !next_part(&part, &text) ||
        (shape = find_shape(part)) == NULL) {
        *reason = "unknown agent";
        return false;
    }
    out->agent = shape->agent;
    do {
        has_more = next_part(&part, &text);
        *reason = fault_of(part);
        if (*reason == NULL &&
            is_too_long(part, has_more ? "/" : shape->ending)) {
            *reason = "a part of the path is over 150 characters";
        }
        if (*reason == NULL && out->count == shape->count) {
            *reason = shape->reason;
        }
        if (*reason != NULL) {
            return false;
        }
        out->parts[out->count++] = part;
    } while (has_more);
    if (out->count == shape->count && jz__str_ends(part, shape->ending) &&
        part.length > strlen(shape->ending) &&
        (shape->is_session == NULL || shape->is_session(out->parts))) {
        return true;
    }
    *reason = shape->reason;
    return false;
}
