# SPDX-License-Identifier: Apache-2.0
"""64 connections of wrk: calls with a key, and refusals, against files of the
same size from nginx with one worker, in turns."""
import json
import os
import re
import subprocess
import sys
import tempfile

import bench
import tools
from client import Client, call, post
from jzserver import Server, bearer, client

ITEMS = 10_000
CONNECTIONS = 64
SECONDS = 4
ROUNDS = 3
KEY = "wrk-key-2f61c7"
LEAST = 0.3
NGINX = """\
worker_processes 1;
daemon off;
error_log {folder}/nginx.log;
pid {folder}/nginx.pid;
{user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    default_type application/json;
    client_body_temp_path {folder}/t1;
    proxy_temp_path {folder}/t2;
    fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4;
    scgi_temp_path {folder}/t5;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/files;
    }}
}}
"""
SCRIPT = """\
wrk.method = "POST"
wrk.body = '{body}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
"""


class Nginx:
    """Serves files; the answer of each is as long as one of ours."""

    def __init__(self, program, folder):
        self.folder = os.path.join(folder, "nginx")
        self.port = free_port()
        os.makedirs(os.path.join(self.folder, "files"))
        config = os.path.join(self.folder, "nginx.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(NGINX.format(
                folder=self.folder, port=self.port,
                user="user root;" if os.geteuid() == 0 else ""))
        self.command = [program, "-p", self.folder, "-c", config]

    def put(self, name, body):
        path = os.path.join(self.folder, "files", name)
        with open(path, "wb") as file:
            file.write(body)

    def __enter__(self):
        self.process = subprocess.Popen(self.command)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)


def free_port():
    import socket
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def run_wrk(program, url, script=None, headers=(), wrong=False):
    """Answers a second. wrong: are they refusals?"""
    command = [program, "-t2", f"-c{CONNECTIONS}", f"-d{SECONDS}s"]
    command += ["-s", script] if script else []
    for name, value in headers:
        command += ["-H", f"{name}: {value}"]
    shown = subprocess.run(command + [url], check=True, capture_output=True,
                           text=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", shown)[1])
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", shown)
    if "Socket errors" in shown or bool(refused) != wrong:
        sys.exit(f"{url}:\n{shown}")
    return rate


def compare(wrk, nginx, server, folder):
    """name -> (nginx, jezero) a second and microseconds of processor time that
    a request took here, in each round."""
    cases = {
        "list_sources": (call("list_sources", {}), True),
        "get_item": (call("get_item", {"item_id": 77}), True),
        "401": (call("list_sources", {}), False),
    }
    asker = Client(server.port)
    found = {name: [] for name in cases}
    for name, (message, has_key) in cases.items():
        status, body = asker.ask(post(message, server.port,
                                      KEY if has_key else None))
        if status != (200 if has_key else 401):
            sys.exit(f"{name}: {status} {body[:200]!r}")
        print(f"{name}: {len(body)} bytes")
        nginx.put(name, body)
        with open(os.path.join(folder, name + ".lua"), "w",
                  encoding="ascii") as file:
            file.write(SCRIPT.format(body=json.dumps(message)))
    asker.close()
    for _ in range(ROUNDS):
        for name, (_, has_key) in cases.items():
            static = run_wrk(wrk, f"http://127.0.0.1:{nginx.port}/{name}")
            before = bench.cpu_ms(server.process.pid)
            ours = run_wrk(wrk, server.url, os.path.join(folder, name + ".lua"),
                           bearer(KEY).items() if has_key else (), not has_key)
            spent = bench.cpu_ms(server.process.pid) - before
            found[name].append((static, ours, spent * 1e3 / (ours * SECONDS)))
    return found


def main():
    program = bench.program()
    wrk, nginx = tools.find("wrk"), tools.find("nginx")
    if not wrk or not nginx:
        print("skipped: wrk or nginx is not there (.ci/tools fetches nginx)")
        return
    with tempfile.TemporaryDirectory() as folder:
        bench.fill(os.path.join(folder, "jezero.db"), ITEMS)
        with Server(program, folder=folder, tables=client("desk", KEY)) as server:
            with Nginx(nginx, folder) as static:
                found = compare(wrk, static, server, folder)
    print(f"{CONNECTIONS} connections, {ROUNDS} rounds of {SECONDS} s")
    for name, rounds in found.items():
        bench.say(f"{name}: nginx, a second",
                  bench.median([one[0] for one in rounds]))
        bench.say(f"{name}: jezero-server, a second",
                  bench.median([one[1] for one in rounds]))
        bench.say(f"{name}: jezero-server / nginx, median of the rounds",
                  bench.median([one[1] / one[0] for one in rounds]),
                  least=LEAST)
        bench.say(f"{name}: jezero-server, processor time of a request",
                  bench.median([one[2] for one in rounds]), "us")
    bench.done()


main()
