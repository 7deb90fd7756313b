/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of connectors. A file of unknown origin is told by its first lines:
 * agents give their files names of all kinds, and people rename them.
 */
#include "ingest/connector.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

/* Bytes of a file that a connector looks at. */
#define HEAD_MOST 65536

static const struct jz__connector *const connectors[] = {
    &jz__connector_claude_code,
    &jz__connector_codex,
};

/* A handful of agents: a list is searched from the front. */
const struct jz__connector *jz__connector_find(const char *agent)
{
    size_t i;

    assert(agent != NULL);

    for (i = 0; i < JZ__LENGTH(connectors); i++) {
        if (strcmp(connectors[i]->agent, agent) == 0) {
            return connectors[i];
        }
    }
    return NULL;
}

/* The first bytes, from a file that may have lines of any length. */
static void read_head(struct jz__buf *head, const char *path)
{
    JZ_CLEANUP(jz__file_lines_closep) struct jz__file_lines *lines = NULL;
    const char *data;
    size_t length;
    bool is_end;

    if (jz__file_lines_open(&lines, path, NULL) < 0) {
        return;
    }
    while (head->length < HEAD_MOST &&
           jz__file_lines_next(lines, &data, &length, &is_end, NULL) == 1) {
        size_t room = HEAD_MOST - head->length;

        jz__buf_append(head, data, length < room ? length : room);
        jz__buf_puts(head, is_end ? "\n" : "");
    }
}

/* A file that cannot be read is one that nobody knows; whoever reads it next
 * gets the reason. */
const struct jz__connector *jz__connector_detect(const char *path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf buf = JZ__BUF_INIT;
    struct jz__str head;
    size_t i;

    assert(path != NULL);

    read_head(&buf, path);
    head.data = buf.data != NULL ? buf.data : "";
    head.length = buf.length;
    for (i = 0; i < JZ__LENGTH(connectors); i++) {
        if (connectors[i]->is_transcript(head)) {
            return connectors[i];
        }
    }
    return NULL;
}
