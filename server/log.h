/* SPDX-License-Identifier: Apache-2.0 */
/* The server's log: lines on stderr. */
#ifndef JEZERO_SERVER_LOG_H
#define JEZERO_SERVER_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"

/* Made by its owner, zeroed but for the first two. */
struct log_sink {
    int level; /* JZ_LOG_*: what is less severe is dropped */
    bool is_json;
    atomic_uint lost; /* lines that could not be written and are not told yet */
    atomic_bool is_torn; /* the last line was written in part */
};

/* Make *out write to the sink, which must live as long. Any thread may write to
 * it. */
void log_open(struct jz__log *out, struct log_sink *sink);

/* The sink as a jz_log_fn, for jz_library_set_log(). */
void log_write(void *sink, int level, const char *message);

/* Which request a line is about. What is zero is not told. */
struct log_request {
    uint64_t id;
    const char *client;   /* the name of whose key it came with */
    int status;           /* when it is answered, and then the next two */
    uint64_t bytes;       /* of the answer's body, or of an upload */
    uint64_t duration_ns; /* since its head was complete */
};

/*
 * A line about a request; the format makes its message, which is cleaned and
 * cut as jz__log_write() does it. Without formatting anything where the level
 * says so, so that a line at debug costs nothing.
 *
 *     2026-… info request 7 of laptop: upload codex/a.jsonl: 200, 512 bytes,
 *     3.1 ms
 *     {"time":"…","level":"info","message":"upload codex/a.jsonl","request":7,
 *     "client":"laptop","status":200,"bytes":512,"ms":3.1}
 */
void log_request(struct log_sink *sink, int level,
                 const struct log_request *request, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
