/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record: which types there are, and where its members stand. A record of
 * Claude Code has some fifteen members in no fixed order, and most records are
 * of no use, so this is where the time of a read goes: the members are found in
 * one walk, and lines that begin with a useless type are not scanned at all.
 */
#include "ingest/claude.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

/* Types without anything for us. Those that start so are skipped unread when
 * the type stands first in the line. */
static const char *const skipped_types[] = {
    "progress",
    "file-history-snapshot",
    "file-history-delta",
    "last-prompt",
    "permission-mode",
    "mode",
    "bridge-session",
    "pr-link",
    "tag",
    "agent-name",
    "agent-color",
    "agent-setting",
    "worktree-state",
    "content-replacement",
    "relocated",
    "fork-context-ref",
    "speculation-accept",
    "marble-origami-commit",
};

/* Types that are read. */
static const char *const read_types[] = {
    "user",         "assistant", "attachment", "system", "queue-operation",
    "custom-title", "ai-title",  "summary",
};

/* A member that the connector knows, and its place in the record. */
struct field {
    const char *name;
    size_t length;
    size_t offset;
};

#define FIELD(name, member)                                                    \
    {                                                                          \
        name, sizeof(name) - 1, offsetof(struct jz__claude_record, member)     \
    }

static const struct field fields[] = {
    FIELD("type", type),
    FIELD("uuid", uuid),
    FIELD("timestamp", timestamp),
    FIELD("sessionId", session),
    FIELD("message", message),
    FIELD("cwd", cwd),
    FIELD("gitBranch", branch),
    FIELD("isSidechain", sidechain),
    FIELD("isMeta", meta),
    FIELD("isCompactSummary", compact),
    FIELD("origin", origin),
    FIELD("forkedFrom", forked),
    FIELD("attachment", attachment),
    FIELD("subtype", subtype),
    FIELD("isApiErrorMessage", api_error),
    FIELD("operation", operation),
    FIELD("content", content),
    FIELD("customTitle", title),
    FIELD("aiTitle", title),
    FIELD("summary", title),
    FIELD("leafUuid", leaf),
};

/* The lists are short and types differ in length, so this is mostly a
 * comparison of two numbers. */
static bool is_one_of(struct jz__str type, const char *const *types,
                      size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (jz__str_is(type, types[i])) {
            return true;
        }
    }
    return false;
}

/* All members in one walk: a look-up for each would walk the record twenty
 * times. */
void jz__claude_record_find(struct jz__claude_record *record,
                            const struct jz__scan *scan)
{
    size_t i;
    size_t k;

    memset(record, 0, sizeof(*record));
    for (i = jz__scan_first(scan, 0); i != 0; i = jz__scan_after(scan, 0, i)) {
        const struct jz__scan_token *key = &scan->tokens[i];

        for (k = 0; k < JZ__LENGTH(fields); k++) {
            if (fields[k].length == key->length &&
                memcmp(scan->text + key->start, fields[k].name, key->length) ==
                    0) {
                size_t value = i + 1;

                memcpy((char *)record + fields[k].offset, &value,
                       sizeof(value));
                break;
            }
        }
    }
}

/*
 * Most of the lines that are skipped begin with their type. They are told by
 * their first bytes, if nothing can be glued behind them.
 */
bool jz__claude_record_is_skipped_line(struct jz__str line)
{
    static const char head[] = "{\"type\":\"";
    struct jz__str type;
    const char *end;

    if (!jz__str_starts(line, head) || line.data[line.length - 1] != '}') {
        return false;
    }
    type.data = line.data + sizeof(head) - 1;
    end = memchr(type.data, '"', line.length - (sizeof(head) - 1));
    if (end == NULL) {
        return false;
    }
    type.length = (size_t)(end - type.data);
    return is_one_of(type, skipped_types, JZ__LENGTH(skipped_types)) &&
           memmem(line.data, line.length, "}{", 2) == NULL;
}

bool jz__claude_record_is_read(struct jz__str type)
{
    return is_one_of(type, read_types, JZ__LENGTH(read_types));
}

bool jz__claude_record_is_skipped(struct jz__str type)
{
    return is_one_of(type, skipped_types, JZ__LENGTH(skipped_types));
}
