#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MCP as it goes over the wire: statuses, headers and shapes, both eras, over
HTTP and over stdio.

usage: mcp_wire.py JEZERO_SERVER
"""

import base64
import json
import os
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, item  # noqa: E402

PROGRAM = sys.argv.pop(1)
P = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
TOOLS = ["search", "get_item", "later", "timeline", "list_sources"]
ITEMS = [
    item("1", "Invoice export: CSV writer to UTF-8 with BOM", project="billing",
         questions=["Why do exported invoices show broken accents?"],
         atoms=[{"kind": "decision", "text": "Invoice CSV is UTF-8 with BOM"}],
         original="[2026-10-09 21:05] user: the export \u00e9 \u6f22 \U0001f600"),
    item("2", "Invoice export: back to plain UTF-8", project="billing",
         occurred_at="2026-10-19T21:23:12+00:00"),
    item("3", "\u00c9xport of \u6f22\u5b57 and \U0001f600",
         occurred_at="2026-10-20T21:23:12+00:00"),
    item("4", "Invoice reminder", source="mail", account="ann@example.com",
         trust="external"),
]
server = None


def setUpModule():
    global server
    server = Server(PROGRAM, items=ITEMS).start()


def tearDownModule():
    server.close()


def rpc(method, params=None, number=1):
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    if params is not None:
        message["params"] = params
    return message


def initialize(version="2025-11-25"):
    return rpc("initialize", {"protocolVersion": version, "capabilities": {},
                              "clientInfo": {"name": "wire", "version": "1"}})


def call(name, arguments=None, number=1, **params):
    return rpc("tools/call", dict(name=name, arguments=arguments or {}, **params),
               number)


def meta(version=MODERN):
    return {P + "protocolVersion": version, P + "clientCapabilities": {},
            P + "clientInfo": {"name": "wire", "version": "1"}}


def post(body, headers=(), method="POST", path="/mcp"):
    if not isinstance(body, bytes):
        body = json.dumps(body, ensure_ascii=False).encode()
    return server.ask(method, path, body, headers)


def modern(method, params=None, with_meta=None, **headers):
    """A modern request with the headers of a good client; a header given here
    replaces its own, None takes it away."""
    params = dict(params or {})
    params["_meta"] = meta() if with_meta is None else with_meta
    sent = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if method == "tools/call":
        sent["Mcp-Name"] = params.get("name")
    sent.update((name.replace("_", "-"), value)
                for name, value in headers.items())
    return post(rpc(method, params, "m1"), sent)


class Case(unittest.TestCase):
    maxDiff = None

    def check_error(self, answer, status, code, number=None):
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertEqual(answer.json()["error"]["code"], code, answer.text)
        self.assertEqual(answer.json()["id"], number, answer.text)
        return answer.json()["error"]

    def check_result(self, answer):
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertNotIn("mcp-session-id", answer.headers)
        self.assertNotIn(b"\n", answer.body)
        self.assertIn("result", answer.json(), answer.text)
        return answer.json()["result"]

    def check_complete(self, answer):
        result = self.check_result(answer)
        self.assertEqual(answer.json()["id"], "m1")
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual(result["_meta"][P + "serverInfo"]["name"], "jezero")
        return result


class Http(Case):
    def test_foreign_origins_and_hosts_are_refused(self):
        body = rpc("tools/list")
        answer = post(body, {"Origin": "http://evil.example.com"})
        self.assertEqual((answer.status, answer.text),
                         (403, "Invalid Origin header"))
        answer = post(body, {"Host": "evil.example.com"})
        self.assertEqual((answer.status, answer.text),
                         (421, "Invalid Host header"))
        self.check_result(post(body, {"Origin": "http://localhost:1"}))

    def test_the_content_type_is_json(self):
        for value in (None, "text/plain", "application/jsonx"):
            answer = post(rpc("tools/list"), {"Content-Type": value})
            self.assertEqual((answer.status, answer.text),
                             (400, "Invalid Content-Type header"))
            self.assertNotIn("content-type", answer.headers)
        self.check_result(post(rpc("tools/list"), {
            "Content-Type": "application/json; charset=utf-8"}))

    def test_accept_may_be_missing_but_not_exclude_json(self):
        for value in (None, "*/*", "application/json", "application/*"):
            self.check_result(post(rpc("tools/list"), {"Accept": value}))
        for value in ("text/event-stream", "application/json;q=0"):
            self.check_error(post(rpc("tools/list"), {"Accept": value}),
                             406, -32600)

    def test_what_cannot_be_read_is_400_with_id_null(self):
        for body in (b'{"jsonrpc":"2.0",', b"", b"{} x", b"\xef\xbb\xbf{}",
                     b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}',
                     b'{"a":' + b"[" * 64 + b"]" * 64 + b"}"):
            self.check_error(post(body), 400, -32700)

    def test_what_is_no_message_is_400(self):
        for body in (b'"hello"', b"42", b"null", b"[]", b"{}",
                     json.dumps([rpc("ping"), rpc("ping", None, 2)]).encode()):
            self.check_error(post(body), 400, -32600)
        for number in (b"null", b"1.5", b"true"):
            self.check_error(post(b'{"jsonrpc":"2.0","method":"ping","id":' +
                                  number + b"}"), 400, -32600)
        self.check_error(post(b'{"jsonrpc":"2.0","id":8,"method":1}'),
                         400, -32600, 8)

    def test_other_methods_of_http_are_405(self):
        for method in ("GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"):
            answer = server.ask(method, "/mcp",
                                headers={"Accept": "text/event-stream"})
            self.assertEqual(answer.status, 405)
            self.assertEqual(answer.headers["allow"], "POST")

    def test_a_slash_behind_the_path_is_no_redirect(self):
        self.check_result(post(rpc("tools/list"), path="/mcp/"))

    def test_other_paths_are_404(self):
        for path in ("/", "/mcpx", "/mcp/x", "/register", "/.well-known/x",
                     "/.well-known/oauth-authorization-server",
                     "/.well-known/openid-configuration"):
            self.assertEqual(post(rpc("tools/list"), path=path).status, 404)


class Legacy(Case):
    def test_known_versions_are_agreed(self):
        for version in LEGACY:
            result = self.check_result(post(initialize(version)))
            self.assertEqual(result["protocolVersion"], version)
            self.assertEqual(list(result), ["protocolVersion", "capabilities",
                                            "serverInfo", "instructions"])
            self.assertEqual(result["serverInfo"]["name"], "jezero")
        result = self.check_result(post(initialize("1999-01-01")))
        self.assertEqual(result["protocolVersion"], "2025-11-25")

    def test_version_headers_are_checked(self):
        for version in LEGACY:
            self.check_result(post(rpc("tools/list"),
                                   {"MCP-Protocol-Version": version}))
        error = self.check_error(
            post(rpc("tools/list"), {"MCP-Protocol-Version": "1999-01-01"}),
            400, -32600, 1)
        self.assertEqual(error["message"],
                         "Bad Request: Unsupported protocol version: 1999-01-01."
                         " Supported versions: " + ", ".join(LEGACY))

    def test_notifications_and_responses_are_202_without_a_body(self):
        for message in ({"jsonrpc": "2.0", "method": "notifications/initialized"},
                        {"jsonrpc": "2.0", "method": "notifications/nonsense"},
                        {"jsonrpc": "2.0", "id": 9, "result": {}}):
            answer = post(message)
            self.assertEqual((answer.status, answer.body), (202, b""))

    def test_any_session_id_is_ignored(self):
        for body in (initialize(), rpc("tools/list"), call("list_sources")):
            for session in ("abc", "4b1c2d9e-0000-4000-8000-000000000001", ""):
                self.check_result(post(body, {"Mcp-Session-Id": session}))

    def test_ids_come_back_as_they_came(self):
        for number in ('\u00e9-"\\\u2028', "", 0, -1, 2 ** 53 + 1, 10 ** 30):
            self.assertEqual(post(rpc("ping", None, number)).json(),
                             {"jsonrpc": "2.0", "id": number, "result": {}})
        answer = post(b'{"jsonrpc":"2.0","id":"\\u00E9","method":"ping"}')
        self.assertIn(b'"id":"\\u00E9"', answer.body)

    def test_errors_are_200_with_their_id(self):
        self.check_error(post(rpc("no/such", {}, 7)), 200, -32601, 7)
        self.check_error(post(rpc("tools/call", {})), 200, -32602, 1)
        self.check_error(post(rpc("tools/call", {"name": "search",
                                                 "arguments": [1]})),
                         200, -32602, 1)
        self.check_error(post(rpc("tools/list", {"cursor": "x"})),
                         200, -32602, 1)

    def test_tool_errors_are_results(self):
        for name, arguments, text in (
                ("no_such_tool", {}, "Unknown tool: no_such_tool"),
                ("search", {},
                 "Error executing tool search: query is required"),
                ("timeline", {"since": "yesterday"},
                 "Error executing tool timeline: since must be an ISO 8601 date "
                 "or datetime (2026-01-31 or 2026-01-31T09:00:00+02:00), got "
                 "'yesterday'")):
            result = self.check_result(post(call(name, arguments)))
            self.assertEqual(result, {"content": [{"type": "text", "text": text}],
                                      "isError": True})

    def test_a_call_needs_no_initialize(self):
        result = self.check_result(post(call("get_item", {"item_id": 3})))
        found = result["structuredContent"]["item"]
        self.assertEqual(found["title"], ITEMS[2]["title"])
        self.assertIsNone(found["project"])


def fits(value, schema):
    """Does the value fit one of our plain schemas?"""
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool,
             "integer": int, "number": (int, float)}
    if not isinstance(value, kinds[schema["type"]]):
        return False
    if schema["type"] == "array":
        return all(fits(one, schema["items"]) for one in value)
    if schema["type"] == "object":
        return (all(name in value for name in schema.get("required", [])) and
                all(fits(value[name], one)
                    for name, one in schema.get("properties", {}).items()
                    if name in value))
    return True


class Tools(Case):
    def test_the_list_is_the_same_on_every_call(self):
        first = post(rpc("tools/list"))
        tools = self.check_result(first)["tools"]
        self.assertEqual([tool["name"] for tool in tools], TOOLS)
        for tool in tools:
            self.assertEqual(list(tool), ["name", "description", "inputSchema",
                                          "outputSchema", "annotations"])
        self.assertEqual(post(rpc("tools/list")).body, first.body)

    def test_every_result_fits_its_schema_and_comes_twice(self):
        tools = self.check_result(post(rpc("tools/list")))["tools"]
        schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
        for name, arguments, key in (
                ("search", {"query": "invoice"}, "results"),
                ("search", {"query": "no-such-word"}, "count"),
                ("get_item", {"item_id": 1, "include_original": True}, "item"),
                ("get_item", {"item_id": "3"}, "item"),
                ("get_item", {"item_id": 4}, "item"),
                ("get_item", {"item_id": 10 ** 15}, "found"),
                ("later", {"item_id": 1}, "later"),
                ("later", {"item_id": 1, "query": "nothing of this"}, "later"),
                ("later", {"item_id": 999}, "found"),
                ("timeline", {}, "items"),
                ("timeline", {"since": "2026-10-02", "limit": 1.0}, "items"),
                ("list_sources", {}, "sources")):
            answer = post(call(name, arguments))
            result = self.check_result(answer)
            self.assertEqual(list(result),
                             ["content", "structuredContent", "isError"])
            self.assertIs(result["isError"], False, answer.text)
            self.assertIn(key, result["structuredContent"])
            self.assertTrue(fits(result["structuredContent"], schemas[name]),
                            answer.text)
            self.assertEqual(len(result["content"]), 1)
            self.assertEqual(result["content"][0]["text"],
                             json.dumps(result["structuredContent"], indent=2,
                                        ensure_ascii=False))


class Modern(Case):
    def test_lists_carry_caching_hints(self):
        result = self.check_complete(modern("server/discover"))
        self.assertEqual(result["supportedVersions"], [MODERN])
        self.assertIn("tools", result["capabilities"])
        self.assertEqual(result["ttlMs"], 3600000)
        for method, key in (("tools/list", "tools"), ("prompts/list", "prompts"),
                            ("resources/list", "resources"),
                            ("resources/templates/list", "resourceTemplates")):
            result = self.check_complete(modern(method))
            self.assertIsInstance(result[key], list)
            self.assertEqual((result["ttlMs"], result["cacheScope"]),
                             (3600000, "private"))

    def test_calls_are_complete(self):
        name = "=?base64?" + base64.b64encode(b"search").decode() + "?="
        for value in ("search", "  search  ", name):
            result = self.check_complete(modern(
                "tools/call", {"name": "search",
                               "arguments": {"query": "invoice"}},
                Mcp_Name=value))
            self.assertEqual(result["structuredContent"]["count"], 3)
        result = self.check_complete(modern("tools/call", {"name": "nope"}))
        self.assertIs(result["isError"], True)

    def test_headers_must_match_the_body(self):
        tool = {"name": "search", "arguments": {"query": "x"}}
        for headers in ({"Mcp_Name": "other"}, {"Mcp_Name": None},
                        {"Mcp_Name": "=?base64?@@@?="}, {"Mcp_Method": None},
                        {"Mcp_Method": "TOOLS/CALL"},
                        {"MCP_Protocol_Version": None},
                        {"MCP_Protocol_Version": "2025-11-25"}):
            self.check_error(modern("tools/call", tool, **headers),
                             400, -32020, "m1")
        answer = post(rpc("tools/list", {"_meta": meta()}, "m1"),
                      [("MCP-Protocol-Version", MODERN),
                       ("Mcp-Method", "tools/list"),
                       ("Mcp-Method", "prompts/list")])
        self.check_error(answer, 400, -32020, "m1")

    def test_meta_is_checked(self):
        part = meta()
        del part[P + "clientCapabilities"]
        for wrong in ({}, part, dict(meta(), **{P + "clientCapabilities": 1})):
            self.check_error(modern("tools/list", with_meta=wrong),
                             400, -32602, "m1")
        part = meta()
        del part[P + "clientInfo"]
        self.check_complete(modern("tools/list", with_meta=part))

    def test_an_unknown_version_is_32022(self):
        answer = modern("tools/list", with_meta=meta("v999"),
                        MCP_Protocol_Version="v999")
        error = self.check_error(answer, 400, -32022, "m1")
        self.assertEqual(error["data"],
                         {"supported": [MODERN], "requested": "v999"})

    def test_an_unknown_method_is_404(self):
        for method in ("no/such", "initialize", "ping", "logging/setLevel",
                       "resources/subscribe", "subscriptions/listen"):
            self.check_error(modern(method), 404, -32601, "m1")

    def test_an_invalid_cursor_is_32602(self):
        self.check_error(modern("tools/list", {"cursor": "x"}),
                         400, -32602, "m1")


class Stdio(Case):
    def setUp(self):
        self.process = subprocess.Popen(
            [PROGRAM, "mcp", "--library", server.library],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.process.communicate)

    def ask(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def test_broken_lines_are_answered_once_each(self):
        lines = [  # the line, the id of its answer, its code; 0: no answer
            (json.dumps(initialize("2025-06-18")).encode(), 1, None),
            (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', None, 0),
            (b"{not json", None, -32700),
            (b"", None, 0),
            (b"   \r", None, 0),
            (b'{"jsonrpc":"2.0","id":"two","method":"no/such"}', "two", -32601),
            (b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":null}', 3,
             -32602),
            (b'{"jsonrpc":"2.0","id":0,"method":"ping"}', 0, None),
            (b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]', None, -32600),
            (b'{"jsonrpc":"2.0","id":7,"method":"ping\xc3(\xff"}', None, -32700),
            (b'{"jsonrpc":"2.0","id":8,"method":1,"params":"bar"}', 8, -32600),
            (b"null", None, -32600),
            (b'{"jsonrpc":"2.0","id":9,"method":"ping"}\r', 9, None),
            (b'{"jsonrpc":"2.0","id":10,"method":"tools/list"}', 10, None),
        ]
        out, _ = self.process.communicate(b"\n".join(line for line, _, _ in lines),
                                          timeout=20)
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(one["id"], one.get("error", {}).get("code"))
                          for one in answers],
                         [(number, code) for _, number, code in lines
                          if code != 0])
        self.assertTrue(out.endswith(b"\n"))
        self.assertEqual(self.process.returncode, 0)

    def test_a_message_may_come_in_pieces_and_several_at_once(self):
        line = json.dumps(rpc("ping", None, 4)).encode() + b"\n"
        self.process.stdin.write(line[:9])
        self.process.stdin.flush()
        time.sleep(0.05)
        self.process.stdin.write(line[9:])
        self.process.stdin.flush()
        self.assertEqual(json.loads(self.process.stdout.readline())["id"], 4)
        self.process.stdin.write(b"".join(
            json.dumps(rpc("ping", None, number)).encode() + b"\n"
            for number in (5, 6, 7)))
        self.process.stdin.flush()
        self.assertEqual([json.loads(self.process.stdout.readline())["id"]
                          for _ in range(3)], [5, 6, 7])

    def test_both_eras_share_one_process(self):
        answer = self.ask(rpc("server/discover", {"_meta": meta()}))
        self.assertEqual(answer["result"]["resultType"], "complete")
        answer = self.ask(initialize())
        self.assertEqual(answer["result"]["protocolVersion"], "2025-11-25")
        answer = self.ask(rpc("tools/list", {"_meta": meta("v999")}))
        self.assertEqual(answer["error"]["code"], -32022)
        part = meta()
        del part[P + "clientCapabilities"]
        answer = self.ask(rpc("tools/list", {"_meta": part}))
        self.assertEqual(answer["error"]["code"], -32602)
        answer = self.ask(rpc("no/such", {"_meta": meta()}))
        self.assertEqual(answer["error"]["code"], -32601)
        self.process.stdin.write(
            b'{"jsonrpc":"2.0","method":"notifications/cancelled",'
            b'"params":{"requestId":"nothing"}}\n')
        answer = self.ask(call("list_sources", _meta=meta()))
        sources = answer["result"]["structuredContent"]["sources"]
        self.assertEqual(sorted(sources), ["agent-codex-desk", "mail"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
