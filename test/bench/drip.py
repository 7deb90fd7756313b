# SPDX-License-Identifier: Apache-2.0
"""300 slow peers, and how soon others are answered meanwhile.

A third send a head byte by byte, a third a body, and a third ask for an answer
of a megabyte and read a few bytes of it now and then. When the server closes
one for its slowness, another takes its place."""
import json
import multiprocessing
import os
import socket
import sys
import tempfile
import time

import bench
from client import Client, call, get, post
from jezero_ctypes import Library
from jzserver import Server, item

ITEMS = 10_000
PEERS = 300
STEP_SECONDS = 0.1
BIG = 500_000
SECONDS = 12
LIMIT_MS = 50


class Peer:
    """One of the slow ones: a byte a step."""

    def __init__(self, number, port):
        self.kind = ("head", "body", "reader")[number % 3]
        self.port = port
        self.request = post(call("get_item", {"item_id": ITEMS + 1}), port)
        self.sock = None

    def open(self):
        self.sock = socket.socket()
        if self.kind == "reader":
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.connect(("127.0.0.1", self.port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.setblocking(False)
        self.at = 0
        if self.kind != "head":
            self.at = self.request.index(b"\r\n\r\n") + 4
            self.sock.send(self.request[:self.at])
        if self.kind == "reader":
            self.at += self.sock.send(self.request[self.at:])

    def step(self):
        try:
            if self.sock is None:
                self.open()
            if self.at < len(self.request):
                self.at += self.sock.send(self.request[self.at:self.at + 1])
            elif self.kind != "reader" or not self.sock.recv(64):
                self.close()
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def close(self):
        if self.sock is not None:
            self.sock.close()
        self.sock = None


def drip(port, stop, ready):
    """A process of its own: 300 bytes a step are nothing, but Python."""
    peers = [Peer(number, port) for number in range(PEERS)]
    while not stop.is_set():
        begun = time.monotonic()
        for peer in peers:
            peer.step()
        ready.set()
        time.sleep(max(0, begun + STEP_SECONDS - time.monotonic()))


def measure(port):
    """name -> milliseconds of each answer."""
    texts = bench.queries(50)
    client = Client(port)
    times = {"healthz": [], "list_sources": [], "search": []}
    end = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < end:
        requests = {
            "healthz": get("/healthz", port),
            "list_sources": post(call("list_sources", {}), port),
            "search": post(call("search", {"query":
                                           texts[number % len(texts)]}), port),
        }
        for name, request in requests.items():
            start = time.perf_counter()
            status, _ = client.ask(request)
            times[name].append((time.perf_counter() - start) * 1e3)
            if status != 200:
                sys.exit(f"{name}: {status}")
        number += 1
        time.sleep(0.005)
    client.close()
    return times


def fill(path):
    """The library, with one item behind the others that fills an answer: as
    text and as structured content."""
    bench.fill(path, ITEMS)
    with Library(path) as library:
        library.import_lines(json.dumps(
            item("big", "An export", summary="row 17 of 40, " * (BIG // 14)))
            .encode())


def check_big(port):
    client = Client(port)
    _, body = client.ask(post(call("get_item", {"item_id": ITEMS + 1}), port))
    client.close()
    if len(body) < 2 * BIG:
        sys.exit(f"the big answer has {len(body)} bytes")


def main():
    program = bench.program()
    bench.raise_descriptors(PEERS + 64)
    stop, ready = multiprocessing.Event(), multiprocessing.Event()
    with tempfile.TemporaryDirectory() as folder:
        fill(os.path.join(folder, "jezero.db"))
        with Server(program, folder=folder) as server:
            check_big(server.port)
            alone = measure(server.port)
            before = bench.resident_kb(server.process.pid)
            peers = multiprocessing.Process(target=drip,
                                            args=(server.port, stop, ready))
            peers.start()
            ready.wait(60)
            among = measure(server.port)
            grown = bench.resident_kb(server.process.pid) - before
            stop.set()
            peers.join()
    print(f"{PEERS} slow peers, {SECONDS} s, {ITEMS} items")
    for name in alone:
        bench.say(f"{name}: alone, median", bench.median(alone[name]), "ms")
        bench.say(f"{name}: among them, median", bench.median(among[name]), "ms")
        bench.say(f"{name}: alone, 99th percentile",
                  bench.percentile(alone[name], 0.99), "ms")
        bench.say(f"{name}: among them, 99th percentile",
                  bench.percentile(among[name], 0.99), "ms", LIMIT_MS)
    bench.say("memory, more than before", grown / 1024, "MB")
    bench.done()


main()
