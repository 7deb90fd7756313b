#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GET /metrics of a running server: who may read it, and that its numbers are
those of what was asked.

usage: metrics.py JEZERO_SERVER
"""

import json
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import prometheus  # noqa: E402
from jzserver import Server, bearer, client, item, request  # noqa: E402
from tap import Tap  # noqa: E402
from tools import find  # noqa: E402
from transcripts import Codex  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
READER, WATCHER, LAPTOP = "reader-key-0001", "watcher-key-0002", "laptop-key-0003"
CLIENTS = (client("reader", READER) + client("watcher", WATCHER, metrics=True) +
           client("laptop", LAPTOP, upload=True))
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
TYPE = "text/plain; version=0.0.4"
ROUTES = {"mcp", "health", "metadata", "inbox", "upload", "metrics", "none"}
tap = Tap()


def start(**more):
    more.setdefault("config", "metrics = true")
    return Server(PROGRAM, tables=CLIENTS, items=[item("1", "Invoice export")],
                  **more)


def scrape(server):
    answer = server.ask("GET", "/metrics", headers=bearer(WATCHER))
    if answer.status != 200:
        raise AssertionError("%d %s" % (answer.status, answer.text))
    return prometheus.parse(answer.text)


def wait_for(server, condition, seconds=30):
    """Scrape until condition(families) holds: the last families."""
    end = time.monotonic() + seconds
    families = scrape(server)
    while not condition(families) and time.monotonic() < end:
        time.sleep(0.05)
        families = scrape(server)
    return families


def rollout(name, words):
    session = Codex(name).message("user", words).message("assistant", "Done: " + words)
    return "".join(json.dumps(record) + "\n" for record in session.records).encode()


def without_right(text):
    """The file with metrics = false in [[clients]] and true in [server]."""
    head, marker, tail = text.partition("[[clients]]")
    return head + marker + tail.replace("metrics = true", "metrics = false")


def test_only_a_key_with_the_right_reads_them():
    with start() as server:
        for headers, status in ((None, 401), (bearer("unknown-key"), 401),
                                (bearer(READER), 403), (bearer(LAPTOP), 403),
                                (bearer(WATCHER), 200)):
            answer = server.ask("GET", "/metrics", headers=headers)
            tap.equal(answer.status, status, str(headers))
            tap.equal("jezero_requests_total" in answer.text, status == 200,
                      "numbers for %r" % headers)
        answer = server.ask("GET", "/metrics", headers=bearer(READER))
        tap.equal(answer.json(), {"error": "this key may not read metrics"}, "403")
        answer = server.ask("POST", "/metrics", PING, bearer(WATCHER))
        tap.equal(answer.status, 405, "POST")
        answer = server.ask("GET", "/metrics", headers=bearer(WATCHER))
        tap.equal(answer.headers["content-type"], TYPE, "type")
        tap.equal(answer.headers["cache-control"], "no-store", "not kept")


def test_there_are_none_unless_they_are_switched_on():
    with start(config="") as server:
        for headers in (None, bearer(READER), bearer(WATCHER)):
            answer = server.ask("GET", "/metrics", headers=headers)
            tap.equal(answer.status, 404, str(headers))
    # Without a client that may read them, too.
    with Server(PROGRAM, config="metrics = true",
                items=[item("1", "Title")]) as server:
        tap.equal(server.ask("GET", "/metrics").status, 401, "nobody may")


def test_promtool_finds_no_fault():
    with start() as server:
        server.ask("POST", "/mcp", PING, bearer(READER))
        server.ask("GET", "/nowhere")
        text = server.ask("GET", "/metrics", headers=bearer(WATCHER)).body
    done = subprocess.run([find("promtool"), "check", "metrics"], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60)
    tap.equal((done.returncode, done.stdout), (0, b""), "promtool")


def test_requests_are_counted_once_each():
    asked = [("POST", "/mcp", PING, bearer(READER), "mcp", 200)] * 5
    asked += [("POST", "/mcp", PING, None, "mcp", 401)] * 3
    asked += [("GET", "/mcp", None, bearer(READER), "mcp", 405)] * 2
    asked += [("GET", "/healthz", None, None, "health", 200)] * 4
    asked += [("GET", "/.well-known/oauth-protected-resource", None, None,
               "metadata", 200)]
    asked += [("GET", "/inbox/v1", None, bearer(LAPTOP), "inbox", 200)]
    asked += [("GET", "/inbox/v1", None, bearer(READER), "inbox", 403)]
    asked += [("PUT", "/inbox/v1/codex/..", b"x", bearer(LAPTOP), "upload", 400)]
    asked += [("GET", "/path-%d" % i, None, None, "none", 404) for i in range(20)]
    with start() as server:
        before = scrape(server)
        for method, path, body, headers, _, status in asked:
            tap.equal(server.ask(method, path, body, headers).status, status,
                      method + " " + path)
        after = scrape(server)
    counts = {}
    for *_, route, status in asked:
        counts[route, status] = counts.get((route, status), 0) + 1
    counts["metrics", 200] = 1  # the first look itself
    for (route, status), count in counts.items():
        labels = {"route": route, "status": str(status)}
        tap.equal(after["jezero_requests_total"].value(**labels) -
                  before["jezero_requests_total"].value(**labels), count,
                  "%s %d" % (route, status))
    durations = after["jezero_request_duration_seconds"]
    for route in ROUTES:
        tap.equal(durations.value("_count", route=route),
                  after["jezero_requests_total"].total(route=route), route)


def test_no_label_is_what_somebody_sent():
    with start() as server:
        for i in range(30):
            server.ask("GET", "/made-up-%d" % i)
            server.ask("BREW%d" % i, "/mcp", headers=bearer(READER))
            server.ask("POST", "/mcp", PING, bearer("made-up-%d" % i))
        families = scrape(server)
    for family in families.values():
        for name, labels in family.samples:
            label = dict(labels)
            tap.check(set(label) <= {"route", "status", "le", "state", "version"},
                      "labels of %s: %r" % (name, label))
            tap.check(label.get("route", "mcp") in ROUTES, label)
    tap.check(sum(len(family.samples) for family in families.values()) < 250,
              "few series")


def test_a_slow_request_is_in_the_slow_buckets():
    with start() as server:
        with server.connect() as peer:
            head = request("POST", "/mcp", PING, bearer(READER))
            peer.send(head[:-5])
            # What is measured begins when the head is complete.
            time.sleep(0.3)
            peer.send(head[-5:])
            tap.equal(peer.answer().status, 200, "answer")
        durations = scrape(server)["jezero_request_duration_seconds"]
    tap.equal(durations.value("_bucket", route="mcp", le="0.25"), 0, "0.25")
    tap.equal(durations.value("_bucket", route="mcp", le="+Inf"), 1, "all")
    tap.check(durations.value("_sum", route="mcp") > 0.29, "sum")


def test_connections_and_clients_are_those_of_now():
    with start() as server:
        peers = [server.connect() for _ in range(7)]
        for peer in peers:
            peer.send(request("GET", "/healthz"))
            peer.answer()
        families = scrape(server)
        tap.equal(families["jezero_connections"].value(), 8, "connections")
        tap.equal(families["jezero_clients"].value(), 3, "clients")
        tap.equal(families["jezero_healthy"].value(), 1, "healthy")
        for peer in peers:
            peer.sock.close()
        families = wait_for(server, lambda f: f["jezero_connections"].value() == 1)
        tap.equal(families["jezero_connections"].value(), 1, "connections left")


def test_uploads_are_counted_and_taken_in():
    sessions = [rollout("bbbbbbbb-0000-4000-8000-%012d" % i,
                        "The export of part %d fails with code 17" % i)
                for i in range(3)]
    with start() as server:
        for i, body in enumerate(sessions):
            answer = server.ask(
                "PUT", "/inbox/v1/codex/2026/10/09/rollout-%d.jsonl" % i, body,
                bearer(LAPTOP))
            tap.equal(answer.status, 200, answer.text)
        families = wait_for(
            server, lambda f: f["jezero_documents_total"].value(state="stored") == 3)
    tap.equal(families["jezero_uploads_total"].value(), 3, "uploads")
    tap.equal(families["jezero_upload_bytes_total"].value(),
              sum(map(len, sessions)), "bytes")
    tap.equal(families["jezero_documents_total"].value(state="stored"), 3, "stored")
    tap.equal(families["jezero_documents_total"].value(state="failed"), 0, "failed")
    tap.equal(families["jezero_queue"].value(), 0, "queue")
    tap.equal(families["jezero_items"].value(), 4, "items")


def test_a_library_that_is_gone_shows():
    with start() as server:
        os.rename(server.library, server.library + ".away")
        families = wait_for(server, lambda f: f["jezero_healthy"].value() == 0)
        tap.equal(families["jezero_healthy"].value(), 0, "away")
        os.rename(server.library + ".away", server.library)
        families = wait_for(server, lambda f: f["jezero_healthy"].value() == 1)
        tap.equal(families["jezero_healthy"].value(), 1, "back")


def test_it_can_be_read_while_all_ask():
    """The numbers stay consistent in every look."""
    with start() as server:
        def ask():
            with server.connect(60) as peer:
                for _ in range(100):
                    peer.send(request("POST", "/mcp", PING, bearer(READER)))
                    peer.answer()
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        last = 0
        while any(thread.is_alive() for thread in threads):
            families = scrape(server)
            total = families["jezero_requests_total"].total(route="mcp")
            tap.equal(families["jezero_request_duration_seconds"].value(
                "_count", route="mcp"), total, "count")
            tap.check(total >= last, "a counter never goes back")
            last = total
        for thread in threads:
            thread.join()
        families = scrape(server)
    tap.equal(families["jezero_requests_total"].value(route="mcp", status="200"),
              800, "all")


def test_a_reload_takes_the_right_away():
    with start() as server:
        tap.equal(server.ask("GET", "/metrics", headers=bearer(WATCHER)).status,
                  200, "before")
        with open(server.config, encoding="utf-8") as file:
            text = file.read()
        with open(server.config, "w", encoding="utf-8") as file:
            file.write(without_right(text))
        end = time.monotonic() + 20
        status = 200
        while status == 200 and time.monotonic() < end:
            time.sleep(0.05)
            status = server.ask("GET", "/metrics", headers=bearer(WATCHER)).status
        tap.equal(status, 403, "after")


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        if name == "test_promtool_finds_no_fault" and find("promtool") is None:
            tap.skip("promtool_finds_no_fault", "promtool is not there")
        else:
            tap.run(test)
tap.done()
