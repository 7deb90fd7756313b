/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of JSON with comments changed in place: one value goes in, out or is
 * another, and every other byte stays. Each call leaves doc read anew, so
 * tokens of before are worth nothing; after a failure doc is as it was.
 *
 * What goes in is laid out as the file is: its indent, its line ends, on one
 * line if the file is on one line.
 */
#ifndef JEZERO_CLIENT_JSONC_EDIT_H
#define JEZERO_CLIENT_JSONC_EDIT_H

#include <stddef.h>

#include "base/error.h"
#include "jsonc.h"

/*
 * Set the member at the end of a path of keys, which ends in a NULL; objects on
 * the way are made, and in an empty file the root as well. value is compact
 * JSON. JZ_EINVAL: there is something else than an object on the way.
 */
int jsonc_edit_put(struct jsonc *doc, const char *const *path,
                   const char *value, struct jz__error *error);

/* Add an element at the end of the array at the path, made like the objects of
 * jsonc_edit_put(). JZ_EINVAL: it is no array. */
int jsonc_edit_append(struct jsonc *doc, const char *const *path,
                      const char *value, struct jz__error *error);

/* Another value for a token; comments inside the old one go. */
int jsonc_edit_replace(struct jsonc *doc, size_t token, const char *value,
                       struct jz__error *error);

/*
 * Take out a member, by the token of its value, or an element. An array or
 * object that was made for it goes too, so that adding and removing give the
 * file of before; but for these: white space in an otherwise empty root, and an
 * empty file, which becomes {}.
 */
int jsonc_edit_remove(struct jsonc *doc, size_t token, struct jz__error *error);

#endif
