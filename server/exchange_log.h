/* SPDX-License-Identifier: Apache-2.0 */
/* What is logged of a request: never its query, its key or its body. */
#ifndef JEZERO_SERVER_EXCHANGE_LOG_H
#define JEZERO_SERVER_EXCHANGE_LOG_H

#include "log.h"
#include "net/http.h"

struct conn;

/* Which request the connection is at, for a line of one's own. */
struct log_request exchange_log_about(const struct conn *conn);

/* Its head has arrived. */
void exchange_log_head(struct conn *conn,
                       const struct jz__http_request *request);

/* It is refused in a way that an administrator has to know of, or nothing is
 * logged. Anyone can cause these lines: their number is limited. */
void exchange_log_refusal(struct conn *conn,
                          const struct jz__http_request *request);

/* Its answer is made, of so many bytes. */
void exchange_log_answer(struct conn *conn, uint64_t bytes);

#endif
