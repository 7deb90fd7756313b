/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of each table of jezero.toml, for config_table_read(). */
#ifndef JEZERO_SERVER_CONFIG_KEYS_H
#define JEZERO_SERVER_CONFIG_KEYS_H

#include "config.h"
#include "config_table.h"

extern const struct config_key config_keys_server[];
extern const struct config_key config_keys_library[];
extern const struct config_key config_keys_search[];
extern const struct config_key config_keys_projects[];
extern const struct config_key config_keys_inbox[];
extern const struct config_key config_keys_ingest[];
extern const struct config_key config_keys_redaction[];
extern const struct config_key config_keys_summarizer[];
extern const struct config_key config_keys_connector[];
extern const struct config_key config_keys_client[];

/* Set every field that has a default which depends on no file. */
void config_keys_fill_defaults(struct config *config);

#endif
