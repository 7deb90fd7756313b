/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request codec. Each script of bytes is turned into a line of text that
 * tells its events: "POST /mcp [abc] end; 400"; and each is read twice, whole
 * and byte by byte, which must come to the same.
 */
#include "net/http.h"

#include <string.h>

#include "net/answer.h"
#include "tap.h"

#define HOST "Host: a\r\n"

static void tell_request(struct jz__buf *told, const struct jz__http *http)
{
    const struct jz__http_request *request = jz__http_request(http);

    jz__buf_append(told, request->method_name.data,
                   request->method_name.length);
    jz__buf_putc(told, ' ');
    jz__buf_append(told, request->path.data, request->path.length);
    jz__buf_puts(told, request->has_query ? " query" : "");
    jz__buf_puts(told, request->wants_continue ? " continue" : "");
    jz__buf_puts(told, request->keep_alive ? "" : " close");
    jz__buf_puts(told, " [");
}

/* Read `step` bytes at a time; most: the body limit. */
static char *tell(const char *bytes, size_t length, size_t step, uint64_t most)
{
    struct jz__buf told = JZ__BUF_INIT;
    struct jz__http *http = jz__http_new();
    char *text = NULL;

    for (size_t at = 0; at < length; at += step) {
        const char *data = bytes + at;
        size_t left = length - at < step ? length - at : step;
        enum jz__http_event event;
        struct jz__http_step out;

        while ((event = jz__http_read(&out, http, &data, &left)) !=
               JZ__HTTP_MORE) {
            switch (event) {
            case JZ__HTTP_REQUEST:
                tell_request(&told, http);
                jz__http_limit_body(http, most);
                break;
            case JZ__HTTP_BODY:
                jz__buf_append(&told, out.data.data, out.data.length);
                break;
            case JZ__HTTP_END:
                jz__buf_puts(&told, "] end; ");
                break;
            default:
                jz__buf_printf(&told, "%d", out.status);
                break;
            }
        }
        CHECK(left == 0);
    }
    jz__http_free(http);
    CHECK_INT(jz__buf_take(&text, &told), 0);
    return text;
}

static void check_limited(const char *bytes, size_t length, uint64_t most,
                          const char *want)
{
    char *whole = tell(bytes, length, length, most);
    char *single = tell(bytes, length, 1, most);

    CHECK_STR(whole, want);
    CHECK_STR(single, want);
    free(whole);
    free(single);
}

static void check(const char *bytes, const char *want)
{
    check_limited(bytes, strlen(bytes), UINT64_MAX, want);
}

static void a_get_has_no_body(void)
{
    check("GET /healthz HTTP/1.1\r\n" HOST "\r\n", "GET /healthz [] end; ");
}

static void a_body_with_a_length_is_given(void)
{
    check("POST /mcp?k=v HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc",
          "POST /mcp query [abc] end; ");
}

static void a_chunked_body_is_joined(void)
{
    check("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n"
          "3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nSum: 1\r\n\r\n",
          "POST / [abc0123456789] end; ");
}

static void pipelined_requests_come_in_order(void)
{
    check("GET /1 HTTP/1.1\r\n" HOST "\r\n"
          "POST /2 HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab"
          "\r\nGET /3 HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
          "GET /1 [] end; POST /2 [ab] end; GET /3 close [] end; ");
}

static void http10_closes_unless_asked_to_keep_alive(void)
{
    check("GET / HTTP/1.0\r\n" HOST "\r\n", "GET / close [] end; ");
    check("GET / HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n\r\n",
          "GET / [] end; ");
}

static void upgrade_to_h2c_is_ignored(void)
{
    check("GET /1 HTTP/1.1\r\n" HOST "Connection: Upgrade, HTTP2-Settings\r\n"
          "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
          "GET /2 HTTP/1.1\r\n" HOST "\r\n",
          "GET /1 [] end; GET /2 [] end; ");
    check("POST / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n"
          "Content-Length: 2\r\n\r\nab",
          "POST / [ab] end; ");
}

static void an_unknown_method_is_a_request(void)
{
    check("BREW /mcp HTTP/1.1\r\n" HOST "\r\n", "BREW /mcp [] end; ");
    check("BREW /mcp HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\nx"
          "get / HTTP/1.1\r\n" HOST "\r\n",
          "BREW /mcp [x] end; get / [] end; ");
    check("CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n", "CONNECT a:1 [] end; ");
}

static void an_absolute_target_must_name_the_host(void)
{
    check("GET http://A/x?y HTTP/1.1\r\n" HOST "\r\n", "GET /x query [] end; ");
    check("GET http://a HTTP/1.1\r\n" HOST "\r\n", "GET / [] end; ");
    check("GET http://b/x HTTP/1.1\r\n" HOST "\r\n", "400");
    check("OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "OPTIONS * [] end; ");
}

static void expect_continue_counts_with_a_body_alone(void)
{
    check("POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n"
          "Expect: 100-Continue\r\n\r\nx",
          "POST / continue [x] end; ");
    check("GET / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n\r\n",
          "GET / [] end; ");
    check("POST / HTTP/1.0\r\n" HOST "Content-Length: 1\r\n"
          "Expect: 100-continue\r\n\r\nx",
          "POST / close [x] end; ");
    check("POST / HTTP/1.1\r\n" HOST "Expect: tea\r\n\r\n", "417");
}

static void malformed_heads_are_refused(void)
{
    static const char *const heads[] = {
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",       /* blank before the colon */
        "GET / HTTP/1.1\r\n" HOST "X Y: a\r\n\r\n", /* no token */
        "GET / HTTP/1.1\r\n" HOST "X\xc3\xa9: a\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST ": a\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "X\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "X: a\r\n b\r\n\r\n", /* folded */
        "GET / HTTP/1.1\r\n" HOST "X: a\r\n\tb\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n", /* bare LF */
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "X: a\r\n\n",
        "GET / HTTP/1.1\r\n" HOST "X: a\rb\r\n\r\n", /* bare CR */
        "GET / HTTP/1.1\r\n" HOST "X: a\r\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "X: a\x01\r\n\r\n",
        "GET /\r\n", /* HTTP/0.9 */
        "GET / HTTP/0.9\r\n" HOST "\r\n",
        "GET / HTTP/1\r\n" HOST "\r\n",
        "GET / http/1.1\r\n" HOST "\r\n",
        "GET / HTTP/1.1 \r\n" HOST "\r\n",
        "GET  / HTTP/1.1\r\n" HOST "\r\n",
        "GET\t/ HTTP/1.1\r\n" HOST "\r\n",
        "GET /a b HTTP/1.1\r\n" HOST "\r\n",
        "GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n",
        "GET mcp HTTP/1.1\r\n" HOST "\r\n",
        " GET / HTTP/1.1\r\n" HOST "\r\n",
        "G(T / HTTP/1.1\r\n" HOST "\r\n",
        "\x16\x03\x01\x02",       /* TLS */
        "GET / HTTP/1.1\r\n\r\n", /* no Host */
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST HOST "\r\n", /* two */
        "GET / HTTP/1.1\r\n" HOST "host: b\r\n\r\n",
    };

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        check(heads[i], "400");
    }
    check("GET / HTTP/2.0\r\n", "505");
}

static void a_nul_is_refused(void)
{
    static const char bytes[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";

    check_limited(bytes, sizeof(bytes) - 1, UINT64_MAX, "400");
}

static void unclear_framing_is_refused(void)
{
#define POST "POST / HTTP/1.1\r\n" HOST
    check(POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
          "400");
    check(POST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
          "400");
    check(POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", "400");
    check(POST "Content-Length: 3, 3\r\n\r\n", "400");
    check(POST "Content-Length: +3\r\n\r\n", "400");
    check(POST "Content-Length: -1\r\n\r\n", "400");
    check(POST "Content-Length: 0x3\r\n\r\n", "400");
    check(POST "Content-Length:\r\n\r\n", "400");
    check(POST "Content-Length: 1000000000000000000\r\n\r\n", "400");
    check(POST "Transfer-Encoding: chunked\r\n"
               "Transfer-Encoding: chunked\r\n\r\n",
          "400");
    check(POST "Transfer-Encoding: gzip, chunked\r\n\r\n", "501");
    check(POST "Transfer-Encoding: identity\r\n\r\n", "501");
    check("POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
          "400");
#undef POST
}

static void malformed_chunks_are_refused(void)
{
    static const char *const bodies[] = {
        "3\nabc\r\n0\r\n\r\n",
        "3\r\nabcd\r\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n",
        "3\r\nabc\n0\r\n\r\n",
        "x\r\n",
        "\r\n",
        "-1\r\n",
        " 3\r\nabc\r\n",
        "3 \r\nabc\r\n",
        "1000000000000000\r\n",
        "3\rXabc\r\n0\r\n\r\n",
        "0\r\n\n",
        "0\r\nX Y: 1\r\n\r\n",
        "0\r\nX: 1\n\r\n",
        "0\r\nX: 1\r\n Y: 1\r\n\r\n",
        "3;\x01\r\nabc\r\n0\r\n\r\n",
    };

    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char bytes[256];
        char *told;

        snprintf(bytes, sizeof(bytes),
                 "POST / HTTP/1.1\r\n" HOST
                 "Transfer-Encoding: chunked\r\n\r\n%s",
                 bodies[i]);
        told = tell(bytes, strlen(bytes), 1, UINT64_MAX);
        if (!CHECK(strlen(told) > 3 &&
                   strcmp(told + strlen(told) - 3, "400") == 0)) {
            printf("# body %zu: %s\n", i, told);
        }
        free(told);
    }
}

/* A head of exactly `size` bytes. */
static char *head_of(size_t size)
{
    static const char start[] = "GET / HTTP/1.1\r\n" HOST "X: ";
    char *head = malloc(size + 1);

    memset(head, 'x', size);
    memcpy(head, start, sizeof(start) - 1);
    memcpy(head + size - 4, "\r\n\r\n", 5);
    return head;
}

static void a_head_over_16_kib_is_refused(void)
{
    char *fits = head_of(16384);
    char *large = head_of(16385);

    check(fits, "GET / [] end; ");
    check(large, "431");
    free(fits);
    free(large);
}

static void an_endless_line_is_refused(void)
{
    char *line = head_of(20000);

    line[16390] = '\0';
    check(line, "431");
    memset(line, 'A', 16390);
    check(line, "431");
    free(line);
}

static void trailers_over_16_kib_are_refused(void)
{
    struct jz__buf bytes = JZ__BUF_INIT;

    jz__buf_puts(&bytes, "POST / HTTP/1.1\r\n" HOST
                         "Transfer-Encoding: chunked\r\n\r\n0\r\n");
    for (int i = 0; i < 2000; i++) {
        jz__buf_puts(&bytes, "X: 12345\r\n");
    }
    check(bytes.data, "POST / [431");
    jz__buf_finish(&bytes);
}

static void a_body_over_its_limit_is_refused(void)
{
    static const char sized[] =
        "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\n\r\nabcd";
    static const char chunked[] =
        "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";

    check_limited(sized, sizeof(sized) - 1, 4, "POST / [abcd] end; ");
    check_limited(sized, sizeof(sized) - 1, 3, "POST / [413");
    check_limited(chunked, sizeof(chunked) - 1, 4, "POST / [abcd] end; ");
    check_limited(chunked, sizeof(chunked) - 1, 3, "POST / [abc413");
}

static void nothing_is_read_behind_a_fault(void)
{
    check("GET /\r\nGET / HTTP/1.1\r\n" HOST "\r\n", "400");
}

static void headers_are_found_without_case(void)
{
    static const char bytes[] =
        "GET / HTTP/1.1\r\nhOST: a\r\nACCEPT: \t x \t\r\n"
        "X: 1\r\nx: 2\r\nEmpty:\r\n\r\n";
    const char *data = bytes;
    size_t length = sizeof(bytes) - 1;
    struct jz__http *http = jz__http_new();
    const struct jz__http_request *request = jz__http_request(http);
    struct jz__http_step step;
    struct jz__str value;

    CHECK(!jz__http_is_inside(http));
    CHECK_INT(jz__http_read(&step, http, &data, &length), JZ__HTTP_REQUEST);
    CHECK(jz__http_is_inside(http));
    CHECK(jz__http_header(&value, request, "accept"));
    CHECK(jz__str_is(value, "x"));
    CHECK(!jz__http_header(&value, request, "x"));
    CHECK_INT(value.length, 0);
    CHECK_INT(jz__http_header_count(request, "X"), 2);
    CHECK(jz__http_header(&value, request, "empty"));
    CHECK(!jz__http_header(&value, request, "cookie"));
    CHECK(jz__str_is(request->host, "a"));
    CHECK_INT(jz__http_read(&step, http, &data, &length), JZ__HTTP_END);
    CHECK(!jz__http_is_inside(http));
    jz__http_free(http);
}

static void an_answer_has_date_type_and_length(void)
{
    struct jz__answer answer = { .status = 405,
                                 .content_type = "application/json",
                                 .extra = "Allow: POST\r\n",
                                 .content_length = 12,
                                 .date = 784111777 };
    struct jz__buf out = JZ__BUF_INIT;

    jz__answer_put_head(&out, &answer);
    CHECK_STR(out.data, "HTTP/1.1 405 Method Not Allowed\r\n"
                        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                        "Content-Type: application/json\r\n"
                        "Content-Length: 12\r\nAllow: POST\r\n"
                        "Connection: close\r\n\r\n");
    jz__buf_clear(&out);
    answer = (struct jz__answer){ .status = 204, .keep_alive = true };
    answer.is_http10 = true;
    jz__answer_put_head(&out, &answer);
    CHECK_STR(out.data, "HTTP/1.1 204 No Content\r\n"
                        "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                        "Connection: keep-alive\r\n\r\n");
    jz__buf_finish(&out);
}

int main(void)
{
    TAP_RUN(a_get_has_no_body);
    TAP_RUN(a_body_with_a_length_is_given);
    TAP_RUN(a_chunked_body_is_joined);
    TAP_RUN(pipelined_requests_come_in_order);
    TAP_RUN(http10_closes_unless_asked_to_keep_alive);
    TAP_RUN(upgrade_to_h2c_is_ignored);
    TAP_RUN(an_unknown_method_is_a_request);
    TAP_RUN(an_absolute_target_must_name_the_host);
    TAP_RUN(expect_continue_counts_with_a_body_alone);
    TAP_RUN(malformed_heads_are_refused);
    TAP_RUN(a_nul_is_refused);
    TAP_RUN(unclear_framing_is_refused);
    TAP_RUN(malformed_chunks_are_refused);
    TAP_RUN(a_head_over_16_kib_is_refused);
    TAP_RUN(an_endless_line_is_refused);
    TAP_RUN(trailers_over_16_kib_are_refused);
    TAP_RUN(a_body_over_its_limit_is_refused);
    TAP_RUN(nothing_is_read_behind_a_fault);
    TAP_RUN(headers_are_found_without_case);
    TAP_RUN(an_answer_has_date_type_and_length);
    return tap_done();
}
