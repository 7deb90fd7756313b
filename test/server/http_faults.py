#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests that are wrong, odd or hostile, over real sockets.

usage: http_faults.py JEZERO_SERVER
"""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, item, request  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
NOTE = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
HOST = b"Host: localhost\r\n"
server = None


def setUpModule():
    global server
    server = Server(PROGRAM, items=[item("1", "Invoice export")]).start()


def tearDownModule():
    server.close()


def chunked(body, size=7):
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


class Faults(unittest.TestCase):
    def check_refused(self, data, status):
        """The status, and nothing is answered behind it."""
        with server.connect() as peer:
            peer.send(data)
            answer = peer.answer()
            self.assertEqual(answer.status, status, data)
            self.assertEqual(answer.headers.get("connection"), "close")
            self.assertTrue(peer.is_closed())
            return answer

    def test_malformed_heads_are_400(self):
        heads = {
            "blank before the colon": b"GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n",
            "name is no token": b"GET /healthz HTTP/1.1\r\n" + HOST + b"X Y: 1\r\n\r\n",
            "folded line": b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: 1\r\n 2\r\n\r\n",
            "bare LF": b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
            "one bare LF": b"GET /healthz HTTP/1.1\r\nHost: localhost\n\r\n",
            "HTTP/0.9": b"GET /healthz\r\n",
            "HTTP/0.9 by name": b"GET /healthz HTTP/0.9\r\n" + HOST + b"\r\n",
            "no Host": b"GET /healthz HTTP/1.1\r\n\r\n",
            "two Hosts": b"GET /healthz HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
            "NUL": b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: a\0b\r\n\r\n",
            "CR in a value": b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: a\rb\r\n\r\n",
            "no name": b"GET /healthz HTTP/1.1\r\n" + HOST + b": 1\r\n\r\n",
            "no colon": b"GET /healthz HTTP/1.1\r\n" + HOST + b"X\r\n\r\n",
            "name in UTF-8": b"GET /healthz HTTP/1.1\r\n" + HOST + b"\xc3\xa9: 1\r\n\r\n",
            "blank before the first header": b"GET /healthz HTTP/1.1\r\n " + HOST + b"\r\n",
            "two blanks": b"GET  /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
            "blank at the end": b"GET /healthz HTTP/1.1 \r\n" + HOST + b"\r\n",
            "lower case": b"GET /healthz http/1.1\r\n" + HOST + b"\r\n",
            "no path": b"GET healthz HTTP/1.1\r\n" + HOST + b"\r\n",
            "another Host than the target": b"GET http://localhost/healthz HTTP/1.1\r\n"
                                            b"Host: 127.0.0.1\r\n\r\n",
            "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            "noise": b"\r\n\r\n\xff\xfe\xfd",
        }
        for name, head in heads.items():
            with self.subTest(name):
                answer = self.check_refused(head, 400)
                self.assertIn("error", answer.json())

    def test_length_and_coding_together_are_400_and_close(self):
        head = (b"POST /mcp HTTP/1.1\r\n" + HOST +
                b"Content-Type: application/json\r\n")
        both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        self.check_refused(head + both + b"GET /healthz HTTP/1.1\r\n", 400)
        self.check_refused(head + b"Content-Length: 2\r\n"
                           b"Content-Length: 3\r\n\r\nabc", 400)
        for value in (b"gzip", b"gzip, chunked", b"identity", b"chunked, chunked",
                      b"xchunked", b"chunked;a=b"):
            self.check_refused(head + b"Transfer-Encoding: " + value + b"\r\n\r\n",
                               501)
        self.check_refused(head + b"Transfer-Encoding: chunked\r\n" * 2 +
                           b"\r\n0\r\n\r\n", 400)

    def test_a_length_is_digits_alone(self):
        head = (b"POST /mcp HTTP/1.1\r\n" + HOST +
                b"Content-Type: application/json\r\n")
        for value in (b"+5", b"-5", b"0x5", b"5, 5", b"5 5", b"", b"5.0", b"five",
                      b"9" * 19, b"18446744073709551621"):
            with self.subTest(value):
                self.check_refused(head + b"Content-Length: " + value +
                                   b"\r\n\r\nabcde", 400)

    def test_a_malformed_chunk_is_400(self):
        head = (b"POST /mcp HTTP/1.1\r\n" + HOST +
                b"Content-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n")
        for body in (b"z\r\n", b"3\nabc\r\n", b"3\r\nabcd\r\n", b"3 \r\nabc\r\n",
                     b"-1\r\n", b"0x3\r\nabc\r\n", b"\r\n", b"3;a\nabc\r\n",
                     b"fffffffffffffffff\r\n", b"3\r\nabc\n",
                     b"0\r\nX Y: 1\r\n\r\n", b"0\r\n folded\r\n\r\n",
                     b"0\r\nX: 1\n\r\n"):
            with self.subTest(body):
                self.check_refused(head + body, 400)

    def test_headers_over_16_kib_are_431(self):
        line = b"X: " + b"x" * 8000 + b"\r\n"
        self.check_refused(b"GET /healthz HTTP/1.1\r\n" + HOST + line * 3 +
                           b"\r\n", 431)
        self.check_refused(b"GET /" + b"x" * 17000, 431)

    def test_a_head_of_16_kib_is_read(self):
        head = b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: "
        fill = b"x" * (16384 - len(head) - 4)
        with server.connect() as peer:
            peer.send(head + fill + b"\r\n\r\n")
            self.assertEqual(peer.answer().status, 200)
        self.check_refused(head + fill + b"x\r\n\r\n", 431)

    def test_trailers_are_held_to_the_same_limit(self):
        head = request("POST", "/mcp", b"", {"Transfer-Encoding": "chunked"})
        ping = b"%x\r\n%s\r\n0\r\n" % (len(PING), PING)
        with server.connect() as peer:
            peer.send(head + ping + b"X: 1\r\nY: 2\r\n\r\n" +
                      request("GET", "/healthz"))
            self.assertEqual(peer.answer().json()["id"], 1)
            self.assertEqual(peer.answer().status, 200)
        self.check_refused(head + ping + b"X: " + b"x" * 17000 + b"\r\n\r\n", 431)

    def test_nothing_behind_a_fault_is_a_request(self):
        smuggled = request("GET", "/healthz")
        head = b"POST /mcp HTTP/1.1\r\n" + HOST
        for fault in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                      b"Transfer-Encoding : chunked\r\n",
                      b"Content-Length: 0\r\nContent-Length: 44\r\n",
                      b"Transfer-Encoding:\x0bchunked\r\n"):
            with self.subTest(fault), server.connect() as peer:
                peer.send(head + fault + b"\r\n0\r\n\r\n" + smuggled)
                self.assertEqual(peer.rest().count(b"HTTP/1.1 "), 1)

    def test_an_absolute_target_is_a_path(self):
        for target in ("http://localhost/healthz", "HTTP://LOCALHOST/healthz"):
            with server.connect() as peer:
                peer.send(request("GET", target))
                self.assertEqual(peer.answer().status, 200)

    def test_targets_that_are_no_path_are_404(self):
        with server.connect() as peer:
            for method, target in (("OPTIONS", "*"), ("CONNECT", "localhost:443")):
                peer.send(request(method, target))
                self.assertEqual(peer.answer().status, 404)

    def test_an_unknown_method_is_405(self):
        with server.connect() as peer:
            for path, allow in (("/mcp", "POST"), ("/healthz", "GET, HEAD")):
                peer.send(request("BREW", path))
                answer = peer.answer()
                self.assertEqual(answer.status, 405)
                self.assertEqual(answer.headers["allow"], allow)

    def test_another_expectation_is_417(self):
        self.check_refused(b"GET /healthz HTTP/1.1\r\n" + HOST +
                           b"Expect: tea\r\n\r\n", 417)

    def test_another_major_version_is_505(self):
        self.check_refused(b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n", 505)
        self.check_refused(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505)

    def test_an_upgrade_to_h2c_is_as_if_not_there(self):
        upgrade = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c",
                   "HTTP2-Settings": "AAMAAABkAAQAAP__"}
        with server.connect() as peer:
            peer.send(request("GET", "/healthz", headers=upgrade))
            self.assertEqual(peer.answer().status, 200)
            peer.send(request("POST", "/mcp", PING, upgrade))
            self.assertEqual(peer.answer().status, 200)


class Routes(unittest.TestCase):
    def test_healthz_tells_the_version(self):
        answer = server.ask("GET", "/healthz")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertIs(answer.json()["ok"], True)
        self.assertRegex(answer.json()["version"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(answer.headers["date"], r"^\w{3}, \d\d \w{3} \d{4} .* GMT$")

    def test_head_has_the_length_and_no_body(self):
        with server.connect() as peer:
            peer.send(request("HEAD", "/healthz"))
            answer = peer.answer("HEAD")
            self.assertEqual((answer.status, answer.body), (200, b""))
            self.assertNotEqual(answer.headers["content-length"], "0")
            peer.send(request("GET", "/healthz"))
            self.assertEqual(peer.answer().status, 200)

    def test_mcp_answers_with_and_without_a_slash(self):
        for path in ("/mcp", "/mcp/", "/mcp?key=x"):
            answer = server.ask("POST", path, PING)
            self.assertEqual(answer.status, 200, path)
            self.assertEqual(answer.json(), {"jsonrpc": "2.0", "id": 1, "result": {}})

    def test_a_notification_is_202_without_a_body(self):
        answer = server.ask("POST", "/mcp", NOTE)
        self.assertEqual((answer.status, answer.body), (202, b""))

    def test_other_methods_of_mcp_are_405(self):
        for method in ("GET", "DELETE", "PUT", "PATCH", "OPTIONS"):
            answer = server.ask(method, "/mcp")
            self.assertEqual(answer.status, 405, method)
            self.assertEqual(answer.headers["allow"], "POST")
            self.assertEqual(answer.json(), {"error": "method not allowed"})

    def test_unknown_paths_are_404_never_200(self):
        for path in ("/", "/xyz", "/register", "/mcpx", "/mcp//", "/MCP",
                     "/%6dcp", "/healthz/", "/.well-known/openid-configuration",
                     "/.well-known/oauth-authorization-server",
                     "/.well-known/oauth-authorization-server/mcp",
                     "/.well-known/oauth-protected-resource/other"):
            for method in ("GET", "POST"):
                answer = server.ask(method, path)
                self.assertEqual(answer.status, 404, path)
                self.assertEqual(answer.json(), {"error": "not found"})

    def test_metadata_names_no_authorization_server(self):
        for path in ("/.well-known/oauth-protected-resource",
                     "/.well-known/oauth-protected-resource/mcp"):
            answer = server.ask("GET", path, host="localhost:1234")
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.text,
                             '{"resource":"http://localhost:1234/mcp",'
                             '"bearer_methods_supported":["header"],'
                             '"resource_name":"Jezero"}')
            self.assertEqual(answer.headers["cache-control"], "public, max-age=3600")
            self.assertEqual(answer.headers["access-control-allow-origin"], "*")
        self.assertEqual(server.ask("POST", path).status, 405)
        self.assertEqual(server.ask("OPTIONS", path).status, 204)

    def test_content_type_must_be_json(self):
        types = {"application/json": 200, "application/json; charset=utf-8": 200,
                 "Application/JSON;charset=UTF-8": 200, "text/plain": 400,
                 "application/jsonp": 400, "": 400, None: 400}
        for value, status in types.items():
            answer = server.ask("POST", "/mcp", PING, {"Content-Type": value})
            self.assertEqual(answer.status, status, value)
            if status == 400:
                self.assertEqual(answer.text, "Invalid Content-Type header")
                self.assertNotIn("content-type", answer.headers)

    def test_the_first_fault_in_the_order_of_checks_counts(self):
        bad = {"Host": "evil.example", "Origin": "http://evil.example",
               "Content-Type": "text/plain"}
        order = [("Host", 421), ("Origin", 403), (None, 405)]
        self.assertEqual(server.ask("GET", "/none", headers=bad).status, 404)
        for name, status in order:
            self.assertEqual(server.ask("GET", "/mcp", headers=bad).status, status)
            bad.pop(name, None)
        answer = server.ask("POST", "/mcp", b"x" * 70000, bad)
        self.assertEqual(answer.status, 400)


class Bodies(unittest.TestCase):
    def test_a_body_over_4_mib_is_413(self):
        big = b" " * (4 * 1024 * 1024 + 1)
        self.assertEqual(server.ask("POST", "/mcp", big).status, 413)
        with server.connect() as peer:
            peer.send(request("POST", "/mcp", b"",
                              {"Transfer-Encoding": "chunked",
                               "Content-Type": "application/json"}))
            peer.send(chunked(big, 65536))
            self.assertEqual(peer.answer().status, 413)

    def test_a_body_of_4_mib_is_read(self):
        body = PING + b" " * (4 * 1024 * 1024 - len(PING))
        self.assertEqual(server.ask("POST", "/mcp", body).status, 200)

    def test_a_chunked_body_is_read(self):
        with server.connect() as peer:
            for size in (1, 7, 1000):
                peer.send(request("POST", "/mcp", chunked(PING, size),
                                  {"Transfer-Encoding": "chunked"}))
                self.assertEqual(peer.answer().status, 200)

    def test_expect_100_continue_is_answered(self):
        with server.connect() as peer:
            expect = {"Expect": "100-continue"}
            head = request("POST", "/mcp", PING, expect)[:-len(PING)]
            peer.send(head)
            line = peer.sock.recv(25)
            self.assertEqual(line, b"HTTP/1.1 100 Continue\r\n\r\n")
            peer.send(PING)
            self.assertEqual(peer.answer().status, 200)

    def test_expect_is_answered_with_a_refusal_at_once(self):
        with server.connect() as peer:
            peer.send(b"POST /none HTTP/1.1\r\n" + HOST +
                      b"Content-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            self.assertEqual(peer.answer().status, 404)
            self.assertTrue(peer.is_closed())

    def test_a_refused_request_with_a_small_body_keeps_the_connection(self):
        with server.connect() as peer:
            peer.send(request("POST", "/none", b"x" * 1000))
            self.assertEqual(peer.answer().status, 404)
            peer.send(request("GET", "/healthz"))
            self.assertEqual(peer.answer().status, 200)

    def test_a_refusal_reaches_a_client_that_is_still_sending(self):
        body = b"x" * (8 * 1024 * 1024)
        with server.connect() as peer:
            try:
                peer.send(request("POST", "/none", body))
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.assertEqual(peer.answer().status, 404)

    def test_an_empty_body_is_400(self):
        answer = server.ask("POST", "/mcp", b"")
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.json()["error"]["code"], -32700)

    def test_bytes_that_are_no_utf8_are_400(self):
        answer = server.ask("POST", "/mcp",
                            b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}')
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer.json()["error"]["code"], -32700)
        self.assertIsNone(answer.json()["id"])


class Connections(unittest.TestCase):
    def test_pipelined_requests_are_answered_in_order(self):
        bodies = [b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % i for i in range(200)]
        with server.connect() as peer:
            peer.send(b"".join(request("POST", "/mcp", b) for b in bodies))
            got = [peer.answer().json()["id"] for _ in bodies]
        self.assertEqual(got, list(range(200)))

    def test_pipelined_requests_byte_by_byte(self):
        data = request("POST", "/mcp", PING) + request("GET", "/healthz") + \
            request("POST", "/mcp", NOTE)
        with server.connect() as peer:
            for i in range(len(data)):
                peer.send(data[i:i + 1])
            self.assertEqual([peer.answer().status for _ in range(3)],
                             [200, 200, 202])

    def test_a_half_closed_client_gets_all_answers(self):
        with server.connect() as peer:
            peer.send(request("POST", "/mcp", PING) * 3)
            peer.half_close()
            self.assertEqual([peer.answer().status for _ in range(3)], [200] * 3)
            self.assertTrue(peer.is_closed())

    def test_half_a_request_and_an_end_closes(self):
        with server.connect() as peer:
            peer.send(request("POST", "/mcp", PING)[:-5])
            peer.half_close()
            self.assertTrue(peer.is_closed())

    def test_http_1_0_closes_unless_asked_not_to(self):
        with server.connect() as peer:
            peer.send(b"GET /healthz HTTP/1.0\r\n" + HOST + b"\r\n")
            self.assertEqual(peer.answer().headers["connection"], "close")
            self.assertTrue(peer.is_closed())
        with server.connect() as peer:
            for _ in range(2):
                peer.send(b"GET /healthz HTTP/1.0\r\n" + HOST +
                          b"Connection: keep-alive\r\n\r\n")
                self.assertEqual(peer.answer().headers["connection"], "keep-alive")

    def test_connection_close_closes(self):
        with server.connect() as peer:
            peer.send(request("POST", "/mcp", PING, {"Connection": "close"}))
            self.assertEqual(peer.answer().status, 200)
            self.assertTrue(peer.is_closed())
        with server.connect() as peer:
            peer.send(request("GET", "/healthz", headers={"Connection": "close"}) +
                      request("GET", "/healthz"))
            self.assertEqual(peer.rest().count(b"HTTP/1.1 "), 1)

    def test_other_upgrades_change_nothing(self):
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket",
                   "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                   "Sec-WebSocket-Version": "13"}
        with server.connect() as peer:
            for _ in range(2):
                peer.send(request("GET", "/healthz", headers=upgrade))
                self.assertEqual(peer.answer().status, 200)

    def test_head_and_body_leave_in_one_write(self):
        with server.connect() as peer:
            for data in (request("GET", "/healthz"), request("POST", "/mcp", PING),
                         request("GET", "/none")):
                peer.send(data)
                piece = peer.sock.recv(65536)
                head, _, body = piece.partition(b"\r\n\r\n")
                self.assertIn(b"Content-Length: %d" % len(body), head)
                self.assertNotEqual(body, b"")

    def test_200_idle_connections_hinder_nobody(self):
        peers = [server.connect() for _ in range(200)]
        try:
            for peer in peers[::20]:
                peer.send(request("POST", "/mcp", PING))
                self.assertEqual(peer.answer().status, 200)
            self.assertEqual(server.ask("GET", "/healthz").status, 200)
        finally:
            for peer in peers:
                peer.sock.close()

    def test_an_answer_that_nobody_takes_does_no_harm(self):
        for _ in range(20):
            with server.connect() as peer:
                peer.send(request("POST", "/mcp", PING) * 50)
        self.assertEqual(server.ask("GET", "/healthz").status, 200)

    def test_the_log_holds_no_query_and_no_text_of_messages(self):
        server.ask("POST", "/mcp?access_token=sesame", PING,
                   {"Authorization": "Bearer sesame"})
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                              "params": {"name": "search",
                                         "arguments": {"query": "sesame"}}})
        server.ask("POST", "/mcp", message.encode())
        self.assertNotIn("sesame", server.log())


class Log(unittest.TestCase):
    def test_every_line_is_one_object_if_asked_for(self):
        config = 'log_format = "json"\nlog_level = "debug"'
        with Server(PROGRAM, config=config, items=[item("1", "Title")]) as talking:
            talking.ask("GET", "/healthz", host='nas"\\\x1b[31m.lan')
            talking.ask("POST", "/mcp?access_token=sesame", PING)
            talking.signal()
            self.assertEqual(talking.wait(), 0)
            lines = [json.loads(line) for line in talking.log().splitlines()]
        for line in lines:
            self.assertLessEqual({"time", "level", "message"}, set(line))
            self.assertNotIn("sesame", line["message"])
        self.assertEqual(lines[0]["level"], "info")
        self.assertTrue(any(line["message"] == "POST /mcp" and "request" in line
                            for line in lines))


if __name__ == "__main__":
    unittest.main(verbosity=1)
