/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transcript as JSON records, one after the other, in bounded memory: what a
 * line holds is scanned where it lies; a line that does not fit into the read
 * buffer is cut string by string first.
 */
#ifndef JZ_INGEST_LINES_H
#define JZ_INGEST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/scan.h"
#include "base/shrink.h"
#include "base/str.h"

/* A line that is still longer once its strings were cut is skipped. */
#define JZ__LINES_LINE_MOST (4u << 20)

/* Tells from a whole line's bytes, without a scan, that it holds one record
 * that nobody needs. */
typedef bool (*jz__lines_skip_fn)(struct jz__str line);

struct jz__lines {
    struct jz__scan scan; /* of the current record: token 0 is an object */
    jz__lines_skip_fn is_skipped; /* may be NULL */

    int64_t count;    /* lines that are not blank */
    int64_t bad;      /* lines with something that is no record */
    int64_t skipped;  /* lines for which is_skipped was true */
    int64_t too_long; /* lines over JZ__LINES_LINE_MOST, skipped */
    bool is_partial;  /* the last line has no end yet and is no whole JSON */

    /* Private. */
    struct jz__file_lines *file;
    struct jz__buf shrunk;
    struct jz__shrink shrink;
    struct jz__str rest; /* of the current line: not scanned yet */
    bool is_whole;       /* the current line ended in a newline */
};

/* lines is zeroed by the caller, who may set is_skipped; finish it always. */
int jz__lines_open(struct jz__lines *lines, const char *path,
                   struct jz__error *error);
void jz__lines_finish(struct jz__lines *lines);

/* 1: the next record is in .scan, valid until the next call. 0: the end.
 * JZ_EIO, JZ_ENOMEM. */
int jz__lines_next(struct jz__lines *lines, struct jz__error *error);

#endif
