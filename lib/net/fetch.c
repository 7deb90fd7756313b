/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fetch holds at most one connection. It is looked at before it is used again,
 * and if the server closes it in the very moment in which a request is on its
 * way, one that may be repeated goes out once more on a new one. A connection
 * that was idle for long is not used: address translators on the way forget such
 * connections without a word, and a request on one would wait for its whole
 * deadline.
 *
 * What each part does: link.c connects, by way of resolve.c, dial.c, tunnel.c and
 * stream.c; request.c writes the head; exchange.c sends and receives; response.c
 * reads.
 */
#include "net/fetch.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "net/exchange.h"
#include "net/head.h"
#include "net/link.h"
#include "net/request.h"

/* Below the 75 s and more after which servers and translators give up. */
#define IDLE_MOST_MS 60000

struct jz__fetch {
    struct jz__link link;
    char *host_header; /* "host" or "host:port" */
    char *prefix;      /* in front of every request's path */
    int64_t kept_ms;   /* when the last answer was complete */
};

int64_t jz__fetch_now_ms(void)
{
    return jz__deadline_now_ms();
}

/* A clock that goes on while the computer sleeps, where there is one: nothing
 * kept survives a night. */
static int64_t awake_or_not_ms(void)
{
#ifdef CLOCK_BOOTTIME
    struct timespec now;

    if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    }
#endif
    return jz__deadline_now_ms();
}

/* --- what is known beforehand --- */

/* Bytes that a header can carry, so that the URL adds no line to a request; a
 * query or fragment could not stand in front of a path. */
static bool is_usable(struct jz__str url)
{
    for (size_t i = 0; i < url.length; i++) {
        if (url.data[i] <= ' ' || url.data[i] > '~' || url.data[i] == '?' ||
            url.data[i] == '#') {
            return false;
        }
    }
    return true;
}

/* With the port left out where the scheme says it, as browsers do: some servers
 * compare Host with their name as it stands. */
static int set_host_header(struct jz__fetch *fetch, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf header = JZ__BUF_INIT;
    const struct jz__link *link = &fetch->link;
    bool is_v6 = strchr(link->host, ':') != NULL;

    jz__buf_printf(&header, is_v6 ? "[%s]" : "%s", link->host);
    if (link->port != (link->is_tls ? 443 : 80)) {
        jz__buf_printf(&header, ":%d", link->port);
    }
    return jz__buf_take(&fetch->host_header, &header) == 0
               ? 0
               : jz__fail_memory(error);
}

/* The URL's own path, and for a proxy without a tunnel the whole of it. */
static int set_prefix(struct jz__fetch *fetch, struct jz__str path,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf prefix = JZ__BUF_INIT;

    if (fetch->link.has_proxy && !fetch->link.is_tls) {
        jz__buf_printf(&prefix, "http://%s", fetch->host_header);
    }
    while (jz__str_ends(path, "/")) {
        path.length--;
    }
    jz__buf_append(&prefix, path.data, path.length);
    return jz__buf_take(&fetch->prefix, &prefix) == 0 ? 0
                                                      : jz__fail_memory(error);
}

static int init(struct jz__fetch *fetch,
                const struct jz__fetch_options *options,
                struct jz__error *error)
{
    struct jz__str text = jz__str_of(options->url);
    struct jz__url url;
    int r;

    if (!is_usable(text) || !jz__url_parse(&url, text)) {
        /* What stands before an @ may be a password. */
        return jz__fail(error, JZ_EINVAL, "'%s' is no http or https URL",
                        strchr(text.data, '@') != NULL ? "…@…" : text.data);
    }
    r = jz__link_init(&fetch->link, &url, options, error);
    if (r == 0) {
        r = set_host_header(fetch, error);
    }
    return r == 0 ? set_prefix(fetch, url.path, error) : r;
}

static void freep(struct jz__fetch **fetch)
{
    jz__fetch_free(*fetch);
}

int jz__fetch_new(struct jz__fetch **out,
                  const struct jz__fetch_options *options,
                  struct jz__error *error)
{
    JZ_CLEANUP(freep) struct jz__fetch *fetch = calloc(1, sizeof(*fetch));
    int r;

    assert(out != NULL && options != NULL && options->url != NULL);

    *out = NULL;
    if (fetch == NULL) {
        return jz__fail_memory(error);
    }
    fetch->link.stream = (struct jz__stream)JZ__STREAM_INIT;
    r = init(fetch, options, error);
    if (r == 0) {
        *out = jz__mem_steal(&fetch);
    }
    return r;
}

void jz__fetch_free(struct jz__fetch *fetch)
{
    if (fetch != NULL) {
        jz__link_finish(&fetch->link);
        free(fetch->host_header);
        free(fetch->prefix);
        free(fetch);
    }
}

/* --- the connection --- */

static bool is_kept(struct jz__fetch *fetch)
{
    return jz__stream_is_open(&fetch->link.stream) &&
           awake_or_not_ms() - fetch->kept_ms < IDLE_MOST_MS &&
           jz__stream_is_quiet(&fetch->link.stream);
}

/* 0: a new connection; 1: the kept one. */
static int connect_or_keep(struct jz__fetch *fetch,
                           const struct jz__deadline *deadline,
                           struct jz__error *error)
{
    int r;

    if (is_kept(fetch)) {
        return 1;
    }
    r = jz__link_open(&fetch->link, deadline, error);
    fetch->kept_ms = awake_or_not_ms();
    return r;
}

int jz__fetch_connect(struct jz__fetch *fetch, int64_t deadline_ms,
                      struct jz__error *error)
{
    struct jz__deadline deadline = jz__deadline_until(deadline_ms);
    int r;

    assert(fetch != NULL && error != NULL);

    r = connect_or_keep(fetch, &deadline, error);
    return r < 0 ? r : 0;
}

bool jz__fetch_is_untrusted(const struct jz__fetch *fetch)
{
    return fetch->link.is_untrusted;
}

/* --- requests --- */

/* One try. JZ__EXCHANGE_STALE: a kept connection was closed. A new one that is
 * closed says something about the server, and is not tried again. */
static int try_once(struct jz__fetch_answer *out, struct jz__fetch *fetch,
                    struct jz__exchange *exchange, struct jz__error *error)
{
    int kept = connect_or_keep(fetch, exchange->deadline, error);
    int r;

    if (kept < 0) {
        return kept;
    }
    exchange->stream = &fetch->link.stream;
    r = jz__exchange_run(out, exchange, error);
    fetch->kept_ms = awake_or_not_ms();
    if (!exchange->is_reusable) {
        jz__stream_close(&fetch->link.stream);
    }
    return r == JZ__EXCHANGE_STALE && kept == 0 ? JZ_EIO : r;
}

/* Without a tunnel the proxy's refusal comes in the place of the answer. */
static int check_proxy(const struct jz__fetch_answer *answer,
                       const struct jz__link *link, struct jz__error *error)
{
    if (answer->status == 407 && link->has_proxy && !link->is_tls) {
        return jz__fail(error, JZ_EIO, "the proxy %s answered HTTP 407",
                        link->place);
    }
    return 0;
}

/* Behind a tunnel the proxy has been asked already, and its password must not
 * reach the server. */
static int make_head(struct jz__buf *out, const struct jz__fetch *fetch,
                     const struct jz__fetch_request *request,
                     struct jz__error *error)
{
    struct jz__request_target target = { .host = fetch->host_header,
                                         .prefix = fetch->prefix };

    if (fetch->link.has_proxy && !fetch->link.is_tls) {
        target.proxy_authorization = fetch->link.proxy.authorization;
    }
    return jz__request_head(out, &target, request, error);
}

int jz__fetch_send(struct jz__fetch_answer *out, struct jz__fetch *fetch,
                   const struct jz__fetch_request *request,
                   struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf head = JZ__BUF_INIT;
    struct jz__deadline deadline = jz__deadline_until(request->deadline_ms);
    struct jz__exchange exchange = { .request = request,
                                     .deadline = &deadline };
    int r;

    assert(out != NULL && fetch != NULL && error != NULL);
    assert(!request->may_repeat || request->read == NULL);

    *out = (struct jz__fetch_answer){ .status = 0 };
    exchange.place = fetch->link.place;
    r = make_head(&head, fetch, request, error);
    if (r != 0) {
        return r;
    }
    exchange.head = (struct jz__str){ head.data, head.length };
    r = try_once(out, fetch, &exchange, error);
    if (r == JZ__EXCHANGE_STALE && request->may_repeat) {
        *error = (struct jz__error){ .code = 0 };
        r = try_once(out, fetch, &exchange, error);
    }
    if (r == JZ__EXCHANGE_STALE) {
        return JZ_EIO;
    }
    return r == 0 ? check_proxy(out, &fetch->link, error) : r;
}

/* --- answers --- */

void jz__fetch_answer_finish(struct jz__fetch_answer *answer)
{
    jz__buf_finish(&answer->head);
    jz__buf_finish(&answer->body);
    answer->status = 0;
}

bool jz__fetch_header(struct jz__str *out,
                      const struct jz__fetch_answer *answer, const char *name)
{
    struct jz__str rest = { answer->head.data, answer->head.length };
    struct jz__http_header header;
    const char *reason;
    struct jz__str line;

    *out = JZ__STR("");
    while (jz__str_line(&line, &rest)) {
        if (jz__head_read_header(&header, line, &reason) == 0 &&
            jz__str_is_nocase(header.name, name)) {
            *out = header.value;
            return true;
        }
    }
    return false;
}
