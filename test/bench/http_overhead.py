# SPDX-License-Identifier: Apache-2.0
"""The same searches through HTTP and through jz_search(), in turns: how much
longer the way through the server takes, over one connection."""
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
QUERIES = 400
ROUNDS = 5
LIMIT_MS = 0.3


def measure(library, client, port):
    """(milliseconds by the library, by HTTP) of each search."""
    direct, served = [], []
    for number, query in enumerate(bench.queries(QUERIES)):
        arguments = {"query": query}
        encoded = json.dumps(arguments).encode()
        request = post(call("search", arguments, number), port)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            result = library.call("jz_search", None, encoded)
            between = time.perf_counter()
            status, body = client.ask(request)
            end = time.perf_counter()
            ours.append((between - start) * 1e3)
            theirs.append((end - between) * 1e3)
        answer = json.loads(body)
        if status != 200 or answer["result"]["structuredContent"] != \
                json.loads(result):
            sys.exit(f"the answers differ for {query!r}")
        direct.append(bench.median(ours))
        served.append(bench.median(theirs))
    return direct, served


def main():
    program = bench.program()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "jezero.db")
        bench.fill(path, ITEMS)
        with Server(program, folder=folder) as server:
            client = Client(server.port)
            with Library(path, {"read_only": True}) as library:
                direct, served = measure(library, client, server.port)
            client.close()
    print(f"{QUERIES} searches, each {ROUNDS} times, in {ITEMS} items")
    bench.say("jz_search, median", bench.median(direct), "ms")
    bench.say("through HTTP, median", bench.median(served), "ms")
    bench.say("through HTTP longer, median of the differences",
              bench.median([s - d for d, s in zip(direct, served)]), "ms",
              LIMIT_MS)
    bench.done()


main()
