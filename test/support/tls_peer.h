/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test of TLS needs on the other side: certificates made on the spot,
 * and a client of mbedTLS that speaks through buffers.
 *
 *     struct tls_name name = { .common_name = "desk.example" };
 *     tls_name_make(&name);             a key, and a certificate of its own
 *     tls_peer_open(&peer, NULL);
 *     while (tls_peer_shake(&peer) …)   takes peer.in, adds to peer.out
 *
 * Nothing here can fail in a way that a test could go on from.
 */
#ifndef JZ_TEST_TLS_PEER_H
#define JZ_TEST_TLS_PEER_H

#include <arpa/inet.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/oid.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if MBEDTLS_VERSION_MAJOR >= 3
#include <psa/crypto.h>
#endif

#include "base/buf.h"

/* Random enough for a test, the same in every run, and without a lock. */
static inline int tls_random(void *state, unsigned char *out, size_t length)
{
    static uint64_t next = 88172645463325252u;

    (void)state;
    for (size_t i = 0; i < length; i++) {
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        out[i] = (unsigned char)(next >> 32);
    }
    return 0;
}

static inline void tls_must(int r, const char *what)
{
    if (r != 0) {
        printf("Bail out! %s: -0x%04x\n", what, (unsigned)-r);
        exit(EXIT_FAILURE);
    }
}

/* --- certificates --- */

struct tls_name {
    const char *common_name;
    const char *hosts; /* "DNS:desk.example IP:10.0.0.1 IP:::1"; NULL: none */
    const char *from;  /* "20200101000000" */
    const char *until;
    bool is_authority;    /* may sign others; who signs itself may anyway */
    mbedtls_md_type_t md; /* 0: SHA-256 */
    mbedtls_pk_context key;
    char key_pem[2048];
    char cert_pem[4096];
};

static inline void tls_set_serial(mbedtls_x509write_cert *cert)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    unsigned char serial[] = { 7 };

    tls_must(mbedtls_x509write_crt_set_serial_raw(cert, serial, 1), "serial");
#else
    mbedtls_mpi serial;

    mbedtls_mpi_init(&serial);
    tls_must(mbedtls_mpi_lset(&serial, 7), "serial");
    tls_must(mbedtls_x509write_crt_set_serial(cert, &serial), "serial");
    mbedtls_mpi_free(&serial);
#endif
}

/* The subjectAltName of `hosts`; each entry, and all together, is short. */
static inline void tls_set_hosts(mbedtls_x509write_cert *cert,
                                 const char *hosts)
{
    unsigned char der[256] = { 0x30 };
    size_t used = 2;

    while (*hosts != '\0') {
        size_t length = strcspn(hosts, " ");
        char text[128] = "";
        int family = memchr(hosts + 3, ':', length - 3) ? AF_INET6 : AF_INET;

        if (strncmp(hosts, "IP:", 3) == 0) {
            memcpy(text, hosts + 3, length - 3);
            der[used] = 0x87;
            der[used + 1] = family == AF_INET ? 4 : 16;
            tls_must(inet_pton(family, text, der + used + 2) == 1 ? 0 : -1,
                     text);
        } else {
            der[used] = 0x82;
            der[used + 1] = (unsigned char)(length - 4);
            memcpy(der + used + 2, hosts + 4, length - 4);
        }
        used += 2 + der[used + 1];
        hosts += length + strspn(hosts + length, " ");
    }
    der[1] = (unsigned char)(used - 2);
    tls_must(mbedtls_x509write_crt_set_extension(
                 cert, MBEDTLS_OID_SUBJECT_ALT_NAME,
                 MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0, der, used),
             "hosts");
}

/* Make the certificate of a key, signed by another name's, or its own. */
static inline void tls_name_sign(struct tls_name *name, struct tls_name *signer)
{
    char subject[128];
    char issuer[128];
    mbedtls_x509write_cert cert;

    (void)snprintf(subject, sizeof(subject), "CN=%s", name->common_name);
    (void)snprintf(issuer, sizeof(issuer), "CN=%s", signer->common_name);
    mbedtls_x509write_crt_init(&cert);
    mbedtls_x509write_crt_set_md_alg(
        &cert, name->md != MBEDTLS_MD_NONE ? name->md : MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(&cert, &name->key);
    mbedtls_x509write_crt_set_issuer_key(&cert, &signer->key);
    tls_must(mbedtls_x509write_crt_set_subject_name(&cert, subject), "subject");
    tls_must(mbedtls_x509write_crt_set_issuer_name(&cert, issuer), "issuer");
    tls_set_serial(&cert);
    tls_must(mbedtls_x509write_crt_set_validity(
                 &cert, name->from != NULL ? name->from : "20200101000000",
                 name->until != NULL ? name->until : "20491231235959"),
             "validity");
    tls_must(mbedtls_x509write_crt_set_basic_constraints(
                 &cert, signer == name || name->is_authority, -1),
             "constraints");
    if (name->hosts != NULL) {
        tls_set_hosts(&cert, name->hosts);
    }
    tls_must(mbedtls_x509write_crt_pem(&cert, (unsigned char *)name->cert_pem,
                                       sizeof(name->cert_pem), tls_random,
                                       NULL),
             "certificate");
    mbedtls_x509write_crt_free(&cert);
}

/* A key on P-256 with a certificate that it signs itself. */
static inline void tls_name_make(struct tls_name *name)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    tls_must(psa_crypto_init(), "psa");
#endif
    mbedtls_pk_init(&name->key);
    tls_must(mbedtls_pk_setup(&name->key,
                              mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)),
             "key");
    tls_must(mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1,
                                 mbedtls_pk_ec(name->key), tls_random, NULL),
             "key");
    tls_must(mbedtls_pk_write_key_pem(&name->key,
                                      (unsigned char *)name->key_pem,
                                      sizeof(name->key_pem)),
             "key");
    tls_name_sign(name, name);
}

static inline void tls_name_free(struct tls_name *name)
{
    mbedtls_pk_free(&name->key);
}

/* --- a client --- */

struct tls_peer {
    mbedtls_ssl_context ssl;
    mbedtls_ssl_config config;
    struct jz__buf in; /* from the server, not read yet */
    size_t in_used;
    struct jz__buf out; /* for the server */
};

static inline int tls_peer_take(void *context, unsigned char *data,
                                size_t length)
{
    struct tls_peer *peer = context;
    size_t left = peer->in.length - peer->in_used;

    if (left == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    length = length < left ? length : left;
    memcpy(data, peer->in.data + peer->in_used, length);
    peer->in_used += length;
    return (int)length;
}

static inline int tls_peer_give(void *context, const unsigned char *data,
                                size_t length)
{
    struct tls_peer *peer = context;

    jz__buf_append(&peer->out, data, length);
    return (int)length;
}

/* protocols: for ALPN, NULL at the end; must live as long; NULL: none. */
static inline void tls_peer_open(struct tls_peer *peer, const char **protocols)
{
    memset(peer, 0, sizeof(*peer));
#if MBEDTLS_VERSION_MAJOR >= 3
    tls_must(psa_crypto_init(), "psa");
#endif
    mbedtls_ssl_init(&peer->ssl);
    mbedtls_ssl_config_init(&peer->config);
    tls_must(mbedtls_ssl_config_defaults(&peer->config, MBEDTLS_SSL_IS_CLIENT,
                                         MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT),
             "client");
    mbedtls_ssl_conf_authmode(&peer->config, MBEDTLS_SSL_VERIFY_NONE);
    mbedtls_ssl_conf_rng(&peer->config, tls_random, NULL);
    if (protocols != NULL) {
        tls_must(mbedtls_ssl_conf_alpn_protocols(&peer->config, protocols),
                 "protocols");
    }
    tls_must(mbedtls_ssl_setup(&peer->ssl, &peer->config), "client");
    mbedtls_ssl_set_bio(&peer->ssl, peer, tls_peer_give, tls_peer_take, NULL);
}

static inline void tls_peer_close(struct tls_peer *peer)
{
    mbedtls_ssl_free(&peer->ssl);
    mbedtls_ssl_config_free(&peer->config);
    jz__buf_finish(&peer->in);
    jz__buf_finish(&peer->out);
}

#endif
