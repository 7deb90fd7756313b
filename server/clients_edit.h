/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The [[clients]] of a jezero.toml, changed in its text: all other bytes stay,
 * comments and line ends as well.
 */
#ifndef JEZERO_SERVER_CLIENTS_EDIT_H
#define JEZERO_SERVER_CLIENTS_EDIT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "config.h"

/* A positive outcome: the text says so already, and out is empty. */
#define CLIENTS_EDIT_SAME 1

struct clients_approval {
    const char *name;
    const char *digest; /* 64 hexadecimal digits of either case */
    bool is_read_only;
    bool may_reuse; /* the name of a revoked client */
};

/* NULL, or why it cannot be a device's name: "must …, got '…'" without the
 * value, static. */
const char *clients_edit_check_name(const char *name);

/* NULL, or why it is no digest, static; the text is not shown: it may be a key
 * that was taken for its digest. */
const char *clients_edit_check_digest(const char *digest);

/*
 * Append to out the text with this client in it. Name and digest passed their
 * checks. 0; CLIENTS_EDIT_SAME; JZ_EINVAL: the text is no configuration, the
 * name or digest is taken, or the name was revoked; JZ_ENOMEM.
 */
int clients_edit_approve(struct jz__buf *out, struct jz__str text,
                         const struct config_origin *origin,
                         const struct clients_approval *approval,
                         struct jz__error *error);

/* The same with revoked = true in every entry of this name. JZ_ENOTFOUND if
 * there is none. */
int clients_edit_revoke(struct jz__buf *out, struct jz__str text,
                        const struct config_origin *origin, const char *name,
                        struct jz__error *error);

#endif
