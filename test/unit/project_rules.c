/* SPDX-License-Identifier: Apache-2.0 */
/* The rules as text, table by table, and on folders that exist. */
#include "project/rules.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

static char root[PATH_MAX];

static void parse(struct jz__rules *rules, const char *json, const char *home)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    struct jz__error error = { 0, "" };

    CHECK_INT(jz__json_parse(&tree, json, strlen(json), &error), 0);
    if (!CHECK_INT(jz__rules_parse(rules, tree, home, &error), 0)) {
        printf("# %s\n", error.message);
    }
}

/* "rule:name" of a folder. */
static const char *outcome(const struct jz__rules *rules, const char *folder,
                           bool may_look)
{
    static char text[600];
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    const char *rule = NULL;

    CHECK_INT(jz__rules_resolve(&name, &rule, rules, folder, may_look, NULL),
              0);
    (void)snprintf(text, sizeof(text), "%s:%s", rule,
                   name.length > 0 ? name.data : "");
    return text;
}

static void text_is(const char *json, const char *folder, const char *want)
{
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };

    parse(&rules, json, "/home/dana");
    CHECK_STR(outcome(&rules, folder, false), want);
}

static void refused(const char *json, const char *part)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };
    struct jz__error error = { 0, "" };

    CHECK_INT(jz__json_parse(&tree, json, strlen(json), NULL), 0);
    CHECK_INT(jz__rules_parse(&rules, tree, "/home/dana", &error), JZ_EINVAL);
    if (!CHECK(strstr(error.message, part) != NULL)) {
        printf("# %s\n", error.message);
    }
}

static void the_longest_path_wins(void)
{
    static const char json[] =
        "{\"paths\": {\"~/clients\": \"clients\", \"~/clients/shop-web\": "
        "\"shop\", \"/srv/x/../data/\": \"data\", \"/\": \"all\"}}";

    text_is(json, "/home/dana/clients/shop-web", "paths:shop");
    text_is(json, "/home/dana/clients/shop-web/src/a", "paths:shop");
    text_is(json, "/home/dana/clients/shop-web2", "paths:clients");
    text_is(json, "/home/dana/clients/./shop-web//x/", "paths:shop");
    text_is(json, "/srv/data/t", "paths:data");
    text_is(json, "/opt", "paths:all");
}

static void the_part_behind_a_root_is_the_project(void)
{
    static const char json[] = "{\"roots\": [\"work\", \"src\"]}";

    text_is(json, "/home/dana/work/billing/api", "roots:billing");
    text_is(json, "/home/dana/work/billing", "roots:billing");
    text_is(json, "/home/dana/work", "none:");
    text_is(json, "/home/dana/workshop/billing", "none:");
    text_is(json, "/export/dana/src/work/x", "roots:work");
    text_is(json, "/home/dana/notes", "none:");
    /* The folder of another computer's user, and of one called as a root. */
    text_is(json, "/home/work/billing", "roots:billing");
    text_is("{\"roots\": [\"home\"]}", "/home/dana/x", "none:");
    text_is("{\"roots\": [\"home\"]}", "/home/rita/x", "roots:rita");
    text_is("{\"roots\": [\"work\"], \"home\": \"/home/work\"}",
            "/home/work/notes/work/billing", "roots:billing");
}

static void paths_go_before_roots(void)
{
    text_is(
        "{\"paths\": {\"~/./work/billing\": \"money\"}, \"roots\": [\"work\"]}",
        "/home/dana/work/billing/api", "paths:money");
}

static void aliases_rename_once_whatever_made_the_name(void)
{
    static const char json[] =
        "{\"paths\": {\"/p\": \"a\"}, \"roots\": [\"work\"], \"aliases\": "
        "{\"a\": \"b\", \"b\": \"c\", \"BILLING\": \"money\", "
        "\"Caf\xc3\xa9\": \"bar\"}}";

    text_is(json, "/p/x", "paths:b");
    text_is(json, "/x/work/b", "roots:c");
    text_is(json, "/x/work/billing", "roots:money");
    text_is(json, "/x/work/cafe", "roots:cafe");
    text_is(json, "/x/work/CAF\xc3\x89", "roots:bar");
    text_is(json, "/x/work/cafe\xcc\x81", "roots:bar");
}

static void home_root_and_temp_are_never_projects(void)
{
    static const char json[] =
        "{\"paths\": {\"/\": \"all\"}, \"temp\": \"/scratch/\"}";

    text_is(json, "/home/dana", "none:");
    text_is(json, "/home/dana/", "none:");
    text_is(json, "/", "none:");
    text_is(json, "/tmp", "none:");
    text_is(json, "/scratch", "none:");
    text_is(json, "/scratch/x", "paths:all");
    text_is(json, "/tmp/x", "paths:all");
}

static void folders_that_are_no_paths_have_no_project(void)
{
    static const char json[] =
        "{\"roots\": [\"work\"], \"paths\": {\"~\": \"x\"}}";

    text_is(json, "", "none:");
    text_is(json, "work/billing", "none:");
    text_is(json, "~/src/work/billing", "none:");
    text_is(json, "C:\\work\\billing", "none:");
}

static void names_are_one_short_line(void)
{
    static const char json[] = "{\"roots\": [\"w\"]}";
    char folder[2000] = "/w/";
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };
    int i;

    text_is(json,
            "/w/a\nb`c\x01\xe2\x80\xae"
            "d  e\x1b[31m",
            "roots:a bcd e");
    text_is(json, "/w/a\xff", "roots:a\xef\xbf\xbd");
    text_is(json, "/w/``/x", "none:");
    text_is("{\"paths\": {\"/p\": \"`\"}, \"roots\": [\"p\"]}", "/p/x",
            "roots:x");
    for (i = 0; i < 100; i++) {
        strcat(folder, "\xc3\xa9");
    }
    parse(&rules, json, NULL);
    CHECK_INT(strlen(outcome(&rules, folder, false)), 6 + 80 * 2);
    strcpy(folder, "/w/");
    for (i = 0; i < 79; i++) {
        strcat(folder, "x");
    }
    strcat(folder, " yy");
    CHECK_INT(strlen(outcome(&rules, folder, false)), 6 + 79);
}

static void settings_of_a_wrong_kind_are_refused(void)
{
    refused("[]", "projects must be an object");
    refused("{\"path\": {}}", "'path'");
    refused("{\"paths\": []}", "projects.paths");
    refused("{\"paths\": {\"/a\": 1}}", "projects.paths");
    refused("{\"paths\": {\"/a\": \"\"}}", "projects.paths");
    refused("{\"paths\": {\"a/b\": \"x\"}}", "'a/b'");
    refused("{\"roots\": \"work\"}", "projects.roots");
    refused("{\"roots\": [\"\"]}", "projects.roots");
    refused("{\"roots\": [\"a/b\"]}", "'a/b'");
    refused("{\"aliases\": {\"\": \"x\"}}", "projects.aliases");
    refused("{\"aliases\": {\"x\": null}}", "projects.aliases");
    refused("{\"home\": 1}", "projects.home");
}

static void without_settings_there_is_no_project(void)
{
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };
    struct jz__rules zeroed = { 0 };

    CHECK_INT(jz__rules_parse(&rules, NULL, NULL, NULL), 0);
    CHECK_STR(outcome(&rules, "/home/dana/work/x", false), "none:");
    CHECK_STR(outcome(&zeroed, "/home/dana/work/x", false), "none:");
    CHECK_STR(outcome(&zeroed, "/nowhere/x", true), "none:");
}

/* --- on the disk --- */

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
    CHECK(mkdir(at(path), 0700) == 0 || errno == EEXIST);
}

static void repository(const char *path, const char *config)
{
    char name[200];
    FILE *file;

    folder(path);
    (void)snprintf(name, sizeof(name), "%s/.git", path);
    folder(name);
    (void)snprintf(name, sizeof(name), "%s/.git/config", path);
    file = fopen(at(name), "w");
    if (CHECK(file != NULL)) {
        CHECK(fputs(config, file) >= 0);
        CHECK_INT(fclose(file), 0);
    }
}

static void look_rules(struct jz__rules *rules)
{
    char json[4 * PATH_MAX];

    (void)snprintf(json, sizeof(json),
                   "{\"home\": \"%s/home\", \"temp\": \"%s/temp\", \"paths\": "
                   "{\"~/link/shop\": \"shop\", \"~/real\": \"real\"}, "
                   "\"roots\": [\"work\"], \"aliases\": {\"atlas-wt\": "
                   "\"atlas\"}}",
                   root, root);
    parse(rules, json, NULL);
}

static void git_stands_between_paths_and_roots(void)
{
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };

    look_rules(&rules);
    folder("home/work");
    repository("home/work/billing", "[remote \"origin\"]\nurl = x/invoices\n");
    folder("home/work/plain");
    repository("home/atlas-wt", "");
    CHECK_STR(outcome(&rules, at("home/work/billing"), true), "git:invoices");
    CHECK_STR(outcome(&rules, at("home/work/billing/gone"), true),
              "git:invoices");
    CHECK_STR(outcome(&rules, at("home/work/billing"), false), "roots:billing");
    CHECK_STR(outcome(&rules, at("home/work/plain"), true), "roots:plain");
    CHECK_STR(outcome(&rules, at("home/work/removed/x"), true),
              "roots:removed");
    CHECK_STR(outcome(&rules, at("home/atlas-wt"), true), "git:atlas");
}

static void links_are_resolved_when_looking(void)
{
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };

    look_rules(&rules);
    folder("home/real");
    folder("home/real/shop");
    CHECK_INT(symlink("real", at("home/link")), 0);
    /* By text the shorter, resolved the longer: home/real/shop. */
    CHECK_STR(outcome(&rules, at("home/real/shop/x"), true), "paths:shop");
    CHECK_STR(outcome(&rules, at("home/real/other"), true), "paths:real");
    CHECK_STR(outcome(&rules, at("home/link/shop"), true), "paths:shop");
    CHECK_STR(outcome(&rules, at("home/real/shop/x"), false), "paths:real");
    CHECK_STR(outcome(&rules, at("home/link/shop/x"), false), "paths:shop");
    CHECK_STR(outcome(&rules, at("home/link/other"), false), "none:");
}

static void home_in_git_is_no_project_of_all_below(void)
{
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };

    look_rules(&rules);
    repository("home", "[remote \"origin\"]\nurl = x/dotfiles\n");
    folder("home/notes");
    CHECK_STR(outcome(&rules, at("home"), true), "none:");
    CHECK_STR(outcome(&rules, at("home/notes"), true), "none:");
    CHECK_INT(symlink("home", at("house")), 0);
    CHECK_STR(outcome(&rules, at("house"), true), "none:");
    folder("temp");
    repository("temp", "");
    CHECK_STR(outcome(&rules, at("temp/x"), true), "none:");
}

int main(void)
{
    char template[] = "/tmp/jezero-project-rules-XXXXXX";
    char line[PATH_MAX + 20];

    if (mkdtemp(template) == NULL || realpath(template, root) == NULL) {
        return EXIT_FAILURE;
    }
    folder("home");
    TAP_RUN(the_longest_path_wins);
    TAP_RUN(the_part_behind_a_root_is_the_project);
    TAP_RUN(paths_go_before_roots);
    TAP_RUN(aliases_rename_once_whatever_made_the_name);
    TAP_RUN(home_root_and_temp_are_never_projects);
    TAP_RUN(folders_that_are_no_paths_have_no_project);
    TAP_RUN(names_are_one_short_line);
    TAP_RUN(settings_of_a_wrong_kind_are_refused);
    TAP_RUN(without_settings_there_is_no_project);
    TAP_RUN(git_stands_between_paths_and_roots);
    TAP_RUN(links_are_resolved_when_looking);
    TAP_RUN(home_in_git_is_no_project_of_all_below);
    (void)snprintf(line, sizeof(line), "rm -rf '%s'", root);
    if (system(line) != 0) {
        printf("# %s was left behind\n", root);
    }
    return tap_done();
}
