#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server behind nginx: at the root and below a prefix, with HTTP and HTTPS
before it, with TLS behind it, whatever headers the proxy adds.

usage: proxy.py JEZERO_SERVER
"""

import gzip
import hashlib
import http.client
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import certificates  # noqa: E402
import tools  # noqa: E402
from jzserver import Server, bearer, client, item  # noqa: E402
from nginx import Nginx  # noqa: E402
from tap import Tap  # noqa: E402
from tlsserver import TlsServer, make_folder, trusting  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
KEY = "desk-key-0b93d5"
CLIENTS = client("desk", KEY, upload=True, metrics=True)
METADATA = "/.well-known/oauth-protected-resource"
PUBLIC = "https://memory.example.test"
MCP = {"Content-Type": "application/json",
       "Accept": "application/json, text/event-stream"}
# What proxies add, and what their clients may have put there before.
LYING = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "ftp",
         "X-Forwarded-Port": "1", "X-Forwarded-Prefix": "/evil",
         "X-Forwarded-For": "192.0.2.9", "X-Real-IP": "192.0.2.9",
         "X-Original-Host": "evil.example", "X-Host": "evil.example",
         "Forwarded": "for=192.0.2.9;host=evil.example;proto=ftp"}
tap = Tap()


def call(method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                       "params": params}).encode()


def tool(name, **arguments):
    return call("tools/call", name=name, arguments=arguments)


# Method, path, body, headers: each is to be the same with and without a proxy.
REQUESTS = [
    ("GET", "/healthz", None, {}),
    ("HEAD", "/healthz", None, {}),
    ("POST", "/healthz", b"{}", {}),
    ("GET", METADATA, None, {}),
    ("GET", METADATA + "/mcp", None, {}),
    ("POST", "/mcp", call("ping"), MCP),
    ("POST", "/mcp", call("ping"), dict(MCP, **bearer("wrong-key"))),
    ("POST", "/mcp", call("ping"), dict(MCP, **bearer(KEY))),
    ("POST", "/mcp", call("tools/list"), dict(MCP, **bearer(KEY))),
    ("POST", "/mcp", tool("search", query="invoice"), dict(MCP, **bearer(KEY))),
    ("POST", "/mcp", tool("get_item", item_id=1), dict(MCP, **bearer(KEY))),
    ("POST", "/mcp", b"no json", dict(MCP, **bearer(KEY))),
    ("POST", "/mcp", call("ping"), dict(bearer(KEY), **{"Content-Type": "text/x"})),
    ("GET", "/mcp", None, bearer(KEY)),
    ("DELETE", "/mcp", None, bearer(KEY)),
    ("GET", "/inbox/v1", None, bearer(KEY)),
    ("GET", "/inbox/v1", None, {}),
    ("PUT", "/inbox/v1/nobody/x", b"x", bearer(KEY)),
    ("GET", "/nowhere", None, {}),
    ("POST", "/mcp", call("ping"), dict(MCP, Origin="https://evil.example",
                                        **bearer(KEY))),
]
KEPT = ("www-authenticate", "allow", "content-type", "retry-after")


def ask(place, method, path, body, headers, context=None):
    """(status, body, the headers that matter)"""
    if context:
        conn = http.client.HTTPSConnection("localhost", place[1], timeout=60,
                                           context=context)
    else:
        conn = http.client.HTTPConnection("127.0.0.1", place[1], timeout=60)
    try:
        conn.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        conn.putheader("Host", place[0])
        for name, value in headers.items():
            conn.putheader(name, value)
        if body is not None:
            conn.putheader("Content-Length", str(len(body)))
        conn.endheaders(body)
        answer = conn.getresponse()
        text = answer.read()
        kept = {name: answer.getheader(name) for name in KEPT
                if answer.getheader(name) is not None}
        return answer.status, text, kept
    finally:
        conn.close()


def start(public, kind=Server, *more, **options):
    return kind(PROGRAM, *more, tables=CLIENTS, items=[item("1", "Invoice export")],
                config='public_url = "%s"\nmetrics = true\n' % public, **options)


def compare(server, proxy, prefix="", context=None, direct_context=None):
    for method, path, body, headers in REQUESTS:
        what = "%s %s %s" % (method, path, sorted(headers))
        want = ask(("127.0.0.1:%d" % server.port, server.port), method, path,
                   body, headers, direct_context)
        got = ask(("memory.example.test", proxy.port), method, prefix + path,
                  body, dict(headers, **LYING), context)
        tap.equal(got, want, what)
        if "evil" in what:
            continue
        tap.check(b"evil" not in got[1] and "evil" not in str(got[2]), got)


def check_links(proxy, resource, link, prefix="", context=None):
    place = ("memory.example.test", proxy.port)
    status, body, _ = ask(place, "GET", prefix + METADATA + "/mcp", None, LYING,
                          context)
    tap.equal((status, json.loads(body)["resource"]), (200, resource), "resource")
    status, _, kept = ask(place, "POST", prefix + "/mcp", call("ping"),
                          dict(MCP, **LYING), context)
    tap.equal(status, 401, "without a key")
    tap.check('resource_metadata="%s"' % link in kept["www-authenticate"], kept)


def block(server, location="/", upstream="", lines="", listen="", scheme="http",
          more=""):
    return """
    %s
    server {
        listen 127.0.0.1:{port}%s;
        client_max_body_size 300m;
        location %s {
            proxy_pass %s://%s;
            %s
        }
    }""" % (more, listen, location, scheme,
            upstream or "127.0.0.1:%d/" % server.port, lines)


def test_at_the_root_all_is_as_without_a_proxy():
    hosts = ["", "proxy_set_header Host $host;", "proxy_set_header Host $http_host;",
             "proxy_set_header Host $host:443;", "proxy_set_header Host localhost;",
             'proxy_set_header Host "memory.example.test:8443";']
    with start(PUBLIC) as server:
        for lines in hosts:
            with Nginx(NGINX, server.folder, block(server, lines=lines)) as proxy:
                compare(server, proxy)
                check_links(proxy, PUBLIC + "/mcp", PUBLIC + METADATA + "/mcp")
        wrong = "proxy_set_header Host evil.example;"
        with Nginx(NGINX, server.folder, block(server, lines=wrong)) as proxy:
            got = ask(("memory.example.test", proxy.port), "GET", "/healthz", None,
                      {})
            tap.equal(got[:2], (421, b"Invalid Host header"), "another name")


def test_below_a_prefix_links_keep_it():
    public = PUBLIC + "/lib"
    with start(public) as server:
        with Nginx(NGINX, server.folder, block(server, "/lib/")) as proxy:
            compare(server, proxy, "/lib")
            check_links(proxy, public + "/mcp", public + METADATA + "/mcp", "/lib")
        # One that hands the prefix on.
        kept = "127.0.0.1:%d" % server.port
        with Nginx(NGINX, server.folder, block(server, "/", kept)) as proxy:
            for path in ("/lib" + METADATA, METADATA + "/lib/mcp"):
                got = ask(("memory.example.test", proxy.port), "GET", path, None,
                          LYING)
                tap.equal((got[0], json.loads(got[1])["resource"]),
                          (200, public + "/mcp"), path)


def test_https_before_it_and_behind():
    listen = """ ssl;
        ssl_certificate %s;
        ssl_certificate_key %s""" % (PAIR.cert, PAIR.key)
    context = trusting(PAIR.cert)
    with start(PUBLIC) as server:
        with Nginx(NGINX, server.folder, block(server, listen=listen)) as proxy:
            compare(server, proxy, context=context)
            check_links(proxy, PUBLIC + "/mcp", PUBLIC + METADATA + "/mcp",
                        context=context)
    lines = """proxy_ssl_verify on;
            proxy_ssl_trusted_certificate %s;
            proxy_ssl_name localhost;""" % PAIR.cert
    with start(PUBLIC, TlsServer, PAIR) as server:
        with Nginx(NGINX, server.folder,
                   block(server, listen=listen, scheme="https",
                         lines=lines)) as proxy:
            compare(server, proxy, context=context, direct_context=context)


def test_connections_to_the_server_are_kept():
    more = ("upstream jezero { server 127.0.0.1:%d; keepalive 8; }")
    lines = 'proxy_http_version 1.1; proxy_set_header Connection "";'
    with start(PUBLIC) as server:
        text = block(server, upstream="jezero", lines=lines +
                     "proxy_set_header Host $host;",
                     more=more % server.port)
        with Nginx(NGINX, server.folder, text) as proxy:
            for _ in range(3):
                compare(server, proxy)


def test_the_documented_configuration_works():
    path = os.path.join(tools.ROOT, "doc", "tls.md")
    with open(path, encoding="utf-8") as file:
        text = re.search("```nginx\n(.*?)```", file.read(), re.S).group(1)
    context = trusting(PAIR.cert)
    with start(PUBLIC) as server:
        for old, new in (("443 ssl", "127.0.0.1:{port} ssl"),
                         ("/etc/ssl/jezero/fullchain.pem", PAIR.cert),
                         ("/etc/ssl/private/jezero.pem", PAIR.key),
                         ("jezero.example.com", "memory.example.test"),
                         ("127.0.0.1:8765", "127.0.0.1:%d" % server.port)):
            tap.check(old in text, old)
            text = text.replace(old, new)
        with Nginx(NGINX, server.folder, text) as proxy:
            compare(server, proxy, context=context)
            check_links(proxy, PUBLIC + "/mcp", PUBLIC + METADATA + "/mcp",
                        context=context)
            body, path = transcript()
            got = ask(("memory.example.test", proxy.port), "PUT", path, body,
                      bearer(KEY), context)
            tap.equal(got[:2], (200, b'{"ok":true}'), "an upload")


def transcript():
    """Over 5 MB of a session, and its place in the inbox."""
    name = "0f4e2a58-0000-4000-8000-000000000077"
    lines = []
    for i in range(5500):
        lines.append(json.dumps({
            "type": "user" if i % 2 == 0 else "assistant", "sessionId": name,
            "uuid": "u%d" % i, "cwd": "/home/dana/billing",
            "timestamp": "2026-10-09T10:%02d:%02d.000Z" % (i // 60 % 60, i % 60),
            "message": {"role": "user" if i % 2 == 0 else "assistant",
                        "content": "invoice %d %s" % (
                            i, hashlib.sha512(b"%d" % i).hexdigest() * 6)}}))
    return ("\n".join(lines) + "\n").encode(), (
        "/inbox/v1/claude-code/-home-dana-billing/%s.jsonl" % name)


def test_uploads_pass_through():
    body, path = transcript()
    packed = gzip.compress(body, 1)
    tap.check(len(body) > 5000000, len(body))
    for buffering in ("on", "off"):
        lines = "proxy_request_buffering %s; proxy_http_version 1.1;" % buffering
        with start(PUBLIC) as server:
            with Nginx(NGINX, server.folder,
                       block(server, "/lib/", lines=lines)) as proxy:
                place = ("memory.example.test", proxy.port)
                for data, encoding in ((body, {}),
                                       (packed, {"Content-Encoding": "gzip"})):
                    got = ask(place, "PUT", "/lib" + path, data,
                              dict(encoding, **bearer(KEY)))
                    tap.equal(got[:2], (200, b'{"ok":true}'), buffering)
                got = ask(place, "PUT", "/lib" + path, body, {})
                tap.equal(got[0], 401, "without a key")
            kept = []
            for folder, _, names in os.walk(server.folder):
                kept += [os.path.join(folder, name) for name in names
                         if name.endswith("0077.jsonl")]
            tap.equal(len(kept), 1, kept)
            for one in kept:
                with open(one, "rb") as file:
                    tap.check(file.read() == body, "what was kept")


NGINX = tools.find("nginx")
if NGINX is None or not certificates.is_there():
    tap.skip("proxy", "there is no nginx, or no openssl program")
    tap.done()
FOLDER, MAKER = make_folder()
try:
    PAIR = MAKER.make("proxy", hosts="DNS:localhost,DNS:memory.example.test")
    for name in [name for name in list(globals()) if name.startswith("test_")]:
        tap.run(globals()[name])
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
tap.done()
