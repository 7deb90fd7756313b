/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame around every command. A command reads its options, opens the
 * library, makes one call and prints; what could go wrong on the way is said
 * here, once, and always as one line on stderr that starts with the command.
 */
#include "command.h"

#include <assert.h>
#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "prog/term.h"

/* --- messages --- */

/* The command stands in front, by the name that was typed. What follows is
 * brought on one line: it may hold file names and texts of a library, which
 * can hold anything. */
__attribute__((format(printf, 2, 0))) static void
put_message(const struct jz__opts *opts, const char *format, va_list arguments)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    char message[2048];

    vsnprintf(message, sizeof(message), format, arguments);
    jz__utf8_one_line(&line, message, strlen(message));
    fprintf(stderr, "%s %s: %s\n", opts->called, opts->command->name,
            line.error == 0 && line.data != NULL ? line.data : "out of memory");
}

int command_fail(const struct jz__opts *opts, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_message(opts, format, arguments);
    va_end(arguments);
    return COMMAND_FAILED;
}

int command_wrong(const struct jz__opts *opts, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_message(opts, format, arguments);
    va_end(arguments);
    return COMMAND_WRONG;
}

/* The library says what is wrong with which file and what helps; where it has
 * nothing to say, the name of the code is better than nothing. */
int command_fail_library(const struct jz__opts *opts, const jz_library *lib,
                         int code)
{
    const char *message = jz_library_errmsg(lib);

    if (message == NULL || message[0] == '\0') {
        message = jz_strerror(code);
    }
    return command_fail(opts, "%s", message);
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

/* The configuration file to read, in *out. */
/* A file that was named is taken as it is, also when it is not there: then its
 * name stands in the message. */
static int choose_config(char **out, const struct jz__opts *opts)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    const char *given = jz__opts_value(opts, "config");
    struct jz__error error = { 0 };

    if (given != NULL) {
        *out = jz__mem_copy(given, strlen(given));
        return *out != NULL ? 0 : command_fail(opts, "out of memory");
    }
    command_put_folder(&folder, "XDG_CONFIG_HOME", ".config");
    if (folder.error != 0) {
        return command_fail(opts, "out of memory");
    }
    return config_find(out, folder.data, &error) == 0
               ? 0
               : command_fail(opts, "%s", error.message);
}

int command_configure(struct command_library *out, const struct jz__opts *opts)
{
    struct jz__error error = { 0 };
    int status;

    memset(out, 0, sizeof(*out));
    status = choose_config(&out->config_file, opts);
    if (status != 0) {
        return status;
    }
    if (config_load(&out->config, out->config_file, command_home(), &error) <
        0) {
        return command_fail(opts, "%s", error.message);
    }
    out->path = out->config.library_path;
    return 0;
}

/* A library without configuration: defaults, and a path, which is borrowed. */
static int name_library(struct command_library *out,
                        const struct jz__opts *opts, const char *path)
{
    const struct config_origin origin = { "", "/", command_home() };
    struct jz__error error = { 0 };

    memset(out, 0, sizeof(*out));
    if (jz__opts_has(opts, "config")) {
        return command_wrong(opts, "--config and --library exclude each other");
    }
    /* An empty configuration: the library then runs with the defaults of a
     * file that says nothing, and both ways lead through one piece of code. */
    if (config_parse(&out->config, JZ__STR(""), &origin, &error) < 0) {
        return command_fail(opts, "%s", error.message);
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
        return command_fail(opts, "out of memory");
    }
    if (config_find(&config, folder.data, &error) == 0 ||
        access(path.data, F_OK) != 0) {
        return 0;
    }
    return jz__buf_take(out, &path) == 0 ? 0
                                         : command_fail(opts, "out of memory");
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
        return command_fail(opts, "out of memory");
    }
    return jz__file_mkdirs(folder, &error) == 0
               ? 0
               : command_fail(opts, "%s", error.message);
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
        return command_fail(opts, "out of memory");
    }
    r = jz_library_open(&library->lib, library->path, options.data);
    /* The one failure for which the library cannot know what helps. */
    if (r == JZ_ENOTFOUND && access != COMMAND_CREATES) {
        return command_fail(opts,
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
        status = command_configure(out, opts);
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

/* Flushed at once: a full disk shows only then, and a reader at the other end
 * of a pipe should not wait for the end of the program. */
int command_put(const struct jz__opts *opts, const char *text)
{
    if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
        return command_fail(opts, "cannot write the result: %s",
                            strerror(errno));
    }
    return 0;
}

/* Lines are broken to the width of a terminal and left whole for everything
 * else: what reads a pipe has its own idea of lines. */
static int put_rendered(const struct jz__opts *opts, const char *json,
                        jz__render_fn render)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    const struct jz__render_options options = {
        .width = jz__term_width(stdout),
        .has_color = jz__term_has_color(stdout),
    };
    struct jz__error error = { 0 };

    if (render(&text, json, &options, &error) < 0) {
        return command_fail(opts, "%s", error.message);
    }
    return command_put(opts, text.data != NULL ? text.data : "");
}

/* Byte for byte what the tool gives, unless a person looks at it. */
static int put_json(const struct jz__opts *opts, const char *json)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    if (jz__term_is_terminal(stdout)) {
        jz__term_json(&text, json, strlen(json));
    } else {
        jz__buf_puts(&text, json);
    }
    jz__buf_putc(&text, '\n');
    if (text.error != 0) {
        return command_fail(opts, "out of memory");
    }
    return command_put(opts, text.data);
}

int command_print(const struct jz__opts *opts, const jz_library *lib, int code,
                  char *json, jz__render_fn render)
{
    int status;

    /* The arguments of the reads are all that can be wrong here, and they were
     * typed: wrong usage, in the words that an agent would get. */
    if (code == JZ_EINVAL) {
        return command_wrong(opts, "%s", jz_library_errmsg(lib));
    }
    if (code < 0) {
        return command_fail_library(opts, lib, code);
    }
    assert(json != NULL);
    if (jz__opts_has(opts, "json")) {
        status = put_json(opts, json);
    } else if (jz__render_is_missing(json)) {
        status = command_fail(opts, "the library has no such item");
    } else {
        status = put_rendered(opts, json, render);
    }
    if (status == 0 && jz__render_is_missing(json)) {
        status = COMMAND_FAILED;
    }
    jz_free(json);
    return status;
}

/* --- arguments --- */

void command_put_option(struct jz__buf *out, const struct jz__opts *opts,
                        const char *option, const char *key)
{
    const char *value = jz__opts_value(opts, option);

    if (value != NULL) {
        jz__json_put_key(out, key);
        jz__json_put_str(out, value);
    }
}

/* Words may be given as one argument or as many; quotes that are to reach the
 * query need quoting in the shell in any case. */
void command_put_query(struct jz__buf *out, const struct jz__opts *opts,
                       size_t first)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf query = JZ__BUF_INIT;
    size_t i;

    for (i = first; i < opts->argument_count; i++) {
        jz__buf_printf(&query, "%s%s", i > first ? " " : "",
                       opts->arguments[i]);
    }
    if (query.error != 0) {
        out->error = query.error;
    } else if (query.length > 0) {
        jz__json_put_key(out, "query");
        jz__json_put_text(out, query.data, query.length);
    }
}

bool command_read_id(int64_t *out, const char *text)
{
    size_t length = strlen(text);
    bool is_cited = length > 2 && text[0] == '[' && text[length - 1] == ']';
    size_t digits;
    int64_t id = 0;
    size_t i;

    if (is_cited) {
        text++;
        length -= 2;
    }
    digits = strspn(text, "0123456789");
    if (digits == 0 || digits != length) {
        return false;
    }
    for (i = 0; i < digits; i++) {
        if (__builtin_mul_overflow(id, 10, &id) ||
            __builtin_add_overflow(id, text[i] - '0', &id)) {
            return false;
        }
    }
    *out = id;
    return id > 0;
}
