/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets out of text, in linear time, before anything is stored. */
#ifndef JZ_INGEST_REDACT_H
#define JZ_INGEST_REDACT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct jz__redact_options {
    bool is_disabled;
    const char *const *extra; /* further literal strings, not empty */
    size_t extra_count;
};

/*
 * Append text with each secret replaced by "[redacted:<kind>]". options may be
 * NULL. Redacting twice is the same as once. *found (may be NULL) counts the
 * spans. Out of memory is kept in out->error.
 */
void jz__redact_text(struct jz__buf *out, size_t *found, struct jz__str text,
                     const struct jz__redact_options *options);

#endif
