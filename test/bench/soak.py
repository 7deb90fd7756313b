# SPDX-License-Identifier: Apache-2.0
"""Nothing grows: 200,000 requests over a few connections, then 5,000
connections with one request each, of which some end in the middle."""
import json
import os
import socket
import struct
import sys
import tempfile
import time

import bench
from client import Client, call, get, length, post
from jzserver import Server

ITEMS = 1_000
REQUESTS = 200_000
WARM_UP = 20_000
BATCH = 100
CONNECTIONS = 5_000
MEMORY_MB = 4


def ask_many(client, batch, count):
    """Pipelined: send all of them, read as many answers."""
    client.sock.sendall(batch)
    data = bytearray()
    while count:
        known = length(data)
        if known is not None and len(data) >= known[1]:
            if known[0] not in (200, 404):
                sys.exit(f"status {known[0]}")
            del data[:known[1]]
            count -= 1
            continue
        piece = client.sock.recv(1 << 18)
        if not piece:
            raise ConnectionError("the server closed a connection")
        data += piece


def batch_of(port):
    """What clients send: calls, questions about health, and mistakes."""
    kinds = [
        post(call("get_item", {"item_id": 7}), port),
        post(call("list_sources", {}), port),
        post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, port),
        post({"jsonrpc": "2.0", "id": 1, "method": "nothing"}, port),
        get("/healthz", port),
        get("/nothing", port),
    ]
    return b"".join(kinds[number % len(kinds)] for number in range(BATCH))


def soak(server):
    """(kilobytes, descriptors) after the warm-up and at the end."""
    pid = server.process.pid
    clients = [Client(server.port) for _ in range(8)]
    batch = batch_of(server.port)
    warm = None
    for number in range(REQUESTS // BATCH):
        if number == WARM_UP // BATCH:
            warm = bench.resident_kb(pid), bench.descriptors(pid)
        ask_many(clients[number % len(clients)], batch, BATCH)
    after = bench.resident_kb(pid), bench.descriptors(pid)
    for one in clients:
        one.close()
    return warm, after


def churn(server):
    """Each connection asks once; every fifth does not wait for the answer, and
    every seventh resets the connection in the middle of its request."""
    request = post(call("get_item", {"item_id": 7}), server.port)
    for number in range(CONNECTIONS):
        client = Client(server.port)
        if number % 7 == 0:
            client.sock.sendall(request[:len(request) // 2])
            client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        elif number % 5 == 0:
            client.sock.sendall(request)
        else:
            status, body = client.ask(request)
            if status != 200 or "result" not in json.loads(body):
                sys.exit(f"status {status}")
        client.close()


def wait_for_descriptors(pid, most):
    end = time.monotonic() + 10
    while bench.descriptors(pid) > most and time.monotonic() < end:
        time.sleep(0.05)
    return bench.descriptors(pid)


def main():
    program = bench.program()
    with tempfile.TemporaryDirectory() as folder:
        bench.fill(os.path.join(folder, "jezero.db"), ITEMS)
        with Server(program, folder=folder) as server:
            pid = server.process.pid
            warm, after = soak(server)
            idle = wait_for_descriptors(pid, warm[1] - 8)
            churned = bench.resident_kb(pid)
            churn(server)
            left = wait_for_descriptors(pid, idle)
            churned = bench.resident_kb(pid) - churned
    print(f"{REQUESTS} requests, {CONNECTIONS} connections")
    bench.say(f"memory after {WARM_UP} requests", warm[0] / 1024, "MB")
    bench.say("more at the end of the requests", (after[0] - warm[0]) / 1024,
              "MB", MEMORY_MB)
    bench.say("more behind the connections", churned / 1024, "MB", MEMORY_MB)
    bench.say("descriptors more at the end of the requests",
              after[1] - warm[1], "", 0)
    bench.say("descriptors more behind the connections", left - idle, "", 0)
    bench.done()


main()
