/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side that connects: whom it trusts, and the session that it resumes. There
 * is no way to do without a check of the certificate: no option, no variable, no
 * answer to a question. Who has an authority of his own names it in a file.
 *
 * A trusted certificate that has expired is set apart. mbedTLS takes the first
 * issuer that fits, trusted ones first, and never looks for another way: an old
 * root in a bundle would spoil a chain for which the server sends a newer
 * certificate of the same authority. One that is not valid yet stays: what is
 * wrong is the clock then, and somebody may set it while we run.
 *
 * The last session is kept and offered to the same host again, for at most an
 * hour after its certificate was looked at. That saves the signatures and the
 * certificates of a handshake where the other side takes part, as most proxies
 * do: of a chain of three on P-256, 13 ms of 2.28's arithmetic become 0.2.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "net/address.h"
#include "net/tls_private.h"

/* Bytes of a file of trusted certificates: systems' have 250 kB. */
#define PEM_MOST ((size_t)16 * 1024 * 1024)

/* Seconds for which a session stands for the certificate that it began with. */
#define SESSION_MOST 3600

/* --- trusted certificates --- */

/* Into one list or the other. What mbedTLS cannot read is left out: an unknown
 * curve, a version of the standard to come. */
static int take_certificate(void *userdata, const unsigned char *der,
                            size_t length)
{
    struct jz__tls_client *client = userdata;
    mbedtls_x509_crt cert;
    int r;

    /* Read twice, once to see its dates, because a certificate of mbedTLS cannot
     * be moved from list to list. It takes 3 us. */
    mbedtls_x509_crt_init(&cert);
    r = mbedtls_x509_crt_parse_der_nocopy(&cert, der, length);
    if (r == 0) {
        r = mbedtls_x509_crt_parse_der(mbedtls_x509_time_is_past(&cert.valid_to)
                                           ? &client->stale
                                           : &client->anchors,
                                       der, length);
    }
    mbedtls_x509_crt_free(&cert);
    return r == MBEDTLS_ERR_X509_ALLOC_FAILED ? JZ_ENOMEM : 0;
}

static int read_trusted(struct jz__tls_client *client, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r = jz__file_read(&text, client->file, PEM_MOST, error);

    if (r < 0) {
        return r;
    }
    r = jz__tls_pem_each((struct jz__str){ text.data, text.length },
                         take_certificate, client);
    if (r < 0) {
        return jz__fail_memory(error);
    }
    if (client->anchors.raw.p == NULL && client->stale.raw.p == NULL) {
        return jz__fail(error, JZ_EINVAL,
                        "%s holds no certificate in PEM form that can be read "
                        "(it begins with a line -----BEGIN CERTIFICATE-----)",
                        client->file);
    }
    return 0;
}

int jz__tls_client_new(struct jz__tls_client **out, const char *ca_file,
                       struct jz__error *error)
{
    struct jz__tls_client *client;
    int r;

    assert(out != NULL && ca_file != NULL);

    *out = NULL;
    client = calloc(1, sizeof(*client));
    if (client == NULL) {
        return jz__fail_memory(error);
    }
    mbedtls_x509_crt_init(&client->anchors);
    mbedtls_x509_crt_init(&client->stale);
    mbedtls_ssl_session_init(&client->session);
    r = jz__tls_setup_init(&client->setup, false, error);
    client->file = jz__mem_copy(ca_file, strlen(ca_file));
    if (r == 0) {
        r = client->file != NULL ? read_trusted(client, error)
                                 : jz__fail_memory(error);
    }
    if (r < 0) {
        jz__tls_client_release(client);
        return r;
    }
    mbedtls_ssl_conf_authmode(&client->setup.config,
                              MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&client->setup.config, &client->anchors, NULL);
    *out = client;
    return 0;
}

void jz__tls_client_release(struct jz__tls_client *client)
{
    if (client == NULL || --client->setup.users > 0) {
        return;
    }
    jz__tls_setup_finish(&client->setup);
    mbedtls_x509_crt_free(&client->anchors);
    mbedtls_x509_crt_free(&client->stale);
    mbedtls_ssl_session_free(&client->session);
    free(client->file);
    free(client);
}

/* --- sessions --- */

static int64_t now_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec;
}

void jz__tls_client_forget(struct jz__tls_client *client)
{
    mbedtls_ssl_session_free(&client->session);
    mbedtls_ssl_session_init(&client->session);
    client->has_session = false;
}

void jz__tls_client_keep(struct jz__tls *tls)
{
    struct jz__tls_client *client = tls->client;

    /* A resumed session goes on with the time of the first one. */
    if (tls->verdict.is_checked) {
        client->verified_at = now_seconds();
        tls->verdict.is_checked = false;
    }
    jz__tls_client_forget(client);
    memcpy(client->session_host, tls->host, sizeof(tls->host));
    client->has_session =
        mbedtls_ssl_get_session(&tls->ssl, &client->session) == 0;
}

/* Without it the handshake is a full one, so what fails here is no error. */
static void resume(struct jz__tls *tls)
{
    struct jz__tls_client *client = tls->client;

    if (client->has_session && strcmp(client->session_host, tls->host) == 0 &&
        now_seconds() - client->verified_at < SESSION_MOST) {
        (void)mbedtls_ssl_set_session(&tls->ssl, &client->session);
    }
}

/* --- connections --- */

/* The name is asked for and checked as it is registered: without the dot that
 * may stand at its end. mbedTLS checks names alone, addresses are up to
 * jz__tls_verify(), and are never asked for by name. */
static int set_host(struct jz__tls *tls, const char *host,
                    struct jz__error *error)
{
    size_t length = strlen(host);
    size_t zone;
    char name[JZ__TLS_HOST_SIZE];
    int r;

    if (length > 0 && host[length - 1] == '.') {
        length--;
    }
    if (length == 0 || length >= sizeof(name)) {
        return jz__fail(error, JZ_EINVAL,
                        "no host name: it is empty or over 255 characters");
    }
    memcpy(name, host, length);
    name[length] = '\0';
    jz__utf8_show(tls->host, sizeof(tls->host), name);
    /* The link that an address is on means something here alone. */
    zone = jz__str_find((struct jz__str){ name, length }, "%");
    tls->has_address = jz__address_parse(
        &tls->address,
        (struct jz__str){ name, zone != SIZE_MAX ? zone : length });
    r = mbedtls_ssl_set_hostname(&tls->ssl, tls->has_address ? NULL : name);
    return r == 0 ? 0 : jz__fail_memory(error);
}

int jz__tls_connect(struct jz__tls **out, struct jz__tls_client *client,
                    const char *host, struct jz__error *error)
{
    struct jz__tls *tls;
    int r;

    assert(out != NULL && client != NULL && host != NULL);

    *out = NULL;
    tls = jz__tls_new(&client->setup);
    if (tls == NULL) {
        return jz__fail_memory(error);
    }
    tls->client = client;
    client->setup.users++;
    r = set_host(tls, host, error);
    if (r < 0) {
        jz__tls_free(tls);
        return r;
    }
    mbedtls_ssl_set_verify(&tls->ssl, jz__tls_verify, tls);
    resume(tls);
    *out = tls;
    return 0;
}

bool jz__tls_is_untrusted(const struct jz__tls *tls)
{
    return tls->verdict.is_untrusted;
}
