/* SPDX-License-Identifier: Apache-2.0 */
/* A log callback with its argument. Keys and item text are never logged. */
#ifndef JZ_BASE_LOG_H
#define JZ_BASE_LOG_H

#include "jezero.h"

struct jz__log {
    jz_log_fn fn; /* NULL: nobody listens */
    void *userdata;
};

/* Format one line (control characters escaped, at most 1 KiB) and pass it on. */
void jz__log_write(const struct jz__log *log, int level, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

#endif
