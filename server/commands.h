/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of jezero-server. Each takes its parsed options and returns the
 * exit status; main.c has their tables. */
#ifndef JEZERO_SERVER_COMMANDS_H
#define JEZERO_SERVER_COMMANDS_H

#include "prog/opts.h"

int cmd_backup_run(const struct jz__opts *opts);
int cmd_check_run(const struct jz__opts *opts);
int cmd_device_run(const struct jz__opts *opts);
int cmd_export_run(const struct jz__opts *opts);
int cmd_import_run(const struct jz__opts *opts);
int cmd_ingest_run(const struct jz__opts *opts);
int cmd_init_run(const struct jz__opts *opts);
int cmd_later_run(const struct jz__opts *opts);
int cmd_mcp_run(const struct jz__opts *opts);
int cmd_search_run(const struct jz__opts *opts);
int cmd_serve_run(const struct jz__opts *opts);
int cmd_show_run(const struct jz__opts *opts);
int cmd_sources_run(const struct jz__opts *opts);
int cmd_status_run(const struct jz__opts *opts);
int cmd_timeline_run(const struct jz__opts *opts);
int cmd_up_run(const struct jz__opts *opts);

#endif
