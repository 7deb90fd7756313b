/* SPDX-License-Identifier: Apache-2.0 */
/* The standard streams of a program. */
#ifndef JZ_PROG_STREAMS_H
#define JZ_PROG_STREAMS_H

#include <stdbool.h>

/*
 * Take descriptors 0, 1 and 2 that are closed out of use: call it before
 * anything is opened. False: that could not be done, and nothing should be
 * opened.
 */
bool jz__streams_reserve(void);

#endif
