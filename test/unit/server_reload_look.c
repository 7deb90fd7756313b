/* SPDX-License-Identifier: Apache-2.0 */
/* Every way in which a file changes, with a clock that stands still until it
 * is moved: nothing here waits. */
#include "reload_look.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "net/digest.h"
#include "tap.h"
#include "tmpdir.h"

#define SECOND INT64_C(1000000000)
#define MOMENT INT64_C(100000000)

/* A file and who looks at it. */
struct watched {
    struct tmpdir dir;
    struct config running;
    struct reload_look look;
    char path[300];
    int64_t now;
};

/* --- files --- */

/* A file of one client, whose key is this text. */
static void put_config(struct jz__buf *out, const char *key, const char *more)
{
    struct jz__digest digest;
    char text[JZ__DIGEST_TEXT_SIZE];

    CHECK_INT(jz__digest_sha256(&digest, key, strlen(key)), 0);
    jz__digest_format(text, &digest);
    jz__buf_printf(out,
                   "%s\n[[clients]]\nname = \"laptop\"\ntoken_sha256 = "
                   "\"%s\"\n",
                   more, text);
}

/* In place: the same inode. */
static void write_text(struct watched *watched, const char *text)
{
    FILE *file = fopen(watched->path, "wb");

    if (!CHECK(file != NULL)) {
        return;
    }
    CHECK_INT(fwrite(text, 1, strlen(text), file), strlen(text));
    CHECK_INT(fclose(file), 0);
}

static void write_key(struct watched *watched, const char *key,
                      const char *more)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    put_config(&text, key, more);
    write_text(watched, text.data);
}

/* So long after the file was written. */
static void set_age(struct watched *watched, int64_t age_ns)
{
    struct jz__file_state state = { 0 };

    (void)jz__file_stat(&state, watched->path, NULL);
    watched->now = state.mtime_ns + age_ns;
}

/* --- looks --- */

static enum reload_found look(struct watched *watched)
{
    auth_table_free(jz__mem_steal(&watched->look.clients));
    return reload_look(&watched->look, false, watched->now);
}

/* The key of the list that was handed over last; the first one is key-one. */
static bool works(struct watched *watched, const char *key)
{
    char header[64];

    (void)snprintf(header, sizeof(header), "Bearer %s", key);
    return auth_find(watched->look.clients, jz__str_of(header)) != NULL;
}

static void make_folder(struct watched *watched)
{
    *watched = (struct watched){ 0 };
    tmpdir_make(&watched->dir);
    (void)snprintf(watched->path, sizeof(watched->path), "%s/jezero.toml",
                   watched->dir.path);
}

static void start(struct watched *watched, const char *more)
{
    struct jz__error error = { 0 };

    make_folder(watched);
    write_key(watched, "key-one", more);
    CHECK_INT(config_load(&watched->running, watched->path, "/home/me", &error),
              0);
    watched->look =
        (struct reload_look){ .path = watched->path, .home = "/home/me" };
    reload_look_init(&watched->look, &watched->running);
    set_age(watched, 10 * SECOND);
    CHECK_INT(look(watched), RELOAD_NOTHING);
}

static void end(struct watched *watched)
{
    reload_look_finish(&watched->look);
    config_finish(&watched->running);
    tmpdir_remove(&watched->dir);
}

/* --- tests --- */

static void the_file_that_runs_is_no_change(void)
{
    struct watched watched;

    start(&watched, "");
    CHECK_INT(look(&watched), RELOAD_NOTHING);
    /* Nor are comments, blanks and another order of keys. */
    write_text(&watched, "# hello\n");
    end(&watched);
    start(&watched, "[server]\nport = 1\nhost = \"127.0.0.1\"\n");
    write_key(&watched, "key-one",
              "# hello\n[server]\nhost = '127.0.0.1'\n\nport = 0x1\n");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_NOTHING);
    CHECK(watched.look.clients == NULL);
    end(&watched);
}

static void a_change_between_load_and_first_look_is_seen(void)
{
    struct watched watched;
    struct jz__error error = { 0 };

    make_folder(&watched);
    write_key(&watched, "key-one", "");
    CHECK_INT(config_load(&watched.running, watched.path, "/home/me", &error),
              0);
    write_key(&watched, "key-two", "");
    watched.look =
        (struct reload_look){ .path = watched.path, .home = "/home/me" };
    reload_look_init(&watched.look, &watched.running);
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-two"));
    end(&watched);
}

static void a_rename_and_a_write_in_place_are_seen(void)
{
    struct watched watched;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__error error = { 0 };

    start(&watched, "");
    put_config(&text, "key-two", "");
    CHECK_INT(jz__file_write(watched.path, text.data, text.length, &error), 0);
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-two") && !works(&watched, "key-one"));
    write_key(&watched, "key-six", "");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-six") && !works(&watched, "key-two"));
    set_age(&watched, 10 * SECOND);
    CHECK_INT(look(&watched), RELOAD_NOTHING);
    CHECK_INT(look(&watched), RELOAD_NOTHING);
    end(&watched);
}

/* As a link to a folder that is swapped: same name, size and time. */
static void a_link_that_is_swapped_is_seen(void)
{
    struct watched watched;
    struct stat st;
    const char *other;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct timespec times[2];

    start(&watched, "");
    tmpdir_mkdir(&watched.dir, "v1");
    tmpdir_mkdir(&watched.dir, "v2");
    CHECK_INT(stat(watched.path, &st), 0);
    CHECK_INT(rename(watched.path, tmpdir_path(&watched.dir, "v1/j.toml")), 0);
    CHECK_INT(symlink("v1", tmpdir_path(&watched.dir, "data")), 0);
    CHECK_INT(symlink("data/j.toml", watched.path), 0);
    set_age(&watched, 10 * SECOND);
    CHECK_INT(look(&watched), RELOAD_NOTHING);
    put_config(&text, "key-six", "");
    other = tmpdir_write(&watched.dir, "v2/j.toml", text.data, text.length);
    times[0] = st.st_mtim;
    times[1] = st.st_mtim;
    CHECK_INT(utimensat(AT_FDCWD, other, times, 0), 0);
    CHECK_INT(symlink("v2", tmpdir_path(&watched.dir, "new")), 0);
    CHECK_INT(rename(tmpdir_path(&watched.dir, "new"),
                     tmpdir_path(&watched.dir, "data")),
              0);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-six"));
    end(&watched);
}

/* Two writes within one tick of a coarse clock: size, time and inode stay. */
static void a_second_write_of_the_same_stamp_is_seen(void)
{
    struct watched watched;

    start(&watched, "");
    write_key(&watched, "key-two", "");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    write_key(&watched, "key-six", "");
    /* The look takes the stamp of the file for the one that it knows. */
    {
        struct stat st;

        CHECK_INT(stat(watched.path, &st), 0);
        watched.look.seen.mtime_ns =
            (int64_t)st.st_mtim.tv_sec * SECOND + st.st_mtim.tv_nsec;
        watched.look.seen.ctime_ns =
            (int64_t)st.st_ctim.tv_sec * SECOND + st.st_ctim.tv_nsec;
    }
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-six"));
    end(&watched);
}

static void a_file_that_is_being_written_is_left_alone_for_a_moment(void)
{
    struct watched watched;

    start(&watched, "");
    write_key(&watched, "key-two", "");
    set_age(&watched, MOMENT / 2);
    CHECK_INT(look(&watched), RELOAD_MOVING);
    write_key(&watched, "key-six", "");
    set_age(&watched, MOMENT / 2);
    CHECK_INT(look(&watched), RELOAD_MOVING);
    set_age(&watched, 2 * MOMENT);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-six"));
    /* But not for ever. */
    write_key(&watched, "key-two", "");
    set_age(&watched, 0);
    for (int i = 0; i < 5; i++) {
        CHECK_INT(look(&watched), RELOAD_MOVING);
    }
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-two"));
    end(&watched);
}

static void a_time_in_the_future_is_no_reason_to_wait(void)
{
    struct watched watched;

    start(&watched, "");
    write_key(&watched, "key-two", "");
    set_age(&watched, -3600 * SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    end(&watched);
}

static void check_bad(struct watched *watched, const char *text,
                      const char *reason)
{
    write_text(watched, text);
    set_age(watched, SECOND);
    CHECK_INT(look(watched), RELOAD_BAD);
    if (!CHECK(strstr(watched->look.error.message, reason) != NULL)) {
        fprintf(stderr, "# is %s\n", watched->look.error.message);
    }
    CHECK(watched->look.clients == NULL);
    /* Told once, also while it is young and read again. */
    CHECK_INT(look(watched), RELOAD_NOTHING);
    set_age(watched, 10 * SECOND);
    CHECK_INT(look(watched), RELOAD_NOTHING);
}

static void what_cannot_be_loaded_is_told_once(void)
{
    struct watched watched;

    start(&watched, "[server]\nport = 1\n");
    check_bad(&watched, "", "has no [[clients]]");
    check_bad(&watched, "[server]\nport = 1\n[[clie", "line 3");
    check_bad(&watched, "[[clients]]\nname = \"laptop\"\n", "line 1: client");
    check_bad(&watched, "[server]\nport = 1\n", "has no [[clients]]");
    check_bad(&watched, "clients = []\n", "has no [[clients]]");
    /* Back to what runs: nothing to take over, but it is told. */
    write_key(&watched, "key-one", "[server]\nport = 1\n");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_OTHERS);
    CHECK(watched.look.was_bad);
    CHECK_INT(watched.look.others.length, 0);
    end(&watched);
}

static void a_file_that_is_gone_is_told_once(void)
{
    struct watched watched;

    start(&watched, "");
    CHECK_INT(unlink(watched.path), 0);
    for (int i = 0; i < 5; i++) {
        CHECK_INT(look(&watched), RELOAD_MOVING);
    }
    CHECK_INT(look(&watched), RELOAD_BAD);
    for (int i = 0; i < 10; i++) {
        CHECK_INT(look(&watched), RELOAD_NOTHING);
    }
    write_key(&watched, "key-two", "");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-two"));
    end(&watched);
}

static void an_editor_that_removes_first_is_not_told(void)
{
    struct watched watched;

    start(&watched, "");
    CHECK_INT(unlink(watched.path), 0);
    CHECK_INT(look(&watched), RELOAD_MOVING);
    write_key(&watched, "key-two", "");
    set_age(&watched, 2 * MOMENT);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    end(&watched);
}

static void entries_of_which_none_is_usable_are_loaded(void)
{
    struct watched watched;

    start(&watched, "");
    write_text(&watched, "[[clients]]\nname = \"laptop\"\nrevoked = true\n"
                         "token_env = \"X\"\n");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(watched.look.clients != NULL);
    CHECK_INT(auth_table_count(watched.look.clients), 0);
    end(&watched);
}

static void byte_order_mark_and_crlf_are_read(void)
{
    struct watched watched;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf plain = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    start(&watched, "");
    jz__buf_puts(&text, "\xEF\xBB\xBF");
    put_config(&text, "key-two", "");
    write_text(&watched, text.data);
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-two"));
    put_config(&plain, "key-ten", "");
    jz__buf_clear(&text);
    for (const char *at = plain.data; *at != '\0'; at++) {
        jz__buf_puts(&text, *at == '\n' ? "\r" : "");
        jz__buf_putc(&text, *at);
    }
    write_text(&watched, text.data);
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-ten"));
    end(&watched);
}

static void other_tables_are_named_once(void)
{
    struct watched watched;

    start(&watched, "[server]\nport = 1\n");
    write_key(&watched, "key-one",
              "[server]\nport = 2\n[ingest]\ninterval_seconds = 5\n"
              "[[connectors]]\ntype = \"codex\"\nname = \"a\"\npath = \"/x\"");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_OTHERS);
    CHECK_STR(watched.look.others.data, "[server], [ingest], [[connectors]]");
    CHECK(watched.look.clients == NULL && !watched.look.was_bad);
    /* The clients too: what was told is not told again. */
    write_key(&watched, "key-two",
              "[server]\nport = 2\n[ingest]\ninterval_seconds = 6\n"
              "[[connectors]]\ntype = \"codex\"\nname = \"a\"\npath = \"/x\"");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK_STR(watched.look.others.data, "[ingest]");
    /* Back to what runs. */
    write_key(&watched, "key-two", "[server]\nport = 1\n");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_NOTHING);
    end(&watched);
}

static void without_a_list_there_is_none_to_keep(void)
{
    struct watched watched;
    struct jz__error error = { 0 };

    make_folder(&watched);
    write_text(&watched, "[server]\nrequire_auth = false\n");
    CHECK_INT(config_load(&watched.running, watched.path, "/home/me", &error),
              0);
    watched.look =
        (struct reload_look){ .path = watched.path, .home = "/home/me" };
    reload_look_init(&watched.look, &watched.running);
    write_text(&watched, "[server]\nrequire_auth = false\nport = 1\n");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_OTHERS);
    CHECK_STR(watched.look.others.data, "[server]");
    write_key(&watched, "key-two", "");
    set_age(&watched, SECOND);
    CHECK_INT(look(&watched), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-two"));
    check_bad(&watched, "", "has no [[clients]]");
    end(&watched);
}

static void whoever_asks_gets_an_answer(void)
{
    struct watched watched;

    start(&watched, "");
    CHECK_INT(reload_look(&watched.look, true, watched.now), RELOAD_CLIENTS);
    CHECK(works(&watched, "key-one"));
    auth_table_free(jz__mem_steal(&watched.look.clients));
    write_text(&watched, "");
    set_age(&watched, 0);
    CHECK_INT(reload_look(&watched.look, true, watched.now), RELOAD_BAD);
    CHECK_INT(reload_look(&watched.look, true, watched.now), RELOAD_BAD);
    end(&watched);
}

int main(void)
{
    TAP_RUN(the_file_that_runs_is_no_change);
    TAP_RUN(a_change_between_load_and_first_look_is_seen);
    TAP_RUN(a_rename_and_a_write_in_place_are_seen);
    TAP_RUN(a_link_that_is_swapped_is_seen);
    TAP_RUN(a_second_write_of_the_same_stamp_is_seen);
    TAP_RUN(a_file_that_is_being_written_is_left_alone_for_a_moment);
    TAP_RUN(a_time_in_the_future_is_no_reason_to_wait);
    TAP_RUN(what_cannot_be_loaded_is_told_once);
    TAP_RUN(a_file_that_is_gone_is_told_once);
    TAP_RUN(an_editor_that_removes_first_is_not_told);
    TAP_RUN(entries_of_which_none_is_usable_are_loaded);
    TAP_RUN(byte_order_mark_and_crlf_are_read);
    TAP_RUN(other_tables_are_named_once);
    TAP_RUN(without_a_list_there_is_none_to_keep);
    TAP_RUN(whoever_asks_gets_an_answer);
    return tap_done();
}
