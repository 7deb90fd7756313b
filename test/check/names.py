# SPDX-License-Identifier: Apache-2.0
"""Words: every file bears its licence, and none tells of unfinished work or of
the place where it was written.

    names.py ROOT
"""
import os
import re
import sys

from tree import Tap, files, read

LICENCE = "SPDX-License-Identifier: Apache-2.0"
CODE = (".c", ".h", ".py", ".sh", "meson.build", "/run")
TEXT = CODE + (".md", ".scd", ".map", ".wrap", ".toml", ".clang-format",
               ".clang-tidy", ".gitignore")
# Spelled in two parts, so that this file does not name them itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|"
                        r"\bnot yet impl" r"emented\b|\bst" r"ub\b")
TRACKER = re.compile(r"\bissue #|\bticket\b|\bfield rep" r"ort|"
                     r"\b(pull|merge) request #")


def lines_with(root, pattern):
    for name in files(root, TEXT):
        for number, line in enumerate(read(root, name).split("\n"), 1):
            found = pattern.search(line)
            if found:
                yield f"{name}:{number}: {found[0]!r}"


def main():
    root = sys.argv[1]
    tap = Tap()

    def every_source_begins_with_its_licence():
        names = files(root, CODE)
        tap.check(len(names) > 50, "there are sources to read")
        for name in names:
            lines = read(root, name).split("\n")
            first = lines[1] if lines[0].startswith("#!") else lines[0]
            tap.check(LICENCE in first,
                      f"{name}: the first line is not its licence")

    def nothing_is_marked_as_unfinished():
        for found in lines_with(root, UNFINISHED):
            tap.check(False, found)

    def no_path_of_one_computer():
        # Invented people's folders in samples are none: nobody is /home/dana.
        here = [re.escape(os.path.realpath(root)), "/ro" "ot/",
                r"/tm" r"p/\w+/build"]
        for found in lines_with(root, re.compile("|".join(here))):
            tap.check(False, found)

    def no_word_of_a_tracker():
        for found in lines_with(root, TRACKER):
            tap.check(False, found)

    tap.run(every_source_begins_with_its_licence)
    tap.run(nothing_is_marked_as_unfinished)
    tap.run(no_path_of_one_computer)
    tap.run(no_word_of_a_tracker)
    tap.done()


main()
