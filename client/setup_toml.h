/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_servers.jezero in Codex' file of TOML. */
#ifndef JEZERO_CLIENT_SETUP_TOML_H
#define JEZERO_CLIENT_SETUP_TOML_H

#include "setup.h"

/* A setup_edit_fn; what: NULL. */
int setup_toml_server(struct setup_text *text, const struct setup *setup,
                      const void *what, struct jz__error *error);

#endif
