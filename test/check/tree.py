# SPDX-License-Identifier: Apache-2.0
"""What the checks read: the files of the source tree, and C without its
comments and literals.

Every check takes the root of the tree as its first argument, so that it can
be pointed at a copy with a fault in it.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from tap import Tap  # noqa: E402,F401

# A sanitizer's runtime that this process needed is not for those it starts.
os.environ.pop("LD_PRELOAD", None)

FOLDERS = (".ci", "include", "lib", "server", "client", "subprojects", "test",
           "doc")
# Recorded and generated text: its content is input, not ours to word.
DATA = ("test/data/", "test/fuzz/corpus/", "server/samples/")


def files(root, endings, folders=FOLDERS, data=False):
    """Names relative to the root, sorted: those with one of the endings."""
    names = [name for name in os.listdir(root)
             if os.path.isfile(os.path.join(root, name))
             and folders is FOLDERS]
    for folder in folders:
        for place, below, found in os.walk(os.path.join(root, folder)):
            below[:] = [name for name in below if name != "__pycache__"]
            # What meson unpacked there is other people's.
            if os.path.relpath(place, root) == "subprojects":
                below[:] = []
            names += [os.path.relpath(os.path.join(place, name), root)
                      for name in found]
    return sorted(name for name in names if name.endswith(endings)
                  and (data or not name.startswith(DATA)))


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8",
              errors="replace") as file:
        return file.read()


# Comments and literals of C. A literal ends with its line at the latest.
COMMENT_OR_LITERAL = re.compile(
    r"/\*.*?(?:\*/|\Z)|//[^\n]*|"
    r'"(?:\\.|[^"\\\n])*"?|'
    r"'(?:\\.|[^'\\\n])*'?", re.S)


def bare(text):
    """C with comments blanked and literals emptied; lines stay lines."""
    def blank(found):
        lines = "\n" * found[0].count("\n")
        return (lines or " ") if found[0][0] == "/" else found[0][0] * 2 + lines
    return COMMENT_OR_LITERAL.sub(blank, text)
