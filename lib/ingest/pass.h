/* SPDX-License-Identifier: Apache-2.0 */
/* One transcript file into the library: read, stage, apply. */
#ifndef JZ_INGEST_PASS_H
#define JZ_INGEST_PASS_H

#include "ingest/connector.h"
#include "ingest/redact.h"
#include "ingest/segment.h"
#include "project/rules.h"
#include "store/store.h"

/* Version of the code that reads transcripts. A document that a lower one read
 * is read again, also when its file did not change. */
#define JZ__PASS_READER 1

struct jz__pass_options {
    const struct jz__connector *connector;
    const char *source;
    const char *project; /* wins over the rules; NULL: the rules decide */
    bool is_local;       /* the rules may look into folders of this computer */
    bool is_dry_run;     /* stage, do not apply */
    bool again;          /* read the file even if it did not change */
    bool is_look;        /* only tell whether it would be read */
    const struct jz__rules *rules;
    const struct jz__redact_options *redact;
    const struct jz__segment_options *segment;
};

enum jz__pass_state {
    JZ__PASS_STORED,
    JZ__PASS_UNCHANGED,
    JZ__PASS_SKIPPED, /* there is nothing to store in it */
    JZ__PASS_FAILED,  /* recorded with its reason, tried again on a change */
    JZ__PASS_WAITING  /* a look: it would be read */
};

struct jz__pass_report {
    enum jz__pass_state state;
    enum jz__pass_state recorded; /* of an unchanged file: what became of it */
    char reason[1024]; /* "" or one line, as long as an error may be */
    int64_t *ids;      /* of the items that were written; malloc'ed */
    size_t id_count;
    int64_t created;
    int64_t changed;
    int64_t hidden;
    int64_t bytes;
    int64_t lines;
    int64_t lines_bad;
    int64_t lines_too_long;
    int64_t records_unknown;
};

/* 0: see the report. Negative: the library failed, store->error says how. */
int jz__pass_file(struct jz__pass_report *out, struct jz__store *store,
                  const struct jz__pass_options *options, const char *path);

void jz__pass_report_finish(struct jz__pass_report *report);

#endif
