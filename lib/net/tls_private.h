/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of TLS share, and nobody else: the types of mbedTLS are in
 * here. What differs between its versions is in tls_mbedtls.c alone.
 */
#ifndef JZ_NET_TLS_PRIVATE_H
#define JZ_NET_TLS_PRIVATE_H

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "net/address.h"
#include "net/tls.h"

/* Bytes of a host's name with its NUL, and of an address. */
#define JZ__TLS_HOST_SIZE 256

/* --- what differs between mbedTLS 2.28 and 3.x: tls_mbedtls.c --- */

/* Before anything else of mbedTLS: 0, or an error of it. */
int jz__tls_mbedtls_start(void);

/* Versions, suites, curves, and what a client may resume. */
void jz__tls_mbedtls_configure(mbedtls_ssl_config *config, bool is_server);

/* `text` is NUL-terminated, its length counts the NUL. */
int jz__tls_mbedtls_parse_key(mbedtls_pk_context *key,
                              const unsigned char *text, size_t length,
                              mbedtls_ctr_drbg_context *random);
bool jz__tls_mbedtls_is_pair(mbedtls_pk_context *public_key,
                             mbedtls_pk_context *key,
                             mbedtls_ctr_drbg_context *random);

/* Is it no error but the news that a session came (TLS 1.3)? */
bool jz__tls_mbedtls_is_session(int r);

/* Has the connection, whose handshake is over, a session to keep now? In
 * TLS 1.3 it comes later. */
bool jz__tls_mbedtls_has_session(const mbedtls_ssl_context *ssl);

/* Did the server name a version of TLS that is too old? */
bool jz__tls_mbedtls_is_version(int r);

/* --- what both sides are set up with: tls_setup.c --- */

struct jz__tls_setup {
    mbedtls_ssl_config config;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    size_t users; /* its owner and the connections */
};

/* Finish it in every case. */
int jz__tls_setup_init(struct jz__tls_setup *setup, bool is_server,
                       struct jz__error *error);
void jz__tls_setup_finish(struct jz__tls_setup *setup);

/* JZ_EINVAL: "<what> <path>: <reason>" of an error of mbedTLS; JZ_ENOMEM. */
int jz__tls_setup_fail(struct jz__error *error, int r, const char *what,
                       const char *path);

/* --- one connection: tls.c --- */

/* Why a certificate is refused, gathered while mbedTLS goes through the chain
 * from its end to the server's own certificate. */
struct jz__tls_verdict {
    bool is_checked;      /* a certificate was looked at: no resumed session */
    bool is_untrusted;    /* no trusted certificate vouches for it */
    struct jz__buf own;   /* what is wrong with the server's own, each with a
                             line end behind it */
    struct jz__buf chain; /* why nobody vouches for it */
};

struct jz__tls {
    mbedtls_ssl_context ssl;
    struct jz__tls_server *server; /* one of the two is NULL */
    struct jz__tls_client *client;
    bool is_ready;
    bool is_broken; /* mbedTLS must not be called again */

    /* Of the call that is at work. */
    struct jz__str input;
    struct jz__buf *output;

    /* Of a client. */
    char host[JZ__TLS_HOST_SIZE]; /* as it may be printed */
    struct jz__address address;   /* if the host is one */
    bool has_address;
    struct jz__tls_verdict verdict;
    /* While the handshake lasts: what the peer began with, and the last whole
     * alert, of which mbedTLS says no more than that there was one. */
    unsigned char first[5];
    size_t first_count;
    unsigned char last[7];
};

/* NULL: out of memory. The caller makes it a server's or a client's. */
struct jz__tls *jz__tls_new(struct jz__tls_setup *setup);

/* --- the client: tls_client.c --- */

struct jz__tls_client {
    struct jz__tls_setup setup;
    mbedtls_x509_crt anchors; /* trusted; raw.p is NULL: none */
    mbedtls_x509_crt stale;   /* in the file too, but expired */
    char *file;

    /* Of the last connection that had one, to be resumed by the next to the
     * same host. */
    mbedtls_ssl_session session;
    bool has_session;
    char session_host[JZ__TLS_HOST_SIZE];
    int64_t verified_at; /* monotonic seconds: when a certificate was checked */
};

/* The connection has a session to resume. */
void jz__tls_client_keep(struct jz__tls *tls);

/* Do not offer the session again. */
void jz__tls_client_forget(struct jz__tls_client *client);

/* --- what went wrong: tls_fault.c --- */

/* Fail with what an error of mbedTLS means for people. */
int jz__tls_fault_fail(const struct jz__tls *tls, int r,
                       struct jz__error *error);

/* --- certificates of servers: tls_verify.c --- */

/* mbedTLS calls it for each certificate of a chain; `context` is the
 * connection. */
int jz__tls_verify(void *context, mbedtls_x509_crt *cert, int depth,
                   uint32_t *flags);

/* Append "the certificate of HOST …"; nothing if there was nothing wrong. */
void jz__tls_verify_put(struct jz__buf *out, const struct jz__tls *tls);

void jz__tls_verdict_finish(struct jz__tls_verdict *verdict);

/* --- whom they are for: tls_names.c --- */

/* Does it name the address as an address? */
bool jz__tls_names_has_address(const mbedtls_x509_crt *cert,
                               const struct jz__address *address);

/* Append "is not for HOST but for A, B". */
void jz__tls_names_put_mismatch(struct jz__buf *out, const struct jz__tls *tls,
                                const mbedtls_x509_crt *cert);

/* Append an authority's name in quotes. */
void jz__tls_names_put_subject(struct jz__buf *out,
                               const mbedtls_x509_name *name);

/* --- files of certificates: tls_pem.c --- */

/* A certificate's bytes (DER), borrowed: 0, or negative, which ends it. */
typedef int (*jz__tls_pem_fn)(void *userdata, const unsigned char *der,
                              size_t length);

/* Call fn for each certificate of a text in PEM form. What cannot be read is
 * passed over. Negative: fn's, or JZ_ENOMEM. */
int jz__tls_pem_each(struct jz__str text, jz__tls_pem_fn fn, void *userdata);

#endif
