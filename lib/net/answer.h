/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an HTTP/1.1 answer. */
#ifndef JZ_NET_ANSWER_H
#define JZ_NET_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct jz__answer {
    int status;
    const char *content_type; /* NULL: none is sent */
    const char *extra;        /* NULL, or whole header lines with their CRLF */
    size_t content_length;
    int64_t date;    /* seconds since 1970 */
    bool keep_alive; /* false: Connection: close */
    bool is_http10;  /* the request was HTTP/1.0: keeping alive is said */
};

/* Append the status line and headers with the empty line behind them. */
void jz__answer_put_head(struct jz__buf *out, const struct jz__answer *answer);

/* "Not Found" for 404; "Unknown" for a status that nothing here sends. */
const char *jz__answer_reason(int status);

#endif
