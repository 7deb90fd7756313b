/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claude Code: one JSONL file a session, `projects/<folder>/<session>.jsonl`.
 *
 * Of some thirty record types four hold what people and agent wrote: `user`,
 * `assistant`, `attachment` (prompts typed while the agent was busy) and
 * `queue-operation` (the same, in versions that wrote nothing else). Titles
 * come as `custom-title`, `ai-title` and `summary`; a summary may describe
 * another session, which its leafUuid tells. All else is state of the program,
 * among it `progress` with whole messages of sub-agents, and what hooks
 * printed, which is where Jezero's own words come back.
 *
 * The file's name is the session's id: a forked file repeats its parent's
 * records under the new id, and an old one may hold lines of several sessions.
 */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "ingest/claude.h"
#include "ingest/connector.h"
#include "ingest/uuid.h"

/* Flags are true or absent. */
static bool is_true(const struct jz__scan *scan, size_t token)
{
    return token != 0 && scan->tokens[token].type == JZ__SCAN_TRUE;
}

/* The time of a record; those without one have that of the record before. */
static void take_time(struct jz__claude *claude)
{
    struct jz__str stamp =
        jz__intake_raw(&claude->lines.scan, claude->record.timestamp);
    struct jz__conversation *out = claude->intake.out;
    int64_t time_ms;

    if (stamp.length == 0 || !jz__time_parse_stamp(&time_ms, stamp)) {
        return;
    }
    claude->intake.time_ms = time_ms;
    if (claude->record.uuid == 0 && time_ms < out->own_time_ms) {
        out->own_time_ms = time_ms;
    }
}

/* What any record of the conversation tells of its session. */
static int take_envelope(struct jz__claude *claude)
{
    const struct jz__scan *scan = &claude->lines.scan;
    const struct jz__claude_record *record = &claude->record;
    struct jz__conversation *out = claude->intake.out;
    int r;

    r = jz__intake_keep(&out->session, &claude->intake, scan, record->session);
    if (r == 0) {
        r = jz__intake_keep(&out->folder, &claude->intake, scan, record->cwd);
    }
    if (r == 0 && !jz__scan_is(scan, record->branch, "HEAD")) {
        r = jz__intake_keep(&out->git_branch, &claude->intake, scan,
                            record->branch);
    }
    if (r == 0 && record->forked != 0) {
        r = jz__intake_keep(&out->parent, &claude->intake, scan,
                            jz__scan_get_type(scan, record->forked, "sessionId",
                                              JZ__SCAN_STRING));
    }
    return r;
}

/* Records of the conversation itself. A sub-agent's lines inside the main file
 * are its own story, told by the result of the call that started it. */
static int read_message(struct jz__claude *claude, struct jz__str type)
{
    const struct jz__claude_record *record = &claude->record;
    const struct jz__scan *scan = &claude->lines.scan;
    int r;

    if (is_true(scan, record->sidechain)) {
        claude->sidechain++;
        return JZ_OK;
    }
    claude->messages++;
    r = take_envelope(claude);
    if (r < 0) {
        return r;
    }
    if (is_true(scan, record->compact)) {
        claude->intake.is_boundary = true;
        return JZ_OK;
    }
    if (jz__str_is(type, "attachment")) {
        return jz__claude_queue_attachment(claude);
    }
    return jz__str_is(type, "user") ? jz__claude_blocks_user(claude)
                                    : jz__claude_blocks_assistant(claude);
}

/* What each type is good for. */
static int read_known(struct jz__claude *claude, struct jz__str type)
{
    const struct jz__scan *scan = &claude->lines.scan;

    if (jz__str_is(type, "system")) {
        if (jz__scan_is(scan, claude->record.subtype, "compact_boundary") &&
            !is_true(scan, claude->record.sidechain)) {
            claude->intake.is_boundary = true;
        }
        return JZ_OK;
    }
    if (jz__str_is(type, "queue-operation")) {
        int r = jz__intake_keep(&claude->intake.out->session, &claude->intake,
                                scan, claude->record.session);

        return r < 0 ? r : jz__claude_queue_operation(claude);
    }
    if (jz__str_is(type, "custom-title")) {
        return jz__claude_titles_keep(&claude->custom_title, claude);
    }
    if (jz__str_is(type, "ai-title")) {
        return jz__claude_titles_keep(&claude->ai_title, claude);
    }
    if (jz__str_is(type, "summary")) {
        return jz__claude_titles_summary(claude);
    }
    return read_message(claude, type);
}

/* Types change with every few versions. One that is not known is counted, not
 * refused: a count that grows tells that the connector is behind. */
static int read_record(struct jz__claude *claude)
{
    struct jz__str type;

    jz__claude_record_find(&claude->record, &claude->lines.scan);
    type = jz__intake_raw(&claude->lines.scan, claude->record.type);
    take_time(claude);
    jz__claude_titles_match(claude);
    if (jz__claude_record_is_read(type)) {
        claude->known++;
        return read_known(claude, type);
    }
    if (jz__claude_record_is_skipped(type)) {
        claude->known++;
    } else {
        claude->intake.out->records_unknown++;
    }
    return JZ_OK;
}

/* The file name's id counts; a file that was renamed has the first in it. */
static int choose_session(struct jz__claude *claude, const char *path)
{
    struct jz__conversation *out = claude->intake.out;
    struct jz__str name = jz__claude_files_session(path);

    if (!jz__uuid_is(name) && out->session.length > 0) {
        return JZ_OK;
    }
    return jz__conversation_keep(&out->session, out, name);
}

/* Order matters: queued prompts are compared with the messages and become some
 * themselves, and all are sorted after that. */
static int finish_reading(struct jz__claude *claude, const char *path)
{
    struct jz__conversation *out = claude->intake.out;
    int r;

    claude->intake.is_boundary = false;
    r = jz__claude_queue_finish(claude);
    if (r == 0) {
        r = choose_session(claude, path);
    }
    jz__claude_titles_finish(claude);
    jz__conversation_sort(out);
    out->is_subagent = jz__claude_files_is_subagent(path) ||
                       (claude->messages == 0 && claude->sidechain > 0);
    out->lines = claude->lines.count;
    out->lines_bad = claude->lines.bad;
    out->lines_too_long = claude->lines.too_long;
    out->is_partial = claude->lines.is_partial;
    return r;
}

static void claude_finish(struct jz__claude *claude)
{
    jz__intake_finish(&claude->intake);
    jz__lines_finish(&claude->lines);
    free(claude->queued);
}

/* A file without one known record is no transcript, or one that this version
 * cannot read; both must be told and not be stored as an empty session. */
static int read_file(struct jz__conversation *out, const char *path,
                     struct jz__error *error)
{
    JZ_CLEANUP(claude_finish) struct jz__claude claude;
    int r;

    assert(out != NULL && path != NULL);

    memset(&claude, 0, sizeof(claude));
    jz__intake_init(&claude.intake, out);
    claude.ai_title = claude.custom_title = JZ__STR("");
    out->session = out->parent = out->folder = JZ__STR("");
    out->git_branch = out->title = JZ__STR("");
    claude.lines.is_skipped = jz__claude_record_is_skipped_line;
    r = jz__lines_open(&claude.lines, path, error);
    if (r < 0) {
        return r;
    }
    while ((r = jz__lines_next(&claude.lines, error)) == 1) {
        r = read_record(&claude);
        if (r < 0) {
            return jz__fail_memory(error);
        }
    }
    if (r < 0) {
        return r;
    }
    if (finish_reading(&claude, path) < 0) {
        return jz__fail_memory(error);
    }
    if (claude.known + claude.lines.skipped == 0 &&
        out->lines > out->is_partial) {
        return jz__fail(error, JZ_EINVAL,
                        "no transcript of Claude Code: none of the %lld lines "
                        "of %s is a record that it writes",
                        (long long)out->lines, path);
    }
    return JZ_OK;
}

static const char *const folders[] = { "projects", NULL };

const struct jz__connector jz__connector_claude_code = {
    .agent = "claude-code",
    .folders = folders,
    .read = read_file,
    .is_session_path = jz__claude_files_is_session,
    .is_transcript = jz__claude_files_is_transcript,
    .session_of_path = jz__claude_files_session,
};
