#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around a library: each has one clear sentence on stderr, exit
status 1, and loses nothing.

usage: cli_faults.py JEZERO_SERVER
"""

import json
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from cli import Home, claude_session, codex_session, item, lines  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = sys.argv[1]
READS = [["search", "alpha"], ["show", "1"], ["later", "1"], ["timeline"],
         ["sources"], ["status"], ["check"], ["export", "-"]]
tap = Tap()


def filled(home, name="a.db"):
    home.write("in.jsonl", lines([item(1, "Alpha"), item(2, "Beta")]))
    result = home.run("import", "--library", name, "in.jsonl")
    tap.equal((result.status, result.err), (0, ""), "import")
    return home.file(name)


def fails(home, words, *parts):
    """One line on stderr that holds the parts, nothing on stdout, status 1."""
    result = home.run(words[0], "--library", "a.db", *words[1:])
    tap.equal((result.status, result.out), (1, ""), words)
    tap.equal(len(result.err.splitlines()), 1, result.err)
    tap.check(result.err.startswith(f"jezero-server {words[0]}: "), result.err)
    for part in parts:
        tap.check(part in result.err, f"{words}: no {part!r} in {result.err!r}")


def test_a_library_that_is_not_there():
    with Home(PROGRAM) as home:
        for words in READS + [["mcp"]]:
            fails(home, words, "a.db")
        tap.check(not os.path.exists(home.file("a.db")), "none was made")
        home.write("in.jsonl", "")
        result = home.run("import", "--library", "no/a.db", "in.jsonl")
        tap.equal(result.status, 1, "a folder that is not there")
        tap.check("no/a.db" in result.err, result.err)


def test_a_file_that_cannot_be_read():
    with Home(PROGRAM) as home:
        result = home.run("import", "--library", "a.db", "none.jsonl")
        tap.equal(result.status, 1, "status")
        tap.check("none.jsonl: No such file" in result.err, result.err)
        tap.check(not os.path.exists(home.file("a.db")), "no library was made")
        os.mkdir(home.file("folder"))
        result = home.run("import", "--library", "a.db", "folder")
        tap.equal(result.status, 1, "status")
        tap.check("folder" in result.err, result.err)
        result = home.run("ingest", "--library", "a.db", "none")
        tap.equal(result.status, 1, "status")
        tap.check("none: there is no such file or folder" in result.err,
                  result.err)


def test_an_unreadable_session_is_named_and_the_others_are_taken():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        bad = codex_session(home, "nightly backup")
        home.write("jezero.toml", "[[connectors]]\ntype = \"claude-code\"\n"
                   "name = \"agent-claude-code-x\"\npath = \"~/.claude\"\n"
                   "[[connectors]]\ntype = \"codex\"\n"
                   "name = \"agent-codex-x\"\npath = \"~/.codex\"\n")
        os.chmod(bad, 0)
        result = run_as_user(home, "ingest")
        tap.equal(result.status, 1, "status")
        tap.check(os.path.basename(bad) in result.err, result.err)
        tap.check("1 failed" in result.out and "1 new" in result.out,
                  result.out)
        status = run_as_user(home, "status")
        tap.check("1 failed" in status.out and "Permission denied"
                  in status.out, status.out)
        tap.equal(status.out.count(os.path.basename(bad)), 1, status.out)
        tap.equal(result.err.count(os.path.basename(bad)), 1, result.err)
        result = run_as_user(home, "ingest", bad)
        tap.equal(result.status, 1, "the file itself")
        tap.check("it may not be read" in result.err, result.err)
        result = run_as_user(home, "ingest", home.path)
        tap.equal(result.status, 1, "inside a folder of unknown origin")
        tap.check(os.path.basename(bad) in result.err, result.err)
        os.chmod(bad, 0o644)
        result = run_as_user(home, "ingest")
        tap.equal(result.status, 0, result.err)
        tap.check("1 new" in result.out, result.out)


def test_a_folder_without_sessions():
    with Home(PROGRAM) as home:
        os.mkdir(home.file("empty"))
        home.write("empty/notes.txt", "nothing to see\n")
        result = home.run("ingest", "--library", "a.db", "empty")
        tap.equal(result.status, 1, "status")
        tap.check("no sessions of a known agent were found" in result.err,
                  result.err)


def test_half_a_line_and_wrong_json_lose_nothing():
    with Home(PROGRAM) as home:
        path = claude_session(home, "invoice writer")
        with open(path, "a", encoding="utf-8") as file:
            file.write("{broken\n[1,2]\n\x00\n{\"type\":\"assistant\",\"mess")
        result = home.run("ingest", "--library", "a.db", ".claude")
        tap.equal(result.status, 0, result.err)
        tap.check("1 read" in result.out and "1 new" in result.out, result.out)


def test_a_newer_library():
    with Home(PROGRAM) as home:
        path = filled(home)
        with sqlite3.connect(path) as base:
            base.execute("PRAGMA user_version = 999")
        base.close()
        before = open(path, "rb").read()
        home.write("in.jsonl", lines([item(3, "Gamma")]))
        for words in READS + [["mcp"], ["import", "in.jsonl"],
                              ["ingest", "."]]:
            fails(home, words, "a.db", "newer")
        tap.equal(open(path, "rb").read(), before, "the file")


def test_a_damaged_library():
    with Home(PROGRAM) as home:
        path = filled(home)
        with open(path, "r+b") as file:
            file.write(b"this is no database at all, it only looks like one")
        home.write("in.jsonl", lines([item(3, "Gamma")]))
        for words in READS + [["import", "in.jsonl"]]:
            fails(home, words, "a.db", "damaged")


def test_check_finds_a_damaged_page():
    with Home(PROGRAM) as home:
        many = [item(1 + n % 28, f"Title {n} " + "word " * 50,
                     external_id=f"x{n}#0") for n in range(300)]
        home.write("in.jsonl", lines(many))
        home.run("import", "--library", "a.db", "in.jsonl")
        path = home.file("a.db")
        size = os.path.getsize(path)
        with open(path, "r+b") as file:
            for at in range(8192, size - 4096, 16384):
                file.seek(at)
                file.write(b"\xa5" * 2048)
        for words, then in (([], "check --repair"),
                            (["--repair"], "put the last backup")):
            result = home.run("check", "--library", "a.db", *words)
            tap.equal(result.status, 1, "status")
            told = result.out + result.err
            tap.check("damaged" in told and then in told, told)
            tap.check("***" not in told and "main" not in told, told)
            tap.check(max(map(len, told.splitlines())) < 200, told)


def test_a_file_that_is_no_library():
    with Home(PROGRAM) as home:
        base = sqlite3.connect(home.file("a.db"))
        base.execute("CREATE TABLE mine (a)")
        base.commit()
        base.close()
        before = open(home.file("a.db"), "rb").read()
        home.write("in.jsonl", lines([item(3, "Gamma")]))
        for words in [["sources"], ["import", "in.jsonl"]]:
            fails(home, words, "a.db")
        tap.equal(open(home.file("a.db"), "rb").read(), before, "the file")
        os.mkdir(home.file("b.db"))
        result = home.run("sources", "--library", "b.db")
        tap.equal(result.status, 1, "a folder")
        tap.check("b.db" in result.err, result.err)


def can_drop_root():
    """May nobody run the program? Not where only root may go, as in /root."""
    try:
        subprocess.run([os.path.abspath(PROGRAM), "--version"], user=65534,
                       check=True, capture_output=True, cwd="/")
        return True
    except (OSError, PermissionError, subprocess.SubprocessError):
        return False


def run_as_user(home, *arguments):
    """Root may do everything: as nobody, with the home made theirs."""
    if os.geteuid() != 0:
        return home.run(*arguments)
    for folder, _, files in os.walk(home.path):
        os.chown(folder, 65534, 65534)
        for name in files:
            os.chown(os.path.join(folder, name), 65534, 65534)
    return home.run(*arguments, user=65534)


def test_a_read_only_library_is_read_and_not_written():
    with Home(PROGRAM) as home:
        path = filled(home)
        os.chmod(path, 0o444)
        home.write("in.jsonl", lines([item(3, "Gamma")]))
        os.chmod(home.path, 0o555)
        try:
            for words in READS:
                result = run_as_user(home, words[0], "--library", "a.db",
                                     *words[1:])
                tap.equal((result.status, result.err), (0, ""), words)
            result = run_as_user(home, "import", "--library", "a.db",
                                 "in.jsonl")
            tap.equal(result.status, 1, "import")
            tap.check("a.db" in result.err, result.err)
        finally:
            os.chmod(home.path, 0o755)


def test_a_library_that_another_program_writes_to():
    with Home(PROGRAM) as home:
        path = filled(home)
        base = sqlite3.connect(path, isolation_level=None)
        base.execute("BEGIN IMMEDIATE")
        for words in READS:
            result = home.run(words[0], "--library", "a.db", *words[1:])
            tap.equal((result.status, result.err), (0, ""), words)
        home.write("in.jsonl", lines([item(3, "Gamma")]))
        result = home.run("import", "--library", "a.db", "in.jsonl")
        tap.equal(result.status, 1, "import")
        tap.check("a.db" in result.err and "locked" in result.err, result.err)
        tap.check(result.out.startswith("0 items"), result.out)
        base.execute("ROLLBACK")
        base.close()
        tap.equal(home.run("import", "--library", "a.db", "in.jsonl").status,
                  0, "and then it goes")


def small_disk(folder):
    """A file system of 2 MB at folder, or why there is none."""
    if os.geteuid() != 0:
        return "needs root"
    os.makedirs(folder)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none",
                           folder], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip()


def test_a_full_disk_keeps_what_was_taken():
    with Home(PROGRAM) as home:
        disk = home.file("disk")
        reason = small_disk(disk)
        if reason is not None:
            print("# full disk not tried:", reason)
            return
        try:
            big = [item(1 + n % 28, f"Title {n}", external_id=f"x{n}#0",
                        original=os.urandom(3000).hex()) for n in range(1500)]
            home.write("in.jsonl", lines(big))
            result = home.run("import", "--library", "disk/a.db", "in.jsonl")
            tap.equal(result.status, 1, "import")
            tap.check("disk/a.db" in result.err and "full" in result.err,
                      result.err)
            check = home.run("check", "--library", "disk/a.db")
            tap.equal((check.status, check.out),
                      (0, "The library is in order.\n"), check.err)
            out = home.run("export", "--library", "disk/a.db", "-").out
            kept = len(out.splitlines())
            tap.check(result.out.startswith(f"{kept} items"), result.out)
            export = home.run("export", "--library", "disk/a.db",
                              "disk/out.jsonl")
            tap.equal((export.status, os.listdir(disk).count("out.jsonl")),
                      (1, 0) if kept > 100 else (export.status, 0)
                      if export.status else (0, 1), export.err)
        finally:
            subprocess.run(["umount", disk], check=True)


def test_stdout_that_cannot_be_written():
    with Home(PROGRAM) as home:
        filled(home)
        with open("/dev/full", "wb") as full:
            for words in [["sources"], ["export", "-"], ["show", "1"]]:
                done = subprocess.run(
                    [home.program, words[0], "--library", "a.db", *words[1:]],
                    stdout=full, stderr=subprocess.PIPE, cwd=home.path,
                    env=home.env, timeout=60)
                tap.equal(done.returncode, 1, words)
                tap.check(b"No space left" in done.stderr, done.stderr)


def test_an_interrupted_export_leaves_no_half_file():
    with Home(PROGRAM) as home:
        filled(home)
        home.write("out.jsonl", lines([item(1, "Alpha", id=1)]).replace(
            "{\"source\"", "{\"id\":1,\"source\"", 1))
        os.mkdir(home.file("locked"))
        result = home.run("export", "--library", "a.db", "none/out.jsonl")
        tap.equal(result.status, 1, "no such folder")
        tap.check("none/out.jsonl" in result.err, result.err)
        tap.equal(home.run("export", "--library", "a.db", "out.jsonl").status,
                  0, "over an old one")
        out = open(home.file("out.jsonl"), encoding="utf-8").read()
        tap.equal(len([json.loads(line) for line in out.splitlines()]), 2,
                  "lines")
        tap.equal([name for name in os.listdir(home.path) if "part" in name],
                  [], "left behind")


def run_as_somebody(test):
    """Root may read and write everything: such a test needs somebody else."""
    if os.geteuid() == 0 and not can_drop_root():
        tap.skip(test.__name__.replace("test_", "", 1),
                 "the tree lies where only root may go")
    else:
        tap.run(test)


if __name__ == "__main__":
    tap.run(test_a_library_that_is_not_there)
    tap.run(test_a_file_that_cannot_be_read)
    run_as_somebody(test_an_unreadable_session_is_named_and_the_others_are_taken)
    tap.run(test_a_folder_without_sessions)
    tap.run(test_half_a_line_and_wrong_json_lose_nothing)
    tap.run(test_a_newer_library)
    tap.run(test_a_damaged_library)
    tap.run(test_check_finds_a_damaged_page)
    tap.run(test_a_file_that_is_no_library)
    run_as_somebody(test_a_read_only_library_is_read_and_not_written)
    tap.run(test_a_library_that_another_program_writes_to)
    tap.run(test_a_full_disk_keeps_what_was_taken)
    tap.run(test_stdout_that_cannot_be_written)
    tap.run(test_an_interrupted_export_leaves_no_half_file)
    tap.done()
