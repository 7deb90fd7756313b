/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between mbedTLS 2.28 and 3.x. 3.x brings TLS 1.3 where the
 * distribution builds it in, and does its arithmetic for that through PSA, which
 * has a state of the process that is made once and never given back.
 *
 * What is offered: TLS 1.2 with an ephemeral key exchange and an authenticated
 * cipher, and TLS 1.3. Everything of the last ten years has that, so the suites
 * with CBC, SHA-1 or RSA key exchange are left out altogether. There is no
 * renegotiation.
 *
 * A server resumes no sessions, by neither tickets nor a cache: the key of
 * tickets would have to be rotated and would weaken forward secrecy, and clients
 * that call often keep their connection. A client resumes what others offer.
 */
#include <mbedtls/version.h>

#include "net/tls_private.h"

#if MBEDTLS_VERSION_MAJOR >= 3
#include <psa/crypto.h>
#endif

/* In the order in which the server chooses. AES before ChaCha20: mbedTLS uses
 * the processor's instructions for the first alone. */
static const int suites[] = {
#if MBEDTLS_VERSION_MAJOR >= 3 && defined(MBEDTLS_SSL_PROTO_TLS1_3)
    MBEDTLS_TLS1_3_AES_128_GCM_SHA256,
    MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
    MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256,
#endif
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    0
};

/*
 * The two curves that cost least come first, and are equal in that. 2.28 would
 * prefer the largest it has, which most peers have as well and which takes
 * several times as long without being of use. Its list is that of the keys in
 * certificates too, and a private authority may have chosen the largest: so it
 * is there, at the end.
 */
#if MBEDTLS_VERSION_MAJOR >= 3
static void set_protocol(mbedtls_ssl_config *config, bool is_server)
{
    static const uint16_t groups[] = { MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
                                       MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
                                       MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
                                       MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1,
                                       MBEDTLS_SSL_IANA_TLS_GROUP_NONE };

    mbedtls_ssl_conf_min_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_groups(config, groups);
#if defined(MBEDTLS_SSL_PROTO_TLS1_3)
    mbedtls_ssl_conf_tls13_key_exchange_modes(
        config, is_server ? MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL
                          : MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ALL);
#endif
    /* Up to 3.6.0 tickets are told of without being asked for. */
#if defined(MBEDTLS_SSL_PROTO_TLS1_3) && MBEDTLS_VERSION_NUMBER >= 0x03060100
    if (!is_server) {
        mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
            config, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
    }
#endif
}
#else
static void set_protocol(mbedtls_ssl_config *config, bool is_server)
{
    static const mbedtls_ecp_group_id curves[] = {
        MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_ECP_DP_CURVE25519,
        MBEDTLS_ECP_DP_SECP384R1, MBEDTLS_ECP_DP_SECP521R1, MBEDTLS_ECP_DP_NONE
    };

    (void)is_server;
    mbedtls_ssl_conf_min_version(config, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
    mbedtls_ssl_conf_curves(config, curves);
}
#endif

int jz__tls_mbedtls_start(void)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return psa_crypto_init() == PSA_SUCCESS ? 0
                                            : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
#else
    return 0;
#endif
}

void jz__tls_mbedtls_configure(mbedtls_ssl_config *config, bool is_server)
{
    mbedtls_ssl_conf_ciphersuites(config, suites);
    set_protocol(config, is_server);
#if defined(MBEDTLS_SSL_RENEGOTIATION)
    mbedtls_ssl_conf_renegotiation(config, MBEDTLS_SSL_RENEGOTIATION_DISABLED);
#endif
}

int jz__tls_mbedtls_parse_key(mbedtls_pk_context *key,
                              const unsigned char *text, size_t length,
                              mbedtls_ctr_drbg_context *random)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return mbedtls_pk_parse_key(key, text, length, NULL, 0,
                                mbedtls_ctr_drbg_random, random);
#else
    (void)random;
    return mbedtls_pk_parse_key(key, text, length, NULL, 0);
#endif
}

bool jz__tls_mbedtls_is_pair(mbedtls_pk_context *public_key,
                             mbedtls_pk_context *key,
                             mbedtls_ctr_drbg_context *random)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return mbedtls_pk_check_pair(public_key, key, mbedtls_ctr_drbg_random,
                                 random) == 0;
#else
    (void)random;
    return mbedtls_pk_check_pair(public_key, key) == 0;
#endif
}

bool jz__tls_mbedtls_is_session(int r)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return r == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET;
#else
    (void)r;
    return false;
#endif
}

bool jz__tls_mbedtls_has_session(const mbedtls_ssl_context *ssl)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return mbedtls_ssl_get_version_number(ssl) == MBEDTLS_SSL_VERSION_TLS1_2;
#else
    (void)ssl;
    return true;
#endif
}

bool jz__tls_mbedtls_is_version(int r)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return r == MBEDTLS_ERR_SSL_BAD_PROTOCOL_VERSION;
#else
    return r == MBEDTLS_ERR_SSL_BAD_HS_PROTOCOL_VERSION;
#endif
}
