/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A working folder -> the name of its project. First match wins: paths, git,
 * roots; then aliases rename the outcome once.
 */
#ifndef JZ_PROJECT_RULES_H
#define JZ_PROJECT_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

/* A pair of texts: path -> project, or project -> project. */
struct jz__rules_pair {
    char *from;
    char *to;
};

struct jz__rules {
    struct jz__rules_pair *paths; /* .from normalized, ~ expanded */
    size_t path_count;
    char **roots;
    size_t root_count;
    struct jz__rules_pair *aliases;
    size_t alias_count;
    char *home; /* "" if unknown; never a project, as are / and .temp */
    char *temp;
};

/*
 * From {"paths": {…}, "roots": […], "aliases": {…}, "home": "…", "temp": "…"};
 * projects may be NULL. home (may be NULL) is used where the object gives none.
 * JZ_EINVAL: an unknown key or a value of a wrong kind. Finish in every case.
 */
int jz__rules_parse(struct jz__rules *out, const cJSON *projects,
                    const char *home, struct jz__error *error);

void jz__rules_finish(struct jz__rules *rules);

/*
 * Append the project's name, nothing if there is none. *rule becomes "paths",
 * "git", "roots" or "none". may_look: the folder is of this computer and may be
 * looked into; else paths, roots and aliases are applied as text. A name is one
 * line without control, bidi and backtick characters, at most 80 characters.
 * 0 or JZ_ENOMEM: what cannot be read is no project.
 */
int jz__rules_resolve(struct jz__buf *out, const char **rule,
                      const struct jz__rules *rules, const char *folder,
                      bool may_look, struct jz__error *error);

#endif
