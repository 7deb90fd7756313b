/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer codec. Each script of bytes is turned into a line of text that
 * tells its events: "200 keep [abc] end", and each is read twice, whole and byte
 * by byte, which must come to the same.
 */
#include "net/response.h"

#include "base/mem.h"
#include "tap.h"

static void tell_event(struct jz__buf *told, struct jz__response *response,
                       enum jz__response_event event, struct jz__str piece)
{
    switch (event) {
    case JZ__RESPONSE_HEAD:
        jz__buf_printf(told, "%d%s [", response->status,
                       response->keep_alive ? " keep" : "");
        break;
    case JZ__RESPONSE_BODY:
        jz__buf_append(told, piece.data, piece.length);
        break;
    case JZ__RESPONSE_END:
        jz__buf_puts(told, "] end");
        break;
    default:
        jz__buf_printf(told, "bad: %s", response->reason);
        break;
    }
}

/* Read `step` bytes at a time; then the connection ends, if nothing ended
 * before. "+N": so many bytes were left. */
static char *tell(struct jz__str bytes, size_t step, bool is_bodiless)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf told = JZ__BUF_INIT;
    struct jz__response response;
    bool is_over = false;
    size_t left_over = 0;
    char *text = NULL;

    jz__response_init(&response, is_bodiless);
    for (size_t at = 0; at < bytes.length; at += step) {
        const char *data = bytes.data + at;
        size_t left = bytes.length - at < step ? bytes.length - at : step;
        enum jz__response_event event = JZ__RESPONSE_MORE;
        struct jz__str piece;

        while (!is_over &&
               (event = jz__response_read(&piece, &response, &data, &left)) !=
                   JZ__RESPONSE_MORE) {
            tell_event(&told, &response, event, piece);
            is_over = event == JZ__RESPONSE_END || event == JZ__RESPONSE_BAD;
        }
        left_over += response.reason == NULL ? left : 0;
    }
    if (!is_over) {
        jz__buf_puts(&told, " close ");
        tell_event(&told, &response, jz__response_close(&response),
                   JZ__STR(""));
    }
    if (left_over > 0) {
        jz__buf_printf(&told, " +%zu", left_over);
    }
    jz__response_finish(&response);
    CHECK_INT(jz__buf_take(&text, &told), 0);
    return text;
}

static void check_bytes(struct jz__str bytes, bool is_bodiless,
                        const char *want)
{
    for (size_t step = 1; step <= bytes.length; step += bytes.length - 1) {
        JZ_CLEANUP(jz__mem_freep) char *got = tell(bytes, step, is_bodiless);

        CHECK_STR(got, want);
    }
}

static void check(const char *bytes, const char *want)
{
    check_bytes(jz__str_of(bytes), false, want);
}

#define H11 "HTTP/1.1 200 OK\r\n"

static void lengths_are_read(void)
{
    check(H11 "Content-Length: 3\r\n\r\nabc", "200 keep [abc] end");
    check(H11 "content-length:0\r\n\r\n", "200 keep [] end");
    check(H11 "Content-Length: 3\r\n\r\nabcde", "200 keep [abc] end +2");
    check("HTTP/1.1 404\r\nContent-Length: 1\r\n\r\n!", "404 keep [!] end");
    check("HTTP/1.1 404 \r\nContent-Length: 1\r\n\r\n!", "404 keep [!] end");
}

static void chunks_are_read(void)
{
    check(H11 "Transfer-Encoding: chunked\r\n\r\n"
              "3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
          "200 keep [abc0123456789] end");
    check(H11 "transfer-encoding: CHUNKED\r\n\r\n0\r\n\r\nx",
          "200 keep [] end +1");
}

static void rest_of_the_connection_is_a_body(void)
{
    check(H11 "\r\nabc", "200 [abc close ] end");
    check(H11 "\r\n", "200 [ close ] end");
    check("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nabc",
          "200 [abc close ] end");
}

static void some_answers_have_no_body(void)
{
    struct jz__str head = JZ__STR(H11 "Content-Length: 5\r\n\r\n");
    struct jz__str chunked = JZ__STR(H11 "Transfer-Encoding: chunked\r\n\r\n");

    check_bytes(head, true, "200 keep [] end");
    check_bytes(chunked, true, "200 keep [] end");
    check_bytes(JZ__STR(H11 "\r\n"), true, "200 keep [] end");
    check("HTTP/1.1 204 No Content\r\n\r\n", "204 keep [] end");
    check("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
          "304 keep [] end");
}

static void connection_is_kept_or_not(void)
{
    check(H11 "Connection: x, Close\r\nContent-Length: 0\r\n\r\n",
          "200 [] end");
    check(H11 "Connection: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
          "200 [] end");
    check(H11 "Connection: closed\r\nContent-Length: 0\r\n\r\n",
          "200 keep [] end");
    check("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "200 [] end");
    check("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n"
          "Content-Length: 0\r\n\r\n",
          "200 keep [] end");
}

static void interim_answers_are_passed_over(void)
{
    check("HTTP/1.1 100 Continue\r\nConnection: close\r\nContent-Length: 9\r\n"
          "\r\nHTTP/1.1 199 x\r\n\r\n" H11 "Content-Length: 1\r\n\r\na",
          "200 keep [a] end");
    check("HTTP/1.1 100 Continue\r\n\r\n",
          " close bad: the connection was closed before its end");
    check("HTTP/1.1 101 Switching Protocols\r\n\r\n",
          "bad: it changes to another protocol");
}

static void head_is_kept_as_lines(void)
{
    static const char bytes[] = "HTTP/1.1 103 x\r\nLink: y\r\n\r\n" H11
                                "A: 1\r\nContent-Length:   0\t\r\n\r\n";
    struct jz__response response;
    const char *data = bytes;
    size_t left = strlen(bytes);
    struct jz__str piece;

    jz__response_init(&response, false);
    CHECK_INT(jz__response_read(&piece, &response, &data, &left),
              JZ__RESPONSE_HEAD);
    CHECK_STR(response.head.data, "A: 1\r\nContent-Length:   0\t\r\n");
    jz__response_finish(&response);
}

static void other_protocols_are_told_from_their_first_bytes(void)
{
    static const char *const wrong[] = {
        "<html>",
        "SSH-2.0-x\r\n",
        "\x15\x03\x01",
        "H2",
        "http/1.1 200 OK\r\n",
        "\r\nHTTP/1.1 200 OK\r\n",
        "HTTP/2",
        "HTTP/1.1x200 OK\r\n",
        "HTTP/1.2 200 OK\r\n",
        "HTTP/1.1  200 OK\r\n",
        "HTTP/1.1 20\r\n",
        "HTTP/1.1 2000 OK\r\n",
        "HTTP/1.1 200OK\r\n",
    };

    for (size_t i = 0; i < JZ__LENGTH(wrong); i++) {
        check(wrong[i], "bad: it is not HTTP/1.1");
    }
    check("HTTP/1.1 2x0 OK\r\n", "bad: its status is not valid");
    check("HTTP/1.1 600 OK\r\n", "bad: its status is not valid");
    check("HTTP/1.1 099 OK\r\n", "bad: its status is not valid");
    check("HTTP/1.1 200 O\x01K\r\n", "bad: its status line is not valid");
}

static void lines_end_with_cr_lf(void)
{
    check("HTTP/1.1 200 OK\n", "bad: a line ends without CR");
    check(H11 "A: b\n", "bad: a line ends without CR");
    check(H11 "\n", "bad: a line ends without CR");
}

static void headers_are_strict(void)
{
    static const char *const wrong[] = {
        H11 " A: b\r\n",      H11 "A : b\r\n",      H11 "A\r\n",
        H11 ": b\r\n",        H11 "A: b\r\n c\r\n", H11 "A: b\x01\r\n",
        H11 "A: b\rc: d\r\n",
    };

    for (size_t i = 0; i < JZ__LENGTH(wrong); i++) {
        check(wrong[i], "bad: one of its headers is not valid");
    }
}

static void framing_is_strict(void)
{
    static const char *const lengths[] = {
        "+5", "-1", "0x5", "5, 5", "5 5", "", "1234567890123456789"
    };

    for (size_t i = 0; i < JZ__LENGTH(lengths); i++) {
        char bytes[128];

        (void)snprintf(bytes, sizeof(bytes), H11 "Content-Length: %s\r\n",
                       lengths[i]);
        check(bytes, "bad: its Content-Length is not valid");
    }
    check(H11 "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
          "bad: a framing header is repeated");
    check(H11 "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
          "bad: it has both Content-Length and Transfer-Encoding");
    check(H11 "Transfer-Encoding: gzip, chunked\r\n\r\n",
          "bad: its Transfer-Encoding is not supported");
    check("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
          "bad: its Transfer-Encoding is not supported");
}

static void chunks_are_strict(void)
{
    static const char *const wrong[] = { "x\r\n",     "\r\n",
                                         "3\nabc",    "3 \r\nabc",
                                         "3\r\nabcd", "0\r\nbad\r\n" };

    for (size_t i = 0; i < JZ__LENGTH(wrong); i++) {
        char bytes[128];
        JZ_CLEANUP(jz__mem_freep) char *got = NULL;

        (void)snprintf(bytes, sizeof(bytes),
                       H11 "Transfer-Encoding: chunked\r\n\r\n%s", wrong[i]);
        got = tell(jz__str_of(bytes), 1, false);
        CHECK(strstr(got, "bad: its chunks are not valid") != NULL);
    }
}

static void early_end_is_seen(void)
{
    check("HT", " close bad: the connection was closed before its end");
    check(H11 "A: b\r\n",
          " close bad: the connection was closed before its end");
    check(H11 "Content-Length: 5\r\n\r\nabc",
          "200 keep [abc close bad: the connection was closed before its end");
    check(H11 "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
          "200 keep [abc close bad: the connection was closed before its end");
}

/* Of one answer, or of interim ones that never end. */
static void heads_are_bounded(void)
{
    static const char *const lines[] = { "A: bbbbbbbbbbbbbbbbbbbbbb\r\n",
                                         "\r\nHTTP/1.1 100 Continue\r\n",
                                         "A: endless" };

    for (size_t i = 0; i < JZ__LENGTH(lines); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf bytes = JZ__BUF_INIT;

        jz__buf_puts(&bytes, "HTTP/1.1 100 Continue\r\n");
        while (bytes.length <= JZ__RESPONSE_HEAD_MOST) {
            jz__buf_puts(&bytes, lines[i]);
        }
        check(bytes.data, "bad: its headers are over 64 KiB");
    }
}

static void it_has_begun_with_its_first_byte(void)
{
    struct jz__response response;
    const char *data = "H";
    size_t left = 0;
    struct jz__str piece;

    jz__response_init(&response, false);
    (void)jz__response_read(&piece, &response, &data, &left);
    CHECK(!jz__response_has_begun(&response));
    left = 1;
    (void)jz__response_read(&piece, &response, &data, &left);
    CHECK(jz__response_has_begun(&response));
    jz__response_finish(&response);
}

int main(void)
{
    TAP_RUN(lengths_are_read);
    TAP_RUN(chunks_are_read);
    TAP_RUN(rest_of_the_connection_is_a_body);
    TAP_RUN(some_answers_have_no_body);
    TAP_RUN(connection_is_kept_or_not);
    TAP_RUN(interim_answers_are_passed_over);
    TAP_RUN(head_is_kept_as_lines);
    TAP_RUN(other_protocols_are_told_from_their_first_bytes);
    TAP_RUN(lines_end_with_cr_lf);
    TAP_RUN(headers_are_strict);
    TAP_RUN(framing_is_strict);
    TAP_RUN(chunks_are_strict);
    TAP_RUN(early_end_is_seen);
    TAP_RUN(heads_are_bounded);
    TAP_RUN(it_has_begun_with_its_first_byte);
    return tap_done();
}
