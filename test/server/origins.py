#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host and Origin, to MCP and to the other routes alike, behind a proxy.

usage: origins.py JEZERO_SERVER
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, client, item  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
CONFIG = """\
host = "127.0.0.1"
public_url = "http://127.0.0.2:8080/lib/"
allowed_hosts = ["box.lan:8787", "any.lan:*"]
"""
ROWS = [
    # Host, Origin, status of what would be 200
    ("127.0.0.2", None, 200),
    ("127.0.0.2:443", None, 200),
    ("127.0.0.1", None, 200),
    ("127.0.0.1:8787", None, 200),
    ("localhost:9999", None, 200),
    ("LOCALHOST", None, 200),
    ("[::1]:8787", None, 200),
    ("[::1]", None, 200),
    ("box.lan:8787", None, 200),
    ("any.lan:1", None, 200),
    ("box.lan", None, 421),
    ("evil.example", None, 421),
    ("127.0.0.1.evil.example", None, 421),
    ("localhost.evil.example:8787", None, 421),
    ("any.lan.evil.example", None, 421),
    ("", None, 421),
    ("127.0.0.1:8787", "http://127.0.0.2:8080", 200),
    ("127.0.0.1:8787", "http://localhost:5173", 200),
    ("127.0.0.1:8787", "http://localhost.evil.example", 403),
    ("127.0.0.1:8787", "https://evil.example", 403),
    ("127.0.0.1:8787", "http://127.0.0.2", 403),
    ("127.0.0.1:8787", "null", 403),
    ("evil.example", "https://evil.example", 421),
]
TEXTS = {421: "Invalid Host header", 403: "Invalid Origin header"}
METADATA = "/.well-known/oauth-protected-resource"
# Behind a proxy, with a key: what it forwards as Host, and what browsers send.
PROXIED_CONFIG = """\
public_url = "https://memory.example.test"
allowed_hosts = ["box.lan:8787"]
metrics = true
"""
PROXIED_ROWS = [
    ("memory.example.test", None, 200),
    ("memory.example.test:443", None, 200),
    ("MEMORY.EXAMPLE.TEST", None, 200),
    ("127.0.0.1", None, 200),
    ("127.0.0.1:8787", None, 200),
    ("localhost:9999", None, 200),
    ("[::1]:8787", None, 200),
    ("[::1]", None, 200),
    ("box.lan:8787", None, 200),
    ("box.lan", None, 421),
    ("evil.example", None, 421),
    ("127.0.0.1.evil.example", None, 421),
    ("localhost.evil.example:8787", None, 421),
    ("memory.example.test.evil.example", None, 421),
    (None, None, 400),
    ("127.0.0.1:8787", "https://memory.example.test", 200),
    ("127.0.0.1:8787", "http://localhost:5173", 200),
    ("127.0.0.1:8787", "http://localhost.evil.example", 403),
    ("127.0.0.1:8787", "https://evil.example", 403),
    ("127.0.0.1:8787", "null", 403),
]
KEY = "desk-key-90c2e4"
server = None


def setUpModule():
    global server
    server = Server(PROGRAM, config=CONFIG, items=[item("1", "Title")]).start()


def tearDownModule():
    server.close()


class Origins(unittest.TestCase):
    def check(self, method, path, body=None):
        for host, origin, status in ROWS:
            with self.subTest(host=host, origin=origin, path=path):
                headers = {"Host": host}
                if origin is not None:
                    headers["Origin"] = origin
                answer = server.ask(method, path, body, headers)
                self.assertEqual(answer.status, status)
                if status in TEXTS:
                    self.assertEqual(answer.text, TEXTS[status])
                    self.assertNotIn("content-type", answer.headers)

    def test_mcp(self):
        self.check("POST", "/mcp", PING)

    def test_healthz(self):
        self.check("GET", "/healthz")

    def test_metadata(self):
        self.check("GET", METADATA)

    def test_two_origins_are_refused(self):
        headers = [("Origin", "http://localhost"), ("Origin", "http://localhost")]
        self.assertEqual(server.ask("GET", "/healthz", headers=headers).status, 403)

    def test_links_are_built_from_the_public_url(self):
        for path in (METADATA, METADATA + "/mcp", METADATA + "/lib/mcp",
                     "/lib" + METADATA, "/lib" + METADATA + "/mcp"):
            answer = server.ask("GET", path)
            self.assertEqual(answer.status, 200, path)
            self.assertEqual(answer.json()["resource"], "http://127.0.0.2:8080/lib/mcp")

    def test_the_log_names_the_host_and_the_setting(self):
        server.ask("GET", "/healthz", host="nas.lan:8765")
        self.assertTrue(server.wait_for_log("nas.lan:8765"))
        line = [x for x in server.log().splitlines() if "nas.lan:8765" in x][0]
        self.assertIn("allowed_hosts", line)
        self.assertIn("421", line)


class Proxied(unittest.TestCase):
    """Every route takes and refuses the same values."""

    def test_every_route(self):
        routes = [("POST", "/mcp", PING), ("GET", "/healthz", None),
                  ("GET", METADATA, None), ("GET", METADATA + "/mcp", None),
                  ("GET", "/inbox/v1", None), ("GET", "/metrics", None)]
        with Server(PROGRAM, config=PROXIED_CONFIG,
                    tables=client("desk", KEY, upload=True,
                                  metrics=True)) as proxied:
            for method, path, body in routes:
                for host, origin, status in PROXIED_ROWS:
                    headers = dict(bearer(KEY), Host=host)
                    if origin is not None:
                        headers["Origin"] = origin
                    with self.subTest(host=host, origin=origin, path=path):
                        answer = proxied.ask(method, path, body, headers)
                        self.assertEqual(answer.status, status)
                        if status in TEXTS:
                            self.assertEqual(answer.text, TEXTS[status])


if __name__ == "__main__":
    unittest.main(verbosity=1)
