# SPDX-License-Identifier: Apache-2.0
"""Queueing 5,000 sessions, and sending 500 of 20 KB: against a loop of gzip and
curl over the same files, to the same server, in turns. And the most
memory that a flush of a large transcript needs.

usage: client_queue.py JEZERO_SERVER JEZERO_CLIENT
"""
import fcntl
import json
import os
import random
import shutil
import subprocess
import sys
import time

import bench
import jzserver
from jzclient import Client as Home
from jzserver import Server
from transcripts import uid

SESSIONS = 5000
QUEUE_LIMIT_S = 2.0
FILES = 500
BYTES = 20_000
ROUNDS = 3
LEAST_RATIO = 3.0
LARGE_BYTES = 200 << 20
LARGE_LIMIT_MB = 10
KEY = "an-invented-key-of-43-characters-0000000000"
LOOP = r"""
for file in "$1"/*.jsonl; do
  gzip -c "$file" | curl -s -f -o /dev/null -T - \
    -H "Authorization: Bearer $2" -H "Content-Encoding: gzip" \
    -H "X-Jezero-Project: billing" "$3/inbox/v1/claude-code/$4/${file##*/}" || exit 1
done
"""


def write_sessions(home, folder, count, size, seed):
    """Transcripts of invented words, about so large."""
    rnd = random.Random(seed)
    words = [uid(seed, n)[:rnd.randint(3, 9)] for n in range(4000)]
    place = os.path.join(home.folder, ".claude", "projects", folder)
    os.makedirs(place)
    for number in range(count):
        session = uid(seed, folder, number)
        with open(os.path.join(place, session + ".jsonl"), "w",
                  encoding="utf-8") as file:
            written = 0
            while written < size:
                written += file.write(json.dumps({
                    "type": "user", "uuid": uid(session, written),
                    "sessionId": session, "cwd": "/home/dana/" + folder,
                    "timestamp": "2026-11-30T17:25:03.000Z",
                    "message": {"role": "user", "content": " ".join(
                        rnd.choices(words, k=120))}}) + "\n")
    return place


def new_home(home, number, url):
    """Another client home: a queue that is emptied and filled again measures how
    the file system looks for inodes that were not used a moment ago."""
    home.home = os.path.join(home.folder, "home-%d" % number)
    home.env["JEZERO_CLIENT_HOME"] = home.home
    os.makedirs(home.home, mode=0o700)
    home.write("token", KEY + "\n")
    home.write("client.json", json.dumps({"url": url}))


def hold(home):
    """So that the flush of a backfill does nothing, as another one is running."""
    os.makedirs(home.path("spool"), mode=0o700, exist_ok=True)
    lock = open(home.path("spool", "flush.lock"), "w", encoding="ascii")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def queue(home):
    """Seconds of a backfill, and how many it queued."""
    start = time.perf_counter()
    run = home.run("backfill", "--agent", "claude-code", timeout=120)
    took = time.perf_counter() - start
    if run.returncode != 0:
        sys.exit(run.stdout + run.stderr)
    return took, int(run.stdout.split()[1])


def write_pointers(home, place):
    """What a backfill writes, without the flush that it starts."""
    folder = home.path("spool", "pending")
    os.makedirs(folder, mode=0o700)
    for name in os.listdir(place):
        session = name[:-len(".jsonl")]
        home.write("spool/pending/claude-code__%s.json" % session, json.dumps({
            "agent": "claude-code", "session_id": session,
            "path": os.path.join(place, name), "cwd": "/home/dana",
            "project": "billing", "queued_at": 1796059503}))


def flush(home):
    start = time.perf_counter()
    run = home.run("flush", timeout=300)
    took = time.perf_counter() - start
    if run.returncode != 0:
        sys.exit(run.stdout + run.stderr)
    return took, json.loads(run.stdout)["sent"]


def measure_queue(client):
    with Home(client, url="http://127.0.0.1:1") as home:
        for folder in range(50):
            write_sessions(home, "-home-dana-%d" % folder, SESSIONS // 50, 3000,
                           "queue-%d" % folder)
        times = []
        for number in range(ROUNDS):
            new_home(home, number, "http://127.0.0.1:1")
            with hold(home):
                took, count = queue(home)
            if count != SESSIONS:
                sys.exit("%d sessions were queued" % count)
            times.append(took)
        bench.say("queueing %d sessions" % SESSIONS, bench.median(times), "s",
                  QUEUE_LIMIT_S)


def measure_flush(client, server):
    if shutil.which("curl") is None or shutil.which("gzip") is None:
        print("without curl and gzip there is nothing to compare with")
        return
    with Home(client, url="http://127.0.0.1:%d" % server.port, key=KEY) as home:
        place = write_sessions(home, "-home-dana-flush", FILES, BYTES, "flush")
        ours, theirs = [], []
        for number in range(ROUNDS):
            start = time.perf_counter()
            subprocess.run(["sh", "-c", LOOP, "sh", place, KEY,
                            "http://127.0.0.1:%d" % server.port,
                            "-loop-%d" % number], check=True, env=home.env)
            theirs.append(time.perf_counter() - start)
            new_home(home, number, "http://127.0.0.1:%d" % server.port)
            write_pointers(home, place)
            took, sent = flush(home)
            if sent != FILES:
                sys.exit("%d were sent" % sent)
            ours.append(took)
        bench.say("flush of %d files of %d kB" % (FILES, BYTES // 1000),
                  bench.median(ours), "s")
        bench.say("loop of gzip and curl over them", bench.median(theirs), "s")
        bench.say("the loop takes so many times as long",
                  bench.median(theirs) / bench.median(ours), least=LEAST_RATIO)


def peak_mb(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0


def measure_memory(client, server):
    with Home(client, url="http://127.0.0.1:%d" % server.port, key=KEY) as home:
        place = write_sessions(home, "-home-dana-large", 1, 1000, "large")
        path = os.path.join(place, os.listdir(place)[0])
        rnd = random.Random("large")
        with open(path, "a", encoding="ascii") as file:
            for _ in range(LARGE_BYTES >> 20):
                file.write('{"type":"x","content":"%s"}\n' % rnd.randbytes(
                    1 << 19).hex())
        write_pointers(home, place)
        process = home.start("flush")
        peak = 0
        while process.poll() is None:
            peak = max(peak, peak_mb(process.pid))
            time.sleep(0.005)
        output, errors = process.communicate()
        if process.returncode != 0:
            sys.exit((output + errors).decode())
        bench.say("memory of a flush of %d MB" % (LARGE_BYTES >> 20), peak, "MB",
                  LARGE_LIMIT_MB)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[-1])
    measure_queue(sys.argv[2])
    tables = (jzserver.client("laptop", KEY, upload=True, sources=["*"]) +
              "\n[inbox]\nmax_file_mb = 512\n")
    with Server(sys.argv[1], tables=tables) as server:
        measure_flush(sys.argv[2], server)
        measure_memory(sys.argv[2], server)
    bench.done()


main()
