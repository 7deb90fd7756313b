/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "tap.h"
#include "tmpdir.h"

#define LINES_BUFFER ((size_t)256 * 1024)

static int read_all(const char *path, size_t most, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    struct jz__error error = { 0 };
    int r = jz__file_read(&out, path, most, &error);

    if (r == 0) {
        CHECK_STR(out.data, want);
    } else {
        CHECK_INT(out.length, 0);
        CHECK_INT(error.code, r);
        CHECK(strstr(error.message, path) != NULL);
    }
    return r;
}

static void a_file_is_read_whole(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    struct tmpdir dir;

    tmpdir_make(&dir);
    CHECK_INT(read_all(tmpdir_write(&dir, "a", "text", 4), 4, "text"), 0);
    CHECK_INT(read_all(tmpdir_write(&dir, "b", "", 0), 0, ""), 0);
    CHECK_INT(read_all(tmpdir_path(&dir, "a"), SIZE_MAX, "text"), 0);
    jz__buf_puts(&out, "in front ");
    CHECK_INT(jz__file_read(&out, tmpdir_path(&dir, "a"), 9, NULL), 0);
    CHECK_STR(out.data, "in front text");
    tmpdir_remove(&dir);
}

static void a_large_file_is_read_in_steps(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    static char data[200000];
    struct tmpdir dir;
    size_t i;

    for (i = 0; i < sizeof(data); i++) {
        data[i] = (char)i;
    }
    tmpdir_make(&dir);
    tmpdir_write(&dir, "a", data, sizeof(data));
    CHECK_INT(jz__file_read(&out, tmpdir_path(&dir, "a"), sizeof(data), NULL),
              0);
    CHECK_INT(out.length, sizeof(data));
    CHECK(memcmp(out.data, data, sizeof(data)) == 0);
    CHECK_INT(
        jz__file_read(&out, tmpdir_path(&dir, "a"), sizeof(data) - 1, NULL),
        JZ_EINVAL);
    CHECK_INT(out.length, sizeof(data));
    tmpdir_remove(&dir);
}

/* A file of /proc tells a size of 0. */
static void a_file_without_a_size_keeps_to_the_limit(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    int r = jz__file_read(&out, "/proc/self/status", 10, NULL);

    if (r == JZ_ENOTFOUND) {
        return;
    }
    CHECK_INT(r, JZ_EINVAL);
    CHECK_INT(out.length, 0);
    CHECK_INT(jz__file_read(&out, "/proc/self/status", 65536, NULL), 0);
    CHECK(out.length > 10);
}

static void what_is_no_regular_file_is_refused_at_once(void)
{
    struct jz__file_lines *lines = NULL;
    struct jz__file_state state;
    struct tmpdir dir;
    const char *fifo;

    tmpdir_make(&dir);
    fifo = tmpdir_path(&dir, "fifo");
    CHECK_INT(mkfifo(fifo, 0600), 0);
    CHECK_INT(read_all(fifo, 100, ""), JZ_EINVAL);
    CHECK_INT(jz__file_lines_open(&lines, fifo, NULL), JZ_EINVAL);
    CHECK(lines == NULL);
    CHECK_INT(jz__file_stat(&state, fifo, NULL), JZ_EINVAL);
    CHECK_INT(read_all(dir.path, 100, ""), JZ_EINVAL);
    CHECK_INT(read_all("/dev/zero", 100, ""), JZ_EINVAL);
    tmpdir_remove(&dir);
}

static void a_missing_file_is_not_found(void)
{
    struct jz__file_lines *lines = NULL;
    struct jz__file_state state;
    struct tmpdir dir;
    const char *path;

    tmpdir_make(&dir);
    path = tmpdir_path(&dir, "missing");
    CHECK_INT(read_all(path, 100, ""), JZ_ENOTFOUND);
    CHECK_INT(jz__file_lines_open(&lines, path, NULL), JZ_ENOTFOUND);
    CHECK_INT(jz__file_stat(&state, path, NULL), JZ_ENOTFOUND);
    tmpdir_remove(&dir);
}

static void the_state_changes_with_the_content(void)
{
    struct jz__file_state before;
    struct jz__file_state after;
    struct tmpdir dir;
    const char *path;

    tmpdir_make(&dir);
    path = tmpdir_write(&dir, "a", "text", 4);
    CHECK_INT(jz__file_stat(&before, path, NULL), 0);
    CHECK_INT(before.size, 4);
    CHECK(before.mtime_ns > INT64_C(1000000000000000000));
    CHECK_INT(jz__file_write(path, "text", 4, NULL), 0);
    CHECK_INT(jz__file_stat(&after, path, NULL), 0);
    CHECK(after.inode != before.inode);
    tmpdir_remove(&dir);
}

static int count_one(void *userdata, const char *path)
{
    (void)path;
    (*(int *)userdata)++;
    return 0;
}

static int files_below(const char *folder)
{
    int count = 0;

    CHECK_INT(jz__file_walk(folder, count_one, &count, NULL, NULL), 0);
    return count;
}

static void writing_replaces_with_mode_0600(void)
{
    struct tmpdir dir;
    const char *path;
    struct stat st;

    tmpdir_make(&dir);
    path = tmpdir_write(&dir, "a", "old", 3);
    CHECK_INT(chmod(path, 0644), 0);
    CHECK_INT(jz__file_write(path, "new text", 8, NULL), 0);
    CHECK_INT(read_all(path, 100, "new text"), 0);
    CHECK_INT(stat(path, &st), 0);
    CHECK_INT(st.st_mode & 07777, 0600);
    CHECK_INT(jz__file_write(tmpdir_path(&dir, "b"), NULL, 0, NULL), 0);
    CHECK_INT(read_all(tmpdir_path(&dir, "b"), 0, ""), 0);
    CHECK_INT(files_below(dir.path), 2); /* and no draft */
    tmpdir_remove(&dir);
}

static void writing_without_waiting_replaces_as_well(void)
{
    struct tmpdir dir;
    const char *path;
    struct stat st;

    tmpdir_make(&dir);
    path = tmpdir_write(&dir, "a", "old", 3);
    CHECK_INT(jz__file_write_soon(path, "new text", 8, NULL), 0);
    CHECK_INT(read_all(path, 100, "new text"), 0);
    CHECK_INT(stat(path, &st), 0);
    CHECK_INT(st.st_mode & 07777, 0600);
    CHECK_INT(files_below(dir.path), 1);
    tmpdir_remove(&dir);
}

static void writing_to_a_link_replaces_what_it_leads_to(void)
{
    struct tmpdir dir;
    const char *link;
    struct stat st;

    tmpdir_make(&dir);
    tmpdir_mkdir(&dir, "real");
    tmpdir_write(&dir, "real/a", "old", 3);
    link = tmpdir_path(&dir, "link");
    CHECK_INT(symlink("real/a", link), 0);
    CHECK_INT(jz__file_write(link, "new", 3, NULL), 0);
    CHECK_INT(lstat(link, &st), 0);
    CHECK(S_ISLNK(st.st_mode));
    CHECK_INT(read_all(tmpdir_path(&dir, "real/a"), 3, "new"), 0);
    tmpdir_remove(&dir);
}

static void a_failed_write_leaves_what_was_there(void)
{
    struct jz__error error = { 0 };
    struct tmpdir dir;
    const char *path;

    tmpdir_make(&dir);
    /* A folder that is not empty cannot be replaced by the rename. */
    path = tmpdir_mkdir(&dir, "taken");
    tmpdir_write(&dir, "taken/a", "old", 3);
    CHECK_INT(jz__file_write(path, "new", 3, &error), JZ_EIO);
    CHECK(strstr(error.message, path) != NULL);
    CHECK_INT(read_all(tmpdir_path(&dir, "taken/a"), 3, "old"), 0);
    CHECK_INT(files_below(dir.path), 1); /* the draft is gone */
    CHECK_INT(jz__file_write(tmpdir_path(&dir, "no/a"), "x", 1, &error),
              JZ_ENOTFOUND);
    CHECK_INT(jz__file_write(tmpdir_path(&dir, "taken/a/b"), "x", 1, &error),
              JZ_EIO);
    CHECK_INT(read_all(tmpdir_path(&dir, "taken/a"), 3, "old"), 0);
    tmpdir_remove(&dir);
}

/* No file may grow over 8 bytes in the child: as on a full disk. */
static void a_full_disk_leaves_what_was_there(void)
{
    struct tmpdir dir;
    const char *path;
    int status = -1;
    pid_t child;

    tmpdir_make(&dir);
    path = tmpdir_write(&dir, "a", "old", 3);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit limit = { 8, 8 };

        (void)signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) < 0) {
            _exit(2);
        }
        _exit(jz__file_write(path, "much longer text", 16, NULL) == JZ_EIO ? 0
                                                                           : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    CHECK_INT(read_all(path, 100, "old"), 0);
    CHECK_INT(files_below(dir.path), 1);
    tmpdir_remove(&dir);
}

static void folders_are_made_with_those_above(void)
{
    struct jz__error error = { 0 };
    struct tmpdir dir;
    struct stat st;

    tmpdir_make(&dir);
    CHECK_INT(jz__file_mkdirs(tmpdir_path(&dir, "a/b/c/"), NULL), 0);
    CHECK_INT(stat(tmpdir_path(&dir, "a/b/c"), &st), 0);
    CHECK(S_ISDIR(st.st_mode));
    CHECK_INT(st.st_mode & 07777, 0700);
    CHECK_INT(jz__file_mkdirs(tmpdir_path(&dir, "a/b"), NULL), 0);
    CHECK_INT(symlink("a", tmpdir_path(&dir, "link")), 0);
    CHECK_INT(jz__file_mkdirs(tmpdir_path(&dir, "link/d"), NULL), 0);
    CHECK_INT(stat(tmpdir_path(&dir, "a/d"), &st), 0);
    tmpdir_write(&dir, "file", "x", 1);
    CHECK_INT(jz__file_mkdirs(tmpdir_path(&dir, "file"), &error), JZ_EIO);
    CHECK_INT(jz__file_mkdirs(tmpdir_path(&dir, "file/x"), &error), JZ_EIO);
    tmpdir_remove(&dir);
}

struct found {
    struct jz__buf paths; /* below the root, one a line */
    size_t root_length;
    int stop_after; /* 0: never */
};

static int collect(void *userdata, const char *path)
{
    struct found *found = userdata;

    jz__buf_puts(&found->paths, path + found->root_length);
    jz__buf_puts(&found->paths, "\n");
    return found->stop_after > 0 && --found->stop_after == 0 ? 42 : 0;
}

static void walk_is(struct tmpdir *dir, const char *want, int64_t want_skipped)
{
    struct found found = { JZ__BUF_INIT, strlen(dir->path), 0 };
    int64_t skipped = -1;

    jz__buf_puts(&found.paths, "");
    CHECK_INT(jz__file_walk(dir->path, collect, &found, &skipped, NULL), 0);
    CHECK_STR(found.paths.data, want);
    CHECK_INT(skipped, want_skipped);
    jz__buf_finish(&found.paths);
}

static void a_walk_goes_in_byte_order_of_the_paths(void)
{
    struct tmpdir dir;

    tmpdir_make(&dir);
    walk_is(&dir, "", 0);
    tmpdir_mkdir(&dir, "a");
    tmpdir_write(&dir, "a/z", "", 0);
    tmpdir_mkdir(&dir, "a/empty");
    tmpdir_write(&dir, "a.txt", "", 0);
    tmpdir_write(&dir, "a-b", "", 0);
    tmpdir_write(&dir, "ab", "", 0);
    tmpdir_write(&dir, "B", "", 0);
    tmpdir_write(&dir, "é", "", 0);
    tmpdir_mkdir(&dir, "a0");
    tmpdir_write(&dir, "a0/.hidden", "", 0);
    walk_is(&dir, "/B\n/a-b\n/a.txt\n/a/z\n/a0/.hidden\n/ab\n/é\n", 0);
    tmpdir_remove(&dir);
}

static void a_walk_follows_links_to_files_only(void)
{
    struct tmpdir dir;

    tmpdir_make(&dir);
    tmpdir_mkdir(&dir, "real");
    tmpdir_write(&dir, "real/file", "", 0);
    CHECK_INT(symlink(".", tmpdir_path(&dir, "real/loop")), 0);
    CHECK_INT(symlink("real", tmpdir_path(&dir, "folder-link")), 0);
    CHECK_INT(symlink("real/file", tmpdir_path(&dir, "file-link")), 0);
    CHECK_INT(symlink("nowhere", tmpdir_path(&dir, "broken-link")), 0);
    CHECK_INT(mkfifo(tmpdir_path(&dir, "fifo"), 0600), 0);
    walk_is(&dir, "/file-link\n/real/file\n", 0);
    tmpdir_remove(&dir);
}

static void a_walk_ends_when_it_is_told_to(void)
{
    struct found found = { JZ__BUF_INIT, 0, 2 };
    struct tmpdir dir;

    tmpdir_make(&dir);
    found.root_length = strlen(dir.path);
    tmpdir_mkdir(&dir, "a");
    tmpdir_write(&dir, "a/1", "", 0);
    tmpdir_write(&dir, "a/2", "", 0);
    tmpdir_write(&dir, "a/3", "", 0);
    CHECK_INT(jz__file_walk(dir.path, collect, &found, NULL, NULL), 42);
    CHECK_STR(found.paths.data, "/a/1\n/a/2\n");
    jz__buf_finish(&found.paths);
    tmpdir_remove(&dir);
}

static void a_walk_has_a_depth_of_32(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf want = JZ__BUF_INIT;
    struct tmpdir dir;
    int depth;

    tmpdir_make(&dir);
    jz__buf_puts(&name, ".");
    for (depth = 1; depth <= 33; depth++) {
        jz__buf_puts(&name, "/d");
        tmpdir_mkdir(&dir, name.data);
        jz__buf_puts(&name, "/file");
        tmpdir_write(&dir, name.data, "", 0);
        if (depth <= 32) {
            jz__buf_printf(&want, "%s\n", name.data + 1);
        }
        jz__buf_truncate(&name, name.length - strlen("/file"));
    }
    /* Deeper comes first: "d/d/file" is before "d/file". */
    {
        struct found found = { JZ__BUF_INIT, strlen(dir.path), 0 };
        int64_t skipped;

        CHECK_INT(jz__file_walk(dir.path, collect, &found, &skipped, NULL), 0);
        CHECK_INT(skipped, 1);
        CHECK_INT(found.paths.length, want.length);
        jz__buf_finish(&found.paths);
    }
    tmpdir_remove(&dir);
}

/* Who is root may give files away, so that the owner can be looked at too. */
static void a_replaced_file_keeps_its_rights(void)
{
    static const mode_t modes[] = { 0640, 0444, 0600 };
    struct tmpdir dir;
    struct stat st;
    const char *path;

    tmpdir_make(&dir);
    path = tmpdir_write(&dir, "a", "old", 3);
    for (size_t i = 0; i < JZ__LENGTH(modes); i++) {
        CHECK_INT(chmod(path, modes[i]), 0);
        CHECK(geteuid() != 0 || chown(path, 1234, 5678) == 0);
        CHECK_INT(jz__file_replace(path, "new", 3, NULL), 0);
        CHECK_INT(stat(path, &st), 0);
        CHECK_INT(st.st_mode & 07777, modes[i]);
        CHECK(geteuid() != 0 || (st.st_uid == 1234 && st.st_gid == 5678));
    }
    CHECK_INT(read_all(path, 10, "new"), 0);
    CHECK_INT(jz__file_replace(tmpdir_path(&dir, "missing"), "new", 3, NULL),
              JZ_ENOTFOUND);
    CHECK(access(tmpdir_path(&dir, "missing"), F_OK) != 0);
    tmpdir_remove(&dir);
}

static void a_walk_of_a_file_is_that_file(void)
{
    struct found found = { JZ__BUF_INIT, 0, 0 };
    struct tmpdir dir;
    const char *path;

    tmpdir_make(&dir);
    path = tmpdir_write(&dir, "a", "", 0);
    found.root_length = strlen(dir.path);
    CHECK_INT(jz__file_walk(path, collect, &found, NULL, NULL), 0);
    CHECK_STR(found.paths.data, "/a\n");
    jz__buf_finish(&found.paths);
    CHECK_INT(
        jz__file_walk(tmpdir_path(&dir, "no"), count_one, NULL, NULL, NULL),
        JZ_ENOTFOUND);
    path = tmpdir_path(&dir, "fifo");
    CHECK_INT(mkfifo(path, 0600), 0);
    CHECK_INT(jz__file_walk(path, count_one, NULL, NULL, NULL), JZ_EINVAL);
    tmpdir_remove(&dir);
}

static void folders_without_rights_are_skipped_and_counted(void)
{
    struct tmpdir dir;
    const char *closed;

    if (geteuid() == 0) {
        return; /* whom nothing is closed to */
    }
    tmpdir_make(&dir);
    tmpdir_write(&dir, "a", "", 0);
    closed = tmpdir_mkdir(&dir, "closed");
    tmpdir_write(&dir, "closed/b", "", 0);
    CHECK_INT(chmod(closed, 0), 0);
    walk_is(&dir, "/a\n", 1);
    CHECK_INT(chmod(closed, 0700), 0);
    tmpdir_remove(&dir);
}

static struct jz__file_lines *open_lines(struct tmpdir *dir, const char *text,
                                         size_t length)
{
    struct jz__file_lines *lines = NULL;
    const char *path = tmpdir_write(dir, "lines", text, length);

    CHECK_INT(jz__file_lines_open(&lines, path, NULL), 0);
    return lines;
}

static void next_is(struct jz__file_lines *lines, const char *want, bool ends)
{
    const char *data;
    size_t length;
    bool ends_line;

    CHECK_INT(jz__file_lines_next(lines, &data, &length, &ends_line, NULL), 1);
    CHECK_INT(length, strlen(want));
    CHECK(length == strlen(want) && memcmp(data, want, length) == 0);
    CHECK_INT(ends_line, ends);
}

static void end_is_next(struct jz__file_lines *lines)
{
    const char *data;
    size_t length;
    bool ends_line;

    CHECK_INT(jz__file_lines_next(lines, &data, &length, &ends_line, NULL), 0);
    CHECK_INT(jz__file_lines_next(lines, &data, &length, &ends_line, NULL), 0);
}

static void lines_come_one_by_one(void)
{
    JZ_CLEANUP(jz__file_lines_closep) struct jz__file_lines *lines = NULL;
    struct tmpdir dir;

    tmpdir_make(&dir);
    lines = open_lines(&dir, "one\n\ntwo\r\n", 10);
    next_is(lines, "one", true);
    next_is(lines, "", true);
    next_is(lines, "two\r", true);
    end_is_next(lines);
    tmpdir_remove(&dir);
}

static void a_last_line_without_newline_does_not_end(void)
{
    JZ_CLEANUP(jz__file_lines_closep) struct jz__file_lines *lines = NULL;
    JZ_CLEANUP(jz__file_lines_closep) struct jz__file_lines *none = NULL;
    struct tmpdir dir;

    tmpdir_make(&dir);
    lines = open_lines(&dir, "one\ntw", 6);
    next_is(lines, "one", true);
    next_is(lines, "tw", false);
    end_is_next(lines);
    none = open_lines(&dir, "", 0);
    end_is_next(none);
    tmpdir_remove(&dir);
}

/* Lines of all lengths around the buffer, each after a short one, so that they
 * begin in the middle of the buffer. */
static void a_long_line_comes_in_stretches(void)
{
    static const struct {
        size_t length;
        int stretches;
    } cases[] = {
        { LINES_BUFFER - 4, 1 }, { LINES_BUFFER - 1, 1 },
        { LINES_BUFFER, 2 },     { LINES_BUFFER + 1, 2 },
        { LINES_BUFFER * 2, 3 }, { LINES_BUFFER * 5 / 2, 3 },
    };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__file_lines_closep) struct jz__file_lines *lines = NULL;
    struct tmpdir dir;
    size_t i;

    tmpdir_make(&dir);
    for (i = 0; i < JZ__LENGTH(cases); i++) {
        jz__buf_puts(&text, "xy\n");
        memset(jz__buf_reserve(&text, cases[i].length), 'a' + (int)i,
               cases[i].length);
        text.length += cases[i].length;
        jz__buf_puts(&text, "\n");
    }
    lines = open_lines(&dir, text.data, text.length);
    for (i = 0; i < JZ__LENGTH(cases); i++) {
        bool ends_line = false;
        size_t total = 0;
        int stretches = 0;

        next_is(lines, "xy", true);
        while (!ends_line) {
            const char *data;
            size_t length;

            if (!CHECK_INT(jz__file_lines_next(lines, &data, &length,
                                               &ends_line, NULL),
                           1)) {
                break;
            }
            CHECK(length == 0 || (data[0] == 'a' + (int)i &&
                                  data[length - 1] == 'a' + (int)i));
            total += length;
            stretches++;
        }
        CHECK_INT(total, cases[i].length);
        CHECK_INT(stretches, cases[i].stretches);
    }
    end_is_next(lines);
    tmpdir_remove(&dir);
}

int main(void)
{
    TAP_RUN(a_file_is_read_whole);
    TAP_RUN(a_large_file_is_read_in_steps);
    TAP_RUN(a_file_without_a_size_keeps_to_the_limit);
    TAP_RUN(what_is_no_regular_file_is_refused_at_once);
    TAP_RUN(a_missing_file_is_not_found);
    TAP_RUN(the_state_changes_with_the_content);
    TAP_RUN(writing_replaces_with_mode_0600);
    TAP_RUN(writing_without_waiting_replaces_as_well);
    TAP_RUN(writing_to_a_link_replaces_what_it_leads_to);
    TAP_RUN(a_failed_write_leaves_what_was_there);
    TAP_RUN(a_full_disk_leaves_what_was_there);
    TAP_RUN(folders_are_made_with_those_above);
    TAP_RUN(a_walk_goes_in_byte_order_of_the_paths);
    TAP_RUN(a_walk_follows_links_to_files_only);
    TAP_RUN(a_walk_ends_when_it_is_told_to);
    TAP_RUN(a_walk_has_a_depth_of_32);
    TAP_RUN(a_replaced_file_keeps_its_rights);
    TAP_RUN(a_walk_of_a_file_is_that_file);
    TAP_RUN(folders_without_rights_are_skipped_and_counted);
    TAP_RUN(lines_come_one_by_one);
    TAP_RUN(a_last_line_without_newline_does_not_end);
    TAP_RUN(a_long_line_comes_in_stretches);
    return tap_done();
}
