/* SPDX-License-Identifier: Apache-2.0 */
/* The coding agents of this computer: which are here, and how each is
 * connected to a server. */
#ifndef JEZERO_SERVER_AGENTS_H
#define JEZERO_SERVER_AGENTS_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Append, for each agent that was found here (its folder, or its program on
 * PATH), the command or the lines that connect it to url. The number of agents
 * that were found.
 */
size_t agents_put_connections(struct jz__buf *out, const char *url);

/* Append the names of the agents that were found here and whose sessions this
 * version does not read, joined by ", ". Their number. */
size_t agents_put_unread(struct jz__buf *out);

/* Append the folder where "claude-code" or "codex" keeps its sessions. */
void agents_put_folder(struct jz__buf *out, const char *agent);

#endif
