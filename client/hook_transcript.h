/* SPDX-License-Identifier: Apache-2.0 */
/* What the user asked last, from a transcript of Antigravity's, whose hooks do
 * not say it. */
#ifndef JEZERO_CLIENT_HOOK_TRANSCRIPT_H
#define JEZERO_CLIENT_HOOK_TRANSCRIPT_H

#include "base/buf.h"
#include "base/str.h"

/* Bytes at the end of the file that are looked at. */
#define HOOK_TRANSCRIPT_TAIL ((size_t)1024 * 1024)

/* Append the last request in these lines. is_cut: the first line is not whole.
 * 0, or JZ_ENOMEM; nothing is appended if there is none. */
int hook_transcript_find(struct jz__buf *out, struct jz__str lines,
                         bool is_cut);

/* The same for the end of a file; nothing is appended for one that cannot be
 * read. */
int hook_transcript_request(struct jz__buf *out, const char *path);

#endif
