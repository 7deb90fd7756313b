# SPDX-License-Identifier: Apache-2.0
"""16 clients at once, 10,000 calls of every kind: no error, and meanwhile the
health check answers at once."""
import json
import multiprocessing
import os
import random
import selectors
import socket
import sys
import tempfile
import time

import bench
from client import Client, call, get, length, post
from jzserver import Server

ITEMS = 10_000
CLIENTS = 16
CALLS = 10_000
HEALTH_EVERY_SECONDS = 0.01
HEALTH_LIMIT_MS = 50


def requests(port):
    """What is called, mixed: the five reads, and what a client asks first."""
    rnd = random.Random("load")
    texts = bench.queries(200)
    for number in range(CALLS):
        kind = rnd.random()
        if kind < 0.5:
            message = call("search", {"query": rnd.choice(texts)}, number)
        elif kind < 0.7:
            message = call("get_item", {"item_id": rnd.randint(1, ITEMS)},
                           number)
        elif kind < 0.8:
            message = call("later", {"item_id": rnd.randint(1, ITEMS)}, number)
        elif kind < 0.9:
            message = call("timeline", {"limit": 20}, number)
        elif kind < 0.95:
            message = call("list_sources", {}, number)
        else:
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/list"}
        yield number, post(message, port)


def watch_health(port, stop, results):
    """Milliseconds of each health check, from a process of its own."""
    client = Client(port)
    request = get("/healthz", port)
    times = []
    while not stop.is_set():
        start = time.perf_counter()
        status, _ = client.ask(request)
        times.append((time.perf_counter() - start) * 1e3)
        if status != 200:
            times.append(float("inf"))
        time.sleep(HEALTH_EVERY_SECONDS)
    results.put(times)


class Caller:
    """One of the clients: asks again as soon as it is answered."""

    def __init__(self, port, todo):
        self.sock = socket.create_connection(("127.0.0.1", port), 30)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.todo = todo
        self.errors = 0
        self.times = []
        self.is_open = self.next()

    def next(self):
        self.number, request = next(self.todo, (None, None))
        if request is None:
            self.sock.close()
            return False
        self.data = bytearray()
        self.start = time.perf_counter()
        self.sock.sendall(request)
        return True

    def is_right(self, status, body):
        answer = json.loads(body)
        return (status == 200 and answer["id"] == self.number and
                "result" in answer and not answer["result"].get("isError"))

    def on_bytes(self):
        piece = self.sock.recv(1 << 18)
        if not piece:
            raise ConnectionError("the server closed a connection")
        self.data += piece
        known = length(self.data)
        if known is None or len(self.data) < known[1]:
            return
        self.times.append((time.perf_counter() - self.start) * 1e3)
        body = bytes(self.data[self.data.find(b"\r\n\r\n") + 4:])
        self.errors += not self.is_right(known[0], body)
        self.is_open = self.next()


def run_clients(port):
    todo = requests(port)
    selector = selectors.DefaultSelector()
    callers = [Caller(port, todo) for _ in range(CLIENTS)]
    for caller in callers:
        selector.register(caller.sock, selectors.EVENT_READ, caller)
    left = len(callers)
    while left:
        for key, _ in selector.select(30):
            # A closed socket has no number left to be unregistered by.
            selector.unregister(key.fileobj)
            key.data.on_bytes()
            if key.data.is_open:
                selector.register(key.fileobj, selectors.EVENT_READ, key.data)
            else:
                left -= 1
    return callers


def main():
    program = bench.program()
    stop = multiprocessing.Event()
    results = multiprocessing.Queue()
    with tempfile.TemporaryDirectory() as folder:
        bench.fill(os.path.join(folder, "jezero.db"), ITEMS)
        with Server(program, folder=folder) as server:
            watcher = multiprocessing.Process(
                target=watch_health, args=(server.port, stop, results))
            watcher.start()
            start = time.perf_counter()
            callers = run_clients(server.port)
            spent = time.perf_counter() - start
            stop.set()
            health = results.get(timeout=60)
            watcher.join()
    times = [one for caller in callers for one in caller.times]
    if len(times) != CALLS:
        sys.exit(f"{len(times)} answers")
    print(f"{CLIENTS} clients, {CALLS} calls, {ITEMS} items, "
          f"{len(health)} health checks meanwhile")
    bench.say("calls a second", CALLS / spent)
    bench.say("a call, median", bench.median(times), "ms")
    bench.say("a call, 99th percentile", bench.percentile(times, 0.99), "ms")
    bench.say("errors", sum(caller.errors for caller in callers), "", 0)
    bench.say("GET /healthz, 99th percentile", bench.percentile(health, 0.99),
              "ms", HEALTH_LIMIT_MS)
    bench.say("GET /healthz, longest", max(health), "ms")
    bench.done()


main()
