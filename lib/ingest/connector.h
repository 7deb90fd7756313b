/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connectors: one agent's transcript file -> a conversation. A connector reads
 * what the agent wrote, not what it should have written: see each file.
 */
#ifndef JZ_INGEST_CONNECTOR_H
#define JZ_INGEST_CONNECTOR_H

#include "base/error.h"
#include "ingest/conversation.h"

struct jz__connector {
    const char *agent; /* "claude-code" */

    /* Where below the agent's own folder its sessions lie; NULL at the end. */
    const char *const *folders;

    /*
     * Read the whole file at path. 0: *out is filled (also when it holds no
     * message: count is 0). JZ_EIO, JZ_ENOTFOUND, JZ_EINVAL (no regular file,
     * or no transcript of this agent: the message says what it is), JZ_ENOMEM.
     * out must be JZ__CONVERSATION_INIT; finish it in every case.
     */
    int (*read)(struct jz__conversation *out, const char *path,
                struct jz__error *error);

    /* Is the file name (not the content) that of a session of this agent, and
     * not of a sub-agent? path is whole. */
    bool (*is_session_path)(const char *path);

    /* Do these first bytes of a file (whole lines, at most 64 KiB) look like
     * this agent's transcript? */
    bool (*is_transcript)(struct jz__str head);

    /* The session's id from the file name, "" if it has none. Borrowed. */
    struct jz__str (*session_of_path)(const char *path);
};

extern const struct jz__connector jz__connector_claude_code;
extern const struct jz__connector jz__connector_codex;

/* By agent name; NULL if there is none. */
const struct jz__connector *jz__connector_find(const char *agent);

/* By content, for a file of unknown origin; NULL if no connector knows it. */
const struct jz__connector *jz__connector_detect(const char *path);

#endif
