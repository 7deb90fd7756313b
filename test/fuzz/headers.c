/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of Host and Origin against rules of every kind. The input is four
 * lines: public_url, the server's own host, an entry of allowed_hosts, and the
 * value, which is taken for a Host and for an Origin.
 *
 * What is accepted is held against a second reading, made of text alone: the
 * value is a name that the rules write, with or without a port behind it. So a
 * name that only begins or ends like an allowed one can never pass.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/origin.h"
#include "net/url.h"

#define LINES 4
#define LINE_MOST 512

struct input {
    char text[LINES][LINE_MOST];
    struct jz__str value; /* the last line, with all of its bytes */
};

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Rules are NUL-terminated text; only the value may hold any byte. */
static void read_input(struct input *out, const char *data, size_t size)
{
    struct jz__str rest = { data, size };

    *out = (struct input){ .value = { "", 0 } };
    for (size_t i = 0; i < LINES; i++) {
        const char *end = i + 1 < LINES && rest.length > 0
                              ? memchr(rest.data, '\n', rest.length)
                              : NULL;
        size_t length = end != NULL ? (size_t)(end - rest.data) : rest.length;

        (void)snprintf(out->text[i], LINE_MOST, "%.*s", (int)length, rest.data);
        out->value = (struct jz__str){ rest.data, length };
        length += end != NULL;
        rest = (struct jz__str){ rest.data + length, rest.length - length };
    }
}

/* Is it nothing, or a colon and a port? */
static bool is_port(struct jz__str text)
{
    long port = 0;

    if (text.length == 0) {
        return true;
    }
    if (text.data[0] != ':' || text.length < 2 || text.length > 6) {
        return false;
    }
    for (size_t i = 1; i < text.length; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        port = port * 10 + (text.data[i] - '0');
    }
    return port <= 65535;
}

static bool is_name_and_port(struct jz__str value, struct jz__str name)
{
    return name.length > 0 && value.length >= name.length &&
           strncasecmp(value.data, name.data, name.length) == 0 &&
           is_port((struct jz__str){ value.data + name.length,
                                     value.length - name.length });
}

/* Without the port that stands at its end. */
static struct jz__str cut_port(struct jz__str text)
{
    size_t end = text.length;

    while (end > 0 && text.data[end - 1] >= '0' && text.data[end - 1] <= '9') {
        end--;
    }
    if (end > 0 && end < text.length && text.data[end - 1] == ':') {
        text.length = end - 1;
    }
    return text;
}

/* The text between the scheme and the path. */
static struct jz__str authority_of(const char *url)
{
    const char *start = strstr(url, "://");

    return start != NULL
               ? (struct jz__str){ start + 3, strcspn(start + 3, "/?#") }
               : JZ__STR("");
}

static bool is_own(const struct input *input, struct jz__str value)
{
    struct jz__str own = jz__str_of(input->text[1]);
    char bracketed[LINE_MOST + 2];

    /* Written in brackets, which only an address needs. */
    if (jz__str_starts(own, "[") && jz__str_ends(own, "]")) {
        own = (struct jz__str){ own.data + 1, own.length - 2 };
    }
    (void)snprintf(bracketed, sizeof(bracketed), "[%s]", input->text[1]);
    return is_name_and_port(value, JZ__STR("localhost")) ||
           is_name_and_port(value, JZ__STR("127.0.0.1")) ||
           is_name_and_port(value, JZ__STR("[::1]")) ||
           is_name_and_port(value, own) ||
           is_name_and_port(value, jz__str_of(input->text[1])) ||
           (strchr(bracketed, ':') != NULL &&
            is_name_and_port(value, jz__str_of(bracketed)));
}

static bool is_public(const struct input *input, struct jz__str value)
{
    return is_name_and_port(value, cut_port(authority_of(input->text[0])));
}

static bool is_listed(const struct input *input, struct jz__str value)
{
    struct jz__str entry = jz__str_of(input->text[2]);

    if (jz__str_ends(entry, ":*")) {
        entry.length -= 2;
    }
    return is_name_and_port(value, cut_port(entry));
}

static void check_host(const struct jz__origin_rules *rules,
                       const struct input *input)
{
    struct jz__str value = input->value;

    if (jz__origin_host_allowed(rules, value)) {
        require(is_own(input, value) || is_public(input, value) ||
                is_listed(input, value));
    } else {
        require(!is_name_and_port(value, JZ__STR("localhost")) &&
                !is_name_and_port(value, JZ__STR("[::1]")));
    }
}

static void check_origin(const struct jz__origin_rules *rules,
                         const struct input *input)
{
    struct jz__str value = input->value;
    struct jz__str authority;

    if (!jz__origin_allowed(rules, value)) {
        return;
    }
    require(jz__str_starts_nocase(value, "http://") ||
            jz__str_starts_nocase(value, "https://"));
    authority = value;
    authority.data += jz__str_find(value, "://") + 3;
    authority.length -= (size_t)(authority.data - value.data);
    require(
        is_public(input, authority) ||
        (jz__str_starts_nocase(value, "http:") && is_own(input, authority)));
}

/* The parts of an address are slices of it, in their order and without gaps. */
static void check_url(struct jz__str text)
{
    struct jz__url url;

    if (!jz__url_parse(&url, text)) {
        return;
    }
    require(url.port >= 0 && url.port <= 65535);
    require(url.scheme.data == text.data);
    require(url.authority.data == text.data + url.scheme.length + 3);
    require(url.path.data == url.authority.data + url.authority.length);
    require(url.path.data + url.path.length == text.data + text.length);
    require(url.host.length > 0 && url.host.data >= url.authority.data &&
            url.host.data + url.host.length <= url.path.data);
    require(memchr(url.authority.data, '@', url.authority.length) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct input input;
    const char *const hosts[] = { input.text[2] };
    const struct jz__origin_rules rules = {
        .public_url = input.text[0],
        .server_host = input.text[1],
        .allowed_hosts = hosts,
        .allowed_host_count = 1,
    };

    /* Longer lines would be cut for the rules alone. */
    if (size < LINE_MOST) {
        read_input(&input, (const char *)data, size);
        check_host(&rules, &input);
        check_origin(&rules, &input);
        check_url(input.value);
    }
    return 0;
}
