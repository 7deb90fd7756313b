/* SPDX-License-Identifier: Apache-2.0 */
/* Which era a message belongs to, and the checks that the era asks for. */
#ifndef JZ_MCP_ERA_H
#define JZ_MCP_ERA_H

#include <stdbool.h>

#include "mcp/call.h"

/* The only modern revision so far. */
#define JZ__ERA_MODERN "2026-07-28"

/* What an unknown asked version of initialize is answered with. */
#define JZ__ERA_NEWEST_LEGACY "2025-11-25"

bool jz__era_is_legacy(struct jz__str version);

/*
 * Set call->is_modern and check version, _meta and headers, in the order of
 * the protocol. false: refused; an error answer is written.
 */
bool jz__era_check(struct jz__call *call);

#endif
