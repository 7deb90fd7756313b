# SPDX-License-Identifier: Apache-2.0
"""How long an id takes that the caller may not read, beside one that is not
there: get_item and later, through the C API, calls in turns."""
import ctypes
import json
import os
import random
import tempfile
import time

import bench
from jezero_ctypes import Library

ITEMS = 10_000
CALLS = 20_000
SCOPE = b'["agent-*"]'
FURTHEST = 1.03


def ids():
    """Ids of both kinds that look alike: between those that may be read."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        bench.fill(path, ITEMS)
        with Library(path) as library:
            items = library.items()
            hidden = [i["id"] for i in items
                      if not i["source"].startswith("agent-")]
            # Every other one of the hidden is taken away: those are absent,
            # and lie where the others do.
            absent = set(hidden[::2])
            kept = [i for i in items if i["id"] not in absent]
        return kept, hidden[1::2], sorted(absent)


def measure(library, name, numbers):
    """Nanoseconds of one call by each of the ids, interleaved."""
    function = getattr(library.lib, "jz_" + name)
    free = library.lib.jz_free
    out = ctypes.c_void_p()
    clock = time.perf_counter_ns
    taken = [[] for _ in numbers]
    order = list(range(len(numbers)))
    generator = random.Random("order")
    for column in zip(*numbers):
        # Whoever is first finds the caches as the loop leaves them.
        generator.shuffle(order)
        for index in order:
            arguments = column[index]
            start = clock()
            function(ctypes.byref(out), library.handle, SCOPE, arguments)
            taken[index].append(clock() - start)
            free(out)
    return taken


def choose(generator, numbers):
    return [b'{"item_id":%d}' % generator.choice(numbers)
            for _ in range(CALLS)]


def main():
    bench.program()
    generator = random.Random("hidden")
    kept, hidden, absent = ids()
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            library.import_lines("\n".join(map(json.dumps, kept)).encode())
            for name in ("get_item", "later"):
                numbers = [choose(generator, hidden),
                           choose(generator, absent),
                           choose(generator, absent)]
                measure(library, name, [n[:1000] for n in numbers])
                times = [bench.median(t)
                         for t in measure(library, name, numbers)]
                bench.say(f"{name}, hidden", times[0] / 1000, "µs")
                bench.say(f"{name}, absent", times[1] / 1000, "µs")
                bench.say(f"{name}, absent by absent", times[2] / times[1], "")
                ratio = times[0] / times[1]
                bench.say(f"{name}, hidden by absent",
                          max(ratio, 1 / ratio), "", FURTHEST)
    bench.done()


main()
