#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other people's MCP clients over the bridge: both official SDKs and a raw probe
of stdio against the built server, and the conformance suite's client scenarios,
whose own server watches what the bridge sends.

usage: bridge_conformance.py JEZERO_CLIENT JEZERO_SERVER

The scripts and packages are those of test/server/mcp_clients.py, and so is what
is skipped: $JZ_MCP_CLIENTS names their folder, else it is ../shared/clients
beside the source tree. What is not installed is installed only if it is set.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import jzserver  # noqa: E402
from jzclient import Client  # noqa: E402
from jzserver import Server, item  # noqa: E402

SERVER = sys.argv.pop(2)
CLIENT = os.path.abspath(sys.argv.pop(1))
KEY = "an-invented-key-of-43-characters-0000000000"
SCRIPTS = ("setup.sh", "stdio-probe.mjs", "mcp-client.mjs", "bridge-client.mjs",
           "bridge-conformance.sh")
PACKAGES = ("sdk", "conf1", "conf2")
TOOLS = "search,get_item,later,timeline,list_sources"
ERAS = (("1", "legacy"), ("2", "legacy"), ("2", "auto"), ("2", "2026-07-28"))
# Starts the bridge of a computer that is set up for the URL it is given.
WRAPPER = """\
import json, os, sys, urllib.parse
home = sys.argv[1]
url = urllib.parse.urlsplit(sys.argv[-1])
text = json.dumps({"url": "http://" + url.netloc, "device": "laptop",
                   "mcp_path": url.path or "/"})
for name, data in (("client.json", text), ("token", %r)):
    part = os.path.join(home, "%%s.%%d" %% (name, os.getpid()))
    with open(os.open(part, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(data)
    os.rename(part, os.path.join(home, name))
os.execve(%r, [%r, "mcp"], dict(os.environ, JEZERO_CLIENT_HOME=home))
"""
folder = os.environ.get("JZ_MCP_CLIENTS") or os.path.normpath(
    os.path.join(HERE, "..", "..", "..", "shared", "clients"))


def script(name):
    return os.path.join(folder, name)


def packages_folder():
    """Where setup.sh puts them."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return (os.environ.get("MCP_CLIENTS_DIR") or
            os.path.join(cache, "mcp-clients"))


def setUpModule():
    missing = [name for name in ("node", "npm", "bash")
               if shutil.which(name) is None]
    missing += [script(name) for name in SCRIPTS
                if not os.path.exists(script(name))]
    if missing:
        print("skipped: there is no " + missing[0])
        raise unittest.SkipTest(missing[0])
    if os.environ.get("JZ_MCP_CLIENTS"):
        subprocess.run(["bash", script("setup.sh")], timeout=600,
                       stdout=subprocess.DEVNULL, check=False)


def need_packages():
    if not all(os.path.isdir(os.path.join(packages_folder(), name,
                                          "node_modules"))
               for name in PACKAGES):
        raise unittest.SkipTest("npm packages are missing: run " +
                                script("setup.sh"))


class Bridge(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        # Links of their own: the scripts note there which node to use.
        for name in PACKAGES + ("node",):
            os.symlink(os.path.join(packages_folder(), name),
                       os.path.join(self.place.name, name))
        self.server = Server(SERVER, items=[
            item("1", "Invoice export", project="billing"),
            item("2", "Dashboard")],
            tables=jzserver.client("laptop", KEY, sources=["*"])).start()
        self.client = Client(CLIENT, url=self.server.url[:-len("/mcp")], key=KEY)

    def tearDown(self):
        self.client.close()
        self.server.close()
        self.place.cleanup()

    def run_client(self, command, *wanted):
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=500, cwd=self.client.folder,
                              env=dict(self.client.env,
                                       MCP_CLIENTS_DIR=self.place.name))
        said = done.stdout[-4000:].decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, said)
        for text in wanted:
            self.assertIn(text, said)

    def test_stdio_probe(self):
        self.run_client(["node", script("stdio-probe.mjs"), CLIENT, "mcp"],
                        " 0 failed")

    def test_official_sdks(self):
        need_packages()
        calls = ["--tool", "search", "--args", '{"query":"invoice"}',
                 "--tool", "get_item", "--args", '{"item_id":1}',
                 "--tool", "later", "--args", '{"item_id":1}',
                 "--tool", "timeline", "--args", "{}",
                 "--tool", "list_sources", "--args", "{}"]
        for sdk, era in ERAS:
            with self.subTest(sdk=sdk, era=era):
                self.run_client(["node", script("mcp-client.mjs"), "--sdk", sdk,
                                 "--era", era, "--expect-tools", TOOLS, *calls,
                                 "--stdio", CLIENT, "mcp"])
                self.run_client(["node", script("mcp-client.mjs"), "--sdk", sdk,
                                 "--era", era, "--expect-error",
                                 "--tool", "no_such_tool", "--args", "{}",
                                 "--stdio", CLIENT, "mcp"])

    def test_the_tools_stay_while_the_server_is_away(self):
        need_packages()
        self.server.signal()
        self.server.wait()
        for sdk, era in ERAS:
            with self.subTest(sdk=sdk, era=era):
                self.run_client(["node", script("mcp-client.mjs"), "--sdk", sdk,
                                 "--era", era, "--expect-tools", TOOLS,
                                 "--expect-error",
                                 "--tool", "list_sources", "--args", "{}",
                                 "--stdio", CLIENT, "mcp"])

    def test_conformance(self):
        need_packages()
        home = os.path.join(self.place.name, "home")
        os.mkdir(home, 0o700)
        wrapper = os.path.join(self.place.name, "bridge.py")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write(WRAPPER % (KEY + "\n", CLIENT, CLIENT))
        self.run_client(["bash", script("bridge-conformance.sh"),
                         "%s %s %s {url}" % (sys.executable, wrapper, home)],
                        "bridge: 8 passed, 0 failed")


if __name__ == "__main__":
    done = unittest.main(verbosity=2, exit=False).result
    if done.skipped and done.testsRun == len(done.skipped):
        sys.exit(77)  # what meson takes for "skipped"
    sys.exit(not done.wasSuccessful())
