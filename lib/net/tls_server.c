/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server's certificate and key, read from files. What does not fit together
 * is refused here, with a sentence, because clients would only say that the
 * handshake failed.
 */
#include <assert.h>
#include <mbedtls/pem.h>
#include <mbedtls/platform_util.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "net/tls_private.h"

/* A certificate with its chain is a few KiB; one file may hold a bundle. */
#define PEM_MOST ((size_t)1024 * 1024)

struct jz__tls_server {
    struct jz__tls_setup setup;
    mbedtls_x509_crt chain; /* the server's own certificate is the first */
    mbedtls_pk_context key;
};

/* A key must not stay in memory that is given back. */
static void wipe(struct jz__buf *text)
{
    if (text->data != NULL) {
        mbedtls_platform_zeroize(text->data, text->capacity);
    }
    jz__buf_finish(text);
}

static int read_chain(struct jz__tls_server *server, const char *path,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r = jz__file_read(&text, path, PEM_MOST, error);

    if (r < 0) {
        return r;
    }
    if (text.length == 0 ||
        strstr(text.data, "-----BEGIN CERTIFICATE-----") == NULL) {
        return jz__fail(error, JZ_EINVAL,
                        "%s holds no certificate in PEM form (a line "
                        "-----BEGIN CERTIFICATE-----)",
                        path);
    }
    r = mbedtls_x509_crt_parse(&server->chain, (const unsigned char *)text.data,
                               text.length + 1);
    if (r > 0) {
        /* With a gap in its chain it would work for some clients and not for
         * others. */
        return jz__fail(error, JZ_EINVAL,
                        "%d of the certificates in %s cannot be read", r, path);
    }
    return r < 0 ? jz__tls_setup_fail(error, r, "cannot use the certificate",
                                      path)
                 : 0;
}

static int read_key(struct jz__tls_server *server, const char *path,
                    struct jz__error *error)
{
    JZ_CLEANUP(wipe) struct jz__buf text = JZ__BUF_INIT;
    int r = jz__file_read(&text, path, PEM_MOST, error);

    if (r < 0) {
        return r;
    }
    if (text.length == 0 || strstr(text.data, "PRIVATE KEY-----") == NULL) {
        return jz__fail(error, JZ_EINVAL,
                        "%s holds no private key in PEM form (a line "
                        "-----BEGIN PRIVATE KEY-----)",
                        path);
    }
    r = jz__tls_mbedtls_parse_key(&server->key,
                                  (const unsigned char *)text.data,
                                  text.length + 1, &server->setup.random);
    if (r == MBEDTLS_ERR_PK_PASSWORD_REQUIRED ||
        r == MBEDTLS_ERR_PK_PASSWORD_MISMATCH) {
        return jz__fail(error, JZ_EINVAL,
                        "the private key %s is encrypted, and there is nobody "
                        "to ask for its password: store it without one "
                        "(openssl pkey -in OLD -out NEW), readable by this "
                        "user alone",
                        path);
    }
    return r < 0 ? jz__tls_setup_fail(error, r, "cannot use the private key",
                                      path)
                 : 0;
}

static bool is_pair(struct jz__tls_server *server, mbedtls_x509_crt *one)
{
    return jz__tls_mbedtls_is_pair(&one->pk, &server->key,
                                   &server->setup.random);
}

/* The order in the file matters, and is got wrong: tell the two cases apart. */
static int check_pair(struct jz__tls_server *server, const char *cert_file,
                      const char *key_file, struct jz__error *error)
{
    if (is_pair(server, &server->chain)) {
        return 0;
    }
    for (mbedtls_x509_crt *one = server->chain.next; one != NULL;
         one = one->next) {
        if (is_pair(server, one)) {
            return jz__fail(error, JZ_EINVAL,
                            "the certificate of the key %s is not the first "
                            "in %s: the server's own comes first, then those "
                            "that signed it",
                            key_file, cert_file);
        }
    }
    return jz__fail(error, JZ_EINVAL,
                    "the private key %s does not belong to the certificate %s",
                    key_file, cert_file);
}

int jz__tls_server_new(struct jz__tls_server **out, const char *cert_file,
                       const char *key_file, struct jz__error *error)
{
    struct jz__tls_server *server = calloc(1, sizeof(*server));
    int r;

    assert(out != NULL && cert_file != NULL && key_file != NULL);

    *out = NULL;
    if (server == NULL) {
        return jz__fail_memory(error);
    }
    mbedtls_x509_crt_init(&server->chain);
    mbedtls_pk_init(&server->key);
    r = jz__tls_setup_init(&server->setup, true, error);
    if (r == 0) {
        r = read_chain(server, cert_file, error);
    }
    if (r == 0) {
        r = read_key(server, key_file, error);
    }
    if (r == 0) {
        r = check_pair(server, cert_file, key_file, error);
    }
    if (r == 0 &&
        mbedtls_ssl_conf_own_cert(&server->setup.config, &server->chain,
                                  &server->key) != 0) {
        r = jz__fail_memory(error);
    }
    if (r < 0) {
        jz__tls_server_release(server);
        return r;
    }
    *out = server;
    return 0;
}

void jz__tls_server_release(struct jz__tls_server *server)
{
    if (server == NULL || --server->setup.users > 0) {
        return;
    }
    jz__tls_setup_finish(&server->setup);
    mbedtls_x509_crt_free(&server->chain);
    mbedtls_pk_free(&server->key);
    free(server);
}

static int64_t seconds_of(const mbedtls_x509_time *at)
{
    struct tm parts = { .tm_year = at->year - 1900,
                        .tm_mon = at->mon - 1,
                        .tm_mday = at->day,
                        .tm_hour = at->hour,
                        .tm_min = at->min,
                        .tm_sec = at->sec };

    return (int64_t)timegm(&parts);
}

void jz__tls_server_validity(int64_t *from, int64_t *until,
                             const struct jz__tls_server *server)
{
    *from = seconds_of(&server->chain.valid_from);
    *until = seconds_of(&server->chain.valid_to);
}

struct jz__tls *jz__tls_accept(struct jz__tls_server *server)
{
    struct jz__tls *tls;

    assert(server != NULL);

    tls = jz__tls_new(&server->setup);
    if (tls != NULL) {
        tls->server = server;
        server->setup.users++;
    }
    return tls;
}
