/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text in a user's message that no user wrote: the agent's program put it
 * there, or Jezero's hooks did. None of it may be stored, else the library
 * would summarise itself.
 */
#ifndef JZ_INGEST_INJECTED_H
#define JZ_INGEST_INJECTED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Is the whole message one that the agent's program made: a command's echo, a
 * notification, the surroundings, a note of an interruption? */
bool jz__injected_is_wrapper(struct jz__str text);

/* What a person typed behind a slash command, out of the message that the
 * program made of it: "" unless it is three words or more, that is a request
 * and no option. */
struct jz__str jz__injected_command_words(struct jz__str text);

/*
 * Append a user's text without the system reminders and Jezero's own texts in
 * it, wherever they stand. true if anything was left out: only then `out` is
 * written to, else the text is clean as it is.
 */
bool jz__injected_clean(struct jz__buf *out, struct jz__str text);

#endif
