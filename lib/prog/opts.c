/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line in one pass over argv. Options may stand anywhere, also in
 * front of the command, so the command is looked for first: it is the first
 * word that is neither an option nor an option's value. For that a name must
 * take a value in every command or in none, which a program's tables have to
 * keep to.
 *
 * A wrong word is answered with the nearest right one by edit distance, if one
 * is near: a far guess would be taken for advice.
 */
#include "prog/opts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "jezero.h"
#include "prog/streams.h"

#define DISTANCE_MAX 100

/* Column at which the help's second column begins. */
#define HELP_COLUMN 26

/* --- finding --- */

/* Levenshtein's distance with one row of the table. Words of a command line
 * are short; a long one is cut off from the quadratic work and counts as
 * entirely different. */
size_t jz__opts_distance(const char *a, const char *b)
{
    size_t row[DISTANCE_MAX + 1];
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    size_t i;
    size_t j;

    if (a_length > DISTANCE_MAX || b_length > DISTANCE_MAX) {
        return a_length > b_length ? a_length : b_length;
    }
    for (j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (i = 1; i <= a_length; i++) {
        size_t corner = row[0]; /* the cell up and to the left */

        row[0] = i;
        for (j = 1; j <= b_length; j++) {
            size_t best = corner + (a[i - 1] != b[j - 1]);

            corner = row[j];
            if (row[j] + 1 < best) {
                best = row[j] + 1;
            }
            if (row[j - 1] + 1 < best) {
                best = row[j - 1] + 1;
            }
            row[j] = best;
        }
    }
    return row[b_length];
}

bool jz__opts_is_near(const char *a, const char *b)
{
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    size_t longer = a_length > b_length ? a_length : b_length;

    return jz__opts_distance(a, b) <= (longer + 1) / 2;
}

/* Tables are short: each search goes from the front. */
static const struct jz__opts_command *
find_command(const struct jz__opts_program *program, const char *name)
{
    const struct jz__opts_command *command;

    for (command = program->commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

/* By a slice, because in --name=value the name does not end in a NUL. */
static const struct jz__opts_option *
find_option(const struct jz__opts_command *command, struct jz__str name)
{
    const struct jz__opts_option *option;

    for (option = command->options; option->name != NULL; option++) {
        if (jz__str_is(name, option->name)) {
            return option;
        }
    }
    return NULL;
}

/* Of two at one distance the first in the table: help and tables put the
 * common ones first. NULL: none is near. */
static const char *nearest_command(const struct jz__opts_program *program,
                                   const char *name)
{
    const struct jz__opts_command *command;
    const char *nearest = NULL;
    size_t least = SIZE_MAX;

    for (command = program->commands; command->name != NULL; command++) {
        size_t distance = jz__opts_distance(name, command->name);

        if (distance < least) {
            least = distance;
            nearest = command->name;
        }
    }
    return nearest != NULL && jz__opts_is_near(name, nearest) ? nearest : NULL;
}

/* "help" and "version" are options of every command. NULL: none is near. */
static const char *nearest_option(const struct jz__opts_command *command,
                                  const char *name)
{
    const struct jz__opts_option *option;
    const char *nearest = "help";
    size_t least = jz__opts_distance(name, "help");

    if (jz__opts_distance(name, "version") < least) {
        least = jz__opts_distance(name, "version");
        nearest = "version";
    }
    for (option = command->options; option->name != NULL; option++) {
        size_t distance = jz__opts_distance(name, option->name);

        if (distance < least) {
            least = distance;
            nearest = option->name;
        }
    }
    return jz__opts_is_near(name, nearest) ? nearest : NULL;
}

/* Does any command have this option with a value? */
static bool takes_value(const struct jz__opts_program *program,
                        const char *name)
{
    const struct jz__opts_command *command;

    for (command = program->commands; command->name != NULL; command++) {
        const struct jz__opts_option *option =
            find_option(command, jz__str_of(name));

        if (option != NULL) {
            return option->value != NULL;
        }
    }
    return false;
}

/* A lone dash is an argument, by custom stdin or stdout. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* The place of the command in argv, or argc. */
/* Behind `--` no word can be a command, because only arguments of a command
 * may stand there. */
static int find_command_word(const struct jz__opts_program *program, int argc,
                             char **argv)
{
    int i;

    for (i = 1; i < argc; i++) {
        if (!is_option(argv[i])) {
            return i;
        }
        if (strcmp(argv[i], "--") == 0) {
            return argc;
        }
        if (strncmp(argv[i], "--", 2) == 0 &&
            takes_value(program, argv[i] + 2)) {
            i++;
        }
    }
    return argc;
}

/* --- help --- */

/* What does not fit into the first column gets a line of its own. */
static void put_columns(struct jz__buf *out, const char *left,
                        const char *right)
{
    int width = (int)jz__utf8_count(left, strlen(left));

    jz__buf_printf(out, "  %s", left);
    if (width > HELP_COLUMN - 4) {
        jz__buf_printf(out, "\n  %*s", HELP_COLUMN - 2, "");
    } else {
        jz__buf_printf(out, "%*s", HELP_COLUMN - 2 - width, "");
    }
    jz__buf_printf(out, "%s\n", right);
}

static void put_common_options(struct jz__buf *out)
{
    put_columns(out, "-h, --help", "print this help");
    put_columns(out, "--version", "print the version");
}

/* One line a command. What each of them takes is its own --help. */
static void put_program_help(struct jz__buf *out,
                             const struct jz__opts_program *program,
                             const char *called)
{
    const struct jz__opts_command *command;

    jz__buf_printf(out, "%s: %s\n\nUsage: %s COMMAND [OPTION…]\n\nCommands:\n",
                   called, program->summary, called);
    for (command = program->commands; command->name != NULL; command++) {
        put_columns(out, command->name, command->summary);
    }
    jz__buf_puts(out, "\nOptions:\n");
    put_common_options(out);
    jz__buf_printf(out, "\n'%s COMMAND --help' explains a command.\n", called);
}

/* The usage line, the sentence, the paragraphs of the table, the options. */
static void put_command_help(struct jz__buf *out, const char *called,
                             const struct jz__opts_command *command)
{
    const struct jz__opts_option *option;

    jz__buf_printf(out, "Usage: %s %s [OPTION…]%s%s\n\n%s.\n", called,
                   command->name, command->arguments[0] != '\0' ? " " : "",
                   command->arguments, command->summary);
    if (command->details != NULL) {
        jz__buf_printf(out, "\n%s\n", command->details);
    }
    jz__buf_puts(out, "\nOptions:\n");
    for (option = command->options; option->name != NULL; option++) {
        struct jz__buf left = JZ__BUF_INIT;

        jz__buf_printf(&left, "--%s%s%s", option->name,
                       option->value != NULL ? " " : "",
                       option->value != NULL ? option->value : "");
        if (left.error == 0) {
            put_columns(out, left.data, option->help);
        } else {
            out->error = left.error;
        }
        jz__buf_finish(&left);
    }
    put_common_options(out);
}

/* --- parsing --- */

/* What the functions below hand to each other; all of it is borrowed. */
struct parser {
    struct jz__opts *opts;
    struct jz__buf *text;
    int argc;
    char **argv;
    int command_word; /* its place in argv, or argc */
};

__attribute__((format(printf, 2, 3))) static enum jz__opts_outcome
wrong(struct parser *p, const char *format, ...)
{
    const struct jz__opts_command *command = p->opts->command;
    char why[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    /* What was typed is in it, and may be anything. */
    jz__buf_printf(p->text, "%s%s%s: ", p->opts->called,
                   command != NULL ? " " : "",
                   command != NULL ? command->name : "");
    jz__utf8_one_line(p->text, why, strlen(why));
    jz__buf_printf(p->text, "\nTry '%s%s%s --help'.\n", p->opts->called,
                   command != NULL ? " " : "",
                   command != NULL ? command->name : "");
    return JZ__OPTS_WRONG;
}

/* One option; *at is its place and moves on to its value. */
static enum jz__opts_outcome take_option(struct parser *p, int *at)
{
    const struct jz__opts_command *command = p->opts->command;
    const char *word = p->argv[*at];
    const char *equals = strchr(word, '=');
    struct jz__str name = { word + 2, equals != NULL
                                          ? (size_t)(equals - word) - 2
                                          : strlen(word) - 2 };
    const struct jz__opts_option *option = find_option(command, name);
    struct jz__opts_given *given;

    if (option == NULL) {
        char shown[DISTANCE_MAX + 1];
        const char *nearest;

        snprintf(shown, sizeof(shown), "%.*s", (int)name.length, name.data);
        nearest = nearest_option(command, shown);
        return nearest != NULL ? wrong(p, "unknown option --%s (nearest: --%s)",
                                       shown, nearest)
                               : wrong(p, "unknown option --%s", shown);
    }
    given = &p->opts->given[p->opts->given_count++];
    given->option = option;
    given->value = "";
    if (option->value == NULL) {
        return equals == NULL ? JZ__OPTS_RUN
                              : wrong(p, "--%s takes no value", option->name);
    }
    if (equals != NULL) {
        given->value = equals + 1;
        return JZ__OPTS_RUN;
    }
    if (*at + 1 >= p->argc) {
        return wrong(p, "--%s needs a value: %s", option->name, option->value);
    }
    (*at)++;
    given->value = p->argv[*at];
    return JZ__OPTS_RUN;
}

/* -h is the one short option: everybody tries it. */
static bool asks(const char *word, const char *letter, const char *name)
{
    return strcmp(word, name) == 0 ||
           (letter != NULL && strcmp(word, letter) == 0);
}

/* --help and --version win over every fault of the line, as far as it goes
 * before `--`: who asks for help has often just mistyped something. */
static bool answer_questions(struct parser *p)
{
    const struct jz__opts *opts = p->opts;
    int i;

    for (i = 1; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
        if (asks(p->argv[i], "-h", "--help")) {
            if (opts->command != NULL) {
                put_command_help(p->text, opts->called, opts->command);
            } else {
                put_program_help(p->text, opts->program, opts->called);
            }
            return true;
        }
        if (asks(p->argv[i], NULL, "--version")) {
            jz__buf_printf(p->text, "%s %s\n", opts->program->name,
                           opts->program->version);
            return true;
        }
    }
    return false;
}

/* Options and arguments in any order. How many arguments there may be is
 * looked at when all are known, so that a wrong option is named first. */
static enum jz__opts_outcome parse_words(struct parser *p)
{
    bool only_arguments = false;
    int i;

    for (i = 1; i < p->argc; i++) {
        const char *word = p->argv[i];

        if (i == p->command_word) {
            continue;
        }
        if (only_arguments || !is_option(word)) {
            p->opts->arguments[p->opts->argument_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_arguments = true;
        } else if (word[1] != '-') {
            return wrong(p, "unknown option %s (options have long names)",
                         word);
        } else {
            enum jz__opts_outcome outcome = take_option(p, &i);
            if (outcome != JZ__OPTS_RUN) {
                return outcome;
            }
        }
    }
    if (p->opts->argument_count < p->opts->command->least) {
        return wrong(p, "an argument is missing: %s",
                     p->opts->command->arguments);
    }
    if (p->opts->argument_count > p->opts->command->most) {
        return wrong(p, "unexpected argument '%s'",
                     p->opts->arguments[p->opts->command->most]);
    }
    return JZ__OPTS_RUN;
}

static enum jz__opts_outcome miss_name(struct parser *p, const char *name)
{
    const char *nearest = nearest_command(p->opts->program, name);

    return nearest != NULL
               ? wrong(p, "unknown command '%s' (nearest: %s)", name, nearest)
               : wrong(p, "unknown command '%s'", name);
}

/* No command: what stands there instead, if it is wrong by itself. An option of
 * some command, or nothing at all, is answered with what there is. */
static enum jz__opts_outcome miss_command(struct parser *p)
{
    const struct jz__opts *opts = p->opts;
    const char *word = p->argc > 1 ? p->argv[1] : "";
    const struct jz__opts_command *command = opts->program->commands;

    if (word[0] == '-' && word[1] != '-' && word[1] != '\0') {
        return wrong(p, "unknown option %s (options have long names)", word);
    }
    if (strncmp(word, "--", 2) == 0 && word[2] != '\0') {
        struct jz__str name = { word + 2, strcspn(word + 2, "=") };

        while (command->name != NULL && find_option(command, name) == NULL) {
            command++;
        }
        if (command->name == NULL) {
            return wrong(p, "unknown option %s", word);
        }
    }
    put_program_help(p->text, opts->program, opts->called);
    return JZ__OPTS_WRONG;
}

/* A program without a command of this name takes `help` and `help COMMAND` for
 * --help. */
static enum jz__opts_outcome answer_help(struct parser *p)
{
    struct jz__opts *opts = p->opts;
    const char *about =
        p->command_word + 1 < p->argc ? p->argv[p->command_word + 1] : NULL;
    const struct jz__opts_command *command =
        about != NULL ? find_command(opts->program, about) : NULL;

    if (about == NULL) {
        put_program_help(p->text, opts->program, opts->called);
        return JZ__OPTS_TEXT;
    }
    if (command == NULL) {
        return miss_name(p, about);
    }
    put_command_help(p->text, opts->called, command);
    return JZ__OPTS_TEXT;
}

/* The last part of argv[0], for messages and help that show what was typed. */
static const char *called_name(const struct jz__opts_program *program, int argc,
                               char **argv)
{
    const char *slash;

    if (argc < 1 || argv[0] == NULL || argv[0][0] == '\0') {
        return program->name;
    }
    slash = strrchr(argv[0], '/');
    return slash != NULL ? slash + 1 : argv[0];
}

enum jz__opts_outcome jz__opts_parse(struct jz__opts *opts,
                                     const struct jz__opts_program *program,
                                     int argc, char **argv,
                                     struct jz__buf *text)
{
    struct parser p = { opts, text, argc, argv, 0 };
    const char *name;

    assert(opts != NULL && program != NULL && text != NULL);
    memset(opts, 0, sizeof(*opts));
    opts->program = program;
    opts->called = called_name(program, argc, argv);
    p.command_word = find_command_word(program, argc, argv);
    name = p.command_word < argc ? argv[p.command_word] : NULL;
    opts->command = name != NULL ? find_command(program, name) : NULL;
    if (answer_questions(&p)) {
        return JZ__OPTS_TEXT;
    }
    if (name == NULL) {
        return miss_command(&p);
    }
    if (opts->command == NULL) {
        return strcmp(name, "help") == 0 ? answer_help(&p)
                                         : miss_name(&p, name);
    }
    /* There are fewer options and arguments than words. */
    opts->given = calloc((size_t)argc, sizeof(*opts->given));
    opts->arguments = calloc((size_t)argc, sizeof(*opts->arguments));
    if (opts->given == NULL || opts->arguments == NULL) {
        text->error = JZ_ENOMEM;
        return JZ__OPTS_WRONG;
    }
    return parse_words(&p);
}

void jz__opts_finish(struct jz__opts *opts)
{
    free(opts->given);
    free(opts->arguments);
    opts->given = NULL;
    opts->given_count = 0;
    opts->arguments = NULL;
    opts->argument_count = 0;
}

/* The last one counts. */
const char *jz__opts_value(const struct jz__opts *opts, const char *name)
{
    const char *value = NULL;
    const char *next;
    size_t n;

    for (n = 0; (next = jz__opts_nth(opts, name, n)) != NULL; n++) {
        value = next;
    }
    return value;
}

/* Asking for an option that the command does not have is a mistake of the
 * program, and found by the first test that runs the command. */
const char *jz__opts_nth(const struct jz__opts *opts, const char *name,
                         size_t n)
{
    const struct jz__opts_option *option =
        find_option(opts->command, jz__str_of(name));
    size_t i;

    assert(option != NULL);
    for (i = 0; i < opts->given_count; i++) {
        if (opts->given[i].option == option && n-- == 0) {
            return opts->given[i].value;
        }
    }
    return NULL;
}

bool jz__opts_has(const struct jz__opts *opts, const char *name)
{
    return jz__opts_value(opts, name) != NULL;
}

int jz__opts_main(const struct jz__opts_program *program, int argc, char **argv)
{
    JZ_CLEANUP(jz__opts_finish) struct jz__opts opts = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    enum jz__opts_outcome outcome;
    FILE *stream;

    /* Nobody may be there to be told why. */
    if (!jz__streams_reserve()) {
        return EXIT_FAILURE;
    }
    outcome = jz__opts_parse(&opts, program, argc, argv, &text);
    stream = outcome == JZ__OPTS_TEXT ? stdout : stderr;
    if (text.error != 0) {
        fprintf(stderr, "%s: out of memory\n", program->name);
        return EXIT_FAILURE;
    }
    if (outcome == JZ__OPTS_RUN) {
        return opts.command->run(&opts);
    }
    fputs(text.data != NULL ? text.data : "", stream);
    /* A help that could not be written is a failure like any other result. */
    if (fflush(stream) != 0) {
        return EXIT_FAILURE;
    }
    return outcome == JZ__OPTS_TEXT ? EXIT_SUCCESS : 2;
}
