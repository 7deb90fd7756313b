/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of both programs have in common: how they fail, the arguments
 * of the reads, and how an answer is printed. */
#ifndef JZ_PROG_COMMAND_H
#define JZ_PROG_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "prog/opts.h"
#include "prog/render.h"

/* Exit statuses: done is 0, wrong usage the last. */
#define JZ__COMMAND_FAILED 1
#define JZ__COMMAND_WRONG 2

/* "jezero-server search: <message>" on stderr, on one line; returns
 * JZ__COMMAND_FAILED. */
int jz__command_fail(const struct jz__opts *opts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what was typed wrong; returns JZ__COMMAND_WRONG. */
int jz__command_wrong(const struct jz__opts *opts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Write text to stdout: 0, or the status of a failure. */
int jz__command_put(const struct jz__opts *opts, const char *text);

/* Print a tool's result: the JSON itself with --json, else as render has it.
 * {"found":false} fails. */
int jz__command_print(const struct jz__opts *opts, const char *json,
                      jz__render_fn render);

/* --- arguments of the reads --- */

/* Append `"key":"value"` if the option was given. */
void jz__command_put_option(struct jz__buf *out, const struct jz__opts *opts,
                            const char *option, const char *key);

/* Append `"query":"…"`: the arguments from `first` on, joined by blanks. */
void jz__command_put_query(struct jz__buf *out, const struct jz__opts *opts,
                           size_t first);

/* An item's id as agents cite it, "12" or "[12]". False: it is none. */
bool jz__command_read_id(int64_t *out, const char *text);

#endif
