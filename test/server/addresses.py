#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The addresses a server listens on, by each way to name them, and that it goes
on when the system has nothing left to give.

usage: addresses.py JEZERO_SERVER
"""

import os
import re
import resource
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Peer, Server, bearer, client, request  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
KEY = "desk-key-41ab07"
tap = Tap()


def has(family, address):
    try:
        with socket.socket(family) as sock:
            sock.bind((address, 0))
        return True
    except OSError:
        return False


HAS_FOUR = has(socket.AF_INET, "127.0.0.1")
HAS_SIX = has(socket.AF_INET6, "::1")


def health(address, port, host):
    """The status by this address; None: nothing listens there."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as sock:
        sock.settimeout(15)
        try:
            sock.connect((address, port))
        except OSError:
            return None
        peer = Peer(sock)
        peer.send(request("GET", "/healthz", host=host))
        return peer.answer().status


def start(host):
    """With a key, since not all of these are loopback."""
    return Server(PROGRAM, config='host = "%s"\n' % host,
                  tables=client("desk", KEY))


def check_host(host, want):
    """want: what the log says, and which addresses answer."""
    names, four, six = want
    with start(host) as server:
        got = [address.rsplit(":", 1)[0] for address in server.addresses]
        tap.equal(sorted(got), sorted(names), host + ": the log's addresses")
        port = server.port
        tap.equal(health("127.0.0.1", port, "127.0.0.1:%d" % port) == 200, four,
                  host + ": by 127.0.0.1")
        if HAS_SIX:
            tap.equal(health("::1", port, "[::1]:%d" % port) == 200, six,
                      host + ": by ::1")


def test_localhost_is_each_loopback_address_that_exists():
    names = ["127.0.0.1"] * HAS_FOUR + ["[::1]"] * HAS_SIX
    check_host("localhost", (names, HAS_FOUR, HAS_SIX))
    check_host("LocalHost", (names, HAS_FOUR, HAS_SIX))


def test_one_address_is_that_alone():
    check_host("127.0.0.1", (["127.0.0.1"], True, False))
    check_host("0.0.0.0", (["0.0.0.0"], True, False))


def test_an_ipv6_address_is_taken_with_and_without_brackets():
    check_host("::1", (["[::1]"], False, True))
    check_host("[::1]", (["[::1]"], False, True))


def test_all_addresses_of_ipv6_are_those_of_ipv4_too():
    # As the kernel does it where nobody has switched that off.
    with open("/proc/sys/net/ipv6/bindv6only", encoding="ascii") as file:
        check_host("::", (["[::]"], file.read().strip() == "0", True))


def refusal(host, auth):
    """What a start says that fails; None: it did not."""
    server = Server(PROGRAM, config='host = "%s"\n' % host, auth=auth)
    try:
        server.start()
    except RuntimeError as error:
        return str(error)
    finally:
        server.close()
    return None


def test_only_loopback_addresses_need_no_key():
    for host in ("127.0.0.1", "127.0.0.1", "127.8.9.10", "localhost"):
        tap.equal(refusal(host, False), None, host)
    if HAS_SIX:
        tap.equal(refusal("::1", False), None, "::1")
    for host in ("0.0.0.0", "::", "127.0.0.1.example", "192.0.2.1"):
        said = refusal(host, False)
        tap.check(said is not None and "require_auth" in said, (host, said))


def test_a_network_without_tls_is_warned_of():
    proxied = 'public_url = "HTTPS://jezero.example.com"\n'
    for host, more, warns in (("0.0.0.0", "", True), ("127.0.0.1", "", False),
                              ("0.0.0.0", 'public_url = "http://a.test"\n',
                               True), ("0.0.0.0", proxied, False)):
        with Server(PROGRAM, config='host = "%s"\n%s' % (host, more),
                    tables=client("desk", "desk-key-5b1c02")) as server:
            told = [line for line in server.log().splitlines()
                    if "without TLS" in line]
            tap.equal(len(told), int(warns), (host, more))
            tap.check(all(" warning " in line and "tls_cert and tls_key" in line
                          for line in told), told)
            tap.check("(http)" in server.log(), server.log())


def busy_ms(server, seconds):
    """Processor time that the server uses meanwhile."""
    def used():
        with open("/proc/%d/stat" % server.process.pid, encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    before = used()
    time.sleep(seconds)
    return used() - before


def test_without_descriptors_it_waits_and_recovers():
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    server = start("127.0.0.1")
    popen = subprocess.Popen
    subprocess.Popen = lambda *args, **more: popen(*args, preexec_fn=limit, **more)
    try:
        server.start()
    finally:
        subprocess.Popen = popen
    with_key = bearer(KEY)
    try:
        held = []
        for _ in range(200):
            sock = socket.create_connection(("127.0.0.1", server.port), 15)
            held.append(sock)
        spent = busy_ms(server, 1)
        tap.check(spent < 500, "%d ms of a second" % spent)
        # One of those that it took is still served.
        first = Peer(held[0])
        first.send(request("POST", "/mcp",
                           b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
                           with_key, host="127.0.0.1"))
        tap.equal(first.answer("POST").status, 200, "a connection from before")
        for sock in held:
            sock.close()
        end = time.monotonic() + 30
        status = None
        while status != 200 and time.monotonic() < end:
            try:
                status = server.ask("GET", "/healthz").status
            except OSError:
                status = None
        tap.equal(status, 200, "afterwards")
        lines = re.findall("cannot accept connections|further ones get 503",
                           server.log())
        tap.check(len(lines) <= 2, server.log())
    finally:
        server.close()


def test_a_log_that_cannot_be_written_stops_nothing():
    """The log's file is full from the first line on; the port is found by
    asking the kernel which one the process listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Server(PROGRAM, tables=client("desk", KEY),
                    config='log_level = "debug"\n')
    with open(server.config, encoding="utf-8") as file:
        text = file.read().replace("port = 0", "port = %d" % port)
    with open(server.config, "w", encoding="utf-8") as file:
        file.write(text)
    with open("/dev/full", "w", encoding="ascii") as full:
        process = subprocess.Popen(server.command, stdin=subprocess.DEVNULL,
                                   stdout=full, stderr=full, cwd=server.folder)
    try:
        end = time.monotonic() + 30
        status = None
        while status is None and time.monotonic() < end:
            status = health("127.0.0.1", port, "127.0.0.1")
        for _ in range(50):
            status = health("127.0.0.1", port, "127.0.0.1")
            tap.equal(status, 200, "health")
        tap.equal(health("127.0.0.1", port, "evil.example"), 421, "a refusal")
        process.terminate()
        tap.equal(process.wait(20), 0, "its end")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        server.close()


for name in [name for name in list(globals()) if name.startswith("test_")]:
    if "ipv6" in name and not HAS_SIX:
        tap.skip(name[5:], "this system has no IPv6")
    else:
        tap.run(globals()[name])
tap.done()
