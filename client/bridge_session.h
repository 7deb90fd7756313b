/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client and a server of the older revisions have agreed on: version and
 * session, remembered for all connections of the bridge. Any thread may call.
 */
#ifndef JEZERO_CLIENT_BRIDGE_SESSION_H
#define JEZERO_CLIENT_BRIDGE_SESSION_H

#include <pthread.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Characters of a session's id; a longer one is not kept. */
#define BRIDGE_SESSION_ID_MOST 1024

struct bridge_session {
    pthread_mutex_t lock;    /* of all that follows */
    pthread_mutex_t renewal; /* held by the one thread that initialises anew */
    char version[32];        /* "": none was agreed on */
    char id[BRIDGE_SESSION_ID_MOST + 1]; /* "": there is none */
    struct jz__buf initialize;           /* the client's, to send it anew */
    bool is_initialized; /* the client's notification has been sent */
};

void bridge_session_init(struct bridge_session *session);
void bridge_session_finish(struct bridge_session *session);

/* A client's initialize begins: what was agreed on before is forgotten. 0 or
 * JZ_ENOMEM. */
int bridge_session_begin(struct bridge_session *session,
                         struct jz__str initialize);

/* Its answer came, with the Mcp-Session-Id of its headers or "". An answer that
 * is an error changes nothing. */
void bridge_session_agree(struct bridge_session *session, struct jz__str answer,
                          struct jz__str id);

/* notifications/initialized has been sent. */
void bridge_session_confirm(struct bridge_session *session);

/* Append the header lines of an older message. *id, which is to have room for
 * BRIDGE_SESSION_ID_MOST and a NUL, gets the session's id that is among them. */
void bridge_session_put_headers(struct jz__buf *out, char *id,
                                struct bridge_session *session);

/*
 * The server does not know the session `id` any more. true: the caller is the
 * one to send *initialize (a copy, its to finish) anew, and the notification too
 * if *is_initialized; then it ends with _renew_end(). false: another thread has
 * done so meanwhile, or there is nothing to be sent.
 */
bool bridge_session_renew_begin(struct jz__buf *initialize,
                                bool *is_initialized,
                                struct bridge_session *session, const char *id);
void bridge_session_renew_end(struct bridge_session *session);

#endif
