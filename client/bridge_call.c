/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message is sent, and what comes back decides what is tried again, each thing
 * once: a connection that failed at once (a server that restarts is back in a
 * moment), the home (the computer may have been set up, or got a new key, since
 * the agent started) and a session that the server has forgotten. Then the agent
 * gets its answer, the one that libjezero knows itself, or an error that says
 * what to do.
 *
 * The home is read once for each thread and again only when something failed:
 * a call that works costs no file.
 */
#include "bridge_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "bridge_post.h"
#include "bridge_reply.h"

/* What failed within QUICK_MS was refused rather than lost, and is tried again
 * after PAUSE_MS. */
#define QUICK_MS 500
#define PAUSE_MS 200

struct call {
    struct bridge_shared *shared;
    struct home home;
    struct remote *remote;   /* NULL: the home is not set up, or refused */
    struct jz__error reason; /* of a home that is refused; "" else */
};

/* What may still be tried. */
struct tries {
    bool connection;
    bool home;
    bool session;
};

/* --- the home --- */

/* What makes a connection: all else in the home may change under one. */
static bool is_same(const struct home *a, const struct home *b)
{
    return a->is_set_up && b->is_set_up && strcmp(a->url, b->url) == 0 &&
           strcmp(a->mcp_path, b->mcp_path) == 0 && strcmp(a->key, b->key) == 0;
}

/* Read the home again. true: there is a server to ask, another than before or
 * with another key. */
static bool refresh(struct call *call)
{
    struct home fresh = { 0 };
    struct jz__error error = { 0 };
    int r;

    (void)pthread_mutex_lock(&call->shared->home_lock);
    r = home_open(&fresh, call->shared->agent, &error);
    if (r == 0 && call->remote != NULL && is_same(&fresh, &call->home)) {
        (void)pthread_mutex_unlock(&call->shared->home_lock);
        home_finish(&fresh);
        return false;
    }
    remote_close(jz__mem_steal(&call->remote));
    home_finish(&call->home);
    call->home = fresh;
    if (r == 0 && fresh.is_set_up) {
        r = remote_open(&call->remote, &call->home, &error);
    }
    call->reason = r < 0 ? error : (struct jz__error){ 0 };
    (void)pthread_mutex_unlock(&call->shared->home_lock);
    return call->remote != NULL;
}

/* One line for each thing that goes wrong, not one for each call that meets
 * it. */
static void log_failure(struct call *call, const char *text)
{
    struct bridge_shared *shared = call->shared;
    char line[sizeof(shared->logged)];
    bool is_new;

    (void)snprintf(line, sizeof(line), "%s", text);
    (void)pthread_mutex_lock(&shared->log_lock);
    is_new = strcmp(line, shared->logged) != 0;
    memcpy(shared->logged, line, sizeof(line));
    (void)pthread_mutex_unlock(&shared->log_lock);
    if (is_new && call->home.path != NULL) {
        home_log(&call->home, "mcp: %s", text);
    }
}

/* --- answers of the bridge's own --- */

/* A request that was cancelled meanwhile gets no answer. */
static void write_lines(struct call *call, const struct bridge_job *job,
                        const struct jz__buf *lines)
{
    if (lines->error == 0 && lines->length > 0 &&
        !atomic_load(&job->is_cancelled)) {
        bridge_out_write(call->shared->out, lines->data, lines->length);
    }
}

/* Out of memory is answered too, without needing any. */
static void fail(struct call *call, const struct bridge_job *job,
                 const struct jz__buf *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf lines = JZ__BUF_INIT;
    const char *shown = text->error == 0 && text->length > 0
                            ? text->data
                            : "Jezero: out of memory";

    if (bridge_reply_put_errors(&lines, &job->message, BRIDGE_REPLY_FAILED,
                                shown) == 0) {
        write_lines(call, job, &lines);
    }
    log_failure(call, shown);
}

/* The server is away: `text` says why, and is logged in any case. */
static void answer_alone(struct call *call, const struct bridge_job *job,
                         const struct jz__buf *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf lines = JZ__BUF_INIT;
    const struct bridge_message *message = &job->message;
    struct jz__error error = { 0 };

    if (!bridge_local_knows(message)) {
        fail(call, job, text);
        return;
    }
    if (bridge_local_put(&lines, &call->shared->local, message, &error) < 0) {
        log_failure(call, error.message);
        fail(call, job, text);
        return;
    }
    if (message->method == BRIDGE_MESSAGE_INITIALIZE) {
        bridge_session_agree(&call->shared->session,
                             (struct jz__str){ lines.data, lines.length },
                             JZ__STR(""));
    }
    write_lines(call, job, &lines);
    log_failure(call, text->error == 0 ? text->data : "out of memory");
}

/* The tools are there all the same, so that the agent can say what to do. */
static void answer_without_home(struct call *call, const struct bridge_job *job)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    bridge_reply_put_no_home(
        &text, call->home.path != NULL ? call->home.path : "",
        call->reason.message[0] != '\0' ? call->reason.message : NULL);
    answer_alone(call, job, &text);
}

/* --- one message --- */

static int64_t deadline_of(const struct bridge_message *message)
{
    bool is_short = bridge_local_knows(message) ||
                    message->method == BRIDGE_MESSAGE_INITIALIZED;

    /* The others wait behind the notification, so it must not take long. */
    return jz__fetch_now_ms() +
           (is_short ? BRIDGE_CALL_LOCAL_MS : BRIDGE_CALL_MS);
}

/* The header lines of a message; *session is the session among them. */
static void put_headers(struct jz__buf *out, char *session, struct call *call,
                        const struct bridge_message *message)
{
    session[0] = '\0';
    if (message->is_modern) {
        jz__buf_append(out, message->headers.data, message->headers.length);
    } else if (message->method != BRIDGE_MESSAGE_INITIALIZE) {
        bridge_session_put_headers(out, session, &call->shared->session);
    }
}

/* From here on messages say the version, and the session if there is one. */
static void agree(struct call *call, const struct bridge_post *post)
{
    struct jz__str id;

    if (!jz__fetch_header(&id, &post->answer, "Mcp-Session-Id")) {
        id = JZ__STR("");
    }
    bridge_session_agree(
        &call->shared->session,
        (struct jz__str){ post->lines.data, post->lines.length }, id);
}

/* A message of the bridge's own: the answer is looked at and goes nowhere. */
static void send_own(struct call *call, struct jz__str text, bool is_initialize,
                     int64_t deadline_ms)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf headers = JZ__BUF_INIT;
    JZ_CLEANUP(bridge_post_finish) struct bridge_post post = { 0 };
    char session[BRIDGE_SESSION_ID_MOST + 1];
    struct jz__error error = { 0 };

    if (!is_initialize) {
        bridge_session_put_headers(&headers, session, &call->shared->session);
    }
    post.path = call->home.mcp_path;
    post.text = text;
    post.id = JZ__STR("");
    post.headers = (struct jz__str){ headers.data, headers.length };
    post.is_silent = !is_initialize;
    post.deadline_ms = deadline_ms;
    if (headers.error == 0 &&
        bridge_post_send(&post, call->remote, &error) == 0 &&
        post.is_answered) {
        agree(call, &post);
    }
}

/* The session is gone: agree on a new one, as the client would, or wait for the
 * thread that does. */
static void renew(struct call *call, const char *session, int64_t deadline_ms)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf initialize = JZ__BUF_INIT;
    struct bridge_session *all = &call->shared->session;
    bool is_initialized = false;

    if (!bridge_session_renew_begin(&initialize, &is_initialized, all,
                                    session)) {
        return;
    }
    send_own(call, (struct jz__str){ initialize.data, initialize.length }, true,
             deadline_ms);
    if (is_initialized) {
        send_own(call,
                 JZ__STR("{\"jsonrpc\":\"2.0\","
                         "\"method\":\"notifications/initialized\"}"),
                 false, deadline_ms);
    }
    bridge_session_renew_end(all);
}

/* A proxy in front of a server that is away says so by one of these. */
static bool is_away(int status)
{
    return status == 502 || status == 503 || status == 504;
}

/* What came is final. */
static void conclude(struct call *call, const struct bridge_job *job,
                     const struct bridge_post *post)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    const struct bridge_message *message = &job->message;
    int status = post->answer.status;

    if (post->is_answered && status != 401 && status != 403) {
        if (message->method == BRIDGE_MESSAGE_INITIALIZE) {
            agree(call, post);
        }
        write_lines(call, job, &post->lines);
        return;
    }
    if (post->is_silent
            ? status < 300
            : status == 202 && message->kind == BRIDGE_MESSAGE_OTHER) {
        return;
    }
    if (post->is_stream) {
        bridge_reply_put_away(&text, call->home.url,
                              "the event stream ended without an answer");
    } else {
        bridge_reply_put_status(
            &text, call->home.url, status,
            (struct jz__str){ post->body.data, post->body.length });
    }
    if (is_away(status)) {
        answer_alone(call, job, &text);
    } else {
        fail(call, job, &text);
    }
}

/* No answer came, or only half of one. */
static void conclude_failed(struct call *call, const struct bridge_job *job,
                            const struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    bridge_reply_put_away(&text, call->home.url, error->message);
    answer_alone(call, job, &text);
}

/* Was the failure one that a moment may mend? Then that moment has passed. */
static bool is_worth_a_pause(int64_t started_ms, int64_t deadline_ms)
{
    const struct timespec pause = { 0, PAUSE_MS * 1000000L };
    int64_t now = jz__fetch_now_ms();

    if (now - started_ms > QUICK_MS || now + PAUSE_MS >= deadline_ms) {
        return false;
    }
    (void)nanosleep(&pause, NULL);
    return true;
}

/* No answer came. true: something is to be tried. */
static bool try_failed(struct call *call, struct tries *tries,
                       const struct bridge_post *post, int64_t started_ms)
{
    /* What went out already would come twice. */
    if (post->has_written) {
        return false;
    }
    if (tries->home) {
        tries->home = false;
        if (refresh(call)) {
            return true;
        }
    }
    if (tries->connection && call->remote != NULL) {
        tries->connection = false;
        return is_worth_a_pause(started_ms, post->deadline_ms);
    }
    return false;
}

/* An answer came. true: another one is to be got. */
static bool try_answered(struct call *call, struct tries *tries,
                         const struct bridge_post *post, const char *session)
{
    int status = post->answer.status;

    if ((status == 401 || status == 403) && tries->home) {
        tries->home = false;
        return refresh(call);
    }
    if (status == 404 && session[0] != '\0' && tries->session) {
        tries->session = false;
        renew(call, session, post->deadline_ms);
        return true;
    }
    return false;
}

/* The bytes are the agent's own; what is said of them besides is in headers. */
static void prepare(struct bridge_post *post, const struct call *call,
                    const struct bridge_job *job, const struct jz__buf *headers)
{
    const struct bridge_message *message = &job->message;

    post->path = call->home.mcp_path;
    post->text = (struct jz__str){ message->text.data, message->text.length };
    post->id =
        message->kind == BRIDGE_MESSAGE_REQUEST ? message->id : JZ__STR("");
    post->headers = (struct jz__str){ headers->data, headers->length };
    post->is_silent = message->kind == BRIDGE_MESSAGE_NOTIFICATION ||
                      message->kind == BRIDGE_MESSAGE_RESPONSE;
    post->cancel_fd = job->cancel_fd;
    post->out = call->shared->out;
}

/* One round. true: another one is worth it; false: the message is done. */
static bool try_once(struct call *call, const struct bridge_job *job,
                     struct tries *tries, int64_t deadline_ms)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf headers = JZ__BUF_INIT;
    JZ_CLEANUP(bridge_post_finish) struct bridge_post post = { 0 };
    char session[BRIDGE_SESSION_ID_MOST + 1];
    int64_t started_ms = jz__fetch_now_ms();
    struct jz__error error = { 0 };
    int r;

    put_headers(&headers, session, call, &job->message);
    prepare(&post, call, job, &headers);
    post.deadline_ms = deadline_ms;
    r = headers.error != 0 ? jz__fail_memory(&error)
                           : bridge_post_send(&post, call->remote, &error);
    if (atomic_load(&job->is_cancelled)) {
        return false;
    }
    if (r == 0 ? try_answered(call, tries, &post, session)
               : try_failed(call, tries, &post, started_ms)) {
        return true;
    }
    if (call->remote == NULL) {
        answer_without_home(call, job);
    } else if (r == 0) {
        conclude(call, job, &post);
    } else {
        conclude_failed(call, job, &error);
    }
    return false;
}

static void run(void *runner, struct bridge_job *job)
{
    struct call *call = runner;
    const struct bridge_message *message = &job->message;
    struct tries tries = { true, true, true };
    int64_t deadline_ms = deadline_of(message);

    if (message->method == BRIDGE_MESSAGE_INITIALIZE &&
        bridge_session_begin(
            &call->shared->session,
            (struct jz__str){ message->text.data, message->text.length }) < 0) {
        fail(call, job, &(struct jz__buf){ .error = JZ_ENOMEM });
        return;
    }
    if (call->remote == NULL) {
        tries.home = false;
        if (!refresh(call)) {
            answer_without_home(call, job);
            return;
        }
    }
    while (try_once(call, job, &tries, deadline_ms)) {
    }
    if (message->method == BRIDGE_MESSAGE_INITIALIZED) {
        bridge_session_confirm(&call->shared->session);
    }
}

/* --- threads --- */

/* Nothing is read or connected before the first message. */
static void *open_call(void *userdata)
{
    struct call *call = calloc(1, sizeof(*call));

    if (call != NULL) {
        call->shared = userdata;
    }
    return call;
}

static void close_call(void *runner)
{
    struct call *call = runner;

    remote_close(call->remote);
    home_finish(&call->home);
    free(call);
}

const struct bridge_pool_functions bridge_call_functions = { open_call, run,
                                                             close_call };

/* --- what is shared --- */

void bridge_shared_init(struct bridge_shared *shared, const char *agent,
                        struct bridge_out *out)
{
    memset(shared, 0, sizeof(*shared));
    shared->agent = agent;
    shared->out = out;
    bridge_session_init(&shared->session);
    bridge_local_init(&shared->local);
    (void)pthread_mutex_init(&shared->home_lock, NULL);
    (void)pthread_mutex_init(&shared->log_lock, NULL);
}

void bridge_shared_finish(struct bridge_shared *shared)
{
    bridge_session_finish(&shared->session);
    bridge_local_finish(&shared->local);
    (void)pthread_mutex_destroy(&shared->home_lock);
    (void)pthread_mutex_destroy(&shared->log_lock);
}

/* Whether it is taken is the server's affair: 405 is an answer too. */
void bridge_call_end_session(struct bridge_shared *shared)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf headers = JZ__BUF_INIT;
    JZ_CLEANUP(jz__fetch_answer_finish) struct jz__fetch_answer answer = { 0 };
    struct call call = { .shared = shared };
    struct jz__fetch_request request = {
        .method = "DELETE",
        .most = BRIDGE_POST_ANSWER_MOST,
        .deadline_ms = jz__fetch_now_ms() + BRIDGE_CALL_END_MS,
    };
    char session[BRIDGE_SESSION_ID_MOST + 1];
    struct jz__error error = { 0 };

    bridge_session_put_headers(&headers, session, &shared->session);
    if (session[0] != '\0' && headers.error == 0 && refresh(&call)) {
        request.path = call.home.mcp_path;
        request.headers = headers.data;
        (void)remote_send(&answer, call.remote, &request, &error);
    }
    remote_close(call.remote);
    home_finish(&call.home);
}
