#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uploads whose HTTP is wrong, odd or cut, and the bytes behind them.

usage: http_puts.py JEZERO_SERVER
"""

import gzip
import json
import os
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, client, request  # noqa: E402
from tap import Tap  # noqa: E402
from transcripts import Codex  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
KEY = "laptop-key-7c21e0"
HOST = b"Host: localhost\r\n"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
tap = Tap()
server = None
count = 0


def body(words="Why is the export slow?"):
    session = Codex("session").message("user", words)
    return "".join(json.dumps(one) + "\n" for one in session.records).encode()


def path(name=None):
    """Of a session, and of a new one each time."""
    global count
    count += 1
    return ("/inbox/v1/codex/2026/10/09/rollout-2026-10-09T10-00-00-"
            "00000000-0000-4000-8000-%012d.jsonl" % (name or count))


def put(where, data, headers=None, coding=True):
    """The bytes of an upload; coding: a Content-Length, or what headers say."""
    headers = dict(bearer(KEY), **(headers or {}))
    if coding:
        headers["Content-Length"] = str(len(data))
    return request("PUT", where, None, headers) + data


def chunked(data, size=1000, trailers=b""):
    pieces = [data[i:i + size] for i in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + \
        b"0\r\n" + trailers + b"\r\n"


def stored(where):
    """What the inbox holds of it, or None."""
    found = os.path.join(server.folder, "data", "inbox", "laptop",
                         where[len("/inbox/v1/"):])
    for root, _, names in os.walk(server.folder):
        for name in names:
            if name == os.path.basename(found):
                with open(os.path.join(root, name), "rb") as file:
                    return file.read()
    return None


def leftovers():
    """Files of the inbox that are no whole session."""
    found = []
    for root, _, names in os.walk(os.path.join(server.folder, "data")):
        found += [name for name in names if not name.endswith(".jsonl") and
                  "jezero.db" not in name]
    return found


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def check_refused(data, status, what):
    """The status, the end, and nothing is answered behind it."""
    with server.connect() as peer:
        try:
            peer.send(data)
        except OSError:
            pass
        text = peer.rest()
    tap.check(text.startswith(b"HTTP/1.1 %d " % status),
              f"{what}: {text[:80]!r}")
    tap.equal(text.count(b"HTTP/1.1 "), 1, what + ", answers")
    tap.check(b"Connection: close\r\n" in text, what + ", the end is told")


def test_a_chunked_upload_is_taken():
    data = body()
    with server.connect() as peer:
        for size in (1, 7, 100000):
            where = path()
            peer.send(put(where, chunked(data, size),
                          {"Transfer-Encoding": "chunked"}, False))
            tap.equal(peer.answer().status, 200, size)
            tap.equal(stored(where), data, size)


def test_extensions_and_trailers_are_read_over():
    data = body()
    where = path()
    framed = chunked(data, 100, b"X-Sum: 1\r\nContent-Length: 4\r\n")
    framed = framed.replace(b"\r\n", b";name=value\r\n", 1)
    with server.connect() as peer:
        peer.send(put(where, framed, {"Transfer-Encoding": "chunked"}, False) +
                  request("GET", "/healthz"))
        tap.equal(peer.answer().status, 200, "upload")
        tap.equal(peer.answer().status, 200, "the request behind it")
    tap.equal(stored(where), data, "bytes")


def test_a_chunked_gzip_upload_is_decoded():
    data = body()
    where = path()
    with server.connect() as peer:
        peer.send(put(where, chunked(gzip.compress(data), 5),
                      {"Transfer-Encoding": "chunked",
                       "Content-Encoding": "gzip"}, False))
        tap.equal(peer.answer().status, 200, "status")
    tap.equal(stored(where), data, "bytes")


def test_a_framing_that_is_wrong_stores_nothing():
    data = body()
    length = "%d" % len(data)
    cases = {
        "both": ({"Content-Length": length, "Transfer-Encoding": "chunked"},
                 chunked(data), 400),
        "a length that is no number": ({"Content-Length": "+" + length}, data, 400),
        "gzip as a transfer coding": ({"Transfer-Encoding": "gzip, chunked"},
                                      chunked(data), 501),
        "a chunk that is longer": ({"Transfer-Encoding": "chunked"},
                                   b"3\r\nabcd\r\n0\r\n\r\n", 400),
        "a bare LF": ({"Transfer-Encoding": "chunked"},
                      b"3\nabc\n0\n\n", 400),
        "a second chunk that is none": ({"Transfer-Encoding": "chunked"},
                                        chunked(data)[:-5] + b"zz\r\n", 400),
        "a trailer that is none": ({"Transfer-Encoding": "chunked"},
                                   chunked(data, 50, b"X Y: 1\r\n"), 400),
        "a trailer over 16 KiB": ({"Transfer-Encoding": "chunked"},
                                  chunked(data, 50, b"X: " + b"x" * 17000 +
                                          b"\r\n"), 431),
    }
    for what, (headers, sent, status) in cases.items():
        where = path()
        check_refused(put(where, sent, headers, False) +
                      request("GET", "/healthz"), status, what)
        tap.equal(stored(where), None, what)
    tap.check(wait_until(lambda: not leftovers()), leftovers())


def test_two_lengths_store_nothing():
    data = body()
    where = path()
    head = ("PUT %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
            % (where, KEY)).encode()
    for second in (len(data), len(data) - 1):
        check_refused(head + b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n"
                      % (len(data), second) + data, 400, "%d" % second)
    tap.equal(stored(where), None, "stored")


def test_what_follows_the_length_is_the_next_request():
    data = body()
    where = path()
    with server.connect() as peer:
        peer.send(put(where, data) + request("POST", "/mcp", PING, bearer(KEY)))
        tap.equal(peer.answer().status, 200, "upload")
        tap.equal(peer.answer().json().get("id"), 1, "call")
    tap.equal(stored(where), data, "bytes")
    where = path()
    with server.connect() as peer:
        peer.send(put(where, data) + b"more of the same body\r\n\r\n")
        tap.equal(peer.answer().status, 200, "upload")
        tap.equal(peer.answer().status, 400, "no request")
    tap.equal(stored(where), data, "bytes, no more")


def test_pipelined_uploads_are_taken_in_order():
    places = [path() for _ in range(20)]
    with server.connect() as peer:
        peer.send(b"".join(put(place, body("session %d" % number))
                           for number, place in enumerate(places)))
        tap.equal([peer.answer().status for _ in places], [200] * 20, "statuses")
    for number, place in enumerate(places):
        tap.equal(stored(place), body("session %d" % number), number)


def test_an_upload_byte_by_byte_is_taken():
    data = body()
    where = path()
    sent = put(where, chunked(data, 40), {"Transfer-Encoding": "chunked"}, False)
    with server.connect() as peer:
        for at in range(len(sent)):
            peer.send(sent[at:at + 1])
        tap.equal(peer.answer().status, 200, "status")
    tap.equal(stored(where), data, "bytes")


def test_a_half_closed_client_gets_its_answer():
    data = body()
    where = path()
    with server.connect() as peer:
        peer.send(put(where, data))
        peer.half_close()
        tap.equal(peer.answer().status, 200, "status")
        tap.check(peer.is_closed(), "closed")
    tap.equal(stored(where), data, "bytes")


def test_a_cut_upload_leaves_no_file():
    data = body() * 200
    for reset in (False, True):
        for framing in ({}, {"Transfer-Encoding": "chunked"}):
            where = path()
            sent = put(where, chunked(data, 4000), framing, False) if framing \
                else put(where, data)
            with server.connect() as peer:
                peer.send(sent[:len(sent) - 10])
                tap.check(wait_until(leftovers), "the upload has begun")
                if reset:
                    peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                         struct.pack("ii", 1, 0))
            tap.check(wait_until(lambda: not leftovers()), leftovers())
            tap.equal(stored(where), None, (reset, framing))


def test_expect_100_continue_is_answered_for_an_upload():
    data = body()
    where = path()
    sent = put(where, data, {"Expect": "100-continue"})
    with server.connect() as peer:
        peer.send(sent[:-len(data)])
        tap.equal(peer.sock.recv(25), b"HTTP/1.1 100 Continue\r\n\r\n", "line")
        peer.send(data)
        tap.equal(peer.answer().status, 200, "status")
    tap.equal(stored(where), data, "bytes")


def test_a_refused_upload_is_not_asked_to_continue():
    data = body()
    cases = {401: {"Authorization": "Bearer wrong"},
             415: {"Content-Encoding": "br"}}
    for status, headers in cases.items():
        headers = dict({"Expect": "100-continue"}, **headers)
        with server.connect() as peer:
            peer.send(put(path(), data, headers)[:-len(data)])
            tap.equal(peer.answer().status, status, status)
            tap.check(peer.is_closed(), "closed")


def test_a_refusal_reaches_a_client_that_is_still_sending():
    data = b"x" * (8 << 20)
    with server.connect() as peer:
        try:
            peer.send(put(path(), data, {"Authorization": "Bearer wrong"}))
        except OSError:
            pass
        tap.equal(peer.answer().status, 401, "status")


def test_a_length_over_the_limit_is_413_before_a_byte():
    where = path()
    head = put(where, b"", {"Content-Length": str(1 << 40)}, False)
    with server.connect() as peer:
        peer.send(head)
        tap.equal(peer.answer().status, 413, "status")
        tap.check(peer.is_closed(), "closed")


def test_a_chunked_upload_over_the_limit_is_413():
    where = path()
    data = body() * 20000
    with server.connect() as peer:
        try:
            peer.send(put(where, chunked(data, 60000),
                          {"Transfer-Encoding": "chunked"}, False))
        except OSError:
            pass
        tap.equal(peer.answer().status, 413, len(data))
    tap.equal(stored(where), None, "stored")
    tap.check(wait_until(lambda: not leftovers()), leftovers())


def test_http_1_0_may_upload_with_a_length_alone():
    data = body()
    where = path()
    with server.connect() as peer:
        peer.send(put(where, data).replace(b" HTTP/1.1", b" HTTP/1.0"))
        tap.equal(peer.answer().status, 200, "status")
    check_refused(put(path(), chunked(data), {"Transfer-Encoding": "chunked"},
                      False).replace(b" HTTP/1.1", b" HTTP/1.0"), 400, "chunked")


with Server(PROGRAM, tables="[inbox]\nmax_file_mb = 2\npath = \"data/inbox\"\n" +
            client("laptop", KEY, upload=True)) as server:
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
tap.done()
