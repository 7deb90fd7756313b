# SPDX-License-Identifier: Apache-2.0
"""The recorded output in README.md is what the program prints: the commands
behind each `$` are run again on the sample library. `readme.py --write` records
them anew. Scores change with the date and are compared as numbers alone."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from tap import Tap  # noqa: E402

README = os.path.join(ROOT, "README.md")
SAMPLES = os.path.join(ROOT, "server", "samples")
BLOCK = re.compile(r"(?<=```\n)\$ (jezero-server [^\n]*)\n(.*?)(?=```)", re.S)
SCORE = re.compile(r"score 0\.[0-9]{4}")


def make_library(program, folder):
    library = os.path.join(folder, "library.db")
    for name in sorted(os.listdir(SAMPLES)):
        subprocess.run([program, "import", "--library", library,
                        os.path.join(SAMPLES, name)], check=True,
                       capture_output=True)
    return library


def output(program, command, library):
    arguments = shlex.split(command)[1:] + ["--library", library]
    return subprocess.run([program] + arguments, check=True,
                          capture_output=True).stdout.decode()


def main():
    program = os.environ["JZ_SERVER"]
    with open(README, encoding="utf-8") as file:
        text = file.read()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        library = make_library(program, folder)
        if "--write" in sys.argv:
            text = BLOCK.sub(lambda m: "$ %s\n%s" % (
                m[1], output(program, m[1], library)), text)
            with open(README, "w", encoding="utf-8") as file:
                file.write(text)
            return
        blocks = BLOCK.findall(text)

        def test_recorded_output_is_what_the_program_prints():
            tap.check(len(blocks) >= 2, "a search and a later")
            for command, recorded in blocks:
                tap.equal(SCORE.sub("score", output(program, command, library)),
                          SCORE.sub("score", recorded), command)
        tap.run(test_recorded_output_is_what_the_program_prints)
    tap.done()


main()
