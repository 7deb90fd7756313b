#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The log of a running server: what is in it, what is not, how much of it
somebody without a key can cause, and that the server does not depend on it.

usage: logs.py JEZERO_SERVER
"""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, client, digest, item, request  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
KEY = "open-sesame-4f1d9c7b2a"
LAPTOP = "laptop-sesame-77e0aa31d5"
CLIENTS = client("desk", KEY) + client("laptop", LAPTOP, upload=True)
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00 "
                  r"(error|warning|info|debug) \S.*")
tap = Tap()


def start(level="debug", form="json", **more):
    config = 'log_level = "%s"\nlog_format = "%s"' % (level, form)
    return Server(PROGRAM, config=config, tables=CLIENTS,
                  items=[item("1", "Invoice export")], **more)


def stop(server):
    """End it: the lines of its log."""
    server.signal()
    tap.equal(server.wait(), 0, "exit status")
    with open(server.output, "rb") as file:
        return file.read().decode("utf-8").splitlines()


def objects(lines):
    return [json.loads(line) for line in lines]


def session(words="The export fails with code 17"):
    lines = [{"timestamp": "2026-10-09T21:23:12.000Z", "type": "session_meta",
              "payload": {"id": "cccccccc-0000-4000-8000-000000000001",
                          "timestamp": "2026-10-09T21:23:12.000Z",
                          "cwd": "/home/dana/projects/billing",
                          "cli_version": "0.99.0"}}]
    for role, kind in (("user", "input_text"), ("assistant", "output_text")):
        lines.append({"timestamp": "2026-10-09T21:23:15.000Z",
                      "type": "response_item",
                      "payload": {"type": "message", "role": role,
                                  "content": [{"type": kind, "text": words}]}})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def test_each_line_is_an_object_with_the_request_it_is_about():
    with start() as server:
        for _ in range(3):
            server.ask("POST", "/mcp", PING, bearer(KEY))
        server.ask("POST", "/mcp", PING)
        server.ask("GET", "/healthz")
        lines = objects(stop(server))
    asked = [line for line in lines if "request" in line]
    tap.equal(sorted({line["request"] for line in asked}), [1, 2, 3, 4, 5], "ids")
    for line in lines:
        tap.check({"time", "level", "message"} <= set(line), line)
    heads = [line for line in asked if line["message"].startswith("POST /mcp")]
    tap.equal([line["request"] for line in heads], [1, 2, 3, 4], "heads")
    ends = [line for line in asked if "status" in line]
    tap.equal([(line["request"], line["status"], line.get("client"))
               for line in ends],
              [(1, 200, "desk"), (2, 200, "desk"), (3, 200, "desk"),
               (4, 401, None), (5, 200, None)], "answers")
    for line in ends:
        tap.check(line["ms"] >= 0 and line["bytes"] > 0, line)


def test_lines_of_text_are_one_line_each():
    with start(form="text") as server:
        server.ask("POST", "/mcp", PING, bearer(KEY))
        server.ask("POST", "/mcp", PING)
        lines = stop(server)
    for line in lines:
        tap.check(LINE.fullmatch(line), line)
    text = "\n".join(lines)
    tap.check(" debug request 1: POST /mcp\n" in text, "head")
    tap.check(re.search(r" debug request 1 of desk: answered: 200, \d+ bytes, "
                        r"\d+\.\d ms\n", text), "answer")


def test_at_info_a_request_says_nothing_and_an_upload_does():
    with start(level="info") as server:
        for _ in range(5):
            server.ask("POST", "/mcp", PING, bearer(KEY))
        answer = server.ask("PUT", "/inbox/v1/codex/2026/10/09/rollout-1.jsonl",
                            session(), bearer(LAPTOP))
        tap.equal(answer.status, 200, answer.text)
        answer = server.ask("PUT", "/inbox/v1/codex/2026/10/09/rollout-2.jsonl",
                            b"\xff\xfe not a text\n", bearer(LAPTOP))
        tap.equal(answer.status, 400, answer.text)
        lines = objects(stop(server))
    about = [line for line in lines if "request" in line]
    tap.equal([(line["level"], line["client"], line["status"]) for line in about],
              [("info", "laptop", 200), ("warning", "laptop", 400)], "uploads")
    tap.equal(about[0]["bytes"], len(session()), "bytes")
    tap.check("codex" in about[0]["message"], about[0])
    words = [line["message"] for line in lines]
    tap.check(any(re.fullmatch(r"listening on 127\.0\.0\.1:\d+ \(http\)", word)
                  for word in words), "listening")
    tap.check("stopping: terminated" in words and "stopped" in words, words)


def test_an_upload_that_is_refused_by_its_head_is_told_once():
    with start(level="info", form="text") as server:
        for _ in range(50):
            answer = server.ask("PUT", "/inbox/v1/codex/somewhere.jsonl", b"x",
                                bearer(LAPTOP))
            tap.equal(answer.status, 400, answer.text)
        answer = server.ask("PUT", "/inbox/v1/codex/2026/10/09/rollout-1.jsonl",
                            b"x", bearer(KEY))
        tap.equal(answer.status, 403, answer.text)
        lines = stop(server)
    tap.equal([line.split(" ", 1)[1] for line in lines if "refused" in line],
              ["warning request 1 of laptop: /inbox/v1/codex/somewhere.jsonl is "
               "refused with 400: the path must be YYYY/MM/DD/"
               "rollout-<session>.jsonl",
               "warning request 51 of desk: /inbox/v1/codex/2026/10/09/"
               "rollout-1.jsonl is refused with 403: this key may not upload"], "lines")


def test_what_is_sent_begins_no_line_and_no_escape_sequence():
    hosts = ["nas.lan\x1b[31m", "nas\x7f.lan", "nas\x9b31m.lan", "\u202enas.lan",
             'nas".lan', "nas\\.lan", "n" * 3000]
    for form in ("json", "text"):
        with start(form=form) as server:
            for host in hosts:
                server.ask("GET", "/healthz", host=host)
            with server.connect() as peer:
                peer.send(b"GET /a\x1b[2J\xff\xc2\x9b\xe2\x80\xae HTTP/1.1\r\n"
                          b"Host: localhost\r\n\r\n")
                peer.answer()
            with server.connect() as peer:
                peer.send(b"X\x1b[2J /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                peer.answer()
            lines = stop(server)
        for line in lines:
            tap.check(not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]",
                                    line), repr(line))
            tap.check(len(line) < 1500, "length %d" % len(line))
            if form == "json":
                json.loads(line)
            else:
                tap.check(LINE.fullmatch(line), line)


def test_a_flood_without_a_key_gives_a_handful_of_lines():
    with start(level="info", form="text") as server:
        with server.connect(120) as peer:
            for _ in range(100):
                peer.send(request("POST", "/mcp", PING) * 100)
                for _ in range(100):
                    tap.equal(peer.answer().status, 401, "status")
        lines = stop(server)
    told = [line for line in lines if "401" in line]
    tap.check(1 <= len(told) <= 5, "%d lines" % len(told))
    tap.check("127.0.0.1" in told[0], told[0])


def test_a_flood_of_made_up_hosts_gives_a_handful_of_lines():
    with start(level="info", form="text") as server:
        with server.connect(120) as peer:
            for i in range(20):
                peer.send(b"".join(request("GET", "/healthz",
                                           host="host-%d.test" % (100 * i + k))
                                   for k in range(100)))
                for _ in range(100):
                    tap.equal(peer.answer().status, 421, "status")
        # The two floods are counted apart.
        server.ask("POST", "/mcp", PING)
        lines = stop(server)
    told = [line for line in lines if "421" in line]
    tap.check(10 <= len(told) <= 40, "%d lines" % len(told))
    tap.check(any("401" in line for line in lines), "the other sort is told")


def test_a_refused_host_is_told_with_what_would_allow_it():
    with start(level="info", form="text") as server:
        server.ask("POST", "/mcp", PING, bearer(KEY), host="nas.lan:8765")
        lines = stop(server)
    tap.check(any("'nas.lan:8765'" in line and "allowed_hosts" in line and
                  'add "nas.lan:8765"' in line for line in lines), lines)


def parts_of(key):
    """What must not be found anywhere: the key, its halves and other forms."""
    raw = key.encode()
    return [key, key[:12], key[-12:], base64.b64encode(raw).decode().rstrip("="),
            raw.hex(), digest(key), digest(key)[:16]]


def test_no_part_of_a_key_is_in_the_log():
    wrong = "guessed-key-91c2aa04f7d3"
    with start() as server:
        for key in (KEY, LAPTOP, wrong):
            server.ask("POST", "/mcp", PING, bearer(key))
            server.ask("POST", "/mcp?access_token=" + key, PING)
            server.ask("POST", "/mcp", PING, {"Authorization": "Basic " + key})
            server.ask("POST", "/mcp", PING, [("Authorization", "Bearer " + key),
                                              ("Authorization", "Bearer " + key)])
            server.ask("POST", "/mcp", b"{", bearer(key))
            server.ask("POST", "/mcp", PING, bearer(key), host="evil.test")
            server.ask("POST", "/mcp", PING,
                       dict(bearer(key), Origin="http://evil.test"))
            server.ask("PUT", "/inbox/v1/codex/x", b"x", bearer(key))
            server.ask("PUT", "/inbox/v1/codex/2026/10/09/rollout-1.jsonl?k=" + key,
                       b"x", bearer(key))
            server.ask("GET", "/metrics", headers=bearer(key))
            with server.connect() as peer:
                peer.send(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                          b"Authorization: Bearer " + key.encode() +
                          b"\r\n folded\r\n\r\n")
                peer.rest()
        server.signal(signal.SIGHUP)
        with open("/proc/%d/cmdline" % server.process.pid, "rb") as file:
            command = file.read().decode()
        text = "\n".join(stop(server)) + command
    for key in (KEY, LAPTOP, wrong):
        for part in parts_of(key):
            tap.check(part not in text, "%r is in the log" % part)


def test_no_text_of_items_and_queries_is_in_the_log():
    with start() as server:
        for query in ("xylophone", "xylophone OR ("):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                               "params": {"name": "search",
                                          "arguments": {"query": query}}})
            server.ask("POST", "/mcp", body.encode(), bearer(KEY))
        server.ask("PUT", "/inbox/v1/codex/2026/10/09/rollout-1.jsonl",
                   session("The xylophone is out of tune"), bearer(LAPTOP))
        tap.check(server.wait_for_log("codex"), "taken in")
        text = "\n".join(stop(server))
    tap.check("xylophone" not in text, text)


def started_with(stderr):
    """A server whose log goes to a file that takes nothing; its port is asked
    of the system, because it cannot say it."""
    server = start(form="text")
    process = subprocess.Popen(server.command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=stderr,
                               cwd=server.folder, env=server.env)
    server.process = process
    return server


def port_of(process, seconds=30):
    """The port on which a process listens."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        inodes = set()
        for fd in os.listdir("/proc/%d/fd" % process.pid):
            try:
                link = os.readlink("/proc/%d/fd/%s" % (process.pid, fd))
            except OSError:
                continue
            found = re.fullmatch(r"socket:\[(\d+)\]", link)
            if found:
                inodes.add(found[1])
        with open("/proc/net/tcp", encoding="ascii") as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    return int(fields[1].split(":")[1], 16)
        time.sleep(0.02)
    raise RuntimeError("it does not listen")


def answers(server):
    """Does it answer, and end by itself when it is asked to?"""
    try:
        server.addresses = ["127.0.0.1:%d" % port_of(server.process)]
        for _ in range(50):
            tap.equal(server.ask("POST", "/mcp", PING, bearer(KEY)).status, 200,
                      "with a key")
            tap.equal(server.ask("POST", "/mcp", PING).status, 401, "without")
        server.signal()
        tap.equal(server.wait(), 0, "exit status")
    finally:
        server.close()


def test_a_full_disk_under_the_log_stops_nobody():
    with open("/dev/full", "wb") as full:
        server = started_with(full)
    answers(server)


def test_a_log_whose_reader_is_gone_stops_nobody():
    ends = os.pipe()
    server = started_with(ends[1])
    os.close(ends[0])
    os.close(ends[1])
    answers(server)


def test_a_log_whose_reader_sleeps_stops_nobody():
    ends = os.pipe()
    # Nearly full from the start: no reader ever empties it.
    os.set_blocking(ends[1], False)
    try:
        while True:
            os.write(ends[1], b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(ends[1], True)
    server = started_with(ends[1])
    os.close(ends[1])
    answers(server)
    os.close(ends[0])


def test_a_start_that_fails_says_why_in_the_form_of_the_log():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        for form in ("json", "text"):
            server = start(form=form)
            with open(server.config, encoding="utf-8") as file:
                text = file.read()
            with open(server.config, "w", encoding="utf-8") as file:
                file.write(text.replace("port = 0", "port = %d" % port, 1))
            done = subprocess.run(server.command, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, cwd=server.folder,
                                  timeout=60)
            server.close()
            tap.equal(done.returncode, 1, "exit status")
            last = done.stderr.decode().splitlines()[-1]
            if form == "json":
                tap.equal(json.loads(last)["level"], "error", last)
            tap.check(str(port) in last, last)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        tap.run(test)
tap.done()
