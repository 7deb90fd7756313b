/* SPDX-License-Identifier: Apache-2.0 */
/* The jezero.toml of a new server. */
#ifndef JEZERO_SERVER_INIT_TEXT_H
#define JEZERO_SERVER_INIT_TEXT_H

#include <stddef.h>

#include "base/buf.h"

/* Append it, with these paths in it, as they are to stand there. */
void init_text_put(struct jz__buf *out, const char *library_path,
                   const char *inbox_path);

/* Its lines, without line ends; @LIBRARY@ and @INBOX@ stand for the paths. The
 * last one is NULL. The build makes them of jezero.toml.in. */
extern const char *const init_text_lines[];

#endif
