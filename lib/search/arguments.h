/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of the five reads, checked: one place for the C API and for
 * MCP, so that a wrong argument gives the same sentence everywhere.
 */
#ifndef JZ_SEARCH_ARGUMENTS_H
#define JZ_SEARCH_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"

/* In the order in which tools are listed. */
enum jz__read {
    JZ__READ_SEARCH,
    JZ__READ_GET_ITEM,
    JZ__READ_LATER,
    JZ__READ_TIMELINE,
    JZ__READ_LIST_SOURCES,
    JZ__READ_COUNT
};

/* What was given. The texts are borrowed from the tree that was parsed. */
struct jz__reads_arguments {
    const char *query;   /* NULL: none; may be "" where it is required */
    const char *project; /* NULL: none */
    const char *source;  /* a name or a glob; NULL: none */
    bool has_since;
    bool has_until;
    int64_t since; /* seconds since 1970, inclusive */
    int64_t until; /* the same; the last second of the day for a date */
    int64_t limit; /* at least 1 and not cut yet; 0: the default */
    int64_t item_id;
    bool include_original;
};

/* "search", "get_item", …: the name of the tool and of the call. */
const char *jz__arguments_read_name(enum jz__read read);

/*
 * Check the members of object (NULL and JSON null stand for an empty one).
 * JZ_EINVAL: not an object, an argument that the read does not have, one that
 * is missing or has a wrong value; the message names it and repeats the value.
 */
int jz__arguments_parse(struct jz__reads_arguments *out, enum jz__read read,
                        const cJSON *object, struct jz__error *error);

#endif
