/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Jezero's own tools. Neither they nor their results may be stored,
 * else the library would summarise itself. */
#ifndef JZ_INGEST_OWN_CALLS_H
#define JZ_INGEST_OWN_CALLS_H

#include <stdbool.h>

#include "base/str.h"

/* Is the tool of this name one of Jezero's, whatever an agent puts in front:
 * mcp__jezero__search, jezero_later, jezero.get_item? */
bool jz__own_calls_is_tool(struct jz__str name);

/* Does the shell command ask Jezero: jezero-client search …, or a call of one
 * of its tools out of a program? */
bool jz__own_calls_is_command(struct jz__str command);

#endif
