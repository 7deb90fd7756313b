#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""search, show, later, timeline and sources through the server: the same output,
on stdout and stderr, as jezero-server's on the same library.

usage: reads.py JEZERO_CLIENT JEZERO_SERVER
"""

import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import jzserver  # noqa: E402
from jzclient import Client  # noqa: E402
from jzserver import Server, item  # noqa: E402
from tap import Tap  # noqa: E402

CLIENT = sys.argv[1]
SERVER = os.path.abspath(sys.argv[2])
KEY = "an-invented-key-of-43-characters-0000000000"
tap = Tap()

CALLS = [
    ("search", "invoice"),
    ("search", "invoice", "export", "--limit", "1"),
    ("search", '"invoice export"', "--project", "billing"),
    ("search", "colours", "--source", "mail-*", "--since", "2026-10-01"),
    ("search", "no-such-word"),
    ("search", "Đ 漢 \U0001f600"),
    ("search", "invoice", "--limit", "many"),
    ("search", "invoice", "--since", "yesterday"),
    ("search", ""),
    ("show", "1"),
    ("show", "[2]", "--original"),
    ("show", "1", "--newer"),
    ("show", "1", "--newer", "--original"),
    ("show", "99"),
    ("show", "0"),
    ("show", "x"),
    ("show", "[]"),
    ("show", "99999999999999999999"),
    ("later", "1"),
    ("later", "1", "invoice", "export"),
    ("later", "1", "nothing", "of", "this", "--limit", "2"),
    ("later", "99"),
    ("later", "1", "--limit", "0"),
    ("timeline",),
    ("timeline", "--project", "billing", "--limit", "2"),
    ("timeline", "--since", "2026-10-10", "--until", "2026-10-20"),
    ("timeline", "--until", "never"),
    ("sources",),
]


def items():
    return [
        item("1", "Invoice export", project="billing", account="ann",
             summary="The export writes UTF-8. " * 20,
             atoms=[{"kind": "decision", "text": "CSV is UTF-8"},
                    {"kind": "error", "text": "\x1b[31mred\u202e"}],
             questions=["Why \u202e?"], original="[2026-10-09 21:05] user: why?"),
        item("2", "Invoice export again", project="billing",
             occurred_at="2026-10-19T21:23:12+00:00", original="Đ 漢 \U0001f600"),
        item("3", "Dashboard colours", source="mail-work", trust="external",
             occurred_at="2026-10-12T08:00:00+00:00", summary="Đ 漢 \U0001f600"),
        item("4", "Colours", occurred_at="2026-10-14T08:00:00+00:00"),
    ]


def pair():
    server = Server(SERVER, items=items(), tables=jzserver.client(
        "laptop", KEY, sources=["*"])).start()
    return server, Client(CLIENT, url=server.url[:-len("/mcp")], key=KEY)


def local(server, args):
    return subprocess.run([SERVER, args[0], "--library", server.library,
                           *args[1:]], capture_output=True, timeout=60,
                          encoding="utf-8")


def without_name(text):
    """Messages begin with the program's name."""
    return text.replace("jezero-client", "jezero-server")


def test_output_is_that_of_the_server():
    server, client = pair()
    with client:
        for args in CALLS:
            for more in ((), ("--json",)):
                want = local(server, args + more)
                got = client.run(*args, *more)
                tap.equal((got.returncode, without_name(got.stderr), got.stdout),
                          (want.returncode, want.stderr, want.stdout),
                          " ".join(args + more))
        # The helps are not compared: their options differ.
        tap.equal(client.run("search").returncode, 2, "no query")
    server.close()


def on_terminal(command, env):
    """What a program prints on a terminal of 60 columns."""
    main, side = pty.openpty()
    subprocess.run(["stty", "cols", "60", "rows", "24"], stdin=side, check=True)
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side,
                               env=env)
    os.close(side)
    data = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        data += piece
    process.wait(60)
    os.close(main)
    return data


def test_so_it_is_on_a_terminal():
    server, client = pair()
    with client:
        env = dict(client.env, TERM="xterm-256color")
        for args in (("search", "invoice"), ("show", "1"), ("timeline", "--json")):
            want = on_terminal([SERVER, args[0], "--library", server.library,
                                *args[1:]], env)
            got = on_terminal([client.program, *args], env)
            tap.check(want == got and len(want) > 100, (args, want, got))
    server.close()


def fails(done, status, *texts):
    tap.equal((done.returncode, done.stdout), (status, ""), done.stderr)
    for text in texts:
        tap.check(text in done.stderr, done.stderr)
    tap.equal(done.stderr.count("\n"), 1, "one line: " + done.stderr)


def test_what_is_in_the_way_is_said():
    with Client(CLIENT) as client:
        fails(client.run("search", "x"), 1,
              "jezero-client search: not set up (%s): run `init` first"
              % client.home)
        fails(client.run("search", "x", "--agent", "nobody"), 2,
              "--agent must be claude-code")
    with Client(CLIENT, url="http://127.0.0.1:1") as client:
        fails(client.run("sources"), 1,
              "jezero-client sources: Jezero server http://127.0.0.1:1: cannot "
              "connect to 127.0.0.1 port 1: connection refused")
        os.chmod(client.home, 0o755)
        fails(client.run("sources"), 1, client.home)
    server, client = pair()
    with client:
        client.write("token", "x" * 43 + "\n")
        fails(client.run("timeline"), 1, 'HTTP 401 {"error": "invalid_token"')
    server.close()


def test_a_computer_sees_what_its_key_may_see():
    server = Server(SERVER, items=items(), tables=jzserver.client(
        "mail", KEY, sources=["mail-*"])).start()
    with Client(CLIENT, url=server.url[:-len("/mcp")], key=KEY) as client:
        got = client.run("search", "invoice").stdout
        tap.check("Invoice" not in got, got)
        got = client.run("search", "colours").stdout
        tap.check("[3]" in got and "[4]" not in got, got)
        tap.equal(client.run("show", "1").returncode, 1, "show")
    server.close()


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
