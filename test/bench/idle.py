# SPDX-License-Identifier: Apache-2.0
"""What 1,000 connections that wait cost in memory: before their first request,
and after each had one answered."""
import os
import sys
import tempfile

import bench
from client import Client, call, post
from jzserver import Server

ITEMS = 1_000
CONNECTIONS = 1_000
LIMIT_MB = 30


def main():
    program = bench.program()
    bench.raise_descriptors(CONNECTIONS + 64)
    with tempfile.TemporaryDirectory() as folder:
        bench.fill(os.path.join(folder, "jezero.db"), ITEMS)
        with Server(program, folder=folder) as server:
            pid = server.process.pid
            request = post(call("get_item", {"item_id": 7}), server.port)
            first = Client(server.port)
            # The library's caches are not what is measured.
            for _ in range(200):
                first.ask(request)
            before = bench.resident_kb(pid)
            clients = [Client(server.port) for _ in range(CONNECTIONS)]
            first.ask(request)
            opened = bench.resident_kb(pid)
            statuses = [one.ask(request)[0] for one in clients]
            asked = bench.resident_kb(pid)
            # They are all still there.
            statuses += [one.ask(request)[0] for one in clients[::10]]
            if set(statuses) != {200}:
                sys.exit(f"statuses: {set(statuses)}")
            for one in clients + [first]:
                one.close()
    print(f"{CONNECTIONS} connections")
    bench.say("without them", before / 1024, "MB")
    bench.say("more: open, no request yet", (opened - before) / 1024, "MB",
              LIMIT_MB)
    bench.say("more: each has had one answer", (asked - before) / 1024, "MB",
              LIMIT_MB)
    bench.done()


main()
