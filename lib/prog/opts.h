/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines of a program with commands: parsing, --help and --version from
 * static tables, so that what the help says is what the parser takes.
 */
#ifndef JZ_PROG_OPTS_H
#define JZ_PROG_OPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Most options of one command, -h and --version not counted. */
#define JZ__OPTS_MAX 16

struct jz__opts_option {
    const char *name;  /* without dashes; NULL ends a table */
    const char *value; /* what its value is called, "PORT"; NULL: a flag */
    const char *help;  /* one line */
};

struct jz__opts;

struct jz__opts_command {
    const char *name;      /* NULL ends a table */
    const char *arguments; /* as the usage line shows them, "[PATH…]"; "" */
    const char *summary;   /* one line */
    const char *details;   /* further paragraphs of --help, or NULL */
    const struct jz__opts_option *options;
    size_t least;                            /* arguments */
    size_t most;                             /* SIZE_MAX: any number */
    int (*run)(const struct jz__opts *opts); /* returns the exit status */
};

struct jz__opts_program {
    const char *name;
    const char *summary;
    const char *version;
    const struct jz__opts_command *commands;
};

/* An option as it was given; its value is "" for a flag. */
struct jz__opts_given {
    const struct jz__opts_option *option;
    const char *value;
};

struct jz__opts {
    const struct jz__opts_program *program;
    const char *called; /* the name the program was called by */
    const struct jz__opts_command *command;
    struct jz__opts_given *given; /* in the order of the command line */
    size_t given_count;
    const char **arguments;
    size_t argument_count;
};

enum jz__opts_outcome {
    JZ__OPTS_RUN,   /* opts is filled */
    JZ__OPTS_TEXT,  /* help or version was asked for: print text, exit 0 */
    JZ__OPTS_WRONG, /* wrong usage: print text to stderr, exit 2 */
};

/*
 * Parse argv. What is to be printed is appended to text, with its line end.
 * *opts borrows argv and must be finished; it holds nothing unless the outcome
 * is JZ__OPTS_RUN. Out of memory shows in text->error.
 */
enum jz__opts_outcome jz__opts_parse(struct jz__opts *opts,
                                     const struct jz__opts_program *program,
                                     int argc, char **argv,
                                     struct jz__buf *text);

void jz__opts_finish(struct jz__opts *opts);

/* The option's value, or NULL if it was not given. Of two the last counts. The
 * name must be in the command's table. */
const char *jz__opts_value(const struct jz__opts *opts, const char *name);
/* Value n, from 0 on, of an option that may be given more than once; NULL: it was
 * not given so often. */
const char *jz__opts_nth(const struct jz__opts *opts, const char *name,
                         size_t n);

bool jz__opts_has(const struct jz__opts *opts, const char *name);

/* Parse, print what is due, run the command: the program's exit status. */
int jz__opts_main(const struct jz__opts_program *program, int argc,
                  char **argv);

/* Is b near enough to a to be what was meant? At most half of the longer one
 * differs, rounded up: of three letters two may be swapped. */
bool jz__opts_is_near(const char *a, const char *b);

/* Edits (insert, delete, replace a byte) that make b of a. Texts of more than
 * 100 bytes count as entirely different. */
size_t jz__opts_distance(const char *a, const char *b);

#endif
