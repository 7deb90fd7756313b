/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool call put out: how it ended, and as much of it as is needed. */
#ifndef JZ_INGEST_TOOL_OUTPUT_H
#define JZ_INGEST_TOOL_OUTPUT_H

#include "base/buf.h"
#include "base/scan.h"
#include "ingest/conversation.h"

/*
 * What the head that Codex puts above an output says: the state, and in
 * *body the output below the head.
 */
enum jz__tool_state jz__tool_output_state(struct jz__str *body,
                                          struct jz__str output);

/*
 * Append the text of a string in a scan, at most JZ__CONVERSATION_OUTPUT_MOST
 * bytes of it before it is unescaped: the first and the last half.
 */
void jz__tool_output_put(struct jz__buf *out, const struct jz__scan *scan,
                         size_t token);

#endif
