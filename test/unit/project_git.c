/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repositories in every layout that git makes, written by hand, so that the
 * test needs no git; where one is installed, its own work is looked at too.
 */
#include "project/git.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

static char root[PATH_MAX]; /* of everything that is made here, resolved */

/* root/<path>, in one of a few buffers that take turns. */
static const char *at(const char *path)
{
    static char buffers[4][2 * PATH_MAX];
    static unsigned turn;
    char *buffer = buffers[turn++ % 4];

    (void)snprintf(buffer, sizeof(buffers[0]), "%s/%s", root, path);
    return buffer;
}

static void folder(const char *path)
{
    char text[2 * PATH_MAX];
    size_t i;

    (void)snprintf(text, sizeof(text), "%s/%s", root, path);
    for (i = strlen(root) + 1; text[i - 1] != '\0'; i++) {
        if (text[i] == '/' || text[i] == '\0') {
            char end = text[i];

            text[i] = '\0';
            CHECK(mkdir(text, 0700) == 0 || errno == EEXIST);
            text[i] = end;
        }
    }
}

static void file(const char *path, const char *text)
{
    FILE *f = fopen(at(path), "w");

    if (CHECK(f != NULL)) {
        CHECK(fputs(text, f) >= 0);
        CHECK_INT(fclose(f), 0);
    }
}

static void repository(const char *path, const char *config)
{
    char name[PATH_MAX];

    (void)snprintf(name, sizeof(name), "%s/.git", path);
    folder(name);
    (void)snprintf(name, sizeof(name), "%s/.git/HEAD", path);
    file(name, "ref: refs/heads/main\n");
    (void)snprintf(name, sizeof(name), "%s/.git/config", path);
    file(name, config);
}

/* The name of the repository that a folder is in, "" without one. */
static const char *name_of(const char *path)
{
    static char name[512];
    JZ_CLEANUP(jz__git_finish) struct jz__git git = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    name[0] = '\0';
    CHECK_INT(jz__git_find(&git, at(path)), 0);
    if (git.common != NULL) {
        CHECK_INT(jz__git_name(&out, &git), 0);
        (void)snprintf(name, sizeof(name), "%s",
                       out.length > 0 ? out.data : "(empty)");
    }
    return name;
}

static void url_is(const char *url, const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;

    jz__git_url_name(&out, url);
    CHECK_STR(out.length > 0 ? out.data : "", want);
    jz__buf_finish(&out);
}

static void urls_give_their_last_part(void)
{
    url_is("https://example.test/dana/atlas.git", "atlas");
    url_is("https://example.test/dana/atlas", "atlas");
    url_is("https://example.test/dana/atlas.git/", "atlas");
    url_is("https://dana:x@example.test:8443/a/b/atlas.git", "atlas");
    url_is("git@example.test:dana/atlas.git", "atlas");
    url_is("git@example.test:atlas.git", "atlas");
    url_is("example.test:atlas", "atlas");
    url_is("ssh://git@example.test:22/dana/atlas.git", "atlas");
    url_is("git+ssh://git@example.test/~dana/atlas.git", "atlas");
    url_is("git://example.test/atlas.git", "atlas");
    url_is("file:///srv/git/atlas.git", "atlas");
    url_is("/srv/git/atlas.git", "atlas");
    url_is("/home/dana/work/atlas/.git", "atlas");
    url_is("/home/dana/work/atlas/.git/", "atlas");
    url_is("../atlas", "atlas");
    url_is("../atlas.git///", "atlas");
    url_is("C:\\work\\atlas.git", "atlas");
    url_is("  https://example.test/atlas.git \n", "atlas");
    url_is("https://example.test/a/my.project.git", "my.project");
    url_is("https://example.test/a/Mi Proyecto.git", "Mi Proyecto");
}

static void urls_without_a_last_part_give_nothing(void)
{
    url_is("", "");
    url_is("/", "");
    url_is("https://example.test", "");
    url_is("https://example.test/", "");
    url_is("..", "");
    url_is(".", "");
    url_is("example.test:", "");
    url_is("/.git", "");
}

static void config_is(const char *text, const char *origin)
{
    struct jz__git_config config;

    CHECK_INT(jz__git_config_read(&config, text, strlen(text)), 0);
    CHECK_STR(config.origin, origin);
    jz__git_config_finish(&config);
}

static void origin_is_read_as_git_reads_it(void)
{
    config_is("[core]\n\tbare = false\n[remote \"origin\"]\n"
              "\turl = git@h:a/b.git\n\tfetch = +refs/heads/*:x\n",
              "git@h:a/b.git");
    config_is("[remote \"origin\"]\nurl=x", "x");
    config_is("[REMOTE \"origin\"]\n\tURL = x\n", "x");
    config_is("[remote\t  \"origin\"] url = x\n", "x");
    config_is("[remote.origin]\n url = x\n", "x");
    config_is("\xef\xbb\xbf[remote \"origin\"]\r\n\turl = x\r\n", "x");
    config_is("[remote \"origin\"]\n\turl = \"a b ; c # d\"\n", "a b ; c # d");
    config_is("[remote \"origin\"]\n\turl = a\"b c\"d  ; comment\n", "ab cd");
    config_is("[remote \"origin\"]\n\turl = a#comment\n", "a");
    config_is("[remote \"origin\"]\n\turl = ab\\\n  cd\n", "ab  cd");
    config_is("[remote \"origin\"]\n\turl = ab\\\r\ncd\n", "abcd");
    config_is("[remote \"origin\"]\n\turl = \"a\\\"b\\\\c\\t\"\n", "a\"b\\c\t");
    config_is("[remote \"origin\"]\n\turl =\n\turl = second\n", "second");
    config_is("[remote \"origin\"]\n\turl = first\n\turl = second\n", "first");
    config_is(
        "[remote \"origin\"]\n\turl = x\n[remote \"origin\"]\n\turl = y\n",
        "x");
    config_is("[remote \"o\\rigin\"]\n\turl = x\n", "x");
}

static void other_remotes_and_keys_are_no_origin(void)
{
    config_is("[remote \"Origin\"]\n\turl = x\n", NULL);
    config_is("[remote \"upstream\"]\n\turl = x\n", NULL);
    config_is("[remote]\n\turl = x\n", NULL);
    config_is("[remote \"origin\"]\n\tpushurl = x\n", NULL);
    config_is("[remote \"origin\"]\n\t# url = x\n\t; url = y\n", NULL);
    config_is("[remote \"origin\"]\n[branch \"main\"]\n\turl = x\n", NULL);
    config_is("[remote \"origin\\\"] [x\"]\n\turl = x\n", NULL);
    config_is("[remote \"origin\n\turl = x\n", NULL);
    config_is("[remote \"origin\"\n\turl = x\n", NULL);
    config_is("url = x\n", NULL);
    config_is("", NULL);
}

static void long_lines_and_names_survive(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__buf want = JZ__BUF_INIT;
    struct jz__git_config config;
    int i;

    jz__buf_puts(&want, "https://example.test/");
    for (i = 0; i < 200; i++) {
        jz__buf_puts(&want, "part-of-a-path;x/");
    }
    jz__buf_puts(&want, "atlas.git");
    jz__buf_puts(&text,
                 "[remote \"a-name-of-more-than-fifty-bytes-which-inih-"
                 "would-cut-somewhere\"]\n\turl = no\n"
                 "[remote \"origin\"]\n\ta-name-of-more-than-fifty-bytes-"
                 "which-inih-would-cut-somewhere = 1\n\turl = \"");
    jz__buf_puts(&text, want.data);
    jz__buf_puts(&text, "\"\n");
    CHECK_INT(jz__git_config_read(&config, text.data, text.length), 0);
    CHECK_STR(config.origin, want.data);
    jz__git_config_finish(&config);
    jz__buf_finish(&text);
    jz__buf_finish(&want);
}

static void core_settings_are_read(void)
{
    static const char text[] = "[core]\n\tbare\n\tworktree = ../../../sub\n";
    struct jz__git_config config;

    CHECK_INT(jz__git_config_read(&config, text, strlen(text)), 0);
    CHECK(config.is_bare);
    CHECK_STR(config.worktree, "../../../sub");
    jz__git_config_finish(&config);
}

static void origin_names_a_repository_and_all_below_it(void)
{
    repository("a/local-name",
               "[remote \"origin\"]\n\turl = git@h:x/atlas.git\n");
    folder("a/local-name/src/deep");
    CHECK_STR(name_of("a/local-name"), "atlas");
    CHECK_STR(name_of("a/local-name/src/deep"), "atlas");
    CHECK_STR(name_of("a/local-name/gone/for/long"), "atlas");
    CHECK_STR(name_of("a/local-name/.git"), "atlas");
    CHECK_STR(name_of("a"), "");
}

static void folder_names_a_repository_without_origin(void)
{
    repository("b/notes", "[core]\n\tbare = false\n");
    folder("b/notes/x");
    CHECK_STR(name_of("b/notes/x"), "notes");
    repository("b/only-head", "");
    CHECK_STR(name_of("b/only-head"), "only-head");
    repository("b/odd", "[remote \"origin\"]\n\turl = https://example.test/\n");
    CHECK_STR(name_of("b/odd"), "odd");
}

static void linked_worktrees_are_of_their_repository(void)
{
    repository("c/atlas", "");
    folder("c/atlas/.git/worktrees/wt-feature");
    file("c/atlas/.git/worktrees/wt-feature/HEAD", "ref: refs/heads/f\n");
    file("c/atlas/.git/worktrees/wt-feature/commondir", "../..\n");
    folder("c/wt-feature/src");
    file("c/wt-feature/.git", at("c/atlas/.git/worktrees/wt-feature"));
    CHECK_STR(name_of("c/wt-feature/src"), "");
    file("c/wt-feature/.git", "gitdir: ../atlas/.git/worktrees/wt-feature\n");
    CHECK_STR(name_of("c/wt-feature/src"), "atlas");
}

static void worktree_whose_data_are_gone_keeps_its_name(void)
{
    folder("c/old");
    file("c/old/.git", "gitdir: /nowhere/atlas/.git/worktrees/old\n");
    CHECK_STR(name_of("c/old"), "atlas");
    file("c/old/.git", "gitdir: /nowhere/atlas.git/worktrees/old\n");
    CHECK_STR(name_of("c/old"), "atlas");
}

static void submodules_are_projects_of_their_own(void)
{
    repository("d/atlas", "[remote \"origin\"]\n\turl = git@h:x/atlas.git\n");
    folder("d/atlas/.git/modules/libs/fonts");
    file("d/atlas/.git/modules/libs/fonts/HEAD", "x");
    file("d/atlas/.git/modules/libs/fonts/config",
         "[core]\n\tworktree = ../../../../libs/fonts\n"
         "[remote \"origin\"]\n\turl = ../type.git\n");
    folder("d/atlas/libs/fonts");
    file("d/atlas/libs/fonts/.git", "gitdir: ../../.git/modules/libs/fonts\n");
    CHECK_STR(name_of("d/atlas/libs/fonts"), "type");
    CHECK_STR(name_of("d/atlas/libs"), "atlas");
    file("d/atlas/.git/modules/libs/fonts/config",
         "[core]\n\tworktree = ../../../../libs/fonts\n");
    CHECK_STR(name_of("d/atlas/libs/fonts"), "fonts");
}

static void bare_repositories_and_their_worktrees(void)
{
    folder("e/atlas.git/worktrees/main");
    folder("e/atlas.git/objects");
    folder("e/atlas.git/refs");
    file("e/atlas.git/HEAD", "x");
    file("e/atlas.git/config", "[core]\n\tbare = true\n");
    file("e/atlas.git/worktrees/main/commondir", "../..\n");
    folder("e/main");
    file("e/main/.git", "gitdir: ../atlas.git/worktrees/main\n");
    CHECK_STR(name_of("e/main"), "atlas");
    CHECK_STR(name_of("e/atlas.git"), "atlas");
    CHECK_STR(name_of("e/atlas.git/refs"), "atlas");
    /* The layout with the bare repository hidden beside its worktrees. */
    folder("e/shop/.bare");
    file("e/shop/.bare/HEAD", "x");
    file("e/shop/.bare/config", "[core]\n\tbare = true\n");
    file("e/shop/.git", "gitdir: ./.bare\n");
    CHECK_STR(name_of("e/shop"), "shop");
}

static void repository_kept_elsewhere_has_the_name_of_its_folder(void)
{
    folder("f/store/x1");
    file("f/store/x1/HEAD", "x");
    file("f/store/x1/config", "");
    folder("f/atlas");
    file("f/atlas/.git", "gitdir: ../store/x1\n");
    CHECK_STR(name_of("f/atlas"), "atlas");
    /* Where its own work is, a linked worktree cannot tell. */
    folder("f/store/x1/worktrees/wt");
    file("f/store/x1/worktrees/wt/commondir", "../..\n");
    folder("f/wt");
    file("f/wt/.git", "gitdir: ../store/x1/worktrees/wt\n");
    CHECK_STR(name_of("f/wt"), "x1");
}

static void links_to_a_git_folder_are_followed(void)
{
    repository("g/real", "[remote \"origin\"]\n\turl = x/atlas\n");
    folder("g/linked");
    CHECK_INT(symlink("../real/.git", at("g/linked/.git")), 0);
    CHECK_STR(name_of("g/linked"), "atlas");
}

/* None of these may hang, be read whole, or end the search upwards. */
static void odd_things_named_git_are_none(void)
{
    struct stat st;
    int fd;

    repository("h", "[remote \"origin\"]\n\turl = x/outer\n");
    folder("h/empty/.git");
    CHECK_STR(name_of("h/empty"), "outer");
    folder("h/fifo");
    CHECK_INT(mkfifo(at("h/fifo/.git"), 0600), 0);
    CHECK_STR(name_of("h/fifo"), "outer");
    folder("h/huge");
    fd = open(at("h/huge/.git"), O_WRONLY | O_CREAT, 0600);
    CHECK_INT(ftruncate(fd, (off_t)1 << 40), 0);
    CHECK_INT(close(fd), 0);
    CHECK_STR(name_of("h/huge"), "outer");
    folder("h/loop");
    CHECK_INT(symlink(".git", at("h/loop/.git")), 0);
    CHECK_STR(name_of("h/loop"), "outer");
    folder("h/text");
    file("h/text/.git", "not a pointer\n");
    CHECK_STR(name_of("h/text"), "outer");
    file("h/text/.git", "gitdir:\n");
    CHECK_STR(name_of("h/text"), "outer");
    CHECK_INT(stat(at("h/huge/.git"), &st), 0);
}

static void odd_configurations_leave_the_folder_name(void)
{
    int fd;

    repository("i/one", "");
    CHECK_INT(unlink(at("i/one/.git/config")), 0);
    CHECK_INT(mkfifo(at("i/one/.git/config"), 0600), 0);
    CHECK_STR(name_of("i/one"), "one");
    repository("i/two", "[remote \"origin\"]\n\turl = x/atlas\n");
    fd = open(at("i/two/.git/config"), O_WRONLY);
    CHECK_INT(ftruncate(fd, (off_t)JZ__GIT_FILE_MOST + 1), 0);
    CHECK_INT(close(fd), 0);
    CHECK_STR(name_of("i/two"), "two");
    repository("i/three", "");
    file("i/three/.git/commondir", "/nowhere/at/all/.git\n");
    CHECK_STR(name_of("i/three"), "all");
}

/* --- with the real git --- */

static bool run(const char *command)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    int status;

    jz__buf_printf(&line,
                   "cd '%s' && HOME='%s' GIT_CONFIG_NOSYSTEM=1 "
                   "GIT_CONFIG_GLOBAL=/dev/null %s >/dev/null 2>&1",
                   root, root, command);
    status = system(line.data);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void what_git_makes_is_read(void)
{
    CHECK(run("git init -q real/atlas && cd real/atlas && "
              "git -c user.name=Dana -c user.email=dana@example.test commit -q "
              "--allow-empty -m one"));
    CHECK_STR(name_of("real/atlas"), "atlas");
    CHECK(run("cd real/atlas && git worktree add ../wt-feature -b feature"));
    CHECK_STR(name_of("real/wt-feature"), "atlas");
    CHECK(run("git clone -q --bare real/atlas real/mirror.git"));
    CHECK(run("cd real/mirror.git && git worktree add ../of-bare"));
    CHECK_STR(name_of("real/of-bare"), "atlas"); /* its origin */
    CHECK(run("cd real/mirror.git && git remote remove origin"));
    CHECK_STR(name_of("real/of-bare"), "mirror");
    CHECK(run("git init -q real/outer && cd real/outer && "
              "git -c protocol.file.allow=always submodule add -q ../atlas "
              "libs/map"));
    CHECK_STR(name_of("real/outer/libs/map"), "atlas");
    CHECK(run("cd real/outer/libs/map && git remote remove origin"));
    CHECK_STR(name_of("real/outer/libs/map"), "map");
    CHECK_STR(name_of("real/outer/libs"), "outer");
    CHECK(run("git init -q --separate-git-dir=real/kept real/apart"));
    CHECK_STR(name_of("real/apart"), "apart");
}

static void origins_that_git_writes_are_read(void)
{
    CHECK(run("cd real/atlas && git remote add origin "
              "'ssh://git@example.test:22/dana/a ; b #c/tiles.git/'"));
    CHECK_STR(name_of("real/atlas"), "tiles");
    CHECK_STR(name_of("real/wt-feature"), "tiles");
}

static void clean_up(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    jz__buf_printf(&line, "rm -rf '%s'", root);
    if (system(line.data) != 0) {
        printf("# %s was left behind\n", root);
    }
}

int main(void)
{
    char template[] = "/tmp/jezero-project-git-XXXXXX";

    if (mkdtemp(template) == NULL || realpath(template, root) == NULL) {
        return EXIT_FAILURE;
    }
    TAP_RUN(urls_give_their_last_part);
    TAP_RUN(urls_without_a_last_part_give_nothing);
    TAP_RUN(origin_is_read_as_git_reads_it);
    TAP_RUN(other_remotes_and_keys_are_no_origin);
    TAP_RUN(long_lines_and_names_survive);
    TAP_RUN(core_settings_are_read);
    TAP_RUN(origin_names_a_repository_and_all_below_it);
    TAP_RUN(folder_names_a_repository_without_origin);
    TAP_RUN(linked_worktrees_are_of_their_repository);
    TAP_RUN(worktree_whose_data_are_gone_keeps_its_name);
    TAP_RUN(submodules_are_projects_of_their_own);
    TAP_RUN(bare_repositories_and_their_worktrees);
    TAP_RUN(repository_kept_elsewhere_has_the_name_of_its_folder);
    TAP_RUN(links_to_a_git_folder_are_followed);
    TAP_RUN(odd_things_named_git_are_none);
    TAP_RUN(odd_configurations_leave_the_folder_name);
    if (run("git --version")) {
        TAP_RUN(what_git_makes_is_read);
        TAP_RUN(origins_that_git_writes_are_read);
    } else {
        tap_skip("what_git_makes_is_read", "git is not installed");
        tap_skip("origins_that_git_writes_are_read", "git is not installed");
    }
    clean_up();
    return tap_done();
}
