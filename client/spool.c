/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queueing is what an agent waits for, and what it may end at any moment: so
 * the pointer is written with a rename, before anything that can take time, and
 * the network is another process's business.
 *
 * The project is looked up here and not by that process, because it depends on
 * the folder as it is now. A session without one is queued all the same.
 */
#include "spool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "detach.h"
#include "export.h"
#include "inbox.h"
#include "ledger.h"
#include "library.h"
#include "locate.h"
#include "pointer.h"
#include "queue.h"
#include "transcript.h"

struct spool_folder {
    char *path;
    char *project; /* "": it has none */
};

/* What the pointer will say. */
struct draft {
    struct located found; /* or, of an export, its file and the session's id */
    struct jz__buf cwd;
    struct jz__buf project;
};

static void draft_finish(struct draft *draft)
{
    located_finish(&draft->found);
    jz__buf_finish(&draft->cwd);
    jz__buf_finish(&draft->project);
}

/* --- projects --- */

void spool_memory_finish(struct spool_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++) {
        free(memory->folders[i].path);
        free(memory->folders[i].project);
    }
    free(memory->folders);
    memset(memory, 0, sizeof(*memory));
}

static const struct spool_folder *recall(const struct spool_memory *memory,
                                         const char *path)
{
    /* Sessions of one folder come together. */
    for (size_t i = memory->count; i > 0; i--) {
        if (strcmp(memory->folders[i - 1].path, path) == 0) {
            return &memory->folders[i - 1];
        }
    }
    return NULL;
}

/* Without memory for it the folder is looked up again. */
static void remember(struct spool_memory *memory, const char *path,
                     const struct jz__buf *project)
{
    struct spool_folder folder;

    if (jz__mem_grow(&memory->folders, &memory->capacity, memory->count + 1,
                     sizeof(*memory->folders)) < 0) {
        return;
    }
    folder.path = jz__mem_copy(path, strlen(path));
    folder.project =
        jz__mem_copy(project->length > 0 ? project->data : "", project->length);
    if (folder.path == NULL || folder.project == NULL) {
        free(folder.path);
        free(folder.project);
        return;
    }
    memory->folders[memory->count++] = folder;
}

/* A fault in the rules, or a missing library, costs the project and nothing
 * else: the server has rules of its own. */
static void take_project(struct draft *draft, const struct home *home,
                         struct spool_memory *memory)
{
    const struct spool_folder *known;
    struct jz__error error = { 0 };

    if (draft->cwd.length == 0) {
        return;
    }
    known = recall(memory, draft->cwd.data);
    if (known != NULL) {
        jz__buf_puts(&draft->project, known->project);
        return;
    }
    if (library_project(&draft->project, home->projects, draft->cwd.data,
                        &error) < 0) {
        home_log(home, "a session is queued without its project: %s",
                 error.message);
        jz__buf_clear(&draft->project);
    }
    remember(memory, draft->cwd.data, &draft->project);
}

/* --- transcripts --- */

/* The path is the export's, so that the queue need not know of databases. */
static int take_export(struct draft *draft, const struct home *home,
                       const struct spool_session *session,
                       struct jz__error *error)
{
    JZ_CLEANUP(exported_finish) struct exported made = { 0 };
    int r = export_session(&made, home, session, error);

    if (r != 0) {
        return r == EXPORT_NONE ? SPOOL_SKIPPED : r;
    }
    draft->found.path = made.path;
    made.path = (struct jz__buf)JZ__BUF_INIT;
    jz__buf_puts(&draft->found.id, session->id);
    if (draft->cwd.length == 0 && made.cwd.length > 0) {
        jz__buf_puts(&draft->cwd, made.cwd.data);
    }
    return 0;
}

/* A Codex transcript has to be looked at in any case, for whose it is. */
static int look_inside(struct draft *draft, enum agent_id agent,
                       struct jz__error *error)
{
    JZ_CLEANUP(transcript_head_finish) struct transcript_head head = { 0 };
    int r;

    if (agent == AGENT_ANTIGRAVITY ||
        (agent == AGENT_CLAUDE_CODE && draft->cwd.length > 0)) {
        return 0;
    }
    r = transcript_look(&head, draft->found.path.data, error);
    if (r < 0) {
        return r == JZ_ENOTFOUND ? SPOOL_SKIPPED : r;
    }
    if (agent == AGENT_CODEX && head.is_subagent) {
        return SPOOL_SKIPPED;
    }
    if (draft->cwd.length == 0 && head.cwd.length > 0) {
        jz__buf_puts(&draft->cwd, head.cwd.data);
    }
    return 0;
}

static int take_transcript(struct draft *draft, const struct home *home,
                           const struct spool_session *session,
                           struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf inbox = JZ__BUF_INIT;
    const char *reason;
    int r;

    if (session->cwd != NULL && session->cwd[0] == '/') {
        jz__buf_puts(&draft->cwd, session->cwd);
    }
    if (export_is_for(session->agent)) {
        r = take_export(draft, home, session, error);
    } else {
        r = locate_transcript(&draft->found, &reason, session);
        if (r == 0) {
            r = look_inside(draft, session->agent, error);
        }
    }
    if (r != 0) {
        return r == JZ_ENOMEM ? jz__fail_memory(error) : r;
    }
    if (draft->found.path.error != 0 || draft->found.id.error != 0) {
        return jz__fail_memory(error);
    }
    return inbox_put_path(&inbox, &reason, session->agent,
                          draft->found.path.data, draft->found.id.data)
               ? 0
               : SPOOL_SKIPPED;
}

/* --- queueing --- */

static int write_pointer(const struct home *home, enum agent_id agent,
                         const struct draft *draft, struct jz__error *error)
{
    const struct pointer pointer = {
        .agent = agent,
        .session_id = draft->found.id.data,
        .path = draft->found.path.data,
        .cwd = draft->cwd.length > 0 ? draft->cwd.data : NULL,
        .project = draft->project.length > 0 ? draft->project.data : NULL,
        .queued_at = (int64_t)time(NULL),
    };

    if (draft->cwd.error != 0 || draft->project.error != 0) {
        return jz__fail_memory(error);
    }
    return queue_write(home, &pointer, error);
}

int spool_put_next(const struct home *home, const struct spool_session *session,
                   struct spool_memory *memory, struct jz__error *error)
{
    JZ_CLEANUP(draft_finish) struct draft draft = { 0 };
    int r;

    assert(home != NULL && session != NULL && session->agent < AGENT_COUNT);

    if (!home->is_set_up || !home->may_upload) {
        return SPOOL_SKIPPED;
    }
    r = take_transcript(&draft, home, session, error);
    if (r != 0) {
        return r;
    }
    take_project(&draft, home, memory);
    return write_pointer(home, session->agent, &draft, error);
}

int spool_put(const struct home *home, const struct spool_session *session,
              struct jz__error *error)
{
    JZ_CLEANUP(spool_memory_finish) struct spool_memory memory = { 0 };

    return spool_put_next(home, session, &memory, error);
}

int64_t spool_count(const struct home *home)
{
    return queue_count(home, INT64_MAX);
}

/* --- the flush --- */

int spool_run_flush(const struct home *home, struct jz__error *error)
{
    return queue_count(home, 1) > 0 ? detach_flush(home, error) : 0;
}

int spool_start_flush(const struct home *home, struct jz__error *error)
{
    return ledger_is_paused(home) ? 0 : spool_run_flush(home, error);
}
