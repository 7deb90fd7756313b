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


def raise_descriptors(count):
    """So many sockets here, and in the programs that are started."""
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


def resident_kb(pid):
    """What a process holds in memory."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def cpu_ms(pid):
    """Milliseconds of processor time that a process has used, to the tick."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def median(values):
    return statistics.median(values)


def say(name, value, unit="", limit=None, least=None):
    """One line of the result, with the limit that it is to keep: the most, or
    the least that it may be."""
    shown = f"{name:<58}{value:>10.2f}{unit and ' ' + unit}"
    if limit is not None or least is not None:
        kept = value <= limit if least is None else value >= least
        shown += (f"  (limit {limit if least is None else least:g}: "
                  f"{'kept' if kept else 'NOT KEPT'})")
        if not kept:
            over.append(name)
    print(shown, flush=True)


def done():
    if over and os.environ.get("JZ_BENCH_LIMITS"):
        sys.exit("limits not kept: " + "; ".join(over))
