/* SPDX-License-Identifier: Apache-2.0 */
/* Percent-encoded text, as headers carry it. */
#ifndef JZ_NET_PERCENT_H
#define JZ_NET_PERCENT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Append the text that is encoded: at most so many bytes, valid UTF-8 without
 * control characters. JZ_EINVAL: it is not that, or a % without two
 * hexadecimal digits, and out is as it was; JZ_ENOMEM.
 */
int jz__percent_decode(struct jz__buf *out, struct jz__str text, size_t most);

/* Append text with all but A-Z a-z 0-9 . _ ~ - encoded. Memory that is missing
 * shows in out->error. */
void jz__percent_encode(struct jz__buf *out, struct jz__str text);

#endif
