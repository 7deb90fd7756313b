# SPDX-License-Identifier: Apache-2.0
"""The links of the documents lead to files that are there.

usage: links.py SOURCE_ROOT
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from tap import Tap  # noqa: E402

ROOT = sys.argv[1]
LINK = re.compile(r"\]\(([^)#\s]+)\)")
tap = Tap()


def documents():
    yield os.path.join(ROOT, "README.md")
    for name in sorted(os.listdir(os.path.join(ROOT, "doc"))):
        if name.endswith(".md"):
            yield os.path.join(ROOT, "doc", name)


def test_links_lead_to_files():
    count = 0
    for path in documents():
        with open(path, encoding="utf-8") as file:
            for target in LINK.findall(file.read()):
                if "://" not in target:
                    count += 1
                    tap.check(os.path.exists(os.path.join(
                        os.path.dirname(path), target)), f"{path}: {target}")
    tap.check(count > 3, "links were found")


def main():
    tap.run(test_links_lead_to_files)
    tap.done()


main()
