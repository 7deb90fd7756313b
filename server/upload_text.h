/* SPDX-License-Identifier: Apache-2.0 */
/* Is what arrives in pieces a text? Pure. */
#ifndef JEZERO_SERVER_UPLOAD_TEXT_H
#define JEZERO_SERVER_UPLOAD_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Zeroed at the start. */
struct upload_text {
    char cut[4]; /* the start of a character whose rest has not come yet */
    size_t cut_length;
    bool is_broken;
};

void upload_text_feed(struct upload_text *text, struct jz__str data);

/*
 * So far it is UTF-8 without NUL. Its last character may be cut: an agent that
 * is writing leaves half a line at the end, and a read can end inside a
 * character of it.
 */
bool upload_text_is_fine(const struct upload_text *text);

#endif
