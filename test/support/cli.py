# SPDX-License-Identifier: Apache-2.0
"""Runs the built program in a home folder of its own, and makes up sessions.

    with Home(program) as home:
        result = home.run("search", "--library", "x.db", "word")
        result.status, result.out, result.err
"""

import collections
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

Result = collections.namedtuple("Result", "status out err")


class Home:
    """A temporary home; the current folder of what runs is inside it."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.path = tempfile.mkdtemp(prefix="jezero-cli-")
        self.env = {
            "HOME": self.path,
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
        }
        for name, value in os.environ.items():
            # Where a sanitizer or coverage writes, and how it behaves.
            if name.endswith("SAN_OPTIONS") or name.startswith("LLVM_"):
                self.env[name] = value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, *parts):
        return os.path.join(self.path, *parts)

    def write(self, name, text):
        path = self.file(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(path, mode) as file:
            file.write(text)
        return path

    def run(self, *arguments, stdin=b"", timeout=60, user=None):
        done = subprocess.run([self.program, *arguments], input=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.path, env=self.env, timeout=timeout,
                              user=user)
        return Result(done.returncode, done.stdout.decode("utf-8"),
                      done.stderr.decode("utf-8"))

    def start(self, *arguments):
        return Running(self, arguments)


class Running:
    """A command that goes on; what it writes is kept in two files."""

    def __init__(self, home, arguments):
        self.home = home
        self.out_path = home.file("out-" + uuid.uuid4().hex)
        self.err_path = home.file("err-" + uuid.uuid4().hex)
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.process = subprocess.Popen(
                [home.program, *arguments], stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, cwd=home.path, env=home.env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @property
    def out(self):
        with open(self.out_path, encoding="utf-8") as file:
            return file.read()

    @property
    def err(self):
        with open(self.err_path, encoding="utf-8") as file:
            return file.read()

    def wait_for(self, condition, seconds=20):
        """Until condition() holds: whether it did. Ends with the process."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                return condition()
            time.sleep(0.02)
        return True

    def end(self, number=signal.SIGINT, seconds=20):
        """Send a signal: the exit status."""
        self.process.send_signal(number)
        return self.process.wait(seconds)


def item(number, title, **more):
    """An item as `import` takes it."""
    made = {
        "source": "agent-codex-desk",
        "external_id": f"s{number}#0",
        "occurred_at": f"2026-10-{number:02d}T21:23:12+00:00",
        "title": title,
        "summary": f"About {title}.",
        "questions": [],
        "atoms": [],
        "project": "billing",
        "trust": "own",
    }
    made.update(more)
    return made


def lines(items):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in items)


def claude_line(session, role, text, minute, cwd="/home/ada/projects/billing"):
    """One message of a Claude Code transcript."""
    content = text if role == "user" else [{"type": "text", "text": text}]
    return json.dumps({
        "type": role,
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{session}{minute}")),
        "parentUuid": None,
        "sessionId": session,
        "timestamp": f"2026-10-09T21:{minute:02d}:00.000Z",
        "cwd": cwd,
        "gitBranch": "main",
        "version": "2.1.197",
        "isSidechain": False,
        "message": {"role": role, "content": content},
    }) + "\n"


def claude_session(home, subject, session=None):
    """A session with one question and one answer about a subject: its path."""
    session = session or str(uuid.uuid4())
    text = (claude_line(session, "user",
                        f"The {subject} breaks accents in the export, please "
                        "find out why.", 1)
            + claude_line(session, "assistant",
                          f"The {subject} was written as Latin-1. It is UTF-8 "
                          "now, and the accents are right.", 2))
    return home.write(
        f".claude/projects/-home-ada-projects-billing/{session}.jsonl", text)


def codex_session(home, subject):
    """The same as a rollout of Codex."""
    session = str(uuid.uuid4())
    when = "2026-10-09T21:23:12.000Z"
    records = [
        {"timestamp": when, "type": "session_meta",
         "payload": {"id": session, "timestamp": when,
                     "cwd": "/home/ada/projects/billing",
                     "originator": "codex_cli_rs", "cli_version": "0.171.0",
                     "source": "cli"}},
        {"timestamp": when, "type": "response_item",
         "payload": {"type": "message", "role": "user", "content": [
             {"type": "input_text",
              "text": f"Why does the {subject} fail at night?"}]}},
        {"timestamp": when, "type": "response_item",
         "payload": {"type": "message", "role": "assistant", "content": [
             {"type": "output_text",
              "text": f"The {subject} failed because the disk was full. A "
                      "clean-up runs before it now."}]}},
    ]
    return home.write(
        f".codex/sessions/2026/10/09/rollout-2026-10-09T21-23-12-{session}"
        ".jsonl", "".join(json.dumps(record) + "\n" for record in records))
