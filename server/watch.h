/* SPDX-License-Identifier: Apache-2.0 */
/* The background job of a server: it takes in what the agents write while they
 * write it. */
#ifndef JEZERO_SERVER_WATCH_H
#define JEZERO_SERVER_WATCH_H

#include <stddef.h>

#include "arrivals.h"
#include "base/log.h"
#include "intake.h"
#include "serve.h"

struct watch {
    const char *library_path;
    const char *library_options_json;
    const struct intake_place *places;
    size_t place_count;
    const char *inbox;            /* of uploads; NULL: none */
    int64_t keep_days;            /* as struct intake has it */
    struct arrivals *arrivals;    /* uploads to take in at once; NULL: none */
    int interval_ms;              /* between two looks */
    enum jz__term_mode otherwise; /* progress where there is no terminal */
    struct jz__log log;           /* failures, and what came in */

    /* After each pass, with the library it went into; may be NULL. */
    void (*on_pass)(void *userdata, jz_library *lib,
                    const struct intake_counts *counts, bool is_first);
    void *userdata;
};

/* Run until the end is asked for: 0, or 1 when the library cannot be opened. */
int watch_run(const struct watch *watch, struct serve_stop *stop);

#endif
