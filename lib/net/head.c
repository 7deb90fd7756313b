/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that two readers of one request could understand differently is
 * refused here, before the parser behind sees it: blanks around names, folded
 * lines, two lengths, a length and a coding. Such differences are how a request
 * is smuggled past a proxy. Debian's http-parser takes most of them.
 *
 * Line ends are the caller's work: lines come without them.
 */
#include "net/head.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "net/url.h"

/* More digits than this could overflow; it is 1 EB. */
#define LENGTH_DIGITS_MOST 18

static const struct {
    const char *name;
    enum jz__http_method method;
} methods[] = {
    { "GET", JZ__HTTP_GET },       { "HEAD", JZ__HTTP_HEAD },
    { "POST", JZ__HTTP_POST },     { "PUT", JZ__HTTP_PUT },
    { "DELETE", JZ__HTTP_DELETE }, { "OPTIONS", JZ__HTTP_OPTIONS },
};

static int refuse(int status, const char **reason, const char *phrase)
{
    *reason = phrase;
    return status;
}

bool jz__head_is_token(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

bool jz__head_is_text(char c)
{
    unsigned char byte = (unsigned char)c;

    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

static bool is_token(struct jz__str text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (!jz__head_is_token(text.data[i])) {
            return false;
        }
    }
    return text.length > 0;
}

/* Visible ASCII alone: what else a target may name is percent-encoded. */
static bool is_target(struct jz__str text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] <= 0x20 || text.data[i] >= 0x7f) {
            return false;
        }
    }
    return text.length > 0;
}

/* Cut text at its first `c`; without one *rest is empty and it is false. */
static bool cut(struct jz__str *out, struct jz__str *rest, struct jz__str text,
                char c)
{
    const char *at = text.length > 0 ? memchr(text.data, c, text.length) : NULL;

    *out = text;
    *rest = (struct jz__str){ text.data, 0 };
    if (at == NULL) {
        return false;
    }
    out->length = (size_t)(at - text.data);
    *rest = (struct jz__str){ at + 1, text.length - out->length - 1 };
    return true;
}

/* "HTTP/1.1", exactly: in another case or with another number of digits it is
 * not HTTP. 0.9 had no version at all. */
static int read_version(struct jz__http_request *request,
                        struct jz__str version, const char **reason)
{
    if (version.length != 8 || !jz__str_starts(version, "HTTP/") ||
        version.data[6] != '.' || version.data[5] < '1' ||
        version.data[5] > '9' || version.data[7] < '0' ||
        version.data[7] > '9') {
        return refuse(400, reason, "no HTTP/1.1 request line");
    }
    if (version.data[5] != '1') {
        return refuse(505, reason, "HTTP version not supported");
    }
    request->minor = version.data[7] == '0' ? 0 : 1;
    return 0;
}

/* CONNECT names a host and a port. No route has such a path, so its answer is
 * the one for an unknown path. */
static bool has_other_form(const struct jz__http_request *request,
                           struct jz__str target)
{
    struct jz__str host;
    int port;

    return (request->method == JZ__HTTP_OPTIONS && jz__str_is(target, "*")) ||
           (jz__str_is(request->method_name, "CONNECT") &&
            target.data[0] != '?' &&
            jz__url_split_authority(&host, &port, target));
}

/* A path, or an absolute URL as proxies send it. */
static int read_target(struct jz__http_request *request, struct jz__str target,
                       const char **reason)
{
    struct jz__str query;
    struct jz__url url;

    if (!is_target(target)) {
        return refuse(400, reason, "the request target is not valid");
    }
    if (jz__url_parse(&url, target)) {
        request->host = url.authority;
        target = jz__str_starts(url.path, "/") ? url.path : JZ__STR("/");
    } else if (target.data[0] != '/' && !has_other_form(request, target)) {
        return refuse(400, reason, "the request target is not valid");
    }
    request->has_query = cut(&request->path, &query, target, '?');
    return 0;
}

/* Two blanks, no more: method, target and version hold none. */
int jz__head_read_line(struct jz__http_request *request, struct jz__str line,
                       const char **reason)
{
    struct jz__str target;
    struct jz__str version;
    struct jz__str rest;
    int status;

    request->method = JZ__HTTP_OTHER;
    if (!cut(&request->method_name, &rest, line, ' ') ||
        !is_token(request->method_name) || !cut(&target, &version, rest, ' ')) {
        return refuse(400, reason, "no HTTP/1.1 request line");
    }
    for (size_t i = 0; i < JZ__LENGTH(methods); i++) {
        if (jz__str_is(request->method_name, methods[i].name)) {
            request->method = methods[i].method;
        }
    }
    status = read_version(request, version, reason);
    return status != 0 ? status : read_target(request, target, reason);
}

int jz__head_read_header(struct jz__http_header *out, struct jz__str line,
                         const char **reason)
{
    assert(line.length > 0);

    if (line.data[0] == ' ' || line.data[0] == '\t') {
        return refuse(400, reason, "a folded header line");
    }
    if (!cut(&out->name, &out->value, line, ':') || !is_token(out->name)) {
        return refuse(400, reason, "a header name is not valid");
    }
    for (size_t i = 0; i < out->value.length; i++) {
        if (!jz__head_is_text(out->value.data[i])) {
            return refuse(400, reason, "a header value is not valid");
        }
    }
    out->value = jz__str_trim(out->value);
    return 0;
}

static int check_host(struct jz__http_request *request, const char **reason)
{
    struct jz__str host;

    if (!jz__http_header(&host, request, "host")) {
        return refuse(400, reason, "exactly one Host header is needed");
    }
    /* With an absolute target the header does not count; one that differs is
     * an attempt to be checked by one name and served by another. */
    if (request->host.length > 0 &&
        (host.length != request->host.length ||
         strncasecmp(host.data, request->host.data, host.length) != 0)) {
        return refuse(400, reason, "Host and request target differ");
    }
    request->host = host;
    return 0;
}

/* Digits alone: "+5", "5, 5" and "0x5" are read differently elsewhere. */
static int check_length(struct jz__http_request *request, struct jz__str length,
                        const char **reason)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length.length; i++) {
        if (length.data[i] < '0' || length.data[i] > '9') {
            return refuse(400, reason, "Content-Length is not valid");
        }
        value = value * 10 + (uint64_t)(length.data[i] - '0');
    }
    if (length.length == 0 || length.length > LENGTH_DIGITS_MOST) {
        return refuse(400, reason, "Content-Length is not valid");
    }
    request->content_length = value;
    return 0;
}

/* A body has a length, a coding or neither, and says so once. */
static int check_framing(struct jz__http_request *request, const char **reason)
{
    size_t lengths = jz__http_header_count(request, "content-length");
    size_t codings = jz__http_header_count(request, "transfer-encoding");
    struct jz__str value;

    if (lengths > 0 && codings > 0) {
        return refuse(400, reason, "both Content-Length and Transfer-Encoding");
    }
    if (lengths > 1 || codings > 1) {
        return refuse(400, reason, "a framing header is repeated");
    }
    if (codings == 1) {
        (void)jz__http_header(&value, request, "transfer-encoding");
        if (request->minor == 0) {
            return refuse(400, reason, "Transfer-Encoding in HTTP/1.0");
        }
        if (!jz__str_is_nocase(value, "chunked")) {
            return refuse(501, reason, "Transfer-Encoding is not supported");
        }
        request->is_chunked = true;
        return 0;
    }
    if (lengths == 0) {
        return 0;
    }
    (void)jz__http_header(&value, request, "content-length");
    return check_length(request, value, reason);
}

int jz__head_check(struct jz__http_request *request, const char **reason)
{
    struct jz__str expect;
    int status = check_host(request, reason);

    if (status == 0) {
        status = check_framing(request, reason);
    }
    if (status != 0 || jz__http_header_count(request, "expect") == 0) {
        return status;
    }
    if (!jz__http_header(&expect, request, "expect") ||
        !jz__str_is_nocase(expect, "100-continue")) {
        return refuse(417, reason, "Expect is not 100-continue");
    }
    request->wants_continue =
        request->minor > 0 &&
        (request->is_chunked || request->content_length > 0);
    return 0;
}
