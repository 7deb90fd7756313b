#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line of the client: help, man page, wrong usage; init and status
word for word.

usage: usage.py JEZERO_CLIENT JEZERO_SERVER
"""

import json
import os
import re
import stat
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import jzserver  # noqa: E402
from jzclient import Client  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM, SERVER = sys.argv[1:3]
PAGE = os.path.join(HERE, "..", "..", "doc", "jezero-client.1.scd")
COMMANDS = ("init", "status", "setup", "backfill", "flush", "search", "show",
            "later", "timeline", "sources", "hook", "mcp", "protocol")
KEY = "invented-key-of-a-laptop"
URL = "https://jezero.example.com"

tap = Tap()


def new():
    return Client(PROGRAM)


def test_help_names_every_command_and_each_explains_itself():
    with new() as client:
        whole = client.run("--help").stdout
        for command in COMMANDS:
            tap.check(f"\n  {command} " in whole, command)
            one = client.run(command, "--help")
            tap.equal((one.returncode, one.stderr), (0, ""), command)
            tap.check(one.stdout.startswith(f"Usage: jezero-client {command}"),
                      one.stdout)


def test_the_man_page_names_what_the_help_names():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    with new() as client:
        for command in COMMANDS:
            tap.check(f"*{command}*" in page, command)
            for option in re.findall(r"^  --([a-z-]+)",
                                     client.run(command, "--help").stdout, re.M):
                tap.check(f"--{option}" in page, f"{command} --{option}")


def test_wrong_usage_exits_2_but_in_a_hook():
    with new() as client:
        for wrong in (["nothing"], ["init"], ["init", "--url", "ftp://x"],
                      ["init", "--url", "https://x:99999"],
                      ["init", "--url", "https://x/mcp"],
                      ["init", "--url", "https://x/a?b"],
                      ["init", "--url", "https://x/ä b"],
                      ["init", "--url", "http://jezero.example.com"],
                      ["init", "--url", URL, "--device", "a b"],
                      ["status", "--agent", "nobody"],
                      ["flush", "--agent", "nobody"],
                      ["mcp", "--agent", "nobody"],
                      ["backfill", "--days", "0"]):
            run = client.run(*wrong)
            tap.equal((run.returncode, run.stdout), (2, ""), wrong)
            tap.check(run.stderr, wrong)
        for wrong in (["hook"], ["hook", "nothing", "--agent", "codex"],
                      ["hook", "stop"], ["hook", "stop", "--agent", "nobody"],
                      ["hook", "stop", "--wrong"]):
            run = client.run(*wrong)
            tap.equal((run.returncode, run.stdout), (0, ""), wrong)
        tap.check(not os.path.exists(client.home), "nothing was made")


def test_init_makes_a_key_and_prints_the_line():
    with new() as client:
        run = client.run("init", "--url", URL + "/", "--device", "laptop")
        tap.equal(run.stdout,
                  "Device key created. The key stays in %s; the server only "
                  "keeps its SHA-256 fingerprint.\n"
                  "Ask the Jezero admin to approve it with:\n"
                  "\n"
                  "  jezero device approve laptop %s\n" %
                  (client.home, client.digest()), "text")
        tap.check(re.fullmatch(r"[A-Za-z0-9_-]{43}", client.read("token")),
                  "43 characters and no line end: the file's digest is the key's")
        modes = [stat.S_IMODE(os.stat(path).st_mode) for path in
                 (client.home, client.path("token"), client.path("client.json"))]
        tap.equal(modes, [0o700, 0o600, 0o600], "modes")
        tap.equal(json.loads(client.read("client.json")),
                  {"url": URL + "/", "device": "laptop", "upload": True}, "file")


def test_init_again_keeps_the_key_and_what_is_not_given():
    with new() as client:
        client.run("init", "--url", URL, "--device", "laptop", "--no-upload")
        key = client.key()
        config = json.loads(client.read("client.json"))
        config.update(projects={"roots": ["work"]}, later=[1])
        client.write("client.json", json.dumps(config))
        again = client.run("init").stdout
        tap.check(again.startswith("Device key kept."), again)
        tap.check(again.endswith(client.digest() + " --read-only\n"), again)
        tap.equal(json.loads(client.read("client.json")), config, "unchanged")
        sends = client.run("init", "--url", URL)
        tap.check("sends its sessions from now on" in sends.stdout, sends.stdout)
        config["upload"] = True
        tap.equal((json.loads(client.read("client.json")), client.key()),
                  (config, key), "it sends now")


def test_status_without_init():
    with new() as client:
        run = client.run("status")
        tap.equal((run.returncode, run.stdout, run.stderr),
                  (1, "not set up (%s): run `init` first\n" % client.home, ""),
                  "text")


def status(client):
    run = client.run("status")
    return run.returncode, run.stdout


def test_status_is_word_for_word():
    tables = (jzserver.client("laptop", KEY, upload=True) +
              jzserver.client("reader", "invented-key-that-reads", sources=["*"]))
    with jzserver.Server(SERVER, tables=tables,
                         items=[jzserver.item("1", "Title")]) as server:
        url = server.url[:-len("/mcp")]
        with Client(PROGRAM, url=url, key=KEY) as client:
            code, text = status(client)
            tap.equal(code, 0, "status")
            tap.check(re.fullmatch(
                'key: %s\nserver %s: HTTP 200 {"ok":true,"device":"laptop",'
                '"version":"[0-9.]+"}\nqueued sessions: 0\n'
                'rejected uploads: 0\n' % (re.escape(client.home), re.escape(url)),
                text), text)
            now = 1796095381
            client.write("state.json", json.dumps({
                "refused_since": {"when": now, "reason": "HTTP 403 {}"},
                "rejected": {"/%d" % n: {"when": now + n, "agent": "codex",
                                         "reason": "HTTP 413 {\"n\":%d}" % n}
                             for n in range(7)}}))
            lines = status(client)[1].splitlines()
            tap.check(re.fullmatch(r"uploads refused since \d{4}-\d\d-\d\d \d\d:\d\d"
                                   r": HTTP 403 {} \(the queue is kept\)", lines[3]),
                      lines)
            tap.equal(lines[4], "rejected uploads: 7", "count")
            tap.equal([line[-8:] for line in lines[5:]],
                      [' {"n":%d}' % n for n in (6, 5, 4, 3, 2)], "newest five")
            tap.check(re.match(r"  \d{4}-\d\d-\d\d \d\d:\d\d codex: HTTP 413 ",
                               lines[5]), lines[5])
        with Client(PROGRAM, url=url, init=["--no-upload"],
                    key="invented-key-that-reads") as client:
            tap.equal(status(client),
                      (0, "key: %s\nserver %s: read-only, 1 readable source\n" %
                       (client.home, url)), "read-only")
        with Client(PROGRAM, url=url) as client:
            code, text = status(client)
            tap.equal(code, 1, "not approved")
            tap.check("HTTP 401" in text and text.endswith(
                "  jezero device approve laptop %s\n" % client.digest()), text)


tap.run(test_help_names_every_command_and_each_explains_itself)
tap.run(test_the_man_page_names_what_the_help_names)
tap.run(test_wrong_usage_exits_2_but_in_a_hook)
tap.run(test_init_makes_a_key_and_prints_the_line)
tap.run(test_init_again_keeps_the_key_and_what_is_not_given)
tap.run(test_status_without_init)
tap.run(test_status_is_word_for_word)
tap.done()
