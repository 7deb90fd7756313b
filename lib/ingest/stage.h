/* SPDX-License-Identifier: Apache-2.0 */
/* A conversation that was read -> the changes that it makes to the library. */
#ifndef JZ_INGEST_STAGE_H
#define JZ_INGEST_STAGE_H

#include "ingest/pass.h"
#include "store/change.h"

/*
 * Append to changes what the document and, where a message now counts for
 * another, those that share messages with it become. Writes nothing. The texts
 * of `document` are borrowed for the life of changes. 0 or negative.
 */
int jz__stage_document(struct jz__changes *changes, struct jz__store *store,
                       const struct jz__pass_options *options,
                       const struct jz__document *document,
                       const struct jz__conversation *conversation);

#endif
