# SPDX-License-Identifier: Apache-2.0
"""What HTTP, JSON and MCP add to a search, in processor time: that of the whole
server for a search, less that of jz_search() for the same one here."""
import json
import os
import sys
import tempfile
import time

import bench
from client import Client, call, post
from jezero_ctypes import Library
from jzserver import Server

ITEMS = 10_000
QUERIES = 300
ROUNDS = 7
LIMIT_MS = 0.1


def spent_ms(pid):
    """By all threads of a process, to the nanosecond."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e6


def settle(pid):
    """Until its threads are asleep: a thread's time counts when it stops."""
    last, now = None, spent_ms(pid)
    while last != now:
        time.sleep(0.0005)
        last, now = now, spent_ms(pid)
    return now


def measure(library, server):
    """(milliseconds here, in the server) of each search."""
    pid = server.process.pid
    client = Client(server.port)
    direct, served = [], []
    for number, query in enumerate(bench.queries(QUERIES)):
        arguments = {"query": query}
        encoded = json.dumps(arguments).encode()
        request = post(call("search", arguments, number), server.port)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            start = time.thread_time()
            library.call("jz_search", None, encoded)
            ours.append((time.thread_time() - start) * 1e3)
            before = settle(pid)
            status, _ = client.ask(request)
            theirs.append(settle(pid) - before)
            if status != 200:
                sys.exit(f"{query!r}: {status}")
        direct.append(bench.median(ours))
        served.append(bench.median(theirs))
    client.close()
    return direct, served


def main():
    program = bench.program()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "jezero.db")
        bench.fill(path, ITEMS)
        with Server(program, folder=folder) as server:
            with Library(path, {"read_only": True}) as library:
                direct, served = measure(library, server)
    print(f"{QUERIES} searches, each {ROUNDS} times, in {ITEMS} items")
    bench.say("jz_search, median", bench.median(direct), "ms of CPU")
    bench.say("through the server, median", bench.median(served), "ms of CPU")
    bench.say("the server more, median of the differences",
              bench.median([s - d for d, s in zip(direct, served)]),
              "ms of CPU", LIMIT_MS)
    bench.done()


main()
