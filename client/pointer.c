/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pointer names a transcript and copies nothing of it: what is sent is what
 * lies there when it is sent. One file a session, so that a newer one replaces
 * the older one. Ids that no file name can hold are cleaned, and get a number
 * of their own behind them: two of them may be cleaned to the same.
 */
#include "pointer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "inbox.h"

void pointer_put(struct jz__buf *out, const struct pointer *pointer)
{
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "agent");
    jz__json_put_str(out, agent_name(pointer->agent));
    jz__json_put_key(out, "session_id");
    jz__json_put_str(out, pointer->session_id);
    jz__json_put_key(out, "path");
    jz__json_put_str(out, pointer->path);
    jz__json_put_key(out, "cwd");
    jz__json_put_str(out, pointer->cwd);
    jz__json_put_key(out, "project");
    jz__json_put_str(out, pointer->project);
    jz__json_put_key(out, "queued_at");
    jz__json_put_int(out, pointer->queued_at);
    jz__buf_puts(out, "}\n");
}

void pointer_put_id(struct jz__buf *out, const char *id)
{
    size_t start = out->length;

    inbox_put_part(out, jz__str_of(id));
    if (out->error == 0 && (out->length == start || out->data[start] == '.' ||
                            strcmp(out->data + start, id) != 0)) {
        uint64_t number = jz__str_hash(jz__str_of(id), 0);

        jz__buf_printf(out, "-%08x", (unsigned)(number & 0xffffffffU));
    }
}

void pointer_put_name(struct jz__buf *out, enum agent_id agent, const char *id)
{
    jz__buf_printf(out, "%s__", agent_name(agent));
    pointer_put_id(out, id);
    jz__buf_puts(out, ".json");
}

/* 0 with NULL where there is none. */
static int copy(char **out, const cJSON *tree, const char *key)
{
    const char *text = jz__json_text(tree, key, NULL);

    if (text == NULL || text[0] == '\0') {
        return 0;
    }
    *out = jz__mem_copy(text, strlen(text));
    return *out != NULL ? 0 : JZ_ENOMEM;
}

int pointer_read(struct pointer *out, struct jz__str text)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    int r = jz__json_parse(&tree, text.data, text.length, NULL);

    if (r < 0) {
        return r;
    }
    if (!agent_find(&out->agent, jz__json_text(tree, "agent", ""))) {
        return JZ_EINVAL;
    }
    if (copy(&out->session_id, tree, "session_id") < 0 ||
        copy(&out->path, tree, "path") < 0 ||
        copy(&out->cwd, tree, "cwd") < 0 ||
        copy(&out->project, tree, "project") < 0) {
        return JZ_ENOMEM;
    }
    (void)jz__json_whole(&out->queued_at, jz__json_get(tree, "queued_at"));
    return out->session_id != NULL && out->path != NULL && out->path[0] == '/'
               ? 0
               : JZ_EINVAL;
}

void pointer_finish(struct pointer *pointer)
{
    free(pointer->session_id);
    free(pointer->path);
    free(pointer->cwd);
    free(pointer->project);
    memset(pointer, 0, sizeof(*pointer));
}
