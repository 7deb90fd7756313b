/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A browser sends the name that its user typed, so a page that points a name
 * of its own at 127.0.0.1 is told by that name. Two mistakes are common
 * elsewhere and avoided here: to compare by prefix, which lets
 * localhost.evil.example in, and to demand the exact port, which refuses every
 * proxy that forwards the bare name.
 *
 * Both checks are pure functions of their arguments.
 */
#include "net/origin.h"

#include <string.h>

#include "base/mem.h"
#include "net/url.h"

/* Without brackets, as jz__url_split_authority() gives them. */
static const char *const loopback_names[] = { "127.0.0.1", "localhost", "::1" };

static bool equal_nocase(struct jz__str a, struct jz__str b)
{
    return a.length == b.length &&
           (a.length == 0 || strncasecmp(a.data, b.data, a.length) == 0);
}

/* [::1] is an address and ::1 a port without a name: a name that holds a colon
 * is only right in brackets, and only such a name is. */
static bool split(struct jz__str *host, int *port, struct jz__str text)
{
    return jz__url_split_authority(host, port, text) &&
           jz__str_starts(text, "[") ==
               (memchr(host->data, ':', host->length) != NULL);
}

static bool is_own_name(const struct jz__origin_rules *rules,
                        struct jz__str host)
{
    struct jz__str own = jz__str_of(rules->server_host);

    if (jz__str_starts(own, "[") && jz__str_ends(own, "]")) {
        own = (struct jz__str){ own.data + 1, own.length - 2 };
    }
    if (own.length > 0 && equal_nocase(host, own)) {
        return true;
    }
    for (size_t i = 0; i < JZ__LENGTH(loopback_names); i++) {
        if (jz__str_is_nocase(host, loopback_names[i])) {
            return true;
        }
    }
    return false;
}

/* Any port: a proxy may listen on another one than the URL names. */
static bool is_public_host(const struct jz__origin_rules *rules,
                           struct jz__str host)
{
    struct jz__url url;

    return jz__url_parse(&url, jz__str_of(rules->public_url)) &&
           equal_nocase(host, url.host);
}

/* "name" is the name alone, as it was written by somebody who wanted that. */
static bool entry_allows(const char *entry, struct jz__str host, int port)
{
    struct jz__str wanted = jz__str_of(entry);
    struct jz__str name;
    bool any_port = jz__str_ends(wanted, ":*");
    int wanted_port;

    if (any_port) {
        wanted.length -= 2;
    }
    if (!split(&name, &wanted_port, wanted) || !equal_nocase(host, name)) {
        return false;
    }
    return any_port || port == wanted_port;
}

bool jz__origin_host_allowed(const struct jz__origin_rules *rules,
                             struct jz__str host)
{
    struct jz__str name;
    int port;

    if (!split(&name, &port, host)) {
        return false;
    }
    if (is_own_name(rules, name) || is_public_host(rules, name)) {
        return true;
    }
    for (size_t i = 0; i < rules->allowed_host_count; i++) {
        if (entry_allows(rules->allowed_hosts[i], name, port)) {
            return true;
        }
    }
    return false;
}

bool jz__origin_allowed(const struct jz__origin_rules *rules,
                        struct jz__str origin)
{
    struct jz__url asked;
    struct jz__url url;
    struct jz__str host;
    int port;

    /* An origin ends behind its port; "null" is no URL at all. */
    if (!jz__url_parse(&asked, origin) || asked.path.length > 0 ||
        !split(&host, &port, asked.authority)) {
        return false;
    }
    if (jz__url_parse(&url, jz__str_of(rules->public_url)) &&
        equal_nocase(asked.scheme, url.scheme) &&
        equal_nocase(asked.host, url.host) && asked.port == url.port) {
        return true;
    }
    return jz__str_is_nocase(asked.scheme, "http") &&
           is_own_name(rules, asked.host);
}
