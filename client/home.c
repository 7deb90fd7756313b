/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The home decides where sessions go and with which key, so it is judged before
 * anything in it is believed: a repository can set JEZERO_CLIENT_HOME for the
 * agents that work in it, and must not get the user's sessions that way. What is
 * relative, another user's, open to others or part of a checkout is refused, and
 * so is a key that others can read. The folder is opened once and judged through
 * the descriptor; its files are opened below that.
 */
#include "home.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/time.h"
#include "base/utf8.h"
#include "repository.h"

/* Both are small; what is larger was not written by this program. */
#define CONFIG_MOST 262144
#define TOKEN_MOST 1024
#define LOG_LINE_MOST 1024

/* A draft that is older is nobody's any more. */
#define DRAFT_SECONDS 3600
#define DRAFT_LETTERS 6

/* --- where it is --- */

static bool holds_config(const char *folder)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__path_join(&path, folder, "client.json");
    return path.error == 0 && access(path.data, F_OK) == 0;
}

/* An agent in a sandbox cannot see the common home, and has one of its own. */
static bool find_agent_home(struct jz__buf *out, enum agent_id agent)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;

    agent_put_folder(&folder, agent);
    if (folder.length == 0 || folder.error != 0) {
        return false;
    }
    jz__path_join(out, folder.data, "jezero");
    if (out->error == 0 && holds_config(out->data)) {
        return true;
    }
    jz__buf_clear(out);
    return false;
}

static bool find_own_home(struct jz__buf *out, const char *agent)
{
    enum agent_id id;

    if (agent != NULL && agent_find(&id, agent)) {
        /* Hermes uses the common one. */
        if (id != AGENT_HERMES && find_agent_home(out, id)) {
            return true;
        }
    }
    return find_agent_home(out, AGENT_CLAUDE_CODE) ||
           find_agent_home(out, AGENT_CODEX);
}

static int find(struct jz__buf *out, const char *agent, struct jz__error *error)
{
    const char *set = getenv("JEZERO_CLIENT_HOME");
    JZ_CLEANUP(jz__buf_finish) struct jz__buf user = JZ__BUF_INIT;

    if (set != NULL && set[0] != '\0') {
        jz__path_normalize(out, set);
    } else if (!find_own_home(out, agent)) {
        agent_put_user_home(&user);
        if (user.length == 0 && user.error == 0) {
            return jz__fail(error, JZ_EINVAL,
                            "there is no home folder: set HOME, or "
                            "JEZERO_CLIENT_HOME to an absolute path");
        }
        if (user.error == 0) {
            jz__path_join(out, user.data, ".jezero");
        }
    }
    return out->error != 0 || user.error != 0 ? jz__fail_memory(error) : 0;
}

/* --- whose it is --- */

static void close_fd(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

static int judge_folder(int fd, const char *path, struct jz__error *error)
{
    struct stat st;

    if (fstat(fd, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    if (st.st_uid != geteuid()) {
        return jz__fail(error, JZ_EINVAL,
                        "the client home belongs to somebody else: %s", path);
    }
    if (repository_holds(path)) {
        return jz__fail(error, JZ_EINVAL,
                        "the client home lies in a repository, which could "
                        "have put it there: %s",
                        path);
    }
    if ((st.st_mode & 07777 & ~(mode_t)0700) != 0) {
        return jz__fail(error, JZ_EINVAL,
                        "the client home is open to others: chmod 700 %s",
                        path);
    }
    return 0;
}

/* 0 with *fd -1: there is none. */
static int open_folder(int *fd, const char *path, struct jz__error *error)
{
    *fd = -1;
    if (path[0] != '/') {
        return jz__fail(error, JZ_EINVAL,
                        "JEZERO_CLIENT_HOME must be an absolute path, got '%s'",
                        path);
    }
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd >= 0) {
        return judge_folder(*fd, path, error);
    }
    if (errno == ENOENT) {
        return 0;
    }
    return errno == ENOTDIR ? jz__fail(error, JZ_EINVAL,
                                       "the client home is no folder: %s", path)
                            : jz__fail_errno(error, errno, "cannot open", path);
}

/* Through the descriptor: what was judged is what is read. 0 with an empty text:
 * there is none. home is for the messages. */
static int read_file(struct jz__buf *out, int folder, const char *home,
                     const char *name, size_t most, bool is_secret,
                     struct jz__error *error)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    JZ_CLEANUP(close_fd) int fd = openat(folder, name, flags);
    struct stat st;
    ssize_t n;
    char *room;

    if (fd < 0) {
        return errno == ENOENT
                   ? 0
                   : jz__fail_errno(error, errno, "cannot read", name);
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        return jz__fail(error, JZ_EINVAL, "%s/%s is no regular file", home,
                        name);
    }
    if (is_secret && (st.st_uid != geteuid() || (st.st_mode & 077) != 0)) {
        return jz__fail(error, JZ_EINVAL,
                        "others may read the key: chmod 600 %s/%s", home, name);
    }
    if (st.st_size > (off_t)most) {
        return jz__fail(error, JZ_EINVAL, "%s/%s is too large", home, name);
    }
    room = jz__buf_reserve(out, (size_t)st.st_size);
    if (room == NULL) {
        return jz__fail_memory(error);
    }
    n = read(fd, room, (size_t)st.st_size);
    if (n < 0) {
        return jz__fail(error, JZ_EIO, "cannot read %s/%s: %s", home, name,
                        strerror(errno));
    }
    out->length += (size_t)n;
    room[n] = '\0';
    return 0;
}

/* --- what it says --- */

static int take_key(struct home *home, struct jz__str text,
                    struct jz__error *error)
{
    text = jz__str_trim(text);
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~') {
            return jz__fail(error, JZ_EINVAL,
                            "the key in %s/token holds characters that no "
                            "header can carry: remove the file and run init",
                            home->path);
        }
    }
    if (text.length == 0) {
        return 0;
    }
    home->key = jz__mem_copy(text.data, text.length);
    return home->key != NULL ? 0 : jz__fail_memory(error);
}

static char *copy_text(const cJSON *config, const char *key)
{
    const char *text = jz__json_text(config, key, NULL);

    return text != NULL ? jz__mem_copy(text, strlen(text)) : NULL;
}

static int take_projects(struct home *home, const cJSON *config,
                         struct jz__error *error)
{
    const cJSON *projects = jz__json_get(config, "projects");
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    if (projects == NULL || cJSON_IsNull(projects)) {
        return 0;
    }
    jz__json_put_tree(&text, projects);
    return jz__buf_take(&home->projects, &text) < 0 ? jz__fail_memory(error)
                                                    : 0;
}

/* Is what is there of the kind it should be? null is as if it were not there. */
static bool has_kinds(const cJSON *config)
{
    static const char *const texts[] = { "url", "device", "mcp_path" };
    const cJSON *upload = jz__json_get(config, "upload");

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        const cJSON *text = jz__json_get(config, texts[i]);

        if (text != NULL && !cJSON_IsString(text) && !cJSON_IsNull(text)) {
            return false;
        }
    }
    return upload == NULL || cJSON_IsBool(upload) || cJSON_IsNull(upload);
}

static int take_config(struct home *home, struct jz__str text,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *config = NULL;
    struct jz__error why = { 0 };
    const char *mcp_path;

    if (jz__json_parse(&config, text.data, text.length, &why) < 0 ||
        !cJSON_IsObject(config)) {
        return jz__fail(error, JZ_EINVAL, "%s/client.json cannot be read: %s",
                        home->path,
                        config != NULL ? "it is no object" : why.message);
    }
    if (!has_kinds(config)) {
        return jz__fail(error, JZ_EINVAL,
                        "%s/client.json: url, device and mcp_path must be "
                        "texts, upload true or false",
                        home->path);
    }
    home->url = copy_text(config, "url");
    home->device = copy_text(config, "device");
    mcp_path = jz__json_text(config, "mcp_path", "/mcp");
    if (mcp_path[0] != '/') {
        return jz__fail(error, JZ_EINVAL,
                        "mcp_path in %s/client.json must begin with a slash",
                        home->path);
    }
    home->mcp_path = jz__mem_copy(mcp_path, strlen(mcp_path));
    home->may_upload = jz__json_flag(config, "upload", true);
    for (char *end = home->url != NULL ? home->url + strlen(home->url) : NULL;
         end != NULL && end > home->url && end[-1] == '/'; end--) {
        end[-1] = '\0';
    }
    return home->mcp_path == NULL ? jz__fail_memory(error)
                                  : take_projects(home, config, error);
}

static int read_home(struct home *home, struct jz__error *error)
{
    JZ_CLEANUP(close_fd) int fd = -1;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf config = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf token = JZ__BUF_INIT;
    int r = open_folder(&fd, home->path, error);

    if (r < 0 || fd < 0) {
        return r;
    }
    r = read_file(&config, fd, home->path, "client.json", CONFIG_MOST, false,
                  error);
    if (r == 0) {
        r = read_file(&token, fd, home->path, "token", TOKEN_MOST, true, error);
    }
    if (r == 0 && config.length > 0) {
        r = take_config(home, (struct jz__str){ config.data, config.length },
                        error);
    }
    if (r == 0 && token.length > 0) {
        r = take_key(home, (struct jz__str){ token.data, token.length }, error);
    }
    if (token.data != NULL) {
        explicit_bzero(token.data, token.length);
    }
    home->is_set_up = r == 0 && home->url != NULL && home->url[0] != '\0' &&
                      home->key != NULL;
    return r;
}

int home_open(struct home *out, const char *agent, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    struct home home = { .may_upload = true };
    int r;

    assert(out != NULL);

    memset(out, 0, sizeof(*out));
    r = find(&path, agent, error);
    if (r == 0 && jz__buf_take(&home.path, &path) < 0) {
        r = jz__fail_memory(error);
    }
    if (r == 0) {
        r = read_home(&home, error);
    }
    if (r < 0) {
        /* Nothing of a refused home is used, but messages name it. */
        out->path = jz__mem_steal(&home.path);
        home_finish(&home);
        return r;
    }
    *out = home;
    return 0;
}

void home_finish(struct home *home)
{
    if (home->key != NULL) {
        explicit_bzero(home->key, strlen(home->key));
    }
    free(home->path);
    free(home->url);
    free(home->device);
    free(home->mcp_path);
    free(home->projects);
    free(home->key);
    memset(home, 0, sizeof(*home));
}

int home_make(const char *path, struct jz__error *error)
{
    JZ_CLEANUP(close_fd) int fd = -1;
    int r = open_folder(&fd, path, error);

    if (r < 0 || fd >= 0) {
        return r;
    }
    r = jz__file_mkdirs(path, error);
    return r < 0 ? r : open_folder(&fd, path, error);
}

char *home_file(const struct home *home, const char *name)
{
    struct jz__buf path = JZ__BUF_INIT;
    char *taken = NULL;

    jz__path_join(&path, home->path, name);
    if (jz__buf_take(&taken, &path) < 0) {
        jz__buf_finish(&path);
    }
    return taken;
}

/* --- drafts --- */

/* "state.json.XXXXXX", as base/file.h leaves one behind when it is killed. */
static bool is_draft(const char *name)
{
    static const char *const files[] = { "state.json.", "client.json." };

    for (size_t i = 0; i < JZ__LENGTH(files); i++) {
        size_t length = strlen(files[i]);

        if (strncmp(name, files[i], length) == 0 &&
            strlen(name + length) == DRAFT_LETTERS) {
            return true;
        }
    }
    return false;
}

static void close_dir(DIR **dir)
{
    if (*dir != NULL) {
        (void)closedir(*dir);
    }
}

void home_sweep(const struct home *home)
{
    JZ_CLEANUP(close_dir) DIR *dir = opendir(home->path);
    struct dirent *entry;
    struct stat st;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (is_draft(entry->d_name) &&
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && st.st_mtime + DRAFT_SECONDS < time(NULL)) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
}

/* --- the log --- */

/* Over the limit it becomes client.log.1. Two processes that find this at once
 * may both rename: the second one's name is then gone already. */
static void turn_log(int folder, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && st.st_size >= HOME_LOG_MOST) {
        (void)renameat(folder, "client.log", folder, "client.log.1");
    }
}

static int open_log(int folder)
{
    const int flags =
        O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

    return openat(folder, "client.log", flags, 0600);
}

/* One write: lines of several processes do not mix. */
void home_log(const struct home *home, const char *format, ...)
{
    JZ_CLEANUP(close_fd) int folder = -1;
    JZ_CLEANUP(close_fd) int fd = -1;
    char text[LOG_LINE_MOST];
    char shown[LOG_LINE_MOST];
    char line[LOG_LINE_MOST + JZ__TIME_SIZE + 2];
    char now[JZ__TIME_SIZE];
    va_list arguments;
    int length;

    if (home->path == NULL || open_folder(&folder, home->path, NULL) < 0 ||
        folder < 0) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    jz__utf8_show(shown, sizeof(shown), text);
    jz__time_format(now, (int64_t)time(NULL));
    length = snprintf(line, sizeof(line), "%s %s\n", now, shown);
    fd = open_log(folder);
    if (fd < 0) {
        return;
    }
    if (write(fd, line, (size_t)length) < 0) {
        return; /* a full disk: there is nobody to tell */
    }
    turn_log(folder, fd);
}
