/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body is produced piece by piece as the connection takes it, and the answer
 * is read beside that. An answer whose head comes before the body was sent ends
 * the sending: the server has decided, and the rest of an upload would only be
 * thrown away. Such a connection is used for nothing more, since the server
 * still waits for the rest.
 */
#include "net/exchange.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "net/phrase.h"
#include "net/response.h"

/* What is queued at once: enough to keep the network busy, little enough for a
 * body of any size. */
#define PIECE_SIZE 65536

struct run {
    struct jz__exchange *exchange;
    struct jz__fetch_answer *answer;
    struct jz__error *error;
    struct jz__response response;
    struct jz__buf piece; /* what the caller's read gave */
    size_t body_sent;
    bool is_body_sent;
    bool has_head;
    bool is_over;
    bool is_cut; /* by the caller, who has what it wants */
};

static void run_finish(struct run *run)
{
    jz__response_finish(&run->response);
    jz__buf_finish(&run->piece);
}

/* --- the request --- */

static int put(struct run *run, struct jz__str bytes)
{
    return jz__stream_put(run->exchange->stream, bytes, run->error);
}

/* A piece of the caller's as a chunk; none is the end, which is a chunk too. */
static int send_chunk(struct run *run)
{
    const struct jz__fetch_request *request = run->exchange->request;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf chunk = JZ__BUF_INIT;
    int r;

    jz__buf_clear(&run->piece);
    r = request->read(&run->piece, request->read_data, run->error);
    if (r < 0) {
        return r;
    }
    if (run->piece.error != 0) {
        return jz__fail_memory(run->error);
    }
    run->is_body_sent = run->piece.length == 0;
    jz__buf_printf(&chunk, "%zx\r\n", run->piece.length);
    jz__buf_append(&chunk, run->piece.data, run->piece.length);
    jz__buf_puts(&chunk, "\r\n");
    if (chunk.error != 0) {
        return jz__fail_memory(run->error);
    }
    return put(run, (struct jz__str){ chunk.data, chunk.length });
}

static int send_piece(struct run *run)
{
    struct jz__str body = run->exchange->request->body;
    size_t left = body.length - run->body_sent;
    size_t count = left < PIECE_SIZE ? left : PIECE_SIZE;
    size_t start = run->body_sent;

    run->body_sent += count;
    run->is_body_sent = run->body_sent == body.length;
    /* A request without a body has no bytes to point at. */
    return count > 0 ? put(run, (struct jz__str){ body.data + start, count })
                     : 0;
}

/* The next piece, when the last one is on its way and somebody listens. */
static int go_on_sending(struct run *run)
{
    const struct jz__stream *stream = run->exchange->stream;

    if (run->is_body_sent || run->has_head || stream->is_deaf ||
        !jz__stream_is_flushed(stream)) {
        return 0;
    }
    return run->exchange->request->read != NULL ? send_chunk(run)
                                                : send_piece(run);
}

/* --- the answer --- */

static int fail_too_large(struct run *run)
{
    return jz__fail(run->error, JZ_EIO, "the answer of %s is over %zu bytes",
                    run->exchange->place, run->exchange->request->most);
}

static int take_head(struct run *run)
{
    const struct jz__fetch_request *request = run->exchange->request;
    struct jz__response *response = &run->response;

    run->has_head = true;
    run->answer->status = response->status;
    run->answer->head = response->head;
    response->head = (struct jz__buf)JZ__BUF_INIT;
    if (request->write == NULL && response->has_length &&
        response->length > request->most) {
        return fail_too_large(run);
    }
    return 0;
}

static int take_piece(struct run *run, struct jz__str piece)
{
    const struct jz__fetch_request *request = run->exchange->request;
    struct jz__buf *body = &run->answer->body;
    int r;

    if (request->write != NULL) {
        r = request->write(request->write_data, run->answer, piece);
        run->is_cut = r > 0;
        run->is_over = r > 0;
        return r < 0 ? r : 0;
    }
    if (piece.length > request->most - body->length) {
        return fail_too_large(run);
    }
    jz__buf_append(body, piece.data, piece.length);
    return body->error == 0 ? 0 : jz__fail_memory(run->error);
}

static int fail_bad(struct run *run)
{
    if (run->response.is_out_of_memory) {
        return jz__fail_memory(run->error);
    }
    return jz__fail(run->error, JZ_EIO, "the answer of %s is not valid: %s",
                    run->exchange->place, run->response.reason);
}

static int take_event(struct run *run, enum jz__response_event event,
                      struct jz__str piece)
{
    switch (event) {
    case JZ__RESPONSE_HEAD:
        return take_head(run);
    case JZ__RESPONSE_BODY:
        return take_piece(run, piece);
    case JZ__RESPONSE_END:
        run->is_over = true;
        return 0;
    default:
        return fail_bad(run);
    }
}

/* What has come in. Bytes behind the answer stay, and show that the connection
 * cannot be used again. */
static int read_answer(struct run *run)
{
    struct jz__buf *plain = &run->exchange->stream->plain;
    const char *data = plain->data;
    size_t left = plain->length;
    enum jz__response_event event;
    struct jz__str piece;
    int r = 0;

    while (r == 0 && !run->is_over &&
           (event = jz__response_read(&piece, &run->response, &data, &left)) !=
               JZ__RESPONSE_MORE) {
        r = take_event(run, event, piece);
    }
    if (left == 0) {
        jz__buf_clear(plain);
    }
    return r;
}

/* The connection is at its end and the answer, so far, is not. */
static int end_early(struct run *run)
{
    const struct jz__stream *stream = run->exchange->stream;
    const char *place = run->exchange->place;
    char reason[JZ__PHRASE_SIZE];

    if (stream->is_in_order &&
        jz__response_close(&run->response) == JZ__RESPONSE_END) {
        run->is_over = true;
        return 0;
    }
    if (jz__response_has_begun(&run->response)) {
        return jz__fail(run->error, JZ_EIO,
                        "%s closed the connection within its answer", place);
    }
    if (stream->cause != 0) {
        (void)jz__fail(run->error, JZ_EIO,
                       "%s closed the connection without an answer: %s", place,
                       jz__phrase_errno(reason, stream->cause));
    } else {
        (void)jz__fail(run->error, JZ_EIO,
                       "%s closed the connection without an answer", place);
    }
    return JZ__EXCHANGE_STALE;
}

static int fail_late(struct run *run)
{
    char span[JZ__DEADLINE_TEXT_SIZE];
    const char *what = "no answer";

    if (jz__response_has_begun(&run->response)) {
        what = "no whole answer";
    } else if (!run->is_body_sent ||
               !jz__stream_is_flushed(run->exchange->stream)) {
        what = "the request could not be sent";
    }
    return jz__fail(run->error, JZ_EIO, "%s within %s", what,
                    jz__deadline_show(span, run->exchange->deadline));
}

/* --- both --- */

static int run_step(struct run *run)
{
    struct jz__stream *stream = run->exchange->stream;
    int r = go_on_sending(run);

    if (r == 0) {
        r = jz__stream_step(stream, run->exchange->deadline, run->error);
    }
    if (r == JZ__STREAM_LATE) {
        return fail_late(run);
    }
    if (r == 0) {
        r = read_answer(run);
    }
    if (r == 0 && stream->is_ended && !run->is_over) {
        r = end_early(run);
    }
    return r;
}

int jz__exchange_run(struct jz__fetch_answer *out,
                     struct jz__exchange *exchange, struct jz__error *error)
{
    JZ_CLEANUP(run_finish)
    struct run run = { .exchange = exchange, .answer = out, .error = error };
    int r;

    assert(out != NULL && exchange->place != NULL);

    jz__response_init(&run.response,
                      strcmp(exchange->request->method, "HEAD") == 0);
    exchange->is_reusable = false;
    exchange->stream->cancel_fd = exchange->request->cancel_fd;
    r = put(&run, exchange->head);
    while (r == 0 && !run.is_over) {
        r = run_step(&run);
    }
    exchange->stream->cancel_fd = NULL;
    if (r == 0) {
        exchange->is_reusable = run.response.keep_alive && !run.is_cut &&
                                run.is_body_sent &&
                                jz__stream_is_quiet(exchange->stream);
    }
    return r;
}
