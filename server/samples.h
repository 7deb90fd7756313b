/* SPDX-License-Identifier: Apache-2.0 */
/* The bundled samples: made-up items for a computer without sessions. */
#ifndef JEZERO_SERVER_SAMPLES_H
#define JEZERO_SERVER_SAMPLES_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "jezero.h"

/* The lines of all sample files. JZ_ENOTFOUND: they are not installed. */
int samples_read(struct jz__buf *out, struct jz__error *error);

/* Put them into a library. */
int samples_import(jz_library *lib, const struct jz__buf *lines,
                   struct jz__error *error);

/* How many of the library's sources are the samples', and how many are not. */
struct samples_count {
    size_t samples;
    size_t others;
};
int samples_look(struct samples_count *out, jz_library *lib,
                 const struct jz__buf *lines, struct jz__error *error);

/* Take them out of a library. */
int samples_remove(jz_library *lib, const struct jz__buf *lines,
                   struct jz__error *error);

#endif
