/* SPDX-License-Identifier: Apache-2.0 */
/* Host and Origin values: what a server takes and what it refuses. */
#include "net/origin.h"

#include "base/mem.h"
#include "net/url.h"
#include "tap.h"

static const char *const box[] = { "box.lan:8787" };
static const struct jz__origin_rules proxied = {
    .public_url = "https://memory.example.test",
    .server_host = "127.0.0.1",
    .allowed_hosts = box,
    .allowed_host_count = 1,
};

struct host_case {
    const char *host;
    bool allowed;
};

static void check_hosts(const struct jz__origin_rules *rules,
                        const struct host_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool allowed =
            jz__origin_host_allowed(rules, jz__str_of(cases[i].host));

        if (!CHECK(allowed == cases[i].allowed)) {
            printf("# Host '%s'\n", cases[i].host);
        }
    }
}

static void hosts_behind_a_proxy(void)
{
    static const struct host_case cases[] = {
        { "memory.example.test", true },
        { "memory.example.test:443", true },
        { "MEMORY.EXAMPLE.TEST", true },
        { "127.0.0.1", true },
        { "127.0.0.1:8787", true },
        { "localhost:9999", true },
        { "[::1]:8787", true },
        { "[::1]", true },
        { "box.lan:8787", true },
        { "box.lan", false },
        { "evil.example", false },
        { "127.0.0.1.evil.example", false },
        { "localhost.evil.example:8787", false },
        { "memory.example.test.evil.example", false },
    };

    check_hosts(&proxied, cases, JZ__LENGTH(cases));
}

static void hosts_that_are_no_host(void)
{
    static const struct host_case cases[] = {
        { "", false },
        { ":8787", false },
        { "localhost:", false },
        { "localhost:http", false },
        { "localhost:99999", false },
        { "localhost:8787:1", false },
        { "localhost.", false },
        { "user@localhost", false },
        { "localhost/", false },
        { "::1", false },
        { "[::1", false },
        { "[::1]x", false },
        { "[localhost]", false },
        { "xlocalhost", false },
        { "local", false },
    };

    check_hosts(&proxied, cases, JZ__LENGTH(cases));
}

static void allowed_hosts_take_no_port_one_or_any(void)
{
    static const char *const allowed[] = { "plain.lan", "any.lan:*",
                                           "[fd00::7]:*", "[fd00::8]" };
    static const struct jz__origin_rules rules = { .allowed_hosts = allowed,
                                                   .allowed_host_count = 4 };
    static const struct host_case cases[] = {
        { "plain.lan", true },       { "Plain.Lan", true },
        { "plain.lan:80", false },   { "any.lan", true },
        { "any.lan:1", true },       { "any.lan:*", false },
        { "x.any.lan:1", false },    { "[fd00::7]", true },
        { "[FD00::7]:8765", true },  { "[fd00::8]", true },
        { "[fd00::8]:8765", false }, { "fd00::8", false },
    };

    check_hosts(&rules, cases, JZ__LENGTH(cases));
}

static void the_servers_own_host_is_allowed(void)
{
    static const struct jz__origin_rules named = { .server_host = "nas.lan" };
    static const struct jz__origin_rules bracketed = { .server_host = "[::2]" };
    static const struct jz__origin_rules six = { .server_host = "::2" };
    static const struct host_case named_cases[] = {
        { "nas.lan", true },
        { "NAS.lan:8765", true },
        { "192.168.0.9:8765", false },
    };
    static const struct host_case six_cases[] = {
        { "[::2]", true },
        { "[::2]:8765", true },
        { "[::3]:8765", false },
    };

    check_hosts(&named, named_cases, JZ__LENGTH(named_cases));
    check_hosts(&bracketed, six_cases, JZ__LENGTH(six_cases));
    check_hosts(&six, six_cases, JZ__LENGTH(six_cases));
}

static void origins_are_judged_on_their_own(void)
{
    static const struct host_case cases[] = {
        { "https://memory.example.test", true },
        { "HTTPS://Memory.example.test:443", true },
        { "http://localhost:5173", true },
        { "http://localhost", true },
        { "http://127.0.0.1:1", true },
        { "http://[::1]:5173", true },
        { "http://memory.example.test", false },
        { "https://memory.example.test:8443", false },
        { "https://localhost:5173", false },
        { "http://localhost.evil.example", false },
        { "https://evil.example", false },
        { "http://box.lan:8787", false },
        { "null", false },
        { "", false },
        { "localhost", false },
        { "http://", false },
        { "http://localhost:5173/", false },
        { "http://localhost@evil.example", false },
        { "http://evil.example@localhost", false },
        { "file://localhost", false },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        bool allowed = jz__origin_allowed(&proxied, jz__str_of(cases[i].host));

        if (!CHECK(allowed == cases[i].allowed)) {
            printf("# Origin '%s'\n", cases[i].host);
        }
    }
}

static void a_url_is_cut_at_its_places(void)
{
    struct jz__url url;

    CHECK(jz__url_parse(&url, JZ__STR("https://[::1]:8443/a?b")));
    CHECK(jz__str_is(url.host, "::1"));
    CHECK(jz__str_is(url.authority, "[::1]:8443"));
    CHECK(jz__str_is(url.path, "/a?b"));
    CHECK_INT(url.port, 8443);
    CHECK(jz__url_parse(&url, JZ__STR("http://x")));
    CHECK_INT(url.port, 80);
    CHECK_INT(url.path.length, 0);
    CHECK(!jz__url_parse(&url, JZ__STR("ftp://x/")));
    CHECK(!jz__url_parse(&url, JZ__STR("http:///x")));
    CHECK(!jz__url_parse(&url, JZ__STR("http://x:65536/")));
}

int main(void)
{
    TAP_RUN(hosts_behind_a_proxy);
    TAP_RUN(hosts_that_are_no_host);
    TAP_RUN(allowed_hosts_take_no_port_one_or_any);
    TAP_RUN(the_servers_own_host_is_allowed);
    TAP_RUN(origins_are_judged_on_their_own);
    TAP_RUN(a_url_is_cut_at_its_places);
    return tap_done();
}
