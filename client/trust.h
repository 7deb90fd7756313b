/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of trusted certificates counts on this computer. */
#ifndef JEZERO_CLIENT_TRUST_H
#define JEZERO_CLIENT_TRUST_H

#include "base/buf.h"
#include "base/error.h"
#include "home.h"

struct trust {
    struct jz__buf file; /* a path */
    const char *origin;  /* how it was chosen, for messages. Static. */
};

/*
 * $JEZERO_CA_FILE, else ca.pem in the home, else $SSL_CERT_FILE, else the
 * system's bundle at the places where systems keep it. The file is not read.
 * JZ_EINVAL: the file of a variable may be written by others, or lies in a
 * repository, or JEZERO_CA_FILE is relative; JZ_ENOTFOUND: it is not there, or
 * there is none at all; JZ_EIO.
 */
int trust_find(struct trust *out, const struct home *home,
               struct jz__error *error);
void trust_finish(struct trust *trust);

/*
 * Write the root certificates that `program` (macOS: /usr/bin/security) prints
 * to ca.pem in the home, where it then counts: macOS keeps them in keychains that
 * no library but its own reads. JZ_EIO: it did not run, or printed none.
 */
int trust_export(const struct home *home, const char *program,
                 struct jz__error *error);

#endif
