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
#include "prog/command.h"
#include "prog/opts.h"
#include "prog/render.h"

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
    bool is_named;        /* .config_file is what --config says */
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
 * opening the library: for commands that cannot do without one. */
int command_configure(struct command_library *out, const struct jz__opts *opts);

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

/* Run the housekeeping to its end. */
int command_maintain(const struct jz__opts *opts, jz_library *lib);

/* The home folder. Never NULL. */
const char *command_home(void);

/* Append $name, or home joined with fallback where it is not an absolute path:
 * the rule of XDG for its folders. */
void command_put_folder(struct jz__buf *out, const char *name,
                        const char *fallback);

/* --- arguments of the reads --- */

/* Say on stderr which of --project and --source no item has, if one was given:
 * an answer without items would look as if nothing was found. */
void command_tell_filters(const struct jz__opts *opts, jz_library *lib);

#endif
