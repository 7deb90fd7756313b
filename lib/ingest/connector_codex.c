/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codex: one rollout a session, rollout-<time>-<uuid>.jsonl, in a folder a day.
 * A line is {"timestamp", "type", "payload"}; the oldest format has no such
 * envelope, only bare items below a bare header.
 *
 * The first session_meta is the session's header. A later one with the same id
 * was written when the session was resumed. One with another id begins a copy
 * of the parent's history: a fork writes all of it again, with the time of the
 * fork, and old work must not be dated as new. The copy ends where a turn of
 * this session begins, which a turn's id (a UUID of version 7) tells by the
 * time in it. If the history names no turns, it ends before the first record
 * that is later than a copy can be.
 */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "ingest/codex.h"
#include "ingest/connector.h"
#include "ingest/uuid.h"

/* A copied history is written in one go; this long at most. */
#define REPLAY_MOST_MS 2000

/* Record types without anything for us. They are known, so that they are not
 * counted as news. */
static const char *const skipped_types[] = {
    "world_state",
    "token_usage_record",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "ghost_snapshot",
};

/* Beginnings of payloads that are skipped unread: half of a rollout's lines,
 * and the larger half of its bytes after the outputs. */
static const char *const skipped_payloads[] = {
    "\"event_msg\",\"payload\":{\"type\":\"token_count\"",
    "\"event_msg\",\"payload\":{\"type\":\"agent_reasoning",
    "\"event_msg\",\"payload\":{\"type\":\"patch_apply_end\"",
    "\"event_msg\",\"payload\":{\"type\":\"mcp_tool_call_end\"",
    "\"response_item\",\"payload\":{\"type\":\"reasoning\"",
    "\"world_state\"",
    "\"token_usage_record\"",
};

/* Keep the string member `key` in *out, unless that is set. */
static int keep(struct jz__str *out, struct jz__codex *codex, size_t object,
                const char *key)
{
    const struct jz__scan *scan = &codex->lines.scan;

    return jz__intake_keep(out, &codex->intake, scan,
                           jz__scan_get(scan, object, key));
}

/* Is the session one that another session started? */
static bool is_subagent_header(const struct jz__scan *scan, size_t meta)
{
    size_t source = jz__scan_get_type(scan, meta, "source", JZ__SCAN_OBJECT);

    return (source != 0 && jz__scan_get(scan, source, "subagent") != 0) ||
           jz__str_starts(jz__codex_member(scan, meta, "thread_source"),
                          "subagent");
}

/* A sub-agent's rollout ends the read here: nothing of it is wanted, and some
 * copy the whole history of the session that started them. */
static int read_header(struct jz__codex *codex, size_t meta)
{
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__conversation *out = codex->intake.out;
    size_t git = jz__scan_get_type(scan, meta, "git", JZ__SCAN_OBJECT);
    int64_t time_ms;
    int r;

    codex->has_header = true;
    codex->created_ms = codex->intake.time_ms;
    if (jz__time_parse_stamp(&time_ms,
                             jz__codex_member(scan, meta, "timestamp"))) {
        codex->created_ms = time_ms;
    }
    /* A header is written anew in a fork: its time is the session's own. */
    out->own_time_ms = codex->created_ms;
    if (is_subagent_header(scan, meta)) {
        out->is_subagent = true;
        codex->is_done = true;
    }
    r = keep(&out->session, codex, meta, "id");
    if (r == 0) {
        r = keep(&out->session, codex, meta, "session_id");
    }
    if (r == 0) {
        r = keep(&out->folder, codex, meta, "cwd");
    }
    if (r == 0) {
        r = keep(&out->parent, codex, meta, "forked_from_id");
    }
    if (r == 0 && git != 0) {
        r = keep(&out->git_branch, codex, git, "branch");
    }
    return r;
}

/* Only the first header is this session's. */
static int read_session_meta(struct jz__codex *codex, size_t meta)
{
    struct jz__conversation *out = codex->intake.out;
    struct jz__str id = jz__codex_member(&codex->lines.scan, meta, "id");

    if (!codex->has_header) {
        return read_header(codex, meta);
    }
    /* The program writes its header again when it resumes a session. */
    if (id.length == 0 || jz__str_equal(id, out->session)) {
        return JZ_OK;
    }
    codex->is_replaying = true;
    codex->has_old_turns = false;
    codex->replay_ms = codex->intake.time_ms;
    return keep(&out->parent, codex, meta, "id");
}

/* Is the record a part of the parent's history? */
static bool is_copied(struct jz__codex *codex, size_t payload)
{
    int64_t since = codex->intake.time_ms - codex->replay_ms;
    int64_t turn_ms;

    if (!codex->is_replaying) {
        return false;
    }
    if (jz__uuid_time(&turn_ms, jz__codex_member(&codex->lines.scan, payload,
                                                 "turn_id"))) {
        /* Once turns are named the clock is not needed: a long history takes
         * longer to write than REPLAY_MOST_MS. */
        codex->is_replaying = turn_ms < codex->created_ms;
        codex->has_old_turns = true;
    } else if (!codex->has_old_turns) {
        codex->is_replaying = since <= REPLAY_MOST_MS ||
                              codex->intake.time_ms < codex->created_ms;
    }
    return codex->is_replaying;
}

static bool is_skipped_type(struct jz__str type)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(skipped_types); i++) {
        if (jz__str_is(type, skipped_types[i])) {
            return true;
        }
    }
    return false;
}

/* turn_context comes last: of it only the folder is of use, if the header has
 * none. */
static int read_known(struct jz__codex *codex, struct jz__str type,
                      size_t payload)
{
    codex->known++;
    if (jz__str_is(type, "session_meta")) {
        return read_session_meta(codex, payload);
    }
    if (is_copied(codex, payload)) {
        codex->intake.out->records_copied++;
        return JZ_OK;
    }
    if (jz__str_is(type, "response_item")) {
        return jz__codex_items_response(codex, payload);
    }
    if (jz__str_is(type, "event_msg")) {
        return jz__codex_items_event(codex, payload);
    }
    if (jz__str_is(type, "compacted")) {
        codex->intake.is_boundary = true;
        return JZ_OK;
    }
    return keep(&codex->intake.out->folder, codex, payload, "cwd");
}

/* The oldest format: the header and the items stand bare in the line. */
static int read_bare(struct jz__codex *codex)
{
    const struct jz__scan *scan = &codex->lines.scan;
    struct jz__str type = jz__codex_member(scan, 0, "type");

    if (!codex->has_header && type.length == 0 &&
        jz__scan_get_type(scan, 0, "id", JZ__SCAN_STRING) != 0) {
        codex->known++;
        return read_header(codex, 0);
    }
    if (jz__scan_get(scan, 0, "record_type") != 0) {
        return JZ_OK; /* the program's state */
    }
    if (jz__str_is(type, "message") || jz__str_starts(type, "function_call") ||
        jz__str_starts(type, "local_shell_call") ||
        jz__str_starts(type, "custom_tool_call") ||
        jz__str_is(type, "reasoning")) {
        codex->known++;
        return jz__codex_items_response(codex, 0);
    }
    codex->intake.out->records_unknown++;
    return JZ_OK;
}

/* Records without a payload are of the oldest format. */
static int read_record(struct jz__codex *codex)
{
    static const char *const read_types[] = { "session_meta", "response_item",
                                              "event_msg", "compacted",
                                              "turn_context" };
    const struct jz__scan *scan = &codex->lines.scan;
    size_t payload = jz__scan_get_type(scan, 0, "payload", JZ__SCAN_OBJECT);
    struct jz__str stamp = jz__codex_member(scan, 0, "timestamp");
    struct jz__str type = jz__codex_member(scan, 0, "type");
    int64_t time_ms;
    size_t i;

    if (stamp.length > 0 && jz__time_parse_stamp(&time_ms, stamp)) {
        codex->intake.time_ms = time_ms;
    }
    if (payload == 0) {
        return read_bare(codex);
    }
    for (i = 0; i < JZ__LENGTH(read_types); i++) {
        if (jz__str_is(type, read_types[i])) {
            return read_known(codex, type, payload);
        }
    }
    if (is_skipped_type(type)) {
        codex->known++;
    } else {
        codex->intake.out->records_unknown++;
    }
    return JZ_OK;
}

/* Newer lines carry a number between time and type. The records that make up
 * half of a rollout are told by their first bytes, if nothing is glued on. */
static bool is_skipped(struct jz__str line)
{
    static const char mark[] = "\"type\":";
    struct jz__str head = { line.data, line.length < 160 ? line.length : 160 };
    size_t at = jz__str_find(head, mark);
    size_t i;

    if (!jz__str_starts(line, "{\"timestamp\":") || at == SIZE_MAX ||
        line.data[line.length - 1] != '}') {
        return false;
    }
    head.data += at + sizeof(mark) - 1;
    head.length -= at + sizeof(mark) - 1;
    for (i = 0; i < JZ__LENGTH(skipped_payloads); i++) {
        if (jz__str_starts(head, skipped_payloads[i])) {
            return memmem(line.data, line.length, "}{", 2) == NULL;
        }
    }
    return false;
}

/* Doubtful messages go first, while events stand in the order of the file. */
static int finish_reading(struct jz__codex *codex, const char *path)
{
    struct jz__conversation *out = codex->intake.out;
    int r = JZ_OK;

    jz__codex_streams_finish(codex);
    jz__conversation_sort(out);
    if (out->session.length == 0) {
        r = jz__conversation_keep(&out->session, out,
                                  jz__codex_files_session(path));
    }
    out->lines = codex->lines.count;
    out->lines_bad = codex->lines.bad;
    out->lines_too_long = codex->lines.too_long;
    out->is_partial = codex->lines.is_partial;
    return r;
}

static void codex_finish(struct jz__codex *codex)
{
    jz__intake_finish(&codex->intake);
    jz__lines_finish(&codex->lines);
    jz__scan_finish(&codex->inner);
    jz__buf_finish(&codex->inner_text);
    free(codex->doubts);
    free(codex->clean_turns);
}

/* See the same function of connector_claude_code.c for the refusal. */
static int read_file(struct jz__conversation *out, const char *path,
                     struct jz__error *error)
{
    JZ_CLEANUP(codex_finish) struct jz__codex codex;
    int r;

    assert(out != NULL && path != NULL);

    memset(&codex, 0, sizeof(codex));
    jz__intake_init(&codex.intake, out);
    out->session = out->parent = out->folder = JZ__STR("");
    out->git_branch = out->title = JZ__STR("");
    codex.lines.is_skipped = is_skipped;
    r = jz__lines_open(&codex.lines, path, error);
    if (r < 0) {
        return r;
    }
    while (!codex.is_done && (r = jz__lines_next(&codex.lines, error)) == 1) {
        r = read_record(&codex);
        if (r < 0) {
            return jz__fail_memory(error);
        }
    }
    if (r < 0) {
        return r;
    }
    if (finish_reading(&codex, path) < 0) {
        return jz__fail_memory(error);
    }
    if (codex.known + codex.lines.skipped == 0 &&
        out->lines > out->is_partial) {
        return jz__fail(error, JZ_EINVAL,
                        "no rollout of Codex: none of the %lld lines of %s is "
                        "a record that it writes",
                        (long long)out->lines, path);
    }
    return JZ_OK;
}

static const char *const folders[] = { "sessions", "archived_sessions", NULL };

const struct jz__connector jz__connector_codex = {
    .agent = "codex",
    .folders = folders,
    .read = read_file,
    .is_session_path = jz__codex_files_is_session,
    .is_transcript = jz__codex_files_is_transcript,
    .session_of_path = jz__codex_files_session,
};
