/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent's own folder is searched where that agent keeps its sessions, and
 * names decide there, so that a folder of thousands costs a stat each. A folder
 * of unknown origin is walked whole, and the first lines of each .jsonl decide.
 * Agents that keep a database are asked through their exports.
 */
#include "ingest/sessions.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "ingest/connector.h"
#include "ingest/export.h"

struct session {
    const char *agent; /* NULL: the file may not be read */
    char *id;
    char *path; /* the file, or what holds the session */
    int64_t bytes;
    int64_t mtime_ns;
};

struct list {
    const char *agent;
    const struct jz__connector *connector; /* NULL: by content */
    int64_t since;
    struct session *sessions;
    size_t count;
    size_t capacity;
};

static void list_finish(struct list *list)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        free(list->sessions[i].id);
        free(list->sessions[i].path);
    }
    free(list->sessions);
}

static int add(struct list *list, const char *agent, struct jz__str id,
               const char *path, const struct jz__file_state *state)
{
    struct session *session;

    if (jz__mem_grow(&list->sessions, &list->capacity, list->count + 1,
                     sizeof(*list->sessions)) < 0) {
        return JZ_ENOMEM;
    }
    session = &list->sessions[list->count];
    session->agent = agent;
    session->id = jz__mem_copy(id.data, id.length);
    session->path = jz__mem_copy(path, strlen(path));
    session->bytes = state->size;
    session->mtime_ns = state->mtime_ns;
    list->count++; /* what there is of it is freed with the list */
    return session->id != NULL && session->path != NULL ? JZ_OK : JZ_ENOMEM;
}

static int on_file(void *userdata, const char *path)
{
    struct list *list = userdata;
    const struct jz__connector *connector = list->connector;
    struct jz__file_state state;

    if (connector != NULL && !connector->is_session_path(path)) {
        return JZ_OK;
    }
    if (connector == NULL && !jz__str_ends(jz__path_name(path), ".jsonl")) {
        return JZ_OK;
    }
    if (jz__file_stat(&state, path, NULL) < 0 ||
        (list->since > 0 && state.mtime_ns / 1000000000 < list->since)) {
        return JZ_OK;
    }
    if (connector == NULL && access(path, R_OK) != 0) {
        /* What it is cannot be told, and it must not pass unnoticed. */
        return add(list, NULL, JZ__STR(""), path, &state);
    }
    if (connector == NULL) {
        connector = jz__connector_detect(path);
        /* Sub-agents' files are known by their names alone. */
        if (connector == NULL || strstr(path, "/subagents/") != NULL ||
            jz__str_starts(jz__path_name(path), "agent-")) {
            return JZ_OK;
        }
    }
    return add(list, connector->agent, connector->session_of_path(path), path,
               &state);
}

static int on_export(void *userdata, const struct jz__export_entry *entry)
{
    struct list *list = userdata;
    const struct jz__file_state state = { .size = entry->bytes,
                                          .mtime_ns = entry->modified_ns };

    return add(list, list->agent, jz__str_of(entry->session), entry->place,
               &state);
}

static int compare(const void *a, const void *b)
{
    const struct session *x = a;
    const struct session *y = b;

    int order = strcmp(x->path, y->path);

    if (x->mtime_ns != y->mtime_ns) {
        return x->mtime_ns < y->mtime_ns ? -1 : 1;
    }
    return order != 0 ? order : strcmp(x->id, y->id);
}

static int walk(struct list *list, const char *place, struct jz__error *error)
{
    const char *const *folder =
        list->connector != NULL ? list->connector->folders : NULL;
    struct stat info;
    int r = JZ_OK;

    if (stat(place, &info) != 0) {
        return jz__fail(error, JZ_ENOTFOUND, "%s: no such file or folder",
                        place);
    }
    if (list->agent != NULL && list->connector == NULL) {
        return jz__export_list(list->agent, place, list->since, on_export, list,
                               error);
    }
    if (folder == NULL || !S_ISDIR(info.st_mode)) {
        return jz__file_walk(place, on_file, list, NULL, error);
    }
    for (; *folder != NULL && r == 0; folder++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

        jz__path_join(&path, place, *folder);
        if (path.error != 0) {
            return jz__fail_memory(error);
        }
        /* An agent that has no sessions yet has no such folder. */
        if (stat(path.data, &info) == 0) {
            r = jz__file_walk(path.data, on_file, list, NULL, error);
        }
    }
    return r;
}

static void put_session(struct jz__buf *out, const struct session *session)
{
    jz__json_put_comma(out);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "agent");
    jz__json_put_str(out, session->agent);
    jz__json_put_key(out, "session");
    jz__json_put_str(out, session->id);
    jz__json_put_key(out, "path");
    jz__json_put_str(out, session->path);
    jz__json_put_key(out, "bytes");
    jz__json_put_int(out, session->bytes);
    jz__json_put_key(out, "modified");
    jz__json_put_int(out, session->mtime_ns / 1000000000);
    jz__buf_putc(out, '}');
}

int jz__sessions_list(struct jz__buf *out, const char *agent, const char *place,
                      int64_t since, struct jz__error *error)
{
    JZ_CLEANUP(list_finish)
    struct list list = { .agent = agent, .since = since };
    size_t i;
    int r;

    if (agent != NULL) {
        list.connector = jz__connector_find(agent);
        if (list.connector == NULL && !jz__export_is_agent(agent)) {
            return jz__fail(error, JZ_EINVAL, "no connector for agent '%.60s'",
                            agent);
        }
    }
    r = walk(&list, place, error);
    if (r < 0) {
        return r == JZ_ENOMEM ? jz__fail_memory(error) : r;
    }
    if (list.count > 1) {
        qsort(list.sessions, list.count, sizeof(*list.sessions), compare);
    }
    jz__buf_putc(out, '[');
    for (i = 0; i < list.count; i++) {
        put_session(out, &list.sessions[i]);
    }
    jz__buf_putc(out, ']');
    return out->error != 0 ? jz__fail_memory(error) : JZ_OK;
}
