/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status: is this computer set up, does the server take its key, and what waits?
 * The key is tried where it is used: at the inbox, and on a read-only computer
 * with a call of a tool. Exits 1 unless the server took it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "command.h"
#include "commands.h"
#include "home.h"
#include "net/key.h"
#include "remote.h"
#include "spool.h"
#include "state.h"

#define CALL_MS 10000
#define REJECTED_SHOWN 5
#define ANSWER_MOST 65536

/* Text that came from elsewhere, on a terminal. */
static void print_line(const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    jz__utf8_one_line(&line, text, strlen(text));
    fputs(line.error == 0 && line.length > 0 ? line.data : "", stdout);
}

/* "2026-10-22 03:32", as the clock on the wall has it. */
static void print_time(double seconds)
{
    time_t when = (time_t)seconds;
    struct tm local;
    char text[32];

    if (localtime_r(&when, &local) != NULL &&
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local) > 0) {
        fputs(text, stdout);
    }
}

/* --- the server --- */

static int ask_inbox(struct jz__buf *shown, int *status, struct remote *remote,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__fetch_answer_finish) struct jz__fetch_answer answer = { 0 };
    const struct jz__fetch_request request = {
        .method = "GET",
        .path = "/inbox/v1",
        .most = ANSWER_MOST,
        .deadline_ms = jz__fetch_now_ms() + CALL_MS,
        .may_repeat = true,
    };
    JZ_CLEANUP(jz__json_freep) cJSON *body = NULL;
    int r = remote_send(&answer, remote, &request, error);

    if (r < 0) {
        return r;
    }
    *status = answer.status;
    remote_show_answer(shown, &answer);
    if (answer.status == 200 && answer.body.length > 0) {
        (void)jz__json_parse(&body, answer.body.data, answer.body.length, NULL);
    }
    return jz__json_flag(body, "ok", false) ? 0 : 1;
}

static int ask_sources(struct jz__buf *shown, struct remote *remote,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf json = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *result = NULL;
    int r = remote_call(&json, remote, "list_sources", "{}",
                        jz__fetch_now_ms() + CALL_MS, error);

    if (r == 0) {
        r = jz__json_parse(&result, json.data, json.length, error);
    }
    if (r == 0) {
        int count = cJSON_GetArraySize(jz__json_get(result, "sources"));

        jz__buf_printf(shown, "read-only, %d readable source%s", count,
                       count == 1 ? "" : "s");
    }
    return r;
}

/* What the server said, or that it said nothing: true if it took the key.
 * *status: of HTTP, 0 if there is none. */
static bool print_server(const struct home *home, int *status)
{
    JZ_CLEANUP(remote_closep) struct remote *remote = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf shown = JZ__BUF_INIT;
    struct jz__error error = { 0 };
    int r = remote_open(&remote, home, &error);

    if (r == 0) {
        r = home->may_upload ? ask_inbox(&shown, status, remote, &error)
                             : ask_sources(&shown, remote, &error);
    }
    if (jz__str_starts(jz__str_of(error.message), "HTTP 401")) {
        *status = 401; /* what a tool's call met */
    }
    printf("server ");
    print_line(home->url);
    printf(": ");
    print_line(r < 0 ? error.message : shown.length > 0 ? shown.data : "");
    printf("\n");
    return r == 0;
}

/* --- the queue --- */

static void print_refused(const struct state *state)
{
    JZ_CLEANUP(jz__json_freep)
    cJSON *refused = state_get(state, "refused_since");

    if (cJSON_IsObject(refused)) {
        printf("uploads refused since ");
        print_time(jz__json_number(refused, "when", 0));
        printf(": ");
        print_line(jz__json_text(refused, "reason", ""));
        printf(" (the queue is kept)\n");
    }
}

static int newest_first(const void *a, const void *b)
{
    double left = jz__json_number(*(const cJSON *const *)a, "when", 0);
    double right = jz__json_number(*(const cJSON *const *)b, "when", 0);

    return left < right ? 1 : left > right ? -1 : 0;
}

static void print_rejection(const cJSON *one)
{
    printf("  ");
    print_time(jz__json_number(one, "when", 0));
    printf(" ");
    print_line(jz__json_text(one, "agent", "?"));
    printf(": ");
    print_line(jz__json_text(one, "reason", "?"));
    printf("\n");
}

static void print_rejected(const struct state *state)
{
    JZ_CLEANUP(jz__json_freep) cJSON *rejected = state_get(state, "rejected");
    int count = cJSON_GetArraySize(rejected);
    JZ_CLEANUP(jz__mem_freep)
    const cJSON **list = calloc((size_t)count + 1, sizeof(const cJSON *));
    const cJSON *one;
    int n = 0;

    printf("rejected uploads: %d\n", count);
    if (list == NULL) {
        return;
    }
    cJSON_ArrayForEach(one, rejected)
    {
        list[n++] = one;
    }
    qsort(list, (size_t)n, sizeof(const cJSON *), newest_first);
    for (int i = 0; i < n && i < REJECTED_SHOWN; i++) {
        print_rejection(list[i]);
    }
}

static void print_queue(const struct home *home)
{
    JZ_CLEANUP(state_close) struct state state = { 0 };
    struct jz__error error = { 0 };

    printf("queued sessions: %lld\n", (long long)spool_count(home));
    if (state_open(&state, home, false, &error) < 0) {
        printf("state.json: ");
        print_line(error.message);
        printf("\n");
        return;
    }
    print_refused(&state);
    print_rejected(&state);
}

/* The line that init printed, for whom it was lost on. */
static void print_approval(const struct home *home)
{
    char digest[JZ__DIGEST_TEXT_SIZE];
    struct jz__digest bytes;

    if (jz__key_digest(&bytes, jz__str_of(home->key), NULL) < 0) {
        return;
    }
    jz__digest_format(digest, &bytes);
    printf("The server does not know this key. Ask the Jezero admin to approve "
           "it with:\n"
           "\n"
           "  jezero device approve ");
    print_line(home->device != NULL ? home->device : "NAME");
    printf(" %s%s\n", digest, home->may_upload ? "" : " --read-only");
}

int cmd_status_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(home_finish) struct home home = { 0 };
    int exit_status = command_home(&home, opts);
    int http_status = 0;
    bool is_taken;

    if (exit_status != 0) {
        return exit_status;
    }
    if (!home.is_set_up) {
        printf("not set up (%s): run `init` first\n", home.path);
        return EXIT_FAILURE;
    }
    printf("key: %s\n", home.path);
    is_taken = print_server(&home, &http_status);
    if (home.may_upload) {
        print_queue(&home);
    }
    if (http_status == 401) {
        print_approval(&home);
    }
    return is_taken ? EXIT_SUCCESS : EXIT_FAILURE;
}
