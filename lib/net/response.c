/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As strict as the reading of requests, for the same reason: a proxy between the
 * two programs, or a server that is none, must not be understood in another way
 * than it meant. An answer has one length, one coding or neither; lines end with
 * CRLF; names and values hold what they may hold. What does not begin like HTTP
 * is told from its first bytes on, without waiting for a line end that may never
 * come.
 *
 * Answers 1xx are passed over, their heads counted in the same limit. 101 would
 * mean another protocol, which nobody asked for.
 */
#include "net/response.h"

#include <assert.h>
#include <string.h>

#include "net/head.h"

/* More digits than this could overflow; it is 1 EB. */
#define LENGTH_DIGITS_MOST 18

static enum jz__response_event bad(struct jz__response *response,
                                   const char *reason)
{
    response->phase = JZ__RESPONSE_AT_NOTHING;
    response->keep_alive = false;
    response->reason = reason;
    return JZ__RESPONSE_BAD;
}

static enum jz__response_event bad_memory(struct jz__response *response)
{
    response->is_out_of_memory = true;
    return bad(response, "out of memory");
}

/* --- lines of a head: NULL, or a phrase --- */

/* "HTTP/1.1 200 Any reason"; servers that leave the reason out leave out the
 * blank before it as well. */
static const char *read_status_line(struct jz__response *response,
                                    struct jz__str line)
{
    const char *at = line.data;
    int status = 0;

    if (line.length < 12 || !jz__str_starts(line, "HTTP/1.") ||
        (at[7] != '0' && at[7] != '1') || at[8] != ' ' ||
        (line.length > 12 && at[12] != ' ')) {
        return "it is not HTTP/1.1";
    }
    for (size_t i = 9; i < 12; i++) {
        if (at[i] < '0' || at[i] > '9') {
            return "its status is not valid";
        }
        status = status * 10 + (at[i] - '0');
    }
    for (size_t i = 12; i < line.length; i++) {
        if (!jz__head_is_text(at[i])) {
            return "its status line is not valid";
        }
    }
    response->minor = at[7] - '0';
    response->status = status;
    return status >= 100 && status <= 599 ? NULL : "its status is not valid";
}

/* Digits alone: "+5", "5, 5" and "0x5" are read differently elsewhere. */
static const char *read_length(struct jz__response *response,
                               struct jz__str value)
{
    uint64_t length = 0;

    if (value.length == 0 || value.length > LENGTH_DIGITS_MOST) {
        return "its Content-Length is not valid";
    }
    for (size_t i = 0; i < value.length; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            return "its Content-Length is not valid";
        }
        length = length * 10 + (uint64_t)(value.data[i] - '0');
    }
    response->length = length;
    response->length_count++;
    return NULL;
}

/* A list of words; others than these two mean nothing to us. */
static void read_connection(struct jz__response *response, struct jz__str value)
{
    while (value.length > 0) {
        const char *comma = memchr(value.data, ',', value.length);
        size_t length =
            comma != NULL ? (size_t)(comma - value.data) : value.length;
        struct jz__str word =
            jz__str_trim((struct jz__str){ value.data, length });
        size_t used = length + (comma != NULL);

        response->says_close |= jz__str_is_nocase(word, "close");
        response->says_keep |= jz__str_is_nocase(word, "keep-alive");
        value.data += used;
        value.length -= used;
    }
}

static const char *read_header(struct jz__response *response,
                               struct jz__str line)
{
    struct jz__http_header header;
    const char *reason = NULL;

    if (jz__head_read_header(&header, line, &reason) != 0) {
        return "one of its headers is not valid";
    }
    if (jz__str_is_nocase(header.name, "content-length")) {
        reason = read_length(response, header.value);
    } else if (jz__str_is_nocase(header.name, "transfer-encoding")) {
        response->coding_count++;
        response->is_coding_known = jz__str_is_nocase(header.value, "chunked");
    } else if (jz__str_is_nocase(header.name, "connection")) {
        read_connection(response, header.value);
    }
    jz__buf_append(&response->head, line.data, line.length);
    jz__buf_puts(&response->head, "\r\n");
    return reason;
}

static const char *check_framing(const struct jz__response *response)
{
    if (response->length_count > 1 || response->coding_count > 1) {
        return "a framing header is repeated";
    }
    if (response->length_count > 0 && response->coding_count > 0) {
        return "it has both Content-Length and Transfer-Encoding";
    }
    if (response->coding_count > 0 &&
        (!response->is_coding_known || response->minor == 0)) {
        return "its Transfer-Encoding is not supported";
    }
    return NULL;
}

/* --- the head as a whole --- */

/* Forget an answer 1xx, but not how long it was. */
static void start_again(struct jz__response *response)
{
    jz__buf_clear(&response->head);
    response->status = 0;
    response->minor = -1;
    response->length = 0;
    response->length_count = 0;
    response->coding_count = 0;
    response->says_close = false;
    response->says_keep = false;
}

/* Where the body ends. */
static void begin_body(struct jz__response *response)
{
    bool has_none = response->is_bodiless || response->status == 204 ||
                    response->status == 304;

    response->keep_alive =
        !response->says_close && (response->minor > 0 || response->says_keep);
    if (has_none) {
        response->length = 0;
        response->has_length = true;
        response->phase = JZ__RESPONSE_AT_END;
    } else if (response->coding_count > 0) {
        response->phase = JZ__RESPONSE_AT_CHUNKS;
    } else if (response->length_count > 0) {
        response->has_length = true;
        response->left = response->length;
        response->phase =
            response->left > 0 ? JZ__RESPONSE_AT_BODY : JZ__RESPONSE_AT_END;
    } else {
        response->keep_alive = false;
        response->phase = JZ__RESPONSE_AT_REST;
    }
}

static enum jz__response_event finish_head(struct jz__response *response)
{
    const char *reason = check_framing(response);

    if (reason != NULL) {
        return bad(response, reason);
    }
    if (response->status == 101) {
        return bad(response, "it changes to another protocol");
    }
    if (response->status < 200) {
        start_again(response);
        return JZ__RESPONSE_MORE;
    }
    begin_body(response);
    return JZ__RESPONSE_HEAD;
}

/* A line has come to its end. */
static enum jz__response_event take_line(struct jz__response *response)
{
    struct jz__str line = { response->line.data, response->line.length };
    const char *reason;

    if (line.length < 2 || line.data[line.length - 2] != '\r') {
        return bad(response, "a line ends without CR");
    }
    line.length -= 2;
    if (response->minor < 0) {
        reason = read_status_line(response, line);
    } else if (line.length == 0) {
        jz__buf_clear(&response->line);
        return finish_head(response);
    } else {
        reason = read_header(response, line);
    }
    jz__buf_clear(&response->line);
    if (response->head.error != 0) {
        return bad_memory(response);
    }
    return reason == NULL ? JZ__RESPONSE_MORE : bad(response, reason);
}

/* Can these be the first bytes of a status line? */
static bool is_http_so_far(const struct jz__buf *line)
{
    static const char start[] = "HTTP/1.";
    size_t length =
        line->length < sizeof(start) - 1 ? line->length : sizeof(start) - 1;

    return memcmp(line->data, start, length) == 0;
}

static enum jz__response_event read_head(struct jz__response *response,
                                         const char **data, size_t *length)
{
    enum jz__response_event event = JZ__RESPONSE_MORE;

    while (event == JZ__RESPONSE_MORE && *length > 0) {
        const char *end = memchr(*data, '\n', *length);
        size_t run = end != NULL ? (size_t)(end - *data) + 1 : *length;

        if (run > JZ__RESPONSE_HEAD_MOST - response->head_length) {
            return bad(response, "its headers are over 64 KiB");
        }
        response->head_length += run;
        jz__buf_append(&response->line, *data, run);
        if (response->line.error != 0) {
            return bad_memory(response);
        }
        if (response->minor < 0 && !is_http_so_far(&response->line)) {
            return bad(response, "it is not HTTP/1.1");
        }
        *data += run;
        *length -= run;
        if (end != NULL) {
            event = take_line(response);
        }
    }
    return event;
}

/* --- the body --- */

static enum jz__response_event give(struct jz__str *piece, const char **data,
                                    size_t *length, size_t run)
{
    *piece = (struct jz__str){ *data, run };
    *data += run;
    *length -= run;
    return JZ__RESPONSE_BODY;
}

static enum jz__response_event read_body(struct jz__str *piece,
                                         struct jz__response *response,
                                         const char **data, size_t *length)
{
    size_t run = *length > response->left ? (size_t)response->left : *length;

    if (run == 0) {
        return JZ__RESPONSE_MORE;
    }
    response->left -= run;
    if (response->left == 0) {
        response->phase = JZ__RESPONSE_AT_END;
    }
    return give(piece, data, length, run);
}

/* Framing is given to the chunk reader byte by byte: where data begins within
 * what it has used it does not tell. */
static enum jz__response_event read_chunks(struct jz__str *piece,
                                           struct jz__response *response,
                                           const char **data, size_t *length)
{
    struct jz__chunk *chunk = &response->chunk;

    while (*length > 0 && chunk->state != JZ__CHUNK_END) {
        bool is_data = chunk->state == JZ__CHUNK_DATA;
        size_t used = 0;

        if (jz__chunk_read(&used, chunk, *data, is_data ? *length : 1) !=
            JZ__CHUNK_FINE) {
            return bad(response, "its chunks are not valid");
        }
        if (is_data) {
            return give(piece, data, length, used);
        }
        *data += used;
        *length -= used;
    }
    if (chunk->state == JZ__CHUNK_END) {
        response->phase = JZ__RESPONSE_AT_END;
    }
    return JZ__RESPONSE_MORE;
}

/* --- for callers --- */

void jz__response_init(struct jz__response *response, bool is_bodiless)
{
    assert(response != NULL);

    *response =
        (struct jz__response){ .minor = -1, .is_bodiless = is_bodiless };
}

void jz__response_finish(struct jz__response *response)
{
    jz__buf_finish(&response->head);
    jz__buf_finish(&response->line);
}

enum jz__response_event jz__response_read(struct jz__str *piece,
                                          struct jz__response *response,
                                          const char **data, size_t *length)
{
    enum jz__response_event event = JZ__RESPONSE_MORE;

    *piece = (struct jz__str){ *data, 0 };
    if (response->phase == JZ__RESPONSE_AT_CHUNKS) {
        event = read_chunks(piece, response, data, length);
    } else if (response->phase == JZ__RESPONSE_AT_BODY) {
        event = read_body(piece, response, data, length);
    } else if (response->phase == JZ__RESPONSE_AT_REST && *length > 0) {
        event = give(piece, data, length, *length);
    } else if (response->phase == JZ__RESPONSE_AT_HEAD) {
        return read_head(response, data, length);
    }
    if (event == JZ__RESPONSE_MORE && response->phase == JZ__RESPONSE_AT_END) {
        response->phase = JZ__RESPONSE_AT_NOTHING;
        return JZ__RESPONSE_END;
    }
    return event;
}

enum jz__response_event jz__response_close(struct jz__response *response)
{
    switch (response->phase) {
    case JZ__RESPONSE_AT_REST:
    case JZ__RESPONSE_AT_END:
        response->phase = JZ__RESPONSE_AT_NOTHING;
        return JZ__RESPONSE_END;
    case JZ__RESPONSE_AT_NOTHING:
        return response->reason == NULL ? JZ__RESPONSE_END : JZ__RESPONSE_BAD;
    default:
        return bad(response, "the connection was closed before its end");
    }
}

bool jz__response_has_begun(const struct jz__response *response)
{
    return response->head_length > 0;
}
