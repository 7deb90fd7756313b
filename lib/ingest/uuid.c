/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session ids are UUIDs: of version 4 in Claude Code, of version 7 in Codex,
 * whose first 48 bits are the time at which they were made.
 */
#include "ingest/uuid.h"

#include <assert.h>
#include <stddef.h>

/* -1: no digit. */
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Both cases of letters pass, since file names come from everywhere. */
bool jz__uuid_is(struct jz__str text)
{
    size_t i;

    if (text.length != 36) {
        return false;
    }
    for (i = 0; i < text.length; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (is_dash ? text.data[i] != '-' : hex_digit(text.data[i]) < 0) {
            return false;
        }
    }
    return true;
}

/* Twelve digits with a dash after the eighth. */
bool jz__uuid_time(int64_t *out, struct jz__str text)
{
    size_t i;

    assert(out != NULL);

    *out = 0;
    if (!jz__uuid_is(text) || text.data[14] != '7') {
        return false;
    }
    for (i = 0; i < 13; i++) {
        if (i != 8) {
            *out = *out * 16 + hex_digit(text.data[i]);
        }
    }
    return true;
}
