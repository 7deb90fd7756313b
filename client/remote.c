/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the environment says about the way to the server is read here, once, so
 * that lib/net stays free of it. A tool is called as the server's page shows it:
 * one POST without a session.
 */
#include "remote.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "net/proxy.h"
#include "trust.h"

/* An answer of five items is some 20 kB; `show --original` may bring megabytes. */
#define ANSWER_MOST ((size_t)64 * 1024 * 1024)
#define SHOWN_MOST 200

#ifdef __APPLE__
#define KEYCHAINS "/usr/bin/security"
#else
#define KEYCHAINS NULL
#endif

struct remote {
    const struct home *home;
    struct jz__fetch *fetch;
    bool may_export; /* macOS: certificates from the keychains, once */
};

/* --- the way there --- */

/* The name in lower case wins: HTTP_PROXY in capitals can be set by a request to
 * a CGI program, and agents' tools know both. */
static const char *variable(const char *lower, const char *upper)
{
    const char *value = getenv(lower);

    return value != NULL && value[0] != '\0' ? value : getenv(upper);
}

static int find_proxy(struct jz__buf *out, const char *url,
                      struct jz__error *error)
{
    struct jz__proxy_settings settings = {
        variable("https_proxy", "HTTPS_PROXY"),
        variable("http_proxy", "HTTP_PROXY"),
        variable("no_proxy", "NO_PROXY"),
    };

    return jz__proxy_find(out, url, &settings, error);
}

static int make_fetch(struct remote *remote, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf proxy = JZ__BUF_INIT;
    JZ_CLEANUP(trust_finish) struct trust trust = { 0 };
    struct jz__fetch_options options = { .url = remote->home->url };
    int r = find_proxy(&proxy, options.url, error);

    if (r == 0 && jz__str_starts_nocase(jz__str_of(options.url), "https:")) {
        r = trust_find(&trust, remote->home, error);
    }
    if (r < 0) {
        return r;
    }
    options.proxy = proxy.length > 0 ? proxy.data : NULL;
    options.ca_file = trust.file.data;
    options.ca_origin = trust.origin;
    return jz__fetch_new(&remote->fetch, &options, error);
}

int remote_open(struct remote **out, const struct home *home,
                struct jz__error *error)
{
    struct remote *remote;
    int r;

    assert(out != NULL && home != NULL && home->is_set_up);

    *out = NULL;
    remote = calloc(1, sizeof(*remote));
    if (remote == NULL) {
        return jz__fail_memory(error);
    }
    remote->home = home;
    remote->may_export = KEYCHAINS != NULL;
    r = make_fetch(remote, error);
    if (r < 0) {
        remote_close(remote);
        return r;
    }
    *out = remote;
    return 0;
}

void remote_close(struct remote *remote)
{
    if (remote != NULL) {
        jz__fetch_free(remote->fetch);
        free(remote);
    }
}

void remote_closep(struct remote **remote)
{
    remote_close(*remote);
}

/* macOS: a certificate that the bundle does not vouch for may be in a keychain.
 * true: there is a new ca.pem, and the request may be tried again. */
static bool export_trust(struct remote *remote)
{
    struct jz__error error = { 0 };

    if (!remote->may_export || !jz__fetch_is_untrusted(remote->fetch)) {
        return false;
    }
    remote->may_export = false;
    if (trust_export(remote->home, KEYCHAINS, &error) < 0) {
        home_log(remote->home, "%s", error.message);
        return false;
    }
    jz__fetch_free(jz__mem_steal(&remote->fetch));
    return make_fetch(remote, &error) == 0;
}

/* --- requests --- */

static int put_headers(struct jz__buf *out, const struct remote *remote,
                       const char *more)
{
    jz__buf_printf(out, "Authorization: Bearer %s\r\n%s", remote->home->key,
                   more != NULL ? more : "");
    return out->error;
}

int remote_send(struct jz__fetch_answer *out, struct remote *remote,
                const struct jz__fetch_request *request,
                struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf headers = JZ__BUF_INIT;
    struct jz__fetch_request whole = *request;
    int r;

    if (put_headers(&headers, remote, request->headers) < 0) {
        return jz__fail_memory(error);
    }
    whole.headers = headers.data;
    r = jz__fetch_send(out, remote->fetch, &whole, error);
    if (r < 0 && export_trust(remote)) {
        jz__fetch_answer_finish(out);
        r = jz__fetch_send(out, remote->fetch, &whole, error);
    }
    explicit_bzero(headers.data, headers.length);
    return r;
}

int remote_connect(struct remote *remote, int64_t deadline_ms,
                   struct jz__error *error)
{
    int r = jz__fetch_connect(remote->fetch, deadline_ms, error);

    if (r < 0 && export_trust(remote)) {
        r = jz__fetch_connect(remote->fetch, deadline_ms, error);
    }
    return r;
}

/* --- tools --- */

void remote_show_answer(struct jz__buf *out,
                        const struct jz__fetch_answer *answer)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    if (answer->body.length > 0) {
        jz__utf8_one_line(&line, answer->body.data, answer->body.length);
    }
    jz__buf_printf(out, "HTTP %d", answer->status);
    if (line.length > 0) {
        size_t most = jz__utf8_prefix(line.data, line.length, SHOWN_MOST);

        jz__buf_putc(out, ' ');
        jz__buf_append(out, line.data, most);
    }
}

static int fail_answer(const struct jz__fetch_answer *answer,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf shown = JZ__BUF_INIT;

    remote_show_answer(&shown, answer);
    return shown.error != 0 ? jz__fail_memory(error)
                            : jz__fail(error, JZ_EINVAL, "%s", shown.data);
}

/* The text of the tool's only content block. */
static const char *content_text(const cJSON *result)
{
    const cJSON *content = jz__json_get(result, "content");

    return jz__json_text(cJSON_GetArrayItem(content, 0), "text",
                         "the tool failed and does not say why");
}

/* The bytes as they came: a tree prints other digits of a score than the server
 * does. */
static int put_structured(struct jz__buf *out, const struct jz__buf *body)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    int r = jz__scan_parse(&scan, body->data, body->length);

    if (r == 0) {
        size_t result = jz__scan_get(&scan, 0, "result");
        struct jz__str raw = jz__scan_raw(
            &scan, jz__scan_get(&scan, result, "structuredContent"));

        jz__buf_append(out, raw.data, raw.length);
        r = out->error;
    }
    return r;
}

static int take_result(struct jz__buf *out,
                       const struct jz__fetch_answer *answer,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *body = NULL;
    const cJSON *result;
    const cJSON *structured;

    if (answer->body.length == 0 ||
        jz__json_parse(&body, answer->body.data, answer->body.length, NULL) <
            0) {
        return fail_answer(answer, error);
    }
    result = jz__json_get(body, "result");
    structured = jz__json_get(result, "structuredContent");
    if (answer->status == 200 && jz__json_flag(result, "isError", false)) {
        return jz__fail(error, JZ_EINVAL, "%s", content_text(result));
    }
    if (answer->status != 200 || !cJSON_IsObject(structured)) {
        return fail_answer(answer, error);
    }
    return put_structured(out, &answer->body) < 0 ? jz__fail_memory(error) : 0;
}

int remote_call(struct jz__buf *out, struct remote *remote, const char *tool,
                const char *arguments_json, int64_t deadline_ms,
                struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf body = JZ__BUF_INIT;
    JZ_CLEANUP(jz__fetch_answer_finish) struct jz__fetch_answer answer = { 0 };
    struct jz__fetch_request request = {
        .method = "POST",
        .path = remote->home->mcp_path,
        .headers = "Content-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\n",
        .most = ANSWER_MOST,
        .deadline_ms = deadline_ms,
        .may_repeat = true,
    };
    int r;

    jz__buf_printf(&body,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"%s\",\"arguments\":%s}}",
                   tool, arguments_json);
    if (body.error != 0) {
        return jz__fail_memory(error);
    }
    request.body = (struct jz__str){ body.data, body.length };
    r = remote_send(&answer, remote, &request, error);
    return r < 0 ? r : take_result(out, &answer, error);
}
