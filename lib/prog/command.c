/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame around a command. What could go wrong is said here, always as one
 * line on stderr that starts with the command; an answer is text for people or
 * the JSON as it is.
 */
#include "prog/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
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

int jz__command_fail(const struct jz__opts *opts, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_message(opts, format, arguments);
    va_end(arguments);
    return JZ__COMMAND_FAILED;
}

int jz__command_wrong(const struct jz__opts *opts, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_message(opts, format, arguments);
    va_end(arguments);
    return JZ__COMMAND_WRONG;
}

/* --- printing --- */

/* Flushed at once: a full disk shows only then, and a reader at the other end
 * of a pipe should not wait for the end of the program. */
int jz__command_put(const struct jz__opts *opts, const char *text)
{
    if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
        return jz__command_fail(opts, "cannot write the result: %s",
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
        return jz__command_fail(opts, "%s", error.message);
    }
    return jz__command_put(opts, text.data != NULL ? text.data : "");
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
        return jz__command_fail(opts, "out of memory");
    }
    return jz__command_put(opts, text.data);
}

int jz__command_print(const struct jz__opts *opts, const char *json,
                      jz__render_fn render)
{
    bool is_missing = jz__render_is_missing(json);
    int status;

    if (jz__opts_has(opts, "json")) {
        status = put_json(opts, json);
    } else if (is_missing) {
        status = jz__command_fail(opts, "the library has no item %s",
                                  opts->arguments[0]);
    } else {
        status = put_rendered(opts, json, render);
    }
    return status == 0 && is_missing ? JZ__COMMAND_FAILED : status;
}

/* --- arguments --- */

void jz__command_put_option(struct jz__buf *out, const struct jz__opts *opts,
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
void jz__command_put_query(struct jz__buf *out, const struct jz__opts *opts,
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

bool jz__command_read_id(int64_t *out, const char *text)
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
