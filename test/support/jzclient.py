# SPDX-License-Identifier: Apache-2.0
"""A user's home with a jezero-client in it, for tests: nothing of the machine's
own user, agents or proxies is seen.

    with Client(program, url=server.url("")) as client:
        client.run("status").returncode
        client.hook("user-prompt", "claude-code", {"session_id": …})
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile

TIMEOUT = 60
# What could lead a client to something of the machine's own.
CLEARED = ("JEZERO_CLIENT_HOME", "JEZERO_CA_FILE", "JEZERO_DISABLE", "JEZERO_CLIENT",
           "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
           "HERMES_HOME", "SSL_CERT_FILE", "TMPDIR", "https_proxy", "HTTPS_PROXY",
           "http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY", "all_proxy",
           "ALL_PROXY")


class Client:
    """folder: the user's home, a temporary one if none is given. Set up with
    init if there is a url; key: instead of a made one."""

    def __init__(self, program, url=None, folder=None, key=None, init=(),
                 env=None):
        self.program = os.path.abspath(program)
        self.owns_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="jezero-home-")
        self.home = os.path.join(self.folder, ".jezero")
        self.env = {name: value for name, value in os.environ.items()
                    if name not in CLEARED}
        self.env["HOME"] = self.folder
        self.env.update(env or {})
        if key is not None:
            os.makedirs(self.home, mode=0o700, exist_ok=True)
            self.write("token", key + "\n")
        if url is not None:
            made = self.run("init", "--url", url, "--device", "laptop", *init)
            if made.returncode != 0:
                raise RuntimeError("init failed: " + made.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.owns_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    # --- files of the home ---

    def path(self, *names):
        return os.path.join(self.home, *names)

    def write(self, name, text, mode=0o600):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def read(self, name):
        """The text of a file of the home, "" if it is not there."""
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def state(self):
        return json.loads(self.read("state.json") or "{}")

    def log(self):
        return self.read("client.log")

    def key(self):
        return self.read("token").strip()

    def digest(self):
        return hashlib.sha256(self.key().encode("ascii")).hexdigest()

    def pending(self):
        """The pointers that wait, by file name."""
        folder = self.path("spool", "pending")
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        pointers = {}
        for name in names:
            if name.endswith(".json"):
                try:
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        pointers[name] = json.load(file)
                except FileNotFoundError:
                    pass  # it has just been sent
        return pointers

    # --- the program ---

    def run(self, *args, stdin="", env=None, cwd=None, timeout=TIMEOUT):
        """Run a command to its end; output as text."""
        return subprocess.run([self.program, *args], input=stdin,
                              capture_output=True, encoding="utf-8",
                              env=dict(self.env, **(env or {})),
                              cwd=cwd or self.folder, timeout=timeout)

    def hook(self, event, agent, data, **more):
        """Run a hook; data: what the agent writes, an object or text."""
        text = data if isinstance(data, str) else json.dumps(data)
        return self.run("hook", event, "--agent", agent, stdin=text, **more)

    def start(self, *args, env=None, **more):
        """Start a command and leave its ends to the caller, as bytes."""
        more.setdefault("stdin", subprocess.PIPE)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([self.program, *args], cwd=self.folder,
                                env=dict(self.env, **(env or {})), **more)
