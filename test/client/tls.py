#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The client over TLS: whom it trusts, and what it says when it does not.

usage: tls.py JEZERO_CLIENT JEZERO_SERVER
"""

import os
import shutil
import socket
import ssl
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import certificates  # noqa: E402
import jzserver  # noqa: E402
from jzclient import Client  # noqa: E402
from tap import Tap  # noqa: E402
from tlshost import TlsHost  # noqa: E402
from tlsserver import TlsServer, make_folder  # noqa: E402

CLIENT = sys.argv[1]
SERVER = sys.argv[2]
KEY = "an-invented-key-of-43-characters-0000000000"
tap = Tap()


def status(url, ca=None, env=None, home_ca=None):
    """`status` with a client of its own: (exit status, what it says of the
    server)."""
    env = dict(env or {})
    if ca is not None:
        env["JEZERO_CA_FILE"] = ca
    with Client(CLIENT, url=url, key=KEY, env=env) as client:
        if home_ca is not None:
            shutil.copy(home_ca, client.path("ca.pem"))
        done = client.run("status")
    line = [one for one in done.stdout.split("\n") if one.startswith("server ")]
    return done.returncode, line[0].split(": ", 1)[1] if line else done.stderr


def check_taken(what, url, ca=None, **more):
    code, said = status(url, ca, **more)
    tap.check(code == 0 and said.startswith('HTTP 200 {"ok":true'),
              "%s: %d, %s" % (what, code, said))


def check_refused(what, sentence, url, ca=None, **more):
    code, said = status(url, ca, **more)
    tap.check(code == 1 and said.startswith(sentence),
              "%s: %d, %s\n#   want %s" % (what, code, said, sentence))
    return said


class World:
    """The certificates of all tests; keys take their time."""

    def __init__(self):
        self.folder, self.maker = make_folder()
        make = self.maker.make
        self.root = make("Example Root", is_ca=True)
        self.stranger = make("Stranger", is_ca=True)
        self.middle = make("Example Issuer", signer=self.root, is_ca=True)
        self.leaf = make("desk.example", signer=self.middle)

    def leaf_with(self, **more):
        return self.maker.make("desk.example", signer=self.middle, **more)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def an_authority_of_ones_own_is_trusted():
    for kind in ("ec", "rsa"):
        leaf = WORLD.leaf_with(kind=kind)
        with TlsHost(leaf, [WORLD.middle]) as host:
            for name in ("localhost", "127.0.0.1", "LocalHost"):
                check_taken(kind + " " + name, host.url(name), WORLD.root.cert)
            tap.check(len(host.requests) == 3 and not host.refusals,
                      "all came in order: %s" % host.refusals)


def every_version_and_cipher_of_today_is_spoken():
    for most in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with TlsHost(WORLD.leaf, [WORLD.middle], most=most) as host:
            check_taken(most.name, host.url("localhost"), WORLD.root.cert)
    for cipher in ("ECDHE-ECDSA-AES128-GCM-SHA256",
                   "ECDHE-ECDSA-AES256-GCM-SHA384",
                   "ECDHE-ECDSA-CHACHA20-POLY1305"):
        with TlsHost(WORLD.leaf, [WORLD.middle], ciphers=cipher,
                     most=ssl.TLSVersion.TLSv1_2) as host:
            check_taken(cipher, host.url("localhost"), WORLD.root.cert)


def an_ipv6_address_is_compared():
    try:
        host = TlsHost(WORLD.leaf, [WORLD.middle], address="::1")
    except OSError:
        return
    with host:
        check_taken("::1", host.url("::1"), WORLD.root.cert)
    with TlsHost(WORLD.leaf_with(hosts="IP:2001:db8::1"), [WORLD.middle],
                 address="::1") as host:
        check_refused("::1", "the certificate of ::1 is not for ::1 but for "
                      "2001:db8::1", host.url("::1"), WORLD.root.cert)


def the_failing_part_of_a_certificate_is_named():
    leaf = WORLD.leaf_with
    alone = WORLD.maker.make("desk.example")
    cases = [
        (leaf(hosts="DNS:jezero.example,DNS:other.example"), "127.0.0.1",
         "the certificate of 127.0.0.1 is not for 127.0.0.1 but for "
         "jezero.example, other.example"),
        (leaf(hosts="DNS:jezero.example"), "localhost",
         "the certificate of localhost is not for localhost but for "
         "jezero.example"),
        (leaf(hosts="DNS:127.0.0.1"), "127.0.0.1",
         "the certificate of 127.0.0.1 has 127.0.0.1 as a name alone, not as "
         "an address (subjectAltName IP:127.0.0.1)"),
        (leaf(start=-20, end=-10), "localhost",
         "the certificate of localhost has expired (on 20"),
        (leaf(start=10), "localhost",
         "the certificate of localhost is not valid before 20"),
        (leaf(more="extendedKeyUsage = clientAuth"), "localhost",
         "the certificate of localhost is not one for servers"),
        (alone, "localhost",
         "the certificate of localhost is not trusted: it was signed by itself "
         "and is not in " + WORLD.root.cert),
        (WORLD.maker.make("desk.example", signer=WORLD.stranger), "localhost",
         "the certificate of localhost is not trusted: it was issued by "
         "'Stranger', which is not in " + WORLD.root.cert),
    ]
    for pair, name, sentence in cases:
        chain = [WORLD.middle] if pair.cert != alone.cert else []
        with TlsHost(pair, chain) as host:
            check_refused(name, sentence, host.url(name), WORLD.root.cert)
            tap.check(not host.requests, "no request went out")


def a_key_that_is_too_weak_is_refused():
    weak = WORLD.leaf_with(kind="weak")
    with TlsHost(weak, [WORLD.middle], ciphers="DEFAULT@SECLEVEL=0") as host:
        check_refused("1024 bits", "the certificate of localhost has a key "
                      "that is too weak", host.url("localhost"),
                      WORLD.root.cert)


def a_chain_with_a_gap_is_refused():
    with TlsHost(WORLD.leaf) as host:
        check_refused("no issuer", "the certificate of localhost is not "
                      "trusted: it was issued by 'Example Issuer', which is "
                      "not in " + WORLD.root.cert, host.url("localhost"),
                      WORLD.root.cert)


def a_cross_signed_root_that_has_expired_does_no_harm():
    make = WORLD.maker.make
    old = make("Old Root", is_ca=True, start=-30, end=-2)
    cross = make("Example Root", signer=old, is_ca=True, of=WORLD.root,
                 start=-30, end=-2)
    both = certificates.join(os.path.join(WORLD.folder, "both.pem"), old.cert,
                             WORLD.root.cert)
    with TlsHost(WORLD.leaf, [WORLD.middle, cross]) as host:
        check_taken("new root", host.url("localhost"), WORLD.root.cert)
        check_taken("both roots", host.url("localhost"), both)
        check_refused("old root", "the certificate of localhost is not "
                      "trusted: its chain leads to 'Old Root', which in %s has "
                      "expired (on 20" % old.cert, host.url("localhost"),
                      old.cert)


def the_servers_own_certificate_may_be_what_is_trusted():
    own = WORLD.maker.make("desk.example")
    again = WORLD.maker.make("desk.example")
    with TlsHost(own) as host:
        check_taken("own", host.url("localhost"), own.cert)
        check_refused("another", "the certificate of localhost is not trusted: "
                      "it was signed by itself, and that of the same name in "
                      "%s is another one" % again.cert, host.url("localhost"),
                      again.cert)


def one_unreadable_entry_does_not_spoil_a_bundle():
    path = os.path.join(WORLD.folder, "bundle.pem")
    with open(path, "w", encoding="ascii") as file:
        file.write("-----BEGIN CERTIFICATE-----\nMIIB!\n"
                   "-----END CERTIFICATE-----\n")
        with open(WORLD.stranger.cert, encoding="ascii") as one:
            file.write(one.read()[:200] + "\n")
        with open(WORLD.root.cert, encoding="ascii") as one:
            file.write(one.read())
    with TlsHost(WORLD.leaf, [WORLD.middle]) as host:
        check_taken("bundle", host.url("localhost"), path)


def a_file_without_certificates_is_named():
    path = os.path.join(WORLD.folder, "none.pem")
    with open(path, "w", encoding="ascii") as file:
        file.write("none\n")
    with TlsHost(WORLD.leaf, [WORLD.middle]) as host:
        said = check_refused("none", path + " holds no certificate in PEM form",
                             host.url("localhost"), path)
        tap.check(not host.requests, said)


def the_variable_beats_the_home_and_the_home_the_system():
    root, stranger = WORLD.root.cert, WORLD.stranger.cert
    with TlsHost(WORLD.leaf, [WORLD.middle]) as host:
        url = host.url("localhost")
        check_taken("variable", url, root, home_ca=stranger)
        check_refused("variable alone", "the certificate of localhost is not "
                      "trusted: its chain leads to 'Example Root', which is "
                      "not in " + stranger, url, stranger, home_ca=root,
                      env={"SSL_CERT_FILE": root})
        check_taken("home", url, home_ca=root,
                    env={"SSL_CERT_FILE": stranger})
        said = check_refused("home alone", "the certificate of localhost is "
                             "not trusted", url, home_ca=stranger,
                             env={"SSL_CERT_FILE": root})
        tap.check("/.jezero/ca.pem" in said, "the home's file is named: " + said)
        check_taken("system", url, env={"SSL_CERT_FILE": root})
        said = check_refused("system alone", "the certificate of localhost is "
                             "not trusted", url,
                             env={"SSL_CERT_FILE": stranger})
        tap.check(stranger in said, "the system's file is named: " + said)


def a_server_is_told_why_it_was_refused():
    with TlsHost(WORLD.leaf, [WORLD.middle],
                 most=ssl.TLSVersion.TLSv1_2) as host:
        status(host.url("localhost"), WORLD.stranger.cert)
    tap.check(any("UNKNOWN_CA" in one for one in host.refusals),
              "the alert: %s" % host.refusals)


def what_a_server_refuses_is_told():
    old = ssl.TLSVersion.TLSv1_1
    new = ssl.TLSVersion.TLSv1_2
    # Library and configuration of some systems know nothing below TLS 1.2.
    try:
        host = TlsHost(WORLD.leaf, least=ssl.TLSVersion.TLSv1, most=old,
                       ciphers="DEFAULT@SECLEVEL=0")
    except (ValueError, ssl.SSLError):
        host = None
    if host is not None:
        with host:
            check_refused("TLS 1.1", "localhost", host.url("localhost"),
                          WORLD.root.cert)
    with TlsHost(WORLD.leaf, [WORLD.middle], most=new,
                 ciphers="ECDHE-ECDSA-AES128-SHA") as host:
        check_refused("ciphers", "localhost refused the TLS connection: it has "
                      "no way of encryption in common with this client",
                      host.url("localhost"), WORLD.root.cert)
    with TlsHost(WORLD.leaf, [WORLD.middle], most=new,
                 client_ca=WORLD.root.cert) as host:
        check_refused("client certificate", "localhost refused the TLS "
                      "connection: perhaps it asks for a certificate of the "
                      "client's", host.url("localhost"), WORLD.root.cert)


def a_port_without_tls_is_told():
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        sock, _ = listener.accept()
        sock.settimeout(15)
        sock.recv(65536)
        sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        sock.close()

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    check_refused("HTTP", "localhost speaks HTTP without TLS on this port",
                  "https://localhost:%d" % listener.getsockname()[1],
                  WORLD.root.cert)
    thread.join(15)
    listener.close()


def the_real_server_is_reached():
    whole = certificates.join(os.path.join(WORLD.folder, "whole.pem"),
                              WORLD.leaf.cert, WORLD.middle.cert)
    with TlsServer(SERVER, WORLD.leaf._replace(cert=whole),
                   root=WORLD.root.cert,
                   items=[jzserver.item("1", "Invoice export")],
                   tables=jzserver.client("laptop", KEY, sources=["*"],
                                          upload=True)) as server:
        check_taken("server", "https://localhost:%d" % server.port,
                    WORLD.root.cert)
        with Client(CLIENT, url="https://127.0.0.1:%d" % server.port, key=KEY,
                    env={"JEZERO_CA_FILE": WORLD.root.cert}) as client:
            found = client.run("search", "invoice")
            tap.check(found.returncode == 0 and
                      "Invoice export" in found.stdout,
                      "a search: %s" % (found,))
            refused = client.run("search", "invoice", env={
                "JEZERO_CA_FILE": WORLD.stranger.cert})
            tap.check(refused.returncode != 0 and
                      "is not trusted" in refused.stderr,
                      "a search without trust: %s" % (refused,))


if not certificates.is_there():
    tap.skip("tls", "there is no openssl program")
    tap.done()
WORLD = World()
try:
    tap.run(an_authority_of_ones_own_is_trusted)
    tap.run(every_version_and_cipher_of_today_is_spoken)
    tap.run(an_ipv6_address_is_compared)
    tap.run(the_failing_part_of_a_certificate_is_named)
    tap.run(a_key_that_is_too_weak_is_refused)
    tap.run(a_chain_with_a_gap_is_refused)
    tap.run(a_cross_signed_root_that_has_expired_does_no_harm)
    tap.run(the_servers_own_certificate_may_be_what_is_trusted)
    tap.run(one_unreadable_entry_does_not_spoil_a_bundle)
    tap.run(a_file_without_certificates_is_named)
    tap.run(the_variable_beats_the_home_and_the_home_the_system)
    tap.run(a_server_is_told_why_it_was_refused)
    tap.run(what_a_server_refuses_is_told)
    tap.run(a_port_without_tls_is_told)
    tap.run(the_real_server_is_reached)
finally:
    WORLD.close()
tap.done()
