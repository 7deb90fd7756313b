# SPDX-License-Identifier: Apache-2.0
"""A server whose answers to uploads a test writes down.

    with InboxPeer() as peer:
        peer.answers = {"claude-code/-x/3.jsonl": (413, {}, b"too large")}
        …
        peer.uploads      # [Upload(path, headers, body)], unpacked, in order

An answer is (status, headers, body), a function of the upload that returns one,
or None: the connection is cut. What is not named is taken: {"ok":true}.
"""

import gzip
import http.server
import threading

PREFIX = "/inbox/v1/"
OK = (200, {"Content-Type": "application/json"}, b'{"ok":true}')


class Upload:
    def __init__(self, path, headers, packed, connection):
        self.path = path
        self.headers = headers
        self.body = gzip.decompress(packed)
        self.connection = connection


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        peer = self.server.peer
        try:
            upload = Upload(self.path[len(PREFIX):], self.headers, self.read_body(),
                            self.client_address)
        except (OSError, EOFError, ValueError):  # the client was killed
            self.close_connection = True
            return
        with peer.lock:
            peer.uploads.append(upload)
        answer = peer.answers.get(upload.path, peer.default)
        answer = answer(upload) if callable(answer) else answer
        if answer is None:
            self.close_connection = True
            return
        status, headers, body = answer
        head = "HTTP/1.1 %d -\r\nContent-Length: %d\r\n" % (status, len(body))
        head += "".join("%s: %s\r\n" % pair for pair in headers.items()) + "\r\n"
        try:
            # In one piece: of two the second would wait for the first one's receipt.
            self.wfile.write(head.encode() + body)
        except OSError:
            self.close_connection = True

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:
                raise EOFError
            return body
        body = b""
        while True:
            size = int(self.rfile.readline(), 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return body

    def do_GET(self):
        self.server.peer.visits.append(self.path)
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that was killed in the middle is no fault here."""


class InboxPeer:
    def __init__(self):
        self.uploads = []
        self.visits = []
        self.answers = {}
        self.default = OK
        self.lock = threading.Lock()
        self.server = Listener(("127.0.0.1", 0), Handler)
        self.server.peer = self
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server.server_address[1]

    def paths(self):
        with self.lock:
            return [upload.path for upload in self.uploads]

    def forget(self):
        with self.lock:
            self.uploads.clear()
