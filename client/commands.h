/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of jezero-client. Each takes its parsed options and returns the
 * exit status; main.c has their tables. */
#ifndef JEZERO_CLIENT_COMMANDS_H
#define JEZERO_CLIENT_COMMANDS_H

#include "prog/opts.h"

int cmd_backfill_run(const struct jz__opts *opts);
int cmd_flush_run(const struct jz__opts *opts);
int cmd_hook_run(const struct jz__opts *opts);
int cmd_init_run(const struct jz__opts *opts);
int cmd_mcp_run(const struct jz__opts *opts);
int cmd_protocol_run(const struct jz__opts *opts);
int cmd_read_run(const struct jz__opts *opts); /* search, show, later, … */
int cmd_setup_run(const struct jz__opts *opts);
int cmd_status_run(const struct jz__opts *opts);

#endif
