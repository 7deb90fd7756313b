#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The unit of systemd: that it is one, and how much it leaves open.

usage: service.py JEZERO_SERVER UNIT_FILE SYSUSERS_FILE

systemd need not run here; its programs judge the files.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from tap import Tap  # noqa: E402

PROGRAM, UNIT, SYSUSERS = (os.path.abspath(path) for path in sys.argv[1:4])
ANALYZE = shutil.which("systemd-analyze")
# Of 100; systemd's own scale goes to 10.0 in such steps.
MOST_EXPOSED = 15
tap = Tap()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*words):
    done = subprocess.run([ANALYZE, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60,
                          env=dict(os.environ, SYSTEMD_PAGER=""))
    return done.returncode, done.stdout.decode("utf-8", "replace")


def copy(folder):
    """The unit as it would be installed here: with the program that was built,
    and without its man page, which is not."""
    text = re.sub(r"(?m)^Documentation=.*\n", "", read(UNIT))
    text = re.sub(r"(?m)^(ExecStart=)\S+/jezero-server ",
                  lambda found: found[1] + PROGRAM + " ", text)
    path = os.path.join(folder, "jezero-server.service")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def test_the_unit_runs_the_installed_program_as_its_own_user():
    unit = read(UNIT)
    tap.check(re.search(r"(?m)^ExecStart=/\S+/jezero-server serve --config "
                        r"%E/jezero/jezero.toml$", unit), "ExecStart")
    tap.check("@BINDIR@" not in unit, "a mark is left")
    user = re.search(r"(?m)^User=(\S+)$", unit)
    tap.check(user and re.search(r"(?m)^u %s - " % user[1], read(SYSUSERS)),
              "the user is made")


def test_systemd_finds_no_fault():
    with tempfile.TemporaryDirectory() as folder:
        status, output = run("verify", copy(folder))
        lines = [line for line in output.splitlines()
                 if "jezero-server" in line]
        tap.check(not lines, output)


def test_little_is_left_open():
    with tempfile.TemporaryDirectory() as folder:
        status, output = run("security", "--offline=true", "--no-pager",
                             "--threshold=%d" % MOST_EXPOSED, copy(folder))
        tap.equal(status, 0, output[-2000:])


if __name__ == "__main__":
    tap.run(test_the_unit_runs_the_installed_program_as_its_own_user)
    for test in (test_systemd_finds_no_fault, test_little_is_left_open):
        if ANALYZE is None:
            tap.skip(test.__name__[5:], "there is no systemd-analyze here")
        else:
            tap.run(test)
    tap.done()
