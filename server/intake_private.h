/* SPDX-License-Identifier: Apache-2.0 */
/* A pass from the inside: for the files of the intake alone. */
#ifndef JEZERO_SERVER_INTAKE_PRIVATE_H
#define JEZERO_SERVER_INTAKE_PRIVATE_H

#include "intake.h"

/* What one pass carries about. The step is for the progress line alone. */
struct intake_pass {
    const struct intake *intake;
    struct intake_counts *counts;
    struct jz__term_step step;
    int64_t since_maintained; /* bytes */
    struct jz__error *error;
};

/* What became of one session. */
enum intake_outcome {
    INTAKE_TAKEN, /* the library holds what there is in it */
    INTAKE_FAILED
};

/* Take in one session. Negative: the library cannot go on. NULL for outcome is
 * allowed. */
int intake_take_session(enum intake_outcome *outcome, struct intake_pass *pass,
                        const struct intake_place *place, const char *agent,
                        const char *path);

/* Housekeeping to its end; or only if much was read since the last time. */
int intake_maintain(struct intake_pass *pass);
int intake_maintain_sometimes(struct intake_pass *pass);

/* Take in whatever the inbox holds that is new. */
int intake_take_inbox(struct intake_pass *pass);

/* The same of one upload; what is none is passed over. */
int intake_take_upload(struct intake_pass *pass, const char *path);

/* Has somebody asked for the end? */
bool intake_is_stopped(const struct intake *intake);

#endif
