/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjezero makes the text of a session from the agent's database; here it
 * becomes a file, so that the queue treats it as any transcript. A file that is
 * left alone keeps its time, and an unchanged session is not sent again.
 */
#include "export.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/scan.h"
#include "library.h"
#include "locate.h"
#include "pointer.h"
#include "queue.h"

/* The session's own fields stand within so many bytes of the start. */
#define START_BYTES 256

bool export_is_for(enum agent_id agent)
{
    return agent == AGENT_OPENCODE || agent == AGENT_HERMES;
}

/* A list of sessions names the database, a hook its folder, or nothing. */
static void put_database(struct jz__buf *out,
                         const struct spool_session *session)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    const char *name =
        session->agent == AGENT_HERMES ? "state.db" : "opencode.db";

    if (session->transcript != NULL && session->transcript[0] == '/') {
        jz__buf_puts(out, session->transcript);
        return;
    }
    if (session->database_folder != NULL &&
        session->database_folder[0] == '/') {
        jz__buf_puts(&folder, session->database_folder);
    } else {
        locate_put_place(&folder, session->agent);
    }
    if (folder.length > 0 && folder.error == 0) {
        jz__path_join(out, folder.data, name);
    }
}

/* 0; EXPORT_NONE; negative. */
static int make_text(char **out, const struct library *library,
                     const struct spool_session *session,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf database = JZ__BUF_INIT;
    int r;

    put_database(&database, session);
    if (database.error != 0) {
        return jz__fail_memory(error);
    }
    if (database.length == 0) {
        return EXPORT_NONE;
    }
    r = library->export_session(out, agent_name(session->agent), database.data,
                                session->id);
    if (r == JZ_ENOTFOUND) {
        return EXPORT_NONE;
    }
    if (r < 0) {
        return jz__fail(error, r, "cannot export the session from %s",
                        database.data);
    }
    return (*out)[0] == '\0' ? EXPORT_NONE : 0;
}

static int make_folder(const char *path, struct jz__error *error)
{
    struct jz__str parent = jz__path_parent(path);
    JZ_CLEANUP(jz__mem_freep)
    char *folder = jz__mem_copy(parent.data, parent.length);

    return folder == NULL ? jz__fail_memory(error)
                          : jz__file_mkdirs(folder, error);
}

/* Compared with what lies there: the agent's own times change with less. */
static int write_changed(const char *path, const char *text,
                         struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf old = JZ__BUF_INIT;
    size_t length = strlen(text);
    int r = jz__file_read(&old, path, length, NULL);

    if (r == 0 && old.length == length && memcmp(old.data, text, length) == 0) {
        return 0;
    }
    if (r == JZ_ENOTFOUND) {
        r = make_folder(path, error);
        if (r < 0) {
            return r;
        }
    }
    return jz__file_write_soon(path, text, length, error);
}

/* Both forms begin with an object of the session's own fields, and only that is
 * looked at: what follows may be as long as the session. */
static int take_cwd(struct jz__buf *out, enum agent_id agent, const char *text)
{
    const char *object = agent == AGENT_HERMES ? "\"session\":" : "\"info\":";
    const char *field = agent == AGENT_HERMES ? "cwd" : "directory";
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__str start = { text, strnlen(text, START_BYTES) };
    size_t at = jz__str_find(start, object);
    int r;

    if (at == SIZE_MAX) {
        return 0;
    }
    text += at + strlen(object);
    r = jz__scan_parse(&scan, text, strlen(text));
    if (r == 0) {
        jz__scan_text(out, &scan,
                      jz__scan_get_type(&scan, 0, field, JZ__SCAN_STRING));
    }
    return r == JZ_ENOMEM || out->error != 0 ? JZ_ENOMEM : 0;
}

int export_session(struct exported *out, const struct home *home,
                   const struct spool_session *session, struct jz__error *error)
{
    const struct library *library = library_load(error);
    char *text = NULL;
    int r;

    assert(export_is_for(session->agent));

    memset(out, 0, sizeof(*out));
    if (library == NULL) {
        return JZ_EINTERNAL;
    }
    if (session->id == NULL || session->id[0] == '\0') {
        return EXPORT_NONE;
    }
    r = make_text(&text, library, session, error);
    if (r == 0) {
        queue_put_path(&out->path, home, agent_name(session->agent));
        jz__buf_putc(&out->path, '/');
        pointer_put_id(&out->path, session->id);
        jz__buf_puts(&out->path, ".json");
        r = out->path.error != 0 ? jz__fail_memory(error)
                                 : write_changed(out->path.data, text, error);
    }
    if (r == 0 && take_cwd(&out->cwd, session->agent, text) < 0) {
        r = jz__fail_memory(error);
    }
    library->free(text);
    return r;
}

void exported_finish(struct exported *exported)
{
    jz__buf_finish(&exported->path);
    jz__buf_finish(&exported->cwd);
}
