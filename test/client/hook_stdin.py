# SPDX-License-Identifier: Apache-2.0
"""How a hook takes its input: as soon as it is whole, from whatever stdin is, and
never for longer than the hook may last."""
import json
import os
import pty
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

from jzclient import Client  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = sys.argv[1]
LIMITS = {"session-start": 3.0, "user-prompt": 2.0, "stop": 1.0,
          "session-end": 1.0}
# A server is not needed: without a folder the start of a session asks nothing.
URL = "http://127.0.0.1:9"
MIB = 1024 * 1024
tap = Tap()


class Hook:
    """One that runs, with its pipe open."""

    def __init__(self, client, event="session-start", agent="codex", stdin=None):
        self.client = client
        self.event = event
        self.begun = time.monotonic()
        self.process = client.start("hook", event, "--agent", agent,
                                    stdin=stdin or subprocess.PIPE)

    def write(self, data):
        """false: the hook does not read it."""
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        return True

    def end(self):
        """Its output, when it has ended with its pipe still open."""
        self.process.wait(60)
        self.seconds = time.monotonic() - self.begun
        output = self.process.stdout.read().decode()
        tap.equal((self.process.returncode, self.process.stderr.read()), (0, b""),
                  "the hook's end")
        tap.check(self.seconds - start_seconds(self.client) <
                  LIMITS[self.event], (self.event, self.seconds))
        for stream in (self.process.stdin, self.process.stdout,
                       self.process.stderr):
            try:
                stream and stream.close()
            except BrokenPipeError:
                pass
        return output


def start_seconds(client, known=[]):
    """What a process takes to start and end here, at the worst of some."""
    if not known:
        for _ in range(5):
            begun = time.monotonic()
            client.run("hook", "stop", "--agent", "codex", stdin="{}",
                       env={"JEZERO_DISABLE": "1"})
            known.append(time.monotonic() - begun)
    return max(known)


def set_up():
    return Client(PROGRAM, url=URL)


def protocol(client):
    return client.run("protocol").stdout


def test_pipe_that_stays_open_is_not_waited_for():
    with set_up() as client:
        hook = Hook(client)
        hook.write(b'{"session_id":"s-1"}')
        tap.equal(hook.end(), protocol(client), "the output")
        hook = Hook(client, agent="antigravity")
        hook.write(b'\n {"conversationId":"c-1"}\n{"conversationId"')
        tap.check("injectSteps" in hook.end(), "the object")


def test_slow_pieces_make_one_input():
    with set_up() as client:
        hook = Hook(client)
        data = b'{"session_id":"s","a":"}\\""}'
        for at in range(0, len(data), 3):
            hook.write(data[at:at + 3])
            time.sleep(0.2)
        tap.equal(hook.end(), protocol(client), "the output")
        tap.check("codex:s" in client.state()["sessions"], client.state())


def test_input_that_takes_longer_than_the_hook_is_not_lost():
    with set_up() as client:
        hook = Hook(client)
        data = b'{"session_id":"s","prompt":"why is the invoice export slow"}'
        for at in range(0, len(data), 3):
            hook.write(data[at:at + 3])
            time.sleep(0.2)
        hook.begun = time.monotonic()
        tap.equal(hook.end(), protocol(client), "the output")
        tap.check("codex:s" in client.state()["sessions"], client.state())


def test_bytes_one_by_one_make_one_input():
    with set_up() as client:
        hook = Hook(client)
        name = "".join(chr(0x4e00 + n) for n in range(100))
        for byte in json.dumps({"session_id": name, "x": ["{", "\\\""]},
                               ensure_ascii=False).encode():
            hook.write(bytes([byte]))
        tap.equal(hook.end(), protocol(client), "the output")
        tap.check("codex:" + name in client.state()["sessions"], client.state())


def check_nothing(client, begin, lines=1):
    """Nothing is printed, in time; the log says why in one line."""
    for event in LIMITS:
        for agent in ("claude-code", "antigravity"):
            before = len(client.log().splitlines())
            hook = begin(event, agent)
            tap.equal(hook.end(), "{}\n" if agent == "antigravity" else "",
                      (event, agent))
            log = client.log().splitlines()[before:]
            tap.equal(len(log), lines, log)
            tap.check(all("stdin" in line and event in line for line in log),
                      log)


def test_half_an_input_does_nothing():
    with set_up() as client:
        def begin(event, agent):
            hook = Hook(client, event, agent)
            hook.write(b'{"session_id":"s-1","prompt":"inv')
            return hook
        check_nothing(client, begin)


def test_silence_does_nothing():
    with set_up() as client:
        check_nothing(client, lambda event, agent: Hook(client, event, agent))


def test_closed_pipe_does_nothing():
    with set_up() as client:
        def begin(event, agent):
            hook = Hook(client, event, agent)
            hook.process.stdin.close()
            hook.process.stdin = None
            return hook
        check_nothing(client, begin, lines=0)


def test_device_without_data_does_nothing():
    with set_up() as client:
        check_nothing(client, lambda event, agent: Hook(
            client, event, agent, stdin=subprocess.DEVNULL), lines=0)


def test_terminal_is_not_read():
    with set_up() as client:
        ours, theirs = pty.openpty()
        hooks = []

        def begin(event, agent):
            hooks.append(Hook(client, event, agent, stdin=theirs))
            return hooks[-1]
        check_nothing(client, begin, lines=0)
        # It would be waited for until the time is up.
        tap.check(min(hook.seconds for hook in hooks) < 1, "at once")
        os.close(ours)
        os.close(theirs)


def write_all(hook, data):
    """Whether all of it was taken."""
    taken = []
    thread = threading.Thread(target=lambda: taken.append(hook.write(data)))
    thread.start()
    output = hook.end()
    thread.join(60)
    return taken == [True], output


def test_large_prompts_are_taken_up_to_the_limit():
    with set_up() as client:
        head = b'{"session_id":"s","prompt":"'
        for size, is_taken in ((4 * MIB, True), (4 * MIB + 1, False),
                               (5 * MIB, False)):
            fill = size - len(head) - 2
            client.write("state.json", "{}")
            data = head + b"\\n" * (fill // 2) + b"x" * (fill % 2) + b'"}'
            is_read, output = write_all(Hook(client), data)
            tap.equal((is_read, output),
                      (True, protocol(client) if is_taken else ""), size)
        tap.equal(client.log().count("larger than 4 MiB"), 2, client.log())


def test_hook_with_nothing_to_do_still_takes_its_input():
    with Client(PROGRAM) as client:
        data = b'{"prompt":"' + b"x" * MIB + b'"}'
        tap.equal(write_all(Hook(client, "user-prompt"), data), (True, ""),
                  "not set up")


for one in [value for name, value in list(globals().items())
            if name.startswith("test_")]:
    tap.run(one)
tap.done()
