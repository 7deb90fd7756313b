# SPDX-License-Identifier: Apache-2.0
"""What a prompt waits for: the hook without a server, and with one on this
computer that holds 500 items, each beside starting Python for nothing, in turns.
Also how much memory a hook takes at its peak."""
import json
import os
import subprocess
import sys
import tempfile
import time

import bench
from jzclient import Client
from jzserver import Server, client as client_table

ITEMS = 500
ROUNDS = 300
KEY = "bench-key-0a1b2c3d"
PYTHON = [sys.executable, "-S", "-E", "-c", "pass"]
PROMPT = "why does the invoice export of the billing service fail with E0433?"
ALONE_MS = 5
BESIDE_MS = 12
QUARTER = 0.25
PEAK_MB = 8


class Hook:
    def __init__(self, client, folder, event="user-prompt"):
        self.command = [client.program, "hook", event, "--agent", "claude-code"]
        self.client = client
        self.folder = folder
        self.count = 0

    def data(self, prompt=PROMPT):
        """Each of a session of its own: something is found every time."""
        self.count += 1
        return json.dumps({"session_id": "s-%d" % self.count, "cwd": self.folder,
                           "prompt": prompt, "source": "startup"}).encode()

    def __call__(self):
        data = self.data()
        begun = time.perf_counter()
        run = subprocess.run(self.command, input=data, stdout=subprocess.PIPE,
                             env=self.client.env, cwd=self.client.folder,
                             check=True)
        return (time.perf_counter() - begun) * 1e3, run.stdout


def nothing():
    begun = time.perf_counter()
    subprocess.run(PYTHON, input=b"", stdout=subprocess.PIPE, check=True)
    return (time.perf_counter() - begun) * 1e3, b""


def in_turns(ways):
    """The median of each in ms, and how often it printed something."""
    taken = {name: [] for name in ways}
    told = dict.fromkeys(ways, 0)
    for number in range(ROUNDS + 10):
        for name, way in ways.items():
            spent, output = way()
            if number >= 10:
                taken[name].append(spent)
                told[name] += bool(output)
    return {name: bench.median(times) for name, times in taken.items()}, told


def peak_mb(hook, prompt=PROMPT):
    """The hook is held where it prints, by a pipe that is full; what a process
    was before it became the hook does not count that way."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    try:
        while os.write(theirs, b" " * 4096):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(theirs, True)
    process = subprocess.Popen(hook.command, stdin=subprocess.PIPE,
                               stdout=theirs, env=hook.client.env)
    try:
        process.stdin.write(hook.data(prompt))
        process.stdin.close()
        time.sleep(0.5)
        with open("/proc/%d/status" % process.pid, encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
        sys.exit("the hook printed nothing")
    finally:
        os.close(ours)
        os.close(theirs)
        process.wait(30)


def project(client):
    folder = os.path.join(client.folder, "src", "billing")
    os.makedirs(os.path.join(folder, ".git"))
    with open(os.path.join(folder, ".git", "config"), "w",
              encoding="utf-8") as file:
        file.write('[remote "origin"]\n\turl = https://git.example/billing.git\n')
    return folder


def without_server(program):
    """While it is known that the server is away, and when that is found out."""
    with Client(program, url="http://127.0.0.1:9") as client:
        hook = Hook(client, project(client))

        def paused():
            client.write("state.json", json.dumps(
                {"unreachable_until": int(time.time()) + 20}))
            return hook()

        def refused():
            client.write("state.json", "{}")
            return hook()

        times, _ = in_turns({"python": nothing, "paused": paused,
                             "refused": refused})
        bench.say("python -S -E -c pass", times["python"], "ms")
        for name in ("paused", "refused"):
            bench.say("user-prompt, server away, " + name, times[name], "ms",
                      ALONE_MS)
            bench.say("the same by python", times[name] / times["python"], "",
                      QUARTER)
        bench.say("session-start, server away, peak of memory",
                  peak_mb(Hook(client, hook.folder, "session-start")), "MB",
                  PEAK_MB)


def with_server(program, server_program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "jezero.db")
        bench.fill(path, ITEMS)
        with Server(server_program, folder=folder,
                    tables=client_table("laptop", KEY)) as server, \
                Client(program, url=server.url[:-len("/mcp")], key=KEY) as client:
            place = project(client)
            hooks = {name: Hook(client, place, name)
                     for name in ("user-prompt", "session-start")}
            times, told = in_turns(dict(hooks, python=nothing))
            for name in hooks:
                bench.say(f"{name}, {ITEMS} items here", times[name], "ms",
                          BESIDE_MS)
                bench.say("the same by python", times[name] / times["python"])
                bench.say("of these something said", told[name] / ROUNDS)
                bench.say("its peak of memory", peak_mb(hooks[name]), "MB",
                          PEAK_MB)
            large = "invoice export " + "x y " * 1000000
            bench.say("with a prompt of 4 MB, its peak",
                      peak_mb(hooks["user-prompt"], large), "MB")


def main():
    program = os.path.abspath(sys.argv.pop())
    server_program = bench.program()
    print(f"{ROUNDS} rounds in turns, medians")
    without_server(program)
    with_server(program, server_program)
    bench.done()


main()
