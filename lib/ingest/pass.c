/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass over one file. Nothing is written until everything is staged; then
 * all of it goes in, in one transaction, if the library still is what it was
 * when the staging looked at it. Otherwise the staging is done again.
 *
 * Whatever comes of a file is recorded with the file's state: so an unchanged
 * one costs a stat, also when it could not be read.
 */
#include "ingest/pass.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "ingest/stage.h"
#include "store/change.h"

/* Stagings, of which another writer may spoil all but the last. */
#define ATTEMPTS_MOST 5

struct pass {
    struct jz__pass_report *report;
    struct jz__store *store;
    const struct jz__pass_options *options;
    struct jz__document known;    /* how the store knows the file */
    struct jz__document other;    /* the same session at another path */
    struct jz__document document; /* what is to be recorded; texts borrowed */
    char *session;
    char *parent;
    int64_t moved_from;
};

static void pass_finish(struct pass *pass)
{
    jz__document_finish(&pass->known);
    jz__document_finish(&pass->other);
    free(pass->session);
    free(pass->parent);
}

static void set_reason(struct pass *pass, enum jz__pass_state state,
                       const char *reason)
{
    pass->report->state = state;
    (void)snprintf(pass->report->reason, sizeof(pass->report->reason), "%s",
                   reason);
}

/* Apply a list that holds no items but document rows. */
static int apply_rows(struct pass *pass, const struct jz__changes *changes)
{
    JZ_CLEANUP(jz__changes_result_finish)
    struct jz__changes_result result = { .ids = NULL };

    return pass->options->is_dry_run
               ? JZ_OK
               : jz__changes_apply(&result, pass->store, changes, false);
}

/* Does the row say this already? A file that cannot be opened is tried at every
 * pass, and must not cost a write each time. */
static bool is_recorded(const struct pass *pass, enum jz__pass_state state)
{
    return pass->known.id != 0 && state == JZ__PASS_FAILED &&
           strcmp(pass->known.state, "failed") == 0 &&
           pass->known.reason != NULL &&
           strcmp(pass->known.reason, pass->report->reason) == 0 &&
           pass->known.file.mtime_ns == pass->document.file.mtime_ns &&
           pass->known.file.size == pass->document.file.size;
}

/* Record a file that gives no items. Items of an earlier time stay: they may be
 * all that is left of the session. */
static int record(struct pass *pass, enum jz__pass_state state,
                  const char *reason)
{
    JZ_CLEANUP(jz__changes_finish)
    struct jz__changes changes = { .items = NULL };
    struct jz__change_document *change = jz__changes_add_document(&changes);

    set_reason(pass, state, reason);
    if (change == NULL) {
        return jz__fail_memory(pass->store->error);
    }
    if (is_recorded(pass, state)) {
        return JZ_OK;
    }
    change->document = pass->document;
    change->document.state = state == JZ__PASS_FAILED ? "failed" : "skipped";
    change->document.reason = pass->report->reason;
    change->keeps_messages = true;
    return apply_rows(pass, &changes);
}

static void report_counts(struct jz__pass_report *report,
                          const struct jz__conversation *conversation)
{
    report->lines = conversation->lines;
    report->lines_bad = conversation->lines_bad;
    report->lines_too_long = conversation->lines_too_long;
    report->records_unknown = conversation->records_unknown;
}

/* Lines, and no message in them: is that how the session was, or can this
 * version not read what a newer agent writes? */
static int record_empty(struct pass *pass,
                        const struct jz__conversation *conversation)
{
    char reason[256];

    if (conversation->lines_bad == 0 && conversation->lines_too_long == 0 &&
        conversation->records_unknown == 0) {
        return record(pass, JZ__PASS_SKIPPED, "no message in it");
    }
    (void)snprintf(reason, sizeof(reason),
                   "no message could be read: %lld lines, %lld of them no "
                   "JSON, %lld too long, %lld records of unknown kind",
                   (long long)conversation->lines,
                   (long long)conversation->lines_bad,
                   (long long)conversation->lines_too_long,
                   (long long)conversation->records_unknown);
    return record(pass, JZ__PASS_FAILED, reason);
}

/*
 * Is this session stored from another file? One that is gone was moved (an
 * archived session). Of two that are there the larger counts: *is_copy when
 * that is the other one.
 */
static int find_other(struct pass *pass, bool *is_copy)
{
    struct jz__file_state state;
    int r = jz__document_find_other(
        &pass->other, pass->store, pass->document.source,
        pass->document.session, pass->document.path);

    *is_copy = false;
    if (r <= 0) {
        return r;
    }
    if (jz__file_stat(&state, pass->other.path, NULL) == 0) {
        *is_copy = state.size >= pass->document.file.size;
    } else if (pass->known.id == 0) {
        pass->moved_from = pass->other.id;
        pass->document.id = pass->other.id;
        jz__document_finish(&pass->other);
    }
    return JZ_OK;
}

/* The file that held the session before gives way to this one. */
static int retire_other(struct jz__changes *changes, const struct pass *pass)
{
    struct jz__change_document *change = jz__changes_add_document(changes);

    if (change == NULL) {
        return jz__fail_memory(pass->store->error);
    }
    change->document = pass->other;
    memset(&change->document.arena, 0, sizeof(change->document.arena));
    change->document.state = "skipped";
    change->document.reason = "another file holds more of this session";
    return JZ_OK;
}

static int stage(struct jz__changes *changes, struct pass *pass,
                 const struct jz__conversation *conversation)
{
    int r = JZ_OK;

    if (pass->other.id != 0) {
        r = retire_other(changes, pass);
    }
    if (r == 0) {
        r = jz__stage_document(changes, pass->store, pass->options,
                               &pass->document, conversation);
    }
    if (r == 0 && pass->moved_from != 0) {
        changes->documents[0].moved_from = pass->moved_from;
    }
    return r;
}

static void report_dry_run(struct jz__pass_report *report,
                           const struct jz__changes *changes)
{
    report->created = (int64_t)changes->new_count;
    report->changed = (int64_t)(changes->item_count - changes->new_count);
    report->hidden = (int64_t)changes->hidden_count;
}

/* What the store knows of this file and this session, at this position: asked
 * anew at each attempt, because another writer may have taken in the same. */
static int look_up(int64_t *position, bool *is_copy, struct pass *pass)
{
    int r = jz__store_state_get(position, pass->store, "position");

    jz__document_finish(&pass->other);
    pass->moved_from = 0;
    if (r == 0) {
        r = jz__document_find(&pass->known, pass->store, pass->document.source,
                              pass->document.path);
    }
    if (r < 0) {
        return r;
    }
    pass->document.id = r > 0 ? pass->known.id : 0;
    return find_other(pass, is_copy);
}

/* Stage and apply; *is_done is false if another writer came in between. */
static int attempt(bool *is_done, struct pass *pass,
                   const struct jz__conversation *conversation)
{
    JZ_CLEANUP(jz__changes_finish)
    struct jz__changes changes = { .items = NULL };
    JZ_CLEANUP(jz__changes_result_finish)
    struct jz__changes_result result = { .ids = NULL };
    struct jz__pass_report *report = pass->report;
    bool is_copy = false;
    int r = look_up(&changes.position, &is_copy, pass);

    *is_done = true;
    if (r == 0 && is_copy) {
        return record(pass, JZ__PASS_SKIPPED,
                      "another file holds more of this session");
    }
    if (r == 0) {
        r = stage(&changes, pass, conversation);
    }
    if (r == 0 && pass->options->is_dry_run) {
        report_dry_run(report, &changes);
        return JZ_OK;
    }
    if (r == 0) {
        r = jz__changes_apply(&result, pass->store, &changes, true);
    }
    *is_done = r < 0 || !result.is_stale;
    if (r < 0 || result.is_stale) {
        return r;
    }
    report->created = result.created;
    report->changed = result.changed;
    report->hidden = result.hidden;
    report->ids = jz__mem_steal(&result.ids);
    report->id_count = changes.item_count;
    return JZ_OK;
}

/* The last attempt holds the write lock from the start: then nobody can come in
 * between. */
static int store_conversation(struct pass *pass,
                              const struct jz__conversation *conversation)
{
    bool is_done = false;
    int i;
    int r = JZ_OK;

    for (i = 1; !is_done && r == 0; i++) {
        if (i == ATTEMPTS_MOST && !pass->options->is_dry_run) {
            r = jz__store_write_begin(pass->store);
        }
        if (r == 0) {
            r = attempt(&is_done, pass, conversation);
        }
    }
    if (pass->store->in_write) {
        jz__store_write_rollback(pass->store);
    }
    if (r == 0 && conversation->is_cut &&
        pass->report->state == JZ__PASS_STORED) {
        set_reason(pass, JZ__PASS_STORED,
                   "the session is too long: its end was left out");
    }
    return r;
}

/* Take over from the conversation what the document's row says. */
static int describe(struct pass *pass,
                    const struct jz__conversation *conversation)
{
    pass->session =
        jz__mem_copy(conversation->session.data, conversation->session.length);
    if (pass->session == NULL) {
        return jz__fail_memory(pass->store->error);
    }
    if (conversation->parent.length > 0) {
        pass->parent = jz__mem_copy(conversation->parent.data,
                                    conversation->parent.length);
        if (pass->parent == NULL) {
            return jz__fail_memory(pass->store->error);
        }
    }
    pass->document.session = pass->session;
    pass->document.parent = pass->parent;
    pass->document.own_time_ms = conversation->own_time_ms;
    return JZ_OK;
}

static int take_conversation(struct pass *pass,
                             const struct jz__conversation *conversation)
{
    int r;

    report_counts(pass->report, conversation);
    r = describe(pass, conversation);
    if (r < 0) {
        return r;
    }
    if (conversation->is_subagent) {
        return record(pass, JZ__PASS_SKIPPED, "a sub-agent's transcript");
    }
    if (conversation->count == 0) {
        return record_empty(pass, conversation);
    }
    if (pass->session[0] == '\0') {
        return record(pass, JZ__PASS_FAILED, "the session has no id");
    }
    return store_conversation(pass, conversation);
}

static bool is_unchanged(const struct pass *pass)
{
    const struct jz__file_state *a = &pass->known.file;
    const struct jz__file_state *b = &pass->document.file;

    return pass->known.id != 0 && !pass->options->again &&
           pass->known.reader == JZ__PASS_READER && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->inode == b->inode;
}

/* What the store says of a file that did not change. */
static enum jz__pass_state recorded_state(const struct jz__document *known)
{
    if (strcmp(known->state, "stored") == 0) {
        return JZ__PASS_STORED;
    }
    return strcmp(known->state, "skipped") == 0 ? JZ__PASS_SKIPPED
                                                : JZ__PASS_FAILED;
}

/* The row has the path already, and whoever shows the one shows the other. */
static void leave_out_path(struct jz__error *why, const char *path)
{
    char *at = strstr(why->message, path);
    size_t length = strlen(path);

    if (at != NULL && at > why->message && at[-1] == ' ') {
        memmove(at - 1, at + length, strlen(at + length) + 1);
    }
}

static int read_file(struct pass *pass, const char *path)
{
    JZ_CLEANUP(jz__conversation_finish)
    struct jz__conversation conversation = JZ__CONVERSATION_INIT;
    struct jz__error why = { .message = "" };
    int r = pass->options->connector->read(&conversation, path, &why);

    if (r == JZ_ENOMEM) {
        return jz__fail_memory(pass->store->error);
    }
    if (r == JZ_EIO) {
        /* Its rights or its disk may be mended without a trace in its state:
         * this row never looks unchanged. */
        pass->document.file.mtime_ns = -1;
    }
    if (r < 0) {
        leave_out_path(&why, path);
        return record(pass, JZ__PASS_FAILED, why.message);
    }
    return take_conversation(pass, &conversation);
}

int jz__pass_file(struct jz__pass_report *out, struct jz__store *store,
                  const struct jz__pass_options *options, const char *path)
{
    JZ_CLEANUP(pass_finish)
    struct pass pass = { .report = out, .store = store, .options = options };
    struct jz__error why = { .message = "" };
    int r;

    assert(options->connector != NULL && options->source != NULL);

    memset(out, 0, sizeof(*out));
    pass.document.source = options->source;
    pass.document.path = path;
    pass.document.session = "";
    pass.document.agent = options->connector->agent;
    pass.document.reader = JZ__PASS_READER;
    pass.document.own_time_ms = INT64_MAX;
    pass.document.read_at = jz__store_now(store);
    r = jz__document_find(&pass.known, store, options->source, path);
    if (r < 0) {
        return r;
    }
    pass.document.id = pass.known.id;
    if (pass.known.id != 0) {
        pass.document.session = pass.known.session;
    }
    r = jz__file_stat(&pass.document.file, path, &why);
    if (r == JZ_ENOTFOUND) {
        /* A file that vanished keeps its row and its items. */
        leave_out_path(&why, path);
        set_reason(&pass, JZ__PASS_FAILED, why.message);
        return JZ_OK;
    }
    if (r < 0 && !options->is_look) {
        leave_out_path(&why, path);
        return record(&pass, JZ__PASS_FAILED, why.message);
    }
    out->bytes = pass.document.file.size;
    if (is_unchanged(&pass)) {
        out->state = JZ__PASS_UNCHANGED;
        out->recorded = recorded_state(&pass.known);
        return JZ_OK;
    }
    if (options->is_look) {
        out->state = JZ__PASS_WAITING;
        return JZ_OK;
    }
    return read_file(&pass, path);
}

void jz__pass_report_finish(struct jz__pass_report *report)
{
    free(report->ids);
    memset(report, 0, sizeof(*report));
}
