#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peers that are slow, silent or gone, calls that take long, and the end.

usage: slow_peers.py SLOW_SERVER JEZERO_SERVER

The first program is the server with short timeouts and a call that lasts until
it is interrupted (slow_server.c); the second makes its library.
"""

import os
import resource
import signal
import socket
import struct
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, bearer, digest, item, request  # noqa: E402

SLOW = os.path.abspath(sys.argv.pop(1))
PROGRAM = os.path.abspath(sys.argv.pop(1))
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
SLOW_CALL = b'{"jsonrpc":"2.0","id":"slow-call","method":"ping"}'


def start(*options):
    server = Server(PROGRAM, items=[item("1", "Invoice export")])
    server.command = [SLOW, server.library] + list(options)
    return server


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Timeouts(unittest.TestCase):
    def test_a_request_that_does_not_end_is_closed(self):
        with start("request_ms=300") as server:
            for data in (b"G", request("POST", "/mcp", PING)[:-1],
                         b"\r\nGET / HTTP/1.1\r\n"):
                with self.subTest(data), server.connect() as peer:
                    began = time.monotonic()
                    peer.send(data)
                    self.assertTrue(peer.is_closed())
                    self.assertGreater(time.monotonic() - began, 0.25)

    def test_bytes_that_trickle_do_not_extend_it(self):
        with start("request_ms=400") as server, server.connect() as peer:
            try:
                for byte in request("GET", "/healthz"):
                    peer.send(bytes([byte]))
                    time.sleep(0.03)
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.assertEqual(peer.rest(), b"")

    def test_the_time_counts_from_the_first_byte_of_each_request(self):
        with start("request_ms=400") as server, server.connect() as peer:
            for _ in range(3):
                data = request("GET", "/healthz")
                peer.send(data[:5])
                time.sleep(0.25)
                peer.send(data[5:])
                self.assertEqual(peer.answer().status, 200)

    def test_an_idle_connection_is_closed(self):
        with start("idle_ms=300", "request_ms=10000") as server:
            with server.connect() as peer:
                self.assertTrue(peer.is_closed())
            with server.connect() as peer:
                peer.send(request("GET", "/healthz"))
                peer.answer()
                began = time.monotonic()
                self.assertTrue(peer.is_closed())
                self.assertGreater(time.monotonic() - began, 0.25)

    def test_a_client_that_does_not_read_is_closed(self):
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
        with start("idle_ms=300") as server, server.connect() as peer:
            try:
                while True:
                    peer.sock.settimeout(2)
                    peer.send(request("POST", "/mcp", body) * 50)
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.assertEqual(server.ask("GET", "/healthz").status, 200)


class Uploads(unittest.TestCase):
    """An upload has a time for each part and one for the whole."""

    KEY = "laptop-key-30fb11"
    PLACE = "/inbox/v1/claude-code/-home-dana-shop/one.jsonl"
    LINE = b'{"type":"user"}\n'

    def start(self, *options):
        server = start("client=" + digest(self.KEY), *options)
        server.inbox = os.path.join(server.folder, "inbox")
        server.command.append("inbox=" + server.inbox)
        return server

    def begin(self, peer, length=32 << 20):
        head = "PUT %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n" % (
            self.PLACE, length)
        head += "Authorization: %s\r\n\r\n" % bearer(self.KEY)["Authorization"]
        peer.send(head.encode())
        return time.monotonic()

    def seconds_until_closed(self, peer, began, step, pause):
        """Send parts until the server has closed; it says nothing."""
        peer.sock.settimeout(20)
        try:
            while time.monotonic() - began < 20:
                peer.send(self.LINE * step)
                time.sleep(pause)
        except (BrokenPipeError, ConnectionResetError):
            return time.monotonic() - began
        self.fail("the connection is still open")

    def check_nothing_is_left(self, server):
        end = time.monotonic() + 10
        while any(name.startswith(".upload") for name in os.listdir(server.inbox)):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertFalse(os.path.exists(os.path.join(server.inbox, "laptop")))
        self.assertEqual(server.ask("GET", "/healthz").status, 200)

    def test_parts_that_arrive_extend_the_time_of_a_request(self):
        with self.start("request_ms=400") as server, server.connect() as peer:
            self.begin(peer, len(self.LINE) * 10)
            for _ in range(10):
                peer.send(self.LINE)
                time.sleep(0.1)
            self.assertEqual(peer.answer().status, 200)

    def test_an_upload_that_falls_silent_is_closed(self):
        with self.start("request_ms=300") as server, server.connect() as peer:
            self.begin(peer)
            peer.send(self.LINE)
            self.assertTrue(peer.is_closed())
            self.check_nothing_is_left(server)

    def test_parts_that_arrive_do_not_extend_the_whole(self):
        with self.start("request_ms=60000", "upload_ms=600") as server:
            with server.connect() as peer:
                began = self.begin(peer)
                taken = self.seconds_until_closed(peer, began, 1, 0.05)
                self.assertGreater(taken, 0.5)
            self.check_nothing_is_left(server)

    def test_bursts_beyond_the_disk_do_not_extend_the_whole(self):
        with self.start("request_ms=60000", "upload_ms=600", "disk_ms=50") as server:
            with server.connect() as peer:
                began = self.begin(peer)
                taken = self.seconds_until_closed(peer, began, 16384, 0)
                self.assertGreater(taken, 0.5)
            self.check_nothing_is_left(server)

    def test_a_disk_that_is_behind_does_not_extend_the_whole(self):
        with self.start("request_ms=60000", "upload_ms=500", "disk_ms=4000") as server:
            with server.connect() as peer:
                began = self.begin(peer)
                peer.send(self.LINE * 16384)
                self.assertTrue(peer.is_closed())
                self.assertGreater(time.monotonic() - began, 0.4)
                self.assertLess(time.monotonic() - began, 3.5)
            self.check_nothing_is_left(server)

    def test_a_disk_that_is_behind_costs_no_upload(self):
        body = self.LINE * 16384
        with self.start("request_ms=300", "disk_ms=600") as server:
            with server.connect() as peer:
                self.begin(peer, len(body))
                peer.send(body)
                self.assertEqual(peer.answer().status, 200)


class HangUps(unittest.TestCase):
    def test_a_client_that_closes_interrupts_its_call(self):
        with start() as server:
            with server.connect() as peer:
                peer.send(request("POST", "/mcp", SLOW_CALL))
                self.assertTrue(server.wait_for_log("slow call begins"))
            self.assertTrue(server.wait_for_log("slow call interrupted", 3))
            self.assertNotIn("slow call ends", server.log())
            self.assertEqual(server.ask("POST", "/mcp", PING).status, 200)

    def test_a_client_that_is_reset_interrupts_its_call(self):
        with start() as server:
            with server.connect() as peer:
                peer.send(request("POST", "/mcp", SLOW_CALL))
                self.assertTrue(server.wait_for_log("slow call begins"))
                peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                     struct.pack("ii", 1, 0))
            self.assertTrue(server.wait_for_log("slow call interrupted", 3))

    def test_a_call_that_waits_for_its_turn_is_dropped(self):
        with start("workers=1") as server:
            with server.connect() as first:
                first.send(request("POST", "/mcp", SLOW_CALL))
                self.assertTrue(server.wait_for_log("slow call begins"))
                with server.connect() as second:
                    second.send(request("POST", "/mcp", SLOW_CALL))
                    second.half_close()
                self.assertTrue(server.wait_for_log("given up", 3))
            self.assertTrue(server.wait_for_log("slow call interrupted", 3))
            self.assertEqual(server.ask("POST", "/mcp", PING).status, 200)
            self.assertEqual(server.log().count("slow call begins"), 1)

    def test_a_half_closed_client_that_waits_gets_its_answer(self):
        with start() as server, server.connect() as peer:
            peer.send(request("POST", "/mcp", SLOW_CALL))
            peer.half_close()
            answer = peer.answer()
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.json()["id"], "slow-call")
            self.assertIn("slow call ends", server.log())

    def test_a_slow_call_delays_no_other_request(self):
        with start("workers=2") as server, server.connect() as peer:
            peer.send(request("POST", "/mcp", SLOW_CALL))
            self.assertTrue(server.wait_for_log("slow call begins"))
            for _ in range(5):
                self.assertEqual(server.ask("GET", "/healthz").status, 200)
                self.assertEqual(server.ask("POST", "/mcp", PING).status, 200)
            self.assertNotIn("slow call ends", server.log())

    def test_healthz_answers_while_all_workers_are_busy(self):
        with start("workers=1") as server, server.connect() as peer:
            peer.send(request("POST", "/mcp", SLOW_CALL))
            self.assertTrue(server.wait_for_log("slow call begins"))
            self.assertEqual(server.ask("GET", "/healthz").status, 200)
            self.assertNotIn("slow call ends", server.log())


class Ends(unittest.TestCase):
    def test_idle_servers_end_at_once_with_0(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with start() as server, server.connect():
                began = time.monotonic()
                server.signal(number)
                self.assertEqual(server.wait(), 0)
                self.assertLess(time.monotonic() - began, 8)
                self.assertIn("background ended", server.log())

    def test_a_running_request_is_answered_first(self):
        with start() as server, server.connect() as peer:
            peer.send(request("POST", "/mcp", SLOW_CALL))
            self.assertTrue(server.wait_for_log("slow call begins"))
            server.signal()
            self.assertTrue(server.wait_for_log("stopping"))
            with self.assertRaises(OSError):
                server.connect()
            answer = peer.answer()
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.headers["connection"], "close")
            self.assertTrue(peer.is_closed())
            self.assertEqual(server.wait(), 0)

    def test_a_request_that_is_arriving_is_answered_first(self):
        data = request("POST", "/mcp", PING)
        with start() as server, server.connect() as peer:
            peer.send(data[:40])
            time.sleep(0.1)
            server.signal()
            self.assertTrue(server.wait_for_log("stopping"))
            peer.send(data[40:])
            self.assertEqual(peer.answer().status, 200)
            self.assertEqual(server.wait(), 0)

    def test_what_takes_too_long_is_interrupted(self):
        with start("grace_ms=300") as server, server.connect() as peer:
            peer.send(request("POST", "/mcp", SLOW_CALL))
            self.assertTrue(server.wait_for_log("slow call begins"))
            server.signal()
            self.assertEqual(server.wait(), 0)
            self.assertIn("slow call interrupted", server.log())

    def test_a_second_signal_does_not_wait(self):
        with start() as server, server.connect() as peer:
            peer.send(request("POST", "/mcp", SLOW_CALL))
            self.assertTrue(server.wait_for_log("slow call begins"))
            server.signal(signal.SIGINT)
            self.assertTrue(server.wait_for_log("stopping"))
            server.signal(signal.SIGINT)
            self.assertEqual(server.wait(8), 0)
            self.assertIn("slow call interrupted", server.log())

    def test_sighup_does_not_end_it(self):
        with start() as server:
            server.signal(signal.SIGHUP)
            time.sleep(0.1)
            self.assertEqual(server.ask("GET", "/healthz").status, 200)


class Limits(unittest.TestCase):
    def test_above_the_limit_503_and_close(self):
        with start("most=4") as server:
            peers = [server.connect() for _ in range(4)]
            for peer in peers:
                peer.send(request("GET", "/healthz"))
                self.assertEqual(peer.answer().status, 200)
            with server.connect() as excess:
                excess.send(request("GET", "/healthz"))
                answer = excess.answer()
                self.assertEqual(answer.status, 503)
                self.assertEqual(answer.json(), {"error": "too many connections"})
                self.assertTrue(excess.is_closed())
            peers.pop().sock.close()
            end = time.monotonic() + 5
            while server.ask("GET", "/healthz").status != 200:
                self.assertLess(time.monotonic(), end)
            for peer in peers:
                peer.sock.close()

    def test_without_descriptors_it_neither_spins_nor_dies(self):
        server = start()
        server.command = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"] + server.command
        with server:
            first = server.connect()
            peers = [server.connect() for _ in range(200)]
            spent = cpu_seconds(server.process.pid)
            time.sleep(1)
            self.assertLess(cpu_seconds(server.process.pid) - spent, 0.2)
            first.send(request("POST", "/mcp", PING))
            self.assertEqual(first.answer().status, 200)
            self.assertLess(server.log().count(" warning "), 4)
            self.assertIn("connections at once", server.log())
            self.assertIn(b" 503 ", peers[20].rest())
            self.assertIn(b" 503 ", peers[150].rest())
            for peer in peers:
                peer.sock.close()
            end = time.monotonic() + 10
            while server.ask("POST", "/mcp", PING).status != 200:
                self.assertLess(time.monotonic(), end)
            first.sock.close()

    def test_accepting_goes_on_when_descriptors_come_back(self):
        with start() as server:
            pid = server.process.pid
            old = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (5, old[1]))
            peers = [server.connect() for _ in range(20)]
            spent = cpu_seconds(pid)
            time.sleep(1)
            self.assertLess(cpu_seconds(pid) - spent, 0.2)
            self.assertEqual(server.log().count("cannot accept connections"), 1)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, old)
            end = time.monotonic() + 10
            answered = False
            while not answered and time.monotonic() < end:
                try:
                    answered = server.ask("GET", "/healthz").status == 200
                except (OSError, ValueError):
                    time.sleep(0.1)
            self.assertTrue(answered)
            for peer in peers:
                peer.sock.close()

    def test_16_clients_at_once(self):
        failures = []

        def work(server):
            with server.connect() as peer:
                for number in range(100):
                    body = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % number
                    peer.send(request("POST", "/mcp", body))
                    answer = peer.answer()
                    if answer.status != 200 or answer.json()["id"] != number:
                        failures.append(answer.text)

        with start() as server:
            threads = [threading.Thread(target=work, args=(server,)) for _ in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])


class Starts(unittest.TestCase):
    def refuse(self, server):
        with self.assertRaises(RuntimeError) as caught:
            server.start()
        self.assertEqual(server.process.wait(), 1)
        return str(caught.exception)

    def test_localhost_is_both_loopback_addresses(self):
        with start("localhost") as server:
            hosts = [address.rsplit(":", 1)[0] for address in server.addresses]
            self.assertEqual(hosts[0], "127.0.0.1")
            self.assertLessEqual(set(hosts), {"127.0.0.1", "[::1]"})
            ports = {address.rsplit(":", 1)[1] for address in server.addresses}
            self.assertEqual(len(ports), 1)

    def test_a_second_server_on_a_library_is_refused(self):
        with start() as server:
            second = Server(PROGRAM, folder=server.folder)
            second.output += "-2"
            second.command = [SLOW, server.library]
            said = self.refuse(second)
            self.assertIn(server.library, said)
            self.assertIn(str(server.process.pid), said)
            self.assertEqual(os.stat(server.library + ".lock").st_mode & 0o777, 0o600)

    def test_a_killed_server_leaves_no_lock(self):
        with start() as server:
            server.process.kill()
            server.process.wait()
            again = Server(PROGRAM, folder=server.folder)
            again.output += "-2"
            again.command = [SLOW, server.library]
            with again:
                self.assertEqual(again.ask("GET", "/healthz").status, 200)

    def test_a_port_in_use_is_one_sentence(self):
        with start() as server:
            other = start("port=%d" % server.port)
            said = self.refuse(other)
            self.assertIn("port %d on 127.0.0.1 is in use" % server.port, said)

    def test_an_address_of_another_computer_is_refused(self):
        self.assertIn("192.0.2.1", self.refuse(start("192.0.2.1")))


class Health(unittest.TestCase):
    def wait_for(self, server, status):
        end = time.monotonic() + 10
        while server.ask("GET", "/healthz").status != status:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_503_while_the_library_cannot_be_read(self):
        with start() as server:
            self.wait_for(server, 200)
            os.rename(server.library, server.library + ".away")
            with open(server.library, "wb") as file:
                file.write(b"no library" * 1000)
            self.wait_for(server, 503)
            self.assertIs(server.ask("GET", "/healthz").json()["ok"], False)
            self.assertIn("cannot be read", server.log())
            os.remove(server.library)
            os.rename(server.library + ".away", server.library)
            self.wait_for(server, 200)

    def test_503_while_the_library_is_not_there(self):
        with start() as server:
            os.rename(server.library, server.library + ".away")
            self.wait_for(server, 503)
            self.assertFalse(os.path.exists(server.library))


if __name__ == "__main__":
    unittest.main(verbosity=1)
