#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check and check --repair beside a running server, and killed in the middle.

usage: repair.py JEZERO_SERVER
"""

import json
import os
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, item  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
DAMAGE = "DELETE FROM item_index_data WHERE id > 10"
tap = Tap()


def check(server, *options):
    done = subprocess.run([PROGRAM, "check", "--library", server.library,
                           *options], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def hurt(server):
    db = sqlite3.connect(server.library, timeout=30, isolation_level=None)
    db.execute(DAMAGE)
    db.close()


def search(server, query):
    """Without the scores: they fall as the items grow older, by seconds too."""
    answer = server.call("tools/call", {"name": "search",
                                        "arguments": {"query": query}})
    found = answer["result"]["structuredContent"]
    for one in found["results"]:
        del one["score"]
    return found


def items(count):
    words = ("marzipan", "nougat", "quokka", "wombat", "export")
    return [item("m%d#0" % n, "Item %d about %s" % (n, words[n % 5]),
                 summary=" ".join(words[(n + k) % 5] + str(n * k)
                                  for k in range(40)))
            for n in range(count)]


def test_a_repair_beside_a_server_mends_its_answers():
    with Server(PROGRAM, items=items(200)) as server:
        before = search(server, "marzipan")
        tap.equal(check(server), (0, "The library is in order.\n", ""), "check")
        hurt(server)
        status, out, err = check(server)
        tap.equal((status, err), (1, ""), "damaged")
        tap.check("index" in out, out)
        status, out, err = check(server, "--json")
        tap.equal((status, json.loads(out)["ok"]), (1, False), "as JSON")
        status, out, err = check(server, "--repair")
        tap.equal((status, err), (0, ""), "repair")
        tap.check(out.startswith("- repaired: the index") and
                  out.endswith("\nThe library is in order.\n"), out)
        tap.equal(check(server), (0, "The library is in order.\n", ""), "check")
        tap.equal(search(server, "marzipan"), before, "answers")
        server.put([item("new#0", "A marzipan of tomorrow")])
        tap.check("tomorrow" in json.dumps(search(server, "tomorrow")),
                  "and new ones")


def test_a_repair_that_is_killed_has_done_nothing_or_all():
    with Server(PROGRAM, items=items(1500)) as server:
        before = search(server, "marzipan quokka")
        hurt(server)
        start = time.monotonic()
        tap.equal(check(server, "--repair")[0], 0, "repair")
        whole = time.monotonic() - start
        killed = 0
        for number in range(10):
            hurt(server)
            process = subprocess.Popen(
                [PROGRAM, "check", "--repair", "--library", server.library],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            try:
                process.wait(whole * (number + 0.5) / 10)
            except subprocess.TimeoutExpired:
                process.kill()
                killed += process.wait() != 0
            db = sqlite3.connect(server.library, timeout=30)
            tap.equal(db.execute("PRAGMA integrity_check").fetchall(),
                      [("ok",)], "the file")
            tap.equal(db.execute("SELECT count(*) FROM item").fetchone(),
                      (1500,), "items")
            db.close()
            tap.check(check(server)[0] in (0, 1), "check")
        tap.check(killed > 0, "one was killed")
        tap.equal(check(server, "--repair")[0], 0, "the next one")
        tap.equal(search(server, "marzipan quokka"), before, "answers")


def test_a_library_that_may_not_be_written_is_checked():
    with Server(PROGRAM, items=items(20)) as server:
        hurt(server)
        folder = os.path.join(server.folder, "copy")
        os.mkdir(folder)
        copy = os.path.join(folder, "l.db")
        done = subprocess.run([PROGRAM, "backup", "--library", server.library,
                               copy], stdout=subprocess.DEVNULL)
        tap.equal(done.returncode, 0, "backup")
        server.library = copy
        if os.geteuid() != 0:
            os.chmod(copy, 0o400)
            os.chmod(folder, 0o500)
            status, _, err = check(server, "--repair")
            tap.equal(status, 1, "repair")
            tap.check("read-only" in err, err)
        tap.equal(check(server)[0], 1, "check")
        os.chmod(folder, 0o700)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
