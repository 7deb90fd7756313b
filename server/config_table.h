/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TOML table read into a struct by a static list of its keys: what may stand
 * there, of which type and in which range.
 */
#ifndef JEZERO_SERVER_CONFIG_TABLE_H
#define JEZERO_SERVER_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/toml.h"

/* What a key fills in. */
enum config_kind {
    CONFIG_TEXT,  /* const char *: not empty */
    CONFIG_PATH,  /* const char *: made absolute */
    CONFIG_WHOLE, /* int64_t */
    CONFIG_REAL,  /* double; an integer will do */
    CONFIG_FLAG,  /* bool */
    CONFIG_LIST,  /* struct config_list */
    CONFIG_PAIRS  /* struct config_pairs: a table of strings */
};

struct config_list {
    const char **items;
    size_t count;
};

struct config_pairs {
    const char **keys;
    const char **values;
    size_t count;
};

struct config_key {
    const char *name; /* NULL ends a list */
    size_t offset;    /* of its field in the struct that is filled */
    enum config_kind kind;
    double least; /* of numbers, both inclusive */
    double most;
    const char *const *choices; /* of a text, ends with NULL; or NULL: any */
};

struct config_reader {
    const char *file;   /* for messages */
    const char *folder; /* that relative paths start from; absolute */
    const char *home;   /* what ~ means */
    struct jz__arena *arena;
    struct jz__error *error;
};

/* Fail with JZ_EINVAL and "<file> line <line>: ". */
int config_table_fail(const struct config_reader *reader, int line,
                      const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at a member's place, with its name between the two texts. */
int config_table_fail_key(const struct config_reader *reader,
                          const struct jz__toml_value *member,
                          const char *before, const char *behind);

/* The name that was probably meant, NULL: none is near. */
const char *config_table_nearest(const char *name, const char *const *names,
                                 size_t name_count);

/* Fill target from table; NULL is an empty table. Keys that are not there leave
 * their field as it is. */
int config_table_read(void *target, const struct config_reader *reader,
                      const struct jz__toml_value *table, const char *title,
                      const struct config_key *keys);

#endif
