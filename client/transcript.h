/* SPDX-License-Identifier: Apache-2.0 */
/* A transcript's file, as the agent is writing it: read in pieces, up to the
 * size that it had when it was opened. */
#ifndef JEZERO_CLIENT_TRANSCRIPT_H
#define JEZERO_CLIENT_TRANSCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* What tells whether a file has changed since it was sent. */
struct transcript_state {
    int64_t size;
    int64_t mtime_us; /* a JSON number holds it exactly, nanoseconds not */
};

/* 0; JZ_ENOTFOUND; JZ_EINVAL: no regular file; JZ_EIO. */
int transcript_stat(struct transcript_state *out, const char *path,
                    struct jz__error *error);

struct transcript;

/* *state is that of the open file. A .zst file is read unpacked. As
 * transcript_stat(); JZ_EINVAL also: this build cannot unpack it; JZ_ENOMEM. */
int transcript_open(struct transcript **out, struct transcript_state *state,
                    const char *path, struct jz__error *error);
void transcript_close(struct transcript *transcript);
void transcript_closep(struct transcript **transcript);

/* Append the next piece, some 64 KiB, nothing at the end. JZ_EIO; JZ_ECORRUPT:
 * a .zst file is cut or damaged; JZ_ENOMEM. */
int transcript_read(struct jz__buf *out, struct transcript *transcript,
                    struct jz__error *error);

/* What the first lines tell. */
struct transcript_head {
    struct jz__buf cwd; /* the first one that is named; empty: none is */
    bool is_subagent;   /* Codex: in the first line */
};

/* Look at the first 50 lines, at most a MiB. Errors as of transcript_open() and
 * transcript_read(); finish it in every case. */
int transcript_look(struct transcript_head *out, const char *path,
                    struct jz__error *error);
void transcript_head_finish(struct transcript_head *head);

#endif
