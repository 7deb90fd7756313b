/* SPDX-License-Identifier: Apache-2.0 */
/* The [[connectors]] of a configuration as places to take sessions from. */
#ifndef JEZERO_SERVER_CONNECTORS_H
#define JEZERO_SERVER_CONNECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "base/str.h"
#include "config.h"
#include "intake.h"

/* Does jz_ingest() take sessions of this type? */
bool connectors_reads(struct jz__str type);

/*
 * *out is freed by the caller and borrows from config. only: the connector of
 * this name alone, or NULL. A connector of a type that this version does not
 * read is left out, and logged. JZ_EINVAL: nothing is left; JZ_ENOMEM.
 */
int connectors_places(struct intake_place **out, size_t *count,
                      const struct config *config, const char *only,
                      const struct jz__log *log, struct jz__error *error);

#endif
