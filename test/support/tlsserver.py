# SPDX-License-Identifier: Apache-2.0
"""A server that speaks TLS, and clients that look at what is below HTTP."""

import os
import shutil
import socket
import ssl
import tempfile

from certificates import Maker
from jzserver import Peer, Server


def trusting(cert, least=None, most=None, ciphers=None):
    """A context of a client that trusts this certificate."""
    context = ssl.create_default_context(cafile=cert)
    if least is not None:
        context.minimum_version = least
    if most is not None:
        context.maximum_version = most
    if ciphers is not None:
        context.set_ciphers(ciphers)
    return context


class TlsServer(Server):
    """A server with the certificate `pair`; `root` is what clients trust, by
    default the certificate itself. The files it reads are copies, so that a
    test may exchange them: install()."""

    def __init__(self, program, pair, root=None, config="", **more):
        folder = tempfile.mkdtemp(prefix="jezero-test-")
        self.cert = os.path.join(folder, "cert.pem")
        self.key = os.path.join(folder, "key.pem")
        self.install(pair)
        self.context = trusting(root or pair.cert)
        super().__init__(program, folder=folder, config=config +
                         'tls_cert = "cert.pem"\ntls_key = "key.pem"\n', **more)
        self.owns_folder = True

    def install(self, pair):
        shutil.copy(pair.cert, self.cert)
        shutil.copy(pair.key, self.key)
        os.chmod(self.key, 0o600)

    @property
    def url(self):
        return "https://127.0.0.1:%d/mcp" % self.port

    def connect_plain(self, timeout=15):
        return Peer(socket.create_connection(("127.0.0.1", self.port), timeout))

    def connect(self, timeout=15, context=None):
        sock = socket.create_connection(("127.0.0.1", self.port), timeout)
        try:
            return Peer((context or self.context).wrap_socket(
                sock, server_hostname="localhost",
                suppress_ragged_eofs=False))
        except Exception:
            sock.close()
            raise

    def certificate(self):
        """What a new connection is shown, as DER."""
        with self.connect(context=blind()) as peer:
            return peer.sock.getpeercert(binary_form=True)


def blind():
    """A context that takes any certificate: to look at it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Records:
    """The records of a client, on their way to and from a socket."""

    def __init__(self, server):
        self.sock = socket.create_connection(("127.0.0.1", server.port), 15)
        self.into = ssl.MemoryBIO()
        self.out = ssl.MemoryBIO()
        self.tls = server.context.wrap_bio(self.into, self.out,
                                           server_hostname="localhost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def flush(self):
        self.sock.sendall(self.out.read())

    def until(self, call, *arguments):
        """Call it until it no longer waits for the other side."""
        while True:
            try:
                result = call(*arguments)
                self.flush()
                return result
            except ssl.SSLWantReadError:
                self.flush()
                data = self.sock.recv(65536)
                if not data:
                    raise ConnectionResetError("an end without order")
                self.into.write(data)

    def shake_hands(self):
        self.until(self.tls.do_handshake)

    def read_to_end(self):
        """All plain text up to the server's end in order."""
        text = b""
        while True:
            try:
                piece = self.until(self.tls.read, 65536)
            except ssl.SSLZeroReturnError:
                piece = b""
            if not piece:
                return text
            text += piece


def make_folder():
    """A folder for certificates: (path, Maker)."""
    folder = tempfile.mkdtemp(prefix="jezero-test-")
    return folder, Maker(folder)
