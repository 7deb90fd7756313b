/* SPDX-License-Identifier: Apache-2.0 */
/* A request that is being decided: for the files of the route alone. */
#ifndef JEZERO_SERVER_ROUTE_CASE_H
#define JEZERO_SERVER_ROUTE_CASE_H

#include "route.h"

struct route_case {
    const struct route_rules *rules;
    const struct route_state *state;
    const struct jz__http_request *request;
    struct route_result *result;
};

/* --- route_links.c --- */

/* Does a path lead to the metadata document? */
bool route_is_metadata(const struct route_rules *rules, struct jz__str path);

/* Append the absolute address of MCP, or of the document about it. */
void route_put_resource(struct jz__buf *out, const struct route_case *asked);
void route_put_metadata_url(struct jz__buf *out,
                            const struct route_case *asked);

/* --- route_upload.c: false, and the answer is made --- */

/* Path, query and project. */
bool route_check_place(struct route_case *asked);

/* Content-Encoding. */
bool route_check_encoding(struct route_case *asked);

#endif
