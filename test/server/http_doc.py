#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of doc/http.md are what a server answers.

usage: http_doc.py JEZERO_SERVER DOC_HTTP_MD

Each block that begins with "$ curl" is run by a shell. Of the answer the Date
is left out, the port is the document's, and so is the length of a body that
holds the port. "…" ends the comparison.
"""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzserver import Server, client, item  # noqa: E402
from tap import Tap  # noqa: E402
from transcripts import Codex  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
KEY, WATCH = "laptop-key-0001", "monitoring-key-0002"
CLIENTS = (client("laptop", KEY, sources=["agent-*"], upload=True) +
           client("monitoring", WATCH, sources=[], metrics=True))
PORT = "8765"
tap = Tap()


def examples(path):
    """(command, answer) of each block."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for block in re.findall(r"^```\n\$ (curl .*?)^```$", text, re.M | re.S):
        lines = block.split("\n")
        end = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        yield "\n".join(lines[:end + 1]), "\n".join(lines[end + 1:])


def normal(answer, port):
    """An answer as the document writes it."""
    answer = answer.replace("\r\n", "\n").replace(":" + port, ":" + PORT)
    answer = re.sub(r"^Date: .*\n", "", answer, flags=re.M)
    head, _, body = answer.rpartition("\n\n")
    if ":" + PORT in body:
        head = re.sub(r"^Content-Length: \d+$", "Content-Length: %d" % len(body),
                      head, flags=re.M)
    return (head + "\n\n" + body if head else body).strip()


def run(command, server):
    port = str(server.port)
    done = subprocess.run(
        ["sh", "-c", command.replace(":" + PORT, ":" + port)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=server.folder,
        env=dict(os.environ, KEY=KEY, WATCH=WATCH, http_proxy="", no_proxy="*"),
        timeout=60)
    return normal(done.stdout.decode("utf-8"), port)


def test_the_examples_are_what_the_server_answers():
    session = Codex("cccccccc-0000-4000-8000-000000000001")
    session.message("user", "The export fails with code 17")
    server = Server(PROGRAM, config="metrics = true", tables=CLIENTS,
                    items=[item("1", "Invoice export",
                                source="agent-codex-laptop")])
    os.rename(session.write(server.folder),
              os.path.join(server.folder, "rollout-1.jsonl"))
    count = 0
    with server:
        for command, answer in examples(sys.argv[2]):
            got, want = run(command, server), answer.strip()
            # The numbers of the one example that is cut depend on the others.
            if want.endswith("…"):
                want = "\n".join(want.split("\n")[:2])
                got = "\n".join(got.split("\n")[:2])
            tap.equal(got, want, command)
            count += 1
    tap.check(count >= 7, "%d examples" % count)


if shutil.which("curl") is None:
    tap.skip("the_examples_are_what_the_server_answers", "there is no curl")
else:
    tap.run(test_the_examples_are_what_the_server_answers)
tap.done()
