/* SPDX-License-Identifier: Apache-2.0 */
/* What commands of the client begin with. */
#ifndef JEZERO_CLIENT_COMMAND_H
#define JEZERO_CLIENT_COMMAND_H

#include "home.h"
#include "prog/command.h"

/* What --agent says, NULL if it was not given: 0, or the status of wrong usage,
 * which was told. */
int command_agent(const char **out, const struct jz__opts *opts);

/* Open the home of --agent: 0, or an exit status, and why was told. It need not
 * be set up; the caller finishes it in every case. */
int command_home(struct home *out, const struct jz__opts *opts);

#endif
