/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS by mbedTLS, turned inside out: the library wants to read and write a
 * socket, so it is given callbacks that take bytes off a slice and put them
 * into a buffer. "No more bytes" is then its normal way to return.
 *
 * Here are connections as bytes, the same at both ends. What makes an end is in
 * tls_server.c and tls_client.c, what both are set up with in tls_setup.c, whom a
 * client trusts in tls_verify.c, and what differs between the versions of
 * mbedTLS in tls_mbedtls.c.
 */
#include "net/tls.h"

#include <assert.h>
#include <mbedtls/error.h>
#include <mbedtls/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls_private.h"

/* Plain text of one record. */
#define RECORD_MOST 16384

/* Keep the first bytes that came and the last ones. */
static void note(struct jz__tls *tls, const unsigned char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (tls->first_count < sizeof(tls->first)) {
            tls->first[tls->first_count++] = data[i];
        }
    }
    if (length >= sizeof(tls->last)) {
        memcpy(tls->last, data + length - sizeof(tls->last), sizeof(tls->last));
    } else {
        memmove(tls->last, tls->last + length, sizeof(tls->last) - length);
        memcpy(tls->last + sizeof(tls->last) - length, data, length);
    }
}

static int on_take(void *context, unsigned char *out, size_t length)
{
    struct jz__tls *tls = context;
    size_t count = length < tls->input.length ? length : tls->input.length;

    if (count == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    memcpy(out, tls->input.data, count);
    if (!tls->is_ready) {
        note(tls, out, count);
    }
    tls->input.data += count;
    tls->input.length -= count;
    return (int)count;
}

/* A buffer takes everything, so mbedTLS never has to come again. */
static int on_give(void *context, const unsigned char *data, size_t length)
{
    struct jz__tls *tls = context;

    jz__buf_append(tls->output, data, length);
    return tls->output->error == 0 ? (int)length : MBEDTLS_ERR_SSL_ALLOC_FAILED;
}

struct jz__tls *jz__tls_new(struct jz__tls_setup *setup)
{
    struct jz__tls *tls = calloc(1, sizeof(*tls));

    if (tls == NULL) {
        return NULL;
    }
    mbedtls_ssl_init(&tls->ssl);
    if (mbedtls_ssl_setup(&tls->ssl, &setup->config) != 0) {
        jz__tls_free(tls);
        return NULL;
    }
    mbedtls_ssl_set_bio(&tls->ssl, tls, on_give, on_take, NULL);
    return tls;
}

void jz__tls_free(struct jz__tls *tls)
{
    if (tls != NULL) {
        mbedtls_ssl_free(&tls->ssl);
        jz__tls_server_release(tls->server);
        jz__tls_client_release(tls->client);
        jz__tls_verdict_finish(&tls->verdict);
        free(tls);
    }
}

static int fail(struct jz__tls *tls, int r, struct jz__error *error)
{
    char reason[160];

    tls->is_broken = true;
    if (r == MBEDTLS_ERR_SSL_ALLOC_FAILED) {
        return jz__fail_memory(error);
    }
    if (tls->client != NULL) {
        if (!tls->is_ready) {
            /* Whatever it was, the next try is not to meet it again for the sake
             * of an old session. */
            jz__tls_client_forget(tls->client);
        }
        return jz__tls_fault_fail(tls, r, error);
    }
    mbedtls_strerror(r, reason, sizeof(reason));
    return jz__fail(error, JZ_EINVAL, "%s: %s",
                    tls->is_ready ? "TLS" : "TLS handshake", reason);
}

/* 1: the handshake is over. 0: it wants more bytes. */
static int shake_hands(struct jz__tls *tls, struct jz__error *error)
{
    int r = mbedtls_ssl_handshake(&tls->ssl);

    if (r == MBEDTLS_ERR_SSL_WANT_READ) {
        return 0;
    }
    if (r != 0) {
        return fail(tls, r, error);
    }
    tls->is_ready = true;
    if (tls->client != NULL && jz__tls_mbedtls_has_session(&tls->ssl)) {
        jz__tls_client_keep(tls);
    }
    return 1;
}

/* There may be more to read. */
#define AGAIN 2

/* The plain text of one record: AGAIN, or what jz__tls_read() returns. */
static int read_record(struct jz__tls *tls, struct jz__buf *plain,
                       struct jz__error *error)
{
    char *end = jz__buf_reserve(plain, RECORD_MOST);
    size_t before = tls->input.length;
    int r;

    if (end == NULL) {
        return fail(tls, MBEDTLS_ERR_SSL_ALLOC_FAILED, error);
    }
    *end = '\0';
    r = mbedtls_ssl_read(&tls->ssl, (unsigned char *)end, RECORD_MOST);
    if (r > 0) {
        plain->length += (size_t)r;
        end[r] = '\0';
        return AGAIN;
    }
    if (jz__tls_mbedtls_is_session(r)) {
        jz__tls_client_keep(tls);
        return AGAIN;
    }
    if (r == MBEDTLS_ERR_SSL_WANT_READ && tls->input.length == 0) {
        return 0;
    }
    if (r == MBEDTLS_ERR_SSL_WANT_READ && tls->input.length < before) {
        /* It was a message of TLS itself: 3.x wants to be called again for what
         * is behind it. */
        return AGAIN;
    }
    return r == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ? 1 : fail(tls, r, error);
}

int jz__tls_read(struct jz__tls *tls, struct jz__str bytes,
                 struct jz__buf *plain, struct jz__buf *wire,
                 struct jz__error *error)
{
    int r = AGAIN;

    assert(tls != NULL && plain != NULL && wire != NULL);

    if (tls->is_broken) {
        return jz__fail(error, JZ_EINVAL, "the TLS connection is broken");
    }
    tls->input = bytes;
    tls->output = wire;
    if (!tls->is_ready) {
        r = shake_hands(tls, error);
        if (r <= 0) {
            return r;
        }
        r = AGAIN;
    }
    while (r == AGAIN) {
        r = read_record(tls, plain, error);
    }
    return r;
}

int jz__tls_write(struct jz__tls *tls, struct jz__str plain,
                  struct jz__buf *wire, struct jz__error *error)
{
    assert(tls != NULL && tls->is_ready && wire != NULL);

    if (tls->is_broken) {
        return jz__fail(error, JZ_EINVAL, "the TLS connection is broken");
    }
    tls->output = wire;
    while (plain.length > 0) {
        int r = mbedtls_ssl_write(&tls->ssl, (const unsigned char *)plain.data,
                                  plain.length);

        if (jz__tls_mbedtls_is_session(r)) {
            jz__tls_client_keep(tls);
            continue;
        }
        if (r <= 0) {
            return fail(tls, r, error);
        }
        plain.data += r;
        plain.length -= (size_t)r;
    }
    return 0;
}

int jz__tls_end(struct jz__tls *tls, struct jz__buf *wire,
                struct jz__error *error)
{
    int r;

    assert(tls != NULL && wire != NULL);

    if (!tls->is_ready || tls->is_broken) {
        return 0;
    }
    tls->output = wire;
    r = mbedtls_ssl_close_notify(&tls->ssl);
    return r == 0 ? 0 : fail(tls, r, error);
}

bool jz__tls_is_ready(const struct jz__tls *tls)
{
    return tls->is_ready;
}
