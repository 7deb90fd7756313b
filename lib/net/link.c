/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connecting is four steps, each with what is left of the one deadline: find
 * addresses (resolve.c), connect to one (dial.c), ask a proxy for a tunnel
 * (tunnel.c), shake hands (stream.c with tls.h).
 *
 * An http server behind a proxy needs no tunnel: the proxy is given whole
 * addresses, which is the business of who writes requests.
 *
 * Trusted certificates are read only when a server has answered. It takes longer
 * than all else that a program without an answer does.
 */
#include "net/link.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "net/dial.h"
#include "net/resolve.h"
#include "net/tls.h"
#include "net/tunnel.h"

/* NULL stays NULL. */
static int copy_text(char **out, const char *text, struct jz__error *error)
{
    if (text == NULL) {
        return 0;
    }
    *out = jz__mem_copy(text, strlen(text));
    return *out != NULL ? 0 : jz__fail_memory(error);
}

static int set_proxy(struct jz__link *link, const char *proxy,
                     struct jz__error *error)
{
    struct jz__error why = { .code = 0 };
    int r;

    if (proxy == NULL || proxy[0] == '\0') {
        return 0;
    }
    r = jz__proxy_parse(&link->proxy, jz__str_of(proxy), &why);
    link->has_proxy = r == 0;
    if (r == JZ_ENOMEM) {
        return jz__fail_memory(error);
    }
    return r == 0 ? 0 : jz__fail(error, r, "the proxy %s", why.message);
}

static int set_names(struct jz__link *link, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf place = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf server = JZ__BUF_INIT;
    bool is_v6 = strchr(link->host, ':') != NULL;

    jz__buf_printf(&place, "%s port %d",
                   link->has_proxy ? link->proxy.host : link->host,
                   link->has_proxy ? link->proxy.port : link->port);
    jz__buf_printf(&server, is_v6 ? "[%s]:%d" : "%s:%d", link->host,
                   link->port);
    if (jz__buf_take(&link->place, &place) != 0 ||
        jz__buf_take(&link->server, &server) != 0) {
        return jz__fail_memory(error);
    }
    return 0;
}

int jz__link_init(struct jz__link *link, const struct jz__url *url,
                  const struct jz__fetch_options *options,
                  struct jz__error *error)
{
    int r;

    assert(link != NULL && url != NULL && options != NULL);

    *link = (struct jz__link){ .port = url->port, .stream = JZ__STREAM_INIT };
    link->is_tls = jz__str_is_nocase(url->scheme, "https");
    link->host = jz__mem_copy(url->host.data, url->host.length);
    if (link->host == NULL) {
        return jz__fail_memory(error);
    }
    r = set_proxy(link, options->proxy, error);
    if (r == 0) {
        r = set_names(link, error);
    }
    if (r == 0) {
        r = copy_text(&link->ca_file, options->ca_file, error);
    }
    return r == 0 ? copy_text(&link->ca_origin, options->ca_origin, error) : r;
}

void jz__link_finish(struct jz__link *link)
{
    jz__stream_close(&link->stream);
    jz__tls_client_release(link->trust);
    jz__proxy_finish(&link->proxy);
    free(link->host);
    free(link->place);
    free(link->server);
    free(link->ca_file);
    free(link->ca_origin);
}

/* --- connecting --- */

/* To the server, or to the proxy, which a message says: people look for a fault
 * of the server's first, and have forgotten the variable. */
static int reach(struct jz__link *link, const struct jz__deadline *deadline,
                 struct jz__error *error)
{
    const char *host = link->has_proxy ? link->proxy.host : link->host;
    int port = link->has_proxy ? link->proxy.port : link->port;
    struct jz__resolve found;
    int fd = -1;
    int r = jz__resolve_host(&found, host, deadline, error);

    if (r == 0) {
        r = jz__dial_connect(&fd, &found, host, port, deadline, error);
    }
    if (r == 0) {
        jz__stream_open(&link->stream, fd);
    } else if (link->has_proxy && r == JZ_EIO) {
        return jz__fail(error, r, "%s (it is the proxy)", error->message);
    }
    return r;
}

/* The codes of tls.h tell a wrong file from a missing one; here there is one for
 * everything that keeps an answer from coming. */
static int as_io(int r, struct jz__error *error)
{
    return r == 0 || r == JZ_ENOMEM
               ? r
               : jz__fail(error, JZ_EIO, "%s", error->message);
}

static int load_trust(struct jz__link *link, struct jz__error *error)
{
    if (link->trust != NULL) {
        return 0;
    }
    if (link->ca_file == NULL || link->ca_file[0] == '\0') {
        return jz__fail(error, JZ_EIO,
                        "no file of trusted certificates was found");
    }
    return as_io(jz__tls_client_new(&link->trust, link->ca_file, error), error);
}

/* The message names the file already; who chose it is what people need next. */
static int fail_untrusted(struct jz__link *link, struct jz__error *error)
{
    link->is_untrusted = true;
    return link->ca_origin == NULL ? JZ_EIO
                                   : jz__fail(error, JZ_EIO, "%s (%s)",
                                              error->message, link->ca_origin);
}

static int shake(struct jz__link *link, const struct jz__deadline *deadline,
                 struct jz__error *error)
{
    struct jz__tls *tls = NULL;
    char span[JZ__DEADLINE_TEXT_SIZE];
    int r = load_trust(link, error);

    if (r == 0) {
        r = as_io(jz__tls_connect(&tls, link->trust, link->host, error), error);
    }
    if (r != 0) {
        return r;
    }
    r = jz__stream_shake(&link->stream, tls, link->server, deadline, error);
    if (r == JZ__STREAM_LATE) {
        return jz__fail(error, JZ_EIO, "no answer to TLS of %s within %s",
                        link->server, jz__deadline_show(span, deadline));
    }
    if (r == JZ_EIO && jz__tls_is_untrusted(link->stream.tls)) {
        return fail_untrusted(link, error);
    }
    return r;
}

int jz__link_open(struct jz__link *link, const struct jz__deadline *deadline,
                  struct jz__error *error)
{
    int r;

    assert(link != NULL && deadline != NULL && error != NULL);

    link->is_untrusted = false;
    jz__stream_close(&link->stream);
    r = reach(link, deadline, error);
    if (r == 0 && link->has_proxy && link->is_tls) {
        r = jz__tunnel_open(&link->stream, link->server,
                            link->proxy.authorization, link->place, deadline,
                            error);
    }
    if (r == 0 && link->is_tls) {
        r = shake(link, deadline, error);
    }
    if (r != 0) {
        jz__stream_close(&link->stream);
    }
    return r;
}
