#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other people's MCP clients against the built server: both official SDKs, the
Inspector, the conformance suite and two raw probes, over HTTP and stdio.

usage: mcp_clients.py JEZERO_SERVER

The scripts that drive them are looked for in the folder $JZ_MCP_CLIENTS, else
in ../shared/clients beside the source tree. They need node and the npm packages
that their setup.sh installs. It is run when the variable is set; otherwise what
is not installed already is skipped, because a test that nobody asked for has no
business on the network.
"""

import concurrent.futures
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from jzserver import Server, item  # noqa: E402

PROGRAM = sys.argv.pop(1)
SCRIPTS = ("setup.sh", "http-probe.mjs", "stdio-probe.mjs", "conformance.sh",
           "mcp-client.mjs", "inspect.sh")
PACKAGES = ("sdk", "conf1", "conf2", "inspector")
TOOLS = "search,get_item,later,timeline,list_sources"
CALLS = [
    "--tool", "search", "--args", '{"query":"invoice"}',
    "--tool", "search", "--args", '{"query":"no-such-word","limit":"3"}',
    "--tool", "get_item", "--args", '{"item_id":1,"include_original":true}',
    "--tool", "get_item", "--args", '{"item_id":999}',
    "--tool", "later", "--args", '{"item_id":1}',
    "--tool", "later", "--args", '{"item_id":3,"query":"nothing of this"}',
    "--tool", "timeline", "--args", '{"since":"2026-10-02","project":null}',
    "--tool", "list_sources", "--args", "{}",
]
ERRORS = [
    "--expect-error", "--tool", "search", "--args", "{}",
    "--tool", "timeline", "--args", '{"since":"yesterday"}',
    "--tool", "no_such_tool", "--args", "{}",
]
ERAS = (("1", "legacy"), ("2", "legacy"), ("2", "auto"), ("2", "2026-07-28"))
folder = os.environ.get("JZ_MCP_CLIENTS") or os.path.normpath(
    os.path.join(HERE, "..", "..", "..", "shared", "clients"))
server = None


def setUpModule():
    global server
    missing = [name for name in ("node", "npm", "bash")
               if shutil.which(name) is None]
    missing += [script(name) for name in SCRIPTS
                if not os.path.exists(script(name))]
    if missing:
        print("skipped: there is no " + missing[0])
        raise unittest.SkipTest(missing[0])
    if os.environ.get("JZ_MCP_CLIENTS"):
        subprocess.run(["bash", script("setup.sh"), "--inspector"], timeout=600,
                       stdout=subprocess.DEVNULL, check=False)
    server = Server(PROGRAM, items=[
        item("1", "Invoice export", project="billing", account="ann",
             atoms=[{"kind": "decision", "text": "CSV is UTF-8"}],
             questions=["Why?"], original="[2026-10-09 21:05] user: why?"),
        item("2", "Invoice export again", project="billing",
             occurred_at="2026-10-19T21:23:12+00:00"),
        item("3", "Dashboard", summary="x" * 3000),
    ]).start()


def tearDownModule():
    server.close()


def script(name):
    return os.path.join(folder, name)


def packages_folder():
    """Where setup.sh puts them."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return (os.environ.get("MCP_CLIENTS_DIR") or
            os.path.join(cache, "mcp-clients"))


def has_packages():
    return all(os.path.isdir(os.path.join(packages_folder(), name,
                                          "node_modules"))
               for name in PACKAGES)


def wires():
    """The two ways to the server: the option, and the URL or the command."""
    return (("--http", [server.url]),
            ("--stdio", [PROGRAM, "mcp", "--library", server.library]))


def run(command, *wanted):
    """Run a client to its end: what was wrong, or None.

    Each has a folder of links to the packages as its own: the scripts write
    down there which node to use, and would read it half written by another.
    """
    with tempfile.TemporaryDirectory() as place:
        for name in PACKAGES + ("node",):
            os.symlink(os.path.join(packages_folder(), name),
                       os.path.join(place, name))
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=300,
                              env=dict(os.environ, MCP_CLIENTS_DIR=place))
    said = (done.stdout[-4000:] + done.stderr[-2000:]).decode("utf-8", "replace")
    missing = [word for word in wanted if word.encode() not in done.stdout]
    if done.returncode == 0 and not missing:
        return None
    return "%s\nexit status %d, missing %s\n%s" % (
        " ".join(command), done.returncode, missing, said)


def probe_http():
    yield run(["node", script("http-probe.mjs"), server.url])


def probe_stdio():
    yield run(["node", script("stdio-probe.mjs")] + wires()[1][1])


def use_sdks():
    for wire, target in wires():
        for sdk, era in ERAS:
            for calls in (["--expect-tools", TOOLS] + CALLS, ERRORS):
                yield run(["node", script("mcp-client.mjs"), "--sdk", sdk,
                           "--era", era] + calls + [wire] + target)


def inspect():
    for wire, target in wires():
        for era in ("legacy", "auto", "modern"):
            command = ["bash", script("inspect.sh"), "--era", era, wire,
                       " ".join(target)]
            yield run(command + ["--method", "tools/list"], "list_sources")
            yield run(command + ["--method", "tools/call", "--tool-name",
                                 "search", "--tool-args-json",
                                 '{"query":"invoice"}'], "structuredContent")


def conform(revision):
    yield run(["bash", script("conformance.sh"), "--set", revision, server.url])


class Clients(unittest.TestCase):
    """The clients wait most of the time, so all of them run side by side."""

    @classmethod
    def setUpClass(cls):
        lanes = {"probe_http": probe_http, "probe_stdio": probe_stdio}
        if has_packages():
            lanes.update(sdks=use_sdks, inspector=inspect)
            for revision in ("0.1", "2025-11-25", "2026-07-28"):
                lanes[revision] = functools.partial(conform, revision)
        cls.pool = concurrent.futures.ThreadPoolExecutor(len(lanes))
        cls.lanes = {name: cls.pool.submit(lambda lane=lane: list(lane()))
                     for name, lane in lanes.items()}

    @classmethod
    def tearDownClass(cls):
        cls.pool.shutdown()

    def check(self, name):
        if name not in self.lanes:
            self.skipTest("npm packages are missing: run " + script("setup.sh") +
                          " --inspector")
        wrong = [one for one in self.lanes[name].result() if one is not None]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_http_probe(self):
        self.check("probe_http")

    def test_stdio_probe(self):
        self.check("probe_stdio")

    def test_official_sdks(self):
        self.check("sdks")

    def test_inspector(self):
        self.check("inspector")

    def test_conformance_0_1(self):
        self.check("0.1")

    def test_conformance_2025_11_25(self):
        self.check("2025-11-25")

    def test_conformance_2026_07_28(self):
        self.check("2026-07-28")


if __name__ == "__main__":
    done = unittest.main(verbosity=2, exit=False).result
    if done.skipped and done.testsRun == 0:
        sys.exit(77)  # what meson takes for "skipped"
    sys.exit(not done.wasSuccessful())
