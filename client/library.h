/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjezero, loaded when it is first needed: it brings SQLite along, and most
 * hooks end without it.
 */
#ifndef JEZERO_CLIENT_LIBRARY_H
#define JEZERO_CLIENT_LIBRARY_H

#include "base/buf.h"
#include "base/error.h"
#include "jezero.h"

/* The functions of jezero.h that the program calls, by their names there. */
struct library {
    int (*project_resolve)(char **out, const char *rules_json,
                           const char *folder);
    int (*list_sessions)(char **out, const char *agent, const char *place,
                         int64_t since);
    int (*export_session)(char **out, const char *agent, const char *database,
                          const char *session);
    int (*library_open)(jz_library **out, const char *path,
                        const char *options_json);
    void (*library_close)(jz_library *lib);
    int (*mcp_dispatch)(char **out, int *http_status, jz_library *lib,
                        const char *scope_json, const char *headers_json,
                        const char *request, size_t length);
    void (*free)(void *memory);
};

/* NULL, with an error that says what could not be loaded. It stays loaded. By
 * one thread at a time. */
const struct library *library_load(struct jz__error *error);

/*
 * Append the project of a folder by the rules in client.json, nothing if it has
 * none. 0; JZ_EINVAL: the rules are wrong; JZ_EINTERNAL:
 * the library cannot be loaded; JZ_ENOMEM.
 */
int library_project(struct jz__buf *out, const char *projects_json,
                    const char *folder, struct jz__error *error);

#endif
