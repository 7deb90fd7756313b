# SPDX-License-Identifier: Apache-2.0
"""Both ends of a bridge: an agent that speaks over its stdin and stdout, and a
server that answers as a test wants.

    with Scripted(lambda seen: json_answer(seen, {})) as server:
        with Agent(Client(program, url=server.url)) as agent:
            agent.ask("ping")
"""

import http.server
import json
import subprocess
import threading
import time

WAIT_SECONDS = 60
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def encode(message):
    return json.dumps(message, ensure_ascii=False).encode("utf-8")


def request(number, method, params=None):
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    if params is not None:
        message["params"] = params
    return message


def initialize(number=1, version="2025-06-18"):
    return request(number, "initialize", {
        "protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}})


def note(method, params=None):
    message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def call(number, tool, modern=False, **arguments):
    params = {"name": tool, "arguments": arguments}
    if modern:
        params["_meta"] = META
    return request(number, "tools/call", params)


class Agent:
    """A bridge that runs, with a thread that takes its lines."""

    def __init__(self, client, *options, env=None, **more):
        self.process = client.start("mcp", *options, env=env, **more)
        self.lines = []
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line)
                self.changed.notify_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        for stream in (self.process.stdin, self.process.stdout,
                       self.process.stderr):
            stream.close()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages):
        self.write(b"".join(encode(one) + b"\n" for one in messages))

    def answers(self):
        with self.changed:
            return [json.loads(line) for line in self.lines]

    def wait_for(self, count, seconds=WAIT_SECONDS):
        """The answers, once there are so many."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.lines) >= count, seconds)
        return self.answers()

    def ask(self, message, seconds=WAIT_SECONDS):
        """The answer to a request; None if none comes."""
        self.send(message)

        def found():
            return [one for one in map(json.loads, self.lines)
                    if one.get("id") == message["id"] and "method" not in one]

        with self.changed:
            self.changed.wait_for(found, seconds)
            return (found() or [None])[-1]

    def end(self, seconds=WAIT_SECONDS):
        """Close stdin: (exit status, what came on stderr)."""
        self.process.stdin.close()
        status = self.process.wait(seconds)
        self.reader.join(seconds)
        return status, self.process.stderr.read().decode()


def talk(client, data, *options, env=None, timeout=WAIT_SECONDS):
    """All lines to these bytes, decoded; asserts that each is JSON-RPC."""
    process = client.start("mcp", *options, env=env)
    out, err = process.communicate(data, timeout=timeout)
    if out and not out.endswith(b"\n"):
        raise AssertionError("the last line has no end")
    lines = [json.loads(line.decode("utf-8"))
             for line in out.split(b"\n")[:-1]]
    for line in lines:
        if not isinstance(line, dict) or line.get("jsonrpc") != "2.0":
            raise AssertionError("no JSON-RPC: %r" % line)
    return lines, process.returncode, err.decode()


class Seen:
    """A request that the scripted server got."""

    def __init__(self, handler, body):
        self.method = handler.command
        self.path = handler.path
        self.headers = {name.lower(): value
                        for name, value in handler.headers.items()}
        self.body = body
        try:
            self.message = json.loads(body)
        except ValueError:
            self.message = None
        self.handler = handler

    @property
    def rpc(self):
        return (self.message or {}).get("method")

    @property
    def id(self):
        return (self.message or {}).get("id")


class Scripted:
    """A server; answer(seen) returns (status, headers, body), or None when it
    has written to seen.handler.wfile itself."""

    def __init__(self, answer, port=0):
        self.seen = []
        self.answer = answer
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer_one(self):
                length = int(self.headers.get("Content-Length") or 0)
                seen = Seen(self, self.rfile.read(length))
                with outer.lock:
                    outer.seen.append(seen)
                result = outer.answer(seen)
                if result is None:
                    self.close_connection = True
                    return
                status, headers, body = result
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_DELETE = do_GET = answer_one

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={"poll_interval": 0.02},
                                       daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def methods(self):
        with self.lock:
            return [seen.rpc for seen in self.seen]

    def wait_for(self, count, seconds=WAIT_SECONDS):
        """Until so many requests have come."""
        end = time.monotonic() + seconds
        while len(self.seen) < count and time.monotonic() < end:
            time.sleep(0.005)
        return self.seen


JSON = {"Content-Type": "application/json"}
EVENTS = {"Content-Type": "text/event-stream"}


def result(seen, value=None, headers=None):
    """An ordinary answer."""
    if seen.id is None:
        return 202, {}, b""
    return 200, dict(JSON, **(headers or {})), encode(
        {"jsonrpc": "2.0", "id": seen.id, "result": value or {}})


def agreed(seen, headers=None):
    """The answer to an initialize."""
    return result(seen, {"protocolVersion":
                         seen.message["params"]["protocolVersion"],
                         "capabilities": {},
                         "serverInfo": {"name": "s", "version": "1"}}, headers)


def subprocess_output(args, **more):
    """(exit status, output) of a program."""
    done = subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)
    return done.returncode, done.stdout.decode("utf-8", "replace")
