#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`up`, from its start to Ctrl-C: what it prints, what it takes in, and that it
does nothing twice. Also `serve` with connectors.

usage: cli_up.py JEZERO_SERVER
"""

import json
import os
import re
import signal
import socket
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from cli import (Home, claude_line, claude_session, codex_session,  # noqa: E402
                 item, lines)
from tap import Tap  # noqa: E402

PROGRAM = sys.argv[1]
LIBRARY = ".local/share/jezero/jezero.db"
tap = Tap()


def url_of(up):
    """The address that it prints, when it is there."""
    up.wait_for(lambda: "Ctrl-C ends it." in up.out)
    found = re.search(r"http://127\.0\.0\.1:\d+/mcp", up.out)
    tap.check(found, f"no address in {up.out!r} {up.err!r}")
    return found.group(0) if found else None


def call(url, tool, **arguments):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}
    request = urllib.request.Request(
        url, json.dumps(body).encode(),
        {"Content-Type": "application/json",
         "Accept": "application/json, text/event-stream"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as answer:
        return json.load(answer)["result"]["structuredContent"]


def count(url, words):
    return call(url, "search", query=words)["count"]


def items_of(home):
    """Every item as it is stored, by (source, external_id)."""
    out = home.run("export", "--library", LIBRARY, "-").out
    return [json.loads(line) for line in out.splitlines()]


def test_up_serves_this_computers_sessions():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        codex_session(home, "nightly backup")
        with home.start("up", "--port", "0") as up:
            url = url_of(up)
            up.wait_for(lambda: "2 sessions:" in up.err)
            tap.check("2 sessions: 2 read" in up.err, up.err)
            tap.equal(count(url, "invoice"), 1, "invoice")
            tap.equal(count(url, "backup"), 1, "backup")
            host = socket.gethostname().split(".")[0].lower()
            host = re.sub(r"[^a-z0-9_-]", "", host) or "computer"
            tap.equal(sorted(call(url, "list_sources")["sources"]),
                      [f"agent-claude-code-{host}", f"agent-codex-{host}"],
                      "sources")
            tap.check(f"claude mcp add --transport http --scope user jezero "
                      f"{url}\n" in up.out, up.out)
            tap.check(f"codex mcp add jezero --url {url}\n" in up.out, up.out)
            tap.check("OpenCode" not in up.out, "an agent that is not here")
            tap.check("every user of this computer can read" in up.out, up.out)
            tap.equal(up.end(), 0, "Ctrl-C")
        tap.equal(home.run("check", "--library", LIBRARY).status, 0, "check")


def test_up_names_every_agent_that_is_here():
    with Home(PROGRAM) as home:
        for folder in (".claude", ".codex", ".config/opencode", ".hermes",
                       ".gemini/antigravity"):
            os.makedirs(home.file(folder))
        with home.start("up", "--port", "0") as up:
            url = url_of(up)
            up.end()
            for part in ("those of OpenCode, Hermes Agent, Antigravity are "
                         "not taken in",
                         f"    opencode mcp add jezero --url {url}\n",
                         f"  Hermes Agent, in {home.path}/.hermes/config.yaml:"
                         f"\n    mcp_servers:\n      jezero:\n"
                         f"        url: \"{url}\"\n",
                         f"  Antigravity, in {home.path}/.gemini/config/"
                         "mcp_config.json:\n    {\"mcpServers\": {\"jezero\": "
                         f"{{\"serverUrl\": \"{url}\"}}}}}}\n"):
                tap.check(part in up.out, f"no {part!r} in {up.out!r}")


def test_up_takes_in_what_grows_and_what_is_new():
    with Home(PROGRAM) as home:
        path = claude_session(home, "invoice writer")
        with home.start("up", "--port", "0") as up:
            url = url_of(up)
            up.wait_for(lambda: "1 session:" in up.err)
            tap.equal(count(url, "spreadsheet"), 0, "before")
            session = os.path.basename(path)[:-6]
            with open(path, "a", encoding="utf-8") as file:
                file.write(claude_line(session, "user", "And the spreadsheet "
                                       "import, is it right too?", 3))
                file.write(claude_line(session, "assistant", "The spreadsheet "
                                       "import reads both now.", 4))
            tap.check(up.wait_for(lambda: count(url, "spreadsheet") == 1),
                      "a session that grew: " + up.err)
            codex_session(home, "nightly backup")
            tap.check(up.wait_for(lambda: count(url, "backup") == 1),
                      "a session that is new: " + up.err)
            tap.equal(len(call(url, "timeline")["items"]), 2, "items")
            tap.equal(up.end(signal.SIGTERM), 0, "SIGTERM")


def test_up_again_does_nothing_twice():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        codex_session(home, "nightly backup")
        with home.start("up", "--port", "0") as up:
            up.wait_for(lambda: "2 sessions:" in up.err)
            up.end()
        first = items_of(home)
        with home.start("up", "--port", "0") as up:
            up.wait_for(lambda: "2 sessions:" in up.err)
            tap.check("2 sessions: 0 read, 2 unchanged, 0 skipped, 0 failed; "
                      "items: 0 new, 0 changed, 0 hidden" in up.err, up.err)
            up.end()
        tap.equal(items_of(home), first, "items")


def test_a_second_up_on_the_library_refuses():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        with home.start("up", "--port", "0") as up:
            url = url_of(up)
            second = home.run("up", "--port", "0")
            tap.equal(second.status, 1, "status")
            tap.equal(second.out, "", "stdout")
            tap.check(f"process {up.process.pid}" in second.err
                      and LIBRARY in second.err, second.err)
            up.wait_for(lambda: "1 session:" in up.err)
            tap.equal(count(url, "invoice"), 1, "the first one goes on")
            # Other commands work beside it.
            tap.equal(home.run("search", "--library", LIBRARY,
                               "invoice").status, 0, "search")
            home.write("in.jsonl", lines([item(1, "Alpha")]))
            tap.equal(home.run("import", "--library", LIBRARY,
                               "in.jsonl").status, 0, "import")
            tap.check(up.wait_for(lambda: count(url, "alpha") == 1), "import")
            up.end()


def test_a_port_in_use_is_said_with_the_way_out():
    with Home(PROGRAM) as home, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = home.run("up", "--port", str(port))
        tap.equal((result.status, result.out), (1, ""), "status")
        tap.check(f"port {port}" in result.err and "in use" in result.err
                  and "--port" in result.err, result.err)


def test_a_computer_without_sessions_gets_samples():
    with Home(PROGRAM) as home:
        with home.start("up", "--port", "0") as up:
            url = url_of(up)
            up.wait_for(lambda: "samples" in up.err)
            tap.check("made up by us" in up.err, up.err)
            sources = call(url, "list_sources")["sources"]
            tap.check(len(sources) >= 1, "sources")
            tap.check("No agent was found here" in up.out, up.out)
            first = items_of(home)
            claude_session(home, "quokka writer")
            tap.check(up.wait_for(lambda: "the samples are gone"
                                  in up.err), up.err)
            tap.equal(count(url, "quokka"), 1, "the first real session")
            tap.equal(len(items_of(home)), 1, "it is alone")
            tap.check(len(first) > 1, "there were some")
            up.end()
        with home.start("up", "--port", "0") as up:
            url_of(up)
            time.sleep(1)
            tap.check("sample" not in up.err, up.err)
            up.end()
        tap.equal(len(items_of(home)), 1, "started again")


def test_samples_are_put_in_once():
    with Home(PROGRAM) as home:
        with home.start("up", "--port", "0") as up:
            up.wait_for(lambda: "samples" in up.err)
            up.end()
        first = items_of(home)
        with home.start("up", "--port", "0") as up:
            up.wait_for(lambda: "samples" in up.err)
            tap.check("made up by us" in up.err, up.err)
            up.end()
        tap.equal(items_of(home), first, "started again")


def test_up_from_a_folder_takes_that_folder_alone():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        os.rename(home.file(".claude"), home.file("old"))
        codex_session(home, "nightly backup")
        with home.start("up", "--port", "0", "--from", "old", "--data",
                        "d") as up:
            url = url_of(up)
            up.wait_for(lambda: "1 session:" in up.err)
            tap.equal((count(url, "invoice"), count(url, "backup")), (1, 0),
                      "items")
            up.end()
        tap.check(os.path.exists(home.file("d/jezero.db")), "--data")
        result = home.run("up", "--port", "0", "--from", "none")
        tap.equal(result.status, 1, "a folder that is not there")
        tap.check("none" in result.err, result.err)
        os.mkdir(home.file("empty"))
        with home.start("up", "--port", "0", "--from", "empty", "--data",
                        "e") as up:
            up.wait_for(lambda: "no sessions were found in empty" in up.err)
            tap.check("no sessions were found in empty" in up.err, up.err)
            tap.equal(up.end(), 0, "Ctrl-C")


def test_ctrl_c_in_the_middle_loses_nothing():
    with Home(PROGRAM) as home:
        for number in range(60):
            claude_session(home, f"subject{number}x")
        with home.start("up", "--port", "0") as up:
            url_of(up)
            tap.equal(up.end(), 0, "Ctrl-C")
        tap.equal(home.run("check", "--library", LIBRARY).status, 0, "check")
        with home.start("up", "--port", "0") as up:
            url_of(up)
            up.wait_for(lambda: "60 sessions:" in up.err)
            up.end()
        tap.equal(len(items_of(home)), 60, "items")


def test_up_refuses_a_library_it_cannot_use():
    with Home(PROGRAM) as home:
        home.write(LIBRARY, b"no database, and longer than a header is, too")
        result = home.run("up", "--port", "0")
        tap.equal((result.status, result.out), (1, ""), "status")
        tap.check(LIBRARY in result.err and "damaged" in result.err,
                  result.err)


def test_serve_runs_the_connectors_again_and_again():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        home.write("jezero.toml", "[server]\nport = 0\nrequire_auth = false\n"
                   "[ingest]\ninterval_seconds = 1\n[[connectors]]\n"
                   "type = \"claude-code\"\nname = \"agent-claude-code-desk\"\n"
                   "path = \".claude\"\n[[connectors]]\ntype = \"hermes\"\n"
                   "name = \"agent-hermes-desk\"\npath = \".hermes\"\n")
        with home.start("serve") as serve:
            serve.wait_for(lambda: "listening on" in serve.err)
            tap.check("agent-hermes-desk" in serve.err, serve.err)
            tap.check(serve.wait_for(
                lambda: "1 session: 1 read, 0 unchanged, 0 skipped, 0 failed; "
                "items: 1 new" in serve.err), "the first pass is told")
            found = re.search(r"listening on (\S+:\d+)", serve.err)
            if not tap.check(found, serve.err):
                return
            url = f"http://{found.group(1)}/mcp"
            tap.check(serve.wait_for(lambda: count(url, "invoice") == 1),
                      "the first pass")
            claude_session(home, "quokka writer")
            tap.check(serve.wait_for(lambda: count(url, "quokka") == 1),
                      "a later pass")
            tap.equal(list(call(url, "list_sources")["sources"]),
                      ["agent-claude-code-desk"], "sources")
            tap.equal(serve.end(signal.SIGTERM), 0, "SIGTERM")
        tap.check(os.path.exists(home.file("data/jezero.db")), "library")


if __name__ == "__main__":
    tap.run(test_up_serves_this_computers_sessions)
    tap.run(test_up_names_every_agent_that_is_here)
    tap.run(test_up_takes_in_what_grows_and_what_is_new)
    tap.run(test_up_again_does_nothing_twice)
    tap.run(test_a_second_up_on_the_library_refuses)
    tap.run(test_a_port_in_use_is_said_with_the_way_out)
    tap.run(test_a_computer_without_sessions_gets_samples)
    tap.run(test_samples_are_put_in_once)
    tap.run(test_up_from_a_folder_takes_that_folder_alone)
    tap.run(test_ctrl_c_in_the_middle_loses_nothing)
    tap.run(test_up_refuses_a_library_it_cannot_use)
    tap.run(test_serve_runs_the_connectors_again_and_again)
    tap.done()
