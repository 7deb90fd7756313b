/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a folder to its repository, as git does it: upwards, until a folder has
 * a .git. That is a folder, or a file that says "gitdir: <path>" (a linked
 * worktree, a submodule, a repository kept elsewhere). What it leads to may
 * have a file "commondir": then it is one of several worktrees, and their
 * configuration is there. A bare repository is found by its own files.
 *
 * The name comes from the configuration (git_lines.c feeds inih), else from
 * where the repository lies. A .git that leads nowhere still has its path: of
 * ".../atlas/.git/worktrees/x" the text alone tells that it was of atlas.
 */
#include "project/git.h"

#include <assert.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "project/git_lines.h"

/* A path in a .git or commondir file. */
#define POINTER_MOST 8192

/* --- configuration --- */

struct reading {
    struct jz__git_config *config;
    struct jz__git_lines lines;
    int error;
};

/* Cleanup; the configuration itself is the caller's. */
static void reading_finish(struct reading *reading)
{
    jz__buf_finish(&reading->lines.value);
}

/* Keep a copy of the current value. */
static void keep(char **out, struct reading *reading)
{
    const struct jz__buf *value = &reading->lines.value;

    free(*out);
    *out = jz__mem_copy(value->length > 0 ? value->data : "", value->length);
    if (*out == NULL) {
        reading->error = JZ_ENOMEM;
    }
}

/* A boolean as git spells it; a name alone was made "true" by the reader. */
static bool is_true(const struct jz__buf *value)
{
    struct jz__str text = { value->length > 0 ? value->data : "",
                            value->length };

    return jz__str_is_nocase(text, "true") || jz__str_is_nocase(text, "yes") ||
           jz__str_is_nocase(text, "on") || jz__str_is(text, "1");
}

/* inih's answer to one entry. Its own value is a stand-in: ours is beside. */
static int on_entry(void *user, const char *section, const char *name,
                    const char *stand_in)
{
    struct reading *reading = user;

    (void)stand_in;
    if (strcmp(section, "remote \"origin\"") == 0) {
        /* git fetches from the first one and pushes to all. */
        if (strcmp(name, "url") == 0 && (reading->config->origin == NULL ||
                                         reading->config->origin[0] == '\0')) {
            keep(&reading->config->origin, reading);
        }
    } else if (strcmp(section, "core") == 0) {
        if (strcmp(name, "worktree") == 0) {
            keep(&reading->config->worktree, reading);
        } else if (strcmp(name, "bare") == 0) {
            reading->config->is_bare = is_true(&reading->lines.value);
        }
    }
    return 1;
}

int jz__git_config_read(struct jz__git_config *out, const char *text,
                        size_t length)
{
    JZ_CLEANUP(reading_finish)
    struct reading reading = { out, { { text, length }, JZ__BUF_INIT }, 0 };

    assert(out != NULL && (text != NULL || length == 0));

    memset(out, 0, sizeof(*out));
    (void)ini_parse_stream(jz__git_lines_next, &reading.lines, on_entry,
                           &reading);
    return reading.error != 0 ? reading.error : reading.lines.value.error;
}

void jz__git_config_finish(struct jz__git_config *config)
{
    free(config->origin);
    free(config->worktree);
    memset(config, 0, sizeof(*config));
}

/* --- names --- */

/* All of them: people write URLs with a slash at the end, or two. */
static struct jz__str drop_slashes(struct jz__str text)
{
    while (text.length > 0 && text.data[text.length - 1] == '/') {
        text.length--;
    }
    return text;
}

static struct jz__str drop_end(struct jz__str text, const char *end)
{
    if (jz__str_ends(text, end)) {
        text.length -= strlen(end);
    }
    return text;
}

/* Behind the last separator. `colons`: of host:path in the way of scp. */
static struct jz__str last_part(struct jz__str text, bool colons)
{
    size_t at = text.length;

    while (at > 0 && text.data[at - 1] != '/' && text.data[at - 1] != '\\' &&
           !(colons && text.data[at - 1] == ':')) {
        at--;
    }
    return (struct jz__str){ text.data + at, text.length - at };
}

void jz__git_url_name(struct jz__buf *out, const char *url)
{
    struct jz__str text = drop_slashes(jz__str_trim(jz__str_of(url)));
    size_t scheme = jz__str_find(text, "://");
    struct jz__str name;

    /* A clone of a local worktree has its .git in the URL. */
    text = drop_slashes(drop_end(text, "/.git"));
    /* A host without a path is no name: https://example.test */
    if (scheme != SIZE_MAX) {
        size_t path = scheme + 3;

        while (path < text.length && text.data[path] != '/') {
            path++;
        }
        text.data += path < text.length ? path : text.length;
        text.length -= path < text.length ? path : text.length;
    }
    name = drop_end(last_part(text, scheme == SIZE_MAX), ".git");
    if (!jz__str_is(name, ".") && !jz__str_is(name, "..")) {
        jz__buf_append(out, name.data, name.length);
    }
}

/* The name of the folder above a path. */
static struct jz__str parent_name(const char *path)
{
    return last_part(jz__path_parent(path), false);
}

/* Append the name that a repository has by its place. */
static int put_place_name(struct jz__buf *out, const struct jz__git *git,
                          const struct jz__git_config *config)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf joined = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    struct jz__str name = jz__path_name(git->common);
    bool is_bare = config->is_bare || git->is_linked;

    /* A submodule's, whose own folder is deep inside another's .git. */
    if (config->worktree != NULL && config->worktree[0] != '\0') {
        jz__path_join(&joined, git->common, config->worktree);
        if (joined.error == 0) {
            jz__path_normalize(&path, joined.data);
        }
        if (path.error != 0 || joined.error != 0) {
            return JZ_ENOMEM;
        }
        name = jz__path_name(path.data);
    } else if (jz__str_is(name, ".git") ||
               (is_bare && jz__str_starts(name, "."))) {
        name = parent_name(git->common); /* atlas/.git, atlas/.bare */
    } else if (is_bare) {
        name = drop_end(name, ".git");
    } else {
        /* Kept elsewhere: .git was a file, beside the work. */
        name = jz__path_name(git->folder);
    }
    jz__buf_append(out, name.data, name.length);
    return out->error;
}

/* A configuration that cannot be read (none, no rights, a FIFO, too large) says
 * nothing, and the place decides. */
int jz__git_name(struct jz__buf *out, const struct jz__git *git)
{
    JZ_CLEANUP(jz__git_config_finish) struct jz__git_config config = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    size_t start = out->length;
    int r;

    assert(git != NULL && git->common != NULL && git->folder != NULL);

    jz__path_join(&path, git->common, "config");
    if (path.error != 0) {
        return JZ_ENOMEM;
    }
    r = jz__file_read(&text, path.data, JZ__GIT_FILE_MOST, NULL);
    if (r == JZ_ENOMEM || text.error != 0) {
        return JZ_ENOMEM;
    }
    if (r == 0) {
        r = jz__git_config_read(&config, text.data, text.length);
        if (r < 0) {
            return r;
        }
    }
    if (config.origin != NULL) {
        jz__git_url_name(out, config.origin);
    }
    if (out->error == 0 && out->length == start) {
        return put_place_name(out, git, &config);
    }
    return out->error;
}

/* --- places --- */

enum kind {
    NOTHING,
    FOLDER,
    FILE_REGULAR,
    OTHER
};

/* What is at folder/name, links followed; JZ_ENOMEM. Nothing is opened. */
static int look(const char *folder, const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    struct stat st;

    jz__path_join(&path, folder, name);
    if (path.error != 0) {
        return JZ_ENOMEM;
    }
    if (stat(path.data, &st) < 0) {
        return NOTHING;
    }
    return S_ISDIR(st.st_mode)   ? FOLDER
           : S_ISREG(st.st_mode) ? FILE_REGULAR
                                 : OTHER;
}

/* The real path of folder/target, or its text where that is not there. */
static int resolve(char **out, const char *folder, const char *target)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf joined = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__path_join(&joined, folder, target);
    if (joined.error != 0) {
        return JZ_ENOMEM;
    }
    *out = realpath(joined.data, NULL);
    if (*out != NULL) {
        return JZ_OK;
    }
    jz__path_normalize(&path, joined.data);
    return jz__buf_take(out, &path);
}

/*
 * The path that folder/name, a small file, holds behind a prefix, resolved
 * from folder. *out stays NULL if it holds none.
 */
static int read_pointer(char **out, const char *folder, const char *name,
                        const char *prefix)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__str target;
    int r;

    jz__path_join(&path, folder, name);
    if (path.error != 0) {
        return JZ_ENOMEM;
    }
    r = jz__file_read(&text, path.data, POINTER_MOST, NULL);
    if (r < 0 || text.error != 0) {
        return r == JZ_ENOMEM || text.error != 0 ? JZ_ENOMEM : JZ_OK;
    }
    target = (struct jz__str){ text.data, text.length };
    if (!jz__str_starts(target, prefix)) {
        return JZ_OK;
    }
    target.data += strlen(prefix);
    target.length -= strlen(prefix);
    target = jz__str_trim(target); /* the line ends in \n, or in \r\n */
    if (target.length == 0 ||
        memchr(target.data, '\0', target.length) != NULL) {
        return JZ_OK;
    }
    text.data[(size_t)(target.data - text.data) + target.length] = '\0';
    return resolve(out, folder, target.data);
}

/* Of a .git that leads to a worktree's data that are gone: cut the path back to
 * the repository's own folder. */
static void cut_worktree(struct jz__git *git)
{
    struct jz__str text = jz__str_of(git->common);
    size_t at = text.length;

    while (at > 0 && text.data[at - 1] != '/') {
        at--;
    }
    text.length = at > 0 ? at - 1 : 0;
    if (jz__str_ends(text, "/worktrees") &&
        text.length > strlen("/worktrees")) {
        git->common[text.length - strlen("/worktrees")] = '\0';
        git->is_linked = true;
    }
}

/* git->common is what .git led to; go on to what its worktrees share. */
static int find_common(struct jz__git *git)
{
    JZ_CLEANUP(jz__mem_freep) char *common = NULL;
    int r;

    /* The repository was moved or removed, or is on a disk that is not there. */
    if (look(git->common, ".") != FOLDER) {
        cut_worktree(git);
        return JZ_OK;
    }
    r = read_pointer(&common, git->common, "commondir", "");
    if (r == 0 && common != NULL) {
        free(git->common);
        git->common = jz__mem_steal(&common);
        git->is_linked = true;
    }
    return r;
}

/* Set git->common if folder has a repository. 0 or JZ_ENOMEM. */
static int look_into(struct jz__git *git, const char *folder)
{
    int kind = look(folder, ".git");
    int r = JZ_OK;

    if (kind == FOLDER) {
        /* An empty one is none; git looks further up, too. */
        r = resolve(&git->common, folder, ".git");
        if (r == 0 && look(git->common, "HEAD") == NOTHING &&
            look(git->common, "config") == NOTHING) {
            free(git->common);
            git->common = NULL;
        }
    } else if (kind == FILE_REGULAR) {
        r = read_pointer(&git->common, folder, ".git", "gitdir:");
    } else if (kind == NOTHING && look(folder, "HEAD") == FILE_REGULAR &&
               look(folder, "objects") == FOLDER &&
               look(folder, "refs") == FOLDER) {
        r = resolve(&git->common, folder, ".");
        git->is_linked = true; /* it has no work of its own beside it */
    }
    if (kind < 0 || r < 0 || git->common == NULL) {
        return kind < 0 ? kind : r;
    }
    return find_common(git);
}

int jz__git_find(struct jz__git *out, const char *folder)
{
    JZ_CLEANUP(jz__mem_freep) char *path = NULL;

    assert(out != NULL && folder[0] == '/');

    memset(out, 0, sizeof(*out));
    path = jz__mem_copy(folder, strlen(folder));
    if (path == NULL) {
        return JZ_ENOMEM;
    }
    /* A path has at most a few thousand parts, and each costs a stat or two. */
    for (;;) {
        int r = look_into(out, path);

        if (r < 0) {
            return r;
        }
        if (out->common != NULL) {
            out->folder = jz__mem_steal(&path);
            return JZ_OK;
        }
        if (path[1] == '\0') {
            return JZ_OK;
        }
        path[jz__path_parent(path).length] = '\0';
    }
}

void jz__git_finish(struct jz__git *git)
{
    free(git->folder);
    free(git->common);
    memset(git, 0, sizeof(*git));
}
