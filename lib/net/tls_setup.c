/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server and a client are set up with alike: random numbers and the
 * protocol.
 *
 * The random generator belongs to the certificates and has no lock: all
 * connections of one jz__tls_server or jz__tls_client are used by one thread at
 * a time.
 */
#include <mbedtls/error.h>
#include <mbedtls/pem.h>

#include "net/tls_private.h"

static int seed(struct jz__tls_setup *setup, struct jz__error *error)
{
    static const unsigned char purpose[] = "jezero tls";
    int r = jz__tls_mbedtls_start();

    if (r == 0) {
        r = mbedtls_ctr_drbg_seed(&setup->random, mbedtls_entropy_func,
                                  &setup->entropy, purpose, sizeof(purpose));
    }
    return r == 0 ? 0
                  : jz__fail(error, JZ_EINTERNAL,
                             "the system gives no random numbers");
}

static int configure(struct jz__tls_setup *setup, bool is_server,
                     struct jz__error *error)
{
    static const char *protocols[] = { "http/1.1", NULL };
    int r = mbedtls_ssl_config_defaults(
        &setup->config,
        is_server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT,
        MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);

    if (r == 0) {
        mbedtls_ssl_conf_rng(&setup->config, mbedtls_ctr_drbg_random,
                             &setup->random);
        jz__tls_mbedtls_configure(&setup->config, is_server);
        r = mbedtls_ssl_conf_alpn_protocols(&setup->config, protocols);
    }
    return r == 0 ? 0 : jz__fail_memory(error);
}

int jz__tls_setup_init(struct jz__tls_setup *setup, bool is_server,
                       struct jz__error *error)
{
    int r;

    setup->users = 1;
    mbedtls_ssl_config_init(&setup->config);
    mbedtls_entropy_init(&setup->entropy);
    mbedtls_ctr_drbg_init(&setup->random);
    r = seed(setup, error);
    return r < 0 ? r : configure(setup, is_server, error);
}

void jz__tls_setup_finish(struct jz__tls_setup *setup)
{
    mbedtls_ssl_config_free(&setup->config);
    mbedtls_ctr_drbg_free(&setup->random);
    mbedtls_entropy_free(&setup->entropy);
}

int jz__tls_setup_fail(struct jz__error *error, int r, const char *what,
                       const char *path)
{
    char reason[160];

    if (r == MBEDTLS_ERR_X509_ALLOC_FAILED ||
        r == MBEDTLS_ERR_PK_ALLOC_FAILED || r == MBEDTLS_ERR_SSL_ALLOC_FAILED ||
        r == MBEDTLS_ERR_PEM_ALLOC_FAILED) {
        return jz__fail_memory(error);
    }
    mbedtls_strerror(r, reason, sizeof(reason));
    return jz__fail(error, JZ_EINVAL, "%s %s: %s", what, path, reason);
}
