/* SPDX-License-Identifier: Apache-2.0 */
/* The server's log: lines on stderr. */
#ifndef JEZERO_SERVER_LOG_H
#define JEZERO_SERVER_LOG_H

#include <stdbool.h>

#include "base/log.h"

struct log_sink {
    int level; /* JZ_LOG_*: what is less severe is dropped */
    bool is_json;
};

/* Make *out write to the sink, which must live as long. Any thread may write to
 * it. */
void log_open(struct jz__log *out, struct log_sink *sink);

/* The sink as a jz_log_fn, for jz_library_set_log(). */
void log_write(void *sink, int level, const char *message);

#endif
