/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hermes keeps sessions in state.db. What a person said and what was answered is
 * exported, without tool results and without what was rewound. Plugins' context
 * lies in another column and does not come along.
 *
 * A session that another one started is a sub-agent's, unless it goes on where
 * that one ended: by compression, by a branch, by a reset. Versions that do not
 * keep how it came about have no sub-agents of this kind.
 */
#include "ingest/export.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "ingest/export_rows.h"
#include "store/foreign.h"

enum {
    S_ID,
    S_SOURCE,
    S_PARENT,
    S_MODEL_CONFIG,
    S_TITLE,
    S_STARTED,
    S_ENDED,
    S_CWD,
    S_BRANCH,
    S_MODEL
};
static const char *const session_columns[] = {
    "id",           "source", "parent_session_id",
    "model_config", "title",  "started_at",
    "ended_at",     "cwd",    "git_branch",
    "model",        NULL,
};

enum {
    M_ID,
    M_ROLE,
    M_CONTENT,
    M_CALLS,
    M_TIME,
    M_DISPLAY
};
static const char *const message_columns[] = {
    "id", "role", "content", "tool_calls", "timestamp", "display_kind", NULL,
};

/* --- is it a person's session? --- */

static int find_end_reason(struct jz__buf *out, struct jz__foreign *foreign,
                           const char *session, struct jz__error *error)
{
    static const char *const columns[] = { "end_reason", NULL };
    const struct jz__foreign_query query = { "sessions", columns, "id = ?",
                                             session, NULL };
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r = jz__foreign_select(&rows, foreign, &query, error);

    if (r == 0) {
        r = jz__foreign_next(rows, error);
    }
    if (r > 0) {
        struct jz__str reason = jz__foreign_text(rows, 0);

        jz__buf_append(out, reason.data, reason.length);
        r = out->error;
    }
    return r;
}

/* 1: a sub-agent's. */
static int is_delegated(struct jz__foreign *foreign,
                        const struct jz__foreign_rows *rows,
                        struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf parent = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf reason = JZ__BUF_INIT;
    struct jz__str id = jz__foreign_text(rows, S_PARENT);
    struct jz__str config = jz__foreign_text(rows, S_MODEL_CONFIG);
    int r;

    if (jz__str_find(config, "\"_branched_from\"") != SIZE_MAX ||
        jz__str_find(config, "\"_reset_from\"") != SIZE_MAX) {
        return 0;
    }
    if (jz__str_find(config, "\"_delegate_from\"") != SIZE_MAX) {
        return 1;
    }
    if (id.length == 0 || !jz__foreign_has(foreign, "sessions", "end_reason")) {
        return 0;
    }
    jz__buf_append(&parent, id.data, id.length);
    r = parent.error != 0
            ? jz__fail_memory(error)
            : find_end_reason(&reason, foreign, parent.data, error);
    if (r < 0) {
        return r;
    }
    return reason.length == 0 || (strcmp(reason.data, "compression") != 0 &&
                                  strcmp(reason.data, "branched") != 0);
}

/* 1: it is not exported. */
static int is_left_out(struct jz__foreign *foreign,
                       const struct jz__foreign_rows *rows,
                       struct jz__error *error)
{
    struct jz__str source = jz__foreign_text(rows, S_SOURCE);

    if (jz__str_is(source, "cron") || jz__str_is(source, "subagent")) {
        return 1;
    }
    return is_delegated(foreign, rows, error);
}

/* --- one session --- */

static const struct {
    const char *key;
    int column;
} exported[] = {
    { "id", S_ID },
    { "source", S_SOURCE },
    { "title", S_TITLE },
    { "started_at", S_STARTED },
    { "ended_at", S_ENDED },
    { "cwd", S_CWD },
    { "git_branch", S_BRANCH },
    { "model", S_MODEL },
    { "parent_session_id", S_PARENT },
};

static void put_session(struct jz__buf *out, struct jz__foreign *foreign,
                        const struct jz__foreign_rows *rows)
{
    jz__json_put_key(out, "session");
    jz__buf_putc(out, '{');
    for (size_t i = 0; i < JZ__LENGTH(exported); i++) {
        if (jz__foreign_has(foreign, "sessions", exported[i].key)) {
            jz__export_put_value(out, exported[i].key, rows,
                                 exported[i].column);
        }
    }
    jz__buf_putc(out, '}');
}

static void put_message(struct jz__buf *out,
                        const struct jz__foreign_rows *rows)
{
    jz__json_put_comma(out);
    jz__buf_putc(out, '{');
    jz__export_put_value(out, "id", rows, M_ID);
    jz__export_put_value(out, "role", rows, M_ROLE);
    jz__export_put_value(out, "content", rows, M_CONTENT);
    jz__export_put_json(out, "tool_calls", rows, M_CALLS);
    jz__export_put_value(out, "timestamp", rows, M_TIME);
    jz__buf_putc(out, '}');
}

static int put_messages(struct jz__buf *out, struct jz__foreign *foreign,
                        const char *session, struct jz__error *error)
{
    const struct jz__foreign_query query = {
        "messages", message_columns,
        jz__foreign_has(foreign, "messages", "active")
            ? "session_id = ? AND role IN ('user', 'assistant') AND active = 1"
            : "session_id = ? AND role IN ('user', 'assistant')",
        session, "id"
    };
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r = jz__foreign_select(&rows, foreign, &query, error);

    jz__json_put_key(out, "messages");
    jz__buf_putc(out, '[');
    while (r == 0 && (r = jz__foreign_next(rows, error)) > 0) {
        if (!jz__str_is(jz__foreign_text(rows, M_DISPLAY), "hidden")) {
            put_message(out, rows);
        }
        r = jz__export_check_size(out, error);
    }
    jz__buf_putc(out, ']');
    return r;
}

int jz__export_hermes(struct jz__buf *out, const char *database,
                      const char *session, struct jz__error *error)
{
    const struct jz__foreign_query query = { "sessions", session_columns,
                                             "id = ?", session, NULL };
    JZ_CLEANUP(jz__foreign_closep) struct jz__foreign *foreign = NULL;
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r = jz__export_find(&foreign, &rows, database, &query, error);

    if (r < 0) {
        return r;
    }
    r = is_left_out(foreign, rows, error);
    if (r != 0) {
        return r < 0 ? r : JZ__EXPORT_NONE;
    }
    jz__buf_puts(out, "{\"format\":\"jezero-hermes-export/1\"");
    put_session(out, foreign, rows);
    r = put_messages(out, foreign, session, error);
    jz__buf_putc(out, '}');
    return r;
}

/* --- all sessions --- */

enum {
    L_STARTED = S_MODEL + 1,
    L_ACTIVITY,
    L_MESSAGE
};

/* What is_left_out() looks at stands where it expects it. */
static const char *const list_columns[] = {
    "id",
    "source",
    "parent_session_id",
    "model_config",
    "title",
    "started_at",
    "ended_at",
    "cwd",
    "git_branch",
    "model",
    "started_at",
    "last_activity_at",
    "(SELECT max(timestamp) FROM messages WHERE session_id = sessions.id)",
    NULL,
};

/* The newest sign of life; what a version lacks is 0. */
static double changed_at(const struct jz__foreign_rows *rows)
{
    double newest = 0;

    for (int i = L_STARTED; i <= L_MESSAGE; i++) {
        double at = jz__foreign_number(rows, i);

        newest = at > newest ? at : newest;
    }
    return newest;
}

static int tell(struct jz__foreign *foreign,
                const struct jz__foreign_rows *rows, const char *database,
                int64_t since, jz__export_list_fn fn, void *userdata,
                struct jz__error *error)
{
    struct jz__str id = jz__foreign_text(rows, S_ID);
    double changed = changed_at(rows);
    JZ_CLEANUP(jz__mem_freep) char *session = NULL;
    struct jz__export_entry entry = { .place = database };
    int r;

    if (changed < (double)since) {
        return 0;
    }
    r = is_left_out(foreign, rows, error);
    if (r != 0) {
        return r < 0 ? r : 0;
    }
    session = jz__mem_copy(id.data, id.length);
    if (session == NULL) {
        return jz__fail_memory(error);
    }
    entry.session = session;
    entry.modified_ns = (int64_t)(changed * 1e9);
    return fn(userdata, &entry);
}

static int list_database(const char *database, int64_t since,
                         jz__export_list_fn fn, void *userdata,
                         struct jz__error *error)
{
    const struct jz__foreign_query query = { "sessions", list_columns, NULL,
                                             NULL, "started_at, id" };
    JZ_CLEANUP(jz__foreign_closep) struct jz__foreign *foreign = NULL;
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r = jz__foreign_open(&foreign, database, error);

    if (r == JZ_ENOTFOUND) {
        return 0;
    }
    if (r == 0) {
        r = jz__foreign_select(&rows, foreign, &query, error);
    }
    while (r == 0 && (r = jz__foreign_next(rows, error)) > 0) {
        r = tell(foreign, rows, database, since, fn, userdata, error);
    }
    return r;
}

/* --- profiles: <folder>/profiles/<name>/state.db --- */

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int list_below(const char *folder, int64_t since, jz__export_list_fn fn,
                      void *userdata, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf database = JZ__BUF_INIT;

    jz__path_join(&database, folder, "state.db");
    return database.error != 0
               ? jz__fail_memory(error)
               : list_database(database.data, since, fn, userdata, error);
}

int jz__export_hermes_list(const char *folder, int64_t since,
                           jz__export_list_fn fn, void *userdata,
                           struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf profiles = JZ__BUF_INIT;
    struct dirent **names = NULL;
    int r = list_below(folder, since, fn, userdata, error);
    int count;

    jz__path_join(&profiles, folder, "profiles");
    if (r < 0 || profiles.error != 0) {
        return r < 0 ? r : jz__fail_memory(error);
    }
    count = scandir(profiles.data, &names, is_shown, alphasort);
    for (int i = 0; i < count; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf profile = JZ__BUF_INIT;

        jz__path_join(&profile, profiles.data, names[i]->d_name);
        if (r == 0) {
            r = profile.error != 0
                    ? jz__fail_memory(error)
                    : list_below(profile.data, since, fn, userdata, error);
        }
        free(names[i]);
    }
    free(names);
    return r;
}
