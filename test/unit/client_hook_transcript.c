/* SPDX-License-Identifier: Apache-2.0 */
/* The user's last request in a transcript of Antigravity's. */
#include "hook_transcript.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "tap.h"
#include "tmpdir.h"

#define INPUT(text)                                                            \
    "{\"step_index\":1,\"type\":\"USER_INPUT\",\"content\":\"" text "\"}\n"
#define ASKED(text) INPUT("<USER_REQUEST>\\n" text "\\n</USER_REQUEST>\\n<A>")
#define REPLY                                                                  \
    "{\"type\":\"PLANNER_RESPONSE\",\"content\":\"USER_INPUT is a word\"}\n"

static void check_found(const char *lines, bool is_cut, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    CHECK_INT(hook_transcript_find(&out, jz__str_of(lines), is_cut), 0);
    CHECK_STR(out.length > 0 ? out.data : "", want);
}

static void last_request_is_found_between_its_marks(void)
{
    check_found(ASKED("first") REPLY ASKED("last one") REPLY, false,
                "last one");
    check_found(ASKED("first") REPLY, false, "first");
}

static void request_without_marks_is_whole(void)
{
    check_found(INPUT("fix it"), false, "fix it");
    check_found(INPUT("<USER_REQUEST>cut"), false, "cut");
}

static void damaged_lines_are_passed_over(void)
{
    check_found(ASKED("good") "{\"type\":\"USER_INPUT\",\"conte", false,
                "good");
    check_found(ASKED("good") "\n\r\nUSER_INPUT\n[\"USER_INPUT\"]\n", false,
                "good");
    check_found(ASKED("good") "{\"type\":\"USER_INPUT\",\"content\":5}\n",
                false, "good");
    check_found("", false, "");
    check_found(REPLY, false, "");
}

static void cut_first_line_is_not_believed(void)
{
    check_found(ASKED("half"), true, "");
    check_found(ASKED("half") ASKED("whole"), true, "whole");
}

static void end_of_a_large_file_is_enough(void)
{
    struct tmpdir dir;
    const char *path;
    FILE *file;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    tmpdir_make(&dir);
    path = tmpdir_write(&dir, "t.jsonl", ASKED("old"), strlen(ASKED("old")));
    file = fopen(path, "ab");
    for (int i = 0; i < 40000; i++) {
        fputs(REPLY, file);
    }
    fputs(ASKED("new"), file);
    fclose(file);
    CHECK_INT(hook_transcript_request(&out, path), 0);
    CHECK_STR(out.data, "new");
    tmpdir_remove(&dir);
}

static void what_cannot_be_read_gives_nothing(void)
{
    struct tmpdir dir;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    tmpdir_make(&dir);
    CHECK_INT(mkfifo(tmpdir_path(&dir, "fifo"), 0600), 0);
    CHECK_INT(hook_transcript_request(&out, tmpdir_path(&dir, "fifo")), 0);
    CHECK_INT(hook_transcript_request(&out, tmpdir_path(&dir, "missing")), 0);
    CHECK_INT(hook_transcript_request(&out, dir.path), 0);
    CHECK_INT(hook_transcript_request(&out, "relative"), 0);
    CHECK_INT(hook_transcript_request(&out, ""), 0);
    CHECK_INT(hook_transcript_request(&out, "/dev/zero"), 0);
    tmpdir_write(&dir, "empty", "", 0);
    CHECK_INT(hook_transcript_request(&out, tmpdir_path(&dir, "empty")), 0);
    CHECK_INT(out.length, 0);
    tmpdir_remove(&dir);
}

int main(void)
{
    TAP_RUN(last_request_is_found_between_its_marks);
    TAP_RUN(request_without_marks_is_whole);
    TAP_RUN(damaged_lines_are_passed_over);
    TAP_RUN(cut_first_line_is_not_believed);
    TAP_RUN(end_of_a_large_file_is_enough);
    TAP_RUN(what_cannot_be_read_gives_nothing);
    return tap_done();
}
