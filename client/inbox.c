/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server takes one shape of path an agent and nothing else, so a file that
 * has another shape is not offered: it would be refused each time. What is
 * known not to be a session of its own, above all sub-agents' transcripts, is
 * left out here as well: they bear the id of the session that started them and
 * would replace it.
 *
 * The name of a file decides, and not the folders in front of it: an agent's
 * folder can lie anywhere.
 */
#include "inbox.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"

#define PACKED ".zst"
#define PLAIN ".jsonl"

/* "YYYY-MM-DD" behind "rollout-". */
#define DATE_LENGTH 10

static bool is_allowed(uint32_t point)
{
    return (point >= 'A' && point <= 'Z') || (point >= 'a' && point <= 'z') ||
           (point >= '0' && point <= '9') || point == '.' || point == '_' ||
           point == '-';
}

void inbox_put_part(struct jz__buf *out, struct jz__str text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.length && count < INBOX_PART_MOST; count++) {
        uint32_t point;

        i += jz__utf8_next(&point, text.data + i, text.length - i);
        jz__buf_putc(out, is_allowed(point) ? (char)point : '_');
    }
}

struct jz__str inbox_stem(const char *path)
{
    struct jz__str name = jz__path_name(path);

    if (jz__str_ends(name, PACKED)) {
        name.length -= strlen(PACKED);
    }
    if (!jz__str_ends(name, PLAIN)) {
        return JZ__STR("");
    }
    name.length -= strlen(PLAIN);
    return name;
}

/* Append a part and what follows it. A name that begins with a dot is hidden or
 * leads upwards. */
static bool put(struct jz__buf *out, const char **reason, struct jz__str part,
                const char *behind)
{
    if (part.length == 0 || part.data[0] == '.') {
        *reason = "a name in it is empty or begins with a dot";
        return false;
    }
    inbox_put_part(out, part);
    jz__buf_puts(out, behind);
    return true;
}

/* --- Claude Code: <folder>/<session>.jsonl --- */

static struct jz__str parent_name(struct jz__str *path)
{
    struct jz__str name = { path->data, 0 };
    size_t end = path->length;

    while (end > 0 && path->data[end - 1] == '/') {
        end--;
    }
    path->length = end;
    while (path->length > 0 && path->data[path->length - 1] != '/') {
        path->length--;
    }
    name.data = path->data + path->length;
    name.length = end - path->length;
    return name;
}

static bool is_claude_session(struct jz__str folders, struct jz__str folder,
                              struct jz__str stem)
{
    struct jz__str rest = folders;
    struct jz__str above = parent_name(&rest);

    if (jz__str_starts(stem, "agent-") || jz__str_is(folder, "subagents") ||
        jz__str_is(stem, "journal") || jz__str_is(stem, "history")) {
        return false;
    }
    /* Sub-agents of workflows lie deeper below the session's own folder. */
    return jz__str_is(above, "projects") ||
           jz__str_find(folders, "/subagents/") == SIZE_MAX;
}

static bool put_claude(struct jz__buf *out, const char **reason,
                       const char *path)
{
    struct jz__str stem = inbox_stem(path);
    struct jz__str folders = jz__path_parent(path);
    struct jz__str folder = parent_name(&folders);

    if (stem.length == 0 || jz__str_ends(jz__path_name(path), PACKED)) {
        *reason = "it is no .jsonl file";
        return false;
    }
    if (!is_claude_session(folders, folder, stem)) {
        *reason = "it is a sub-agent's transcript, or none";
        return false;
    }
    return put(out, reason, folder, "/") && put(out, reason, stem, PLAIN);
}

/* --- Codex: YYYY/MM/DD/rollout-….jsonl --- */

static bool is_number(struct jz__str text, size_t digits, int least, int most)
{
    int value = 0;

    if (text.length != digits) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        value = value * 10 + (text.data[i] - '0');
    }
    return value >= least && value <= most;
}

static bool is_date(const struct jz__str *parts)
{
    return is_number(parts[0], 4, 0, 9999) && is_number(parts[1], 2, 1, 12) &&
           is_number(parts[2], 2, 1, 31);
}

/* The folders' date; an archived session has left them, and its name has the
 * same date. */
static bool find_date(struct jz__str *parts, const char *path,
                      struct jz__str stem)
{
    struct jz__str folders = jz__path_parent(path);

    for (int i = 2; i >= 0; i--) {
        parts[i] = parent_name(&folders);
    }
    if (is_date(parts)) {
        return true;
    }
    stem.data += strlen("rollout-");
    stem.length -= strlen("rollout-");
    if (stem.length < DATE_LENGTH || stem.data[4] != '-' ||
        stem.data[7] != '-') {
        return false;
    }
    parts[0] = (struct jz__str){ stem.data, 4 };
    parts[1] = (struct jz__str){ stem.data + 5, 2 };
    parts[2] = (struct jz__str){ stem.data + 8, 2 };
    return is_date(parts);
}

static bool put_codex(struct jz__buf *out, const char **reason,
                      const char *path)
{
    struct jz__str stem = inbox_stem(path);
    struct jz__str date[3];

    if (!jz__str_starts(stem, "rollout-")) {
        *reason = "it is no rollout-….jsonl file";
        return false;
    }
    if (!find_date(date, path, stem)) {
        *reason = "neither its folders nor its name have a date";
        return false;
    }
    return put(out, reason, date[0], "/") && put(out, reason, date[1], "/") &&
           put(out, reason, date[2], "/") && put(out, reason, stem, PLAIN);
}

bool inbox_put_path(struct jz__buf *out, const char **reason,
                    enum agent_id agent, const char *path, const char *id)
{
    size_t start = out->length;
    bool is_taken;

    assert(agent < AGENT_COUNT && reason != NULL);

    switch (agent) {
    case AGENT_CLAUDE_CODE:
        is_taken = put_claude(out, reason, path);
        break;
    case AGENT_CODEX:
        is_taken = put_codex(out, reason, path);
        break;
    case AGENT_ANTIGRAVITY:
        is_taken = put(out, reason, jz__str_of(id), PLAIN);
        break;
    default:
        is_taken = put(out, reason, jz__str_of(id), ".json");
        break;
    }
    if (!is_taken && out->error == 0) {
        jz__buf_truncate(out, start);
    }
    return is_taken;
}
