/* SPDX-License-Identifier: Apache-2.0 */
/* Which servers go through which proxy, and what a proxy's URL says. */
#include "net/proxy.h"

#include "base/mem.h"
#include "net/address.h"
#include "tap.h"

static void check_find(const char *url, struct jz__proxy_settings settings,
                       const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    struct jz__error error = { 0 };
    int r = jz__proxy_find(&out, url, &settings, &error);

    if (r != 0) {
        CHECK_INT(r, JZ_EINVAL);
        CHECK_INT(out.length, 0);
        CHECK_STR(error.message, want);
    } else {
        CHECK_STR(out.length > 0 ? out.data : "", want);
    }
}

static void each_scheme_has_its_variable(void)
{
    struct jz__proxy_settings both = { .https_proxy = "http://a:1",
                                       .http_proxy = "http://b:2" };
    struct jz__proxy_settings empty = { .https_proxy = "", .http_proxy = " " };
    struct jz__proxy_settings none = { 0 };

    check_find("https://desk.example", both, "http://a:1");
    check_find("HTTP://desk.example", both, "http://b:2");
    check_find("https://desk.example", empty, "");
    check_find("http://desk.example", empty, "");
    check_find("https://desk.example", none, "");
}

static void loopback_goes_direct(void)
{
    static const char *const urls[] = {
        "http://localhost:8787", "http://LOCALHOST",    "http://localhost.",
        "http://x.localhost",    "http://127.0.0.1:80", "http://127.9.9.9",
        "http://[::1]:8787",
    };
    struct jz__proxy_settings settings = { .http_proxy = "http://p:1" };

    for (size_t i = 0; i < JZ__LENGTH(urls); i++) {
        check_find(urls[i], settings, "");
    }
    check_find("http://notlocalhost", settings, "http://p:1");
    check_find("http://localhost.example", settings, "http://p:1");
    check_find("http://128.0.0.1", settings, "http://p:1");
}

/* Does the list name the server of the URL? */
static void check_list(const char *list, const char *url, bool is_named)
{
    struct jz__proxy_settings settings = { .http_proxy = "p:1",
                                           .no_proxy = list };

    check_find(url, settings, is_named ? "" : "p:1");
}

static void names_are_excepted(void)
{
    check_list("*", "http://desk.example", true);
    check_list("desk.example", "http://desk.example", true);
    check_list("DESK.example", "http://desk.EXAMPLE", true);
    check_list("desk.example.", "http://desk.example", true);
    check_list("desk.example", "http://desk.example.", true);
    check_list("example", "http://desk.example", true);
    check_list(".example", "http://desk.example", true);
    check_list("*.example", "http://desk.example", true);
    check_list(".desk.example", "http://desk.example", true);
    check_list("sk.example", "http://desk.example", false);
    check_list("desk.example.org", "http://desk.example", false);
    check_list("a.desk.example", "http://desk.example", false);
    check_list("", "http://desk.example", false);
    check_list(".", "http://desk.example", false);
    check_list("a, desk.example ,b", "http://desk.example", true);
    check_list("a desk.example\tb", "http://desk.example", true);
    check_list(",,a,,", "http://desk.example", false);
}

static void ports_are_looked_at(void)
{
    check_list("desk.example:80", "http://desk.example", true);
    check_list("desk.example:81", "http://desk.example", false);
    check_list("desk.example:81", "http://desk.example:81", true);
    check_list("desk.example:x", "http://desk.example", false);
    check_list("[fd00::1]:81", "http://[fd00::1]:81", true);
    check_list("[fd00::1]:81", "http://[fd00::1]:82", false);
    check_list("10.0.0.1:81", "http://10.0.0.1:81", true);
}

static void addresses_are_excepted(void)
{
    check_list("10.0.0.1", "http://10.0.0.1", true);
    check_list("10.0.0.1", "http://10.0.0.11", false);
    check_list("0.0.1", "http://10.0.0.1", false);
    check_list("fd00::1", "http://[FD00:0::1]", true);
    check_list("[fd00::1]", "http://[fd00::1]", true);
    check_list("fd00::1", "http://[fd00::2]", false);
    check_list("::ffff:10.0.0.1", "http://10.0.0.1", true);
}

static void blocks_are_excepted(void)
{
    check_list("10.0.0.0/8", "http://10.200.3.4", true);
    check_list("10.0.0.0/8", "http://11.0.0.1", false);
    check_list("192.168.4.0/22", "http://192.168.7.255", true);
    check_list("192.168.4.0/22", "http://192.168.8.0", false);
    check_list("0.0.0.0/0", "http://8.8.8.8", true);
    check_list("0.0.0.0/0", "http://[fd00::1]", false);
    check_list("10.0.0.1/32", "http://10.0.0.1", true);
    check_list("fd00::/8", "http://[fdff::1]", true);
    check_list("fd00::/8", "http://[fe80::1]", false);
    check_list("::/0", "http://[fe80::1]", true);
    check_list("10.0.0.0/33", "http://10.0.0.0", false);
    check_list("10.0.0.0/", "http://10.0.0.0", false);
    check_list("10.0.0.0/-1", "http://10.0.0.0", false);
    check_list("10.0.0.0/1000", "http://10.0.0.0", false);
    check_list("10.0.0.0/8", "http://desk.example", false);
}

static void wrong_proxies_are_told_without_their_value(void)
{
    struct jz__proxy_settings settings = { .http_proxy =
                                               "socks5://me:word@p:1" };

    check_find("http://desk.example", settings,
               "HTTP_PROXY is of a kind that is not supported (socks5), only "
               "http is");
    settings.http_proxy = "me:word://p";
    check_find("http://desk.example", settings,
               "HTTP_PROXY is not the URL of a proxy");
    settings.http_proxy = "http://me:word@";
    check_find("http://desk.example", settings,
               "HTTP_PROXY is not the URL of a proxy");
    settings.http_proxy = "http://me:word%zz@p:1";
    check_find("http://desk.example", settings,
               "HTTP_PROXY has a name or password that is not "
               "percent-encoded");
    settings.https_proxy = "https://me:word@p:1";
    check_find("https://desk.example", settings,
               "HTTPS_PROXY is of a kind that is not supported (https), only "
               "http is");
    check_find("desk.example", settings,
               "'desk.example' is no http or https URL");
}

/* "host port authorization" */
static void check_parse(const char *text, const char *want)
{
    struct jz__proxy proxy;
    struct jz__error error = { 0 };
    char got[256];

    if (jz__proxy_parse(&proxy, jz__str_of(text), &error) != 0) {
        CHECK(proxy.host == NULL && proxy.authorization == NULL);
        CHECK_STR(error.message, want);
        return;
    }
    (void)snprintf(got, sizeof(got), "%s %d %s", proxy.host, proxy.port,
                   proxy.authorization != NULL ? proxy.authorization : "-");
    CHECK_STR(got, want);
    jz__proxy_finish(&proxy);
}

static void proxies_are_taken_apart(void)
{
    check_parse("http://proxy.example:3128", "proxy.example 3128 -");
    check_parse("HTTP://proxy.example:3128/", "proxy.example 3128 -");
    check_parse(" proxy.example:3128/x?y ", "proxy.example 3128 -");
    check_parse("proxy.example", "proxy.example 80 -");
    check_parse("http://[fd00::1]:3128", "fd00::1 3128 -");
    check_parse("", "is not the URL of a proxy");
    check_parse("http://", "is not the URL of a proxy");
    check_parse("http:///x", "is not the URL of a proxy");
    check_parse("proxy.example:port", "is not the URL of a proxy");
    check_parse("proxy example:1", "is not the URL of a proxy");
    check_parse("proxy\r\nX: y", "is not the URL of a proxy");
}

static void credentials_are_decoded(void)
{
    /* a:b, me:p@ss:w, me:, and with two bytes of UTF-8 */
    check_parse("http://a:b@p:1", "p 1 Basic YTpi");
    check_parse("me:p%40ss:w@p:1", "p 1 Basic bWU6cEBzczp3");
    check_parse("me:p@ss:w@p:1", "p 1 Basic bWU6cEBzczp3");
    check_parse("me@p", "p 80 Basic bWU6");
    check_parse("m%C3%A9:x@p", "p 80 Basic bcOpOng=");
    check_parse("me:%0d%0aX@p",
                "has a name or password that is not percent-encoded");
}

int main(void)
{
    TAP_RUN(each_scheme_has_its_variable);
    TAP_RUN(loopback_goes_direct);
    TAP_RUN(names_are_excepted);
    TAP_RUN(ports_are_looked_at);
    TAP_RUN(addresses_are_excepted);
    TAP_RUN(blocks_are_excepted);
    TAP_RUN(wrong_proxies_are_told_without_their_value);
    TAP_RUN(proxies_are_taken_apart);
    TAP_RUN(credentials_are_decoded);
    return tap_done();
}
