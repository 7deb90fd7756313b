/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server answers with one JSON value, or with a stream of events of which one
 * is the answer. In a stream other messages may come first (progress, a log
 * line); they go out as they come. The answer waits in .lines, because the
 * caller may have to look at it before the agent does. Nothing is expected
 * behind it, and a server that keeps the stream open is not waited for.
 */
#include "bridge_post.h"

#include <assert.h>

#include "base/mem.h"
#include "bridge_reply.h"

#define HEADERS                                                                \
    "Content-Type: application/json\r\n"                                       \
    "Accept: application/json, text/event-stream\r\n"

/* Which of the two a body is, from its head. */
static bool is_event_stream(const struct jz__fetch_answer *answer)
{
    struct jz__str type;

    return answer->status == 200 &&
           jz__fetch_header(&type, answer, "Content-Type") &&
           jz__str_starts_nocase(type, "text/event-stream");
}

/* One event's data: 1 if it is the answer. What is no JSON-RPC is passed over,
 * as are keep-alive comments. */
static int take_event(struct bridge_post *post, struct jz__str data)
{
    size_t start = post->lines.length;

    switch (bridge_reply_put(&post->lines, data, post->id)) {
    case BRIDGE_REPLY_ANSWER:
        post->is_answered = true;
        return post->id.length > 0;
    case BRIDGE_REPLY_OTHER:
        if (post->out != NULL && post->lines.error == 0) {
            bridge_out_write(post->out, post->lines.data + start,
                             post->lines.length - start);
            post->has_written = true;
        }
        if (post->lines.error == 0) {
            jz__buf_truncate(&post->lines, start);
        }
        return 0;
    case BRIDGE_REPLY_NONE:
        break;
    }
    return 0;
}

/* Events end anywhere in a piece, and several may be in one. */
static int take_stream(struct bridge_post *post, struct jz__str piece)
{
    int r = 0;

    if (post->is_silent) {
        return 1;
    }
    while (r == 0) {
        struct jz__str data;

        switch (jz__sse_read(&data, &post->sse, &piece.data, &piece.length)) {
        case JZ__SSE_MORE:
            return post->lines.error;
        case JZ__SSE_DATA:
            r = take_event(post, data);
            break;
        case JZ__SSE_TOO_LARGE:
            return JZ_EINVAL;
        case JZ__SSE_NO_MEMORY:
            return JZ_ENOMEM;
        }
    }
    return r;
}

/* The head is there with the first piece, and says which of the two it is. */
static int take_piece(void *userdata, const struct jz__fetch_answer *answer,
                      struct jz__str piece)
{
    struct bridge_post *post = userdata;

    post->is_stream = is_event_stream(answer);
    if (post->is_stream) {
        return take_stream(post, piece);
    }
    if (piece.length > BRIDGE_POST_ANSWER_MOST - post->body.length) {
        return JZ_EINVAL;
    }
    jz__buf_append(&post->body, piece.data, piece.length);
    return post->body.error;
}

/* A body that is one request or notification answers nothing. */
static void take_body(struct bridge_post *post)
{
    struct jz__str body = { post->body.data, post->body.length };

    if (bridge_reply_put(&post->lines, body, post->id) == BRIDGE_REPLY_ANSWER) {
        post->is_answered = true;
    } else if (post->lines.error == 0) {
        jz__buf_clear(&post->lines);
    }
}

int bridge_post_send(struct bridge_post *post, struct remote *remote,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf headers = JZ__BUF_INIT;
    struct jz__fetch_request request = {
        .method = "POST",
        .path = post->path,
        .body = post->text,
        .write = take_piece,
        .write_data = post,
        .deadline_ms = post->deadline_ms,
        .cancel_fd = post->cancel_fd,
        /* Every tool of Jezero reads: asking once more does no harm. */
        .may_repeat = true,
    };
    int r;

    assert(post->body.data == NULL && post->lines.data == NULL);

    post->sse.most = BRIDGE_POST_ANSWER_MOST;
    jz__buf_puts(&headers, HEADERS);
    jz__buf_append(&headers, post->headers.data, post->headers.length);
    if (headers.error != 0) {
        return jz__fail_memory(error);
    }
    request.headers = headers.data;
    r = remote_send(&post->answer, remote, &request, error);
    if (r == JZ_EINVAL) {
        return jz__fail(error, JZ_EIO, "the answer is over %zu MiB",
                        BRIDGE_POST_ANSWER_MOST / 1048576);
    }
    if (r == 0 && !post->is_silent && !post->is_stream) {
        take_body(post);
    }
    return r == 0 && post->lines.error != 0 ? jz__fail_memory(error) : r;
}

void bridge_post_finish(struct bridge_post *post)
{
    jz__fetch_answer_finish(&post->answer);
    jz__buf_finish(&post->body);
    jz__buf_finish(&post->lines);
    jz__sse_finish(&post->sse);
}
