#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mcp --client NAME: byte for byte what the client's key gets over HTTP.

usage: stdio_client.py JEZERO_SERVER
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, client, item  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
SOURCES = ("agent-codex-desk", "agent-claude-code-laptop", "mail-work",
           "notes", "agent-[x]")
# Name, key, what it reads.
CLIENTS = (("desk", "desk-key-18c2f0", ["agent-*"]),
           ("laptop", "laptop-key-90d377", []),
           ("all", "all-key-77aa12", ["*"]),
           ("mail", "mail-key-51dd08", ["mail-*", "m*", "agent-[[]x]"]))
TABLES = "".join(client(name, key, sources=sources)
                 for name, key, sources in CLIENTS) + \
    client("gone", "gone-key-61b2aa", revoked=True) + \
    client("env", None, token_env="JZ_KEY_OF_THE_SERVER", sources=["notes"]) + \
    client("twice", "first-key-0011", sources=["*"]) + \
    client("twice", "second-key-0022", sources=["*"])
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
tap = Tap()


def items():
    return [item("s%d#0" % n, "Invoice export %d" % n,
                 source=SOURCES[n % len(SOURCES)],
                 project="billing" if n % 3 else None,
                 occurred_at="2026-10-%02dT10:00:00+00:00" % (n % 28 + 1))
            for n in range(60)]


def calls():
    yield "list_sources", {}
    yield "search", {"query": "invoice export", "limit": 50}
    yield "search", {"query": "invoice", "source": "mail-*"}
    yield "timeline", {"limit": 100}
    yield "timeline", {"since": "yesterday"}
    yield "no_such_tool", {}
    for number in range(1, 63):
        yield "get_item", {"item_id": number, "include_original": True}
        yield "later", {"item_id": number}


def requests():
    for number, (name, arguments) in enumerate(calls()):
        for meta in (None, META):
            params = {"name": name, "arguments": arguments}
            if meta is not None:
                params["_meta"] = meta
            yield name, meta is not None, json.dumps(
                {"jsonrpc": "2.0", "id": number, "method": "tools/call",
                 "params": params}).encode()


def run(server, *options, data=b"", env=None):
    done = subprocess.run([PROGRAM, "mcp", *options], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=server.folder, timeout=60,
                          env=dict(os.environ, **(env or {})))
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_client_reads_on_stdio_what_its_key_reads():
    with Server(PROGRAM, items=items(), tables=TABLES,
                env={"JZ_KEY_OF_THE_SERVER": "env-key-4411"}) as server:
        asked = list(requests())
        data = b"\n".join(body for _, _, body in asked) + b"\n"
        seen = set()
        for name, key in [c[:2] for c in CLIENTS] + [("env", "env-key-4411")]:
            status, out, err = run(server, "--config", server.config,
                                   "--client", name, data=data)
            tap.equal((status, err), (0, ""), name)
            got = out.split(b"\n")[:-1]
            tap.equal(len(got), len(asked), "answers")
            seen.add(out)
            for (tool, is_modern, body), answer in zip(asked, got):
                headers = dict(bearer(key))
                if is_modern:
                    headers.update({"MCP-Protocol-Version": "2026-07-28",
                                    "Mcp-Method": "tools/call",
                                    "Mcp-Name": tool})
                want = server.ask("POST", "/mcp", body, headers).body
                if want != answer:
                    tap.equal(answer, want, "%s %s" % (name, body))
        tap.equal(len(seen), 5, "each client reads something else")
        status, out, _ = run(server, "--config", server.config, data=data)
        tap.check(out in seen, "without --client it is everything")


def test_a_client_that_the_server_refuses_is_refused():
    with Server(PROGRAM, items=items(), tables=TABLES) as server:
        for options, status, message in (
                (["--client", "gone"], 1, "client 'gone' is revoked"),
                (["--client", "twice"], 1, "client 'twice' is disabled: "
                 "another client has the same name"),
                (["--client", "nobody"], 1, "there is no client 'nobody'"),
                (["--client", "desk-"], 1, "there is no client 'desk-'"),
                (["--client", ""], 1, "there is no client ''")):
            got = run(server, "--config", server.config, *options)
            tap.equal((got[0], got[1]), (status, b""), options)
            tap.check(got[2].endswith(" mcp: %s\n" % message), got[2])
        got = run(server, "--library", server.library, "--client", "desk")
        tap.equal((got[0], got[1]), (2, b""), "without a configuration")
        tap.check("needs a configuration" in got[2], got[2])


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
