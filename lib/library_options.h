/* SPDX-License-Identifier: Apache-2.0 */
/* The options of jz_library_open(), checked. */
#ifndef JZ_LIBRARY_OPTIONS_H
#define JZ_LIBRARY_OPTIONS_H

#include "base/json.h"
#include "ingest/redact.h"
#include "ingest/segment.h"
#include "project/rules.h"
#include "search/reads.h"
#include "store/store.h"

struct jz__library_options {
    cJSON *tree; /* owns the texts of .redact */
    struct jz__store_options store;
    struct jz__reads_options reads;
    struct jz__rules rules;
    struct jz__redact_options redact;
    const char **extra; /* behind .redact */
    struct jz__segment_options segment;
};

/* NULL or "" gives the defaults. JZ_EINVAL: no object, an unknown key, a value
 * out of range. Finish it in every case. */
int jz__library_options_parse(struct jz__library_options *out, const char *json,
                              struct jz__error *error);

void jz__library_options_finish(struct jz__library_options *options);

/* redact and *extra from {"enabled", "extra"}; tree is borrowed. */
int jz__library_options_redact(struct jz__redact_options *out,
                               const char ***extra, const cJSON *tree,
                               struct jz__error *error);

#endif
