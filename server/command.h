/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands have in common: which library they work on, how they print
 * an answer and how they fail.
 */
#ifndef JEZERO_SERVER_COMMAND_H
#define JEZERO_SERVER_COMMAND_H

#include <stdbool.h>

#include "base/buf.h"
#include "config.h"
#include "jezero.h"
#include "prog/opts.h"
#include "prog/render.h"

/* Exit statuses: done is 0, wrong usage the last. */
#define COMMAND_FAILED 1
#define COMMAND_WRONG 2

enum command_access {
    COMMAND_READS,   /* the library must be there and is not written to */
    COMMAND_WRITES,  /* it must be there */
    COMMAND_CREATES, /* it is made, with the folder that a configuration names */
};

struct command_library {
    jz_library *lib;
    const char *path;     /* of the library */
    char *config_file;    /* NULL: a library without configuration */
    char *found_path;     /* behind .path, when it is that of `up` */
    struct config config; /* defaults without a file */
};

/*
 * Open the library that --config or --library names. 0, or an exit status: the
 * reason is on stderr. To be closed in any case.
 */
int command_open(struct command_library *out, const struct jz__opts *opts,
                 enum command_access access);
void command_close(struct command_library *library);

/* Read the configuration that --config names, or the default one, without
 * opening the library. */
int command_configure(struct command_library *out, const struct jz__opts *opts);

/* "jezero-server search: <message>" on stderr; returns COMMAND_FAILED. */
int command_fail(const struct jz__opts *opts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what was typed wrong; returns COMMAND_WRONG. */
int command_wrong(const struct jz__opts *opts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fail with what the library says of its last call. */
int command_fail_library(const struct jz__opts *opts, const jz_library *lib,
                         int code);

/*
 * Print a call's result, which is freed: the JSON itself with --json, else as
 * render has it. A negative code is the call's failure; JZ_EINVAL is then the
 * user's mistake. {"found":false} fails too.
 */
int command_print(const struct jz__opts *opts, const jz_library *lib, int code,
                  char *json, jz__render_fn render);

/* Write text to stdout: 0, or the status of a failure. */
int command_put(const struct jz__opts *opts, const char *text);

/* Run the housekeeping to its end. */
int command_maintain(const struct jz__opts *opts, jz_library *lib);

/* The home folder. Never NULL. */
const char *command_home(void);

/* Append $name, or home joined with fallback where it is not an absolute path:
 * the rule of XDG for its folders. */
void command_put_folder(struct jz__buf *out, const char *name,
                        const char *fallback);

/* --- arguments of the reads --- */

/* Append `"key":"value"` if the option was given. */
void command_put_option(struct jz__buf *out, const struct jz__opts *opts,
                        const char *option, const char *key);

/* Append `"query":"…"`: the arguments from `first` on, joined by blanks. */
void command_put_query(struct jz__buf *out, const struct jz__opts *opts,
                       size_t first);

/* An item's id as agents cite it, "12" or "[12]". False: it is none. */
bool command_read_id(int64_t *out, const char *text);

#endif
