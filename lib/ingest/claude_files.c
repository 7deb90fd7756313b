/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are Claude Code's sessions, by their names and by their first
 * lines. The files of sub-agents lie beside the sessions or below them, bear
 * the id of the session that started them inside, and are none.
 */
#include "ingest/claude.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

/* The name without its ending. It need not be a UUID: people copy files, and
 * tests name them. */
struct jz__str jz__claude_files_session(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct jz__str name = jz__str_of(slash != NULL ? slash + 1 : path);

    if (!jz__str_ends(name, ".jsonl") || jz__str_starts(name, "agent-")) {
        return JZ__STR("");
    }
    name.length -= strlen(".jsonl");
    return name;
}

/* By the name alone, since hooks ask before the file exists. */
bool jz__claude_files_is_session(const char *path)
{
    struct jz__str session = jz__claude_files_session(path);

    /* A workflow's journal and the history of prompts are no sessions. */
    return session.length > 0 && strstr(path, "/subagents/") == NULL &&
           !jz__str_is(session, "journal") && !jz__str_is(session, "history");
}

/* The same by its opposite, for a file that was handed in anyway. */
bool jz__claude_files_is_subagent(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct jz__str name = jz__str_of(slash != NULL ? slash + 1 : path);

    return strstr(path, "/subagents/") != NULL ||
           jz__str_starts(name, "agent-");
}

/* The first lines may be of any type, also of one that a later version brings:
 * the first that bears a mark of a record decides. */
bool jz__claude_files_is_transcript(struct jz__str head)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__claude_record record;
    struct jz__str line;

    while (jz__str_line(&line, &head)) {
        if (jz__scan_parse(&scan, line.data, line.length) < 0 ||
            scan.tokens[0].type != JZ__SCAN_OBJECT) {
            continue;
        }
        jz__claude_record_find(&record, &scan);
        if (record.session != 0 || record.leaf != 0 ||
            jz__scan_is(&scan, record.type, "file-history-snapshot")) {
            struct jz__str type = jz__intake_raw(&scan, record.type);

            return jz__claude_record_is_read(type) ||
                   jz__claude_record_is_skipped(type);
        }
    }
    return false;
}
