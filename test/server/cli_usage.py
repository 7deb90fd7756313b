#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line: help, versions, wrong usage, configurations, man page.

usage: cli_usage.py JEZERO_SERVER MAN_PAGE_SOURCE
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from cli import Home  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM, MAN_PAGE = sys.argv[1:3]
COMMANDS = ["up", "serve", "init", "device", "mcp", "ingest", "search",
            "show", "later", "timeline", "sources", "import", "export", "status",
            "backup", "check"]
tap = Tap()
home = Home(PROGRAM)


def wrong(words, *parts):
    result = home.run(*words)
    tap.equal(result.status, 2, words)
    tap.equal(result.out, "", words)
    for part in parts:
        tap.check(part in result.err, f"{words}: no {part!r} in {result.err!r}")


def test_help_names_every_command_and_each_explains_itself():
    result = home.run("--help")
    tap.equal((result.status, result.err), (0, ""), "--help")
    for command in COMMANDS:
        tap.check(f"\n  {command} " in result.out, command)
        one = home.run(command, "--help")
        tap.equal((one.status, one.err), (0, ""), command)
        tap.check(one.out.startswith(f"Usage: jezero-server {command} "),
                  one.out)
        tap.equal(home.run(command, "-h"), one, command)


def test_version_works_everywhere():
    want = home.run("--version")
    tap.equal(want.status, 0, "--version")
    tap.check(re.fullmatch(r"jezero-server \d+\.\d+\.\d+\n", want.out),
              want.out)
    for command in COMMANDS:
        tap.equal(home.run(command, "--version"), want, command)


def test_the_man_page_names_what_the_help_names():
    with open(MAN_PAGE, encoding="utf-8") as file:
        page = file.read()
    for command in COMMANDS:
        tap.check(f"*{command}*" in page, command)
        for option in re.findall(r"^  --([a-z-]+)",
                                 home.run(command, "--help").out, re.M):
            tap.check(f"--{option}" in page, f"{command} --{option}")


def test_wrong_usage_exits_2_and_names_the_nearest():
    wrong([], "Commands:")
    wrong(["serach", "x"], "'serach'", "search")
    wrong(["search", "--jsn", "x"], "--jsn", "--json")
    wrong(["up", "--prot", "1"], "--prot", "--port")
    wrong(["search"], "QUERY")
    wrong(["search", "x", "--limit"], "--limit", "N")
    wrong(["show", "one", "two"], "'two'")
    wrong(["sources", "--json=1"], "--json")
    wrong(["up", "--kye"], "--kye", "--key")
    wrong(["up", "--port", "http"], "PORT", "'http'")
    wrong(["up", "--port", "65536"], "PORT")
    wrong(["show", "--library", "x.db", "abc"], "ID", "'abc'")
    wrong(["search", "--library", "a", "--config", "b", "x"], "--library")
    wrong(["ingest", "--library", "x.db", "-v"], "-v")


def test_a_missing_configuration_names_both_places():
    result = home.run("sources")
    tap.equal(result.status, 1, "status")
    tap.check("./jezero.toml" in result.err
              and home.file(".config/jezero/jezero.toml") in result.err,
              result.err)
    for words, library in ((["serve"], False), (["import", "-"], True),
                           (["ingest"], True)):
        result = home.run(*words)
        tap.equal(result.status, 1, words)
        tap.check("no configuration: make one with `jezero-server init`, or name "
                  "it with --config FILE" in result.err and
                  ("--library FILE" in result.err) == library, result.err)
    result = home.run("serve", "--config", "none.toml")
    tap.equal(result.status, 1, "status")
    tap.check("none.toml" in result.err, result.err)


def test_a_wrong_configuration_names_file_line_and_key():
    home.write("bad.toml", "[server]\nprot = 1\n")
    result = home.run("serve", "--config", "bad.toml")
    tap.equal(result.status, 1, "status")
    tap.equal(result.err, "jezero-server serve: bad.toml line 2: unknown key "
              "'prot' in [server] (nearest: port)\n", "message")


def test_serve_does_not_serve_openly_what_asks_for_keys():
    home.write("keys.toml", "")
    result = home.run("serve", "--config", "keys.toml")
    tap.equal(result.status, 1, "status")
    tap.check("no client has a usable key" in result.err, result.err)
    home.write("open.toml", "[server]\nrequire_auth = false\n"
               "host = \"0.0.0.0\"\n")
    result = home.run("serve", "--config", "open.toml")
    tap.equal(result.status, 1, "status")
    tap.check("loopback" in result.err, result.err)


def test_an_empty_ingest_says_what_is_missing():
    home.write("none.toml", "[library]\npath = \"none/x.db\"\n")
    result = home.run("ingest", "--config", "none.toml")
    tap.equal(result.status, 1, "status")
    tap.check("[[connectors]]" in result.err, result.err)
    result = home.run("ingest", "--library", "x.db")
    tap.equal(result.status, 2, "status")


if __name__ == "__main__":
    with home:
        tap.run(test_help_names_every_command_and_each_explains_itself)
        tap.run(test_version_works_everywhere)
        tap.run(test_the_man_page_names_what_the_help_names)
        tap.run(test_wrong_usage_exits_2_and_names_the_nearest)
        tap.run(test_a_missing_configuration_names_both_places)
        tap.run(test_a_wrong_configuration_names_file_line_and_key)
        tap.run(test_serve_does_not_serve_openly_what_asks_for_keys)
        tap.run(test_an_empty_ingest_says_what_is_missing)
    tap.done()
