#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an administrator looks at: status, /healthz, JSON on a terminal.

usage: status.py JEZERO_SERVER
"""

import json
import os
import pwd
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, client, item  # noqa: E402
from tap import Tap  # noqa: E402
from transcripts import Codex  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
CLIENTS = client("laptop", "laptop-key-0003", upload=True)
VERSION = subprocess.run([PROGRAM, "--version"], stdout=subprocess.PIPE,
                         check=True).stdout.decode().split()[-1]
HEALTHY = '{"ok":true,"version":"%s"}' % VERSION
SICK = '{"ok":false,"version":"%s"}' % VERSION
tap = Tap()


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)


def status(server, *more):
    done = run("status", "--config", server.config, *more)
    tap.equal(done.returncode, 0, done.stderr.decode())
    return done.stdout.decode()


def put_session(server, number, agent="codex"):
    """A file as an upload leaves it."""
    folder = os.path.join(server.folder, "data", "inbox", "laptop", agent,
                          "2026", "10", "09")
    session = Codex("dddddddd-0000-4000-8000-%012d" % number)
    session.message("user", "The import of part %d fails with code 17" % number)
    session.message("assistant", "The column of part %d was missing." % number)
    return session.write(folder)


def test_it_tells_whether_a_server_runs():
    server = Server(PROGRAM, items=[item("1", "Invoice export")])
    told = json.loads(status(server, "--json"))
    tap.equal(told["server"], {"running": False}, "none")
    with server:
        told = json.loads(status(server, "--json"))
        tap.equal(told["server"], {"running": True,
                                   "process": server.process.pid}, "one")
        text = status(server)
        tap.check("server    running, process %d\n" % server.process.pid in text,
                  text)
        server.process.kill()
        server.wait()
        tap.check("server    not running\n" in status(server), "killed")
        tap.equal(json.loads(status(server, "--json"))["server"],
                  {"running": False}, "killed")


def test_looking_hinders_no_start():
    """status takes the lock for an instant: servers start all the same."""
    server = Server(PROGRAM, items=[item("1", "Invoice export")])
    looker = subprocess.Popen(
        ["/bin/sh", "-c", 'while "$0" status --config "$1"; do :; done',
         PROGRAM, server.config], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(5):
            server.start()
            server.signal()
            tap.equal(server.wait(), 0, "exit status")
    finally:
        os.killpg(looker.pid, 9)
        looker.wait()
        server.close()


def test_it_tells_what_waits_in_the_inbox():
    server = Server(PROGRAM, items=[item("1", "Invoice export")], tables=CLIENTS)
    try:
        inbox = json.loads(status(server, "--json"))["inbox"]
        folder = os.path.join(server.folder, "data", "inbox")
        tap.equal(inbox, {"path": folder, "files": 0, "bytes": 0, "waiting": 0,
                          "unread": 0}, "none yet")
        paths = [put_session(server, i) for i in range(3)]
        # What the inbox keeps for itself is no upload.
        with open(paths[0] + ".project", "w", encoding="utf-8") as file:
            file.write("billing")
        os.rename(paths[0] + ".project",
                  os.path.join(os.path.dirname(paths[0]), ".a.jsonl.project"))
        with open(os.path.join(folder, ".upload-1"), "w", encoding="utf-8") as file:
            file.write("half a")
        inbox = json.loads(status(server, "--json"))["inbox"]
        tap.equal((inbox["files"], inbox["waiting"]), (3, 3), "all wait")
        tap.equal(inbox["bytes"], sum(map(os.path.getsize, paths)), "bytes")
        tap.check("inbox     3 waiting of 3 uploads, " in status(server), "text")
        # A look has taken nothing in, and no agent that is not known waits.
        tap.equal(json.loads(status(server, "--json"))["items"], 1, "items")
        put_session(server, 4, "hermes")
        inbox = json.loads(status(server, "--json"))["inbox"]
        tap.equal((inbox["files"], inbox["waiting"], inbox["unread"]),
                  (4, 3, 1), "one is only kept")
        tap.check("inbox     3 waiting of 4 uploads, 1 for a version that reads "
                  "it, " in status(server), "text")
    finally:
        server.close()


def test_a_library_without_configuration_has_no_inbox():
    server = Server(PROGRAM, items=[item("1", "Invoice export")])
    done = run("status", "--library", server.library, "--json")
    server.close()
    tap.equal(done.returncode, 0, done.stderr)
    tap.check("inbox" not in json.loads(done.stdout), done.stdout)
    tap.equal(json.loads(done.stdout)["items"], 1, "items")


def test_failed_documents_have_their_reasons():
    server = Server(PROGRAM, items=[item("1", "Invoice export")])
    path = os.path.join(server.folder, "rollout-broken.jsonl")
    with open(path, "wb") as file:
        file.write(b'{"timestamp":"2026-10-09T21:23:12.000Z","type":"session_meta"'
                   b',"payload":{"id":7}}\n' * 3)
    run("ingest", "--config", server.config, path)
    told = json.loads(status(server, "--json"))
    text = status(server)
    server.close()
    tap.equal(len(told["failed"]) + told["documents"]["skipped"], 1, told)
    for document in told["failed"]:
        tap.equal(document["path"], path, "path")
        tap.check(document["reason"] and document["reason"] in text, "reason")
    tap.check(told["bytes"]["file"] > 0, "size")


# --- health ---

def wait_for(server, code):
    end = time.monotonic() + 30
    answer = server.ask("GET", "/healthz")
    while answer.status != code and time.monotonic() < end:
        time.sleep(0.05)
        answer = server.ask("GET", "/healthz")
    return answer


def healthy(server):
    answer = wait_for(server, 200)
    tap.equal((answer.status, answer.text), (200, HEALTHY), "healthy")
    tap.equal(answer.headers["content-type"], "application/json", "type")
    tap.equal(answer.headers["cache-control"], "no-store", "not kept")


def sick(server, why):
    answer = wait_for(server, 503)
    tap.equal((answer.status, answer.text), (503, SICK), why)


def test_health_follows_a_file_that_goes_and_comes_back():
    with Server(PROGRAM, items=[item("1", "Invoice export")]) as server:
        healthy(server)
        os.rename(server.library, server.library + ".away")
        sick(server, "moved away")
        tap.check(not os.path.exists(server.library), "it is not made anew")
        os.rename(server.library + ".away", server.library)
        healthy(server)
        tap.equal(server.log().count("cannot be read"), 1, "one line for it")
        tap.check("the library can be read again" in server.log(), "and back")


def test_health_sees_a_damaged_file():
    with Server(PROGRAM, items=[item("1", "Invoice export")]) as server:
        healthy(server)
        with open(server.library, "rb") as file:
            whole = file.read()
        other = server.library + ".damaged"
        with open(other, "wb") as file:
            file.write(b"\x00" * 4096 + whole[4096:])
        os.rename(other, server.library)
        sick(server, "its head is gone")
        with open(other, "wb") as file:
            file.write(whole)
        os.rename(other, server.library)
        healthy(server)


class Service(Server):
    """A server that runs as a user who may be refused a file."""

    def start(self):
        user = pwd.getpwnam("nobody")
        for folder, _, names in os.walk(self.folder):
            for name in [folder] + [os.path.join(folder, n) for n in names]:
                os.chown(name, user.pw_uid, user.pw_gid)
        self.command = ["setpriv", "--reuid", "nobody", "--regid",
                        str(user.pw_gid), "--clear-groups"] + self.command
        return super().start()


def can_be_another_user():
    if os.getuid() != 0:
        return True
    done = subprocess.run(["setpriv", "--reuid", "nobody", "--clear-groups",
                           PROGRAM, "--version"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    return done.returncode == 0


def test_health_follows_the_rights_of_the_file():
    kind = Service if os.getuid() == 0 else Server
    with kind(PROGRAM, items=[item("1", "Invoice export")]) as server:
        healthy(server)
        os.chmod(server.library, 0)
        sick(server, "no rights")
        os.chmod(server.library, 0o600)
        healthy(server)


# --- a terminal ---

STEERING = "del \x7f c1 \x9b31m bidi \u202etxt\u202c line\u2028ends"


def on_terminal(*arguments):
    """What a command writes to a terminal."""
    ours, theirs = os.openpty()
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                               stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    data = b""
    try:
        while True:
            piece = os.read(ours, 65536)
            if not piece:
                break
            data += piece
    except OSError:  # the other end is closed: Linux says it so
        pass
    os.close(ours)
    tap.equal(process.wait(60), 0, "exit status")
    return data.decode("utf-8").replace("\r\n", "\n")


def test_json_on_a_terminal_steers_nothing_and_is_the_same_value():
    server = Server(PROGRAM, items=[item("1", "Export", summary=STEERING + " é")])
    ask = ["show", "--library", server.library, "1", "--json"]
    piped = run(*ask).stdout.decode("utf-8")
    shown = on_terminal(*ask)
    server.close()
    tap.equal(json.loads(shown), json.loads(piped), "value")
    tap.equal(json.loads(piped)["item"]["summary"], STEERING + " é", "summary")
    tap.check(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e"
                            "\u2066-\u2069\u2028\u2029]", shown), repr(shown))
    tap.check("\\u007f" in shown and "\\u202e" in shown, "escaped")
    tap.check("é" in shown, "other characters are left alone")
    tap.check("\x7f" in piped, "a pipe gets the bytes as they are")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        if name == "test_health_follows_the_rights_of_the_file" and \
                not can_be_another_user():
            tap.skip(name[5:], "the program cannot be run as another user")
        else:
            tap.run(test)
tap.done()
