# SPDX-License-Identifier: Apache-2.0
"""How soon a started program answers: with a library of 10,000 items, against
starting `true`; and `up` after its first pass over all transcripts."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import bench
from client import Client, call, post

ITEMS = 10_000
ROUNDS = 15
LIMIT_MS = 200
AFTER_INGEST_MS = 2000
QUERY = call("search", {"query": "invoice"})
CONFIG = """\
[server]
port = 0
require_auth = false
[library]
path = "jezero.db"
"""


def time_true():
    start = time.perf_counter()
    subprocess.run(["true"], check=True)
    return (time.perf_counter() - start) * 1e3


def port_of(process, output):
    """The port, once the program has written it; it looks every millisecond,
    which is what the figure may be too high by."""
    while process.poll() is None:
        with open(output, encoding="utf-8") as file:
            found = re.search(r"http://127\.0\.0\.1:(\d+)|"
                              r"listening on 127\.0\.0\.1:(\d+)", file.read())
        if found:
            return int(found[1] or found[2])
        time.sleep(0.001)
    with open(output, encoding="utf-8") as file:
        sys.exit("it did not start:\n" + file.read())


def start(command, folder):
    output = os.path.join(folder, "output")
    env = dict(os.environ, HOME=folder, XDG_DATA_HOME=folder)
    with open(output, "wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=file, stderr=file, cwd=folder,
                                   env=env)
    return process, output


def search(port):
    client = Client(port)
    status, body = client.ask(post(QUERY, port))
    client.close()
    if status != 200 or "result" not in json.loads(body):
        sys.exit(f"no answer: {status} {body[:200]!r}")


def time_served(command, folder):
    """From nothing to the answer of a search through HTTP."""
    begun = time.perf_counter()
    process, output = start(command, folder)
    try:
        search(port_of(process, output))
        return (time.perf_counter() - begun) * 1e3
    finally:
        process.terminate()
        process.wait(30)


def time_stdio(program, path):
    """From nothing to the answer of a search on standard output."""
    begun = time.perf_counter()
    process = subprocess.Popen([program, "mcp", "--library", path],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(json.dumps(QUERY).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    spent = (time.perf_counter() - begun) * 1e3
    process.stdin.close()
    process.wait(30)
    if "result" not in answer:
        sys.exit(f"no answer: {answer}")
    return spent


def starts(program, folder):
    path = os.path.join(folder, "jezero.db")
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    config = os.path.join(folder, "jezero.toml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG)
    bench.fill(path, ITEMS)
    ways = {
        "serve": lambda: time_served([program, "serve", "--config", config],
                                     folder),
        "up": lambda: time_served([program, "up", "--data", folder, "--from",
                                   empty, "--port", "0"], folder),
        "mcp": lambda: time_stdio(program, path),
    }
    spent = {name: [] for name in ways}
    nothing = []
    for _ in range(ROUNDS):
        nothing.append(time_true())
        for name, way in ways.items():
            spent[name].append(way())
    bench.say("true, median", bench.median(nothing), "ms")
    for name, times in spent.items():
        bench.say(f"{name}: start to first answer, more than true, median",
                  bench.median(times) - bench.median(nothing), "ms", LIMIT_MS)


def after_ingest(program, folder):
    """`up` says how many sessions it took in, and then answers a search."""
    process, output = start([program, "up", "--data", folder, "--from",
                             bench.transcripts(), "--port", "0"], folder)
    try:
        port = port_of(process, output)
        while True:
            with open(output, encoding="utf-8") as file:
                found = re.search(r"(?m)^.*\d+ sessions: .*$", file.read())
            if found or process.poll() is not None:
                break
            time.sleep(0.001)
        begun = time.perf_counter()
        search(port)
        spent = (time.perf_counter() - begun) * 1e3
        print(found[0] if found else "it ended")
        bench.say("up: last byte ingested to first answer", spent, "ms",
                  AFTER_INGEST_MS)
    finally:
        process.terminate()
        process.wait(30)


def main():
    program = bench.program()
    print(f"{ITEMS} items, {ROUNDS} rounds")
    with tempfile.TemporaryDirectory() as folder:
        starts(program, folder)
    with tempfile.TemporaryDirectory() as folder:
        after_ingest(program, folder)
    bench.done()


main()
