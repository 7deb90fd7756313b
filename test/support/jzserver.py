# SPDX-License-Identifier: Apache-2.0
"""Starts a built server on a library of its own, and speaks raw HTTP to it.

    with Server(program, items=[item("1", "Title")]) as server:
        answer = server.ask("GET", "/healthz")
        answer.status, answer.headers, answer.body

The port is whatever was free; it is read from what the server writes. The
process is ended by its id. Everything lives in one temporary folder.
"""

import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_SECONDS = 30
CONFIG = """\
[server]
port = 0
require_auth = {auth}
{server}
[library]
path = "jezero.db"
{tables}
"""


def item(external_id, title, **more):
    """An item as `import` takes it."""
    made = {
        "source": "agent-codex-desk",
        "external_id": external_id,
        "occurred_at": "2026-10-09T21:23:12+00:00",
        "title": title,
        "summary": title,
        "trust": "own",
    }
    made.update(more)
    return made


def client(name, key, **more):
    """A [[clients]] table with the digest of a key."""
    fields = {"name": name}
    if key is not None:
        fields["token_sha256"] = digest(key)
    fields.update(more)
    lines = ["%s = %s" % (field, json.dumps(value))
             for field, value in fields.items() if value is not None]
    return "\n[[clients]]\n" + "\n".join(lines) + "\n"


def digest(key):
    return hashlib.sha256(key.encode("utf-8")).hexdigest()


def bearer(key):
    return {"Authorization": "Bearer " + key}


class Server:
    """A server on a temporary folder.

    command: the arguments behind the program; {folder} and {config} stand for
    the folder and a configuration file in it. config: further lines of its
    [server] table. items: what the library holds at the start. tables: text
    behind the other tables; auth: require_auth, by default whether there are
    [[clients]] in it.
    """

    def __init__(self, program, command=None, config="", items=(), folder=None,
                 env=None, tables="", auth=None):
        self.program = os.path.abspath(program)
        self.folder = folder or tempfile.mkdtemp(prefix="jezero-test-")
        self.owns_folder = folder is None
        auth = "[[clients]]" in tables if auth is None else auth
        self.library = os.path.join(self.folder, "jezero.db")
        self.config = os.path.join(self.folder, "jezero.toml")
        self.output = os.path.join(self.folder, "output")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(server=config, tables=tables,
                                     auth=json.dumps(auth)))
        if items:
            self.put(items)
        names = {"folder": self.folder, "config": self.config}
        command = command or ["serve", "--config", "{config}"]
        self.command = [self.program] + [part.format(**names) for part in command]
        self.env = dict(os.environ, **(env or {}))
        self.process = None
        self.addresses = []

    def put(self, items):
        """Import items with the program itself."""
        path = os.path.join(self.folder, "items.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for one in items:
                file.write(json.dumps(one) + "\n")
        subprocess.run([self.program, "import", "--library", self.library,
                        path], check=True, stdout=subprocess.DEVNULL,
                       timeout=60)

    def start(self):
        """Start it, or start it again: until it listens."""
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=output,
                                            cwd=self.folder, env=self.env)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            self.addresses = re.findall(r"listening on (\S+:\d+)", self.log())
            if self.addresses:
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        log = self.log()
        self.close()
        raise RuntimeError("the server did not start:\n" + log)

    def log(self):
        with open(self.output, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for_log(self, text, seconds=10):
        """Until the server has written text: whether it did."""
        end = time.monotonic() + seconds
        while text not in self.log():
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    @property
    def port(self):
        return int(self.addresses[0].rsplit(":", 1)[1])

    @property
    def url(self):
        return "http://127.0.0.1:%d/mcp" % self.port

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self, seconds=20):
        """The exit status."""
        return self.process.wait(seconds)

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.owns_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    # --- HTTP ---

    def connect(self, timeout=15):
        return Peer(socket.create_connection(("127.0.0.1", self.port), timeout))

    def ask(self, method, path, body=None, headers=None, host=None):
        """One request on a connection of its own."""
        with self.connect() as peer:
            peer.send(request(method, path, body, headers,
                              host or "127.0.0.1:%d" % self.port))
            return peer.answer(method)

    def call(self, method, params=None, request_id=1):
        """One MCP request of the older kind: its decoded answer."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params is not None:
            message["params"] = params
        answer = self.ask("POST", "/mcp", json.dumps(message).encode())
        return json.loads(answer.body)


def request(method, path, body=None, headers=None, host="localhost"):
    """The bytes of a request; a body makes it one for MCP. headers: (name,
    value) pairs, added; a name given there is not sent by default."""
    pairs = list(headers.items() if isinstance(headers, dict) else headers or ())
    names = {name.lower() for name, _ in pairs}
    defaults = [("Host", host)]
    if body is not None:
        defaults += [("Content-Type", "application/json"),
                     ("Accept", "application/json, text/event-stream"),
                     ("Content-Length", str(len(body)))]
    lines = ["%s %s HTTP/1.1" % (method, path)]
    lines += ["%s: %s" % pair for pair in defaults
              if pair[0].lower() not in names and
              not (pair[0] == "Content-Length" and "transfer-encoding" in names)]
    lines += ["%s: %s" % pair for pair in pairs if pair[1] is not None]
    head = "\r\n".join(lines) + "\r\n\r\n"
    return head.encode("utf-8") + (body or b"")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value
                        for name, value in response.getheaders()}
        self.body = response.read()
        self.text = self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)


class Peer:
    """One connection, byte by byte."""

    def __init__(self, sock):
        self.sock = sock

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data)

    def half_close(self):
        self.sock.shutdown(socket.SHUT_WR)

    def answer(self, method="GET"):
        """The next answer; its length is read exactly, so that the answers of
        pipelined requests can be taken one after the other."""
        response = http.client.HTTPResponse(_Unbuffered(self.sock), method=method)
        response.begin()
        return Answer(response)

    def is_closed(self, seconds=10):
        """Does the server close the connection without a further byte?"""
        self.sock.settimeout(seconds)
        try:
            return self.sock.recv(1) == b""
        except ConnectionResetError:
            return True
        except socket.timeout:
            return False

    def rest(self):
        """All bytes until the server closes."""
        data = b""
        while True:
            try:
                piece = self.sock.recv(65536)
            except ConnectionResetError:
                return data
            if not piece:
                return data
            data += piece


class _Unbuffered:
    """What HTTPResponse wants of a socket, without reading ahead."""

    def __init__(self, sock):
        self.sock = sock

    def makefile(self, *_args, **_kwargs):
        return _Reader(self.sock)


class _Reader:
    def __init__(self, sock):
        self.sock = sock

    def readline(self, limit=-1):
        line = b""
        while not line.endswith(b"\n") and (limit < 0 or len(line) < limit):
            piece = self.sock.recv(1)
            if not piece:
                break
            line += piece
        return line

    def read(self, count=-1):
        data = b""
        while count < 0 or len(data) < count:
            piece = self.sock.recv(65536 if count < 0 else count - len(data))
            if not piece:
                break
            data += piece
        return data

    def readinto(self, buffer):
        data = self.read(len(buffer))
        buffer[:len(data)] = data
        return len(data)

    def flush(self):
        pass

    def close(self):
        pass
