/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jezero's own server keeps no sessions. This is for what may stand in its
 * place: a server that gives an id, wants it back with every message, and
 * forgets it when it restarts. Requests that are under way meanwhile all learn
 * of it at once; the first of them initialises anew and the others wait for
 * that. Until there is a new id the old one is sent on: the server's answer to
 * it brings the next thread here, and one without an id would only be refused.
 *
 * The version is what the server chose. Messages of the revision 2026-07-28 say
 * theirs themselves and have no session.
 */
#include "bridge_session.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "jezero.h"

void bridge_session_init(struct bridge_session *session)
{
    memset(session, 0, sizeof(*session));
    (void)pthread_mutex_init(&session->lock, NULL);
    (void)pthread_mutex_init(&session->renewal, NULL);
}

void bridge_session_finish(struct bridge_session *session)
{
    jz__buf_finish(&session->initialize);
    (void)pthread_mutex_destroy(&session->lock);
    (void)pthread_mutex_destroy(&session->renewal);
}

int bridge_session_begin(struct bridge_session *session,
                         struct jz__str initialize)
{
    int r;

    (void)pthread_mutex_lock(&session->lock);
    session->version[0] = '\0';
    session->id[0] = '\0';
    session->is_initialized = false;
    jz__buf_clear(&session->initialize);
    jz__buf_append(&session->initialize, initialize.data, initialize.length);
    r = session->initialize.error;
    (void)pthread_mutex_unlock(&session->lock);
    return r;
}

/* Visible ASCII: anything else would break the header it goes into. */
static void keep(char *out, size_t size, struct jz__str value)
{
    size_t i;

    if (value.length == 0 || value.length >= size) {
        return;
    }
    for (i = 0; i < value.length; i++) {
        if (value.data[i] < '!' || value.data[i] > '~') {
            return;
        }
    }
    memcpy(out, value.data, value.length);
    out[value.length] = '\0';
}

void bridge_session_agree(struct bridge_session *session, struct jz__str answer,
                          struct jz__str id)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    size_t result;
    size_t version;

    if (jz__scan_parse(&scan, answer.data, answer.length) < 0) {
        return;
    }
    result = jz__scan_get_type(&scan, 0, "result", JZ__SCAN_OBJECT);
    if (result == 0) {
        return;
    }
    version =
        jz__scan_get_type(&scan, result, "protocolVersion", JZ__SCAN_STRING);
    (void)pthread_mutex_lock(&session->lock);
    if (version != 0) {
        keep(session->version, sizeof(session->version),
             jz__scan_raw(&scan, version));
    }
    session->id[0] = '\0';
    keep(session->id, sizeof(session->id), id);
    (void)pthread_mutex_unlock(&session->lock);
}

void bridge_session_confirm(struct bridge_session *session)
{
    (void)pthread_mutex_lock(&session->lock);
    session->is_initialized = true;
    (void)pthread_mutex_unlock(&session->lock);
}

void bridge_session_put_headers(struct jz__buf *out, char *id,
                                struct bridge_session *session)
{
    (void)pthread_mutex_lock(&session->lock);
    if (session->version[0] != '\0') {
        jz__buf_printf(out, "MCP-Protocol-Version: %s\r\n", session->version);
    }
    if (session->id[0] != '\0') {
        jz__buf_printf(out, "Mcp-Session-Id: %s\r\n", session->id);
    }
    memcpy(id, session->id, strlen(session->id) + 1);
    (void)pthread_mutex_unlock(&session->lock);
}

bool bridge_session_renew_begin(struct jz__buf *initialize,
                                bool *is_initialized,
                                struct bridge_session *session, const char *id)
{
    bool is_ours;

    assert(id[0] != '\0');

    (void)pthread_mutex_lock(&session->renewal);
    (void)pthread_mutex_lock(&session->lock);
    is_ours = strcmp(session->id, id) == 0;
    if (is_ours) {
        jz__buf_append(initialize, session->initialize.data,
                       session->initialize.length);
        *is_initialized = session->is_initialized;
        is_ours = initialize->length > 0;
    }
    (void)pthread_mutex_unlock(&session->lock);
    if (!is_ours) {
        (void)pthread_mutex_unlock(&session->renewal);
    }
    return is_ours;
}

void bridge_session_renew_end(struct bridge_session *session)
{
    (void)pthread_mutex_unlock(&session->renewal);
}
