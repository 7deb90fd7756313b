/* SPDX-License-Identifier: Apache-2.0 */
/* The queue's files: pointers, their folder, and what is found for them. */
#include <fcntl.h>
#include <sys/stat.h>
#include <utime.h>

#include "base/file.h"
#include "base/mem.h"
#include "locate.h"
#include "pointer.h"
#include "queue.h"
#include "spool.h"
#include "tap.h"
#include "tmpdir.h"
#include "transcript.h"

static struct tmpdir dir;
static struct home home;

static void set_up(void)
{
    tmpdir_make(&dir);
    home = (struct home){ .path = dir.path,
                          .is_set_up = true,
                          .may_upload = true };
}

static void tear_down(void)
{
    tmpdir_remove(&dir);
}

/* --- pointers --- */

static void a_pointer_is_read_as_it_was_written(void)
{
    char id[] = "se\"1";
    char path[] = "/home/Dana Rey\xC3\xA9s/x\n.jsonl";
    const struct pointer written = { .agent = AGENT_HERMES,
                                     .session_id = id,
                                     .path = path,
                                     .queued_at = 1792573920 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(pointer_finish) struct pointer read = { 0 };

    pointer_put(&text, &written);
    CHECK_STR(text.data, "{\"agent\":\"hermes\",\"session_id\":\"se\\\"1\","
                         "\"path\":\"/home/Dana Rey\xC3\xA9s/x\\n.jsonl\","
                         "\"cwd\":null,\"project\":null,"
                         "\"queued_at\":1792573920}\n");
    CHECK_INT(pointer_read(&read, (struct jz__str){ text.data, text.length }),
              0);
    CHECK_INT(read.agent, AGENT_HERMES);
    CHECK_STR(read.session_id, id);
    CHECK_STR(read.path, path);
    CHECK(read.cwd == NULL && read.project == NULL);
    CHECK_INT(read.queued_at, 1792573920);
}

static void what_is_no_pointer_is_refused(void)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        "\"x\"",
        "{\"agent\":\"codex\",\"session_id\":\"1\",\"path\":\"/x\"",
        "{\"agent\":\"codex\",\"session_id\":\"1\",\"path\":\"x\"}",
        "{\"agent\":\"codex\",\"session_id\":\"\",\"path\":\"/x\"}",
        "{\"agent\":\"codex\",\"session_id\":1,\"path\":\"/x\"}",
        "{\"agent\":\"cursor\",\"session_id\":\"1\",\"path\":\"/x\"}",
        "{\"session_id\":\"1\",\"path\":\"/x\"}",
    };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(pointer_finish) struct pointer read = { 0 };

        CHECK_INT(pointer_read(&read, jz__str_of(texts[i])), JZ_EINVAL);
    }
}

static void different_ids_have_different_names(void)
{
    static const char *const ids[] = { "a b", "a_b", "a/b", "\xC3\xA9",
                                       "..",  "._x", "",    "_" };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf names = JZ__BUF_INIT;

    for (size_t i = 0; i < JZ__LENGTH(ids); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;

        pointer_put_name(&name, AGENT_CODEX, ids[i]);
        CHECK(strchr(name.data, '/') == NULL);
        CHECK(strncmp(name.data, "codex__", 7) == 0);
        CHECK(names.length == 0 || strstr(names.data, name.data) == NULL);
        jz__buf_puts(&name, ";");
        jz__buf_puts(&names, name.data);
    }
    CHECK(strstr(names.data, "codex__a_b.json;") != NULL);
}

static int write_one(const char *id)
{
    char path[] = "/x/y/1.jsonl";
    JZ_CLEANUP(jz__mem_freep) char *copy = jz__mem_copy(id, strlen(id));
    const struct pointer pointer = { .agent = AGENT_CLAUDE_CODE,
                                     .session_id = copy,
                                     .path = path };

    return queue_write(&home, &pointer, NULL);
}

static void pointers_are_listed_in_order(void)
{
    JZ_CLEANUP(queue_names_finish) struct queue_names names = { 0 };

    set_up();
    CHECK_INT(queue_list(&names, &home, NULL), 0);
    CHECK_INT(names.count, 0);
    CHECK_INT(write_one("b"), 0);
    CHECK_INT(write_one("a"), 0);
    CHECK_INT(write_one("b"), 0);
    CHECK_INT(spool_count(&home), 2);
    CHECK_INT(queue_count(&home, 1), 1);
    CHECK_INT(queue_list(&names, &home, NULL), 0);
    if (CHECK_INT(names.count, 2)) {
        CHECK_STR(names.names[0], "claude-code__a.json");
        CHECK_STR(names.names[1], "claude-code__b.json");
    }
    tear_down();
}

static void a_newer_pointer_is_not_removed(void)
{
    JZ_CLEANUP(queue_close) struct queue_entry old = { .fd = -1 };
    JZ_CLEANUP(queue_close) struct queue_entry newer = { .fd = -1 };
    const char *name = "claude-code__a.json";

    set_up();
    CHECK_INT(write_one("a"), 0);
    CHECK_INT(queue_read(&old, &home, name, NULL), 0);
    CHECK_INT(write_one("a"), 0);
    CHECK_INT(queue_remove(&old, NULL), 0);
    CHECK_INT(spool_count(&home), 1);
    CHECK_INT(queue_read(&newer, &home, name, NULL), 0);
    CHECK_INT(queue_remove(&newer, NULL), 0);
    CHECK_INT(spool_count(&home), 0);
    CHECK_INT(queue_remove(&newer, NULL), 0);
    tear_down();
}

static void what_a_killed_process_left_is_put_in_order(void)
{
    JZ_CLEANUP(queue_names_finish) struct queue_names names = { 0 };
    const struct utimbuf old = { 1, 1 };
    const char *draft;

    set_up();
    CHECK_INT(write_one("a"), 0);
    CHECK_INT(write_one("b"), 0);
    tmpdir_write(&dir, "spool/pending/claude-code__a.json.taken", "{}", 2);
    (void)rename(tmpdir_path(&dir, "spool/pending/claude-code__b.json"),
                 tmpdir_path(&dir, "spool/pending/claude-code__b.json.taken"));
    draft = tmpdir_write(&dir, "spool/pending/x.json.AbCdEf", "{", 1);
    CHECK_INT(utime(draft, &old), 0);
    tmpdir_write(&dir, "spool/pending/y.json.AbCdEf", "{", 1);
    CHECK_INT(queue_list(&names, &home, NULL), 0);
    CHECK_INT(names.count, 2);
    CHECK(access(draft, F_OK) != 0);
    CHECK(access(tmpdir_path(&dir, "spool/pending/y.json.AbCdEf"), F_OK) == 0);
    CHECK(access(tmpdir_path(&dir, "spool/pending/claude-code__a.json.taken"),
                 F_OK) != 0);
    tear_down();
}

/* --- transcripts --- */

static void the_head_tells_folder_and_kind(void)
{
    static const struct {
        const char *text;
        const char *cwd;
        bool is_subagent;
    } cases[] = {
        { "", "", false },
        { "{\"type\":\"summary\"}\n{\"cwd\":\"/a\"}\n{\"cwd\":\"/b\"}\n", "/a",
          false },
        { "broken\n{\"cwd\":null}\n{\"cwd\":\"\"}\n{\"cwd\":\"/c\"}", "/c",
          false },
        { "{\"payload\":{\"cwd\":\"/d\",\"source\":\"cli\"}}\n", "/d", false },
        { "{\"payload\":{\"cwd\":\"/e\",\"source\":{\"subagent\":\"x\"}}}\n",
          "/e", true },
        { "{\"payload\":{\"cwd\":\"/f\",\"thread_source\":\"subagent\"}}\n",
          "/f", true },
        { "{\"payload\":{\"source\":{\"other\":1}}}\n"
          "{\"payload\":{\"source\":{\"subagent\":\"x\"},\"cwd\":\"/g\"}}\n",
          "/g", false },
    };

    set_up();
    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(transcript_head_finish) struct transcript_head head;
        const char *path =
            tmpdir_write(&dir, "t.jsonl", cases[i].text, strlen(cases[i].text));

        CHECK_INT(transcript_look(&head, path, NULL), 0);
        CHECK_STR(head.cwd.length > 0 ? head.cwd.data : "", cases[i].cwd);
        CHECK_INT(head.is_subagent, cases[i].is_subagent);
    }
    tear_down();
}

static void no_more_than_fifty_lines_are_looked_at(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(transcript_head_finish) struct transcript_head head;

    set_up();
    for (int i = 0; i < 50; i++) {
        jz__buf_puts(&text, "{\"type\":\"mode\"}\n");
    }
    jz__buf_puts(&text, "{\"cwd\":\"/late\"}\n");
    CHECK_INT(
        transcript_look(
            &head, tmpdir_write(&dir, "t.jsonl", text.data, text.length), NULL),
        0);
    CHECK_INT(head.cwd.length, 0);
    tear_down();
}

static void a_transcript_ends_where_it_ended_when_it_was_opened(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct transcript *transcript;
    struct transcript_state state;
    const char *path;
    FILE *file;

    set_up();
    path = tmpdir_write(&dir, "t.jsonl", "first\n", 6);
    CHECK_INT(transcript_open(&transcript, &state, path, NULL), 0);
    file = fopen(path, "ab");
    if (CHECK(file != NULL)) {
        fputs("second\n", file);
        fclose(file);
    }
    CHECK_INT(transcript_read(&text, transcript, NULL), 0);
    CHECK_INT(transcript_read(&text, transcript, NULL), 0);
    CHECK_STR(text.data, "first\n");
    CHECK_INT(state.size, 6);
    transcript_close(transcript);
    tear_down();
}

static void what_is_no_file_is_not_opened(void)
{
    struct transcript *transcript;
    struct transcript_state state;

    set_up();
    CHECK_INT(mkfifo(tmpdir_path(&dir, "fifo"), 0600), 0);
    CHECK_INT(
        transcript_open(&transcript, &state, tmpdir_path(&dir, "fifo"), NULL),
        JZ_EINVAL);
    CHECK_INT(transcript_open(&transcript, &state, dir.path, NULL), JZ_EINVAL);
    CHECK_INT(
        transcript_open(&transcript, &state, tmpdir_path(&dir, "none"), NULL),
        JZ_ENOTFOUND);
    CHECK_INT(transcript_stat(&state, tmpdir_path(&dir, "fifo/x"), NULL),
              JZ_ENOTFOUND);
    transcript_close(NULL);
    tear_down();
}

/* --- which file is a session's --- */

static void check_found(enum agent_id agent, const char *id, const char *given,
                        const char *want)
{
    const struct spool_session session = { .agent = agent,
                                           .id = id,
                                           .transcript = given };
    JZ_CLEANUP(located_finish) struct located found;
    const char *reason = NULL;
    int r = locate_transcript(&found, &reason, &session);

    CHECK_INT(r, want != NULL ? 0 : LOCATE_NONE);
    if (r == 0 && want != NULL) {
        CHECK_STR(found.path.data, want);
        CHECK(found.id.length > 0);
    } else {
        CHECK(reason != NULL);
    }
}

static void the_name_of_a_file_decides_whose_it_is(void)
{
    const char *one;
    const char *two;

    set_up();
    tmpdir_mkdir(&dir, "-x");
    one = tmpdir_write(&dir, "-x/1.jsonl", "", 0);
    two = tmpdir_write(&dir, "-x/2.jsonl", "", 0);
    (void)tmpdir_write(&dir, "-x/agent-3.jsonl", "", 0);
    check_found(AGENT_CLAUDE_CODE, "1", one, one);
    check_found(AGENT_CLAUDE_CODE, "", one, one);
    check_found(AGENT_CLAUDE_CODE, NULL, one, one);
    check_found(AGENT_CLAUDE_CODE, "2", one, two);
    check_found(AGENT_CLAUDE_CODE, "3", one, NULL);
    check_found(AGENT_CLAUDE_CODE, "../1", one, one);
    check_found(AGENT_CLAUDE_CODE, "1", NULL, NULL);
    check_found(AGENT_CLAUDE_CODE, "1", "-x/1.jsonl", NULL);
    check_found(AGENT_CLAUDE_CODE, "1", tmpdir_path(&dir, "-x/agent-3.jsonl"),
                NULL);
    check_found(AGENT_CLAUDE_CODE, "9", tmpdir_path(&dir, "-x/9.jsonl"), NULL);
    tear_down();
}

#define UUID "01a22d7d-1e34-7c31-a114-af91a685ace4"
#define ROLLOUT "rollout-2026-11-30T17-25-04-" UUID ".jsonl"

static void a_rollout_is_found_where_it_went(void)
{
    const char *given;
    const char *other;
    const char *archived;

    set_up();
    (void)jz__file_mkdirs(tmpdir_path(&dir, "sessions/2026/11/30"), NULL);
    tmpdir_mkdir(&dir, "archived_sessions");
    given = tmpdir_path(&dir, "sessions/2026/11/30/" ROLLOUT);
    check_found(AGENT_CODEX, UUID, given, NULL);
    archived = tmpdir_write(&dir, "archived_sessions/" ROLLOUT ".zst", "", 0);
    check_found(AGENT_CODEX, UUID, given, archived);
    check_found(AGENT_CODEX, "", given, archived);
    archived = tmpdir_write(&dir, "archived_sessions/" ROLLOUT, "", 0);
    check_found(AGENT_CODEX, UUID, given, archived);
    (void)tmpdir_write(&dir, "sessions/2026/11/30/" ROLLOUT, "", 0);
    check_found(AGENT_CODEX, UUID, given, given);
    other =
        tmpdir_path(&dir, "sessions/2026/11/30/rollout-2026-11-30T1-b.jsonl");
    check_found(AGENT_CODEX, UUID, other, given);
    check_found(AGENT_CODEX, "c", other, NULL);
    tear_down();
}

int main(void)
{
    TAP_RUN(a_pointer_is_read_as_it_was_written);
    TAP_RUN(what_is_no_pointer_is_refused);
    TAP_RUN(different_ids_have_different_names);
    TAP_RUN(pointers_are_listed_in_order);
    TAP_RUN(a_newer_pointer_is_not_removed);
    TAP_RUN(what_a_killed_process_left_is_put_in_order);
    TAP_RUN(the_head_tells_folder_and_kind);
    TAP_RUN(no_more_than_fifty_lines_are_looked_at);
    TAP_RUN(a_transcript_ends_where_it_ended_when_it_was_opened);
    TAP_RUN(what_is_no_file_is_not_opened);
    TAP_RUN(the_name_of_a_file_decides_whose_it_is);
    TAP_RUN(a_rollout_is_found_where_it_went);
    return tap_done();
}
