#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mcp: the bridge, between an agent of ours and the real server, or one that
answers as a test wants.

usage: bridge.py JEZERO_CLIENT JEZERO_SERVER
"""

import json
import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import jzserver  # noqa: E402
from bridge_peer import (EVENTS, JSON, META, Agent, Scripted, agreed,  # noqa: E402
                         call, encode, initialize, note, request, result, talk)
from jzclient import Client  # noqa: E402
from jzserver import Server, item  # noqa: E402
from tap import Tap  # noqa: E402

CLIENT = sys.argv[1]
SERVER = sys.argv[2]
WORDS = "é Đ 漢 \u2028 \U0001f600"
LARGE = "漢" * 1700000  # characters; 5 MB
AWAY = -32000
KEY = "an-invented-key-of-43-characters-0000000000"
tap = Tap()

# One of each kind of line: the answers that are due are listed below it.
LINES = b"\n".join([
    encode(initialize(1)),
    encode(note("notifications/initialized")),
    b"{not json",
    b"", b"   \r",
    encode(request("two", "no/such/method", {})),
    b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":null}',
    encode(request(4, "tools/call", {"arguments": {}})),
    encode(request(0, "ping")),
    b'[{"jsonrpc":"2.0","id":5,"method":"ping"},'
    b'{"jsonrpc":"2.0","id":6,"method":"ping"}]',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search",'
    b'"arguments":{"query":"bad \xc3\x28 byte \xff"}}}',
    b'{"jsonrpc":"2.0","id":8,"method":1,"params":"bar"}',
    b"42", b'"text"', b"null", b"[]",
    encode(request(9, "ping")) + b"\r",
    encode(request(10, "tools/list"))])  # and no line end


def items():
    return [item("1", "Invoice export", original=WORDS),
            item("2", "Large one", original=LARGE[:190000]),
            item("3", "Dashboard colours", project="billing")]


class Pair:
    """A server with keys, and a client that it has approved."""

    def __init__(self):
        self.server = Server(SERVER, items=items(), tables=jzserver.client(
            "laptop", KEY, sources=["*"])).start()
        self.client = Client(CLIENT, url=self.server.url[:-len("/mcp")], key=KEY)

    def approve(self, name, key):
        """A running server takes another client within a second."""
        with open(self.server.config, "a", encoding="utf-8") as file:
            file.write(jzserver.client(name, key, sources=["*"]))
        end = time.monotonic() + 30
        while self.server.ask("POST", "/mcp", b"{}",
                              jzserver.bearer(key)).status == 401:
            if time.monotonic() > end:
                raise RuntimeError("the key was not taken")
            time.sleep(0.05)

    def restart(self):
        """On the same port."""
        port = self.server.port
        self.server.signal()
        self.server.wait()
        with open(self.server.config, encoding="utf-8") as file:
            text = file.read()
        with open(self.server.config, "w", encoding="utf-8") as file:
            file.write(text.replace("port = 0", "port = %d" % port))
        self.server.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()
        self.server.close()


def error_of(answer):
    error = (answer or {}).get("error") or {}
    return error.get("code"), error.get("message")


def error_codes(answers):
    return sorted((str(one["id"]), one["error"]["code"])
                  for one in answers if "error" in one)


# --- the real server ---

def test_an_older_client_is_served():
    with Pair() as pair, Agent(pair.client) as agent:
        answer = agent.ask(initialize(1, "2025-03-26"))
        tap.equal(answer["result"]["protocolVersion"], "2025-03-26", "version")
        agent.send(note("notifications/initialized"))
        tools = agent.ask(request(2, "tools/list"))["result"]["tools"]
        tap.equal(len(tools), 5, "tools")
        found = agent.ask(call("x-1", "search", query="INVOICE " + WORDS))
        tap.equal(found["result"]["structuredContent"]["count"], 1, "found")
        read = agent.ask(call(9007199254740993, "get_item", item_id=1,
                              include_original=True))
        tap.equal(read["result"]["structuredContent"]["item"]["original"],
                  WORDS, "bytes in, bytes out")
        tap.equal(agent.end(), (0, ""), "end")
        tap.equal(len(agent.lines), 4, "answers")
        tap.equal(pair.client.log(), "", "log")


def test_a_modern_client_is_served():
    with Pair() as pair, Agent(pair.client) as agent:
        answer = agent.ask(request(1, "server/discover", {"_meta": META}))
        tap.equal(answer["result"]["supportedVersions"], ["2026-07-28"], "known")
        found = agent.ask(call(2, "search", modern=True, query="invoice"))
        tap.equal(found["result"]["resultType"], "complete", "search")
        unknown = agent.ask(call(3, WORDS + " ", modern=True))
        tap.equal(unknown["result"]["isError"], True, "a name in base64")
        future = dict(META, **{"io.modelcontextprotocol/protocolVersion": "v9"})
        refused = agent.ask(request(4, "tools/list", {"_meta": future}))
        tap.equal(refused["error"]["code"], -32022, "version")
        missing = agent.ask(request(5, "no/such", {"_meta": META}))
        tap.equal(missing["error"]["code"], -32601, "404 with a body")
        tap.equal(agent.end(), (0, ""), "end")


def test_every_line_is_answered_once():
    with Pair() as pair:
        for env in ({}, {"LANG": "C", "LC_ALL": "POSIX"},
                    {"LC_ALL": "tr_TR.UTF-8"}):
            answers, status, err = talk(pair.client, LINES, env=env)
            tap.equal((status, err), (0, ""), "status")
            tap.equal(error_codes(answers),
                      sorted([("None", -32700), ("None", -32700),
                              ("two", -32601), ("3", -32602), ("4", -32602),
                              ("8", -32600)] + [("None", -32600)] * 5), "errors")
            tap.equal(sorted(one["id"] for one in answers if "result" in one),
                      [0, 1, 9, 10], "results")


def test_64_calls_at_once():
    with Pair() as pair, Agent(pair.client) as agent:
        agent.ask(initialize())
        agent.send(*[call(n, "get_item", item_id=n % 3 + 1, modern=n % 2 == 0)
                     for n in range(100, 164)])
        answers = agent.wait_for(65)[1:]
        tap.equal(sorted(one["id"] for one in answers), list(range(100, 164)),
                  "ids")
        for one in answers:
            tap.equal(one["result"]["structuredContent"]["item"]["id"],
                      one["id"] % 3 + 1, "its own answer")
        tap.equal(agent.end(), (0, ""), "end")


def read_slowly(client, *messages):
    """Lines by id, read in pieces, stdin having ended."""
    process = client.start("mcp")
    process.stdin.write(b"\n".join(encode(one) for one in messages))
    process.stdin.close()
    data = b""
    while True:
        piece = process.stdout.read1(65536)
        if not piece:
            break
        data += piece
        time.sleep(0.005)
    tap.equal(process.wait(30), 0, "status")
    tap.equal(process.stderr.read(), b"", "stderr")
    process.stdout.close()
    process.stderr.close()
    lines = [json.loads(line) for line in data.split(b"\n")[:-1]]
    return {line["id"]: line for line in lines}


def test_a_request_of_2_mb_and_a_large_answer_read_slowly():
    with Pair() as pair:
        answers = read_slowly(pair.client, call(1, "search", query="x" * 2000000),
                              call(2, "get_item", item_id=2,
                                   include_original=True))
        tap.equal(answers[1]["result"]["structuredContent"]["count"], 0, "found")
        read = answers[2]["result"]["structuredContent"]["item"]
        tap.check(read["original"] == LARGE[:190000], "the answer is whole")


def test_an_answer_of_5_mb_read_slowly():
    with Scripted(lambda seen: result(seen, {"text": LARGE})) as server:
        with Client(CLIENT, url=server.url) as client:
            answers = read_slowly(client, request(1, "ping"))
            tap.check(answers[1]["result"]["text"] == LARGE, "it is whole")


def test_a_line_over_16_mib_is_refused_and_the_next_is_answered():
    with Pair() as pair:
        data = (b'{"pad":"' + b"x" * (16 * 1024 * 1024) + b'"}\n' +
                encode(request(2, "ping")) + b"\n")
        answers, status, _ = talk(pair.client, data)
        tap.equal(status, 0, "status")
        answers.sort(key=lambda one: str(one["id"]), reverse=True)
        tap.equal([one["id"] for one in answers], [None, 2], "ids")
        tap.equal(error_of(answers[0]),
                  (-32700, "Parse error: the line is over 16 MiB"), "error")


def test_a_server_that_restarts_is_found_again():
    with Pair() as pair, Agent(pair.client) as agent:
        agent.ask(initialize())
        tap.check("result" in agent.ask(call(2, "list_sources")), "before")
        pair.restart()
        tap.check("result" in agent.ask(call(3, "list_sources")), "after")
        pair.server.signal()
        pair.server.wait()
        answer = agent.ask(call(4, "list_sources"))
        tap.equal(error_of(answer)[0], AWAY, "away")
        tap.check("connection refused" in error_of(answer)[1],
                  error_of(answer)[1])
        tap.equal(agent.end(), (0, ""), "end")
        tap.equal(pair.client.log().count("connection refused"), 1, "log")


def test_a_key_that_changed_works_with_the_next_call():
    with Pair() as pair, Agent(pair.client) as agent:
        agent.ask(initialize())
        pair.client.write("token", "x" * 43 + "\n")
        tap.check("result" in agent.ask(call(2, "list_sources")),
                  "a key that works is not read again")
        with Agent(pair.client) as other:
            code, text = error_of(other.ask(call(1, "list_sources")))
            tap.equal(code, AWAY, "refused")
            tap.check(text.startswith("Jezero refused this computer's key: "
                                      'HTTP 401 {"error": "invalid_token"'), text)
            code, text = error_of(other.ask(initialize(2)))
            tap.equal(code, AWAY, "refused is not away")
            pair.client.write("token", KEY + "\n")
            tap.check("result" in other.ask(call(3, "list_sources")), "again")


def test_a_home_that_is_set_up_later_works_with_the_next_call():
    with Pair() as pair, Client(CLIENT) as client, Agent(client) as agent:
        text = ("Jezero is not set up on this computer (%s): run "
                "jezero-client init" % client.home)
        first = agent.ask(initialize(1))
        tap.equal(first["result"]["serverInfo"]["name"], "jezero", "initialize")
        agent.send(note("notifications/initialized"))
        tap.equal(len(agent.ask(request(2, "tools/list"))["result"]["tools"]), 5,
                  "tools")
        found = agent.ask(request(3, "server/discover", {"_meta": META}))
        tap.equal(found["result"]["resultType"], "complete", "discover")
        tap.equal(error_of(agent.ask(call(4, "list_sources"))), (AWAY, text),
                  "not set up")
        client.run("init", "--url", pair.server.url[:-len("/mcp")], "--device",
                   "late")
        pair.approve("late", client.key())
        tap.check("result" in agent.ask(call(5, "list_sources")), "set up")
        tap.equal(agent.end(), (0, ""), "end")
        tap.equal(len(agent.lines), 5, "answers")


def test_a_home_that_is_refused_says_why():
    with Client(CLIENT, url="http://127.0.0.1:1") as client:
        os.chmod(client.home, 0o755)
        with Agent(client) as agent:
            code, text = error_of(agent.ask(call(1, "list_sources")))
            tap.equal(code, AWAY, "code")
            tap.check(client.home in text and "set up" not in text, text)
            tap.check("result" in agent.ask(initialize(2)), "the tools stay")


def test_every_line_is_answered_without_a_server():
    with Client(CLIENT, url="http://127.0.0.1:1") as client:
        answers, status, err = talk(client, LINES)
        tap.equal((status, err), (0, ""), "status")
        # The array's two requests are answered one by one.
        tap.equal(error_codes(answers),
                  sorted([("None", -32700), ("None", -32700)] +
                         [(one, AWAY) for one in
                          ("two", "3", "4", "0", "5", "6", "8", "9",
                           "None", "None", "None", "None")]), "errors")
        tap.equal(sorted(one["id"] for one in answers if "result" in one),
                  [1, 10], "what is known here")
        tap.check("Jezero server http://127.0.0.1:1: cannot connect to "
                  "127.0.0.1 port 1: connection refused" in
                  [one["error"]["message"] for one in answers if "error" in one],
                  "the text")


# --- a scripted server ---

def scripted(answer, *messages, count=None):
    """What an agent gets from a server that answers so, and what it saw."""
    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.send(*messages)
            agent.wait_for(len(messages) if count is None else count)
            tap.equal(agent.end(), (0, ""), "end")
            return agent.answers(), server, client.log()


def test_errors_of_http_are_those_of_the_table():
    html = b"<html>\n<body>" + b"x" * 300 + b"</body></html>"
    cases = (
        (401, b'{"error": "invalid_token"}',
         "Jezero refused this computer's key: HTTP 401 "
         '{"error": "invalid_token"}'),
        (403, b"", "Jezero refused this computer's key: HTTP 403"),
        (403, b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
         "Jezero refused this computer's key: HTTP 403 "
         '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}'),
        (502, html, "Jezero server URL: HTTP 502 " +
         ("<html> <body>" + "x" * 300)[:200]),
        (302, b"", "Jezero server URL: HTTP 302"),
        (200, html, "Jezero server URL: HTTP 200 " +
         ("<html> <body>" + "x" * 300)[:200]),
        (200, b'{"id":1}', 'Jezero server URL: HTTP 200 {"id":1}'),
        (202, b"", "Jezero server URL: HTTP 202"),
        (500, b"oops \xff", "Jezero server URL: HTTP 500 oops \ufffd"),
    )
    for status, body, text in cases:
        answers, server, log = scripted(
            lambda seen, s=status, b=body: (
                s, {"Location": "http://127.0.0.1:1/login"}, b),
            note("notifications/x"), call(1, "list_sources"), count=1)
        text = text.replace("URL", server.url)
        tap.equal([error_of(one) for one in answers], [(AWAY, text)], status)
        tap.equal([one["id"] for one in answers], [1], "only the request")
        tap.equal(log.count("mcp: "), 1, "logged once: " + log)


def test_a_body_of_json_rpc_passes_whatever_its_status():
    for status in (200, 400, 404, 500):
        body = b'{\n  "jsonrpc": "2.0",\r\n  "id": 1,\n "error": {"code":-32022,' \
               b'"message":"a\\nb  c","data":{"x": 1.0}}}\n'
        answers, _, log = scripted(lambda seen, s=status: (s, JSON, body),
                                   call(1, "list_sources"))
        tap.equal(answers, [json.loads(body)], status)
        tap.equal(log, "", "log")


def test_an_answer_under_another_id_gets_the_requests():
    body = b'{"jsonrpc":"2.0","id":"server-error","error":{"code":1,"message":"m"}}'
    answers, _, _ = scripted(lambda seen: (400, JSON, body), request("q", "ping"))
    tap.equal([one["id"] for one in answers], ["q"], "id")


def test_events_come_one_a_line_and_end_with_the_answer():
    closed = threading.Event()

    def answer(seen):
        out = seen.handler.wfile
        out.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                  b"Transfer-Encoding: chunked\r\n\r\n")

        def event(data):
            out.write(b"%x\r\n%s\r\n" % (len(data), data))
            out.flush()

        event(b": keep-alive\n\n")
        event(b"event: message\r\nid: 7\r\ndata: {\"jsonrpc\":\"2.0\","
              b"\"method\":\"notifications/progress\"}\r\n\r\n")
        event(b"data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\n")
        event(b"data: \"result\":{}}\n\n")
        # The stream stays open: whoever waits for its end waits for ever.
        closed.wait(60)

    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            got = agent.ask(call(1, "list_sources"))
            tap.equal(got, {"jsonrpc": "2.0", "id": 1, "result": {}}, "answer")
            tap.equal(agent.answers()[0].get("method"), "notifications/progress",
                      "what came before")
            tap.equal(agent.end(), (0, ""), "end")
        closed.set()


def test_a_stream_without_an_answer_is_an_error():
    body = b"data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\ndata: junk\n\n"
    answers, server, _ = scripted(lambda seen: (200, EVENTS, body),
                                  call(1, "list_sources"), count=2)
    tap.equal(answers[0].get("method"), "n", "the event")
    tap.equal(error_of(answers[1]),
              (AWAY, "Jezero server %s: the event stream ended without an "
               "answer" % server.url), "error")


def test_a_lost_session_is_begun_anew_and_the_call_repeated():
    known = ["s1"]

    def answer(seen):
        session = seen.headers.get("mcp-session-id")
        if seen.rpc == "initialize":
            tap.equal(session, None, "initialize has no session")
            known[0] = "s%d" % (1 + sum(s.rpc == "initialize" for s in server.seen))
            return agreed(seen, {"Mcp-Session-Id": known[0]})
        if session != known[0]:
            return 404, JSON, encode({"jsonrpc": "2.0", "id": None, "error": {
                "code": -32001, "message": "Session not found"}})
        return result(seen, {"session": session})

    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.ask(initialize(1))
            agent.send(note("notifications/initialized"))
            first = agent.ask(request(2, "ping"))["result"]["session"]
            known[0] = "lost"
            second = agent.ask(request(3, "ping"))["result"]["session"]
            tap.check(first != second, "a new session")
            tap.equal(server.methods().count("initialize"), 2, "anew")
            tap.equal(server.methods()[-3:], ["initialize",
                                              "notifications/initialized", "ping"],
                      "in order")
            tap.equal(server.seen[-1].headers["mcp-protocol-version"],
                      "2025-06-18", "version")
            known[0] = "lost"
            agent.send(*[request(n, "ping") for n in range(10, 26)])
            tap.equal(len([one for one in agent.wait_for(3 + 16)
                           if "result" in one]), 19, "all at once")
            tap.equal(server.methods().count("initialize"), 3, "by one alone")
            tap.equal(agent.end(), (0, ""), "end")
            tap.equal(len(agent.lines), 19, "their answers are ours")
        tap.equal((server.seen[-1].method,
                   server.seen[-1].headers["mcp-session-id"]),
                  ("DELETE", known[0]), "the session is closed")


def test_a_404_without_a_session_is_final():
    answers, server, _ = scripted(lambda seen: (404, {}, b"Not Found"),
                                  call(1, "list_sources"))
    tap.equal(error_of(answers[0])[1],
              "Jezero server %s: HTTP 404 Not Found" % server.url, "text")
    tap.equal(len(server.seen), 1, "asked once")


def test_headers_are_those_of_the_era():
    def answer(seen):
        return agreed(seen) if seen.rpc == "initialize" else result(seen)

    _, server, _ = scripted(answer, initialize(1, "2025-11-25"),
                            note("notifications/initialized"),
                            request(2, "tools/list"), count=2)
    with Client(CLIENT, url=server.url) as client:
        key = client.key()
    for seen in server.seen:
        tap.equal((seen.method, seen.path), ("POST", "/mcp"), "place")
        tap.equal(seen.headers["content-type"], "application/json", "type")
        tap.equal(seen.headers["accept"],
                  "application/json, text/event-stream", "accept")
        tap.check(seen.headers["authorization"].startswith("Bearer "), "key")
        tap.check(key not in seen.headers["authorization"], "its own key")
        tap.check("mcp-method" not in seen.headers, "a header of the other era")
    tap.equal([seen.headers.get("mcp-protocol-version") for seen in server.seen],
              [None, "2025-11-25", "2025-11-25"], "versions")
    _, server, _ = scripted(answer, call("é", "search", modern=True, query="x"),
                            note("notifications/y", {"_meta": META}), count=1)
    for seen in server.seen:
        tap.equal((seen.headers["mcp-protocol-version"],
                   seen.headers["mcp-method"], seen.headers.get("mcp-name")),
                  ("2026-07-28", seen.rpc,
                   "search" if seen.rpc == "tools/call" else None), "modern")
        tap.equal(seen.body, encode(seen.message), "the bytes are the agent's")


def test_what_follows_an_initialize_waits_for_it():
    def answer(seen):
        if seen.rpc == "initialize":
            release.wait(60)
            return agreed(seen)
        return result(seen)

    release = threading.Event()
    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.send(initialize(1), note("notifications/initialized"),
                       request(2, "ping"),
                       note("notifications/cancelled", {"requestId": 9}))
            server.wait_for(2)
            tap.equal(sorted(server.methods()),
                      ["initialize", "notifications/cancelled"],
                      "only a cancellation passes")
            release.set()
            agent.wait_for(2)
            tap.equal(server.methods()[2:], ["notifications/initialized", "ping"],
                      "then in order")
            tap.equal(agent.end(), (0, ""), "end")


def test_answers_come_in_the_order_of_the_server():
    release = threading.Event()

    def answer(seen):
        if seen.id == 1:
            release.wait(60)
        return result(seen)

    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.send(request(1, "ping"))
            server.wait_for(1)
            agent.ask(request(2, "ping"))
            release.set()
            tap.equal([one["id"] for one in agent.wait_for(2)], [2, 1], "order")


def test_a_modern_request_that_is_cancelled_is_hung_up():
    hung_up = threading.Event()

    def answer(seen):
        if seen.id == 1:
            if seen.handler.connection.recv(1) == b"":
                hung_up.set()
            return None
        return result(seen)

    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.send(call(1, "search", modern=True, query="x"))
            server.wait_for(1)
            agent.send(note("notifications/cancelled", {"requestId": 1}))
            tap.check(hung_up.wait(60), "the connection is closed")
            agent.ask(request(2, "ping"))
            agent.ask(request(3, "ping"))
            tap.equal(agent.end(), (0, ""), "end")
            tap.equal([one["id"] for one in agent.answers()], [2, 3], "answers")
        tap.equal(server.methods().count("notifications/cancelled"), 0,
                  "is not said over HTTP")


def test_a_silent_server_leaves_the_tools_within_3_s():
    release = threading.Event()

    def answer(seen):
        release.wait(60)

    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            for message in (initialize(1), request(2, "tools/list"),
                            request(3, "server/discover", {"_meta": META})):
                start = time.monotonic()
                got = agent.ask(message)
                took = time.monotonic() - start
                tap.check("result" in got, got)
                tap.check(took < 3 * slowness(), "took %.1f s" % took)
            tap.check("no answer" in client.log(), client.log())
        release.set()


def test_a_proxy_that_says_502_leaves_the_tools_too():
    answers, server, log = scripted(lambda seen: (502, {}, b"Bad gateway"),
                                    initialize(1), request(2, "tools/list"),
                                    call(3, "list_sources"))
    tap.equal([sorted(set(one) & {"result", "error"}) for one in
               sorted(answers, key=lambda one: one["id"])],
              [["result"], ["result"], ["error"]], "answers")
    tap.check("HTTP 502 Bad gateway" in log, log)


# --- ends ---

def slowness():
    """Sanitizers and a busy machine take their time."""
    return 4


def never(seen):
    release_all.wait(100)


release_all = threading.Event()


def test_nothing_on_stdin_is_nothing_on_stdout():
    with Client(CLIENT, url="http://127.0.0.1:1") as client:
        tap.equal(talk(client, b""), ([], 0, ""), "empty")
        with open(os.devnull, "rb") as null:
            process = client.start("mcp", stdin=null)
            tap.equal(process.communicate(timeout=30), (b"", b""), "/dev/null")
            tap.equal(process.returncode, 0, "status")


def test_what_is_under_way_at_the_end_is_waited_for_5_s():
    with Scripted(never) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.send(call(1, "list_sources"))
            server.wait_for(1)
            start = time.monotonic()
            tap.equal(agent.end(), (0, ""), "end")
            took = time.monotonic() - start
            tap.check(4.5 < took < 5 + slowness(), "took %.1f s" % took)


def test_a_reader_that_has_gone_ends_it_at_once():
    for ends_stdin in (False, True):
        with Scripted(never) as server, Client(CLIENT, url=server.url) as client:
            process = client.start("mcp")
            process.stdin.write(encode(call(1, "list_sources")) + b"\n")
            process.stdin.flush()
            server.wait_for(1)
            start = time.monotonic()
            if ends_stdin:
                process.stdin.close()
            process.stdout.close()
            tap.equal(process.wait(30), 0, "status")
            tap.check(time.monotonic() - start < slowness(), "at once")
            tap.equal(process.stderr.read(), b"", "quietly")
            process.stdin.close()
            process.stderr.close()


def test_a_closed_stdout_is_no_place_for_other_things():
    with Client(CLIENT, url="http://127.0.0.1:1") as client:
        for redirection in (">&-", "<&-"):
            process = client.start(
                "mcp", preexec_fn=lambda r=redirection: os.close(
                    1 if r == ">&-" else 0))
            process.stdin.close()
            tap.equal(process.wait(30), 0, redirection)
            process.stdout.close()
            process.stderr.close()


def test_signals_end_it_quietly():
    with Scripted(result) as server, Client(CLIENT, url=server.url) as client:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with Agent(client) as agent:
                agent.ask(request(1, "ping"))
                agent.process.send_signal(number)
                tap.equal(agent.process.wait(30), 0, number)
                tap.equal(agent.process.stderr.read(), b"", "stderr")


def test_a_parent_that_is_killed_takes_it_along():
    with Scripted(result) as server, Client(CLIENT, url=server.url) as client:
        read_end, write_end = os.pipe()
        parent = os.fork()
        if parent == 0:
            process = client.start("mcp")
            os.write(write_end, b"%d" % process.pid)
            signal.pause()
        number = int(os.read(read_end, 32))
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        end = time.monotonic() + 30
        while os.path.exists("/proc/%d" % number) and time.monotonic() < end:
            with open("/proc/%d/stat" % number, encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    break
            time.sleep(0.02)
        tap.check(time.monotonic() < end, "the bridge has gone")
        os.close(read_end)
        os.close(write_end)


def test_stopping_and_going_on_does_no_harm():
    with Scripted(result) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.ask(request(1, "ping"))
            agent.process.send_signal(signal.SIGSTOP)
            agent.send(request(2, "ping"))
            agent.process.send_signal(signal.SIGCONT)
            tap.equal(agent.wait_for(2)[-1]["id"], 2, "answer")
            tap.equal(agent.end(), (0, ""), "end")


def test_no_time_is_used_while_idle():
    with Scripted(result) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            agent.ask(request(1, "ping"))

            def spent():
                with open("/proc/%d/stat" % agent.process.pid,
                          encoding="ascii") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                return int(fields[11]) + int(fields[12])

            before = spent()
            time.sleep(0.5)
            tap.check(spent() - before <= 1, "%d ticks" % (spent() - before))


def test_more_than_it_may_hold_is_left_in_the_pipe():
    release = threading.Event()

    def answer(seen):
        release.wait(60)
        return result(seen)

    with Scripted(answer) as server, Client(CLIENT, url=server.url) as client:
        with Agent(client) as agent:
            count = 3000
            pad = "x" * 2000
            writer = threading.Thread(target=lambda: agent.send(
                *[request(n, "ping", {"pad": pad}) for n in range(count)]))
            writer.start()
            server.wait_for(16)
            writer.join(0.3)
            tap.check(writer.is_alive(), "the agent waits")
            with open("/proc/%d/statm" % agent.process.pid,
                      encoding="ascii") as file:
                tap.check(int(file.read().split()[1]) > 0, "it lives")
            release.set()
            writer.join(120)
            answers = agent.wait_for(count, 120)
            tap.equal(len({one["id"] for one in answers}), count, "all of them")
            tap.equal(agent.end(), (0, ""), "end")


def test_a_wrong_agent_is_said_on_stderr():
    with Client(CLIENT) as client:
        done = client.run("mcp", "--agent", "nobody")
        tap.check(done.returncode != 0 and done.stdout == "", done)
        tap.check("--agent must be claude-code" in done.stderr, done.stderr)


def test_an_agent_uses_its_own_key():
    with Scripted(result) as server, Client(CLIENT, url=server.url) as client:
        folder = os.path.join(client.folder, ".gemini", "config")
        os.makedirs(folder)
        client.run("init", "--url", server.url, "--device", "sandbox",
                   env={"JEZERO_CLIENT_HOME": os.path.join(folder, "jezero")})
        keys = set()
        for options in ((), ("--agent", "codex"), ("--agent", "antigravity")):
            talk(client, encode(request(1, "ping")), *options)
            keys.add(server.seen[-1].headers["authorization"])
        tap.equal(len(keys), 2, "keys")


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_") and (len(sys.argv) < 4 or
                                         sys.argv[3] in name):
            tap.run(test)
    release_all.set()
    tap.done()


main()
