/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON that the jz_* calls and the MCP tools return, as text for people.
 * All item text is cleaned on the way (prog/term.h).
 */
#ifndef JZ_PROG_RENDER_H
#define JZ_PROG_RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct jz__render_options {
    int width; /* columns to break lines at; 0: never */
    bool has_color;
};

/*
 * Each appends text to out. JZ_EINVAL: the JSON is not what this call returns;
 * JZ_ENOMEM. An answer without results gives a sentence that says so.
 */
typedef int (*jz__render_fn)(struct jz__buf *out, const char *json,
                             const struct jz__render_options *options,
                             struct jz__error *error);

int jz__render_search(struct jz__buf *out, const char *json,
                      const struct jz__render_options *options,
                      struct jz__error *error);
int jz__render_item(struct jz__buf *out, const char *json,
                    const struct jz__render_options *options,
                    struct jz__error *error);
int jz__render_later(struct jz__buf *out, const char *json,
                     const struct jz__render_options *options,
                     struct jz__error *error);
int jz__render_timeline(struct jz__buf *out, const char *json,
                        const struct jz__render_options *options,
                        struct jz__error *error);
int jz__render_sources(struct jz__buf *out, const char *json,
                       const struct jz__render_options *options,
                       struct jz__error *error);
int jz__render_status(struct jz__buf *out, const char *json,
                      const struct jz__render_options *options,
                      struct jz__error *error);
int jz__render_check(struct jz__buf *out, const char *json,
                     const struct jz__render_options *options,
                     struct jz__error *error);

/* Is this the answer {"found": false}? */
bool jz__render_is_missing(const char *json);

#endif
