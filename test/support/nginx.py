# SPDX-License-Identifier: Apache-2.0
"""A reverse proxy of nginx before a server, with one `server` block a text.

    with Nginx(program, folder, block) as proxy:   {port} in block: proxy.port
"""

import os
import socket
import subprocess
import time

CONFIG = """\
{user}daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
{block}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx:
    def __init__(self, program, folder, block):
        self.program = program
        self.folder = folder
        self.block = block
        self.process = None
        self.port = None

    def __enter__(self):
        # The port was free a moment ago; another program may have taken it.
        for _ in range(5):
            self.port = free_port()
            if self.start():
                return self
        with open(os.path.join(self.folder, "nginx-error.log"),
                  encoding="utf-8") as file:
            raise RuntimeError("nginx did not start:\n" + file.read())

    def start(self):
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(CONFIG.format(
                folder=self.folder,
                user="user root;\n" if os.geteuid() == 0 else "",
                block=self.block.replace("{port}", str(self.port))))
        self.process = subprocess.Popen(
            [self.program, "-p", self.folder, "-c", path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 5).close()
                return True
            except OSError:
                time.sleep(0.01)
        self.__exit__()
        return False

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
