#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys over real sockets: which clients of a configuration count, what each of
them sees, how often it may ask, and what a change of the list does to a server
at work.

usage: keys.py JEZERO_SERVER
"""

import fnmatch
import json
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, client, digest, item, request  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
DESK, LAPTOP, PHONE = "desk-key-18c2f0", "laptop-key-90d377", "phone-key-44e9ab"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
SOURCES = ["agent-codex-desk", "agent-claude-code-laptop", "mail-work", "notes"]
tap = Tap()


def tool_call(name, arguments):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": name, "arguments": arguments}}).encode()


def status(server, key):
    return server.ask("POST", "/mcp", PING, bearer(key)).status


def wait_for(what, seconds=10):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


# --- which clients count ---

def test_clients_that_are_doubtful_are_disabled_and_named():
    tables = (
        client("desk", DESK) +
        client("unset", None, token_env="NO_SUCH_KEY") +
        client("one", None, token_env="ONE_KEY") +
        client("other", None, token_env="OTHER_KEY") +
        client("odd", None, token_env="ODD_KEY") +
        client("blank", None, token_env="BLANK_KEY") +
        client("twice", "first-key") + client("twice", "second-key") +
        client("phone", PHONE, revoked=True))
    env = {"ONE_KEY": "same-key", "OTHER_KEY": " same-key\n",
           "ODD_KEY": "k\u00e9y", "BLANK_KEY": "  blank-key \n"}
    with Server(PROGRAM, tables=tables, env=env) as server:
        for key, want in ((DESK, 200), ("same-key", 401), ("first-key", 401),
                          ("second-key", 401), (PHONE, 401), ("blank-key", 200)):
            tap.equal(status(server, key), want, key)
        lines = server.log().splitlines()
        for name, level, words in (
                ("unset", "warning", "NO_SUCH_KEY is not set"),
                ("one", "error", "same key"), ("other", "error", "same key"),
                ("odd", "error", "not ASCII"), ("twice", "error", "same name")):
            tap.check(any("client '%s' is disabled" % name in line and
                          level in line and words in line for line in lines),
                      "%s: %s" % (name, lines))


def test_without_a_usable_key_it_does_not_start():
    for tables in ("", client("desk", DESK, revoked=True),
                   client("desk", None, token_env="NO_SUCH_KEY")):
        server = Server(PROGRAM, tables=tables, auth=True)
        done = subprocess.run(server.command, capture_output=True, timeout=60)
        tap.equal(done.returncode, 1, "exit status")
        tap.check(b"no client has a usable key" in done.stderr, done.stderr)
        server.close()


def test_without_authentication_all_is_read_and_uploads_need_a_key():
    items = [item("1", "Invoice export"), item("2", "Mail", source="mail-work")]
    tables = client("laptop", LAPTOP, upload=True, sources=["none"])
    with Server(PROGRAM, tables=tables, items=items, auth=False) as server:
        answer = server.ask("POST", "/mcp", tool_call("list_sources", {}))
        tap.equal(sorted(answer.json()["result"]["structuredContent"]["sources"]),
                  ["agent-codex-desk", "mail-work"], "everything")
        tap.equal(server.ask("GET", "/inbox/v1").status, 401, "without a key")
        tap.equal(server.ask("GET", "/inbox/v1", None, bearer(LAPTOP)).json()["device"],
                  "laptop", "with one")


# --- what each sees ---

ALL = [item(str(n), "Invoice export %d" % n, source=SOURCES[n % 4], id=n,
            project="billing", occurred_at="2026-10-%02dT09:00:00+00:00" % n,
            summary="The export of invoices, part %d" % n)
       for n in range(1, 21)]
CALLS = [tool_call(*call) for call in (
    ("search", {"query": "invoice export"}), ("search", {"query": "part"}),
    ("search", {"query": "invoice", "source": "mail-*"}),
    ("search", {"query": "invoice", "limit": 0}),
    ("timeline", {}), ("timeline", {"source": "mail-work"}),
    ("timeline", {"project": "billing", "limit": 3}), ("list_sources", {}),
    ("get_item", {"item_id": 2}), ("get_item", {"item_id": 4}),
    ("get_item", {"item_id": 999}), ("later", {"item_id": 1}),
    ("later", {"item_id": 2}), ("later", {"item_id": 6, "query": "nothing"}),
    ("later", {"item_id": 999}))]


def answers(server, key):
    return [server.ask("POST", "/mcp", call, bearer(key)).body for call in CALLS]


def test_hidden_items_leave_no_trace_in_any_answer():
    scopes = (["agent-*"], ["mail-work", "notes"], ["none"], [], ["*-codex-*"])
    for scope in scopes:
        visible = [one for one in ALL if any(
            fnmatch.fnmatchcase(one["source"], glob) for glob in scope)]
        with Server(PROGRAM, items=ALL,
                    tables=client("phone", PHONE, sources=scope)) as server:
            seen = answers(server, PHONE)
        with Server(PROGRAM, items=visible,
                    tables=client("phone", PHONE, sources=["*"])) as server:
            tap.equal(seen, answers(server, PHONE), "as if they were not: %s" % scope)


def test_a_client_reads_its_own_uploads():
    items = [item("1", "Own", source="agent-codex-phone"),
             item("2", "Not quite", source="agent-codex-phone-2"),
             item("3", "Unknown agent", source="agent-else-phone")]
    with Server(PROGRAM, items=items,
                tables=client("phone", PHONE, sources=[])) as server:
        answer = server.ask("POST", "/mcp", tool_call("timeline", {}), bearer(PHONE))
        found = answer.json()["result"]["structuredContent"]["items"]
        tap.equal([one["title"] for one in found], ["Own"], "items")


def test_a_client_over_stdio_sees_what_its_key_sees():
    tables = client("phone", PHONE, sources=["mail-*"])
    with Server(PROGRAM, items=ALL, tables=tables) as server:
        over_http = answers(server, PHONE)
        done = subprocess.run(
            [PROGRAM, "mcp", "--config", server.config, "--client", "phone"],
            input=b"".join(call + b"\n" for call in CALLS), capture_output=True,
            timeout=60)
        tap.equal(sorted(done.stdout.splitlines()), sorted(over_http), "same bytes")
        done = subprocess.run(
            [PROGRAM, "mcp", "--config", server.config, "--client", "nobody"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        tap.equal((done.returncode, done.stdout), (1, b""), "an unknown client")


# --- how often ---

def test_above_its_rate_a_client_waits():
    tables = client("desk", DESK) + client("laptop", LAPTOP, upload=True)
    with Server(PROGRAM, config="requests_per_minute = 5", tables=tables) as server:
        with server.connect() as peer:
            seen = []
            for _ in range(7):
                peer.send(request("POST", "/mcp", PING, bearer(DESK)))
                seen.append(peer.answer("POST"))
        tap.equal([one.status for one in seen], [200] * 5 + [429] * 2, "statuses")
        tap.check(1 <= int(seen[-1].headers["retry-after"]) <= 60, seen[-1].headers)
        tap.equal(status(server, LAPTOP), 200, "another client")
        tap.equal(server.ask("GET", "/healthz").status, 200, "health")
        tap.equal(status(server, "unknown"), 401, "no key")


# --- a list that changes ---

def write(server, tables):
    """As editors do: written aside and renamed."""
    with open(server.config, encoding="utf-8") as file:
        head = file.read().split("[[clients]]")[0]
    with open(server.config + ".new", "w", encoding="utf-8") as file:
        file.write(head + tables)
    os.rename(server.config + ".new", server.config)


def test_a_revoked_key_stops_also_on_an_open_connection():
    with Server(PROGRAM, tables=client("desk", DESK) +
                client("laptop", LAPTOP)) as server:
        with server.connect() as peer:
            def ask():
                peer.send(request("POST", "/mcp", PING, bearer(LAPTOP)))
                return peer.answer("POST").status
            tap.equal(ask(), 200, "before")
            write(server, client("desk", DESK) + client("laptop", LAPTOP, revoked=True))
            begun = time.monotonic()
            tap.check(wait_for(lambda: ask() == 401), "it stops")
            tap.check(time.monotonic() - begun < 5, "soon")
            tap.equal(status(server, DESK), 200, "the others go on")


def test_the_device_command_is_picked_up():
    with Server(PROGRAM, tables=client("desk", DESK)) as server:
        run = [PROGRAM, "device"]
        for command, want in ((["approve", "phone", digest(PHONE)], 200),
                              (["revoke", "phone"], 401)):
            subprocess.run(run + command + ["--config", server.config], check=True,
                           capture_output=True, timeout=60)
            tap.check(wait_for(lambda: status(server, PHONE) == want), command[0])


def test_a_list_without_a_usable_key_refuses_everyone():
    with Server(PROGRAM, tables=client("desk", DESK)) as server:
        write(server, client("desk", DESK, revoked=True))
        tap.check(wait_for(lambda: status(server, DESK) == 401), "refused")
        write(server, client("desk", DESK))
        tap.check(wait_for(lambda: status(server, DESK) == 200), "back")


def test_a_broken_file_keeps_the_clients():
    with Server(PROGRAM, tables=client("desk", DESK) +
                client("laptop", LAPTOP)) as server:
        kept = "config changed but could not be loaded; keeping the previous 2 clients"
        for text in ("", "[server", "[server]\nport = 0\n"):
            with open(server.config, "w", encoding="utf-8") as file:
                file.write(text)
            before = server.log().count(kept)
            tap.check(wait_for(lambda: server.log().count(kept) > before), text)
            tap.equal((status(server, DESK), status(server, LAPTOP)), (200, 200), text)
        count = server.log().count(kept)
        time.sleep(2.5)
        tap.equal(server.log().count(kept), count, "once for each change")


def test_no_request_is_lost_while_the_list_changes():
    tables = client("desk", DESK)
    failures = []
    is_done = threading.Event()

    def ask(server):
        with server.connect() as peer:
            while not is_done.is_set():
                peer.send(request("POST", "/mcp", PING, bearer(DESK)))
                answer = peer.answer("POST")
                if answer.status != 200:
                    failures.append(answer.text)

    with Server(PROGRAM, tables=tables) as server:
        threads = [threading.Thread(target=ask, args=(server,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for number in range(4):
            name = "guest%d" % number
            write(server, tables + client(name, name))
            server.process.send_signal(1)
            tap.check(wait_for(lambda: status(server, name) == 200), name)
        is_done.set()
        for thread in threads:
            thread.join()
        tap.equal(failures, [], "failures")


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
