/* SPDX-License-Identifier: Apache-2.0 */
/* TLS as bytes, with a client of the same library at the other end. */
#include "net/tls.h"

#include <sys/stat.h>

#include "base/mem.h"
#include "tap.h"
#include "tls_peer.h"
#include "tmpdir.h"

static struct tmpdir dir;
static struct tls_name desk = { .common_name = "desk.example",
                                .from = "20240229120000",
                                .until = "20490101000001" };
static struct tls_name other = { .common_name = "other.example" };

static void put_text(const char *name, const char *text)
{
    tmpdir_write(&dir, name, text, strlen(text));
}

/* Two texts in one file. */
static void put_both(const char *name, const char *first, const char *second)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf both = JZ__BUF_INIT;

    jz__buf_puts(&both, first);
    jz__buf_puts(&both, second);
    put_text(name, both.data);
}

static struct jz__tls_server *open_server(void)
{
    struct jz__tls_server *server = NULL;
    struct jz__error error = { 0 };

    if (!CHECK_INT(jz__tls_server_new(&server, tmpdir_path(&dir, "cert.pem"),
                                      tmpdir_path(&dir, "key.pem"), &error),
                   0)) {
        printf("Bail out! %s\n", error.message);
        exit(EXIT_FAILURE);
    }
    return server;
}

/* A connection and its client. */
struct pair {
    struct jz__tls *tls;
    struct tls_peer peer;
    struct jz__buf plain; /* what the server has read */
    struct jz__error error;
    size_t step; /* bytes handed over at once; 0: all */
};

static void pair_open(struct pair *pair, struct jz__tls_server *server,
                      const char **protocols)
{
    memset(pair, 0, sizeof(*pair));
    pair->tls = jz__tls_accept(server);
    CHECK(pair->tls != NULL);
    tls_peer_open(&pair->peer, protocols);
}

static void pair_close(struct pair *pair)
{
    jz__tls_free(pair->tls);
    tls_peer_close(&pair->peer);
    jz__buf_finish(&pair->plain);
}

/* Hand the server what the client has written. */
static int pass_on(struct pair *pair)
{
    struct jz__buf *out = &pair->peer.out;
    size_t step = pair->step != 0 ? pair->step : out->length;
    int r = 0;

    for (size_t at = 0; at < out->length && r == 0; at += step) {
        struct jz__str bytes = { out->data + at, out->length - at };

        bytes.length = bytes.length < step ? bytes.length : step;
        r = jz__tls_read(pair->tls, bytes, &pair->plain, &pair->peer.in,
                         &pair->error);
    }
    jz__buf_clear(out);
    return r;
}

/* The server's result, when the client is through or the server has failed. */
static int shake_hands(struct pair *pair)
{
    int r = 0;

    for (int round = 0; round < 20 && r == 0; round++) {
        int mine = mbedtls_ssl_handshake(&pair->peer.ssl);

        r = pass_on(pair);
        if (mine != MBEDTLS_ERR_SSL_WANT_READ && pair->peer.out.length == 0) {
            return r;
        }
    }
    return r;
}

/* All that the client can read now. */
static void client_read(struct pair *pair, struct jz__buf *out)
{
    unsigned char piece[4096];
    int n;

    while ((n = mbedtls_ssl_read(&pair->peer.ssl, piece, sizeof(piece))) > 0) {
        jz__buf_append(out, piece, (size_t)n);
    }
}

static void client_write(struct pair *pair, const char *text)
{
    CHECK_INT(mbedtls_ssl_write(&pair->peer.ssl, (const unsigned char *)text,
                                strlen(text)),
              strlen(text));
}

static void text_goes_both_ways(void)
{
    struct jz__tls_server *server = open_server();
    JZ_CLEANUP(jz__buf_finish) struct jz__buf got = JZ__BUF_INIT;
    struct pair pair;

    pair_open(&pair, server, NULL);
    CHECK(!jz__tls_is_ready(pair.tls));
    CHECK_INT(shake_hands(&pair), 0);
    CHECK(jz__tls_is_ready(pair.tls));
    client_write(&pair, "question");
    CHECK_INT(pass_on(&pair), 0);
    CHECK_STR(pair.plain.data, "question");
    CHECK_INT(jz__tls_write(pair.tls, JZ__STR("answer"), &pair.peer.in, NULL),
              0);
    client_read(&pair, &got);
    CHECK_STR(got.data, "answer");
    pair_close(&pair);
    jz__tls_server_release(server);
}

static void bytes_may_come_one_by_one(void)
{
    struct jz__tls_server *server = open_server();
    struct pair pair;

    pair_open(&pair, server, NULL);
    pair.step = 1;
    CHECK_INT(shake_hands(&pair), 0);
    CHECK(jz__tls_is_ready(pair.tls));
    client_write(&pair, "a");
    client_write(&pair, "b");
    CHECK_INT(pass_on(&pair), 0);
    CHECK_STR(pair.plain.data, "ab");
    pair_close(&pair);
    jz__tls_server_release(server);
}

/* A megabyte is 64 records, each way. */
static void long_texts_are_many_records(void)
{
    enum {
        LENGTH = 1024 * 1024 + 3
    };
    struct jz__tls_server *server = open_server();
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf got = JZ__BUF_INIT;
    struct pair pair;
    size_t sent = 0;

    for (size_t i = 0; i < LENGTH; i++) {
        jz__buf_putc(&text, (char)('a' + i % 23));
    }
    pair_open(&pair, server, NULL);
    CHECK_INT(shake_hands(&pair), 0);
    CHECK_INT(jz__tls_write(pair.tls,
                            (struct jz__str){ text.data, text.length },
                            &pair.peer.in, NULL),
              0);
    client_read(&pair, &got);
    CHECK_INT(got.length, LENGTH);
    CHECK(memcmp(got.data, text.data, LENGTH) == 0);
    while (sent < LENGTH) {
        int n = mbedtls_ssl_write(&pair.peer.ssl,
                                  (const unsigned char *)text.data + sent,
                                  LENGTH - sent);

        sent += n > 0 ? (size_t)n : LENGTH;
    }
    CHECK_INT(pass_on(&pair), 0);
    CHECK_INT(pair.plain.length, LENGTH);
    CHECK(memcmp(pair.plain.data, text.data, LENGTH) == 0);
    pair_close(&pair);
    jz__tls_server_release(server);
}

static void an_end_in_order_is_told(void)
{
    struct jz__tls_server *server = open_server();
    unsigned char piece[16];
    struct pair pair;

    pair_open(&pair, server, NULL);
    CHECK_INT(shake_hands(&pair), 0);
    client_write(&pair, "last");
    CHECK_INT(mbedtls_ssl_close_notify(&pair.peer.ssl), 0);
    CHECK_INT(pass_on(&pair), 1);
    CHECK_STR(pair.plain.data, "last");
    /* What is asked before the end may still be answered. */
    CHECK_INT(jz__tls_write(pair.tls, JZ__STR("yes"), &pair.peer.in, NULL), 0);
    CHECK_INT(jz__tls_end(pair.tls, &pair.peer.in, NULL), 0);
    CHECK_INT(mbedtls_ssl_read(&pair.peer.ssl, piece, sizeof(piece)), 3);
    CHECK_INT(mbedtls_ssl_read(&pair.peer.ssl, piece, sizeof(piece)),
              MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY);
    pair_close(&pair);
    jz__tls_server_release(server);
}

static void what_is_no_tls_is_an_error(void)
{
    struct jz__tls_server *server = open_server();
    struct pair pair;

    pair_open(&pair, server, NULL);
    jz__buf_puts(&pair.peer.out, "SSH-2.0-OpenSSH_9.2\r\n");
    CHECK_INT(pass_on(&pair), JZ_EINVAL);
    CHECK(strstr(pair.error.message, "TLS handshake: ") == pair.error.message);
    /* Again, and nothing to end. */
    jz__buf_puts(&pair.peer.out, "more");
    jz__buf_finish(&pair.peer.in);
    CHECK_INT(pass_on(&pair), JZ_EINVAL);
    CHECK_INT(jz__tls_end(pair.tls, &pair.peer.in, NULL), 0);
    CHECK_INT(pair.peer.in.length, 0);
    pair_close(&pair);
    jz__tls_server_release(server);
}

static void a_changed_record_is_an_error(void)
{
    struct jz__tls_server *server = open_server();
    struct pair pair;

    pair_open(&pair, server, NULL);
    CHECK_INT(shake_hands(&pair), 0);
    client_write(&pair, "pay 1");
    pair.peer.out.data[pair.peer.out.length - 1] ^= 1;
    CHECK_INT(pass_on(&pair), JZ_EINVAL);
    CHECK_INT(pair.plain.length, 0);
    /* The alert that says so. */
    CHECK(pair.peer.in.length - pair.peer.in_used > 0);
    CHECK_INT(jz__tls_write(pair.tls, JZ__STR("x"), &pair.peer.in, NULL),
              JZ_EINVAL);
    pair_close(&pair);
    jz__tls_server_release(server);
}

static void http_1_1_is_the_one_protocol(void)
{
    const char *both[] = { "h2", "http/1.1", NULL };
    const char *newer[] = { "h2", NULL };
    struct jz__tls_server *server = open_server();
    struct pair pair;

    pair_open(&pair, server, both);
    CHECK_INT(shake_hands(&pair), 0);
    CHECK_STR(mbedtls_ssl_get_alpn_protocol(&pair.peer.ssl), "http/1.1");
    pair_close(&pair);
    pair_open(&pair, server, newer);
    CHECK_INT(shake_hands(&pair), JZ_EINVAL);
    pair_close(&pair);
    jz__tls_server_release(server);
}

static void ciphers_are_authenticated_and_keys_ephemeral(void)
{
    static const int weak[] = { MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA,
                                MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384,
                                0 };
    struct jz__tls_server *server = open_server();
    const char *suite;
    struct pair pair;

    pair_open(&pair, server, NULL);
    CHECK_INT(shake_hands(&pair), 0);
    suite = mbedtls_ssl_get_ciphersuite(&pair.peer.ssl);
    CHECK(strstr(suite, "GCM") != NULL || strstr(suite, "POLY1305") != NULL);
    pair_close(&pair);
    pair_open(&pair, server, NULL);
    mbedtls_ssl_conf_ciphersuites(&pair.peer.config, weak);
    CHECK_INT(shake_hands(&pair), JZ_EINVAL);
    pair_close(&pair);
    jz__tls_server_release(server);
}

static void a_connection_keeps_its_certificate(void)
{
    struct jz__tls_server *server = open_server();
    struct pair pair;

    pair_open(&pair, server, NULL);
    jz__tls_server_release(server);
    CHECK_INT(shake_hands(&pair), 0);
    client_write(&pair, "still here");
    CHECK_INT(pass_on(&pair), 0);
    CHECK_STR(pair.plain.data, "still here");
    pair_close(&pair);
}

static void validity_is_that_of_its_own_certificate(void)
{
    struct jz__tls_server *server = open_server();
    int64_t from;
    int64_t until;

    jz__tls_server_validity(&from, &until, server);
    CHECK_INT(from, 1709208000);  /* 2024-02-29 12:00:00 */
    CHECK_INT(until, 2493072001); /* 2049-01-01 00:00:01 */
    jz__tls_server_release(server);
}

/* The message, or NULL if it was taken. */
static const char *refusal(const char *cert, const char *key, int code)
{
    static struct jz__error error;
    struct jz__tls_server *server = NULL;
    int r = jz__tls_server_new(&server, tmpdir_path(&dir, cert),
                               tmpdir_path(&dir, key), &error);

    CHECK_INT(r, code);
    CHECK((server == NULL) == (r < 0));
    jz__tls_server_release(server);
    return r < 0 ? error.message : NULL;
}

#define CHECK_SAYS(message, part) CHECK(strstr((message), (part)) != NULL)

static void files_that_are_no_pair_are_refused_with_a_sentence(void)
{
    const char *message;

    message = refusal("none.pem", "key.pem", JZ_ENOTFOUND);
    CHECK_SAYS(message, "none.pem");
    message = refusal("cert.pem", "none.pem", JZ_ENOTFOUND);
    CHECK_SAYS(message, "none.pem");
    message = refusal("cert.pem", "other-key.pem", JZ_EINVAL);
    CHECK_SAYS(message, "other-key.pem does not belong to the certificate");
    message = refusal("reversed.pem", "key.pem", JZ_EINVAL);
    CHECK_SAYS(message, "is not the first in");
    message = refusal("key.pem", "key.pem", JZ_EINVAL);
    CHECK_SAYS(message, "holds no certificate");
    message = refusal("cert.pem", "cert.pem", JZ_EINVAL);
    CHECK_SAYS(message, "holds no private key");
    message = refusal("cert.pem", "encrypted.pem", JZ_EINVAL);
    CHECK_SAYS(message, "is encrypted");
    message = refusal("cut.pem", "key.pem", JZ_EINVAL);
    CHECK_SAYS(message, "cannot use the certificate");
    message = refusal("gap.pem", "key.pem", JZ_EINVAL);
    CHECK_SAYS(message, "1 of the certificates in");
    message = refusal("cert.pem", "cut-key.pem", JZ_EINVAL);
    CHECK_SAYS(message, "cannot use the private key");
    message = refusal("empty.pem", "key.pem", JZ_EINVAL);
    CHECK_SAYS(message, "holds no certificate");
}

static void a_file_may_hold_a_chain_or_the_key_as_well(void)
{
    CHECK(refusal("chain.pem", "key.pem", 0) == NULL);
    CHECK(refusal("all.pem", "all.pem", 0) == NULL);
}

/* Half of a PEM text, with its last line in place. */
static const char *cut(const char *text)
{
    static char half[4096];
    const char *last = strstr(text, "-----END");

    (void)snprintf(half, sizeof(half), "%.*s\n%s", (int)strlen(text) / 2, text,
                   last);
    return half;
}

static void make_files(void)
{
    static const char begin[] = "-----BEGIN EC PRIVATE KEY-----\n";

    tls_name_make(&desk);
    tls_name_make(&other);
    put_text("cert.pem", desk.cert_pem);
    put_text("key.pem", desk.key_pem);
    put_text("other-key.pem", other.key_pem);
    put_both("chain.pem", desk.cert_pem, other.cert_pem);
    put_both("reversed.pem", other.cert_pem, desk.cert_pem);
    put_both("all.pem", desk.key_pem, desk.cert_pem);
    put_text("empty.pem", "");
    put_text("cut.pem", cut(desk.cert_pem));
    put_text("cut-key.pem", cut(desk.key_pem));
    put_both("gap.pem", desk.cert_pem, cut(other.cert_pem));
    put_both("encrypted.pem",
             "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
             "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n",
             desk.key_pem + strlen(begin));
}

int main(void)
{
    tmpdir_make(&dir);
    make_files();
    TAP_RUN(text_goes_both_ways);
    TAP_RUN(bytes_may_come_one_by_one);
    TAP_RUN(long_texts_are_many_records);
    TAP_RUN(an_end_in_order_is_told);
    TAP_RUN(what_is_no_tls_is_an_error);
    TAP_RUN(a_changed_record_is_an_error);
    TAP_RUN(http_1_1_is_the_one_protocol);
    TAP_RUN(ciphers_are_authenticated_and_keys_ephemeral);
    TAP_RUN(a_connection_keeps_its_certificate);
    TAP_RUN(validity_is_that_of_its_own_certificate);
    TAP_RUN(files_that_are_no_pair_are_refused_with_a_sentence);
    TAP_RUN(a_file_may_hold_a_chain_or_the_key_as_well);
    tls_name_free(&desk);
    tls_name_free(&other);
    tmpdir_remove(&dir);
    return tap_done();
}
