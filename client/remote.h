/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server of this computer's home, with its key: one kept connection, used by
 * one thread at a time. TLS trust and proxies are those of the environment and
 * the home. Nothing is looked up or connected before the first request.
 */
#ifndef JEZERO_CLIENT_REMOTE_H
#define JEZERO_CLIENT_REMOTE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "home.h"
#include "net/fetch.h"

struct remote;

/* The home is set up, and outlives it. JZ_EINVAL: its url is none. */
int remote_open(struct remote **out, const struct home *home,
                struct jz__error *error);
void remote_close(struct remote *remote);
void remote_closep(struct remote **remote);

/*
 * One request with "Authorization: Bearer <key>" added. As jz__fetch_send();
 * request->path is put behind the url's own.
 */
int remote_send(struct jz__fetch_answer *out, struct remote *remote,
                const struct jz__fetch_request *request,
                struct jz__error *error);

/*
 * Connect now, if it is not connected: what else a caller has to do can wait
 * until it is known that the server is there. JZ_EIO as jz__fetch_send().
 */
int remote_connect(struct remote *remote, int64_t deadline_ms,
                   struct jz__error *error);

/* Append "HTTP 403 {…}": status and body on one line, cut at 200 characters. */
void remote_show_answer(struct jz__buf *out,
                        const struct jz__fetch_answer *answer);

/*
 * Call a tool of the server's over MCP, without a session: its structured result
 * as JSON text is appended to out. deadline_ms as in net/fetch.h. JZ_EIO: no
 * answer came, the message says why; JZ_EINVAL: one came that is none ("HTTP 403
 * {…}", cut at 200 characters), or the tool's own error.
 */
int remote_call(struct jz__buf *out, struct remote *remote, const char *tool,
                const char *arguments_json, int64_t deadline_ms,
                struct jz__error *error);

#endif
