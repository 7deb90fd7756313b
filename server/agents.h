/* SPDX-License-Identifier: Apache-2.0 */
/* The coding agents of this computer: which are here, and how each is
 * connected to a server. */
#ifndef JEZERO_SERVER_AGENTS_H
#define JEZERO_SERVER_AGENTS_H

#include <stddef.h>

#include "base/buf.h"

/* The variable of the environment in which agents look for the key. */
#define AGENTS_KEY_VARIABLE "JEZERO_TOKEN"

/*
 * Append, for each agent that was found here (its folder, or its program on
 * PATH), the command or the lines that connect it to url. key_file: the key
 * that the server asks for lies there; its path is named and the key is not.
 * NULL: it asks for none. The number of agents that were found.
 */
size_t agents_put_connections(struct jz__buf *out, const char *url,
                              const char *key_file);

/* Append a path as an argument of a shell. */
void agents_put_quoted(struct jz__buf *out, const char *path);

/* Append the names of the agents that were found here and whose sessions this
 * version does not read, joined by ", ". Their number. */
size_t agents_put_unread(struct jz__buf *out);

/* Append the folder where "claude-code" or "codex" keeps its sessions. */
void agents_put_folder(struct jz__buf *out, const char *agent);

#endif
