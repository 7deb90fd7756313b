/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may ask: the clients of jezero.toml as a table in which the key of a
 * request is looked up. A table never changes; a new list is a new table.
 */
#ifndef JEZERO_SERVER_AUTH_H
#define JEZERO_SERVER_AUTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "config.h"

/* Borrowed from its table. */
struct auth_client {
    const char *name;
    /* What it may read, as the library takes a scope: its patterns and
     * agent-<known agent>-<its name>. */
    const char *scope_json;
    bool may_upload;
    bool may_see_metrics;
};

struct auth_table;

/* A variable of the environment, or NULL. */
typedef const char *(*auth_getenv_fn)(const char *name);

/* That of the process. */
const char *auth_getenv(const char *name);

/*
 * Warnings and errors about single clients go to the log: a variable that is
 * not set, two entries with one name or one digest, a key that is no key. They
 * are disabled, the others stay. JZ_ENOMEM is the only failure.
 */
int auth_table_build(struct auth_table **out,
                     const struct config_client *clients, size_t count,
                     auth_getenv_fn get_variable, const struct jz__log *log,
                     struct jz__error *error);

/* NULL is allowed. */
void auth_table_free(struct auth_table *table);

/* Clients whose key can be used. NULL is an empty table. */
size_t auth_table_count(const struct auth_table *table);

/* The client of this name if its key can be used; NULL: there is none. */
const struct auth_client *auth_find_name(const struct auth_table *table,
                                         const char *name);

/*
 * The client whose key stands in the one Authorization header ("Bearer <key>",
 * the scheme in any case); NULL: none. All digests are compared, each in
 * constant time.
 */
const struct auth_client *auth_find(const struct auth_table *table,
                                    struct jz__str authorization);

#endif
