/* SPDX-License-Identifier: Apache-2.0 */
/* A jezero.toml on disk with other clients in it. */
#ifndef JEZERO_SERVER_CLIENTS_FILE_H
#define JEZERO_SERVER_CLIENTS_FILE_H

#include "base/error.h"
#include "clients_edit.h"

struct clients_change {
    const char *revoked; /* the name; NULL: the approval counts */
    struct clients_approval approval;
};

/*
 * Make the change in the file, which keeps its mode and as far as possible its
 * owner; a symbolic link stays one. 0; CLIENTS_EDIT_SAME: nothing was to be
 * done, and nothing was; what clients_edit.h says; JZ_EBUSY: others change or
 * lock it all the time; JZ_EIO. After a failure the file is as it was.
 */
int clients_file_change(const char *path, const struct clients_change *change,
                        struct jz__error *error);

#endif
