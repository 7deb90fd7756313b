# SPDX-License-Identifier: Apache-2.0
"""Reads Prometheus' text format 0.0.4 and refuses what is not well formed.

    families = parse(text)
    families["jezero_queue"].value()
    families["jezero_requests_total"].value(route="mcp", status="200")

Stricter than Prometheus: each family has a HELP and a TYPE line in front of its
samples, stands in one place, and no sample comes twice. A histogram's buckets
have to add up.
"""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(r"(%s)(?:\{(.*)\})? (\S+)" % NAME)
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
TYPES = ("counter", "gauge", "histogram", "summary", "untyped")
PARTS = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}


class Family:
    def __init__(self, name, kind, text):
        self.name = name
        self.kind = kind
        self.help = text
        self.samples = {}  # (name, ((label, value), …)) -> number

    def value(self, part="", default=0.0, **labels):
        """One sample, or what is taken where it is not there."""
        return self.samples.get((self.name + part, tuple(sorted(labels.items()))),
                                default)

    def total(self, part="", **labels):
        """The sum of all samples that have these labels."""
        want = set(labels.items())
        return sum(number for (name, has), number in self.samples.items()
                   if name == self.name + part and want <= set(has))


def labels_of(text):
    found = []
    while text:
        match = LABEL.match(text)
        if match is None or match[3] == "," and not text[match.end():]:
            raise ValueError("labels: %r" % text)
        value = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], match[2])
        found.append((match[1], value))
        text = text[match.end():]
    if len({name for name, _ in found}) != len(found):
        raise ValueError("a label comes twice: %r" % found)
    return tuple(sorted(found))


def check_histogram(family):
    """Buckets grow with their limits, the last one is the count."""
    series = {}
    for (name, labels), number in family.samples.items():
        if name == family.name + "_bucket":
            rest = tuple(pair for pair in labels if pair[0] != "le")
            limit = float(dict(labels)["le"])
            series.setdefault(rest, []).append((limit, number))
    if not series:
        raise ValueError("%s has no buckets" % family.name)
    for rest, buckets in series.items():
        buckets.sort()
        counts = [number for _, number in buckets]
        if counts != sorted(counts):
            raise ValueError("%s%r: buckets do not add up" % (family.name, rest))
        if buckets[-1][0] != float("inf"):
            raise ValueError("%s%r: no last bucket" % (family.name, rest))
        if counts[-1] != family.samples[(family.name + "_count", rest)]:
            raise ValueError("%s%r: bucket and count differ" % (family.name, rest))
        if family.samples[(family.name + "_sum", rest)] < 0:
            raise ValueError("%s%r: sum" % (family.name, rest))


def add_sample(family, line):
    match = SAMPLE.fullmatch(line)
    if match is None or family is None:
        raise ValueError("no sample: %r" % line)
    parts = PARTS.get(family.kind, ("",))
    if match[1] not in [family.name + part for part in parts]:
        raise ValueError("%r stands among %s" % (line, family.name))
    key = (match[1], labels_of(match[2] or ""))
    if key in family.samples:
        raise ValueError("comes twice: %r" % line)
    family.samples[key] = float(match[3])
    if family.kind == "counter" and family.samples[key] < 0:
        raise ValueError("a counter below 0: %r" % line)


def parse(text):
    """Families by name, or ValueError."""
    families = {}
    helps = {}
    family = None
    if not text.endswith("\n"):
        raise ValueError("no line end at the end")
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            _, _, name, words = line.split(" ", 3)
            if name in helps:
                raise ValueError("HELP of %s comes twice" % name)
            helps[name] = words
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name in families or name not in helps or kind not in TYPES or \
                    not re.fullmatch(NAME, name):
                raise ValueError("out of order: %r" % line)
            family = families[name] = Family(name, kind, helps[name])
        elif not line.startswith("#"):
            add_sample(family, line)
    for family in families.values():
        if family.kind == "histogram":
            check_histogram(family)
        if (family.kind == "counter") != family.name.endswith("_total"):
            raise ValueError("%s is a %s" % (family.name, family.kind))
    return families
