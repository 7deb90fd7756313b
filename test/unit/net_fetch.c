/* SPDX-License-Identifier: Apache-2.0 */
/* Requests over real sockets, with peers that answer in all manners. */
#include "net/fetch.h"

#include <signal.h>

#include "base/mem.h"
#include "net/response.h"
#include "peer.h"
#include "tap.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
#define OK OK_HEAD "\r\nok"

/* Long enough for a slow machine under a sanitizer. */
#define PATIENT_MS 20000

/* --- peers --- */

/* Says its text to each request, and keeps the connection. */
static void answer_all(struct peer *peer, int fd)
{
    while (peer_read_head(peer, fd)) {
        peer_say(fd, peer->text);
    }
}

/* Says its text to one request and closes. */
static void answer_one(struct peer *peer, int fd)
{
    if (peer_read_head(peer, fd)) {
        peer_say(fd, peer->text);
    }
}

static void say_nothing(struct peer *peer, int fd)
{
    (void)peer;
    (void)peer_drain(fd);
}

static void close_at_once(struct peer *peer, int fd)
{
    (void)peer_read_head(peer, fd);
}

/* A byte of the text every few milliseconds, endlessly. */
static void drip(struct peer *peer, int fd)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };
    const char *at = peer->text;

    (void)peer_read_head(peer, fd);
    do {
        if (send(fd, at, 1, MSG_NOSIGNAL) < 0) {
            return;
        }
        at += at[1] != '\0';
    } while (poll(&one, 1, 5) == 0);
}

/* The first connection closes itself behind its answer, without a word. */
static void close_first(struct peer *peer, int fd)
{
    if (peer->connections == 1) {
        answer_one(peer, fd);
    } else {
        answer_all(peer, fd);
    }
}

/* The first connection takes the second request and closes. */
static void close_at_second(struct peer *peer, int fd)
{
    while (peer_read_head(peer, fd)) {
        if (peer->connections == 1 && peer->requests == 2) {
            return;
        }
        peer_say(fd, OK);
    }
}

/* Says its text behind the head of an upload and closes, with the body unread:
 * the reset that follows may overtake it. */
static void refuse_early(struct peer *peer, int fd)
{
    if (peer_read_head(peer, fd)) {
        peer_say(fd, peer->text);
    }
}

/* The same, but waits for the other side to stop. */
static void refuse_and_wait(struct peer *peer, int fd)
{
    refuse_early(peer, fd);
    (void)peer_drain(fd);
}

/* Takes as many bytes of a body as its text names, then answers. */
static void take_body(struct peer *peer, int fd)
{
    if (peer_read_head(peer, fd)) {
        peer_read(peer, fd, (size_t)atol(peer->text));
        peer_say(fd, OK);
    }
}

/* --- the client --- */

struct client {
    struct jz__fetch *fetch;
    struct jz__fetch_request request;
    struct jz__fetch_answer answer;
    struct jz__error error;
};

static void client_open_url(struct client *client, const char *url,
                            const char *proxy)
{
    struct jz__fetch_options options = { .url = url, .proxy = proxy };

    memset(client, 0, sizeof(*client));
    client->request.method = "GET";
    client->request.path = "/x";
    client->request.most = 1024;
    client->request.deadline_ms = jz__fetch_now_ms() + PATIENT_MS;
    if (!CHECK_INT(jz__fetch_new(&client->fetch, &options, &client->error),
                   0)) {
        printf("Bail out! %s\n", client->error.message);
        exit(EXIT_FAILURE);
    }
}

static void client_open(struct client *client, const char *host, int port)
{
    char url[64];

    (void)snprintf(url, sizeof(url), "http://%s:%d", host, port);
    client_open_url(client, url, NULL);
}

static int client_send(struct client *client)
{
    jz__fetch_answer_finish(&client->answer);
    return jz__fetch_send(&client->answer, client->fetch, &client->request,
                          &client->error);
}

static void client_close(struct client *client)
{
    jz__fetch_answer_finish(&client->answer);
    jz__fetch_free(client->fetch);
}

/* The peer's last connection ends with the client. */
static void both_close(struct client *client, struct peer *peer)
{
    client_close(client);
    peer_close(peer);
}

/* "status body", or "error message" without the peer's port. */
static void result_text(char *out, size_t size, struct client *client, int r,
                        int port)
{
    char place[32];
    const char *at;

    if (r == 0) {
        (void)snprintf(out, size, "%d %s", client->answer.status,
                       client->answer.body.length > 0 ? client->answer.body.data
                                                      : "");
        return;
    }
    (void)snprintf(place, sizeof(place), "%d", port);
    at = strstr(client->error.message, place);
    if (at == NULL) {
        (void)snprintf(out, size, "%d %s", r, client->error.message);
    } else {
        (void)snprintf(out, size, "%d %.*sN%s", r,
                       (int)(at - client->error.message), client->error.message,
                       at + strlen(place));
    }
}

/* What comes of one request to such a peer, within so many milliseconds. */
static void check(peer_fn answer, const char *text, int span_ms,
                  const char *want)
{
    struct peer peer;
    struct client client;
    char got[1200];
    int r;

    peer_open(&peer, "127.0.0.1", answer, text);
    client_open(&client, "127.0.0.1", peer.port);
    client.request.deadline_ms = jz__fetch_now_ms() + span_ms;
    r = client_send(&client);
    result_text(got, sizeof(got), &client, r, peer.port);
    CHECK_STR(got, want);
    both_close(&client, &peer);
    peer_finish(&peer);
}

/* --- whole answers --- */

static void answers_are_collected(void)
{
    check(answer_all, OK, PATIENT_MS, "200 ok");
    check(answer_all, "HTTP/1.1 204 No Content\r\n\r\n", PATIENT_MS, "204 ");
    check(answer_one, "HTTP/1.0 200 OK\r\n\r\nuntil the end", PATIENT_MS,
          "200 until the end");
    check(answer_all,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n",
          PATIENT_MS, "200 abcde");
    check(answer_all,
          "HTTP/1.1 500 Oh\r\nContent-Type: text/html\r\n"
          "Content-Length: 6\r\n\r\n<html>",
          PATIENT_MS, "500 <html>");
}

static void redirects_are_answers(void)
{
    check(answer_all,
          "HTTP/1.1 302 Found\r\nLocation: http://login.example/\r\n"
          "Content-Length: 0\r\n\r\n",
          PATIENT_MS, "302 ");
}

static void interim_answers_are_passed_over(void)
{
    check(
        answer_all,
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" OK,
        PATIENT_MS, "200 ok");
}

static void headers_are_found(void)
{
    struct peer peer;
    struct client client;
    struct jz__str value;

    peer_open(&peer, "127.0.0.1", answer_all,
              OK_HEAD "X-A:  one \r\nx-a: two\r\n\r\nok");
    client_open(&client, "127.0.0.1", peer.port);
    CHECK_INT(client_send(&client), 0);
    CHECK(jz__fetch_header(&value, &client.answer, "X-A"));
    CHECK(jz__str_is(value, "one"));
    CHECK(!jz__fetch_header(&value, &client.answer, "X-B"));
    both_close(&client, &peer);
    peer_finish(&peer);
}

/* --- peers that are no good --- */

static void closed_port_is_told(void)
{
    struct client client;
    char got[1200];
    int port;
    int fd = peer_listen(&port, "127.0.0.1");
    int r;

    (void)close(fd);
    client_open(&client, "127.0.0.1", port);
    r = client_send(&client);
    result_text(got, sizeof(got), &client, r, port);
    CHECK_STR(got, "-6 cannot connect to 127.0.0.1 port N: connection refused");
    client_close(&client);
}

static void silent_peer_costs_the_deadline(void)
{
    int64_t start = jz__fetch_now_ms();
    int64_t span;

    check(say_nothing, NULL, 300, "-6 no answer within 300 ms");
    span = jz__fetch_now_ms() - start;
    CHECK(span >= 290 && span < 5000);
}

static void dripping_peer_costs_the_deadline(void)
{
    int64_t start = jz__fetch_now_ms();

    check(drip, "HTTP/1.1 200 OK\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaa", 300,
          "-6 no whole answer within 300 ms");
    check(drip, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx", 300,
          "-6 no whole answer within 300 ms");
    CHECK(jz__fetch_now_ms() - start < 10000);
}

static void cut_answers_are_errors(void)
{
    check(close_at_once, NULL, PATIENT_MS,
          "-6 127.0.0.1 port N closed the connection without an answer");
    check(answer_one, "HTTP/1.1 200 OK\r\nContent-Le", PATIENT_MS,
          "-6 127.0.0.1 port N closed the connection within its answer");
    check(answer_one, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
          PATIENT_MS,
          "-6 127.0.0.1 port N closed the connection within its answer");
    check(answer_one,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf",
          PATIENT_MS,
          "-6 127.0.0.1 port N closed the connection within its answer");
}

static void answers_that_are_none_are_told(void)
{
    check(answer_one, "<html>hello</html>", PATIENT_MS,
          "-6 the answer of 127.0.0.1 port N is not valid: it is not HTTP/1.1");
    check(answer_one,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
          PATIENT_MS,
          "-6 the answer of 127.0.0.1 port N is not valid: its chunks are not "
          "valid");
}

static void answers_are_bounded(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__buf_puts(&text, "HTTP/1.1 200 OK\r\n");
    while (text.length < JZ__RESPONSE_HEAD_MOST) {
        jz__buf_puts(&text, "X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n");
    }
    jz__buf_puts(&text, "\r\n");
    check(answer_one, text.data, PATIENT_MS,
          "-6 the answer of 127.0.0.1 port N is not valid: its headers are "
          "over 64 KiB");
    check(answer_one, "HTTP/1.1 200 OK\r\nContent-Length: 1025\r\n\r\n",
          PATIENT_MS, "-6 the answer of 127.0.0.1 port N is over 1024 bytes");
    jz__buf_clear(&text);
    jz__buf_puts(&text, "HTTP/1.1 200 OK\r\n\r\n");
    while (text.length < 1100) {
        jz__buf_putc(&text, 'x');
    }
    check(answer_one, text.data, PATIENT_MS,
          "-6 the answer of 127.0.0.1 port N is over 1024 bytes");
}

/* --- kept connections --- */

static void connection_is_kept(void)
{
    struct peer peer;
    struct client client;

    peer_open(&peer, "127.0.0.1", answer_all, OK);
    client_open(&client, "127.0.0.1", peer.port);
    CHECK_INT(jz__fetch_connect(client.fetch, client.request.deadline_ms,
                                &client.error),
              0);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(client_send(&client), 0);
        CHECK_INT(client.answer.status, 200);
    }
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 1);
    CHECK_INT(peer.requests, 3);
    peer_finish(&peer);
}

static void check_not_kept(const char *text)
{
    struct peer peer;
    struct client client;

    peer_open(&peer, "127.0.0.1", answer_all, text);
    client_open(&client, "127.0.0.1", peer.port);
    CHECK_INT(client_send(&client), 0);
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 2);
    peer_finish(&peer);
}

static void connection_is_not_kept_when_it_cannot_be(void)
{
    check_not_kept(OK_HEAD "Connection: close\r\n\r\nok");
    check_not_kept("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
    check_not_kept(OK "HTTP/1.1 200 junk");
}

/* Whether its end is seen before the next request or only after it. */
static void closed_connection_is_replaced(void)
{
    struct peer peer;
    struct client client;

    peer_open(&peer, "127.0.0.1", close_first, OK);
    client_open(&client, "127.0.0.1", peer.port);
    client.request.may_repeat = true;
    CHECK_INT(client_send(&client), 0);
    CHECK_INT(client_send(&client), 0);
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 2);
    peer_finish(&peer);
}

static void check_repeat(bool may_repeat, const char *want, int connections)
{
    struct peer peer;
    struct client client;
    char got[1200];
    int r;

    peer_open(&peer, "127.0.0.1", close_at_second, NULL);
    client_open(&client, "127.0.0.1", peer.port);
    client.request.may_repeat = may_repeat;
    CHECK_INT(client_send(&client), 0);
    r = client_send(&client);
    result_text(got, sizeof(got), &client, r, peer.port);
    CHECK_STR(got, want);
    both_close(&client, &peer);
    CHECK_INT(peer.connections, connections);
    peer_finish(&peer);
}

static void stale_connection_is_repeated_once(void)
{
    check_repeat(true, "200 ok", 2);
    check_repeat(false,
                 "-6 127.0.0.1 port N closed the connection without an answer",
                 1);
}

/* A new connection that is closed says something about the server. */
static void new_connection_is_not_repeated(void)
{
    struct peer peer;
    struct client client;

    peer_open(&peer, "127.0.0.1", close_at_once, NULL);
    client_open(&client, "127.0.0.1", peer.port);
    client.request.may_repeat = true;
    CHECK_INT(client_send(&client), JZ_EIO);
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 1);
    peer_finish(&peer);
}

/* --- bodies --- */

static void check_seen(const struct peer *peer, const char *want)
{
    CHECK_STR(peer->seen.data, want);
}

static void body_is_sent_with_its_length(void)
{
    struct peer peer;
    struct client client;
    char want[256];

    peer_open(&peer, "127.0.0.1", take_body, "5");
    client_open(&client, "127.0.0.1", peer.port);
    client.request.method = "POST";
    client.request.headers = "X-A: 1\r\nX-B: 2\r\n";
    client.request.body = JZ__STR("a\r\nbc");
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    (void)snprintf(want, sizeof(want),
                   "POST /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                   "User-Agent: jezero/" JZ_VERSION_STRING "\r\n"
                   "Content-Length: 5\r\nX-A: 1\r\nX-B: 2\r\n\r\na\r\nbc",
                   peer.port);
    check_seen(&peer, want);
    peer_finish(&peer);
}

/* "one", "", … up to the number at userdata, then the end. */
static int read_pieces(struct jz__buf *out, void *userdata,
                       struct jz__error *error)
{
    int *left = userdata;

    if (*left < 0) {
        return jz__fail(error, JZ_ECORRUPT, "the file is torn");
    }
    if (*left > 0) {
        jz__buf_printf(out, "piece %d", *left);
        --*left;
    }
    return 0;
}

static void body_is_sent_in_chunks(void)
{
    static const char framed[] = "7\r\npiece 2\r\n7\r\npiece 1\r\n0\r\n\r\n";
    char length[16];
    struct peer peer;
    struct client client;
    int left = 2;

    (void)snprintf(length, sizeof(length), "%zu", strlen(framed));
    peer_open(&peer, "127.0.0.1", take_body, length);
    client_open(&client, "127.0.0.1", peer.port);
    client.request.method = "PUT";
    client.request.read = read_pieces;
    client.request.read_data = &left;
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    CHECK(strstr(peer.seen.data, "\r\nTransfer-Encoding: chunked\r\n") != NULL);
    CHECK(strstr(peer.seen.data, "Content-Length") == NULL);
    CHECK(strstr(peer.seen.data, framed) != NULL);
    peer_finish(&peer);
}

static void failing_body_ends_the_request(void)
{
    struct peer peer;
    struct client client;
    int left = -1;

    peer_open(&peer, "127.0.0.1", say_nothing, NULL);
    client_open(&client, "127.0.0.1", peer.port);
    client.request.method = "PUT";
    client.request.read = read_pieces;
    client.request.read_data = &left;
    CHECK_INT(client_send(&client), JZ_ECORRUPT);
    CHECK_STR(client.error.message, "the file is torn");
    both_close(&client, &peer);
    peer_finish(&peer);
}

#define UPLOAD_SIZE (20 * 1024 * 1024)
#define REFUSAL "HTTP/1.1 401 Unauthorized\r\nContent-Length: 3\r\n\r\nno!"

/* Endless: only an answer ends it. */
static int read_endlessly(struct jz__buf *out, void *userdata,
                          struct jz__error *error)
{
    size_t *count = userdata;
    char *room = jz__buf_reserve(out, 65536);

    if (room == NULL) {
        return jz__fail_memory(error);
    }
    memset(room, 'x', 65536);
    out->length += 65536;
    *count += 65536;
    return 0;
}

static void check_early(peer_fn answer)
{
    JZ_CLEANUP(jz__mem_freep) char *body = calloc(1, UPLOAD_SIZE);
    struct peer peer;
    struct client client;
    size_t count = 0;

    peer_open(&peer, "127.0.0.1", answer, REFUSAL);
    client_open(&client, "127.0.0.1", peer.port);
    client.request.method = "PUT";
    client.request.body = (struct jz__str){ body, UPLOAD_SIZE };
    CHECK_INT(client_send(&client), 0);
    CHECK_INT(client.answer.status, 401);
    CHECK_STR(client.answer.body.data, "no!");
    client.request.read = read_endlessly;
    client.request.read_data = &count;
    CHECK_INT(client_send(&client), 0);
    CHECK_INT(client.answer.status, 401);
    both_close(&client, &peer);
    CHECK_INT(peer.connections, 2);
    peer_finish(&peer);
}

static void early_answer_ends_the_upload(void)
{
    check_early(refuse_and_wait);
    check_early(refuse_early);
}

static void head_of_an_early_answer_ends_the_upload(void)
{
    struct peer peer;
    struct client client;
    size_t count = 0;

    peer_open(&peer, "127.0.0.1", refuse_and_wait,
              "HTTP/1.1 401 Unauthorized\r\nContent-Length: 3\r\n\r\n");
    client_open(&client, "127.0.0.1", peer.port);
    client.request.method = "PUT";
    client.request.read = read_endlessly;
    client.request.read_data = &count;
    client.request.deadline_ms = jz__fetch_now_ms() + 500;
    CHECK_INT(client_send(&client), JZ_EIO);
    CHECK_STR(client.error.message, "no whole answer within 500 ms");
    /* What the buffers of both sides may have taken before it came. */
    CHECK(count < (size_t)32 * 1024 * 1024);
    both_close(&client, &peer);
    peer_finish(&peer);
}

static void silent_peer_stops_the_upload_at_the_deadline(void)
{
    JZ_CLEANUP(jz__mem_freep) char *body = calloc(1, UPLOAD_SIZE);
    struct client client;
    int port;
    int fd = peer_listen(&port, "127.0.0.1");

    client_open(&client, "127.0.0.1", port);
    client.request.method = "PUT";
    client.request.body = (struct jz__str){ body, UPLOAD_SIZE };
    client.request.deadline_ms = jz__fetch_now_ms() + 300;
    CHECK_INT(client_send(&client), JZ_EIO);
    CHECK_STR(client.error.message,
              "the request could not be sent within 300 ms");
    client_close(&client);
    (void)close(fd);
}

/* --- answers in pieces --- */

struct taker {
    struct jz__buf text;
    int status;
    int result; /* what the function returns from its second piece on */
};

static int take(void *userdata, const struct jz__fetch_answer *answer,
                struct jz__str piece)
{
    struct taker *taker = userdata;
    bool is_first = taker->text.length == 0;

    taker->status = answer->status;
    jz__buf_append(&taker->text, piece.data, piece.length);
    return is_first ? 0 : taker->result;
}

static void check_taken(int result, int want, const char *text)
{
    struct taker taker = { .result = result };
    struct peer peer;
    struct client client;

    peer_open(&peer, "127.0.0.1", answer_all,
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              "3\r\nabc\r\n3\r\ndef\r\n3\r\nghi\r\n0\r\n\r\n");
    client_open(&client, "127.0.0.1", peer.port);
    client.request.write = take;
    client.request.write_data = &taker;
    client.request.most = 0;
    CHECK_INT(client_send(&client), want);
    CHECK_INT(taker.status, 200);
    CHECK_STR(taker.text.data, text);
    CHECK_INT(client.answer.body.length, 0);
    both_close(&client, &peer);
    jz__buf_finish(&taker.text);
    peer_finish(&peer);
}

static void pieces_are_handed_on(void)
{
    check_taken(0, 0, "abcdefghi");
}

static void taker_ends_the_answer(void)
{
    check_taken(1, 0, "abcdef");
    check_taken(JZ_ECORRUPT, JZ_ECORRUPT, "abcdef");
}

/* --- addresses --- */

static void ipv6_addresses_are_reached(void)
{
    struct peer peer;
    struct client client;

    if (!peer_open(&peer, "::1", answer_all, OK)) {
        printf("# no ::1 on this computer\n");
        return;
    }
    client_open(&client, "[::1]", peer.port);
    CHECK_INT(client_send(&client), 0);
    client_close(&client);
    client_open(&client, "localhost", peer.port);
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    CHECK(strncmp(peer.seen.data, "GET /x HTTP/1.1\r\nHost: [::1]:", 29) == 0);
    CHECK(strstr(peer.seen.data, "\r\nHost: localhost:") != NULL);
    peer_finish(&peer);
}

/* The peer listens on 127.0.0.1 alone, and ::1 is tried first. */
static void localhost_is_reached_over_ipv4(void)
{
    int64_t start = jz__fetch_now_ms();
    struct peer peer;
    struct client client;

    peer_open(&peer, "127.0.0.1", answer_all, OK);
    client_open(&client, "localhost", peer.port);
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    peer_finish(&peer);
    CHECK(jz__fetch_now_ms() - start < PATIENT_MS / 2);
}

/* The request line for the peer's URL with this behind it. */
static void check_line(const char *behind, const char *path, const char *want)
{
    char url[128];
    struct peer peer;
    struct client client;

    peer_open(&peer, "127.0.0.1", answer_all, OK);
    (void)snprintf(url, sizeof(url), "HTTP://127.0.0.1:%d%s", peer.port,
                   behind);
    client_open_url(&client, url, NULL);
    client.request.path = path;
    CHECK_INT(client_send(&client), 0);
    both_close(&client, &peer);
    CHECK(peer.seen.length > strlen(want) &&
          strncmp(peer.seen.data, want, strlen(want)) == 0);
    peer_finish(&peer);
}

static void path_of_the_url_comes_first(void)
{
    check_line("", "/x", "GET /x HTTP");
    check_line("/", "/x?y=1", "GET /x?y=1 HTTP");
    check_line("/a/b", "/x", "GET /a/b/x HTTP");
    check_line("/a//", "/x", "GET /a/x HTTP");
}

static void urls_that_are_none_are_refused(void)
{
    static const char *const wrong[] = {
        "",
        "desk.example",
        "ftp://desk.example",
        "http://",
        "http://name:word@desk.example",
        "http://desk.example/a?b",
        "http://desk.example/a#b",
        "http://desk.example/a\r\nX: y",
        "http://d\xC3\xA9sk.example",
        "http://desk.example:99999",
    };

    for (size_t i = 0; i < JZ__LENGTH(wrong); i++) {
        struct jz__fetch_options options = { .url = wrong[i] };
        struct jz__error error = { 0 };
        struct jz__fetch *fetch = NULL;

        CHECK_INT(jz__fetch_new(&fetch, &options, &error), JZ_EINVAL);
        CHECK(fetch == NULL);
        CHECK(strstr(error.message, "word") == NULL);
    }
}

static void paths_that_are_none_are_refused(void)
{
    static const char *const wrong[] = { "",           "x",         "/a b",
                                         "/a\r\nX: y", "/\xC3\xA9", "/a#b" };
    struct client client;

    client_open_url(&client, "http://127.0.0.1:1", NULL);
    for (size_t i = 0; i < JZ__LENGTH(wrong); i++) {
        client.request.path = wrong[i];
        CHECK_INT(client_send(&client), JZ_EINVAL);
    }
    client_close(&client);
}

/* --- proxies --- */

static void check_proxied(const char *url, peer_fn answer, const char *text,
                          const char *want, const char *seen)
{
    struct peer peer;
    struct client client;
    char proxy[128];
    char got[1200];
    int r;

    peer_open(&peer, "127.0.0.1", answer, text);
    (void)snprintf(proxy, sizeof(proxy), "http://me:p%%40ss@127.0.0.1:%d",
                   peer.port);
    client_open_url(&client, url, proxy);
    r = client_send(&client);
    result_text(got, sizeof(got), &client, r, peer.port);
    CHECK_STR(got, want);
    both_close(&client, &peer);
    check_seen(&peer, seen);
    peer_finish(&peer);
}

#define AGENT "User-Agent: jezero/" JZ_VERSION_STRING "\r\n"
/* me:p@ss */
#define CREDENTIALS "Proxy-Authorization: Basic bWU6cEBzcw==\r\n"

static void http_goes_to_the_proxy_in_absolute_form(void)
{
    check_proxied("http://desk.example:8787/a", answer_all, OK, "200 ok",
                  "GET http://desk.example:8787/a/x HTTP/1.1\r\n"
                  "Host: desk.example:8787\r\n" AGENT CREDENTIALS "\r\n");
}

#define ASKED                                                                  \
    "CONNECT desk.example:443 HTTP/1.1\r\nHost: desk.example:443\r\n" AGENT    \
        CREDENTIALS "\r\n"

static void https_asks_the_proxy_for_a_tunnel(void)
{
    check_proxied("https://desk.example", answer_one,
                  "HTTP/1.1 407 Who?\r\nContent-Length: 9\r\n\r\n",
                  "-6 the proxy 127.0.0.1 port N answered HTTP 407", ASKED);
    check_proxied("https://desk.example", answer_one,
                  "HTTP/1.1 502 Bad Gateway\r\n\r\n<html>",
                  "-6 the proxy 127.0.0.1 port N answered HTTP 502", ASKED);
    check_proxied("https://desk.example", close_at_once, NULL,
                  "-6 the proxy 127.0.0.1 port N closed the connection", ASKED);
    check_proxied("https://desk.example", answer_one, "220 mail\r\n",
                  "-6 the answer of the proxy 127.0.0.1 port N is not valid: "
                  "it is not HTTP/1.1",
                  ASKED);
    check_proxied(
        "https://desk.example", answer_one, "HTTP/1.1 200 OK\r\n\r\nhello",
        "-6 the proxy 127.0.0.1 port N sent more than its answer", ASKED);
}

static void refusing_proxy_is_told(void)
{
    check_proxied("http://desk.example", answer_all,
                  "HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n",
                  "-6 the proxy 127.0.0.1 port N answered HTTP 407",
                  "GET http://desk.example/x HTTP/1.1\r\n"
                  "Host: desk.example\r\n" AGENT CREDENTIALS "\r\n");
}

static void silent_proxy_costs_the_deadline(void)
{
    struct peer peer;
    struct client client;
    char proxy[64];
    char got[1200];
    int r;

    peer_open(&peer, "127.0.0.1", say_nothing, NULL);
    (void)snprintf(proxy, sizeof(proxy), "127.0.0.1:%d", peer.port);
    client_open_url(&client, "https://desk.example", proxy);
    client.request.deadline_ms = jz__fetch_now_ms() + 300;
    r = client_send(&client);
    result_text(got, sizeof(got), &client, r, peer.port);
    CHECK_STR(got, "-6 no answer of the proxy 127.0.0.1 port N within 300 ms");
    both_close(&client, &peer);
    peer_finish(&peer);
}

static void closed_proxy_is_told(void)
{
    struct client client;
    char proxy[64];
    char got[1200];
    int port;
    int fd = peer_listen(&port, "127.0.0.1");
    int r;

    (void)close(fd);
    (void)snprintf(proxy, sizeof(proxy), "127.0.0.1:%d", port);
    client_open_url(&client, "http://desk.example", proxy);
    r = client_send(&client);
    result_text(got, sizeof(got), &client, r, port);
    CHECK_STR(got, "-6 cannot connect to 127.0.0.1 port N: connection refused "
                   "(it is the proxy)");
    client_close(&client);
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_DFL);
    TAP_RUN(answers_are_collected);
    TAP_RUN(redirects_are_answers);
    TAP_RUN(interim_answers_are_passed_over);
    TAP_RUN(headers_are_found);
    TAP_RUN(closed_port_is_told);
    TAP_RUN(silent_peer_costs_the_deadline);
    TAP_RUN(dripping_peer_costs_the_deadline);
    TAP_RUN(cut_answers_are_errors);
    TAP_RUN(answers_that_are_none_are_told);
    TAP_RUN(answers_are_bounded);
    TAP_RUN(connection_is_kept);
    TAP_RUN(connection_is_not_kept_when_it_cannot_be);
    TAP_RUN(closed_connection_is_replaced);
    TAP_RUN(stale_connection_is_repeated_once);
    TAP_RUN(new_connection_is_not_repeated);
    TAP_RUN(body_is_sent_with_its_length);
    TAP_RUN(body_is_sent_in_chunks);
    TAP_RUN(failing_body_ends_the_request);
    TAP_RUN(early_answer_ends_the_upload);
    TAP_RUN(head_of_an_early_answer_ends_the_upload);
    TAP_RUN(silent_peer_stops_the_upload_at_the_deadline);
    TAP_RUN(pieces_are_handed_on);
    TAP_RUN(taker_ends_the_answer);
    TAP_RUN(ipv6_addresses_are_reached);
    TAP_RUN(localhost_is_reached_over_ipv4);
    TAP_RUN(path_of_the_url_comes_first);
    TAP_RUN(urls_that_are_none_are_refused);
    TAP_RUN(paths_that_are_none_are_refused);
    TAP_RUN(http_goes_to_the_proxy_in_absolute_form);
    TAP_RUN(https_asks_the_proxy_for_a_tunnel);
    TAP_RUN(refusing_proxy_is_told);
    TAP_RUN(silent_proxy_costs_the_deadline);
    TAP_RUN(closed_proxy_is_told);
    return tap_done();
}
