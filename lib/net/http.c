/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request is read in two layers. The outer one, here and in head.c and
 * chunk.c, is strict: it gathers the head up to its empty line, checks each
 * byte of it and of a body's framing, and knows where the request ends. The
 * inner one is the system's parser (http-parser on Debian 12, its successor
 * llhttp elsewhere), which gets only what passed, exactly one request at a
 * time, and gives the body's bytes and whether the connection may be kept. If
 * the two disagree about a request, it is refused.
 *
 * The parser is told "POST /" whatever the method and target are: framing does
 * not depend on them, methods it does not know get an answer like any other,
 * and it has no exceptions for CONNECT. An Upgrade header changes nothing.
 *
 * Slices of the head are taken when it is complete and its buffer no longer
 * moves; the request line is looked at before that only to refuse it early.
 */
#include "net/http.h"

#include <assert.h>
#include <string.h>
#if JZ_HAVE_LLHTTP
#include <llhttp.h>
#else
#include <http_parser.h>
#endif

#include "base/mem.h"
#include "net/chunk.h"
#include "net/head.h"

enum phase {
    PHASE_START, /* between two requests */
    PHASE_HEAD,
    PHASE_BODY,
    PHASE_END, /* complete, JZ__HTTP_END is still to be told */
    PHASE_DEAD
};

#if JZ_HAVE_LLHTTP
typedef llhttp_t parser_type;
typedef llhttp_settings_t parser_settings;
#else
typedef http_parser parser_type;
typedef http_parser_settings parser_settings;
#endif

struct jz__http {
    parser_type parser;
    enum phase phase;
    struct jz__buf head;
    size_t line_start; /* of the line in head that is not complete yet */
    struct jz__http_header *headers;
    size_t header_capacity;
    struct jz__http_request request;
    struct jz__chunk chunk;
    uint64_t length_left; /* of a body with Content-Length */
    uint64_t body_length; /* so far */
    uint64_t body_most;

    /* What the parser told during the last call. */
    struct jz__str piece;
    bool saw_head;
    bool saw_end;
};

/* --- the parser of the system --- */

/* The one moment at which both parsers can tell whether the connection may be
 * kept. Without `upgrade` they read on as if the header were not there. */
static int on_head(parser_type *parser)
{
    struct jz__http *http = parser->data;

    http->saw_head = true;
#if JZ_HAVE_LLHTTP
    http->request.keep_alive = llhttp_should_keep_alive(parser) != 0;
#else
    http->request.keep_alive = http_should_keep_alive(parser) != 0;
#endif
    parser->upgrade = 0;
    return 0;
}

static int on_body(parser_type *parser, const char *data, size_t length)
{
    struct jz__http *http = parser->data;

    http->piece = (struct jz__str){ data, length };
    return 0;
}

static int on_end(parser_type *parser)
{
    struct jz__http *http = parser->data;

    http->saw_end = true;
    return 0;
}

#if JZ_HAVE_LLHTTP
/* llhttp keeps a pointer to its settings, so they are one for all. */
static const llhttp_settings_t settings = { .on_headers_complete = on_head,
                                            .on_body = on_body,
                                            .on_message_complete = on_end };
#else
static const http_parser_settings settings = { .on_headers_complete = on_head,
                                               .on_body = on_body,
                                               .on_message_complete = on_end };
#endif

/* Anew for every request: what one client sent leaves no trace for the next. */
static void parser_start(struct jz__http *http)
{
#if JZ_HAVE_LLHTTP
    llhttp_init(&http->parser, HTTP_REQUEST, &settings);
#else
    http_parser_init(&http->parser, HTTP_REQUEST);
#endif
    http->parser.data = http;
    http->saw_head = false;
    http->saw_end = false;
}

/* All of the bytes, or it is a fault. No bytes would mean the end of input to
 * the parser. */
static bool parser_feed(struct jz__http *http, const char *data, size_t length)
{
    http->piece = (struct jz__str){ data, 0 };
    if (length == 0) {
        return true;
    }
#if JZ_HAVE_LLHTTP
    return llhttp_execute(&http->parser, data, length) == HPE_OK;
#else
    return http_parser_execute(&http->parser, &settings, data, length) ==
               length &&
           HTTP_PARSER_ERRNO(&http->parser) == HPE_OK;
#endif
}

/* --- the strict layer --- */

static enum jz__http_event bad(struct jz__http_step *out, struct jz__http *http,
                               int status, const char *reason)
{
    http->phase = PHASE_DEAD;
    out->status = status;
    out->reason = reason;
    return JZ__HTTP_BAD;
}

/* The buffers keep their memory: the next head is about as long. */
static void start(struct jz__http *http)
{
    jz__buf_clear(&http->head);
    http->line_start = 0;
    http->request = (struct jz__http_request){ 0 };
    http->chunk = (struct jz__chunk){ 0 };
    http->length_left = 0;
    http->body_length = 0;
    http->body_most = UINT64_MAX;
}

/* The whole head is in place, its last line empty. */
static enum jz__http_event finish_head(struct jz__http_step *out,
                                       struct jz__http *http)
{
    struct jz__http_request *request = &http->request;
    struct jz__str rest = { http->head.data, http->head.length };
    struct jz__str line;
    const char *reason = NULL;
    size_t count = 0;
    int status;

    (void)jz__str_line(&line, &rest);
    status = jz__head_read_line(request, line, &reason);
    while (status == 0 && jz__str_line(&line, &rest) && line.length > 0) {
        if (jz__mem_grow(&http->headers, &http->header_capacity, count + 1,
                         sizeof(*http->headers)) < 0) {
            return bad(out, http, 503, "out of memory");
        }
        status = jz__head_read_header(&http->headers[count++], line, &reason);
    }
    request->headers = http->headers;
    request->header_count = count;
    if (status == 0) {
        status = jz__head_check(request, &reason);
    }
    return status == 0 ? JZ__HTTP_REQUEST : bad(out, http, status, reason);
}

/* Hand the checked head on, with a request line that the parser knows. */
static enum jz__http_event begin_body(struct jz__http_step *out,
                                      struct jz__http *http)
{
    const struct jz__http_request *request = &http->request;
    const char *fields = memchr(http->head.data, '\n', http->head.length);
    const char *line =
        request->minor == 0 ? "POST / HTTP/1.0\r\n" : "POST / HTTP/1.1\r\n";
    bool has_body = request->is_chunked || request->content_length > 0;
    size_t length;

    assert(fields != NULL);
    fields++;
    length = http->head.length - (size_t)(fields - http->head.data);
    parser_start(http);
    if (!parser_feed(http, line, strlen(line)) ||
        !parser_feed(http, fields, length) || !http->saw_head ||
        http->saw_end == has_body) {
        return bad(out, http, 400, "the request is not valid");
    }
    http->length_left = request->content_length;
    http->phase = has_body ? PHASE_BODY : PHASE_END;
    return JZ__HTTP_REQUEST;
}

/* A line has come to its end: is it one, and is it the first or the last? */
static enum jz__http_event take_line(struct jz__http_step *out,
                                     struct jz__http *http)
{
    struct jz__str line = { http->head.data + http->line_start,
                            http->head.length - http->line_start };
    bool is_first = http->line_start == 0;
    const char *reason = NULL;
    enum jz__http_event event;
    int status;

    if (line.length < 2 || line.data[line.length - 2] != '\r') {
        return bad(out, http, 400, "a line ends without CR");
    }
    line.length -= 2;
    if (is_first && line.length == 0) {
        /* An empty line before a request is passed over: some clients send
         * one behind a body. */
        start(http);
        http->phase = PHASE_START;
        return JZ__HTTP_MORE;
    }
    http->line_start = http->head.length;
    if (is_first) {
        /* At once, because a client of HTTP/0.9 sends nothing more. */
        status = jz__head_read_line(&http->request, line, &reason);
        return status == 0 ? JZ__HTTP_MORE : bad(out, http, status, reason);
    }
    if (line.length > 0) {
        return JZ__HTTP_MORE;
    }
    event = finish_head(out, http);
    return event == JZ__HTTP_REQUEST ? begin_body(out, http) : event;
}

/* Line by line, so that a fault is seen as early as it can be. */
static enum jz__http_event read_head(struct jz__http_step *out,
                                     struct jz__http *http, const char **data,
                                     size_t *length)
{
    enum jz__http_event event = JZ__HTTP_MORE;

    while (event == JZ__HTTP_MORE && *length > 0) {
        const char *end = memchr(*data, '\n', *length);
        size_t run = end != NULL ? (size_t)(end - *data) + 1 : *length;

        /* What cannot begin a request (a TLS greeting, say) will not be
         * followed by a line end that one could wait for. */
        if (http->head.length == 0 && **data != '\r' &&
            !jz__head_is_token(**data)) {
            return bad(out, http, 400, "no HTTP/1.1 request line");
        }
        if (run > JZ__HTTP_HEAD_MOST - http->head.length) {
            return bad(out, http, 431, "request headers over 16 KiB");
        }
        http->phase = PHASE_HEAD;
        jz__buf_append(&http->head, *data, run);
        if (http->head.error != 0) {
            return bad(out, http, 503, "out of memory");
        }
        *data += run;
        *length -= run;
        if (end != NULL) {
            event = take_line(out, http);
        }
    }
    return event;
}

/* How many of the bytes the parser may see in one go; at most one run of data
 * lies in them. 0 is no fault when there are none. */
static int next_run(size_t *run, bool *is_last, struct jz__http *http,
                    const char *data, size_t length)
{
    *run = length;
    if (!http->request.is_chunked) {
        *run = length > http->length_left ? (size_t)http->length_left : length;
        http->length_left -= *run;
        *is_last = http->length_left == 0;
        return 0;
    }
    switch (jz__chunk_read(run, &http->chunk, data, length)) {
    case JZ__CHUNK_WRONG:
        return 400;
    case JZ__CHUNK_TOO_LARGE:
        return 431;
    default:
        *is_last = http->chunk.state == JZ__CHUNK_END;
        return 0;
    }
}

/* One piece at a time: the caller may want to stop behind it. */
static enum jz__http_event read_body(struct jz__http_step *out,
                                     struct jz__http *http, const char **data,
                                     size_t *length)
{
    bool is_last = false;
    size_t run;
    int status;

    /* Before a byte is used: the limit was set behind the head. */
    if (http->request.content_length > http->body_most) {
        return bad(out, http, 413, "the request body is too large");
    }
    while (*length > 0 && !is_last) {
        status = next_run(&run, &is_last, http, *data, *length);
        if (status != 0) {
            return bad(out, http, status, "the chunked body is not valid");
        }
        if (!parser_feed(http, *data, run) || http->saw_end != is_last) {
            return bad(out, http, 400, "the request body is not valid");
        }
        *data += run;
        *length -= run;
        http->phase = is_last ? PHASE_END : PHASE_BODY;
        if (http->piece.length > 0) {
            http->body_length += http->piece.length;
            if (http->body_length > http->body_most) {
                return bad(out, http, 413, "the request body is too large");
            }
            out->data = http->piece;
            return JZ__HTTP_BODY;
        }
    }
    return JZ__HTTP_MORE;
}

/* --- for callers --- */

struct jz__http *jz__http_new(void)
{
    struct jz__http *http = calloc(1, sizeof(*http));

    if (http != NULL) {
        start(http);
    }
    return http;
}

void jz__http_free(struct jz__http *http)
{
    if (http != NULL) {
        jz__buf_finish(&http->head);
        free(http->headers);
        free(http);
    }
}

enum jz__http_event jz__http_read(struct jz__http_step *out,
                                  struct jz__http *http, const char **data,
                                  size_t *length)
{
    enum jz__http_event event = JZ__HTTP_MORE;

    *out = (struct jz__http_step){ .data = { *data, 0 } };
    if (http->phase == PHASE_DEAD) {
        *length = 0;
        return JZ__HTTP_MORE;
    }
    if (http->phase == PHASE_BODY) {
        event = read_body(out, http, data, length);
        if (event != JZ__HTTP_MORE) {
            return event;
        }
    }
    if (http->phase == PHASE_END) {
        http->phase = PHASE_START;
        return JZ__HTTP_END;
    }
    if (http->phase == PHASE_BODY || *length == 0) {
        return JZ__HTTP_MORE;
    }
    if (http->phase == PHASE_START) {
        start(http);
    }
    return read_head(out, http, data, length);
}

const struct jz__http_request *jz__http_request(const struct jz__http *http)
{
    return &http->request;
}

bool jz__http_is_inside(const struct jz__http *http)
{
    return http->phase == PHASE_HEAD || http->phase == PHASE_BODY ||
           http->phase == PHASE_END;
}

void jz__http_limit_body(struct jz__http *http, uint64_t most)
{
    http->body_most = most;
}

size_t jz__http_header_count(const struct jz__http_request *request,
                             const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < request->header_count; i++) {
        count += jz__str_is_nocase(request->headers[i].name, name);
    }
    return count;
}

bool jz__http_header(struct jz__str *out,
                     const struct jz__http_request *request, const char *name)
{
    size_t count = 0;

    *out = JZ__STR("");
    for (size_t i = 0; i < request->header_count; i++) {
        if (jz__str_is_nocase(request->headers[i].name, name)) {
            *out = request->headers[i].value;
            count++;
        }
    }
    if (count != 1) {
        *out = JZ__STR("");
    }
    return count == 1;
}
