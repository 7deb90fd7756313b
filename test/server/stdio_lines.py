#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MCP over stdin and stdout: line ends, sizes, ends and signals.

usage: stdio_lines.py JEZERO_SERVER
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, item  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
WORDS = "é Đ 漢 \u2028 \U0001f600"
LARGE = "漢" * 190000  # characters; the answer holds it twice
folder = None
library = None


def setUpModule():
    global folder, library
    folder = tempfile.mkdtemp(prefix="jezero-test-")
    made = Server(PROGRAM, folder=folder)
    made.put([item("1", "Invoice export", original=WORDS),
              item("2", "Large one", original=LARGE)])
    library = made.library


def tearDownModule():
    shutil.rmtree(folder)


def ping(number, **more):
    return json.dumps(dict(more, jsonrpc="2.0", id=number, method="ping")).encode()


def call(number, name, **arguments):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": name, "arguments": arguments}},
                      ensure_ascii=False).encode()


def start(env=None):
    return subprocess.Popen([PROGRAM, "mcp", "--library", library],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE,
                            env=dict(os.environ, **(env or {})))


def talk(data, env=None):
    """All answers to the bytes: (decoded lines, exit status, stderr)."""
    process = start(env)
    out, err = process.communicate(data, timeout=60)
    assert not out or out.endswith(b"\n")
    return [json.loads(line) for line in out.split(b"\n")[:-1]], process.returncode, err


class Lines(unittest.TestCase):
    def ids(self, data):
        answers, status, _ = talk(data)
        self.assertEqual(status, 0)
        return [answer["id"] for answer in answers]

    def test_line_ends_and_blank_lines(self):
        self.assertEqual(self.ids(ping(1) + b"\r\n\n  \r\n\t\n" + ping(2) + b"\n"), [1, 2])

    def test_the_last_line_may_lack_its_end(self):
        self.assertEqual(self.ids(ping(1) + b"\n" + ping(2)), [1, 2])

    def test_no_input_is_no_output_and_0(self):
        self.assertEqual(talk(b""), ([], 0, b""))

    def test_notifications_get_no_answer(self):
        note = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        self.assertEqual(self.ids(note + ping(1) + b"\n" + note), [1])

    def test_wrong_lines_are_answered_and_it_goes_on(self):
        answers, status, _ = talk(b"{\n\xff\xfe\n[]\n" + ping(7) + b"\n")
        self.assertEqual(status, 0)
        self.assertEqual([a["id"] for a in answers], [None, None, None, 7])
        self.assertEqual([a["error"]["code"] for a in answers[:3]],
                         [-32700, -32700, -32600])

    def test_a_line_of_2_mib_is_read(self):
        self.assertEqual(self.ids(ping(1, pad="x" * 2000000) + b"\n"), [1])

    def test_a_line_over_16_mib_is_refused_once_and_it_goes_on(self):
        answers, status, _ = talk(b"x" * (17 * 1024 * 1024) + b"\n" + ping(2) + b"\n")
        self.assertEqual(status, 0)
        self.assertEqual(answers[0]["id"], None)
        self.assertEqual(answers[0]["error"]["code"], -32600)
        self.assertEqual([a["id"] for a in answers], [None, 2])

    def test_text_is_utf8_in_every_locale(self):
        for env in ({"LANG": "C", "LC_ALL": "POSIX"}, {"LC_ALL": "tr_TR.UTF-8"}):
            lines = [call(1, "search", query="INVOICE " + WORDS),
                     call(2, "get_item", item_id=1, include_original=True)]
            answers, _, _ = talk(b"\n".join(lines) + b"\n", env)
            found, read = [a["result"]["structuredContent"] for a in answers]
            self.assertEqual(found["count"], 1)
            self.assertEqual(read["item"]["original"], WORDS)

    def test_a_large_answer_is_whole_for_a_slow_reader(self):
        process = start()
        process.stdin.write(call(1, "get_item", item_id=2, include_original=True) + b"\n")
        process.stdin.close()
        data = b""
        time.sleep(0.3)
        while True:
            piece = process.stdout.read1(65536)
            if not piece:
                break
            data += piece
        self.assertEqual(process.wait(10), 0)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(data.count(b"\n"), 1)
        result = json.loads(data)["result"]["structuredContent"]
        self.assertEqual(result["item"]["original"], LARGE)

    def test_answers_come_at_once(self):
        process = start()
        for number in range(5):
            process.stdin.write(ping(number) + b"\n")
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline())["id"], number)
        process.communicate(timeout=10)


class Ends(unittest.TestCase):
    def test_a_reader_that_goes_ends_it_quietly(self):
        process = start()
        process.stdout.close()
        process.stdin.write(ping(1) + b"\n")
        process.stdin.flush()
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(process.stderr.read(), b"")
        process.stdin.close()
        process.stderr.close()

    def test_signals_end_it(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            process = start()
            process.stdin.write(ping(1) + b"\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(number)
            self.assertEqual(process.wait(10), 0)
            process.communicate()

    def test_no_time_is_used_while_idle(self):
        process = start()
        process.stdin.write(ping(1) + b"\n")
        process.stdin.flush()
        process.stdout.readline()

        def spent():
            with open("/proc/%d/stat" % process.pid, encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        before = spent()
        time.sleep(0.5)
        self.assertEqual(spent(), before)
        process.communicate(timeout=10)

    def test_dev_null_as_input_ends_at_once(self):
        done = subprocess.run([PROGRAM, "mcp", "--library", library],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
        self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_non_blocking_descriptors_do_no_harm(self):
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        idle = subprocess.Popen([PROGRAM, "mcp", "--library", library],
                                stdin=reader, stdout=subprocess.PIPE)
        threading.Timer(0.2, lambda: (os.write(writer, ping(1) + b"\n"),
                                      os.close(writer))).start()
        out, _ = idle.communicate(timeout=10)
        self.assertEqual(json.loads(out)["id"], 1)
        os.close(reader)


if __name__ == "__main__":
    unittest.main(verbosity=1)
