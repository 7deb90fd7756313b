/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables have no standard, and programs read them in different ways. Here
 * a proxy is an http one (it is asked with CONNECT for https servers), its scheme
 * may be left out, and a name in no_proxy means its sub-domains too. A loopback
 * address always goes direct: no proxy can reach it.
 *
 * The value may hold a password, so no message shows it.
 */
#include "net/proxy.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/address.h"
#include "net/percent.h"
#include "net/url.h"

/* A name and a password each, decoded. */
#define CREDENTIAL_MOST 1024
#define SCHEME_MOST 16

static struct jz__str skip(struct jz__str text, size_t count)
{
    return (struct jz__str){ text.data + count, text.length - count };
}

static struct jz__str first(struct jz__str text, size_t count)
{
    return (struct jz__str){ text.data, count };
}

/* --- the proxy's URL --- */

static void put_base64(struct jz__buf *out, const char *data, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/=";

    for (size_t i = 0; i < length; i += 3) {
        unsigned long bits = (unsigned long)(unsigned char)data[i] << 16;
        size_t count = length - i < 3 ? length - i : 3;

        bits |= count > 1 ? (unsigned long)(unsigned char)data[i + 1] << 8 : 0;
        bits |= count > 2 ? (unsigned long)(unsigned char)data[i + 2] : 0;
        for (size_t digit = 0; digit < 4; digit++) {
            size_t value = bits >> (18 - 6 * digit) & 63;

            jz__buf_putc(out, digits[digit <= count ? value : 64]);
        }
    }
}

/* "name:password", each percent-encoded; without a colon the password is "". */
static int read_credentials(char **out, struct jz__str text,
                            struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf plain = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf value = JZ__BUF_INIT;
    size_t colon = jz__str_find(text, ":");
    struct jz__str name = colon == SIZE_MAX ? text : first(text, colon);
    struct jz__str password =
        colon == SIZE_MAX ? JZ__STR("") : skip(text, colon + 1);
    int r = jz__percent_decode(&plain, name, CREDENTIAL_MOST);

    jz__buf_putc(&plain, ':');
    if (r == 0) {
        r = jz__percent_decode(&plain, password, CREDENTIAL_MOST);
    }
    if (r == JZ_EINVAL) {
        return jz__fail(error, r,
                        "has a name or password that is not percent-encoded");
    }
    jz__buf_puts(&value, "Basic ");
    put_base64(&value, plain.data, plain.length);
    if (r != 0 || plain.error != 0 || jz__buf_take(out, &value) != 0) {
        return jz__fail_memory(error);
    }
    return 0;
}

static bool is_word(struct jz__str text)
{
    for (size_t i = 0; i < text.length; i++) {
        int c = (unsigned char)text.data[i] | 0x20;

        if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
            return false;
        }
    }
    return text.length > 0 && text.length <= SCHEME_MOST;
}

/* Leave out "http://"; any other scheme is not spoken. */
static int skip_scheme(struct jz__str *text, struct jz__error *error)
{
    size_t end = jz__str_find(*text, "://");
    struct jz__str scheme;

    if (end == SIZE_MAX) {
        return 0;
    }
    scheme = first(*text, end);
    *text = skip(*text, end + 3);
    if (jz__str_is_nocase(scheme, "http")) {
        return 0;
    }
    if (!is_word(scheme)) {
        return jz__fail(error, JZ_EINVAL, "is not the URL of a proxy");
    }
    return jz__fail(error, JZ_EINVAL,
                    "is of a kind that is not supported (%.*s), only http is",
                    (int)scheme.length, scheme.data);
}

/* Between the scheme and the path; blanks and control bytes are in none. */
static bool cut_authority(struct jz__str *out, struct jz__str text)
{
    size_t end = 0;

    while (end < text.length && strchr("/?#", text.data[end]) == NULL) {
        end++;
    }
    for (size_t i = 0; i < end; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~') {
            return false;
        }
    }
    *out = first(text, end);
    return end > 0;
}

/* The last @: one in a password is often not encoded. */
static size_t find_at(struct jz__str text)
{
    size_t at = SIZE_MAX;

    for (size_t i = 0; i < text.length; i++) {
        at = text.data[i] == '@' ? i : at;
    }
    return at;
}

int jz__proxy_parse(struct jz__proxy *out, struct jz__str text,
                    struct jz__error *error)
{
    struct jz__str authority;
    struct jz__str host;
    size_t at;
    int r;

    assert(out != NULL);

    *out = (struct jz__proxy){ .port = 80 };
    text = jz__str_trim(text);
    r = skip_scheme(&text, error);
    if (r != 0) {
        return r;
    }
    if (!cut_authority(&authority, text)) {
        return jz__fail(error, JZ_EINVAL, "is not the URL of a proxy");
    }
    at = find_at(authority);
    if (!jz__url_split_authority(&host, &out->port,
                                 at == SIZE_MAX ? authority
                                                : skip(authority, at + 1))) {
        return jz__fail(error, JZ_EINVAL, "is not the URL of a proxy");
    }
    out->port = out->port < 0 ? 80 : out->port;
    if (at != SIZE_MAX) {
        r = read_credentials(&out->authorization, first(authority, at), error);
    }
    if (r == 0) {
        out->host = jz__mem_copy(host.data, host.length);
        r = out->host != NULL ? 0 : jz__fail_memory(error);
    }
    if (r != 0) {
        jz__proxy_finish(out);
    }
    return r;
}

void jz__proxy_finish(struct jz__proxy *proxy)
{
    free(proxy->host);
    free(proxy->authorization);
    *proxy = (struct jz__proxy){ .port = 0 };
}

/* --- which servers it is for --- */

static struct jz__str without_dot_at_end(struct jz__str name)
{
    return jz__str_ends(name, ".") ? first(name, name.length - 1) : name;
}

/* Names below localhost are this computer by RFC 6761. */
static bool is_loopback(struct jz__str host)
{
    host = without_dot_at_end(host);
    return jz__url_is_loopback(host) ||
           (host.length > 10 &&
            jz__str_is_nocase(skip(host, host.length - 10), ".localhost"));
}

/* The name itself, or one below it: evilexample.com is not below example.com. */
static bool is_at_or_below(struct jz__str host, struct jz__str name)
{
    size_t above;

    host = without_dot_at_end(host);
    name = without_dot_at_end(name);
    if (jz__str_starts(name, "*.")) {
        name = skip(name, 1);
    }
    if (jz__str_starts(name, ".")) {
        name = skip(name, 1);
    }
    if (name.length == 0 || name.length > host.length) {
        return false;
    }
    above = host.length - name.length;
    return strncasecmp(host.data + above, name.data, name.length) == 0 &&
           (above == 0 || host.data[above - 1] == '.');
}

static bool entry_matches(struct jz__str entry, const struct jz__url *url)
{
    struct jz__address address;
    bool is_address = jz__address_parse(&address, url->host);
    struct jz__str name;
    int port;

    if (jz__str_is(entry, "*") ||
        (is_address && jz__address_matches(&address, entry))) {
        return true;
    }
    if (!jz__url_split_authority(&name, &port, entry) ||
        (port >= 0 && port != url->port)) {
        return false;
    }
    return is_address ? jz__address_matches(&address, name)
                      : is_at_or_below(url->host, name);
}

/* Commas or blanks stand between entries. */
static bool is_excepted(const char *list, const struct jz__url *url)
{
    struct jz__str rest = jz__str_of(list);

    while (rest.length > 0) {
        size_t length = 0;

        while (length < rest.length &&
               strchr(", \t\r\n", rest.data[length]) == NULL) {
            length++;
        }
        if (length > 0 && entry_matches(first(rest, length), url)) {
            return true;
        }
        rest = skip(rest, length < rest.length ? length + 1 : length);
    }
    return false;
}

int jz__proxy_find(struct jz__buf *out, const char *url,
                   const struct jz__proxy_settings *settings,
                   struct jz__error *error)
{
    struct jz__proxy proxy = { .host = NULL };
    struct jz__error why = { .code = 0 };
    const char *variable = "HTTP_PROXY";
    const char *value = settings->http_proxy;
    struct jz__url parts;
    struct jz__str text;
    int r;

    assert(out != NULL && url != NULL && settings != NULL);

    if (!jz__url_parse(&parts, jz__str_of(url))) {
        /* What stands before an @ may be a password. */
        return jz__fail(error, JZ_EINVAL, "'%s' is no http or https URL",
                        strchr(url, '@') != NULL ? "…@…" : url);
    }
    if (jz__str_is_nocase(parts.scheme, "https")) {
        variable = "HTTPS_PROXY";
        value = settings->https_proxy;
    }
    text = jz__str_trim(jz__str_of(value));
    if (text.length == 0 || is_loopback(parts.host) ||
        is_excepted(settings->no_proxy, &parts)) {
        return 0;
    }
    r = jz__proxy_parse(&proxy, text, &why);
    jz__proxy_finish(&proxy);
    if (r != 0) {
        return r == JZ_ENOMEM
                   ? jz__fail_memory(error)
                   : jz__fail(error, r, "%s %s", variable, why.message);
    }
    jz__buf_append(out, text.data, text.length);
    return out->error == 0 ? 0 : jz__fail_memory(error);
}
