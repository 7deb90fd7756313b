/* SPDX-License-Identifier: Apache-2.0 */
/* What this computer is called in the names of sources. */
#ifndef JEZERO_SERVER_DEVICE_H
#define JEZERO_SERVER_DEVICE_H

#include <stddef.h>

/* Room for a name with its NUL; a longer one is cut. */
#define DEVICE_SIZE 64

/* The first label of a host's name in lower case, of a-z 0-9 _ - alone;
 * "computer" if nothing is left. */
void device_clean(char out[DEVICE_SIZE], const char *host_name);

/* The same of this computer. */
void device_name(char out[DEVICE_SIZE]);

#endif
