# SPDX-License-Identifier: Apache-2.0
"""200 uploads of 5 MB, all at once: the most memory that the server needed, how
fast they came in, and whether each of them is in the inbox and in the library
once. Beside it the same bytes written and synchronised by this process."""
import gzip
import http.client
import json
import os
import sys
import tempfile
import threading
import time

import bench
from jzserver import Server, bearer, client
from transcripts import Claude, uid

UPLOADS = 200
BYTES = 5 << 20
LIMIT_MB = 300
KEY = "bench-key-5d21"
LINE = "The deploy of service %d failed with exit code %d, see the log of worker %d. "


def transcript(number):
    """A session of 5 MB: long output of tools, as real ones have it."""
    made = Claude(uid("bench", number))
    made.user("Why does the deploy of service %d fail?" % number)
    size = 0
    while size < BYTES - 20_000:
        output = "".join(LINE % (number, n, n) for n in range(200))
        made.tool("Bash", {"command": "./deploy %d" % size}, output)
        size += len(output) + 900
    made.agent("The deploy of service %d failed for want of memory." % number)
    text = "".join(json.dumps(record) + "\n" for record in made.records)
    return ("/inbox/v1/claude-code/-home-dana-deploy/%s.jsonl" % made.session,
            text.encode())


def upload(port, path, packed, failures):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("PUT", path, packed, dict(
        bearer(KEY), **{"Content-Encoding": "gzip"}))
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        failures.append((answer.status, body))
    connection.close()


def peak_mb(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0


def wait_for_items(library, count, seconds=500):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with bench.Library(library, {"read_only": True}) as reader:
            found = reader.status()["documents"]["stored"]
        if found >= count:
            return found
        time.sleep(0.5)
    return found


def written_seconds(folder, files):
    """What the disk needs for the same files, one after the other."""
    begun = time.monotonic()
    for number, (_, body) in enumerate(files):
        with open(os.path.join(folder, "copy-%d" % number), "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
    return time.monotonic() - begun


def main():
    program = bench.program()
    files = [transcript(number) for number in range(UPLOADS)]
    packed = [(path, gzip.compress(body, 1)) for path, body in files]
    total = sum(len(body) for _, body in files) / 1e6
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        with Server(program, folder=folder,
                    tables=client("laptop", KEY, upload=True)) as server:
            threads = [threading.Thread(target=upload, args=(
                server.port, path, body, failures)) for path, body in packed]
            begun = time.monotonic()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.monotonic() - begun
            if failures:
                sys.exit("refused: %r" % failures[:2])
            stored = wait_for_items(server.library, UPLOADS)
            taken = time.monotonic() - begun
            inbox = os.path.join(folder, "data", "inbox", "laptop")
            for path, body in files:
                with open(os.path.join(inbox, path[len("/inbox/v1/"):]), "rb") as file:
                    if file.read() != body:
                        sys.exit("another text is in the inbox: " + path)
            if stored != UPLOADS:
                sys.exit("%d of %d are in the library" % (stored, UPLOADS))
            peak = peak_mb(server.process.pid)
        plain = written_seconds(folder, files)
    print(f"{UPLOADS} uploads of {BYTES >> 20} MB at once, {total:.0f} MB in all")
    bench.say("most memory of the server", peak, "MB", LIMIT_MB)
    bench.say("accepted", total / seconds, "MB/s")
    bench.say("time, in that of writing the same files", seconds / plain, "times")
    bench.say("in the library after", taken, "s")
    bench.done()


main()
