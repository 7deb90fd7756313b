/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame around every command of this program. A command reads its options,
 * opens the library, makes one call and prints; which library that is, and what
 * the library says of a failure, is found here.
 */
#include "command.h"

#include <assert.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"

/* The library says what is wrong with which file and what helps; where it has
 * nothing to say, the name of the code is better than nothing. */
int command_fail_library(const struct jz__opts *opts, const jz_library *lib,
                         int code)
{
    const char *message = jz_library_errmsg(lib);

    if (message == NULL || message[0] == '\0') {
        message = jz_strerror(code);
    }
    return jz__command_fail(opts, "%s", message);
}

/* --- folders --- */

/* A service may run without HOME; the user database knows it then. */
const char *command_home(void)
{
    const char *home = getenv("HOME");
    const struct passwd *user;

    if (home != NULL && home[0] == '/') {
        return home;
    }
    user = getpwuid(getuid());
    return user != NULL && user->pw_dir != NULL ? user->pw_dir : "/";
}

/* A relative value is ignored, as the specification of these variables says:
 * it would mean another folder in each terminal. */
void command_put_folder(struct jz__buf *out, const char *name,
                        const char *fallback)
{
    const char *value = getenv(name);

    if (value != NULL && value[0] == '/') {
        jz__buf_puts(out, value);
    } else {
        jz__path_join(out, command_home(), fallback);
    }
}

/* --- the library --- */

/* What to do where there is no configuration, which is not the same for all. */
static const char needs_config[] =
    "no configuration: make one with `jezero-server init`, or name it with "
    "--config FILE";
static const char makes_library[] =
    "no configuration: make one with `jezero-server init`, or name it with "
    "--config FILE, or a library with --library FILE";
static const char reads_library[] =
    "no library yet: `jezero-server up` makes one; or name a configuration "
    "with --config FILE, or a library with --library FILE";

/* The configuration file to read, in *out. */
/* A file that was named is taken as it is, also when it is not there: then its
 * name stands in the message. */
static int choose_config(char **out, const struct jz__opts *opts,
                         const char *hint)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    const char *given = jz__opts_value(opts, "config");
    struct jz__error error = { 0 };

    if (given != NULL) {
        *out = jz__mem_copy(given, strlen(given));
        return *out != NULL ? 0 : jz__command_fail(opts, "out of memory");
    }
    command_put_folder(&folder, "XDG_CONFIG_HOME", ".config");
    if (folder.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    return config_find(out, folder.data, &error) == 0
               ? 0
               : jz__command_fail(opts, "%s (%s)", hint, error.message);
}

static int configure(struct command_library *out, const struct jz__opts *opts,
                     const char *hint)
{
    struct jz__error error = { 0 };
    int status;

    memset(out, 0, sizeof(*out));
    out->is_named = jz__opts_has(opts, "config");
    status = choose_config(&out->config_file, opts, hint);
    if (status != 0) {
        return status;
    }
    if (config_load(&out->config, out->config_file, command_home(), &error) <
        0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    out->path = out->config.library_path;
    return 0;
}

int command_configure(struct command_library *out, const struct jz__opts *opts)
{
    return configure(out, opts, needs_config);
}

/* A library without configuration: defaults, and a path, which is borrowed. */
static int name_library(struct command_library *out,
                        const struct jz__opts *opts, const char *path)
{
    const struct config_origin origin = { "", "/", command_home() };
    struct jz__error error = { 0 };

    memset(out, 0, sizeof(*out));
    if (jz__opts_has(opts, "config")) {
        return jz__command_wrong(opts,
                                 "--config and --library exclude each other");
    }
    /* An empty configuration: the library then runs with the defaults of a
     * file that says nothing, and both ways lead through one piece of code. */
    if (config_parse(&out->config, JZ__STR(""), &origin, &error) < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    out->path = path;
    return 0;
}

/*
 * Neither option, no configuration, but `up` has made a library for this user:
 * that one is meant. *out is its path, or NULL; the caller frees it.
 */
static int find_library_of_up(char **out, const struct jz__opts *opts)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep) char *config = NULL;
    struct jz__error error = { 0 };

    *out = NULL;
    command_put_folder(&folder, "XDG_CONFIG_HOME", ".config");
    command_put_folder(&path, "XDG_DATA_HOME", ".local/share");
    jz__buf_puts(&path, "/jezero/jezero.db");
    if (folder.error != 0 || path.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    if (config_find(&config, folder.data, &error) == 0 ||
        access(path.data, F_OK) != 0) {
        return 0;
    }
    return jz__buf_take(out, &path) == 0
               ? 0
               : jz__command_fail(opts, "out of memory");
}

/* The folder that a configuration names for its library is made; one that was
 * typed is not: it may be a slip. */
static int make_folder(const struct command_library *library,
                       const struct jz__opts *opts)
{
    struct jz__str parent = jz__path_parent(library->path);
    JZ_CLEANUP(jz__mem_freep)
    char *folder = jz__mem_copy(parent.data, parent.length);
    struct jz__error error = { 0 };

    if (folder == NULL) {
        return jz__command_fail(opts, "out of memory");
    }
    return jz__file_mkdirs(folder, &error) == 0
               ? 0
               : jz__command_fail(opts, "%s", error.message);
}

static int open_library(struct command_library *library,
                        const struct jz__opts *opts, enum command_access access)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf options = JZ__BUF_INIT;
    int r;

    jz__buf_putc(&options, '{');
    /* A read must not make a library: a slip in its name would give an empty
     * one, which answers every search with nothing. */
    jz__json_put_key(&options, "create");
    jz__json_put_bool(&options, access == COMMAND_CREATES);
    jz__json_put_key(&options, "read_only");
    jz__json_put_bool(&options, access == COMMAND_READS);
    config_put_library_options(&options, &library->config, command_home());
    jz__buf_putc(&options, '}');
    if (options.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    r = jz_library_open(&library->lib, library->path, options.data);
    /* The one failure for which the library cannot know what helps. */
    if (r == JZ_ENOTFOUND && access != COMMAND_CREATES) {
        return jz__command_fail(
            opts,
            "there is no library %s: import and ingest make "
            "one",
            library->path);
    }
    return r < 0 ? command_fail_library(opts, library->lib, r) : 0;
}

int command_open(struct command_library *out, const struct jz__opts *opts,
                 enum command_access access)
{
    JZ_CLEANUP(jz__mem_freep) char *found = NULL;
    int status = 0;

    /* What makes a library is told which one: it may not be meant for that. */
    if (!jz__opts_has(opts, "library") && !jz__opts_has(opts, "config") &&
        access != COMMAND_CREATES) {
        status = find_library_of_up(&found, opts);
    }
    if (status != 0) {
        memset(out, 0, sizeof(*out));
        return status;
    }
    if (found != NULL) {
        status = name_library(out, opts, found);
        out->found_path = jz__mem_steal(&found);
    } else if (jz__opts_has(opts, "library")) {
        status = name_library(out, opts, jz__opts_value(opts, "library"));
    } else {
        status = configure(out, opts,
                           access == COMMAND_CREATES ? makes_library
                                                     : reads_library);
    }
    if (status == 0 && access == COMMAND_CREATES && out->config_file != NULL) {
        status = make_folder(out, opts);
    }
    return status == 0 ? open_library(out, opts, access) : status;
}

void command_close(struct command_library *library)
{
    jz_library_close(library->lib);
    config_finish(&library->config);
    free(library->config_file);
    free(library->found_path);
    memset(library, 0, sizeof(*library));
}

/* In short steps, each a transaction of its own, so that a server that runs
 * beside it never waits long for the lock. */
int command_maintain(const struct jz__opts *opts, jz_library *lib)
{
    int more = 1;

    while (more != 0) {
        int r = jz_maintain(&more, lib);
        if (r < 0) {
            return command_fail_library(opts, lib, r);
        }
    }
    return 0;
}

/* --- printing --- */

int command_print(const struct jz__opts *opts, const jz_library *lib, int code,
                  char *json, jz__render_fn render)
{
    int status;

    /* The arguments of the reads are all that can be wrong here, and they were
     * typed: wrong usage, in the words that an agent would get. */
    if (code == JZ_EINVAL) {
        return jz__command_wrong(opts, "%s", jz_library_errmsg(lib));
    }
    if (code < 0) {
        return command_fail_library(opts, lib, code);
    }
    assert(json != NULL);
    status = jz__command_print(opts, json, render);
    jz_free(json);
    return status;
}

/* --- what was asked for --- */

static bool has_items(jz_library *lib, const char *key, const char *value)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    char *json = NULL;
    bool has_none = false;

    jz__buf_puts(&arguments, "{\"limit\":1");
    jz__json_put_key(&arguments, key);
    jz__json_put_str(&arguments, value);
    jz__buf_putc(&arguments, '}');
    if (arguments.error == 0 &&
        jz_timeline(&json, lib, NULL, arguments.data) == 0 &&
        jz__json_parse(&answer, json, strlen(json), NULL) == 0) {
        has_none = cJSON_GetArraySize(jz__json_get(answer, "items")) == 0;
    }
    jz_free(json);
    return !has_none;
}

void command_tell_filters(const struct jz__opts *opts, jz_library *lib)
{
    static const char *const filters[] = { "project", "source" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(filters); i++) {
        const char *value = jz__opts_value(opts, filters[i]);

        if (value != NULL && !has_items(lib, filters[i], value)) {
            (void)jz__command_fail(opts, "no item is of %s '%s'", filters[i],
                                   value);
        }
    }
}
