/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Absolute links come from public_url, whatever the headers of a request say: a
 * proxy's X-Forwarded-* can be sent by anyone, and a client compares the links
 * with the address that it was given. Without public_url the Host that was
 * checked is the address.
 *
 * A server behind a proxy at https://host/lib is known by the metadata
 * addresses /lib/.well-known/…/mcp (the proxy strips /lib, or does not) and, by
 * RFC 9728, /.well-known/…/lib/mcp.
 */
#include "route_case.h"

#include <string.h>

#include "base/mem.h"
#include "net/url.h"

#define METADATA_PATH "/.well-known/oauth-protected-resource"

/* Does path consist of these parts, one behind the other? */
static bool is_path(struct jz__str path, const struct jz__str *parts,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (path.length < parts[i].length ||
            memcmp(path.data, parts[i].data, parts[i].length) != 0) {
            return false;
        }
        path.data += parts[i].length;
        path.length -= parts[i].length;
    }
    return path.length == 0;
}

/* The path of public_url, without a slash at its end; "" without one. */
static struct jz__str public_prefix(const struct route_rules *rules)
{
    struct jz__str none = JZ__STR("");
    struct jz__url url;

    if (!jz__url_parse(&url, jz__str_of(rules->origin.public_url))) {
        return none;
    }
    while (jz__str_ends(url.path, "/")) {
        url.path.length--;
    }
    return url.path;
}

bool route_is_metadata(const struct route_rules *rules, struct jz__str path)
{
    const struct jz__str prefix = public_prefix(rules);
    const struct jz__str mcp = jz__str_of(rules->mcp_path);
    const struct jz__str place = JZ__STR(METADATA_PATH);
    const struct jz__str none = JZ__STR("");
    const struct jz__str forms[][3] = {
        { place, none, none },   { place, mcp, none },   { place, prefix, mcp },
        { prefix, place, none }, { prefix, place, mcp },
    };

    for (size_t i = 0; i < JZ__LENGTH(forms); i++) {
        if (is_path(path, forms[i], JZ__LENGTH(forms[i]))) {
            return true;
        }
    }
    return false;
}

/* Without a slash at its end. */
static void put_base(struct jz__buf *out, const struct route_case *asked)
{
    const char *public_url = asked->rules->origin.public_url;

    if (public_url == NULL) {
        jz__buf_puts(out, asked->rules->is_https ? "https://" : "http://");
        jz__buf_append(out, asked->request->host.data,
                       asked->request->host.length);
        return;
    }
    jz__buf_puts(out, public_url);
    while (out->length > 0 && out->data[out->length - 1] == '/') {
        jz__buf_truncate(out, out->length - 1);
    }
}

static void put(struct jz__buf *out, const struct route_case *asked,
                const char *place)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf url = JZ__BUF_INIT;

    put_base(&url, asked);
    jz__buf_puts(&url, place);
    jz__buf_puts(&url, asked->rules->mcp_path);
    if (url.error != 0) {
        out->error = url.error;
        return;
    }
    jz__buf_append(out, url.data, url.length);
}

void route_put_resource(struct jz__buf *out, const struct route_case *asked)
{
    put(out, asked, "");
}

void route_put_metadata_url(struct jz__buf *out, const struct route_case *asked)
{
    put(out, asked, METADATA_PATH);
}
