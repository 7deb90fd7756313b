/* SPDX-License-Identifier: Apache-2.0 */
/* What the server tells an agent's model about its tools. */
#ifndef JZ_MCP_INSTRUCTIONS_H
#define JZ_MCP_INSTRUCTIONS_H

const char *jz__instructions_text(void);

#endif
