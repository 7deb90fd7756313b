#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Import, export, the reads and ingest on the command line.

usage: cli_items.py JEZERO_SERVER
"""

import json
import os
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from cli import Home, claude_session, codex_session, item, lines  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = sys.argv[1]
tap = Tap()


def ok(result, what):
    return tap.equal((result.status, result.err), (0, ""), what)


def items():
    return [
        item(9, "Invoice export: switch to UTF-8 with BOM", original="[a] b",
             questions=["Why are accents broken?"],
             atoms=[{"kind": "decision", "text": "Exports carry a BOM"}]),
        item(19, "Invoice export: back to plain UTF-8",
             atoms=[{"kind": "decision", "text": "Exports carry no BOM"}]),
        item(20, "Dashboard chart colours", project="web", source="notes"),
        item(21, "Factura caf\u00e9 \u65e5\u672c", project=None,
             trust="external", source="mail"),
    ]


def test_export_gives_back_what_import_took():
    with Home(PROGRAM) as home:
        home.write("in.jsonl", lines(items()))
        result = home.run("import", "--library", "a.db", "in.jsonl")
        ok(result, "import")
        tap.equal(result.out, "4 items: 4 new, 0 replaced; 0 bad lines\n",
                  "counts")
        result = home.run("export", "--library", "a.db", "out.jsonl")
        tap.equal(result, (0, "", "jezero-server export: 4 items written to "
                           "out.jsonl\n"), "export")
        tap.equal(stat.S_IMODE(os.stat(home.file("out.jsonl")).st_mode),
                  0o600, "mode of an export")
        tap.equal(stat.S_IMODE(os.stat(home.file("a.db")).st_mode), 0o600,
                  "mode of a library")
        with open(home.file("out.jsonl"), encoding="utf-8") as file:
            out = [json.loads(line) for line in file]
        for got, want in zip(out, items()):
            for key, value in want.items():
                tap.equal(got[key], value, key)
        first = home.run("export", "--library", "a.db", "-")
        ok(first, "export to stdout")
        with open(home.file("out.jsonl"), encoding="utf-8") as file:
            tap.equal(file.read(), first.out, "file and stdout")
        again = home.run("import", "--library", "b.db", "-",
                         stdin=first.out.encode())
        ok(again, "import from stdin")
        tap.equal(home.run("export", "--library", "b.db", "-").out, first.out,
                  "a second library")
        again = home.run("import", "--library", "b.db", "out.jsonl")
        tap.equal(again.out, "4 items: 0 new, 4 replaced; 0 bad lines\n",
                  "the same again")


def test_export_replaces_nothing_but_an_export():
    with Home(PROGRAM) as home:
        home.write("in.jsonl", lines(items()))
        ok(home.run("import", "--library", "a.db", "in.jsonl"), "import")
        with open(home.file("a.db"), "rb") as file:
            before = file.read()
        os.link(home.file("a.db"), home.file("hard"))
        os.symlink("a.db", home.file("soft"))
        os.mkdir(home.file("folder"))
        os.mkfifo(home.file("pipe"))
        home.write("notes.txt", "what I must not lose\n")
        home.write("other.json", "{\"id\":1,\"name\":\"no item\"}\n")
        home.write("empty", "")
        for name, why in [("a.db", "is the library itself: name another file"),
                          ("./a.db", "is the library itself"),
                          ("hard", "is the library itself"),
                          ("soft", "is the library itself"),
                          (".", "is a folder"), ("folder/", "is a folder"),
                          ("pipe", "is there and is no regular file"),
                          ("a.db-wal", "cannot be named"),
                          ("notes.txt", "is there and is no export: it is not "
                           "replaced"),
                          ("other.json", "is there and is no export"),
                          ("in.jsonl", "is there and is no export")]:
            result = home.run("export", "--library", "a.db", name)
            tap.equal((result.status, result.out), (1, ""), name)
            tap.check(why in result.err, result.err)
        with open(home.file("a.db"), "rb") as file:
            tap.equal(file.read(), before, "the library")
        with open(home.file("notes.txt"), encoding="utf-8") as file:
            tap.equal(file.read(), "what I must not lose\n", "notes")
        left = [name for name in os.listdir(home.path) if "part" in name]
        tap.equal(left, [], "what is left over")
        os.symlink("out.jsonl", home.file("link"))
        for name in ["empty", "out.jsonl", "out.jsonl", "link"]:
            result = home.run("export", "--library", "a.db", name)
            tap.equal((result.status, result.out), (0, ""), result.err)
            tap.check("4 items written to " in result.err, result.err)
        tap.check(os.path.islink(home.file("link")), "a link stays one")
        tap.equal(stat.S_IMODE(os.stat(home.file("empty")).st_mode), 0o600,
                  "mode of what was replaced")


def test_a_filter_that_no_item_has_is_told():
    with Home(PROGRAM) as home:
        home.write("in.jsonl", lines(items()))
        home.run("import", "--library", "a.db", "in.jsonl")
        for command in (["search", "invoice"], ["timeline"]):
            for option, value, known in (("--project", "bilign", False),
                                         ("--source", "agent-x*", False),
                                         ("--project", "billing", True),
                                         ("--source", "agent-*", True)):
                result = home.run(*command, "--library", "a.db", option, value)
                tap.equal(result.status, 0, result.err)
                tap.equal(result.err, "" if known else
                          f"jezero-server {command[0]}: no item is of "
                          f"{option[2:]} '{value}'\n", (command, option))


def test_what_takes_in_nothing_makes_no_library():
    with Home(PROGRAM) as home:
        for words in ([], ["none"], ["none", "nothing"]):
            result = home.run("ingest", "--library", "new.db", *words)
            tap.check(result.status != 0, words)
            tap.check(not os.path.exists(home.file("new.db")), words)
        tap.check("none: there is no such file or folder" in result.err,
                  result.err)


def test_many_items_cross_every_batch():
    with Home(PROGRAM) as home:
        many = [item(1 + n % 28, f"Title {n}", external_id=f"x{n}#0")
                for n in range(1203)]
        home.write("in.jsonl", lines(many))
        ok(home.run("import", "--library", "a.db", "in.jsonl"), "import")
        out = home.run("export", "--library", "a.db", "-").out
        got = [json.loads(line) for line in out.splitlines()]
        tap.equal([one["title"] for one in got],
                  [one["title"] for one in many], "titles")


def test_bad_lines_are_named_and_the_rest_is_taken():
    with Home(PROGRAM) as home:
        good = items()
        text = (lines(good[:1]) + "\n" + "{not json\n"
                + lines([dict(good[1], colour="red")])
                + lines([dict(good[1], trust="maybe")]) + lines(good[2:3])
                + "[1]\n" + lines(good[3:])[:-1])
        home.write("in.jsonl", text)
        result = home.run("import", "--library", "a.db", "in.jsonl")
        tap.equal(result.status, 1, "status")
        tap.equal(result.out, "3 items: 3 new, 0 replaced; 4 bad lines\n",
                  "counts")
        named = [line.split(": ")[1] for line in result.err.splitlines()]
        tap.equal(named, ["line 3", "line 4", "line 5", "line 7"], result.err)
        tap.check("colour" in result.err, result.err)


def test_a_thousand_bad_lines_are_counted_and_twenty_are_named():
    with Home(PROGRAM) as home:
        home.write("in.jsonl", "x\n" * 1000)
        result = home.run("import", "--library", "a.db", "in.jsonl")
        tap.equal(result.status, 1, "status")
        tap.equal(len(result.err.splitlines()), 21, "lines")
        tap.check("980 further" in result.err, result.err[-200:])


def test_an_id_that_is_taken_fails_its_line():
    with Home(PROGRAM) as home:
        home.write("in.jsonl", lines([item(1, "A", id=7), item(2, "B", id=7)]))
        result = home.run("import", "--library", "a.db", "in.jsonl")
        tap.equal((result.status, result.out),
                  (1, "1 item: 1 new, 0 replaced; 1 bad line\n"), "import")
        tap.check("line 2" in result.err and "7" in result.err, result.err)


def test_the_reads_print_text_and_the_exact_json():
    with Home(PROGRAM) as home:
        home.write("in.jsonl", lines(items()))
        home.run("import", "--library", "a.db", "in.jsonl")
        at = ["--library", "a.db"]
        result = home.run("search", *at, "invoice", "export")
        ok(result, "search")
        tap.check("[1] 2026-10-09 Invoice export: switch to UTF-8 with BOM\n"
                  "    billing, agent-codex-desk, score 0." in result.out,
                  result.out)
        tap.check("    - decision: Exports carry a BOM\n" in result.out,
                  result.out)
        found = json.loads(home.run("search", *at, "--json", "--limit", "1",
                                    "invoice").out)
        tap.equal((found["count"], len(found["results"])), (1, 1), "limit")
        ok(home.run("search", *at, "--project=web", "dashboard"), "project")
        tap.equal(home.run("search", *at, "nothing-like-it").out,
                  "No item matches. Words are matched literally, and those "
                  "under three characters are left out.\n", "no result")

        shown = home.run("show", *at, "[1]", "--original", "--newer")
        ok(shown, "show")
        tap.check(shown.out.startswith("[1] Invoice export"), shown.out)
        tap.check("Original\n    [a] b\n" in shown.out, shown.out)
        tap.check("\nNEWER ON THIS SUBJECT\n\n[2] 2026-10-19" in shown.out,
                  shown.out)
        tap.equal(json.loads(home.run("show", *at, "1", "--json").out)["item"]
                  ["id"], 1, "show --json")
        two = home.run("show", *at, "1", "--json", "--newer").out.splitlines()
        tap.equal([json.loads(line)["found"] for line in two], [True, True],
                  "show --json --newer")

        later = home.run("later", *at, "1")
        tap.check(later.out.startswith("NEWER ON THIS SUBJECT\n\n[2] "),
                  later.out)
        later = home.run("later", *at, "1", "zebra")
        tap.check(later.out.startswith("NEWER IN THIS PROJECT (by date, not by "
                                       "subject)\n\n[2] "), later.out)
        tap.equal(home.run("later", *at, "2").out, "Nothing newer.\n", "later")

        timeline = home.run("timeline", *at, "--since", "2026-10-20")
        ok(timeline, "timeline")
        heads = [line for line in timeline.out.splitlines()
                 if line.startswith("[")]
        tap.equal(heads, ["[4] 2026-10-21 Factura caf\u00e9 \u65e5\u672c "
                          "(external)",
                          "[3] 2026-10-20 Dashboard chart colours"], "order")
        tap.equal(json.loads(home.run("timeline", *at, "--until=2026-10-09",
                                      "--json").out)["count"], 1, "until")

        sources = home.run("sources", *at)
        tap.check("      2  2026-10-19  agent-codex-desk\n" in sources.out,
                  sources.out)
        tap.equal(json.loads(home.run("sources", *at, "--json").out)["sources"]
                  ["mail"]["items"], 1, "sources --json")
        status = home.run("status", *at)
        tap.check("items     4\n" in status.out, status.out)
        tap.equal(json.loads(home.run("status", *at, "--json").out)["items"],
                  4, "status --json")
        tap.equal(home.run("check", *at).out, "The library is in order.\n",
                  "check")
        tap.equal(json.loads(home.run("check", *at, "--json").out)["ok"], True,
                  "check --json")


def test_wrong_arguments_and_missing_items_have_a_sentence():
    with Home(PROGRAM) as home:
        home.write("in.jsonl", lines(items()))
        home.run("import", "--library", "a.db", "in.jsonl")
        at = ["--library", "a.db"]
        for words, part in [(["timeline", "--since", "yesterday"],
                             "since must be an ISO 8601 date"),
                            (["search", "x", "--limit", "0"], "limit"),
                            (["search", "x", "--limit", "many"], "'many'")]:
            result = home.run(words[0], *at, *words[1:])
            tap.equal((result.status, result.out), (2, ""), words)
            tap.check(part in result.err, result.err)
        for words in (["show", "99"], ["later", "99"],
                      ["show", "99", "--newer"]):
            result = home.run(words[0], *at, *words[1:])
            tap.equal((result.status, result.out), (1, ""), words)
            tap.check("no item 99" in result.err, result.err)
        result = home.run("show", *at, "99", "--json")
        tap.equal((result.status, json.loads(result.out)),
                  (1, {"found": False}), "--json")


def test_stored_text_cannot_reach_the_terminal():
    with Home(PROGRAM) as home:
        bad = item(1, "Title \u001b]0;x\u0007\u202e [99] 2026-01-01 Forged",
                   summary="a\u001b[2J\n[98] 2026-01-01 Forged\u009b31m",
                   atoms=[{"kind": "fact", "text": "x\u001b[1m\u2066y"}],
                   original="o\u001b[31m\r\n\u0008p")
        home.write("in.jsonl", lines([bad]))
        home.run("import", "--library", "a.db", "in.jsonl")
        for words in (["search", "title"], ["show", "1", "--original"],
                      ["timeline"]):
            out = home.run(words[0], "--library", "a.db", *words[1:]).out
            odd = [c for c in out if (ord(c) < 32 and c != "\n")
                   or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u2066"]
            tap.equal(odd, [], words)
            tap.equal([line for line in out.splitlines()
                       if line.startswith("[") and "Forged" in line
                       and not line.startswith("[1]")], [], words)


def test_without_a_name_the_library_of_up_is_meant():
    with Home(PROGRAM) as home:
        result = home.run("sources")
        tap.equal(result.status, 1, "no library at all")
        tap.check("--library" in result.err, result.err)
        library = home.file(".local", "share", "jezero", "jezero.db")
        os.makedirs(os.path.dirname(library))
        home.write("in.jsonl", lines(items()))
        ok(home.run("import", "--library", library, "in.jsonl"), "import")
        ok(home.run("sources"), "sources")
        tap.equal(home.run("search", "Invoice").out,
                  home.run("search", "--library", library, "Invoice").out,
                  "search")
        tap.equal(home.run("import", "in.jsonl").status, 1,
                  "import is told which one")


def test_ingest_takes_sessions_once():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        codex_session(home, "nightly backup")
        at = ["--library", "a.db"]
        dry = home.run("ingest", *at, "--dry-run", ".claude")
        tap.equal(dry.status, 1, "a dry run makes no library")
        tap.check("no library" in dry.err, dry.err)
        first = home.run("ingest", *at, ".claude", ".codex")
        ok(first, "ingest")
        tap.check(first.out.startswith("2 sessions: 2 read, 0 unchanged, 0 "
                                       "skipped, 0 failed; items: 2 new"),
                  first.out)
        again = home.run("ingest", *at, home.path)
        tap.equal(again.out, "2 sessions: 0 read, 2 unchanged, 0 skipped, 0 "
                  "failed; items: 0 new, 0 changed, 0 hidden\n", "again")
        found = json.loads(home.run("search", *at, "--json", "backup").out)
        tap.equal(found["count"], 1, "search")
        tap.check(found["results"][0]["source"].startswith("agent-codex-"),
                  found)
        named = home.run("ingest", "--library", "b.db", "--source", "agent-x",
                         ".claude")
        ok(named, "ingest --source")
        tap.equal(list(json.loads(home.run("sources", "--library", "b.db",
                                           "--json").out)["sources"]),
                  ["agent-x"], "source")


def test_a_dry_run_keeps_nothing():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        home.write("in.jsonl", lines(items()))
        home.run("import", "--library", "a.db", "in.jsonl")
        before = home.run("export", "--library", "a.db", "-").out
        result = home.run("ingest", "--library", "a.db", "--dry-run", ".claude")
        ok(result, "dry run")
        tap.check(result.out.startswith("1 session: 1 read")
                  and "nothing is kept" in result.out, result.out)
        tap.equal(home.run("export", "--library", "a.db", "-").out, before,
                  "library")


def test_ingest_runs_the_connectors_of_a_configuration():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        codex_session(home, "nightly backup")
        home.write(".config/jezero/jezero.toml",
                   "[library]\npath = \"data/x.db\"\n"
                   "[[connectors]]\ntype = \"claude-code\"\n"
                   "name = \"agent-claude-code-desk\"\npath = \"~/.claude\"\n"
                   "[[connectors]]\ntype = \"codex\"\n"
                   "name = \"agent-codex-desk\"\npath = \"~/.codex\"\n"
                   "[[connectors]]\ntype = \"email\"\nname = \"mail\"\n"
                   "path = \"~/mail\"\n")
        one = home.run("ingest", "--source", "agent-codex-desk")
        ok(one, "one connector")
        result = home.run("ingest")
        tap.equal(result.status, 0, result.err)
        tap.check("'mail'" in result.err and "'email'" in result.err,
                  result.err)
        tap.check(result.out.startswith("2 sessions: 1 read, 1 unchanged"),
                  result.out)
        tap.equal(sorted(json.loads(home.run("sources", "--json").out)
                         ["sources"]),
                  ["agent-claude-code-desk", "agent-codex-desk"], "sources")
        tap.check(os.path.exists(home.file(".config/jezero/data/x.db")),
                  "the folder of the configuration")
        none = home.run("ingest", "--source", "nobody")
        tap.equal(none.status, 1, "no such connector")
        tap.check("'nobody'" in none.err, none.err)


if __name__ == "__main__":
    tap.run(test_export_gives_back_what_import_took)
    tap.run(test_export_replaces_nothing_but_an_export)
    tap.run(test_a_filter_that_no_item_has_is_told)
    tap.run(test_what_takes_in_nothing_makes_no_library)
    tap.run(test_many_items_cross_every_batch)
    tap.run(test_bad_lines_are_named_and_the_rest_is_taken)
    tap.run(test_a_thousand_bad_lines_are_counted_and_twenty_are_named)
    tap.run(test_an_id_that_is_taken_fails_its_line)
    tap.run(test_the_reads_print_text_and_the_exact_json)
    tap.run(test_wrong_arguments_and_missing_items_have_a_sentence)
    tap.run(test_stored_text_cannot_reach_the_terminal)
    tap.run(test_without_a_name_the_library_of_up_is_meant)
    tap.run(test_ingest_takes_sessions_once)
    tap.run(test_a_dry_run_keeps_nothing)
    tap.run(test_ingest_runs_the_connectors_of_a_configuration)
    tap.done()
