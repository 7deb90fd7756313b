/* SPDX-License-Identifier: Apache-2.0 */
/* How a file of JSON is laid out, and new values in the same way. */
#ifndef JEZERO_CLIENT_JSONC_LAYOUT_H
#define JEZERO_CLIENT_JSONC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "jsonc.h"

struct jsonc_layout {
    const char *line_end;
    struct jz__str unit; /* one step of the indent; borrowed from the file */
    struct jz__str base; /* in front of the line that a value begins on, … */
    size_t depth;        /* … with so many units behind it */
    bool is_inline;      /* on one line */
};

/* That of the file: its first line end, the indent of its first member. */
struct jsonc_layout jsonc_layout_of(const struct jsonc *doc);

/* The white space that the line of this byte begins with. */
struct jz__str jsonc_layout_indent(const struct jsonc *doc, size_t at);

/* Is there nothing in front of this byte on its line, comments not counted? */
bool jsonc_layout_begins_line(const struct jsonc *doc, size_t at);

/* A line end and what the next line begins with, `deeper` units further in. */
void jsonc_layout_put_line(struct jz__buf *out,
                           const struct jsonc_layout *layout, size_t deeper);

/* Append compact, valid JSON laid out. Behind the opening bracket of what is
 * not empty there is always white space (jsonc_edit.c). 0, or JZ_ENOMEM. */
int jsonc_layout_put(struct jz__buf *out, const char *value,
                     const struct jsonc_layout *layout);

#endif
