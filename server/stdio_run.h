/* SPDX-License-Identifier: Apache-2.0 */
/* MCP over stdin and stdout: one message a line. (Not called stdio.h, which
 * would hide the C library's.) */
#ifndef JEZERO_SERVER_STDIO_RUN_H
#define JEZERO_SERVER_STDIO_RUN_H

#include "jezero.h"

/*
 * Answer requests until stdin ends, stdout's reader goes or a signal comes:
 * the exit status, 0 for all three. Nothing but answers is written to stdout.
 * scope_json is what may be read, NULL everything.
 */
int stdio_run(jz_library *lib, const char *scope_json);

#endif
