/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS by mbedTLS, turned inside out: the library wants to read and write a
 * socket, so it is given callbacks that take bytes off a slice and put them
 * into a buffer. "No more bytes" is then its normal way to return.
 *
 * mbedTLS 2.28 and 3.x differ in a few calls; each difference is a function or
 * a macro at the top of this file. 3.x brings TLS 1.3 where the distribution
 * builds it in, and does its arithmetic for that through PSA, which has a state
 * of the process that is made once and never given back.
 *
 * What is offered: TLS 1.2 with an ephemeral key exchange and an authenticated
 * cipher, and TLS 1.3. Every client of the last ten years has that, so the
 * suites with CBC, SHA-1 or RSA key exchange are left out altogether. There is
 * no session resumption, neither tickets nor a cache: the key of tickets would
 * have to be rotated and would weaken forward secrecy, and clients that call often
 * keep their connection. There is no renegotiation either.
 *
 * The random generator belongs to the certificate and has no lock: all
 * connections of one jz__tls_server are used by one thread at a time.
 */
#include "net/tls.h"

#include <assert.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/pem.h>
#include <mbedtls/pk.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#include <string.h>
#include <time.h>

#if MBEDTLS_VERSION_MAJOR >= 3
#include <psa/crypto.h>
#endif

#include "base/file.h"
#include "base/mem.h"

/* A certificate with its chain is a few KiB; one file may hold a bundle. */
#define PEM_MOST ((size_t)1024 * 1024)

/* Plain text of one record. */
#define RECORD_MOST 16384

struct jz__tls_server {
    mbedtls_ssl_config config;
    mbedtls_x509_crt chain; /* the server's own certificate is the first */
    mbedtls_pk_context key;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context random;
    size_t users; /* its owner and the connections */
};

struct jz__tls {
    mbedtls_ssl_context ssl;
    struct jz__tls_server *server;
    bool is_ready;
    bool is_broken; /* mbedTLS must not be called again */

    /* Of the call that is at work. */
    struct jz__str input;
    struct jz__buf *output;
};

/* --- what differs between 2.28 and 3.x --- */

static int parse_key(struct jz__tls_server *server, const struct jz__buf *text)
{
    const unsigned char *data = (const unsigned char *)text->data;

    /* The NUL behind it counts: that is how PEM is told. */
#if MBEDTLS_VERSION_MAJOR >= 3
    return mbedtls_pk_parse_key(&server->key, data, text->length + 1, NULL, 0,
                                mbedtls_ctr_drbg_random, &server->random);
#else
    return mbedtls_pk_parse_key(&server->key, data, text->length + 1, NULL, 0);
#endif
}

static bool is_pair(struct jz__tls_server *server, mbedtls_x509_crt *one)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return mbedtls_pk_check_pair(&one->pk, &server->key,
                                 mbedtls_ctr_drbg_random, &server->random) == 0;
#else
    return mbedtls_pk_check_pair(&one->pk, &server->key) == 0;
#endif
}

/*
 * The two curves that cost least come first, and are equal in that. 2.28 would
 * prefer the largest it has, which most clients have as well and which takes
 * several times as long without being of use.
 */
static void set_protocol(mbedtls_ssl_config *config)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    static const uint16_t groups[] = { MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
                                       MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
                                       MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
                                       MBEDTLS_SSL_IANA_TLS_GROUP_NONE };

    mbedtls_ssl_conf_min_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_groups(config, groups);
#if defined(MBEDTLS_SSL_PROTO_TLS1_3)
    mbedtls_ssl_conf_tls13_key_exchange_modes(
        config, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL);
#endif
#else
    static const mbedtls_ecp_group_id curves[] = { MBEDTLS_ECP_DP_SECP256R1,
                                                   MBEDTLS_ECP_DP_CURVE25519,
                                                   MBEDTLS_ECP_DP_SECP384R1,
                                                   MBEDTLS_ECP_DP_NONE };

    mbedtls_ssl_conf_min_version(config, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
    mbedtls_ssl_conf_curves(config, curves);
#endif
}

/* Before anything else of mbedTLS: 0, or an error of it. */
static int start_library(void)
{
#if MBEDTLS_VERSION_MAJOR >= 3
    return psa_crypto_init() == PSA_SUCCESS ? 0
                                            : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
#else
    return 0;
#endif
}

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

/* --- certificate and key --- */

static int fail_library(struct jz__error *error, int r, const char *what,
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
    return r < 0 ? fail_library(error, r, "cannot use the certificate", path)
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
    r = parse_key(server, &text);
    if (r == MBEDTLS_ERR_PK_PASSWORD_REQUIRED ||
        r == MBEDTLS_ERR_PK_PASSWORD_MISMATCH) {
        return jz__fail(error, JZ_EINVAL,
                        "the private key %s is encrypted, and there is nobody "
                        "to ask for its password: store it without one "
                        "(openssl pkey -in OLD -out NEW), readable by this "
                        "user alone",
                        path);
    }
    return r < 0 ? fail_library(error, r, "cannot use the private key", path)
                 : 0;
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

static int seed(struct jz__tls_server *server, struct jz__error *error)
{
    static const unsigned char purpose[] = "jezero tls server";
    int r = start_library();

    if (r == 0) {
        r = mbedtls_ctr_drbg_seed(&server->random, mbedtls_entropy_func,
                                  &server->entropy, purpose, sizeof(purpose));
    }
    return r == 0 ? 0
                  : jz__fail(error, JZ_EINTERNAL,
                             "the system gives no random numbers");
}

static int configure(struct jz__tls_server *server, struct jz__error *error)
{
    static const char *protocols[] = { "http/1.1", NULL };
    mbedtls_ssl_config *config = &server->config;
    int r = mbedtls_ssl_config_defaults(config, MBEDTLS_SSL_IS_SERVER,
                                        MBEDTLS_SSL_TRANSPORT_STREAM,
                                        MBEDTLS_SSL_PRESET_DEFAULT);

    if (r == 0) {
        mbedtls_ssl_conf_rng(config, mbedtls_ctr_drbg_random, &server->random);
        mbedtls_ssl_conf_ciphersuites(config, suites);
        set_protocol(config);
#if defined(MBEDTLS_SSL_RENEGOTIATION)
        mbedtls_ssl_conf_renegotiation(config,
                                       MBEDTLS_SSL_RENEGOTIATION_DISABLED);
#endif
        r = mbedtls_ssl_conf_alpn_protocols(config, protocols);
    }
    if (r == 0) {
        r = mbedtls_ssl_conf_own_cert(config, &server->chain, &server->key);
    }
    return r == 0 ? 0 : jz__fail_memory(error);
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
    server->users = 1;
    mbedtls_ssl_config_init(&server->config);
    mbedtls_x509_crt_init(&server->chain);
    mbedtls_pk_init(&server->key);
    mbedtls_entropy_init(&server->entropy);
    mbedtls_ctr_drbg_init(&server->random);
    r = seed(server, error);
    if (r == 0) {
        r = read_chain(server, cert_file, error);
    }
    if (r == 0) {
        r = read_key(server, key_file, error);
    }
    if (r == 0) {
        r = check_pair(server, cert_file, key_file, error);
    }
    if (r == 0) {
        r = configure(server, error);
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
    if (server == NULL || --server->users > 0) {
        return;
    }
    mbedtls_ssl_config_free(&server->config);
    mbedtls_x509_crt_free(&server->chain);
    mbedtls_pk_free(&server->key);
    mbedtls_ctr_drbg_free(&server->random);
    mbedtls_entropy_free(&server->entropy);
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

/* --- a connection --- */

static int on_take(void *context, unsigned char *out, size_t length)
{
    struct jz__tls *tls = context;
    size_t count = length < tls->input.length ? length : tls->input.length;

    if (count == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    memcpy(out, tls->input.data, count);
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

struct jz__tls *jz__tls_accept(struct jz__tls_server *server)
{
    struct jz__tls *tls = calloc(1, sizeof(*tls));

    assert(server != NULL);

    if (tls == NULL) {
        return NULL;
    }
    mbedtls_ssl_init(&tls->ssl);
    if (mbedtls_ssl_setup(&tls->ssl, &server->config) != 0) {
        mbedtls_ssl_free(&tls->ssl);
        free(tls);
        return NULL;
    }
    mbedtls_ssl_set_bio(&tls->ssl, tls, on_give, on_take, NULL);
    tls->server = server;
    server->users++;
    return tls;
}

void jz__tls_free(struct jz__tls *tls)
{
    if (tls != NULL) {
        mbedtls_ssl_free(&tls->ssl);
        jz__tls_server_release(tls->server);
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
    return 1;
}

/* There may be more to read. */
#define AGAIN 2

/* The plain text of one record: AGAIN, or what jz__tls_read() returns. */
static int read_record(struct jz__tls *tls, struct jz__buf *plain,
                       struct jz__error *error)
{
    char *end = jz__buf_reserve(plain, RECORD_MOST);
    int r;

    if (end == NULL) {
        return fail(tls, MBEDTLS_ERR_SSL_ALLOC_FAILED, error);
    }
    r = mbedtls_ssl_read(&tls->ssl, (unsigned char *)end, RECORD_MOST);
    if (r > 0) {
        plain->length += (size_t)r;
        end[r] = '\0';
        return AGAIN;
    }
    if (r == MBEDTLS_ERR_SSL_WANT_READ) {
        return 0;
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
