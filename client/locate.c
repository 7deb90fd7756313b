/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each agent names the file of a session after the session's id: Claude Code as
 * it is, Codex behind the date, Antigravity by the folder of the conversation.
 * When the id that a hook was given is not the one of the file that it was
 * given, the file is another session's, and the right one lies beside it or is
 * not there yet. Sub-agents' files are refused before that, since they bear the
 * id of the session that started them.
 */
#include "locate.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "inbox.h"

#define UUID_LENGTH 36
#define LOGS ".system_generated/logs"

static const char *const antigravity_files[] = { "transcript.jsonl",
                                                 "transcript_full.jsonl" };

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void put_str(struct jz__buf *out, struct jz__str text)
{
    jz__buf_append(out, text.data, text.length);
}

/* An id that can stand in a path. */
static bool is_name(const char *id)
{
    return id != NULL && id[0] != '\0' && id[0] != '.' &&
           strchr(id, '/') == NULL;
}

static int none(const char **reason, const char *why)
{
    *reason = why;
    return LOCATE_NONE;
}

/* --- Claude Code --- */

static int locate_claude(struct located *out, const char **reason,
                         const struct spool_session *session)
{
    struct jz__str stem = inbox_stem(session->transcript);
    struct jz__str folder = jz__path_parent(session->transcript);

    if (!is_name(session->id) || jz__str_is(stem, session->id)) {
        jz__buf_puts(&out->path, session->transcript);
        put_str(&out->id, stem);
        return 0;
    }
    put_str(&out->path, folder);
    jz__buf_printf(&out->path, "/%s.jsonl", session->id);
    jz__buf_puts(&out->id, session->id);
    return out->path.error != 0 || is_file(out->path.data)
               ? 0
               : none(reason, "the file is another session's");
}

/* --- Codex --- */

/* "rollout-<start>-<id>": a hyphen stands in front, or the id would be the end
 * of a longer one. */
static bool is_of_session(const char *path, const char *id)
{
    struct jz__str stem = inbox_stem(path);

    return stem.length > strlen(id) && jz__str_ends(stem, id) &&
           stem.data[stem.length - strlen(id) - 1] == '-';
}

/* Plain wins over packed, which has one more ending. */
static int find_beside(struct jz__buf *out, struct jz__str folder,
                       const char *id)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf best = JZ__BUF_INIT;
    const struct dirent *entry;
    DIR *list;

    put_str(out, folder);
    list = out->error == 0 ? opendir(out->data) : NULL;
    if (list == NULL) {
        return out->error;
    }
    while ((entry = readdir(list)) != NULL) {
        if (is_of_session(entry->d_name, id) &&
            (best.length == 0 || strlen(entry->d_name) < best.length)) {
            jz__buf_clear(&best);
            jz__buf_puts(&best, entry->d_name);
        }
    }
    (void)closedir(list);
    if (best.length == 0) {
        jz__buf_clear(out);
        return best.error;
    }
    jz__buf_printf(out, "/%s", best.data);
    return out->error;
}

/* The UUID at the end of the name; other names are ids themselves. */
static struct jz__str codex_id(const char *path)
{
    struct jz__str stem = inbox_stem(path);

    if (stem.length > UUID_LENGTH &&
        stem.data[stem.length - UUID_LENGTH - 1] == '-') {
        stem.data += stem.length - UUID_LENGTH;
        stem.length = UUID_LENGTH;
    }
    return stem;
}

/* The file may have been packed or archived since the hook was started. */
static int locate_codex(struct located *out, const char **reason,
                        const struct spool_session *session)
{
    bool has_id = is_name(session->id);

    if (has_id && !is_of_session(session->transcript, session->id)) {
        struct jz__str folder = jz__path_parent(session->transcript);

        if (find_beside(&out->path, folder, session->id) == 0 &&
            out->path.length == 0) {
            return none(reason, "the file is another session's");
        }
    } else if (is_file(session->transcript)) {
        jz__buf_puts(&out->path, session->transcript);
    } else {
        locate_moved(&out->path, AGENT_CODEX, session->transcript);
    }
    if (out->path.error != 0 || out->path.length == 0) {
        return out->path.error != 0 ? JZ_ENOMEM
                                    : none(reason, "there is no such file");
    }
    put_str(&out->id,
            has_id ? jz__str_of(session->id) : codex_id(out->path.data));
    return 0;
}

/* Append root, folder and name with the ending that is there; plain before
 * packed, as the agent itself reads them. false, and nothing: neither is. */
static bool try_place(struct jz__buf *out, struct jz__str root,
                      const char *folder, struct jz__str name)
{
    static const char *const endings[] = { ".jsonl", ".jsonl.zst" };

    for (size_t i = 0; i < JZ__LENGTH(endings); i++) {
        jz__buf_clear(out);
        put_str(out, root);
        jz__buf_puts(out, folder);
        put_str(out, name);
        jz__buf_puts(out, endings[i]);
        if (out->error != 0 || is_file(out->data)) {
            return true;
        }
    }
    jz__buf_clear(out);
    return false;
}

void locate_moved(struct jz__buf *out, enum agent_id agent, const char *path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf inbox = JZ__BUF_INIT;
    struct jz__str text = jz__str_of(path);
    struct jz__str stem = inbox_stem(path);
    struct jz__str folder = jz__path_parent(path);
    struct jz__str root = text;
    const char *reason;
    size_t at = jz__str_find(text, "/archived_sessions/");

    if (agent != AGENT_CODEX || stem.length == 0 ||
        try_place(out, folder, "/", stem)) {
        return;
    }
    if (at == SIZE_MAX) {
        at = jz__str_find(text, "/sessions/");
    }
    if (at == SIZE_MAX || !inbox_put_path(&inbox, &reason, agent, path, NULL) ||
        inbox.error != 0) {
        return;
    }
    root.length = at;
    if (!try_place(out, root, "/archived_sessions/", stem)) {
        /* The path on the server has the date in front. */
        struct jz__str dated = { inbox.data, strlen("YYYY/MM/DD/") };

        jz__buf_truncate(&inbox, dated.length);
        jz__buf_append(&inbox, stem.data, stem.length);
        dated.length = inbox.length;
        if (inbox.error == 0) {
            dated.data = inbox.data;
            (void)try_place(out, root, "/sessions/", dated);
        }
    }
}

/* --- Antigravity --- */

/* The folder of a conversation's files; a list of sessions names it itself. */
static struct jz__str logs_folder(const char *path)
{
    struct jz__str name = jz__path_name(path);

    for (size_t i = 0; i < JZ__LENGTH(antigravity_files); i++) {
        if (jz__str_is(name, antigravity_files[i])) {
            return jz__path_parent(path);
        }
    }
    return jz__str_of(path);
}

/* Take the last part off. */
static struct jz__str cut_part(struct jz__str *path)
{
    struct jz__str name = *path;

    while (path->length > 0 && path->data[path->length - 1] != '/') {
        path->length--;
    }
    name.data += path->length;
    name.length -= path->length;
    path->length -= path->length > 0;
    return name;
}

/* "<brain>/<id>/.system_generated/logs": the id, and *brain; "" if the folder
 * has another shape. */
static struct jz__str conversation_of(struct jz__str *brain,
                                      struct jz__str folder)
{
    *brain = folder;
    if (!jz__str_is(cut_part(brain), "logs") ||
        !jz__str_is(cut_part(brain), ".system_generated")) {
        return JZ__STR("");
    }
    return cut_part(brain);
}

/* Append the path of the first of both files in the folder. */
static bool put_antigravity_file(struct jz__buf *out, struct jz__str folder)
{
    size_t count = folder.length > 0 ? JZ__LENGTH(antigravity_files) : 0;

    for (size_t i = 0; i < count; i++) {
        jz__buf_clear(out);
        put_str(out, folder);
        jz__buf_printf(out, "/%s", antigravity_files[i]);
        if (out->error == 0 && is_file(out->data)) {
            return true;
        }
    }
    jz__buf_clear(out);
    return false;
}

/* The application and the command line program have a folder each. */
static bool put_standard_file(struct jz__buf *out, const char *id)
{
    static const char *const places[] = { "antigravity", "antigravity-cli" };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf place = JZ__BUF_INIT;

    for (size_t i = 0; i < JZ__LENGTH(places); i++) {
        jz__buf_clear(&place);
        locate_put_place(&place, AGENT_ANTIGRAVITY);
        jz__buf_printf(&place, "/%s/brain/%s/" LOGS, places[i], id);
        if (place.error == 0 &&
            put_antigravity_file(
                out, (struct jz__str){ place.data, place.length })) {
            return true;
        }
    }
    return false;
}

/* A hook names either of both files, or none: then the conversation is looked
 * for where both programs keep theirs. */
static int locate_antigravity(struct located *out, const char **reason,
                              const struct spool_session *session)
{
    struct jz__str folder = logs_folder(session->transcript);
    struct jz__str brain;
    struct jz__str id = conversation_of(&brain, folder);
    bool has_id = is_name(session->id);

    if (!has_id && id.length == 0) {
        return none(reason, "nothing names the conversation");
    }
    put_str(&out->id, has_id ? jz__str_of(session->id) : id);
    if (!has_id || id.length == 0 || jz__str_is(id, session->id)) {
        return put_antigravity_file(&out->path, folder) ||
                       (has_id && put_standard_file(&out->path, session->id))
                   ? 0
                   : none(reason, "there is no such file");
    }
    return put_standard_file(&out->path, session->id)
               ? 0
               : none(reason, "the file is another conversation's");
}

/* --- all of them --- */

int locate_transcript(struct located *out, const char **reason,
                      const struct spool_session *session)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf inbox = JZ__BUF_INIT;
    const char *path = session->transcript;
    int r;

    assert(session->agent <= AGENT_ANTIGRAVITY);

    memset(out, 0, sizeof(*out));
    if (session->agent != AGENT_ANTIGRAVITY) {
        if (path == NULL || path[0] != '/') {
            return none(reason, "no file is named");
        }
        if (!inbox_put_path(&inbox, reason, session->agent, path, NULL)) {
            return LOCATE_NONE;
        }
        r = session->agent == AGENT_CODEX ? locate_codex(out, reason, session)
                                          : locate_claude(out, reason, session);
    } else {
        struct spool_session named = *session;

        named.transcript = path != NULL && path[0] == '/' ? path : "";
        r = locate_antigravity(out, reason, &named);
    }
    if (out->path.error != 0 || out->id.error != 0) {
        return JZ_ENOMEM;
    }
    return r != 0 || is_file(out->path.data)
               ? r
               : none(reason, "there is no such file");
}

void located_finish(struct located *located)
{
    jz__buf_finish(&located->path);
    jz__buf_finish(&located->id);
}

/* What a variable says; relative ones count as not set. */
static bool put_variable(struct jz__buf *out, const char *name,
                         const char *below)
{
    const char *value = getenv(name);

    if (value == NULL || value[0] != '/') {
        return false;
    }
    jz__path_join(out, value, below);
    return true;
}

void locate_put_place(struct jz__buf *out, enum agent_id agent)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf home = JZ__BUF_INIT;
    const char *below = ".gemini";

    if (agent == AGENT_OPENCODE) {
        if (put_variable(out, "XDG_DATA_HOME", "opencode")) {
            return;
        }
        below = ".local/share/opencode";
    } else if (agent != AGENT_ANTIGRAVITY) {
        agent_put_folder(out, agent);
        return;
    }
    agent_put_user_home(&home);
    if (home.length > 0 && home.error == 0) {
        jz__path_join(out, home.data, below);
    }
}
