/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCode keeps sessions, messages and parts as rows of opencode.db, beside
 * tables that hold credentials. One session is exported in the form in which its
 * own `opencode export` prints it. A session with a parent is a sub-agent's.
 */
#include "ingest/export.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "ingest/export_rows.h"
#include "store/foreign.h"

enum {
    S_ID,
    S_PARENT,
    S_SLUG,
    S_PROJECT,
    S_DIRECTORY,
    S_PATH,
    S_TITLE,
    S_AGENT,
    S_MODEL,
    S_VERSION,
    S_ADDITIONS,
    S_DELETIONS,
    S_FILES,
    S_COST,
    S_INPUT,
    S_OUTPUT,
    S_REASONING,
    S_CACHE_READ,
    S_CACHE_WRITE,
    S_PERMISSION,
    S_REVERT,
    S_METADATA,
    S_CREATED,
    S_UPDATED,
    S_COMPACTING,
    S_ARCHIVED
};
static const char *const session_columns[] = {
    "id",
    "parent_id",
    "slug",
    "project_id",
    "directory",
    "path",
    "title",
    "agent",
    "model",
    "version",
    "summary_additions",
    "summary_deletions",
    "summary_files",
    "cost",
    "tokens_input",
    "tokens_output",
    "tokens_reasoning",
    "tokens_cache_read",
    "tokens_cache_write",
    "permission",
    "revert",
    "metadata",
    "time_created",
    "time_updated",
    "time_compacting",
    "time_archived",
    NULL,
};

/* The data of a message or part, and what its columns add to it. */
enum {
    R_ID,
    R_DATA,
    R_MESSAGE
};
static const char *const message_columns[] = { "id", "data", NULL };
static const char *const part_columns[] = { "id", "data", "message_id", NULL };

/* --- the session --- */

static void put_group(struct jz__buf *out, const char *key,
                      const struct jz__foreign_rows *rows,
                      const char *const *keys, int first)
{
    jz__json_put_key(out, key);
    jz__buf_putc(out, '{');
    for (int i = 0; keys[i] != NULL; i++) {
        jz__export_put_given(out, keys[i], rows, first + i);
    }
    jz__buf_putc(out, '}');
}

static void put_tokens(struct jz__buf *out, const struct jz__foreign_rows *rows)
{
    static const char *const cache[] = { "read", "write", NULL };

    jz__json_put_key(out, "tokens");
    jz__buf_putc(out, '{');
    jz__export_put_given(out, "input", rows, S_INPUT);
    jz__export_put_given(out, "output", rows, S_OUTPUT);
    jz__export_put_given(out, "reasoning", rows, S_REASONING);
    put_group(out, "cache", rows, cache, S_CACHE_READ);
    jz__buf_putc(out, '}');
}

static void put_given_json(struct jz__buf *out, const char *key,
                           const struct jz__foreign_rows *rows, int column)
{
    if (!jz__foreign_is_null(rows, column)) {
        jz__export_put_json(out, key, rows, column);
    }
}

static void put_session(struct jz__buf *out,
                        const struct jz__foreign_rows *rows)
{
    static const char *const summary[] = { "additions", "deletions", "files",
                                           NULL };
    static const char *const time[] = { "created", "updated", "compacting",
                                        "archived", NULL };

    jz__json_put_key(out, "info");
    jz__buf_putc(out, '{');
    jz__export_put_given(out, "id", rows, S_ID);
    jz__export_put_given(out, "slug", rows, S_SLUG);
    jz__export_put_given(out, "projectID", rows, S_PROJECT);
    jz__export_put_given(out, "directory", rows, S_DIRECTORY);
    jz__export_put_given(out, "path", rows, S_PATH);
    jz__export_put_given(out, "title", rows, S_TITLE);
    jz__export_put_given(out, "agent", rows, S_AGENT);
    put_given_json(out, "model", rows, S_MODEL);
    jz__export_put_given(out, "version", rows, S_VERSION);
    if (!jz__foreign_is_null(rows, S_ADDITIONS)) {
        put_group(out, "summary", rows, summary, S_ADDITIONS);
    }
    jz__export_put_given(out, "cost", rows, S_COST);
    put_tokens(out, rows);
    put_given_json(out, "permission", rows, S_PERMISSION);
    put_given_json(out, "revert", rows, S_REVERT);
    put_given_json(out, "metadata", rows, S_METADATA);
    put_group(out, "time", rows, time, S_CREATED);
    jz__buf_putc(out, '}');
}

/* --- messages and parts --- */

/* The object of the data column, open at its end for what the columns add. */
static void open_data(struct jz__buf *out, const struct jz__foreign_rows *rows)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf data = JZ__BUF_INIT;

    jz__export_put_json(&data, "", rows, R_DATA);
    /* `"":{…}`; data that is no object is left out. */
    if (data.error == 0 && data.length > 4 && data.data[3] == '{') {
        jz__buf_append(out, data.data + 3, data.length - 4);
    } else {
        jz__buf_putc(out, '{');
    }
    jz__export_put_value(out, "id", rows, R_ID);
}

/* Parts come sorted by message and id, and messages by time and id: the parts of
 * one message are asked for when it is there. */
static int put_parts(struct jz__buf *out, struct jz__foreign *foreign,
                     const char *session, const char *message,
                     struct jz__error *error)
{
    const struct jz__foreign_query query = { "part", part_columns,
                                             "message_id = ?", message, "id" };
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r = jz__foreign_select(&rows, foreign, &query, error);

    jz__json_put_key(out, "parts");
    jz__buf_putc(out, '[');
    while (r == 0 && (r = jz__foreign_next(rows, error)) > 0) {
        jz__json_put_comma(out);
        open_data(out, rows);
        jz__json_put_key(out, "sessionID");
        jz__json_put_str(out, session);
        jz__export_put_value(out, "messageID", rows, R_MESSAGE);
        jz__buf_putc(out, '}');
        r = jz__export_check_size(out, error);
    }
    jz__buf_putc(out, ']');
    return r;
}

static int put_message(struct jz__buf *out, struct jz__foreign *foreign,
                       const struct jz__foreign_rows *rows, const char *session,
                       struct jz__error *error)
{
    struct jz__str id = jz__foreign_text(rows, R_ID);
    JZ_CLEANUP(jz__mem_freep) char *message = jz__mem_copy(id.data, id.length);
    int r;

    if (message == NULL) {
        return jz__fail_memory(error);
    }
    jz__json_put_comma(out);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "info");
    open_data(out, rows);
    jz__json_put_key(out, "sessionID");
    jz__json_put_str(out, session);
    jz__buf_putc(out, '}');
    r = put_parts(out, foreign, session, message, error);
    jz__buf_putc(out, '}');
    return r;
}

static int put_messages(struct jz__buf *out, struct jz__foreign *foreign,
                        const char *session, struct jz__error *error)
{
    const struct jz__foreign_query query = { "message", message_columns,
                                             "session_id = ?", session,
                                             "time_created, id" };
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r = jz__foreign_select(&rows, foreign, &query, error);

    jz__json_put_key(out, "messages");
    jz__buf_putc(out, '[');
    while (r == 0 && (r = jz__foreign_next(rows, error)) > 0) {
        r = put_message(out, foreign, rows, session, error);
    }
    jz__buf_putc(out, ']');
    return r;
}

int jz__export_opencode(struct jz__buf *out, const char *database,
                        const char *session, struct jz__error *error)
{
    const struct jz__foreign_query query = { "session", session_columns,
                                             "id = ?", session, NULL };
    JZ_CLEANUP(jz__foreign_closep) struct jz__foreign *foreign = NULL;
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r = jz__export_find(&foreign, &rows, database, &query, error);

    if (r < 0) {
        return r;
    }
    if (!jz__foreign_is_null(rows, S_PARENT)) {
        return JZ__EXPORT_NONE;
    }
    jz__buf_putc(out, '{');
    put_session(out, rows);
    r = put_messages(out, foreign, session, error);
    jz__buf_putc(out, '}');
    return r;
}

/* --- all sessions --- */

static int tell(const struct jz__foreign_rows *rows, const char *database,
                int64_t since, jz__export_list_fn fn, void *userdata,
                struct jz__error *error)
{
    struct jz__str id = jz__foreign_text(rows, 0);
    double updated = jz__foreign_number(rows, 1); /* milliseconds */
    JZ_CLEANUP(jz__mem_freep) char *session = jz__mem_copy(id.data, id.length);
    struct jz__export_entry entry = {
        .session = session,
        .place = database,
        .modified_ns = (int64_t)(updated * 1e6),
    };

    if (session == NULL) {
        return jz__fail_memory(error);
    }
    return updated / 1e3 < (double)since ? 0 : fn(userdata, &entry);
}

int jz__export_opencode_list(const char *folder, int64_t since,
                             jz__export_list_fn fn, void *userdata,
                             struct jz__error *error)
{
    static const char *const columns[] = { "id", "time_updated", NULL };
    const struct jz__foreign_query query = { "session", columns,
                                             "parent_id IS NULL", NULL,
                                             "time_updated, id" };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf database = JZ__BUF_INIT;
    JZ_CLEANUP(jz__foreign_closep) struct jz__foreign *foreign = NULL;
    JZ_CLEANUP(jz__foreign_rows_closep) struct jz__foreign_rows *rows = NULL;
    int r;

    jz__path_join(&database, folder, "opencode.db");
    if (database.error != 0) {
        return jz__fail_memory(error);
    }
    r = jz__foreign_open(&foreign, database.data, error);
    if (r == JZ_ENOTFOUND) {
        return 0; /* it was never run */
    }
    if (r == 0) {
        r = jz__foreign_select(&rows, foreign, &query, error);
    }
    while (r == 0 && (r = jz__foreign_next(rows, error)) > 0) {
        r = tell(rows, database.data, since, fn, userdata, error);
    }
    return r;
}
