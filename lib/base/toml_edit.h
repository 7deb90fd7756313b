/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TOML text changed in place, from front to back: each call names a byte of
 * the old text that is not in front of that of the call before.
 */
#ifndef JZ_BASE_TOML_EDIT_H
#define JZ_BASE_TOML_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/toml.h"

struct jz__toml_edit {
    struct jz__buf *out;  /* the new text; carries its own error */
    struct jz__str text;  /* the old one, which is valid TOML */
    size_t copied;        /* bytes of text that are dealt with */
    const char *line_end; /* as the file has it */
};

void jz__toml_edit_begin(struct jz__toml_edit *edit, struct jz__buf *out,
                         struct jz__str text);

/* Everything up to there as it was; everything up to there left out. */
void jz__toml_edit_copy(struct jz__toml_edit *edit, size_t at);
void jz__toml_edit_skip(struct jz__toml_edit *edit, size_t at);

/* Something new. */
void jz__toml_edit_put(struct jz__toml_edit *edit, const char *text);

/* Another value for a key. */
void jz__toml_edit_replace(struct jz__toml_edit *edit,
                           const struct jz__toml_value *member,
                           const char *value);

/* A pair behind a member of a table: a line below a header, `, key = value`
 * in {…}. */
void jz__toml_edit_put_pair(struct jz__toml_edit *edit,
                            const struct jz__toml_value *member,
                            const char *pair);

/* Leave a pair out, which is not the only one of its table. A comment on its
 * line stays. */
void jz__toml_edit_remove_pair(struct jz__toml_edit *edit,
                               const struct jz__toml_value *member);

/* --- the old text, by bytes --- */

/* The byte behind the line end, or the end of the text. */
size_t jz__toml_edit_next_line(const struct jz__toml_edit *edit, size_t at);

/* The first byte of the line; a byte order mark is no part of it. */
size_t jz__toml_edit_line_start(const struct jz__toml_edit *edit, size_t at);

/* The first byte from here on that is no blank or tab. */
size_t jz__toml_edit_skip_blanks(const struct jz__toml_edit *edit, size_t at);

bool jz__toml_edit_is_at(const struct jz__toml_edit *edit, size_t at, char c);

/* Nothing but blanks up to the end of the line? */
bool jz__toml_edit_is_blank(const struct jz__toml_edit *edit, size_t at);

#endif
