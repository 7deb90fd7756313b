/* SPDX-License-Identifier: Apache-2.0 */
/* Items from outside: one JSON object -> an item, checked and redacted. */
#ifndef JZ_INGEST_ITEM_IMPORT_H
#define JZ_INGEST_ITEM_IMPORT_H

#include "ingest/redact.h"
#include "store/item.h"

/*
 * Parse one object with the fields of the data model. Bytes that are no UTF-8
 * are repaired. JZ_EINVAL: no JSON object, an unknown field, one that is
 * missing or has a wrong value; the message names it. out is zeroed by the
 * caller and finished in every case.
 */
int jz__item_import(struct jz__item *out, struct jz__str json,
                    const struct jz__redact_options *redact,
                    struct jz__error *error);

/* May this be the name of a source: one line, not empty, not too long? */
bool jz__item_import_is_name(const char *name);

/* The name of a project as it is kept: one line without control, bidi and
 * backtick characters, cut at 80 characters. "" if nothing is left. */
void jz__item_import_project(struct jz__buf *out, const char *name);

#endif
