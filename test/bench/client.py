# SPDX-License-Identifier: Apache-2.0
"""A client that costs little: it writes bytes made beforehand and reads one
answer. Python's own http.client takes longer than the server does."""
import json
import socket


def post(message, port, key=None):
    """The bytes of one MCP request."""
    body = json.dumps(message).encode()
    return (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Content-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n" +
            (f"Authorization: Bearer {key}\r\n" if key else "") +
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def call(name, arguments, number=1):
    """A tool call."""
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}}


def get(path, port):
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()


def length(data):
    """(status, bytes of the whole answer) once its head is complete, else
    None."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = bytes(data[:end]).decode("latin-1").split("\r\n")
    body = 0
    for line in head[1:]:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            body = int(value)
    return int(head[0].split()[1]), end + 4 + body


class Client:
    """One connection, kept open."""

    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port), 30)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request):
        """(status, body)."""
        self.sock.sendall(request)
        data = bytearray()
        known = None
        while known is None or len(data) < known[1]:
            piece = self.sock.recv(1 << 18)
            if not piece:
                raise ConnectionError("the server closed the connection")
            data += piece
            known = known or length(data)
        return known[0], bytes(data[data.find(b"\r\n\r\n") + 4:])

    def close(self):
        self.sock.close()
