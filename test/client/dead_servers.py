# SPDX-License-Identifier: Apache-2.0
"""Servers that are dead in every way there is: each hook ends in its time, with 0,
says nothing wrong, names the cause in the log, and the next prompt does not pay
again."""
import os
import re
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

from jzclient import Client  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = sys.argv[1]
LIMITS = {"session-start": 3.0, "user-prompt": 2.0, "stop": 1.0,
          "session-end": 1.0}
HTML = b"<!DOCTYPE html><html><title>Sign in</title></html>"
tap = Tap()


class Peer:
    """Listens, and does something with each connection."""

    def __init__(self, serve):
        self.serve = serve
        self.connections = 0
        self.kept = []
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(16)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.kept.append(connection)
            threading.Thread(target=self.try_serve, args=(connection,),
                             daemon=True).start()

    def try_serve(self, connection):
        try:
            self.serve(connection)
        except OSError:
            pass

    def close(self):
        self.listener.close()
        for connection in self.kept:
            connection.close()


class Full:
    """A queue of connections that is full: the kernel drops what comes."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.connections = 0
        self.kept = []
        for _ in range(4):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", self.port))
            self.kept.append(one)

    def close(self):
        self.listener.close()
        for one in self.kept:
            one.close()


class Nowhere:
    """A port that nobody listens on."""

    def __init__(self):
        taken = socket.socket()
        taken.bind(("127.0.0.1", 0))
        self.port = taken.getsockname()[1]
        self.taken = taken
        self.connections = 0

    def close(self):
        self.taken.close()


def drain(connection):
    while connection.recv(65536):
        pass


def drip(connection):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                       b"Content-Length: 1000\r\n\r\n")
    for _ in range(60):
        connection.sendall(b" ")
        time.sleep(1)


def drip_head(connection):
    connection.recv(65536)
    for byte in b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def hang_up(connection):
    connection.close()


def hang_up_inside(connection):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    connection.shutdown(socket.SHUT_RDWR)


def answer(status, body, kind="text/html"):
    def serve(connection):
        while connection.recv(65536):
            connection.sendall(
                ("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
                 % (status, kind, len(body))).encode() + body)
    return serve


def babble(connection):
    connection.recv(65536)
    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
    drain(connection)


# name: (what listens, scheme, what the log names, whether it is left alone)
KINDS = {
    "closed port": (Nowhere, "http", "refused", True),
    "dropped packets": (Full, "http", "within", True),
    "accepted and silent": (lambda: Peer(drain), "http", "within", True),
    "silent in the handshake": (lambda: Peer(drain), "https",
                                "within|certificates", True),
    "no TLS at all": (lambda: Peer(babble), "https", "TLS|certificates", True),
    "one byte a second": (lambda: Peer(drip), "http", "within", True),
    "one byte of the head at a time": (lambda: Peer(drip_head), "http",
                                       "within", True),
    "hangs up": (lambda: Peer(hang_up), "http", "closed|reset", True),
    "hangs up inside": (lambda: Peer(hang_up_inside), "http", "closed", True),
    "no HTTP": (lambda: Peer(babble), "http", "127.0.0.1|HTTP", True),
    "error 500": (lambda: Peer(answer("500 Oops", b"broken")), "http",
                  "HTTP 500 broken", False),
    "HTML": (lambda: Peer(answer("200 OK", HTML)), "http", "HTTP 200 <!DOC",
             False),
    "no JSON": (lambda: Peer(answer("200 OK", b"{half", "application/json")),
                "http", "HTTP 200", False),
    "JSON of another kind": (lambda: Peer(answer("200 OK", b'{"a":[1]}',
                                                 "application/json")),
                             "http", "HTTP 200", False),
    "login page elsewhere": (lambda: Peer(answer(
        "302 Found\r\nLocation: http://127.0.0.1:9/login", HTML)), "http",
        "HTTP 302", False),
}


def project(client):
    folder = os.path.join(client.folder, "src", "billing")
    os.makedirs(os.path.join(folder, ".git"), exist_ok=True)
    with open(os.path.join(folder, ".git", "config"), "w",
              encoding="utf-8") as file:
        file.write('[remote "origin"]\n\turl = https://git.example/billing.git\n')
    return folder


def transcript(client):
    """A session that the queue takes: (id, path)."""
    session = "4b1c2d9e-0000-4000-8000-00000000000a"
    folder = os.path.join(client.folder, ".claude", "projects", "-src-billing")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, session + ".jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"type":"user","sessionId":"%s","cwd":"/src/billing",'
                   '"message":{"role":"user","content":"hi"}}\n' % session)
    return session, path


def forget(client):
    for name in ("state.json", "client.log"):
        if os.path.exists(client.path(name)):
            os.remove(client.path(name))


class Bed:
    """A client whose server is dead."""

    def __init__(self, url, peer=None):
        self.peer = peer
        self.client = Client(PROGRAM, url=url, init=["--insecure"])
        self.session, self.path = transcript(self.client)
        self.folder = project(self.client)
        self.start_seconds = max(self.timed("stop", JEZERO_DISABLE="1")[0]
                                 for _ in range(5))

    def timed(self, event, agent="claude-code", **env):
        """Seconds, output."""
        data = {"session_id": self.session, "transcript_path": self.path,
                "cwd": self.folder, "prompt": "the invoice export is broken"}
        if agent == "antigravity":
            data = {"conversationId": "c-1", "workspacePaths": [self.folder]}
        begun = time.monotonic()
        run = self.client.hook(event, agent, data, env=env)
        seconds = time.monotonic() - begun
        tap.equal((run.returncode, run.stderr), (0, ""), event)
        return seconds, run.stdout

    def close(self):
        self.client.close()
        if self.peer is not None:
            self.peer.close()


def hook_lines(client):
    """The log's lines of hooks that asked; the upload writes its own."""
    return [line for line in client.log().splitlines()
            if "uploads" not in line and "flush" not in line]


def check_event(bed, event, cause, is_left_alone):
    """One hook that finds the server dead, and one that follows."""
    forget(bed.client)
    seconds, output = bed.timed(event)
    tap.check(seconds - bed.start_seconds < LIMITS[event], (event, seconds))
    tap.equal(output, bed.client.run("protocol").stdout
              if event == "session-start" else "", event)
    lines = hook_lines(bed.client)
    tap.equal(len(lines), 1, lines)
    tap.check(lines and re.search(cause, lines[0]), lines)
    asked = bed.peer.connections if bed.peer is not None else 0
    seconds, output = bed.timed("user-prompt")
    tap.equal(output, "", "the next prompt")
    tap.equal(hook_lines(bed.client), lines, "no further line")
    if is_left_alone:
        tap.check(seconds - bed.start_seconds < 0.5, ("next", seconds))
        tap.equal(bed.peer.connections if bed.peer is not None else 0, asked,
                  "not asked again")


def check_server(bed, cause, is_left_alone):
    try:
        check_event(bed, "session-start", cause, is_left_alone)
        check_event(bed, "user-prompt", cause, is_left_alone)
        for event in ("stop", "session-end"):
            forget(bed.client)
            seconds, output = bed.timed(event)
            tap.check(seconds - bed.start_seconds < LIMITS[event],
                      (event, seconds))
            tap.equal(output, "", event)
            tap.equal(len(bed.client.pending()), 1, "the queue keeps it")
        forget(bed.client)
        for event in LIMITS:
            seconds, output = bed.timed(event, "antigravity")
            tap.check(seconds - bed.start_seconds < LIMITS[event],
                      (event, seconds))
            tap.equal("injectSteps" in output, event == "session-start", output)
            tap.check(output.endswith("}\n"), output)
    finally:
        bed.close()


for kind, (make, scheme, named, is_alone) in KINDS.items():
    def one(make=make, scheme=scheme, named=named, is_alone=is_alone):
        peer = make()
        check_server(Bed("%s://127.0.0.1:%d" % (scheme, peer.port), peer), named,
                     is_alone)
    one.__name__ = kind.replace(" ", "_")
    tap.run(one)


def test_no_such_name():
    """However long the machine's resolver takes to say so."""
    check_server(Bed("http://jezero.invalid"), "jezero.invalid", True)


tap.run(test_no_such_name)
tap.done()
