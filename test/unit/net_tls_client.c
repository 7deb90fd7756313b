/* SPDX-License-Identifier: Apache-2.0 */
/* The client of TLS as bytes: with our own server at the other end, with one of
 * mbedTLS that does more, and with what is no TLS at all. Which certificates it
 * takes is tested in net_tls_verify.c. */
#include <mbedtls/ssl_ticket.h>

#include "base/mem.h"
#include "tls_peer.h"
#include "tls_talk.h"
#include "tmpdir.h"

static struct tmpdir dir;
static struct tls_name root = { .common_name = "Example Root" };
static struct tls_name leaf = {
    .common_name = "desk.example",
    .hosts = "DNS:desk.example DNS:b.example IP:127.0.0.1"
};

static struct jz__tls_client *open_client(void)
{
    struct jz__tls_client *client = NULL;
    struct jz__error error = { 0 };

    if (jz__tls_client_new(&client, tmpdir_path(&dir, "ca.pem"), &error) < 0) {
        printf("Bail out! %s\n", error.message);
        exit(EXIT_FAILURE);
    }
    return client;
}

static struct jz__tls_server *open_server(void)
{
    struct jz__tls_server *server = NULL;

    tls_must(jz__tls_server_new(&server, tmpdir_path(&dir, "cert.pem"),
                                tmpdir_path(&dir, "key.pem"), NULL),
             "server");
    return server;
}

/* --- bytes --- */

static void text_goes_both_ways(void)
{
    struct jz__tls_client *client = open_client();
    struct jz__tls_server *server = open_server();
    struct talk talk;

    talk_open(&talk, client, server, "desk.example");
    jz__tls_client_release(client); /* the connection keeps it */
    CHECK(!jz__tls_is_ready(talk.client));
    CHECK_INT(talk_shake(&talk), 0);
    CHECK(jz__tls_is_ready(talk.client));
    CHECK(!jz__tls_is_untrusted(talk.client));
    CHECK_INT(
        jz__tls_write(talk.client, JZ__STR("question"), &talk.to_server, NULL),
        0);
    CHECK_INT(talk_feed_server(&talk), 0);
    CHECK_STR(talk.server_got.data, "question");
    CHECK_INT(
        jz__tls_write(talk.server, JZ__STR("answer"), &talk.to_client, NULL),
        0);
    CHECK_INT(jz__tls_end(talk.server, &talk.to_client, NULL), 0);
    CHECK_INT(talk_feed_client(&talk), 1);
    CHECK_STR(talk.client_got.data, "answer");
    CHECK_INT(jz__tls_end(talk.client, &talk.to_server, NULL), 0);
    CHECK_INT(talk_feed_server(&talk), 1);
    talk_close(&talk);
    jz__tls_server_release(server);
}

static void bytes_may_come_one_by_one(void)
{
    struct jz__tls_client *client = open_client();
    struct jz__tls_server *server = open_server();
    struct talk talk;

    talk_open(&talk, client, server, "127.0.0.1");
    talk.step = 1;
    CHECK_INT(talk_shake(&talk), 0);
    CHECK(jz__tls_is_ready(talk.client));
    talk_close(&talk);
    jz__tls_client_release(client);
    jz__tls_server_release(server);
}

static void names_that_are_none_are_refused(void)
{
    struct jz__tls_client *client = open_client();
    struct jz__tls *tls = NULL;
    char longest[300];

    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    CHECK_INT(jz__tls_connect(&tls, client, "", NULL), JZ_EINVAL);
    CHECK_INT(jz__tls_connect(&tls, client, ".", NULL), JZ_EINVAL);
    CHECK_INT(jz__tls_connect(&tls, client, longest, NULL), JZ_EINVAL);
    CHECK(tls == NULL);
    longest[255] = '\0';
    CHECK_INT(jz__tls_connect(&tls, client, longest, NULL), 0);
    jz__tls_free(tls);
    jz__tls_client_release(client);
}

/* --- what is no TLS, or none of ours --- */

/* What the client says to these bytes, and that it stays so. */
static const char *answer_to(const void *bytes, size_t length)
{
    static struct jz__error error;
    struct jz__tls_client *client = open_client();
    struct talk talk;

    talk_open(&talk, client, NULL, "desk.example");
    CHECK_INT(talk_begin(&talk), 0);
    CHECK(talk.to_server.length > 0);
    jz__buf_append(&talk.to_client, bytes, length);
    CHECK_INT(talk_feed_client(&talk), JZ_EINVAL);
    error = talk.error;
    CHECK_INT(talk_begin(&talk), JZ_EINVAL);
    CHECK(!jz__tls_is_ready(talk.client));
    CHECK(!jz__tls_is_untrusted(talk.client));
    CHECK_INT(talk.client_got.length, 0);
    talk_close(&talk);
    jz__tls_client_release(client);
    return error.message;
}

static void a_port_without_tls_is_told(void)
{
    CHECK_STR(answer_to("HTTP/1.1 400 Bad Request\r\n\r\n", 28),
              "desk.example speaks HTTP without TLS on this port");
    CHECK_STR(answer_to("SSH-2.0-OpenSSH_9.2\r\n", 21),
              "desk.example does not speak TLS on this port");
    CHECK_STR(answer_to("\0\0\0\0\0\0\0", 7),
              "desk.example does not speak TLS on this port");
}

static const char *answer_to_alert(unsigned char number)
{
    const unsigned char alert[] = { 21, 3, 3, 0, 2, 2, number };

    return answer_to(alert, sizeof(alert));
}

static void alerts_are_told_in_words(void)
{
    CHECK_STR(answer_to_alert(40),
              "desk.example refused the TLS connection: it has no way of "
              "encryption in common with this client");
    CHECK_STR(answer_to_alert(70), "desk.example refused the TLS connection: "
                                   "it does not speak TLS 1.2 or newer");
    CHECK_STR(answer_to_alert(112), "desk.example refused the TLS connection: "
                                    "it knows no host of this name");
    CHECK_STR(answer_to_alert(116),
              "desk.example refused the TLS connection: "
              "it asks for a certificate of the client's");
    CHECK_STR(answer_to_alert(120), "desk.example refused the TLS connection: "
                                    "it does not speak HTTP/1.1");
    CHECK_STR(answer_to_alert(99),
              "desk.example refused the TLS connection (alert 99)");
}

static void a_version_that_is_too_old_is_told(void)
{
    /* ServerHello of TLS 1.1. */
    unsigned char hello[5 + 4 + 38] = { 22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2 };

    hello[5 + 4 + 35] = 0xc0; /* a suite, behind an empty session */
    hello[5 + 4 + 36] = 0x2b;
    CHECK_STR(answer_to(hello, sizeof(hello)),
              "desk.example does not speak TLS 1.2 or newer");
}

static void an_end_in_the_handshake_is_told(void)
{
    static const unsigned char alert[] = { 21, 3, 3, 0, 2, 1, 0 };

    CHECK_STR(answer_to(alert, sizeof(alert)),
              "desk.example ended the TLS connection");
}

static void a_changed_record_is_an_error(void)
{
    struct jz__tls_client *client = open_client();
    struct jz__tls_server *server = open_server();
    struct talk talk;

    talk_open(&talk, client, server, "desk.example");
    CHECK_INT(talk_shake(&talk), 0);
    CHECK_INT(
        jz__tls_write(talk.server, JZ__STR("pay 1"), &talk.to_client, NULL), 0);
    talk.to_client.data[talk.to_client.length - 1] ^= 1;
    CHECK_INT(talk_feed_client(&talk), JZ_EINVAL);
    CHECK(strstr(talk.error.message,
                 "the TLS connection to desk.example broke: ") ==
          talk.error.message);
    CHECK_INT(talk.client_got.length, 0);
    CHECK(talk.to_server.length > 0); /* the alert that says so */
    talk_close(&talk);
    jz__tls_client_release(client);
    jz__tls_server_release(server);
}

/* --- a server that does more than ours --- */

static char asked_name[256];
static int resumed_count;

struct host {
    struct tls_peer peer;
    mbedtls_x509_crt chain;
    mbedtls_ssl_ticket_context tickets;
};

static int on_name(void *context, mbedtls_ssl_context *ssl,
                   const unsigned char *name, size_t length)
{
    (void)context;
    (void)ssl;
    (void)snprintf(asked_name, sizeof(asked_name), "%.*s", (int)length,
                   (const char *)name);
    return 0;
}

static int on_ticket(void *context, mbedtls_ssl_session *session,
                     unsigned char *data, size_t length)
{
    int r = mbedtls_ssl_ticket_parse(context, session, data, length);

    resumed_count += r == 0;
    return r;
}

static void host_init(struct host *host, const char **protocols)
{
    mbedtls_ssl_config *config = &host->peer.config;

    memset(host, 0, sizeof(*host));
    mbedtls_x509_crt_init(&host->chain);
    mbedtls_ssl_ticket_init(&host->tickets);
    mbedtls_ssl_config_init(config);
    tls_must(mbedtls_x509_crt_parse(&host->chain,
                                    (const unsigned char *)leaf.cert_pem,
                                    strlen(leaf.cert_pem) + 1),
             "certificate");
    tls_must(mbedtls_ssl_config_defaults(config, MBEDTLS_SSL_IS_SERVER,
                                         MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT),
             "host");
    mbedtls_ssl_conf_rng(config, tls_random, NULL);
    tls_must(mbedtls_ssl_conf_own_cert(config, &host->chain, &leaf.key),
             "certificate");
    mbedtls_ssl_conf_sni(config, on_name, NULL);
    tls_must(mbedtls_ssl_ticket_setup(&host->tickets, tls_random, NULL,
                                      MBEDTLS_CIPHER_AES_256_GCM, 86400),
             "tickets");
    mbedtls_ssl_conf_session_tickets_cb(config, mbedtls_ssl_ticket_write,
                                        on_ticket, &host->tickets);
    if (protocols != NULL) {
        tls_must(mbedtls_ssl_conf_alpn_protocols(config, protocols), "alpn");
    }
}

static void host_finish(struct host *host)
{
    mbedtls_ssl_config_free(&host->peer.config);
    mbedtls_ssl_ticket_free(&host->tickets);
    mbedtls_x509_crt_free(&host->chain);
}

/* One connection, with an answer of a word, through which tickets come. */
static int visit(struct host *host, struct jz__tls_client *client,
                 const char *name, size_t *total)
{
    struct tls_peer *peer = &host->peer;
    struct talk talk;
    int r;

    asked_name[0] = '\0';
    mbedtls_ssl_init(&peer->ssl);
    tls_must(mbedtls_ssl_setup(&peer->ssl, &peer->config), "host");
    mbedtls_ssl_set_bio(&peer->ssl, peer, tls_peer_give, tls_peer_take, NULL);
    talk_open(&talk, client, NULL, name);
    r = talk_begin(&talk);
    for (int round = 0; round < 10 && r == 0; round++) {
        jz__buf_append(&peer->in, talk.to_server.data, talk.to_server.length);
        jz__buf_clear(&talk.to_server);
        if (mbedtls_ssl_handshake(&peer->ssl) == 0 && round < 9) {
            CHECK_INT(
                mbedtls_ssl_write(&peer->ssl, (const unsigned char *)"word", 4),
                4);
            round = 9;
        }
        jz__buf_append(&talk.to_client, peer->out.data, peer->out.length);
        jz__buf_clear(&peer->out);
        r = talk_feed_client(&talk);
    }
    if (r == 0) {
        CHECK_STR(talk.client_got.data, "word");
    }
    if (total != NULL) {
        *total = talk.total;
    }
    talk_close(&talk);
    mbedtls_ssl_free(&peer->ssl);
    jz__buf_finish(&peer->in);
    jz__buf_finish(&peer->out);
    peer->in_used = 0;
    return r;
}

static void names_are_asked_for_and_addresses_not(void)
{
    struct jz__tls_client *client = open_client();
    struct host host;

    host_init(&host, NULL);
    CHECK_INT(visit(&host, client, "desk.example", NULL), 0);
    CHECK_STR(asked_name, "desk.example");
    CHECK_INT(visit(&host, client, "desk.example.", NULL), 0);
    CHECK_STR(asked_name, "desk.example");
    CHECK_INT(visit(&host, client, "127.0.0.1", NULL), 0);
    CHECK_STR(asked_name, "");
    host_finish(&host);
    jz__tls_client_release(client);
}

static void http_1_1_is_offered(void)
{
    const char *both[] = { "h2", "http/1.1", NULL };
    const char *newer[] = { "h2", NULL };
    struct jz__tls_client *client = open_client();
    struct host host;

    host_init(&host, both);
    CHECK_INT(visit(&host, client, "desk.example", NULL), 0);
    host_finish(&host);
    host_init(&host, newer);
    CHECK_INT(visit(&host, client, "desk.example", NULL), JZ_EINVAL);
    host_finish(&host);
    jz__tls_client_release(client);
}

static void a_session_is_resumed_with_the_same_host(void)
{
    struct jz__tls_client *client = open_client();
    struct host host;
    size_t full;
    size_t resumed;

    host_init(&host, NULL);
    resumed_count = 0;
    CHECK_INT(visit(&host, client, "desk.example", &full), 0);
    CHECK_INT(resumed_count, 0);
    CHECK_INT(visit(&host, client, "desk.example", &resumed), 0);
    CHECK_INT(resumed_count, 1);
    CHECK(resumed < full);
    /* Again, from the session that was resumed. */
    CHECK_INT(visit(&host, client, "desk.example", NULL), 0);
    CHECK_INT(resumed_count, 2);
    /* Of another host nothing is resumed. */
    CHECK_INT(visit(&host, client, "b.example", NULL), 0);
    CHECK_INT(resumed_count, 2);
    host_finish(&host);
    jz__tls_client_release(client);
}

static void a_host_that_has_forgotten_the_session_shakes_hands_anew(void)
{
    struct jz__tls_client *client = open_client();
    struct host host;

    host_init(&host, NULL);
    CHECK_INT(visit(&host, client, "desk.example", NULL), 0);
    host_finish(&host);
    host_init(&host, NULL);
    resumed_count = 0;
    CHECK_INT(visit(&host, client, "desk.example", NULL), 0);
    CHECK_INT(resumed_count, 0);
    host_finish(&host);
    jz__tls_client_release(client);
}

/* A session must not stand in for a certificate that was never accepted. */
static void nothing_is_kept_of_a_host_that_was_refused(void)
{
    struct jz__tls_client *client = open_client();
    struct host host;

    host_init(&host, NULL);
    resumed_count = 0;
    CHECK_INT(visit(&host, client, "other.example", NULL), JZ_EINVAL);
    CHECK_INT(visit(&host, client, "other.example", NULL), JZ_EINVAL);
    CHECK_INT(visit(&host, client, "desk.example", NULL), 0);
    CHECK_INT(visit(&host, client, "other.example", NULL), JZ_EINVAL);
    CHECK_INT(resumed_count, 0);
    host_finish(&host);
    jz__tls_client_release(client);
}

int main(void)
{
    tmpdir_make(&dir);
    tls_name_make(&root);
    tls_name_make(&leaf);
    tls_name_sign(&leaf, &root);
    tmpdir_write(&dir, "ca.pem", root.cert_pem, strlen(root.cert_pem));
    tmpdir_write(&dir, "cert.pem", leaf.cert_pem, strlen(leaf.cert_pem));
    tmpdir_write(&dir, "key.pem", leaf.key_pem, strlen(leaf.key_pem));
    TAP_RUN(text_goes_both_ways);
    TAP_RUN(bytes_may_come_one_by_one);
    TAP_RUN(names_that_are_none_are_refused);
    TAP_RUN(a_port_without_tls_is_told);
    TAP_RUN(alerts_are_told_in_words);
    TAP_RUN(a_version_that_is_too_old_is_told);
    TAP_RUN(an_end_in_the_handshake_is_told);
    TAP_RUN(a_changed_record_is_an_error);
    TAP_RUN(names_are_asked_for_and_addresses_not);
    TAP_RUN(http_1_1_is_offered);
    TAP_RUN(a_session_is_resumed_with_the_same_host);
    TAP_RUN(a_host_that_has_forgotten_the_session_shakes_hands_anew);
    TAP_RUN(nothing_is_kept_of_a_host_that_was_refused);
    tls_name_free(&root);
    tls_name_free(&leaf);
    tmpdir_remove(&dir);
    return tap_done();
}
