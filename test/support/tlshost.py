# SPDX-License-Identifier: Apache-2.0
"""A host that answers over TLS as Python's library does it, with a certificate,
versions and ciphers as a test wants them.

    with TlsHost(pair, chain=[middle]) as host:
        host.url("localhost")
        host.refusals            what clients said of the handshake
"""

import socket
import ssl
import threading

BODY = b'{"ok":true,"device":"laptop","version":"0"}'
ANSWER = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
          b"Content-Length: %d\r\nConnection: close\r\n\r\n%s"
          % (len(BODY), BODY))


class TlsHost:
    def __init__(self, pair, chain=(), address="127.0.0.1", least=None,
                 most=None, ciphers=None, client_ca=None):
        """client_ca: certificates of clients are asked for."""
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if ciphers is not None:
            self.context.set_ciphers(ciphers)
        if least is not None:
            self.context.minimum_version = least
        if most is not None:
            self.context.maximum_version = most
        if client_ca is not None:
            self.context.load_verify_locations(client_ca)
            self.context.verify_mode = ssl.CERT_REQUIRED
        whole = pair.cert + ".chain"
        with open(whole, "wb") as out:
            for one in (pair, *chain):
                with open(one.cert, "rb") as file:
                    out.write(file.read())
        self.context.load_cert_chain(whole, pair.key)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.listener = socket.create_server((address, 0), family=family)
        self.port = self.listener.getsockname()[1]
        self.requests = []
        self.refusals = []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(15)

    def url(self, host):
        return "https://%s:%d" % ("[%s]" % host if ":" in host else host,
                                  self.port)

    def run(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.settimeout(15)
            self.serve(sock)
            sock.close()

    def serve(self, sock):
        try:
            with self.context.wrap_socket(sock, server_side=True) as peer:
                head = b""
                while b"\r\n\r\n" not in head:
                    data = peer.recv(65536)
                    if not data:
                        return
                    head += data
                self.requests.append(head)
                peer.sendall(ANSWER)
        except ssl.SSLError as error:
            self.refusals.append(error.reason or str(error))
        except OSError as error:
            self.refusals.append(str(error))
