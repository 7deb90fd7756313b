#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uploads over real sockets: what is answered, what is on disk afterwards, and
what is in the library.

usage: uploads.py JEZERO_SERVER
"""

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, client, item, request  # noqa: E402
from tap import Tap  # noqa: E402
from transcripts import Claude, uid  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
LAPTOP, DESK, READER = "laptop-key-30fb11", "desk-key-7d2a90", "reader-key-5c8e42"
CLIENTS = (client("laptop", LAPTOP, upload=True) +
           client("desk", DESK, upload=True) + client("reader", READER))
INBOX = "/inbox/v1/"
OK = b'{"ok":true}'
tap = Tap()


def start(inbox="", **more):
    return Server(PROGRAM, tables=CLIENTS + "\n[inbox]\nmax_file_mb = 1\n" + inbox,
                  **more)


def session(number, turns=2, words="The invoice export fails with code 17"):
    """A transcript as its bytes, and the place it is uploaded to."""
    made = Claude(uid("upload", number))
    for turn in range(turns):
        made.user("%s, question %d of %d" % (words, turn, number))
        made.agent("Fixed by raising the limit to %d in export.py." % turn)
    text = "".join(json.dumps(record) + "\n" for record in made.records)
    return text.encode(), "claude-code/-home-dana-billing/%s.jsonl" % made.session


def put(server, place, body, key=LAPTOP, **headers):
    return server.ask("PUT", INBOX + place, body, dict(
        bearer(key), **{name.replace("_", "-"): value
                        for name, value in headers.items()}))


def refused(answer, status, reason):
    tap.equal((answer.status, answer.text),
              (status, json.dumps({"ok": False, "error": reason},
                                  separators=(",", ":"))), reason)


def stored(server):
    """Files of the inbox, but for projects: {path below it: bytes}."""
    found = {}
    top = os.path.join(server.folder, "data", "inbox")
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, top)] = file.read()
    return {path: body for path, body in found.items()
            if not path.endswith(".project")}


def call(server, tool, arguments, key=LAPTOP):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments}})
    answer = server.ask("POST", "/mcp", body.encode(), bearer(key)).json()
    return answer["result"]["structuredContent"]


def items(server, key=LAPTOP):
    return call(server, "timeline", {"limit": 100}, key)["items"]


def wait_for(what, seconds=30):
    """Until what() is true: whether it came to that."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


# --- what is answered ---

def test_an_upload_is_an_item_a_moment_later():
    with start() as server:
        body, place = session(1)
        answer = put(server, place, body, X_Jezero_Project="caf%C3%A9")
        tap.equal((answer.status, answer.body), (200, OK), "answer")
        tap.equal(stored(server), {"laptop/" + place: body}, "file")
        tap.check(wait_for(lambda: items(server)), "an item comes")
        made = items(server)[0]
        tap.equal((made["source"], made["project"], made["trust"]),
                  ("agent-claude-code-laptop", "café", "own"), "item")


def test_modes_keep_others_out():
    with start() as server:
        body, place = session(1)
        put(server, place, body, X_Jezero_Project="billing")
        top = os.path.join(server.folder, "data", "inbox")
        for folder, _, names in os.walk(top):
            tap.equal(os.stat(folder).st_mode & 0o777, 0o700, folder)
            for name in names:
                mode = os.stat(os.path.join(folder, name)).st_mode
                tap.equal(mode & 0o777, 0o600, name)


def test_gzip_is_decompressed():
    with start() as server:
        body, place = session(1)
        packed = gzip.compress(body)
        tap.equal(put(server, place, packed, Content_Encoding="gzip").body, OK,
                  "one member")
        half = len(body) // 2
        two = gzip.compress(body[:half]) + gzip.compress(body[half:] + b"\n")
        tap.equal(put(server, place, two, Content_Encoding="GZIP").body, OK,
                  "two members")
        tap.equal(stored(server), {"laptop/" + place: body + b"\n"}, "both members")


def test_bodies_that_are_wrong_leave_nothing():
    body, place = session(1)
    packed = gzip.compress(body)
    cases = {
        "cut": packed[:-6],
        "checksum": packed[:-8] + b"\0\0\0\0" + packed[-4:],
        "behind it": packed + b"JUNK",
        "no gzip": body,
        "no bytes": b"",
        "deflate": zlib.compress(body),
        "packed twice": gzip.compress(packed),
    }
    with start() as server:
        for name, sent in cases.items():
            answer = put(server, place, sent, Content_Encoding="gzip")
            tap.equal(answer.status, 400, name)
            tap.check(answer.json()["ok"] is False and answer.json()["error"],
                      name + ": a reason")
        for name, sent in {"NUL": b"a\0b\n", "Latin-1": b"caf\xe9 ole\n"}.items():
            tap.equal(put(server, place, sent).status, 400, name)
        tap.equal(stored(server), {}, "nothing is stored")


def test_what_is_too_large_is_refused_at_any_point():
    bomb = gzip.compress(b"a" * (64 << 20), 9)
    body, place = session(1)
    most = 1 << 20
    chunked = {"Transfer-Encoding": "chunked", "Expect": None}
    with start() as server:
        refused(put(server, place, b"x" * (most + 1)), 413, "file too large")
        refused(put(server, place, bomb, Content_Encoding="gzip"), 413,
                "file too large")
        with server.connect() as peer:
            peer.send(request("PUT", INBOX + place, None,
                              dict(bearer(LAPTOP), **chunked)))
            piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
            try:
                for _ in range(17):
                    peer.send(piece)
            except OSError:
                pass  # refused before the end of it
            refused(peer.answer("PUT"), 413, "file too large")
        tap.equal(put(server, place, b"x" * most).body, OK, "just not too large")
        tap.equal(list(stored(server)), ["laptop/" + place], "one file")


def test_a_device_has_a_quota():
    with start("max_total_gb = 1\n") as server:
        # A gigabyte that takes no room on the disk.
        folder = os.path.join(server.folder, "data", "inbox", "laptop", "codex")
        os.makedirs(folder)
        with open(os.path.join(folder, "big"), "wb") as file:
            file.truncate((1 << 30) - 100)
        body, place = session(1)
        answer = put(server, place, body)
        tap.equal((answer.status, answer.json()["ok"]), (507, False), "laptop")
        tap.equal(put(server, place, body, key=DESK).body, OK, "desk")
        tap.check("laptop/" + place not in stored(server), "nothing is left")


def test_other_refusals():
    body, place = session(1)
    with start() as server:
        tap.equal(put(server, place, body, key="unknown").status, 401, "no key")
        refused(put(server, place, body, key=READER), 403,
                "this key may not upload")
        for coding in ("br", "deflate", "gzip, gzip", "zstd"):
            tap.equal(put(server, place, body, Content_Encoding=coding).status,
                      415, coding)
        long = urllib.parse.quote("ü" * 101)
        for project in ("%zz", "%ff", "a%00b", "a%0Ab", long):
            tap.equal(put(server, place, body, X_Jezero_Project=project).status,
                      400, project)
        tap.equal(put(server, place + "?x=1", body).status, 400, "query")
        tap.equal(server.ask("POST", INBOX + place, body, bearer(LAPTOP)).status,
                  405, "POST")
        tap.equal(stored(server), {}, "nothing is stored")


def test_the_key_is_asked_for_before_the_body():
    body, place = session(1)
    with start() as server:
        for key, status in ((LAPTOP, 100), ("unknown", 401), (READER, 403)):
            with server.connect() as peer:
                peer.send(request("PUT", INBOX + place, None, dict(
                    bearer(key), Expect="100-continue",
                    **{"Content-Length": len(body)})))
                line = peer.sock.recv(12)
                tap.equal(line, b"HTTP/1.1 %d" % status, key)


# --- what stays on the disk ---

def test_the_same_again_costs_nothing():
    with start() as server:
        body, place = session(1)
        put(server, place, body, X_Jezero_Project="billing")
        tap.check(wait_for(lambda: items(server)), "an item comes")
        path = os.path.join(server.folder, "data", "inbox", "laptop", place)
        before = os.stat(path)
        for _ in range(3):
            tap.equal(put(server, place, body, X_Jezero_Project="billing").body,
                      OK, "again")
        after = os.stat(path)
        tap.equal((after.st_ino, after.st_mtime_ns),
                  (before.st_ino, before.st_mtime_ns), "the file is the same")
        put(server, place, body, X_Jezero_Project="shop")
        tap.check(wait_for(lambda: items(server)[0]["project"] == "shop"),
                  "another project is taken over")


def test_without_a_project_the_known_one_stays():
    with start() as server:
        body, place = session(1)
        put(server, place, body, X_Jezero_Project="billing")
        tap.check(wait_for(lambda: items(server)), "an item comes")
        path = os.path.join(server.folder, "data", "inbox", "laptop", place)
        before = os.stat(path)
        tap.equal(put(server, place, body).body, OK, "the same again")
        tap.equal(os.stat(path).st_ino, before.st_ino, "the file is the same")
        longer, place = session(1, 3)
        tap.equal(put(server, place, longer).body, OK, "more of it")
        tap.check(wait_for(lambda: "question 2" in original(server)),
                  "it is in the library")
        tap.equal(items(server)[0]["project"], "billing", "project")


def test_a_session_that_grows_keeps_its_item():
    with start() as server:
        for turns in (1, 3, 6):
            body, place = session(1, turns)
            tap.equal(put(server, place, body).body, OK, "upload")
            tap.check(wait_for(lambda: items(server) and
                               "question %d" % (turns - 1) in original(server)),
                      "%d turns are in the library" % turns)
            tap.equal([one["id"] for one in items(server)], [1], "ids")


def original(server):
    return call(server, "get_item", {"item_id": 1,
                                     "include_original": True})["item"]["original"]


def test_a_connection_that_drops_leaves_no_file():
    body, place = session(1, 200)
    with start() as server:
        for sent in (0, 1, len(body) // 2, len(body) - 1):
            with server.connect() as peer:
                peer.send(request("PUT", INBOX + place, None, dict(
                    bearer(LAPTOP), **{"Content-Length": len(body)})) + body[:sent])
        tap.check(wait_for(lambda: stored(server) == {}), "nothing is left")
        tap.equal(put(server, place, body).body, OK, "the whole")


def test_what_was_accepted_survives_a_kill():
    with start() as server:
        places = {}
        for number in range(6):
            body, place = session(number)
            places["laptop/" + place] = body
            tap.equal(put(server, place, body, X_Jezero_Project="billing").body,
                      OK, "upload")
            server.process.send_signal(signal.SIGKILL)
            server.wait()
            server.start()
        tap.equal(stored(server), places, "files")
        tap.check(wait_for(lambda: len(items(server)) == 6), "items")
        tap.equal({one["project"] for one in items(server)}, {"billing"}, "projects")


def test_a_killed_upload_is_swept_away():
    body, place = session(1, 200)
    with start() as server:
        with server.connect() as peer:
            peer.send(request("PUT", INBOX + place, None, dict(
                bearer(LAPTOP), **{"Content-Length": len(body)})) + body[:90000])
            tap.check(wait_for(lambda: stored(server)), "it is arriving")
            server.process.send_signal(signal.SIGKILL)
            server.wait()
        server.start()
        tap.equal(stored(server), {}, "nothing is left")


def test_ingest_takes_what_the_inbox_holds():
    server = start()
    body, place = session(1)
    path = os.path.join(server.folder, "data", "inbox", "laptop", place)
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(body)
    # Neither is an upload.
    for name in (".upload-7", "notes.txt"):
        with open(os.path.join(server.folder, "data", "inbox", name), "wb") as file:
            file.write(b"not a session")
    for words in ("1 read", "1 unchanged"):
        done = subprocess.run([PROGRAM, "ingest", "--config", server.config],
                              capture_output=True, timeout=60, text=True)
        tap.equal((done.returncode, done.stderr), (0, ""), "ingest")
        tap.check(words in done.stdout and "1 session:" in done.stdout, done.stdout)
    server.close()


# --- many at once ---

def together(count, work):
    failures = []

    def run(number):
        try:
            work(number)
        except Exception as error:  # told by the caller
            failures.append("%d: %r" % (number, error))

    threads = [threading.Thread(target=run, args=(number,))
               for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tap.equal(failures, [], "failures")


def test_uploads_of_one_path_do_not_mix():
    with start() as server:
        _, place = session(1)
        bodies = [session(1, 1 + number, "word%d " % number * 50)[0]
                  for number in range(8)]
        together(8, lambda number: tap.equal(
            put(server, place, bodies[number]).body, OK, "upload"))
        found = stored(server)
        tap.equal(list(found), ["laptop/" + place], "one file")
        tap.check(found["laptop/" + place] in bodies, "it is one of them, whole")


def test_many_uploads_lose_and_double_nothing():
    with start() as server:
        made = [session(number, 40) for number in range(40)]

        def upload(number):
            body, place = made[number]
            key = (LAPTOP, DESK)[number % 2]
            tap.equal(put(server, place, gzip.compress(body), key=key,
                          Content_Encoding="gzip").body, OK, "upload")
        together(40, upload)
        want = {("laptop/", "desk/")[number % 2] + place: body
                for number, (body, place) in enumerate(made)}
        tap.equal(stored(server), want, "files")
        tap.check(wait_for(lambda: len(items(server)) == 40, 60), "items")
        ids = [one["id"] for one in items(server)]
        tap.equal(len(set(ids)), 40, "each once")


def test_a_slow_upload_holds_up_nobody():
    body, place = session(1, 50)
    with start(items=[item("1", "Invoice export")]) as server:
        with server.connect() as slow:
            slow.send(request("PUT", INBOX + place, None, dict(
                bearer(LAPTOP), **{"Content-Length": len(body)})) + body[:1000])
            other, elsewhere = session(2)
            tap.equal(put(server, elsewhere, other).body, OK, "another upload")
            tap.equal(server.ask("GET", "/healthz").status, 200, "health")
            slow.send(body[1000:])
            tap.equal(slow.answer("PUT").body, OK, "the slow one")


def test_stopping_lets_an_upload_end():
    body, place = session(1, 50)
    with start() as server:
        with server.connect() as peer:
            peer.send(request("PUT", INBOX + place, None, dict(
                bearer(LAPTOP), **{"Content-Length": len(body)})) + body[:1000])
            tap.check(wait_for(lambda: stored(server)), "it is arriving")
            server.signal()
            tap.check(server.wait_for_log("stopping"), "stopping")
            peer.send(body[1000:])
            tap.equal(peer.answer("PUT").body, OK, "it is taken")
        tap.equal(server.wait(), 0, "exit status")
        tap.equal(stored(server), {"laptop/" + place: body}, "file")


def restart_later(server, place, days=3):
    """Let an upload be so old, and the server start again."""
    path = os.path.join(server.folder, "data", "inbox", "laptop", place)
    long_ago = time.time() - days * 86400
    os.utime(path, (long_ago, long_ago))
    server.signal()
    server.wait()
    server.start()


def status(server):
    done = subprocess.run([PROGRAM, "status", "--json", "--config",
                           server.config], capture_output=True, timeout=60,
                          check=True)
    return json.loads(done.stdout)


def test_an_inbox_by_any_name_is_taken_in_at_once():
    body, place = session(1)
    for name in ("link/inbox", "./data/../other/", "data//third"):
        server = start('path = "%s"\n' % name)
        os.mkdir(os.path.join(server.folder, "real"))
        os.symlink("real", os.path.join(server.folder, "link"))
        with server:
            tap.equal(put(server, place, body).body, OK, name)
            tap.check(wait_for(lambda: items(server)), name + ": an item comes")
            inbox = status(server)["inbox"]
            tap.equal((inbox["files"], inbox["waiting"]), (1, 0), name)
            server.signal()
            server.wait()
            server.start()
            tap.check(server.wait_for_log("listening"), "again")
            tap.equal(len(items(server)), 1, name + ": still one")


def test_an_upload_does_not_wait_for_a_long_pass():
    server = start('[ingest]\ninterval_seconds = 3600\n[[connectors]]\n'
                   'type = "claude-code"\nname = "agent-claude-code-here"\n'
                   'path = "claude"\n')
    folder = os.path.join(server.folder, "claude", "projects", "-home-dana")
    os.makedirs(folder)
    for number in range(300):
        body, place = session(1000 + number, 30)
        with open(os.path.join(folder, os.path.basename(place)), "wb") as file:
            file.write(body)
    with server:
        body, place = session(1, words="A quokka in the upload")
        tap.equal(put(server, place, body).body, OK, "upload")

        tap.check(wait_for(lambda: items_of(server, "claude-code-here") == 300,
                           60), "the pass ends")
        found = call(server, "search", {"query": "quokka"})["results"]
        tap.check(len(found) == 1 and found[0]["id"] < 301,
                  "it is not the last: %s" % found)


def items_of(server, source):
    return status(server)["sources"].get("agent-" + source, {"items": 0})["items"]


def test_the_last_project_stays():
    with start() as server:
        for number in range(60):
            body, place = session(1, 1 + number % 7)
            tap.equal(put(server, place, body,
                          X_Jezero_Project="p%d" % number).body, OK, "upload")
        tap.check(wait_for(lambda: items(server) and
                           items(server)[0]["project"] == "p59"),
                  "the last one")


def test_what_was_taken_in_is_told():
    with start() as server:
        body, place = session(1)
        put(server, place, body)
        tap.check(server.wait_for_log(
            "info uploads: 1 session: 1 read, 0 unchanged, 0 skipped, 0 failed; "
            "items: 1 new, 0 changed, 0 hidden"), server.log())
        put(server, "claude-code/a/broken.jsonl", b"no JSON in pine trees\n" * 3)
        tap.check(server.wait_for_log("0 skipped, 1 failed; items: 0 new"),
                  server.log())
        tap.check("claude-code/a/broken.jsonl: " in server.log(), server.log())
        tap.check("pine" not in server.log(), "the content")


def test_what_failed_is_never_removed():
    with start("keep_days = 2\n") as server:
        place = "claude-code/a/broken.jsonl"
        body = b"this is no JSON\n" * 3
        put(server, place, body)
        tap.check(wait_for(lambda: status(server)["documents"]["failed"] == 1),
                  "it fails")
        for _ in range(2):
            restart_later(server, place)
            done = subprocess.run([PROGRAM, "ingest", "--config", server.config],
                                  capture_output=True, timeout=60, check=False)
            tap.check(b"1 session: 0 read, 1 unchanged (1 of them failed "
                      b"before: see status), " in done.stdout, done.stdout)
        tap.equal(stored(server), {"laptop/" + place: body}, "it is kept")


def test_uploads_of_agents_that_are_not_read_are_kept():
    with start("keep_days = 1\n") as server:
        place = "hermes/20261021_091200_ab12cd.json"
        tap.equal(put(server, place, b"{}").body, OK, "upload")
        tap.check(server.wait_for_log("uploads of agents"), "a warning")
        restart_later(server, place)
        done = subprocess.run([PROGRAM, "ingest", "--config", server.config],
                              capture_output=True, timeout=60, check=False)
        tap.check(b"1 upload is of an agent" in done.stderr, done.stderr)
        tap.check(done.stdout.startswith(
            b"1 session: 0 read, 0 unchanged, 0 skipped, 0 failed, 1 waits for "
            b"a version that reads them; items: 0 new"), done.stdout)
        tap.equal(stored(server), {"laptop/" + place: b"{}"}, "it is kept")


def test_old_uploads_go_when_they_are_in_the_library():
    with start("keep_days = 2\n") as server:
        (old, old_place), (new, new_place) = session(1), session(2)
        put(server, old_place, old)
        put(server, new_place, new)
        tap.check(wait_for(lambda: len(items(server)) == 2), "items")
        restart_later(server, old_place)
        tap.check(wait_for(lambda: list(stored(server)) == ["laptop/" + new_place]),
                  "the old file is gone")
        tap.equal(len(items(server)), 2, "its item is not")


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
