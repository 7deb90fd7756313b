/* SPDX-License-Identifier: Apache-2.0 */
/* Starts this program in the background. */
#ifndef JEZERO_CLIENT_DETACH_H
#define JEZERO_CLIENT_DETACH_H

#include "base/error.h"
#include "home.h"

/*
 * Run `flush` with this home, apart from whoever called us: in a session of its
 * own, with the default signals, its streams on /dev/null and no other
 * descriptor. All that this process inherited is closed in it when it runs
 * another program. Nobody waits for it. JZ_EIO: it could not be started.
 */
int detach_flush(const struct home *home, struct jz__error *error);

#endif
