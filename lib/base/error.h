/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: a code of jezero.h and one line of text, set once where the fault is
 * found. Everyone above hands the code on untouched.
 *
 * Message: lower case, no full stop, names the argument and shows the value.
 */
#ifndef JZ_BASE_ERROR_H
#define JZ_BASE_ERROR_H

#include "jezero.h"

struct jz__error {
    int code;
    char message[1024]; /* valid UTF-8, cut between characters */
};

/* Record code and message (error may be NULL) and return code. */
int jz__fail(struct jz__error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* jz__fail() for JZ_ENOMEM. */
int jz__fail_memory(struct jz__error *error);

/* jz__fail() for an errno value: "<what> <path>: <reason>". ENOENT becomes
 * JZ_ENOTFOUND, ENOMEM JZ_ENOMEM, all others JZ_EIO. */
int jz__fail_errno(struct jz__error *error, int number, const char *what,
                   const char *path);

#endif
