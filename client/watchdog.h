/* SPDX-License-Identifier: Apache-2.0 */
/* The last word on how long a hook may take, whatever holds it up. */
#ifndef JEZERO_CLIENT_WATCHDOG_H
#define JEZERO_CLIENT_WATCHDOG_H

#include <stdint.h>

/* From now on: after limit_ms the process writes the text that was set last to
 * stdout and exits with 0. Called again it counts from then on. */
void watchdog_start(int64_t limit_ms);

/* What is printed then. Borrowed until it is set again; "" at the start, and
 * once the hook prints for itself. */
void watchdog_set_text(const char *text);

#endif
