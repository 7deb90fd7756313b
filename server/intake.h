/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over places where agents keep sessions: find them, take them into the
 * library one after the other, count, and say what failed.
 */
#ifndef JEZERO_SERVER_INTAKE_H
#define JEZERO_SERVER_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "jezero.h"
#include "prog/term.h"

struct intake_place {
    const char *agent; /* NULL: any folder or file, recognised by content */
    const char *path;
    const char *source;  /* NULL: agent-<agent>-<device> */
    const char *project; /* wins over the rules; NULL: they decide */
    bool again;          /* also what did not change */
    bool is_local;       /* folders named in it may be looked at */
    bool must_exist;     /* else a missing place has no sessions */
};

struct intake_counts {
    int64_t sessions; /* that were found */
    int64_t stored;
    int64_t unchanged;
    int64_t skipped;
    int64_t failed;  /* and places that could not be read */
    int64_t created; /* items */
    int64_t changed;
    int64_t hidden;
    int64_t waiting;  /* uploads of agents that this version does not read */
    int64_t standing; /* of the unchanged: they failed when they were read */
};

struct intake {
    jz_library *lib;
    const struct intake_place *places;
    size_t place_count;
    const char *device; /* the host's name, cleaned */
    const char *inbox;  /* real path of the folder of uploads, looked at by a
                           pass over everything; NULL: none */
    int64_t keep_days;  /* uploads that are older and taken in are removed;
                           0: they are kept */
    bool is_dry_run;
    struct jz__term_progress *progress; /* NULL: none */
    struct jz__log log;                 /* gets what failed, with its reason */

    /* Asked between two files; true ends the pass. NULL: never. */
    bool (*is_stopped)(void *userdata);
    /* Called between two files: what is urgent goes first. NULL: nothing is. */
    void (*between)(void *userdata);
    void *userdata;
};

/*
 * One pass over what changed since a time (0: everything). 0, or the error that
 * ended it, which concerns the library and not one session; counts are right in
 * both cases.
 */
int intake_run(struct intake_counts *out, const struct intake *intake,
               int64_t since, struct jz__error *error);

/* Take in one upload by its path. Counts are added to. */
int intake_run_upload(struct intake_counts *counts, const struct intake *intake,
                      const char *path, struct jz__error *error);

void intake_add_counts(struct intake_counts *sum,
                       const struct intake_counts *counts);

/* "3 sessions: 2 read, 1 unchanged, …; 4 items new, …" */
void intake_put_counts(struct jz__buf *out, const struct intake_counts *counts);

/* Milliseconds for progress: they never run backwards. */
int64_t intake_now_ms(void);

#endif
