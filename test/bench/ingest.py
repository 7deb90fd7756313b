# SPDX-License-Identifier: Apache-2.0
"""Ingest against Python's json.loads over the same lines, on one core.

Three things are timed, one after the other, five times: json.loads of every
line; jz_ingest with "dry_run", which reads, cuts into segments, redacts and
extracts, but writes nothing; and the whole of jz_ingest into a new library.
Then the peak of memory of `jezero-server ingest`, also for a session that holds
a line of 100 MB.
"""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import bench
from jezero_ctypes import Library, load, take

ROUNDS = 5
# A small set is read several times a round: below a tenth of a second a clock
# measures the machine.
BYTES_A_ROUND = 8 << 20
LONG_LINE = 100_000_000
MEMORY_MB = 200
CONNECTORS = {"claude-code": "agent-claude-code-bench",
              "codex": "agent-codex-bench"}


def sessions(place):
    lib = load()
    out = ctypes.c_void_p()
    code = lib.jz_list_sessions(ctypes.byref(out), None, os.fsencode(place),
                                ctypes.c_int64(0))
    if code < 0:
        sys.exit(f"the sessions of {place} cannot be listed: {code}")
    # A compressed file has no lines that Python could read.
    return [one for one in json.loads(take(lib, out))
            if one["path"].endswith(".jsonl")]


def read_by_python(found):
    for one in found:
        with open(one["path"], "rb") as file:
            for line in file:
                try:
                    json.loads(line)
                except ValueError:
                    pass


def read_by_jezero(found, folder, dry_run):
    """Into a library of its own, so that every file is read."""
    path = os.path.join(folder, "library.db")
    with Library(path) as library:
        start = time.perf_counter()
        for one in found:
            report = library.ingest(
                {"type": one["agent"], "name": CONNECTORS[one["agent"]],
                 "dry_run": dry_run, "again": True}, one["path"])
            if report["state"] == "failed":
                sys.exit(f"{one['path']}: {report['reason']}")
        spent = time.perf_counter() - start
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    return spent


def timed(call, *arguments):
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def compare(found):
    size = sum(one["bytes"] for one in found)
    times = max(1, BYTES_A_ROUND // max(size, 1))
    python, dry, whole = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            python.append(sum(timed(read_by_python, found)
                              for _ in range(times)))
            dry.append(sum(read_by_jezero(found, folder, True)
                           for _ in range(times)))
            whole.append(sum(read_by_jezero(found, folder, False)
                             for _ in range(times)))
    loads = bench.median(python)
    print(f"{len(found)} sessions, {size / 1e6:.1f} MB, "
          f"{ROUNDS} rounds of {times}")
    bench.say("json.loads of every line", size * times / loads / 1e6, "MB/s")
    bench.say("reading, all but the writing / json.loads",
              bench.median(dry) / loads, limit=1)
    bench.say("ingest, with the index / json.loads",
              bench.median(whole) / loads, limit=2)


def high_water(process):
    """Kilobytes by VmHWM, 0 once there is nothing to read. The peak that
    wait4() gives would be Python's own: a child begins as its copy."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            found = re.search(r"VmHWM:\s+(\d+)", file.read())
        return int(found[1]) if found else 0
    except OSError:
        return 0


def peak_mb(program, arguments):
    """The most memory that a run of the program held, looked at every
    millisecond."""
    most = 0
    process = subprocess.Popen([program] + arguments,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, high_water(process))
        time.sleep(0.001)
    if process.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: status {process.returncode}")
    return most / 1024


def write_long_line(path):
    """A session in which one tool printed 100 MB, between two messages."""
    def record(number, role, content):
        return json.dumps({
            "type": role, "uuid": f"00000000-0000-4000-8000-{number:012d}",
            "sessionId": "00000000-0000-4000-8000-00000000000a",
            "cwd": "/home/dana/projects/billing",
            "timestamp": f"2026-10-01T10:00:{number:02d}.000Z",
            "message": {"role": role, "content": content}}) + "\n"

    with open(path, "w", encoding="ascii") as file:
        file.write(record(1, "user", "Why does the nightly export take hours?"))
        file.write(record(2, "assistant", [
            {"type": "tool_use", "id": "toolu_1", "name": "Bash",
             "input": {"command": "cat export.log"}}]))
        file.write(record(3, "user", [
            {"type": "tool_result", "tool_use_id": "toolu_1",
             "content": "row 17 of 40\\n" * (LONG_LINE // 14)}]))
        file.write(record(4, "assistant", [
            {"type": "text", "text": "The export had no index on the date."}]))


def measure_memory(program, place):
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "library.db")
        bench.say("peak memory, all sessions",
                  peak_mb(program, ["ingest", "--library", library, place]),
                  "MB", MEMORY_MB)
        path = os.path.join(folder,
                            "00000000-0000-4000-8000-00000000000a.jsonl")
        write_long_line(path)
        library = os.path.join(folder, "long.db")
        bench.say("peak memory, a session with a line of 100 MB",
                  peak_mb(program, ["ingest", "--library", library, path]),
                  "MB", MEMORY_MB)


def main():
    program = bench.program()
    place = bench.transcripts()
    found = sessions(place)
    if not found:
        sys.exit(f"no sessions in {place}")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    compare(found)
    measure_memory(program, place)
    bench.done()


main()
