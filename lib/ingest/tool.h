/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is worth knowing of a tool call: its most telling argument, its command
 * if it ran one, and whether it failed.
 */
#ifndef JZ_INGEST_TOOL_H
#define JZ_INGEST_TOOL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/scan.h"
#include "ingest/conversation.h"

/* Characters of the one-line argument. */
#define JZ__TOOL_ARGUMENT_MOST 300
/* Bytes of a command that are kept whole: a here-document may be a file. */
#define JZ__TOOL_COMMAND_MOST 8192

/* Is the tool of this name a shell, whichever agent calls it? */
bool jz__tool_is_shell(struct jz__str name);

/*
 * The most telling of the arguments in the object `input` of the scan, as it
 * stands in the call, is appended to text. Nothing if there is none. true if
 * it is a command for a shell.
 */
bool jz__tool_describe(struct jz__buf *text, struct jz__str name,
                       const struct jz__scan *scan, size_t input);

/* The same for a tool whose input is no JSON: a patch, a program. */
bool jz__tool_describe_text(struct jz__buf *text, struct jz__str name,
                            struct jz__str input);

/*
 * Fill .tool, .argument and .command of an event from what was described. 0 or
 * JZ_ENOMEM.
 */
int jz__tool_fill(struct jz__event *event,
                  struct jz__conversation *conversation, struct jz__str name,
                  struct jz__str described, bool is_command);

#endif
