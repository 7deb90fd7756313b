/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transcript is sent as it is now, not as it was when it was queued; what the
 * ledger knows of it is compared with its size and time from before it is read.
 *
 * Antigravity writes two files a conversation and cuts both at the head, each
 * at its own time, so what is sent is their union, and either of them may
 * change.
 */
#include "flush_item.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "inbox.h"
#include "library.h"
#include "locate.h"
#include "queue.h"
#include "transcript.h"

#define PIECE ((size_t)65536)

/* Where a transcript is and what its state is. */
struct subject {
    const struct pointer *pointer;
    struct jz__buf path;  /* the file; Antigravity: either of them */
    struct jz__buf inbox; /* behind the agent, on the server */
    struct transcript_state state;
};

static void subject_finish(struct subject *subject)
{
    jz__buf_finish(&subject->path);
    jz__buf_finish(&subject->inbox);
}

void flush_item_end_finish(struct flush_item_end *end)
{
    free(end->late);
    jz__buf_finish(&end->why);
}

/* --- where it is --- */

static void put_beside(struct jz__buf *out, const char *path, const char *name)
{
    struct jz__str folder = jz__path_parent(path);

    jz__buf_append(out, folder.data, folder.length);
    jz__buf_printf(out, "/%s", name);
}

/* Of both files together: each change of one makes the newest time newer. */
static int look_antigravity(struct subject *subject)
{
    static const char *const names[] = { "transcript.jsonl",
                                         "transcript_full.jsonl" };
    int found = JZ_ENOTFOUND;

    for (size_t i = 0; i < JZ__LENGTH(names); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
        struct transcript_state state;

        put_beside(&path, subject->pointer->path, names[i]);
        if (path.error != 0) {
            return JZ_ENOMEM;
        }
        if (transcript_stat(&state, path.data, NULL) == 0) {
            subject->state.size += state.size;
            if (state.mtime_us > subject->state.mtime_us) {
                subject->state.mtime_us = state.mtime_us;
            }
            found = 0;
        }
    }
    return found;
}

/* 0; JZ_ENOTFOUND; other errors: it cannot be read. */
static int look(struct subject *subject, struct jz__error *error)
{
    const struct pointer *pointer = subject->pointer;
    int r;

    jz__buf_puts(&subject->path, pointer->path);
    if (pointer->agent == AGENT_ANTIGRAVITY) {
        return look_antigravity(subject);
    }
    r = transcript_stat(&subject->state, pointer->path, error);
    if (r == JZ_ENOTFOUND) {
        jz__buf_clear(&subject->path);
        locate_moved(&subject->path, pointer->agent, pointer->path);
        if (subject->path.length > 0) {
            r = transcript_stat(&subject->state, subject->path.data, error);
        }
    }
    return subject->path.error != 0 ? JZ_ENOMEM : r;
}

/* --- sending --- */

/* jz__fetch_read_fn for a file. */
static int read_file(struct jz__buf *out, void *userdata,
                     struct jz__error *error)
{
    return transcript_read(out, userdata, error);
}

/* The same for a text: a slice that gets shorter. */
static int read_text(struct jz__buf *out, void *userdata,
                     struct jz__error *error)
{
    struct jz__str *rest = userdata;
    size_t length = rest->length < PIECE ? rest->length : PIECE;

    jz__buf_append(out, rest->data, length);
    rest->data += length;
    rest->length -= length;
    return out->error != 0 ? jz__fail_memory(error) : 0;
}

static int fail_to_read(struct upload_result *out, int code,
                        struct jz__error *error)
{
    if (code == JZ_ENOMEM) {
        return jz__fail_memory(error);
    }
    out->outcome = UPLOAD_UNREADABLE;
    out->unreadable = code;
    jz__buf_puts(&out->why, error->message);
    return out->why.error != 0 ? jz__fail_memory(error) : 0;
}

/* The state is that of the file that is read, not of the one that was looked at
 * before: an agent may have replaced it in between. */
static int send_file(struct upload_result *out, struct uploader *uploader,
                     struct upload *upload, struct subject *subject,
                     struct jz__error *error)
{
    JZ_CLEANUP(transcript_closep) struct transcript *transcript = NULL;
    int r = transcript_open(&transcript, &subject->state, subject->path.data,
                            error);

    if (r < 0) {
        return fail_to_read(out, r, error);
    }
    upload->read = read_file;
    upload->read_data = transcript;
    return upload_send(out, uploader, upload, error);
}

/* The text is made whole, in memory: which steps it has is known only when both
 * files were read to their ends. What was added since they were looked at is in
 * it too, and is sent once more the next time. */
static int send_union(struct upload_result *out, struct uploader *uploader,
                      struct upload *upload, struct subject *subject,
                      struct jz__error *error)
{
    const struct library *library = library_load(error);
    const struct pointer *pointer = subject->pointer;
    struct jz__str parent = jz__path_parent(subject->path.data);
    JZ_CLEANUP(jz__mem_freep)
    char *folder = jz__mem_copy(parent.data, parent.length);
    struct jz__str rest;
    char *text = NULL;
    int r;

    if (library == NULL) {
        return fail_to_read(out, JZ_EINTERNAL, error);
    }
    if (folder == NULL) {
        return jz__fail_memory(error);
    }
    r = library->export_session(&text, agent_name(pointer->agent), folder,
                                pointer->session_id);
    if (r < 0) {
        (void)jz__fail(error, r, "cannot read the transcripts in %s", folder);
        return fail_to_read(out, r, error);
    }
    rest = jz__str_of(text);
    upload->read = read_text;
    upload->read_data = &rest;
    r = upload_send(out, uploader, upload, error);
    library->free(text);
    return r;
}

/* Only now, since a queue of files that have not changed needs no server. A
 * fault of this computer's settings or certificates concerns every upload. */
static int open_uploader(struct upload_result *out,
                         struct flush_item_tools *tools,
                         struct jz__error *error)
{
    int r = tools->uploader != NULL
                ? 0
                : upload_open(&tools->uploader, tools->home, error);

    if (r < 0 && r != JZ_ENOMEM) {
        out->outcome = UPLOAD_FAILED;
        jz__buf_puts(&out->why, error->message);
    }
    return r;
}

static int send_subject(struct upload_result *out,
                        struct flush_item_tools *tools, struct subject *subject,
                        struct jz__error *error)
{
    const struct pointer *pointer = subject->pointer;
    struct upload upload = { .agent = pointer->agent,
                             .path = subject->inbox.data,
                             .project = pointer->project };
    int r = open_uploader(out, tools, error);

    if (r < 0) {
        return r == JZ_ENOMEM ? r : 0;
    }
    return pointer->agent == AGENT_ANTIGRAVITY
               ? send_union(out, tools->uploader, &upload, subject, error)
               : send_file(out, tools->uploader, &upload, subject, error);
}

/* --- what became of it --- */

static int take_rejected(enum flush_item_outcome *out,
                         struct flush_item_tools *tools,
                         const struct subject *subject,
                         const struct upload_result *result,
                         struct jz__error *error)
{
    const struct ledger_rejection rejection = {
        .agent = agent_name(subject->pointer->agent),
        .reason = result->why.length > 0 ? result->why.data : "",
        .status = result->status,
    };

    *out = FLUSH_ITEM_REJECTED;
    home_log(tools->home,
             "rejected and not sent again unless it changes: %s: %s",
             subject->path.data, rejection.reason);
    return ledger_add_rejected(tools->ledger, subject->path.data,
                               &subject->state, &rejection) < 0
               ? jz__fail_memory(error)
               : 0;
}

/* Was it this session that the server would not take, as far as its answer tells?
 * Then the others are tried first the next time. */
static bool is_about_session(const struct upload_result *result)
{
    switch (result->status) {
    case 0:   /* there was no answer */
    case 401: /* it is the key */
    case 403:
    case 429:
    case 502:
    case 503:
    case 504:
        return result->is_late;
    default:
        return true;
    }
}

static int take_stop(enum flush_item_outcome *out, struct flush_item_end *end,
                     const struct upload_result *result, const char *name,
                     struct jz__error *error)
{
    *out = FLUSH_ITEM_STOPPED;
    end->is_over = true;
    end->is_refused = result->outcome == UPLOAD_REFUSED;
    end->pause_s = result->pause_s;
    if (is_about_session(result)) {
        end->late = jz__mem_copy(name, strlen(name));
    }
    jz__buf_puts(&end->why, result->why.length > 0 ? result->why.data : "");
    return end->why.error != 0 ? jz__fail_memory(error) : 0;
}

/* A file that is there and cannot be read as what it is will not do better the
 * next time; what has to do with rights or the disk may. */
static int take_unreadable(enum flush_item_outcome *out,
                           struct flush_item_tools *tools,
                           const struct subject *subject,
                           const struct upload_result *result,
                           struct jz__error *error)
{
    home_log(tools->home, "a session is not sent: %s",
             result->why.length > 0 ? result->why.data : "");
    if (result->unreadable == JZ_ENOTFOUND) {
        *out = FLUSH_ITEM_GONE;
        return 0;
    }
    if (result->unreadable == JZ_EINVAL || result->unreadable == JZ_ECORRUPT) {
        return take_rejected(out, tools, subject, result, error);
    }
    *out = FLUSH_ITEM_LEFT;
    return 0;
}

static int take_result(enum flush_item_outcome *out, struct flush_item_end *end,
                       struct flush_item_tools *tools,
                       const struct subject *subject,
                       const struct upload_result *result)
{
    struct jz__error error;

    switch (result->outcome) {
    case UPLOAD_SENT:
        *out = FLUSH_ITEM_SENT;
        end->is_accepted = true;
        return ledger_add_sent(tools->ledger, subject->path.data,
                               &subject->state);
    case UPLOAD_REJECTED:
        end->is_accepted = true;
        return take_rejected(out, tools, subject, result, &error);
    case UPLOAD_UNREADABLE:
        return take_unreadable(out, tools, subject, result, &error);
    default:
        return 1;
    }
}

/* A file that was moved keeps its size and time. */
static bool is_known(const struct ledger *ledger, const struct subject *subject)
{
    return ledger_is_known(ledger, subject->path.data, &subject->state) ||
           ledger_is_known(ledger, subject->pointer->path, &subject->state);
}

static int run_subject(enum flush_item_outcome *out, struct flush_item_end *end,
                       struct flush_item_tools *tools, struct subject *subject,
                       const char *name, struct jz__error *error)
{
    JZ_CLEANUP(upload_result_finish) struct upload_result result = { 0 };
    int r = look(subject, error);

    if (r == JZ_ENOTFOUND) {
        *out = FLUSH_ITEM_GONE;
        return 0;
    }
    if (r < 0) {
        r = fail_to_read(&result, r, error);
    } else if (is_known(tools->ledger, subject)) {
        *out = FLUSH_ITEM_UNCHANGED;
        return 0;
    } else {
        r = send_subject(&result, tools, subject, error);
    }
    if (r < 0) {
        return r;
    }
    if (result.outcome == UPLOAD_REFUSED || result.outcome == UPLOAD_FAILED) {
        return take_stop(out, end, &result, name, error);
    }
    return take_result(out, end, tools, subject, &result) < 0
               ? jz__fail_memory(error)
               : 0;
}

/* One pointer that cannot be read must not hold up the others. */
static int leave(enum flush_item_outcome *out, const struct home *home,
                 int code, const struct jz__error *error)
{
    if (code == JZ_EIO) {
        home_log(home, "a pointer stays in the queue: %s", error->message);
        *out = FLUSH_ITEM_LEFT;
    }
    return code == JZ_EIO || code == JZ_ENOTFOUND ? 0 : code;
}

/* What cannot be removed is dealt with all the same, and must not hold up the
 * others. */
static void remove_entry(struct flush_item_end *end, const struct home *home,
                         const struct queue_entry *entry)
{
    struct jz__error error = { 0 };

    if (queue_remove(entry, &error) < 0) {
        home_log(home, "a pointer stays in the queue: %s", error.message);
        end->is_stuck = true;
    }
}

static bool stays(enum flush_item_outcome outcome)
{
    return outcome == FLUSH_ITEM_LEFT || outcome == FLUSH_ITEM_STOPPED;
}

int flush_item_run(enum flush_item_outcome *out, struct flush_item_end *end,
                   struct flush_item_tools *tools, const char *name,
                   struct jz__error *error)
{
    JZ_CLEANUP(queue_close) struct queue_entry entry = { .fd = -1 };
    JZ_CLEANUP(subject_finish) struct subject subject = { 0 };
    const char *reason;
    int r;

    assert(out != NULL && tools->ledger != NULL);

    *out = FLUSH_ITEM_DROPPED;
    r = queue_read(&entry, tools->home, name, error);
    if (r < 0) {
        return leave(out, tools->home, r, error);
    }
    subject.pointer = &entry.pointer;
    if (r == QUEUE_BROKEN ||
        !inbox_put_path(&subject.inbox, &reason, entry.pointer.agent,
                        entry.pointer.path, entry.pointer.session_id)) {
        home_log(tools->home, "%s is no pointer", name);
        remove_entry(end, tools->home, &entry);
        return 0;
    }
    if (subject.inbox.error != 0) {
        return jz__fail_memory(error);
    }
    r = run_subject(out, end, tools, &subject, name, error);
    if (r == 0 && !stays(*out)) {
        remove_entry(end, tools->home, &entry);
    }
    return r;
}
