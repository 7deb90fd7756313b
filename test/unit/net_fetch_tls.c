/* SPDX-License-Identifier: Apache-2.0 */
/* Requests over https: real sockets, certificates made on the spot, a peer that
 * speaks TLS by our server's side, and a proxy in front of it. */
#include "net/fetch.h"

#include "base/mem.h"
#include "net/tls.h"
#include "peer.h"
#include "tap.h"
#include "tls_peer.h"
#include "tmpdir.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
#define UNTIL_THE_END "HTTP/1.1 200 OK\r\n\r\nuntil the end"
#define PATIENT_MS 20000

static struct tmpdir dir;
static struct tls_name root = { .common_name = "Example Root" };
static struct tls_name stranger = { .common_name = "Other Root" };
static struct tls_name leaf = { .common_name = "desk.example",
                                .hosts =
                                    "DNS:desk.example IP:127.0.0.1 IP:::1" };
static struct jz__tls_server *server; /* of the peer's thread */

/* --- peers --- */

struct tls_end {
    int fd;
    struct jz__tls *tls;
    struct jz__buf plain;
    struct jz__buf wire;
};

static void end_open(struct tls_end *end, int fd)
{
    *end = (struct tls_end){ .fd = fd, .tls = jz__tls_accept(server) };
}

static void end_finish(struct tls_end *end)
{
    jz__tls_free(end->tls);
    jz__buf_finish(&end->plain);
    jz__buf_finish(&end->wire);
}

/* Send what there is; then what comes next is read. false: nothing does. */
static bool end_step(struct tls_end *end)
{
    char bytes[4096];
    ssize_t count;
    int r;

    if (end->wire.length > 0) {
        (void)send(end->fd, end->wire.data, end->wire.length, MSG_NOSIGNAL);
        jz__buf_clear(&end->wire);
    }
    count = recv(end->fd, bytes, sizeof(bytes), 0);
    if (count <= 0) {
        return false;
    }
    r = jz__tls_read(end->tls, (struct jz__str){ bytes, (size_t)count },
                     &end->plain, &end->wire, NULL);
    if (r != 0 && end->wire.length > 0) {
        (void)send(end->fd, end->wire.data, end->wire.length, MSG_NOSIGNAL);
    }
    return r == 0;
}

/* A request's head, into peer->seen. */
static bool end_read_head(struct tls_end *end, struct peer *peer)
{
    while (end->plain.length < 4 ||
           strcmp(end->plain.data + end->plain.length - 4, "\r\n\r\n") != 0) {
        if (!end_step(end)) {
            return false;
        }
    }
    peer->requests++;
    jz__buf_append(&peer->seen, end->plain.data, end->plain.length);
    jz__buf_clear(&end->plain);
    return true;
}

static void end_say(struct tls_end *end, const char *text)
{
    (void)jz__tls_write(end->tls, jz__str_of(text), &end->wire, NULL);
}

static void answer_all(struct peer *peer, int fd)
{
    JZ_CLEANUP(end_finish) struct tls_end end;

    end_open(&end, fd);
    while (end_read_head(&end, peer)) {
        end_say(&end, peer->text);
    }
}

/* Its text, and the end of the connection, in order or not. */
static void answer_one(struct peer *peer, int fd, bool is_in_order)
{
    JZ_CLEANUP(end_finish) struct tls_end end;

    end_open(&end, fd);
    if (end_read_head(&end, peer)) {
        end_say(&end, peer->text);
        if (is_in_order) {
            (void)jz__tls_end(end.tls, &end.wire, NULL);
        }
        (void)send(fd, end.wire.data, end.wire.length, MSG_NOSIGNAL);
    }
}

static void answer_and_end(struct peer *peer, int fd)
{
    answer_one(peer, fd, true);
}

static void answer_and_cut(struct peer *peer, int fd)
{
    answer_one(peer, fd, false);
}

static void say_nothing(struct peer *peer, int fd)
{
    (void)peer;
    (void)peer_drain(fd);
}

static void close_at_once(struct peer *peer, int fd)
{
    (void)peer;
    char byte;

    (void)recv(fd, &byte, 1, 0);
}

static void speak_plainly(struct peer *peer, int fd)
{
    (void)peer;
    peer_say(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
    (void)peer_drain(fd);
}

/* A proxy that is the server behind it as well. */
static void be_a_proxy(struct peer *peer, int fd)
{
    if (peer_read_head(peer, fd)) {
        peer_say(fd, "HTTP/1.1 200 Connection established\r\n"
                     "Content-Length: 5\r\n\r\n");
        answer_all(peer, fd);
    }
}

/* --- the client --- */

struct client {
    struct jz__fetch *fetch;
    struct jz__fetch_request request;
    struct jz__fetch_answer answer;
    struct jz__error error;
};

static void client_open(struct client *client, const char *url,
                        const char *proxy, const char *ca_file)
{
    struct jz__fetch_options options = {
        .url = url,
        .proxy = proxy,
        .ca_file = ca_file != NULL ? tmpdir_path(&dir, ca_file) : NULL,
        .ca_origin = "a test"
    };

    memset(client, 0, sizeof(*client));
    client->request.method = "GET";
    client->request.path = "/x";
    client->request.most = 1024;
    client->request.deadline_ms = jz__fetch_now_ms() + PATIENT_MS;
    CHECK_INT(jz__fetch_new(&client->fetch, &options, &client->error), 0);
}

static int client_send(struct client *client)
{
    jz__fetch_answer_finish(&client->answer);
    return jz__fetch_send(&client->answer, client->fetch, &client->request,
                          &client->error);
}

static void both_close(struct client *client, struct peer *peer)
{
    jz__fetch_answer_finish(&client->answer);
    jz__fetch_free(client->fetch);
    peer_close(peer);
}

struct trial {
    peer_fn answer;
    const char *text;
    const char *host;
    const char *ca_file;
    int span_ms; /* 0: a patient one */
};

/* "body", or the message, both with the port as N and the folder as DIR. */
static void show(char *out, size_t size, const struct client *client, int r,
                 int port)
{
    const char *from =
        r == 0 ? client->answer.body.data : client->error.message;
    char number[16];
    size_t at = 0;

    (void)snprintf(number, sizeof(number), "%d", port);
    while (*from != '\0' && at + 4 < size) {
        if (strncmp(from, number, strlen(number)) == 0) {
            out[at++] = 'N';
            from += strlen(number);
        } else if (strncmp(from, dir.path, strlen(dir.path)) == 0) {
            memcpy(out + at, "DIR", 3);
            at += 3;
            from += strlen(dir.path);
        } else {
            out[at++] = *from++;
        }
    }
    out[at] = '\0';
}

static void check(struct trial trial, const char *want)
{
    struct peer peer;
    struct client client;
    char url[64];
    char got[1200];
    int r;

    peer_open(&peer, "127.0.0.1", trial.answer, trial.text);
    (void)snprintf(url, sizeof(url), "https://%s:%d", trial.host, peer.port);
    client_open(&client, url, NULL, trial.ca_file);
    if (trial.span_ms != 0) {
        client.request.deadline_ms = jz__fetch_now_ms() + trial.span_ms;
    }
    r = client_send(&client);
    CHECK(r == 0 || r == JZ_EIO);
    show(got, sizeof(got), &client, r, peer.port);
    CHECK_STR(got, want);
    CHECK(!jz__fetch_is_untrusted(client.fetch));
    both_close(&client, &peer);
    peer_finish(&peer);
}

/* --- tests --- */

static void answers_come_over_one_kept_connection(void)
{
    struct peer peer;
    struct client client;
    char url[64];

    peer_open(&peer, "127.0.0.1", answer_all, OK);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%d", peer.port);
    client_open(&client, url, NULL, "ca.pem");
    CHECK_INT(jz__fetch_connect(client.fetch, client.request.deadline_ms,
                                &client.error),
              0);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(client_send(&client), 0);
        CHECK_STR(client.answer.body.data, "ok");
    }
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 1);
    CHECK_INT(peer.requests, 3);
    peer_finish(&peer);
}

/* The peer ends each connection in order, which is seen before the next. */
static void ended_connection_is_replaced(void)
{
    struct peer peer;
    struct client client;
    char url[64];

    peer_open(&peer, "127.0.0.1", answer_and_end, OK);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%d", peer.port);
    client_open(&client, url, NULL, "ca.pem");
    client.request.may_repeat = true;
    for (int i = 0; i < 3; i++) {
        CHECK_INT(client_send(&client), 0);
    }
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 3);
    peer_finish(&peer);
}

static void ipv6_address_is_checked_as_one(void)
{
    struct peer peer;
    struct client client;
    char url[64];

    if (!peer_open(&peer, "::1", answer_all, OK)) {
        printf("# no ::1 on this computer\n");
        return;
    }
    (void)snprintf(url, sizeof(url), "https://[::1]:%d", peer.port);
    client_open(&client, url, NULL, "ca.pem");
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    peer_finish(&peer);
}

static void tunnel_leads_to_the_server(void)
{
    struct peer peer;
    struct client client;
    char proxy[64];

    peer_open(&peer, "127.0.0.1", be_a_proxy, OK);
    (void)snprintf(proxy, sizeof(proxy), "http://me:word@127.0.0.1:%d",
                   peer.port);
    client_open(&client, "https://desk.example/a", proxy, "ca.pem");
    CHECK_INT(client_send(&client), 0);
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 1);
    CHECK(strncmp(peer.seen.data, "CONNECT desk.example:443 HTTP/1.1\r\n",
                  35) == 0);
    /* Credentials are for the proxy alone. */
    CHECK(strstr(peer.seen.data, "\r\n\r\nGET /a/x HTTP/1.1\r\n"
                                 "Host: desk.example\r\nUser-Agent: ") != NULL);
    CHECK(strstr(strstr(peer.seen.data, "GET"), "Proxy-") == NULL);
    peer_finish(&peer);
}

static void untrusted_certificate_is_told_with_the_file(void)
{
    struct peer peer;
    struct client client;
    char url[64];

    peer_open(&peer, "127.0.0.1", answer_all, OK);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%d", peer.port);
    client_open(&client, url, NULL, "other.pem");
    CHECK_INT(client_send(&client), JZ_EIO);
    CHECK(strncmp(client.error.message,
                  "the certificate of 127.0.0.1 is not trusted", 43) == 0);
    CHECK(strstr(client.error.message, "other.pem") != NULL);
    CHECK(strstr(client.error.message, "other.pem (a test)") != NULL);
    CHECK(jz__fetch_is_untrusted(client.fetch));
    both_close(&client, &peer);
    CHECK_INT(peer.requests, 0);
    peer_finish(&peer);
}

static void other_host_is_told(void)
{
    struct peer peer;
    struct client client;
    char url[64];

    peer_open(&peer, "127.0.0.1", answer_all, OK);
    (void)snprintf(url, sizeof(url), "https://localhost:%d", peer.port);
    client_open(&client, url, NULL, "ca.pem");
    CHECK_INT(client_send(&client), JZ_EIO);
    CHECK(strstr(client.error.message, "is not for localhost but for "
                                       "desk.example") != NULL);
    CHECK(!jz__fetch_is_untrusted(client.fetch));
    both_close(&client, &peer);
    CHECK_INT(peer.requests, 0);
    peer_finish(&peer);
}

static void files_of_certificates_are_needed(void)
{
    struct trial trial = { .answer = say_nothing, .host = "127.0.0.1" };

    check(trial, "no file of trusted certificates was found");
    trial.ca_file = "missing.pem";
    check(trial, "cannot open DIR/missing.pem: No such file or directory");
}

/* Reading a system's bundle takes longer than all else. */
static void files_are_read_when_the_server_is_there(void)
{
    struct client client;
    char url[64];
    int port;
    int fd = peer_listen(&port, "127.0.0.1");

    (void)close(fd);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%d", port);
    client_open(&client, url, NULL, "missing.pem");
    CHECK_INT(client_send(&client), JZ_EIO);
    CHECK(strstr(client.error.message, ": connection refused") != NULL);
    jz__fetch_free(client.fetch);
}

static void peers_without_tls_are_told(void)
{
    struct trial trial = { .host = "127.0.0.1", .ca_file = "ca.pem" };

    trial.answer = speak_plainly;
    check(trial, "127.0.0.1 speaks HTTP without TLS on this port");
    trial.answer = close_at_once;
    check(trial, "127.0.0.1:N closed the connection instead of speaking TLS");
    trial.answer = say_nothing;
    trial.span_ms = 300;
    check(trial, "no answer to TLS of 127.0.0.1:N within 300 ms");
}

/* Without its end in order a body could have been cut by anybody on the way. */
static void body_until_the_end_needs_the_end_in_order(void)
{
    struct trial trial = { .host = "127.0.0.1",
                           .ca_file = "ca.pem",
                           .text = UNTIL_THE_END };

    trial.answer = answer_and_end;
    check(trial, "until the end");
    trial.answer = answer_and_cut;
    check(trial, "127.0.0.1 port N closed the connection within its answer");
}

static void tell_pem(const char *name, const char *pem)
{
    tmpdir_write(&dir, name, pem, strlen(pem));
}

int main(void)
{
    tmpdir_make(&dir);
    tls_name_make(&root);
    tls_name_make(&stranger);
    tls_name_make(&leaf);
    tls_name_sign(&leaf, &root);
    tell_pem("ca.pem", root.cert_pem);
    tell_pem("other.pem", stranger.cert_pem);
    tell_pem("cert.pem", leaf.cert_pem);
    tell_pem("key.pem", leaf.key_pem);
    tls_must(jz__tls_server_new(&server, tmpdir_path(&dir, "cert.pem"),
                                tmpdir_path(&dir, "key.pem"), NULL),
             "server");
    TAP_RUN(answers_come_over_one_kept_connection);
    TAP_RUN(ended_connection_is_replaced);
    TAP_RUN(ipv6_address_is_checked_as_one);
    TAP_RUN(tunnel_leads_to_the_server);
    TAP_RUN(untrusted_certificate_is_told_with_the_file);
    TAP_RUN(other_host_is_told);
    TAP_RUN(files_of_certificates_are_needed);
    TAP_RUN(files_are_read_when_the_server_is_there);
    TAP_RUN(peers_without_tls_are_told);
    TAP_RUN(body_until_the_end_needs_the_end_in_order);
    jz__tls_server_release(server);
    tls_name_free(&root);
    tls_name_free(&stranger);
    tls_name_free(&leaf);
    tmpdir_remove(&dir);
    return tap_done();
}
