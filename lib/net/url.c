/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses are cut at fixed places and never decoded: what is compared or
 * sent on is exactly what was written. A host is a run of bytes here; whether
 * it is a name that exists is for the resolver to say.
 */
#include "net/url.h"

#include <string.h>

#include "base/mem.h"

static const struct {
    const char *name;
    int port;
} schemes[] = {
    { "http", 80 },
    { "https", 443 },
};

static struct jz__str skip(struct jz__str text, size_t count)
{
    return (struct jz__str){ text.data + count, text.length - count };
}

static struct jz__str first(struct jz__str text, size_t count)
{
    return (struct jz__str){ text.data, count };
}

/* Leading zeros are refused with all that is longer than five digits. */
static bool parse_port(int *out, struct jz__str text)
{
    int value = 0;

    if (text.length == 0 || text.length > 5) {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        value = value * 10 + (text.data[i] - '0');
    }
    *out = value;
    return value <= 65535;
}

/* An address in brackets may hold colons; a name ends at its first. */
bool jz__url_split_authority(struct jz__str *host, int *port,
                             struct jz__str authority)
{
    struct jz__str rest;
    size_t end;

    *port = -1;
    if (jz__str_starts(authority, "[")) {
        end = jz__str_find(authority, "]");
        if (end == SIZE_MAX) {
            return false;
        }
        *host = (struct jz__str){ authority.data + 1, end - 1 };
        rest = skip(authority, end + 1);
    } else {
        end = jz__str_find(authority, ":");
        end = end == SIZE_MAX ? authority.length : end;
        *host = first(authority, end);
        rest = skip(authority, end);
    }
    if (host->length == 0) {
        return false;
    }
    return rest.length == 0 ||
           (rest.data[0] == ':' && parse_port(port, skip(rest, 1)));
}

bool jz__url_parse(struct jz__url *out, struct jz__str text)
{
    size_t colon = jz__str_find(text, "://");
    struct jz__str rest;
    size_t end = 0;

    *out = (struct jz__url){ .port = -1 };
    if (colon == SIZE_MAX) {
        return false;
    }
    out->scheme = first(text, colon);
    rest = skip(text, colon + 3);
    while (end < rest.length && strchr("/?#", rest.data[end]) == NULL) {
        end++;
    }
    out->authority = first(rest, end);
    out->path = skip(rest, end);
    /* A name and a password in front of the host are how a link is made to look
     * like one to another place. */
    if (jz__str_find(out->authority, "@") != SIZE_MAX ||
        !jz__url_split_authority(&out->host, &out->port, out->authority)) {
        return false;
    }
    for (size_t i = 0; i < JZ__LENGTH(schemes); i++) {
        if (jz__str_is_nocase(out->scheme, schemes[i].name)) {
            out->port = out->port < 0 ? schemes[i].port : out->port;
            return true;
        }
    }
    return false;
}

static bool is_in_127(struct jz__str host)
{
    for (size_t i = 0; i < host.length; i++) {
        if (host.data[i] != '.' && (host.data[i] < '0' || host.data[i] > '9')) {
            return false;
        }
    }
    return jz__str_starts(host, "127.");
}

/* By the text alone, without asking a resolver: a name that resolves to
 * 127.0.0.1 today may resolve to something else tomorrow, and the answer decides
 * whether strangers may read. "127.1" and the like are addresses of this
 * computer too; whatever else begins so and is none fails when it is used. */
bool jz__url_is_loopback(struct jz__str host)
{
    return jz__str_is_nocase(host, "localhost") || jz__str_is(host, "::1") ||
           jz__str_is(host, "[::1]") || is_in_127(host);
}
