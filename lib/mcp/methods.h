/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of both eras. */
#ifndef JZ_MCP_METHODS_H
#define JZ_MCP_METHODS_H

#include "mcp/call.h"

struct jz__method {
    const char *name;
    unsigned eras;
    void (*run)(struct jz__call *call); /* writes the answer */
};

/* The method that the message names, if its era has it; else NULL. */
const struct jz__method *jz__methods_find(const struct jz__call *call);

#endif
