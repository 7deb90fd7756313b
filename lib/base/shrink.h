/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a JSON line piece by piece and cuts each string at
 * JZ__SHRINK_STRING_MOST bytes (between characters and never inside an escape),
 * so that a line of 100 MB whose bulk is one picture becomes one that a scan
 * can hold.
 */
#ifndef JZ_BASE_SHRINK_H
#define JZ_BASE_SHRINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define JZ__SHRINK_STRING_MOST 65536

struct jz__shrink {
    bool in_string;
    uint8_t escape_left; /* bytes of a begun escape still to come */
    size_t string_length;
};

#define JZ__SHRINK_INIT                                                        \
    {                                                                          \
        false, 0, 0                                                            \
    }

void jz__shrink_feed(struct jz__buf *out, struct jz__shrink *state,
                     const char *data, size_t length);

#endif
