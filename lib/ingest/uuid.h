/* SPDX-License-Identifier: Apache-2.0 */
/* UUIDs as agents write them. */
#ifndef JZ_INGEST_UUID_H
#define JZ_INGEST_UUID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* 8-4-4-4-12 hexadecimal digits? */
bool jz__uuid_is(struct jz__str text);

/* The time in a UUID of version 7, in ms since 1970; false for any other. */
bool jz__uuid_time(int64_t *out, struct jz__str text);

#endif
