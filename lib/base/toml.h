/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0, read whole into a tree in which every key and every value knows
 * its line, so that whoever finds a value wrong can say where it stands. They know their
 * bytes as well: what edits a file changes those and no others.
 */
#ifndef JZ_BASE_TOML_H
#define JZ_BASE_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

enum jz__toml_type {
    JZ__TOML_STRING,
    JZ__TOML_INTEGER,
    JZ__TOML_FLOAT,
    JZ__TOML_BOOLEAN,
    JZ__TOML_DATE, /* any of the four date and time types, as written */
    JZ__TOML_ARRAY,
    JZ__TOML_TABLE
};

/* How a table or array came to be: what may still be added to it. */
enum jz__toml_origin {
    JZ__TOML_VALUE,    /* a scalar, `[…]` or `{…}`: closed */
    JZ__TOML_IMPLICIT, /* named by a header of a table below it */
    JZ__TOML_HEADER,   /* [name] */
    JZ__TOML_DOTTED,   /* name.key = … */
    JZ__TOML_ELEMENTS  /* [[name]]: the array */
};

struct jz__toml_value {
    enum jz__toml_type type;
    enum jz__toml_origin origin;
    int line;            /* where the value begins, from 1 */
    int key_line;        /* where its key stands; of an element: as line */
    size_t at;           /* byte where the value begins; of a header its '[' */
    size_t end;          /* byte behind it */
    size_t key_at;       /* byte where its key begins; of an element: as at */
    struct jz__str key;  /* "" for an element of an array; ends in a NUL */
    struct jz__str text; /* of a string or date; ends in a NUL, and a string
                             may hold more of them */
    int64_t integer;     /* of an integer */
    double real;         /* of a float, and of an integer too */
    bool boolean;
    size_t count;                 /* members or elements */
    struct jz__toml_value *first; /* in the order of the file */
    struct jz__toml_value *last;
    struct jz__toml_value *next;
    const struct jz__toml_value *parent; /* NULL: the root */
};

struct jz__toml {
    struct jz__arena arena;
    struct jz__toml_value *root; /* a table */
};

#define JZ__TOML_INIT                                                          \
    {                                                                          \
        JZ__ARENA_INIT, NULL                                                   \
    }

/* Deepest nesting of values, and most parts of a key. */
#define JZ__TOML_DEPTH 64

/*
 * Parse a whole document into out, which was JZ__TOML_INIT; it is finished by
 * the caller in any case. JZ_EINVAL with "line 12: …"; JZ_ENOMEM.
 */
int jz__toml_parse(struct jz__toml *out, const char *text, size_t length,
                   struct jz__error *error);

void jz__toml_finish(struct jz__toml *toml);

/* The member of a table; NULL if there is none, and if table is NULL or no
 * table. */
const struct jz__toml_value *jz__toml_get(const struct jz__toml_value *table,
                                          const char *key);

/* "a string", "an integer", … for messages. Static. */
const char *jz__toml_type_name(enum jz__toml_type type);

#endif
