/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are Codex' rollouts, by their names and by their first lines. The
 * name holds the local time of the start and the session's id; the id inside
 * the file counts, the name's is for a file whose header is lost.
 */
#include "ingest/codex.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "ingest/uuid.h"

/* rollout-2026-03-02T09-00-00-<uuid>.jsonl */
struct jz__str jz__codex_files_session(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct jz__str name = jz__str_of(slash != NULL ? slash + 1 : path);
    struct jz__str uuid;

    if (jz__str_ends(name, ".zst")) {
        name.length -= 4;
    }
    if (!jz__str_starts(name, "rollout-") || !jz__str_ends(name, ".jsonl") ||
        name.length < 8 + 36 + 6) {
        return JZ__STR("");
    }
    uuid.data = name.data + name.length - 6 - 36;
    uuid.length = 36;
    return jz__uuid_is(uuid) ? uuid : JZ__STR("");
}

/* Compressed rollouts count: the caller unpacks them. */
bool jz__codex_files_is_session(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct jz__str name = jz__str_of(slash != NULL ? slash + 1 : path);

    return jz__str_starts(name, "rollout-") &&
           (jz__str_ends(name, ".jsonl") || jz__str_ends(name, ".jsonl.zst"));
}

/* The first line that is JSON decides: it is the header, in all formats. */
bool jz__codex_files_is_transcript(struct jz__str head)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__str line;

    while (jz__str_line(&line, &head)) {
        struct jz__str type;

        if (jz__scan_parse(&scan, line.data, line.length) < 0 ||
            scan.tokens[0].type != JZ__SCAN_OBJECT) {
            /* A header with its instructions may be longer than the head. */
            if (jz__str_starts(line, "{\"timestamp\":") &&
                jz__str_find(line, "\"type\":\"session_meta\"") != SIZE_MAX) {
                return true;
            }
            continue;
        }
        type = jz__codex_member(&scan, 0, "type");
        if (jz__scan_get_type(&scan, 0, "payload", JZ__SCAN_OBJECT) != 0) {
            return jz__str_is(type, "session_meta") ||
                   jz__str_is(type, "response_item") ||
                   jz__str_is(type, "event_msg") ||
                   jz__str_is(type, "turn_context");
        }
        return type.length == 0 &&
               jz__scan_get_type(&scan, 0, "id", JZ__SCAN_STRING) != 0 &&
               jz__scan_get(&scan, 0, "timestamp") != 0 &&
               (jz__scan_get(&scan, 0, "instructions") != 0 ||
                jz__scan_get(&scan, 0, "git") != 0);
    }
    return false;
}
