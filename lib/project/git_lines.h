/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Git's configuration, line by line, in a shape that inih reads without
 * mistakes. Git indents its entries (inih takes those for continuations),
 * continues lines with a backslash, quotes values, knows comments in places
 * that inih does not, and writes lines of any length, while inih cuts at 199
 * bytes. So each logical line is read here, and inih gets a short one with the
 * same section or name; the value, whole and unquoted, stays in .value.
 */
#ifndef JZ_PROJECT_GIT_LINES_H
#define JZ_PROJECT_GIT_LINES_H

#include "base/buf.h"
#include "base/str.h"

struct jz__git_lines {
    struct jz__str rest;  /* what was not read yet */
    struct jz__buf value; /* of the line that was handed out last */
};

/*
 * The next line into line[0 .. size), NUL-terminated and with its \n; NULL at
 * the end of the text, or of the memory (.value.error). Its form is that of
 * fgets(), which inih wants: `stream` is a struct jz__git_lines.
 */
char *jz__git_lines_next(char *line, int size, void *stream);

#endif
