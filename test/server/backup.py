#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Backups with the program, beside a server that is given work.

usage: backup.py JEZERO_SERVER
"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from cli import claude_line  # noqa: E402
from jzserver import Server, bearer, client, item  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
KEY = "jz-a-sample-key-of-the-tests-1"
TABLES = '[inbox]\npath = "inbox"\n' + client("laptop", KEY, upload=True,
                                              sources=["*"])
tap = Tap()


def run(*arguments, cwd=None, timeout=120):
    done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=cwd, timeout=timeout)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def exported(path):
    status, out, err = run("export", "--library", path, "-")
    tap.equal((status, err), (0, ""), "export")
    return [json.loads(line) for line in out.splitlines()]


def many(count, size=2000):
    """Items that take room: what a backup has to copy."""
    return [item("m%d#0" % n, "Item %d" % n,
                 original=os.urandom(size // 2).hex()) for n in range(count)]


class Uploads(threading.Thread):
    """One new session after the other, until it is stopped."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.is_over = threading.Event()
        self.count = 0
        self.problems = []

    def run(self):
        while not self.is_over.is_set():
            session = "%08d-0000-4000-8000-000000000000" % self.count
            body = (claude_line(session, "user", "Please mend the export of "
                                "invoices, part %d." % self.count, 1) +
                    claude_line(session, "assistant", "The export of invoices "
                                "is UTF-8 now.", 2)).encode()
            path = "/inbox/v1/claude-code/-work-shop/%s.jsonl" % session
            answer = self.server.ask("PUT", path, body, bearer(KEY))
            if answer.status != 200:
                self.problems.append((answer.status, answer.text))
                return
            self.count += 1

    def stop(self):
        self.is_over.set()
        self.join()


class Imports(threading.Thread):
    """Batches of five beside the server, each one transaction."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.is_over = threading.Event()
        self.problems = []

    def run(self):
        number = 0
        while not self.is_over.is_set():
            path = os.path.join(self.server.folder, "batch.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                for _ in range(5):
                    file.write(json.dumps(item("b%06d#0" % number, "Batch",
                                               source="batches")) + "\n")
                    number += 1
            done = run("import", "--library", self.server.library, path)
            if done[0] != 0:
                self.problems.append(done)
                return

    def stop(self):
        self.is_over.set()
        self.join()


def check_state(items):
    """Is this what the library was at some instant? Ids are given in order and
    no item is ever removed, so it is a prefix; batches are whole."""
    tap.equal([i["id"] for i in items], list(range(1, len(items) + 1)), "ids")
    batches = [i["external_id"] for i in items if i["source"] == "batches"]
    tap.equal(batches, ["b%06d#0" % n for n in range(len(batches))], "order")
    tap.equal(len(batches) % 5, 0, "batches are whole")


def test_backups_beside_a_busy_server_are_whole():
    with Server(PROGRAM, items=many(300), tables=TABLES) as server:
        copy = os.path.join(server.folder, "copy.db")
        workers = [Uploads(server), Imports(server)]
        for worker in workers:
            worker.start()
        last = 0
        try:
            for _ in range(20):
                status, out, err = run("backup", "--config", server.config,
                                       copy)
                tap.equal((status, err), (0, ""), "backup")
                tap.check(out.startswith("Copied ") and
                          out.endswith(" to %s\n" % copy), out)
                tap.equal(run("check", "--library", copy),
                          (0, "The library is in order.\n", ""), "check")
                items = exported(copy)
                check_state(items)
                tap.check(len(items) >= last, "no copy is older than the last")
                last = len(items)
        finally:
            for worker in workers:
                worker.stop()
        for worker in workers:
            tap.equal(worker.problems, [], "the work beside it")
        tap.check(workers[0].count > 0, "uploads were taken")
        tap.check(last > 300, "items came in meanwhile")


def start_backup(library, copy):
    """A backup that has begun to write: its process."""
    process = subprocess.Popen([PROGRAM, "backup", "--library", library, copy],
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        try:
            if os.path.getsize(copy + ".part") > 0:
                break
        except FileNotFoundError:
            pass
    return process


def test_a_killed_backup_leaves_no_half_file():
    with Server(PROGRAM, items=many(3000, 8000)) as server:
        copy = os.path.join(server.folder, "copy.db")
        killed = 0
        for number in range(10):
            process = start_backup(server.library, copy)
            process.kill()
            process.communicate()
            killed += process.returncode == -signal.SIGKILL
            if os.path.exists(copy):
                tap.equal(len(exported(copy)), 3000, "a whole copy")
                os.remove(copy)
        tap.check(killed > 0, "one was killed while it wrote")
        status, _, err = run("backup", "--library", server.library, copy)
        tap.equal((status, err), (0, ""), "the next one")
        tap.check(not os.path.exists(copy + ".part"), "takes the rest over")
        tap.equal(len(exported(copy)), 3000, "items")


def test_a_backup_that_is_stopped_takes_its_copy_away():
    with Server(PROGRAM, items=many(3000, 8000)) as server:
        copy = os.path.join(server.folder, "copy.db")
        stopped = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) * 3:
            process = start_backup(server.library, copy)
            process.send_signal(number)
            _, err = process.communicate()
            if process.returncode == 1:
                tap.check(err.endswith(b" backup: interrupted\n"), err)
                tap.check(not os.path.exists(copy), "no copy")
                stopped += 1
            elif os.path.exists(copy):
                os.remove(copy)
            tap.check(not os.path.exists(copy + ".part"), "no draft")
        tap.check(stopped > 0, "one was stopped while it wrote")


def test_a_restored_backup_is_served():
    with Server(PROGRAM, items=many(20)) as server:
        copy = os.path.join(server.folder, "copy.db")
        tap.equal(run("backup", "--config", server.config, copy)[0], 0,
                  "backup")
        server.put([item("late#0", "After the backup", source="notes")])
        found = server.call("tools/call", {"name": "list_sources"})
        tap.check("notes" in found["result"]["structuredContent"]["sources"],
                  "before")
        server.signal()
        tap.equal(server.wait(), 0, "stopped")
        tap.check(not os.path.exists(server.library + "-wal"), "no log left")
        os.rename(copy, server.library)
        server.start()
        found = server.call("tools/call", {"name": "list_sources"})
        tap.equal(found["result"]["structuredContent"]["sources"]
                  ["agent-codex-desk"]["items"], 20, "after")
        tap.check("notes" not in
                  found["result"]["structuredContent"]["sources"], "after")


def test_mistakes_are_named():
    with Server(PROGRAM, items=many(3)) as server:
        notes = os.path.join(server.folder, "notes.txt")
        with open(notes, "w", encoding="utf-8") as file:
            file.write("do not lose me\n")
        for target, part in ((server.library, "is the library itself"),
                             (notes, "is no library: it is not replaced"),
                             (server.folder, "no regular file"),
                             (server.folder + "/no/copy.db", "No such file"),
                             (server.library + "-wal", "cannot be named")):
            status, out, err = run("backup", "--library", server.library,
                                   target)
            tap.equal((status, out), (1, ""), target)
            tap.check(part in err and err.count("\n") == 1, err)
        with open(notes, encoding="utf-8") as file:
            tap.equal(file.read(), "do not lose me\n", "the file")
        tap.equal(run("backup", "--library", server.library)[0], 2, "no FILE")


def test_a_terminal_shows_how_far_it_is():
    with Server(PROGRAM, items=many(3000, 8000)) as server:
        copy = os.path.join(server.folder, "copy.db")
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "backup", "--library", server.library, copy],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=follower,
            env=dict(os.environ, TERM="xterm"))
        os.close(follower)
        shown = b""
        while process.poll() is None or \
                select.select([leader], [], [], 0)[0]:
            if select.select([leader], [], [], 0.05)[0]:
                try:
                    shown += os.read(leader, 65536)
                except OSError:
                    break
        out = process.communicate()[0]
        os.close(leader)
        tap.equal(process.returncode, 0, "exit status")
        tap.check(out.startswith(b"Copied "), out)
        # A disk that takes it all within a tenth of a second shows nothing.
        tap.check(not shown or b"copying " in shown and b" MB of " in shown,
                  shown)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
