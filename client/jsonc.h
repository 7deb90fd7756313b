/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as people write it by hand, with comments, trailing commas and a byte
 * order mark, read so that every value knows its bytes.
 */
#ifndef JEZERO_CLIENT_JSONC_H
#define JEZERO_CLIENT_JSONC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scan.h"

/* The three texts have the same length, so an offset holds for all of them. */
struct jsonc {
    struct jz__buf text;  /* as the file has it */
    struct jz__buf bare;  /* comments and the byte order mark blanked */
    struct jz__buf plain; /* trailing commas as well: strict JSON */
    struct jz__scan scan; /* of plain; no tokens in an empty file */
    bool is_strict;       /* there was nothing to blank */
};

#define JSONC_INIT                                                             \
    {                                                                          \
        JZ__BUF_INIT, JZ__BUF_INIT, JZ__BUF_INIT, JZ__SCAN_INIT, false         \
    }

/*
 * Read a whole file into doc, which was JSONC_INIT or is read anew; the caller
 * finishes it in any case. A file without a value (empty, comments alone) is
 * none but no error. JZ_EINVAL with "line 3: …"; JZ_ENOMEM.
 */
int jsonc_read(struct jsonc *doc, const char *text, size_t length,
               struct jz__error *error);
void jsonc_finish(struct jsonc *doc);

/* No value in it? */
bool jsonc_is_empty(const struct jsonc *doc);

/* Where a token begins and ends, the quotes of a string included. */
size_t jsonc_start(const struct jsonc *doc, size_t token);
size_t jsonc_end(const struct jsonc *doc, size_t token);

/* The value at the end of a path of keys, which ends in a NULL; 0 if it is not
 * there. Of equal keys the last one counts, as it does for the agents. */
size_t jsonc_get(const struct jsonc *doc, const char *const *path);

/* The array or object that holds a token; the token is not the root, 0. */
size_t jsonc_parent(const struct jsonc *doc, size_t token);

#endif
