/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How clients are written into the text of a configuration. Whether they may
 * be is clients_edit.c's question.
 */
#ifndef JEZERO_SERVER_CLIENTS_TEXT_H
#define JEZERO_SERVER_CLIENTS_TEXT_H

#include "base/toml_edit.h"
#include "clients_edit.h"
#include "config.h"

/* What a new device may read. */
#define CLIENTS_TEXT_SOURCE "agent-*"

struct clients_text {
    struct jz__toml_edit edit;
    struct config config; /* what the old text says */
};

/* The line that a client's entry begins in. */
int clients_text_line(const struct clients_text *text,
                      const struct config_client *client);

/* A new client, in the form and behind those that are there. */
void clients_text_add(struct clients_text *text,
                      const struct clients_approval *approval);

/* The entry of a revoked client for another key. */
void clients_text_reuse(struct clients_text *text,
                        const struct config_client *client,
                        const struct clients_approval *approval);

/* revoked = true. Of several clients the first in the file comes first. */
void clients_text_revoke(struct clients_text *text,
                         const struct config_client *client);

#endif
