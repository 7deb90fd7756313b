/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "home.h"
#include "tap.h"
#include "tmpdir.h"

static struct tmpdir dir;

static const char *const variables[] = {
    "JEZERO_CLIENT_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME",
    "XDG_CONFIG_HOME",    "HERMES_HOME",
};

static void begin(void)
{
    tmpdir_make(&dir);
    for (size_t i = 0; i < JZ__LENGTH(variables); i++) {
        (void)unsetenv(variables[i]);
    }
    (void)setenv("HOME", dir.path, 1);
}

static void end(void)
{
    tmpdir_remove(&dir);
}

static void put(const char *folder, const char *name, const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__buf_printf(&path, "%s/%s", dir.path, folder);
    CHECK_INT(jz__file_mkdirs(path.data, NULL), 0);
    jz__buf_printf(&path, "/%s", name);
    CHECK_INT(jz__file_write(path.data, text, strlen(text), NULL), 0);
}

/* The home that is chosen, below the folder of the test. */
static void check_home(const char *agent, const char *want)
{
    struct home home;

    CHECK_INT(home_open(&home, agent, NULL), 0);
    CHECK_STR(home.path + strlen(dir.path), want);
    home_finish(&home);
}

static void the_first_home_that_is_there_counts(void)
{
    begin();
    check_home(NULL, "/.jezero");
    check_home("codex", "/.jezero");
    put(".codex/jezero", "client.json", "{}");
    check_home(NULL, "/.codex/jezero");
    check_home("claude-code", "/.codex/jezero");
    put(".claude/jezero", "client.json", "{}");
    check_home(NULL, "/.claude/jezero");
    check_home("codex", "/.codex/jezero");
    check_home("antigravity", "/.claude/jezero");
    put(".gemini/config/jezero", "client.json", "{}");
    check_home("antigravity", "/.gemini/config/jezero");
    put(".config/opencode/jezero", "client.json", "{}");
    check_home("opencode", "/.config/opencode/jezero");
    put(".hermes/jezero", "client.json", "{}");
    check_home("hermes", "/.claude/jezero"); /* Hermes has none of its own */
    (void)setenv("JEZERO_CLIENT_HOME", tmpdir_path(&dir, "x//y/"), 1);
    check_home("codex", "/x/y");
    end();
}

static void check_refused(const char *part)
{
    struct home home;
    struct jz__error error = { 0 };

    CHECK_INT(home_open(&home, NULL, &error), JZ_EINVAL);
    if (!CHECK(strstr(error.message, part) != NULL)) {
        printf("# %s\n", error.message);
    }
    CHECK(!home.is_set_up);
    CHECK(home.key == NULL);
    home_finish(&home);
}

static void a_home_that_is_not_the_users_alone_is_refused(void)
{
    begin();
    put(".jezero", "client.json", "{\"url\":\"https://a.example\"}");
    put(".jezero", "token", "invented-key-1\n");
    CHECK_INT(chmod(tmpdir_path(&dir, ".jezero"), 0750), 0);
    check_refused("chmod 700");
    CHECK_INT(chmod(tmpdir_path(&dir, ".jezero"), 0700), 0);
    CHECK_INT(chmod(tmpdir_path(&dir, ".jezero/token"), 0640), 0);
    check_refused("chmod 600");
    CHECK_INT(chmod(tmpdir_path(&dir, ".jezero/token"), 0600), 0);
    (void)setenv("JEZERO_CLIENT_HOME", tmpdir_path(&dir, "repo/.jz"), 1);
    put("repo/.jz", "client.json", "{\"url\":\"https://a.example\"}");
    put("repo/.git", "HEAD", "ref: refs/heads/main\n");
    check_refused("repository");
    (void)setenv("JEZERO_CLIENT_HOME", ".jezero", 1);
    check_refused("absolute");
    (void)setenv("JEZERO_CLIENT_HOME", tmpdir_path(&dir, ".jezero/token"), 1);
    check_refused("no folder");
    end();
    if (geteuid() == 0) {
        begin();
        put(".jezero", "token", "invented-key-1\n");
        CHECK_INT(chown(tmpdir_path(&dir, ".jezero"), 12345, 12345), 0);
        check_refused("somebody else");
        end();
    }
}

static void it_is_set_up_with_a_url_and_a_key(void)
{
    struct home home;

    begin();
    put(".jezero", "client.json",
        "{\"url\":\"https://a.example/x//\",\"device\":\"desk\","
        "\"projects\":{\"roots\":[\"work\"]},\"upload\":false,\"other\":1}");
    CHECK_INT(home_open(&home, NULL, NULL), 0);
    CHECK(!home.is_set_up);
    home_finish(&home);
    put(".jezero", "token", " \n");
    CHECK_INT(home_open(&home, NULL, NULL), 0);
    CHECK(!home.is_set_up);
    home_finish(&home);
    put(".jezero", "token", " invented-key-1\r\n");
    CHECK_INT(home_open(&home, NULL, NULL), 0);
    CHECK(home.is_set_up);
    CHECK_STR(home.url, "https://a.example/x");
    CHECK_STR(home.key, "invented-key-1");
    CHECK_STR(home.device, "desk");
    CHECK_STR(home.mcp_path, "/mcp");
    CHECK_STR(home.projects, "{\"roots\":[\"work\"]}");
    CHECK(!home.may_upload);
    home_finish(&home);
    end();
}

static void damaged_files_are_named(void)
{
    begin();
    put(".jezero", "client.json", "{\"url\":");
    check_refused("client.json");
    put(".jezero", "client.json", "[]");
    check_refused("client.json");
    put(".jezero", "client.json", "{\"url\":\"u\",\"mcp_path\":\"mcp\"}");
    check_refused("mcp_path");
    put(".jezero", "client.json", "{\"url\":\"u\"}");
    put(".jezero", "token", "two words\r\nX: y");
    check_refused("token");
    end();
}

static void a_log_line_is_one_line_and_the_log_is_turned(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf big = JZ__BUF_INIT;
    struct home home;
    struct stat info;

    begin();
    CHECK_INT(home_open(&home, NULL, NULL), 0);
    home_log(&home, "lost: there is no home yet");
    CHECK(access(home.path, F_OK) != 0);
    CHECK_INT(home_make(home.path, NULL), 0);
    CHECK_INT(stat(home.path, &info), 0);
    CHECK_INT(info.st_mode & 07777, 0700);
    home_log(&home, "a\n2026 forged %s", "\033[31m");
    CHECK_INT(jz__file_read(&text, tmpdir_path(&dir, ".jezero/client.log"),
                            10000, NULL),
              0);
    CHECK(memchr(text.data, '\n', text.length) == text.data + text.length - 1);
    CHECK(strchr(text.data, '\033') == NULL);
    CHECK_INT(stat(tmpdir_path(&dir, ".jezero/client.log"), &info), 0);
    CHECK_INT(info.st_mode & 07777, 0600);
    while (big.length < HOME_LOG_MOST && big.error == 0) {
        jz__buf_puts(&big, "a line of the log\n");
    }
    put(".jezero", "client.log", big.data);
    home_log(&home, "one more");
    CHECK(access(tmpdir_path(&dir, ".jezero/client.log.1"), F_OK) == 0);
    CHECK(access(tmpdir_path(&dir, ".jezero/client.log"), F_OK) != 0);
    home_finish(&home);
    end();
}

int main(void)
{
    TAP_RUN(the_first_home_that_is_there_counts);
    TAP_RUN(a_home_that_is_not_the_users_alone_is_refused);
    TAP_RUN(it_is_set_up_with_a_url_and_a_key);
    TAP_RUN(damaged_files_are_named);
    TAP_RUN(a_log_line_is_one_line_and_the_log_is_turned);
    return tap_done();
}
