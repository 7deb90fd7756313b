#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of a request come in one order: route, Host, Origin, key, method,
Content-Type, size, body. A request with several faults is answered for the
first of them, whatever the others are.

usage: check_order.py JEZERO_SERVER
"""

import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, client  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
DESK, READER = "desk-key-5bb01c", "reader-key-77a3de"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
TOO_MUCH = str(5 * 1024 * 1024)
tap = Tap()


def start():
    return Server(PROGRAM, config="metrics = true", tables=(
        client("desk", DESK, upload=True, metrics=True) +
        client("reader", READER)))


# In the order of the checks: what breaks a good request to MCP, and the answer.
FAULTS = [
    ("route", {"path": "/nowhere"}, 404),
    ("host", {"host": "evil.test"}, 421),
    ("origin", {"Origin": "https://evil.test"}, 403),
    ("key", {"Authorization": "Bearer wrong"}, 401),
    ("method", {"method": "DELETE"}, 405),
    ("type", {"Content-Type": "text/plain"}, 400),
    ("size", {"Content-Length": TOO_MUCH}, 413),
]


def ask(server, faults):
    about = {"method": "POST", "path": "/mcp", "host": None,
             "Authorization": "Bearer " + DESK}
    for _, changes, _ in faults:
        about.update(changes)
    method, path, host = about.pop("method"), about.pop("path"), about.pop("host")
    return server.ask(method, path, PING, about, host=host)


def test_the_first_fault_is_answered():
    with start() as server:
        tap.equal(ask(server, []).status, 200, "no fault")
        for count in (1, 2, 3, len(FAULTS)):
            for faults in itertools.combinations(FAULTS, count):
                names = " ".join(name for name, _, _ in faults)
                tap.equal(ask(server, faults).status, faults[0][2], names)


def test_without_a_key_nothing_of_the_message_is_looked_at():
    with start() as server:
        for body in (b"", b"{", b"[]", b"\xff", PING, b'{"jsonrpc":"2.0"}',
                     b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
                     b'{"name":"search","arguments":{"query":"x"}}}'):
            first = server.ask("POST", "/mcp", body)
            other = server.ask("POST", "/mcp", body, bearer("wrong"))
            for answer in (first, other):
                tap.equal(
                    (answer.status, answer.text),
                    (401, '{"error": "invalid_token", "error_description": '
                          '"Authentication required"}'), body)


def test_open_routes_ask_for_no_key():
    with start() as server:
        for path in ("/healthz", "/.well-known/oauth-protected-resource",
                     "/.well-known/oauth-protected-resource/mcp"):
            for headers in (None, bearer("wrong"), bearer(DESK)):
                tap.equal(server.ask("GET", path, headers=headers).status, 200,
                          path)


def test_a_key_may_do_what_its_entry_says():
    upload = "/inbox/v1/codex/2026/10/09/rollout-2026-10-09T21-23-12-" \
             "4b1c2d9e-0000-4000-8000-000000000001.jsonl"
    with start() as server:
        for method, path, body in (("GET", "/inbox/v1", None),
                                   ("PUT", upload, b"{}\n"),
                                   ("GET", "/metrics", None)):
            for key, want in ((DESK, 200), (READER, 403), ("wrong", 401)):
                answer = server.ask(method, path, body, bearer(key))
                tap.equal(answer.status, want, f"{key} {path} {answer.text}")
            tap.equal(server.ask(method, path, body).status, 401, path)
        answer = server.ask("PUT", upload, b"{}\n", bearer(READER))
        tap.equal(answer.text, '{"ok":false,"error":"this key may not upload"}',
                  "who may not upload")


def test_of_two_keys_neither_counts():
    with start() as server:
        for pair in ((DESK, DESK), (DESK, "wrong"), ("wrong", DESK)):
            headers = [("Authorization", "Bearer " + key) for key in pair]
            tap.equal(server.ask("POST", "/mcp", PING, headers).status, 401, pair)
            headers[1] = ("authorization", headers[1][1])
            tap.equal(server.ask("POST", "/mcp", PING, headers).status, 401, pair)
        for value in (DESK, "Basic " + DESK, "Bearer", "Bearer ",
                      "Bearer%s" % DESK, "Bearer %s, Bearer %s" % (DESK, DESK)):
            tap.equal(server.ask("POST", "/mcp", PING,
                                 {"Authorization": value}).status, 401, value)


if __name__ == "__main__":
    tap.run(test_the_first_fault_is_answered)
    tap.run(test_without_a_key_nothing_of_the_message_is_looked_at)
    tap.run(test_open_routes_ask_for_no_key)
    tap.run(test_a_key_may_do_what_its_entry_says)
    tap.run(test_of_two_keys_neither_counts)
    tap.done()
