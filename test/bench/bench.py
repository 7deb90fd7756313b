# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: the library they run on, clocks, medians.

Every one of them is started as `PROGRAM.py JEZERO_SERVER`, with JZ_LIBRARY
naming libjezero; `meson test --benchmark` does both. They print ratios of
things measured in the same run, because seconds say more about the machine.
What JZ_BENCH_LIMITS is set to something makes a ratio over its limit a
failure: on a machine that does other work it would be one by chance.
"""
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

import corpus  # noqa: E402
from jezero_ctypes import Library  # noqa: E402

over = []


def program():
    if len(sys.argv) != 2 or "JZ_LIBRARY" not in os.environ:
        sys.exit(f"usage: JZ_LIBRARY=LIBJEZERO {sys.argv[0]} JEZERO_SERVER")
    return sys.argv[1]


def transcripts():
    """The folder of real transcripts, or of those that the tests bring."""
    real = os.environ.get("JZ_TRANSCRIPTS", "")
    return (real if os.path.isdir(real) else
            os.path.join(ROOT, "test", "data", "transcripts"))


def fill(path, count):
    """A library of invented items."""
    with Library(path) as library:
        lines = [json.dumps(item) for item in corpus.items(count, 1)]
        report = library.import_lines("\n".join(lines).encode())
        if report["failed"]:
            sys.exit(f"not imported: {report['failed'][:1]}")
        library.maintain()


def queries(count):
    """Searches of every kind, that find something or nothing."""
    import random
    rnd = random.Random("queries")
    found = []
    while len(found) < count:
        query = corpus.query(rnd)
        if query.strip() and any(one.isalnum() for one in query):
            found.append(query)
    return found


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def median(values):
    return statistics.median(values)


def say(name, value, unit="", limit=None):
    """One line of the result, with the limit that it is to keep."""
    shown = f"{name:<58}{value:>10.2f}{unit and ' ' + unit}"
    if limit is not None:
        kept = value <= limit
        shown += f"  (limit {limit:g}: {'kept' if kept else 'OVER'})"
        if not kept:
            over.append(name)
    print(shown, flush=True)


def done():
    if over and os.environ.get("JZ_BENCH_LIMITS"):
        sys.exit("over the limit: " + "; ".join(over))
