#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server with TLS: what works without it works with it, with certificates
of each kind, exchanged while it runs.

usage: tls.py JEZERO_SERVER
"""

import gzip
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import certificates  # noqa: E402
from jzserver import bearer, client, item, request  # noqa: E402
from tap import Tap  # noqa: E402
from tlsserver import TlsServer, Records, make_folder, trusting  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
KEY = "desk-key-1f77c0"
CLIENTS = client("desk", KEY, upload=True)
# Quotes become two bytes in the answer, and four in its text.
LONG = "".join("[2026-10-09 21:05] user: %s\n" % ('"' * 150) for _ in range(1100))
ITEMS = [item("1", "Invoice export", original=LONG)]
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
tap = Tap()


def call(method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                       "params": params}).encode()


def check_works(server, what):
    answer = server.ask("GET", "/healthz")
    tap.equal(answer.status, 200, what + ": health")
    answer = server.ask("POST", "/mcp", PING)
    tap.equal(answer.json().get("result"), {}, what + ": ping")


def test_rsa_and_ecdsa_keys_work():
    for pair in (RSA, EC):
        with TlsServer(PROGRAM, pair) as server:
            check_works(server, pair.name)
            with server.connect() as peer:
                tap.check("GCM" in peer.sock.cipher()[0], peer.sock.cipher())


def test_a_chain_is_sent_whole():
    pair = MAKER.make("leaf", signer=MIDDLE)
    whole = certificates.Pair("whole", MAKER.path("whole.pem"), pair.key)
    certificates.join(whole.cert, pair.cert, MIDDLE.cert)
    with TlsServer(PROGRAM, whole, root=ROOT.cert) as server:
        check_works(server, "a client that trusts the root alone")


def test_versions_before_1_2_are_refused():
    old, new = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with TlsServer(PROGRAM, RSA) as server:
        context = trusting(RSA.cert, old, new, "DEFAULT:@SECLEVEL=0")
        try:
            server.connect(context=context)
            tap.check(False, "TLS 1.1 was taken")
        except (ssl.SSLError, ConnectionResetError):
            pass
        versions = set()
        for version in (ssl.TLSVersion.TLSv1_2, None):
            context = trusting(RSA.cert, version, version)
            with server.connect(context=context) as peer:
                versions.add(peer.sock.version())
        tap.check(versions <= {"TLSv1.2", "TLSv1.3"} and "TLSv1.2" in versions,
                  versions)
        print("# versions:", ", ".join(sorted(versions)), flush=True)


def test_weak_ciphers_are_refused():
    with TlsServer(PROGRAM, RSA) as server:
        for cipher in ("ECDHE-RSA-AES128-SHA", "AES128-GCM-SHA256",
                       "ECDHE-RSA-AES256-SHA384"):
            context = trusting(RSA.cert, most=ssl.TLSVersion.TLSv1_2,
                               ciphers=cipher + ":@SECLEVEL=0")
            try:
                server.connect(context=context)
                tap.check(False, cipher + " was taken")
            except (ssl.SSLError, ConnectionResetError):
                pass


def test_http_1_1_is_agreed_on():
    context = trusting(EC.cert)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with TlsServer(PROGRAM, EC) as server:
        with server.connect(context=context) as peer:
            tap.equal(peer.sock.selected_alpn_protocol(), "http/1.1", "ALPN")


def test_large_answers_arrive_whole():
    ask = call("tools/call", name="get_item",
               arguments={"item_id": 1, "include_original": True})
    with TlsServer(PROGRAM, EC, items=ITEMS) as server, server.connect() as peer:
        for _ in range(3):
            peer.send(request("POST", "/mcp", ask))
            answer = peer.answer("POST")
            got = answer.json()["result"]["structuredContent"]["item"]
            tap.check(got["original"] == LONG, "the original")
            tap.check(len(answer.body) > 1000000, len(answer.body))


def test_requests_sent_ahead_are_answered_in_order():
    with TlsServer(PROGRAM, EC) as server, server.connect() as peer:
        peer.send(b"".join(
            request("POST", "/mcp", b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'
                    % i) for i in range(50)))
        got = [peer.answer("POST").json()["id"] for _ in range(50)]
        tap.equal(got, list(range(50)), "order")


def test_100_continue_comes_before_the_body():
    with TlsServer(PROGRAM, EC) as server, server.connect() as peer:
        head, body = request("POST", "/mcp", PING,
                             {"Expect": "100-continue"}).split(b"\r\n\r\n")
        peer.send(head + b"\r\n\r\n")
        tap.equal(peer.sock.recv(25),
                  b"HTTP/1.1 100 Continue\r\n\r\n", "go on")
        peer.send(body)
        tap.equal(peer.answer("POST").status, 200, "the answer")


def test_a_connection_ends_in_order():
    with TlsServer(PROGRAM, EC) as server:
        with server.connect() as peer:
            peer.send(request("GET", "/healthz", headers={"Connection": "close"}))
            tap.equal(peer.answer().status, 200, "status")
            # Without close_notify this is an SSLEOFError.
            tap.equal(peer.sock.recv(1), b"", "the end")
        with Records(server) as half:
            half.shake_hands()
            half.tls.write(request("POST", "/mcp", PING))
            try:
                half.tls.unwrap()
            except ssl.SSLWantReadError:
                half.flush()
            text = half.read_to_end()
            tap.check(text.endswith(b'"result":{}}'), text)


def test_keys_hosts_and_links():
    with TlsServer(PROGRAM, EC, tables=CLIENTS, items=ITEMS) as server:
        answer = server.ask("POST", "/mcp", PING)
        link = ('https://127.0.0.1:%d/.well-known/oauth-protected-resource/mcp'
                % server.port)
        tap.equal(answer.status, 401, "without a key")
        tap.check('resource_metadata="%s"' % link in
                  answer.headers["www-authenticate"],
                  answer.headers["www-authenticate"])
        answer = server.ask("POST", "/mcp", PING, bearer(KEY))
        tap.equal(answer.status, 200, "with a key")
        answer = server.ask("POST", "/mcp", PING, bearer(KEY),
                            host="evil.example")
        tap.equal(answer.status, 421, "another host")
        answer = server.ask("GET", "/.well-known/oauth-protected-resource/mcp")
        tap.equal(answer.json()["resource"], server.url, "the resource")
        answer = server.ask("GET", "/inbox/v1", headers=bearer(KEY))
        tap.equal(answer.json()["device"], "desk", "the inbox")


def test_uploads_arrive_whole():
    path = "/inbox/v1/claude-code/-home-dana-billing/0f4e2a58-%04d.jsonl"
    with TlsServer(PROGRAM, EC, tables=CLIENTS) as server:
        for number in range(12):
            body = (b'{"line":"%048d"}\n' % number) * (20000 + 1111 * number)
            sent, more = body, {}
            if number % 3 == 2:
                sent, more = gzip.compress(body, 1), {"Content-Encoding": "gzip"}
            answer = server.ask("PUT", path % number, sent,
                                dict(bearer(KEY), **more))
            tap.equal((answer.status, answer.body), (200, b'{"ok":true}'),
                      "upload %d" % number)
            for folder, _, names in os.walk(server.folder):
                for name in names:
                    if name == os.path.basename(path % number):
                        with open(os.path.join(folder, name), "rb") as file:
                            tap.check(file.read() == body, name)


def test_64_connections_at_once():
    wrong = []

    def talk(number):
        try:
            with server.connect(timeout=60) as peer:
                ready.wait(60)
                for _ in range(5):
                    peer.send(request("POST", "/mcp", PING))
                    if peer.answer("POST").status != 200:
                        wrong.append(number)
        except Exception as error:
            wrong.append(repr(error))

    ready = threading.Barrier(64)
    with TlsServer(PROGRAM, EC) as server:
        threads = [threading.Thread(target=talk, args=(i,)) for i in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    tap.equal(wrong, [], "failures")


def der(pair):
    with open(pair.cert, encoding="ascii") as file:
        return ssl.PEM_cert_to_DER_cert(file.read())


def test_a_new_certificate_is_taken_at_sighup():
    wrong, stop = [], threading.Event()

    def talk():
        while not stop.is_set():
            try:
                if server.ask("POST", "/mcp", PING).status != 200:
                    wrong.append("status")
            except Exception as error:
                wrong.append(repr(error))

    with TlsServer(PROGRAM, EC, root=BOTH) as server, server.connect() as peer:
        threads = [threading.Thread(target=talk) for _ in range(3)]
        for thread in threads:
            thread.start()
        for round_, pair in enumerate((RSA, EC, RSA)):
            server.install(pair)
            before = server.log().count("read again")
            server.signal(signal.SIGHUP)
            waiter = threading.Event()
            for _ in range(1000):
                if server.log().count("read again") > before:
                    break
                waiter.wait(0.01)
            tap.equal(server.certificate() == der(pair), True,
                      "certificate %d is used" % round_)
            # The connection from before goes on with what it has.
            peer.send(request("POST", "/mcp", PING))
            tap.equal(peer.answer("POST").status, 200, "the old connection")
        stop.set()
        for thread in threads:
            thread.join()
    tap.equal(wrong, [], "failures meanwhile")


def test_a_bad_new_pair_changes_nothing():
    with TlsServer(PROGRAM, EC) as server:
        shutil.copy(RSA.cert, server.cert)
        server.signal(signal.SIGHUP)
        tap.check(server.wait_for_log("the new certificate is not used, the one "
                                      "before stays"), server.log())
        tap.check("does not belong to the certificate" in server.log(),
                  server.log())
        tap.check(server.certificate() == der(EC), "the certificate")
        check_works(server, "the old pair")


def test_curl_and_openssl_talk_to_it():
    with TlsServer(PROGRAM, RSA) as server:
        place = "127.0.0.1:%d" % server.port
        if shutil.which("curl"):
            got = subprocess.run(
                ["curl", "-sS", "--cacert", RSA.cert, "https://%s/healthz" % place],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            tap.check(b'"ok":true' in got.stdout, got.stdout)
        got = subprocess.run(
            ["openssl", "s_client", "-connect", place, "-CAfile", RSA.cert,
             "-alpn", "http/1.1", "-ign_eof", "-tls1_2"],
            input=b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                  b"Connection: close\r\n\r\n",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        for part in (b"Verify return code: 0 (ok)", b'"ok":true',
                     b"ALPN protocol: http/1.1"):
            tap.check(part in got.stdout, (part, got.stdout))


if not certificates.is_there():
    tap.skip("tls", "there is no openssl program")
    tap.done()
FOLDER, MAKER = make_folder()
try:
    RSA, EC = MAKER.make("rsa", kind="rsa"), MAKER.make("ec")
    ROOT = MAKER.make("root", is_ca=True)
    MIDDLE = MAKER.make("middle", signer=ROOT, is_ca=True)
    BOTH = certificates.join(MAKER.path("both.pem"), RSA.cert, EC.cert)
    for name in [name for name in list(globals()) if name.startswith("test_")]:
        tap.run(globals()[name])
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
tap.done()
