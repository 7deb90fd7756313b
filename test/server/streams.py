#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose standard streams were closed before they started.

usage: streams.py JEZERO_SERVER
"""

import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, item  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = 30
tap = Tap()


def run(streams, *command, **more):
    """Start a program with these streams closed."""
    closing = " ".join("%d>&-" % one for one in streams)
    return subprocess.Popen(["sh", "-c", 'exec "$0" "$@" ' + closing, PROGRAM]
                            + list(command), **more)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def is_healthy(port):
    try:
        with socket.create_connection(("127.0.0.1", port), SECONDS) as sock:
            sock.sendall(b"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            return sock.recv(100).startswith(b"HTTP/1.1 200 ")
    except ConnectionRefusedError:
        return False


def test_a_server_without_streams_serves():
    for streams in ((0,), (1,), (2,), (0, 1, 2)):
        server = Server(PROGRAM, items=[item("1", "Invoice export")])
        port = free_port()
        with open(server.config, encoding="utf-8") as file:
            text = file.read()
        with open(server.config, "w", encoding="utf-8") as file:
            file.write(text.replace("port = 0", "port = %d" % port))
        process = run(streams, "serve", "--config", server.config,
                      stderr=subprocess.DEVNULL)
        end = time.monotonic() + SECONDS
        while (process.poll() is None and time.monotonic() < end
               and not is_healthy(port)):
            time.sleep(0.05)
        tap.check(process.poll() is None and is_healthy(port), streams)
        if process.poll() is None:
            places = [os.readlink("/proc/%d/fd/%d" % (process.pid, one))
                      for one in streams]
            tap.equal(places, ["/dev/null"] * len(streams), streams)
        process.terminate()
        tap.equal(process.wait(SECONDS), 0, streams)
        server.close()


def test_a_result_that_nobody_can_read_is_a_failure():
    server = Server(PROGRAM, items=[item("1", "Invoice export")])
    search = ("search", "invoice", "--library", server.library)
    tap.equal(run((1,), *search, stderr=subprocess.DEVNULL).wait(SECONDS), 1,
              "search without stdout")
    tap.equal(run((1, 2), *search).wait(SECONDS), 1, "nor stderr")
    tap.equal(run((0, 2), *search, stdout=subprocess.DEVNULL).wait(SECONDS), 0,
              "stdout alone is enough")
    tap.equal(run((1,), "--help").wait(SECONDS), 1, "--help")
    for streams in ((0,), (1,), (0, 1, 2)):
        process = run(streams, "mcp", "--library", server.library,
                      stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tap.check(process.wait(SECONDS) in (0, 1), ("mcp", streams))
    server.close()


tap.run(test_a_server_without_streams_serves)
tap.run(test_a_result_that_nobody_can_read_is_a_failure)
tap.done()
