/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of a request comes to: an answer, or the wish for its body. */
#ifndef JEZERO_SERVER_ROUTE_H
#define JEZERO_SERVER_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "auth.h"
#include "base/buf.h"
#include "inbox_path.h"
#include "net/http.h"
#include "net/origin.h"

/* The largest MCP message. */
#define ROUTE_BODY_MOST ((uint64_t)4 * 1024 * 1024)

/* What is asked for, by its path. */
enum route_kind {
    ROUTE_MCP,
    ROUTE_HEALTH,
    ROUTE_METADATA,
    ROUTE_INBOX,   /* may this computer upload? */
    ROUTE_UPLOAD,  /* a file for the inbox */
    ROUTE_METRICS, /* served if it is switched on */
    ROUTE_NONE,    /* no route: 404, and what is not even a request */
    ROUTE_KINDS
};

/* A word for logs and metrics: "mcp", "health", … Static. */
const char *route_kind_name(enum route_kind kind);

/* Borrowed for as long as requests are answered. */
struct route_rules {
    struct jz__origin_rules origin; /* its public_url builds links as well */
    const char *mcp_path;           /* "/mcp": no slash at its end */
    bool is_https;     /* of links that public_url does not build */
    bool requires_key; /* for MCP; uploads and metrics always do */
    bool has_inbox;
    bool has_metrics;
    uint64_t upload_most; /* bytes of one file, decompressed */
};

/* What is true at this moment. */
struct route_state {
    const struct auth_table *clients; /* NULL: none */
    bool is_healthy;
};

struct route_answer {
    int status;
    const char *content_type; /* static; NULL: none */
    const char *reason;       /* of a refusal, static; NULL: none is told */
    struct jz__buf headers;   /* further header lines with their ends */
    struct jz__buf body;
};

void route_answer_finish(struct route_answer *answer);

/* What has to happen for the answer. */
enum route_next {
    ROUTE_ANSWERED, /* nothing: it is made */
    ROUTE_DISPATCH, /* the body is a message for MCP */
    ROUTE_RECEIVE,  /* the body is a file */
    ROUTE_MEASURE   /* the state of the server is the answer's body */
};

/* Made by its owner, zeroed, and finished by it. */
struct route_result {
    enum route_kind kind;
    enum route_next next;
    struct route_answer answer;
    const struct auth_client *client; /* borrowed from the table; NULL: none */

    /* Of a file. */
    struct inbox_path path; /* slices of the request */
    struct jz__buf project; /* decoded; empty: none was sent */
    bool is_gzip;
};

void route_result_finish(struct route_result *result);

/*
 * Check a request in the order route, Host, Origin, key, method, form of the
 * body, size and answer it if it can be by its head. Pure: no I/O, no clock.
 */
void route_decide(struct route_result *out, const struct route_rules *rules,
                  const struct route_state *state,
                  const struct jz__http_request *request);

/* The answer to a request that cannot be read or handled: {"error": reason};
 * for a file {"ok":false,"error": reason}. What stood in *out is gone. */
void route_refuse(struct route_result *out, int status, const char *reason);

/* Append the headers that MCP asks for, as jz_mcp_dispatch() takes them. */
void route_mcp_headers(struct jz__buf *out,
                       const struct jz__http_request *request);

#endif
