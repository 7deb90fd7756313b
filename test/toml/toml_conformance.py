#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The TOML reader on documents of our own (toml_cases.py) and on the conformance
set of the language, every file of it.

usage: toml_conformance.py TOML_JSON

TOML_JSON prints a document as JSON with types. The set is what .ci/tools
unpacks; where it is not there, that part is skipped. Dates and times are
compared as moments, floats as numbers: the reader keeps the text of the first
and the set writes the second in one of many ways.
"""

import datetime
import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import tools  # noqa: E402
from tap import Tap  # noqa: E402
from toml_cases import INVALID, VALID, When  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
SET = tools.find("toml-test")
# Fewer mean that the set was not unpacked whole.
LEAST = {"valid": 100, "invalid": 230}
# The set has tests of the version after TOML 1.0 among its own. \\e is an
# escape there; in 1.0 it is reserved, and must be refused.
LATER = {"valid/string/escape-esc.toml"}
tap = Tap()


def files(kind, ending):
    found = []
    for place, _, names in os.walk(os.path.join(SET, kind)):
        found += [os.path.join(place, name) for name in names
                  if name.endswith(ending)]
    return sorted(found)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def convert(text):
    """What the program makes of a document: (decoded JSON or None, reason)."""
    done = subprocess.run([PROGRAM], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    if done.returncode not in (0, 1):
        raise RuntimeError("it ended with %d: %s" %
                           (done.returncode, done.stderr.decode()))
    if done.returncode == 1:
        return None, done.stderr.decode()
    return json.loads(done.stdout.decode()), ""


def moment(text):
    """A date or time in one form: T and Z in capitals, an offset as UTC, the
    fraction without zeros at its end."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)?[Tt ]?(\d\d:\d\d:\d\d)?(\.\d+)?"
                         r"([Zz]|[+-]\d\d:\d\d)?", text)
    if not found:
        return text
    day, time, fraction, offset = found.groups()
    fraction = (fraction or "").rstrip("0").rstrip(".")
    if offset and offset not in "Zz":
        at = datetime.datetime.fromisoformat(day + "T" + time)
        minutes = int(offset[1:3]) * 60 + int(offset[4:])
        at -= datetime.timedelta(
            minutes=minutes if offset[0] == "+" else -minutes)
        day, time = at.isoformat().split("T")
    return "%sT%s%s%s" % (day or "", time or "", fraction,
                          "Z" if offset else "")


def same(got, want):
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(
            same(one, other) for one, other in zip(got, want))
    if set(want) != {"type", "value"} or not isinstance(want["value"], str):
        return isinstance(got, dict) and set(got) == set(want) and all(
            same(got[key], want[key]) for key in want)
    if not isinstance(got, dict) or got.get("type") != want["type"]:
        return False
    if want["type"] == "float":
        one, other = float(got["value"]), float(want["value"])
        return one == other or (math.isnan(one) and math.isnan(other))
    if want["type"].startswith(("date", "time")):
        return moment(got["value"]) == moment(want["value"])
    return got["value"] == want["value"]


def tagged(value):
    """What Python holds, in the set's form."""
    if isinstance(value, When):
        return {"type": value.type, "value": value.text}
    if isinstance(value, dict):
        return {key: tagged(one) for key, one in value.items()}
    if isinstance(value, list):
        return [tagged(one) for one in value]
    names = {str: "string", bool: "bool", int: "integer", float: "float"}
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return {"type": names[type(value)], "value": text}


def encode(document):
    return document if isinstance(document, bytes) else document.encode("utf-8")


def check_refused(name, text):
    got, reason = convert(text)
    tap.check(got is None, "%s: accepted: %r" % (name, text[:200]))
    tap.check(got is not None or reason.startswith("line "),
              "%s: %r names no line" % (name, reason))


def check_accepted(name, text, want):
    got, reason = convert(text)
    tap.check(got is not None and same(got, want),
              "%s: %r: %s\n  is   %s\n  want %s" %
              (name, text[:200], reason, json.dumps(got), json.dumps(want)))


def test_valid_documents_of_our_own_hold_what_they_should():
    for section, cases in VALID.items():
        for document, want in cases:
            check_accepted(section, encode(document), tagged(want))


def test_invalid_documents_of_our_own_are_refused_with_their_line():
    for section, documents in INVALID.items():
        for document in documents:
            check_refused(section, encode(document))


def test_every_valid_document_gives_what_the_set_says():
    found = files("valid", ".toml")
    tap.check(len(found) >= LEAST["valid"], len(found))
    for path in found:
        name = os.path.relpath(path, SET)
        if name in LATER:
            check_refused(name, read(path))
            continue
        want = json.loads(read(path[:-5] + ".json").decode("utf-8"))
        check_accepted(name, read(path), want)


def test_every_invalid_document_is_refused_with_its_line():
    found = files("invalid", ".toml")
    tap.check(len(found) >= LEAST["invalid"], len(found))
    for path in found:
        check_refused(os.path.relpath(path, SET), read(path))


def test_every_line_of_the_collections_of_faults_is_refused():
    """A line of a .multi file is a document of its own."""
    found = files("invalid", ".multi")
    tap.check(found, "none")
    for path in found:
        for number, line in enumerate(read(path).split(b"\n"), 1):
            if line.strip() and not line.lstrip().startswith(b"#"):
                line = re.sub(rb"\\x([0-9a-f]{2})",
                              lambda hexa: bytes([int(hexa[1], 16)]), line)
                check_refused("%s:%d" % (os.path.relpath(path, SET), number),
                              line)


if __name__ == "__main__":
    tap.run(test_valid_documents_of_our_own_hold_what_they_should)
    tap.run(test_invalid_documents_of_our_own_are_refused_with_their_line)
    for test in (test_every_valid_document_gives_what_the_set_says,
                 test_every_invalid_document_is_refused_with_its_line,
                 test_every_line_of_the_collections_of_faults_is_refused):
        if SET is None:
            tap.skip(test.__name__[5:], "the conformance set is not unpacked "
                                        "(.ci/tools)")
        else:
            tap.run(test)
    tap.done()
