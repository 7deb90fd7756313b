# SPDX-License-Identifier: Apache-2.0
"""The same calls to the server and through the bridge, in turns: how much longer
the way through the bridge takes, and how many calls a second it forwards.

usage: bridge.py JEZERO_SERVER JEZERO_CLIENT
"""
import json
import os
import sys
import tempfile
import threading
import time

import bench
import jzserver
from client import Client, call, post
from jzclient import Client as Home
from jzserver import Server

ITEMS = 500
ROUNDS = 3000
WARM = 200
CALLS = 20_000
WINDOW = 64
LIMIT_MS = 0.3
LEAST_A_SECOND = 2000
KEY = "an-invented-key-of-43-characters-0000000000"


class Bridge:
    def __init__(self, home):
        self.process = home.start("mcp")
        self.stdin = self.process.stdin
        self.stdout = self.process.stdout

    def ask(self, line):
        self.stdin.write(line)
        self.stdin.flush()
        return self.stdout.readline()

    def close(self):
        self.stdin.close()
        self.process.wait(20)
        self.stdout.close()
        self.process.stderr.close()


def paired(bridge, client, port, message):
    """Milliseconds of each call: by the server, through the bridge."""
    request = post(message, port, KEY)
    line = json.dumps(message).encode() + b"\n"
    served, bridged = [], []
    for number in range(WARM + ROUNDS):
        start = time.perf_counter()
        status, body = client.ask(request)
        between = time.perf_counter()
        answer = bridge.ask(line)
        end = time.perf_counter()
        if status != 200 or answer.rstrip(b"\n") != bytes(body):
            sys.exit("the answers differ")
        if number >= WARM:
            served.append((between - start) * 1e3)
            bridged.append((end - between) * 1e3)
    return served, bridged


def forwarded(bridge, message):
    """Calls a second with WINDOW of them under way."""
    line = json.dumps(message).encode() + b"\n"
    room = threading.Semaphore(WINDOW)

    def write():
        for _ in range(CALLS):
            room.acquire()
            bridge.stdin.write(line)
            bridge.stdin.flush()

    writer = threading.Thread(target=write)
    start = time.perf_counter()
    writer.start()
    for _ in range(CALLS):
        if b'"result"' not in bridge.stdout.readline():
            sys.exit("a call failed")
        room.release()
    took = time.perf_counter() - start
    writer.join()
    return CALLS / took


def measure(name, bridge, client, port, message):
    served, bridged = paired(bridge, client, port, message)
    bench.say(f"{name}: by the server, median", bench.median(served), "ms")
    bench.say(f"{name}: through the bridge, median", bench.median(bridged), "ms")
    bench.say(f"{name}: longer, median of the differences",
              bench.median([b - s for s, b in zip(served, bridged)]), "ms",
              LIMIT_MS)


def main():
    program = os.path.abspath(sys.argv.pop())
    server_program = bench.program()
    with tempfile.TemporaryDirectory() as folder:
        bench.fill(os.path.join(folder, "jezero.db"), ITEMS)
        table = jzserver.client("laptop", KEY, sources=["*"])
        with Server(server_program, folder=folder, tables=table) as server:
            url = server.url[:-len("/mcp")]
            with Home(program, url=url, key=KEY) as home:
                bridge = Bridge(home)
                client = Client(server.port)
                search = call("search", {"query": bench.queries(1)[0]})
                measure("search", bridge, client, server.port, search)
                measure("list_sources", bridge, client, server.port,
                        call("list_sources", {}))
                bench.say("calls a second, %d under way" % WINDOW,
                          forwarded(bridge, call("list_sources", {})), "",
                          least=LEAST_A_SECOND)
                bench.say("memory of the bridge",
                          bench.resident_kb(bridge.process.pid) / 1024, "MB")
                client.close()
                bridge.close()
    bench.done()


main()
