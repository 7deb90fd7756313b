/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One word in a list of a YAML file, `outer:` `inner:` `- word`, put in or
 * taken out by lines. There is no parser behind this: a file that is not of the
 * simplest form is refused.
 */
#ifndef JEZERO_CLIENT_YAML_LIST_H
#define JEZERO_CLIENT_YAML_LIST_H

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct yaml_list {
    const char *outer;
    const char *inner;
    const char *word; /* a plain word: letters, digits, - and _ */
};

/* Nothing to do: it is there, or is not there. out stays empty. */
#define YAML_LIST_SAME 1

/* Append the new text to out: 0, YAML_LIST_SAME, JZ_ENOMEM, or JZ_EINVAL: this
 * file is not edited here. */
int yaml_list_add(struct jz__buf *out, struct jz__str text,
                  const struct yaml_list *list, struct jz__error *error);
int yaml_list_remove(struct jz__buf *out, struct jz__str text,
                     const struct yaml_list *list, struct jz__error *error);

#endif
