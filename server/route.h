/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of a request comes to: an answer, or the wish for its body. */
#ifndef JEZERO_SERVER_ROUTE_H
#define JEZERO_SERVER_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/http.h"
#include "net/origin.h"

/* The largest MCP message. */
#define ROUTE_BODY_MOST ((uint64_t)4 * 1024 * 1024)

/* Borrowed for as long as requests are answered. */
struct route_rules {
    struct jz__origin_rules origin; /* its public_url builds links as well */
    const char *mcp_path;           /* "/mcp": no slash at its end */
};

struct route_answer {
    int status;
    const char *content_type; /* static; NULL: none */
    const char *extra;        /* static header lines, or NULL */
    struct jz__buf body;
};

/*
 * Check a request in the order route, Host, Origin, method, Content-Type, size
 * and answer it if it can be by its head: true, and *out is the caller's.
 * False: it is a message for MCP, its body is to be read. Pure: no I/O, no
 * clock.
 */
bool route_decide(struct route_answer *out, const struct route_rules *rules,
                  const struct jz__http_request *request, bool is_healthy);

/* The answer to a request that cannot be read: {"error": reason}. */
void route_refuse(struct route_answer *out, int status, const char *reason);

/* Append the headers that MCP asks for, as jz_mcp_dispatch() takes them. */
void route_mcp_headers(struct jz__buf *out,
                       const struct jz__http_request *request);

#endif
