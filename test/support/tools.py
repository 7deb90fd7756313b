# SPDX-License-Identifier: Apache-2.0
"""Finds the programs and data that .ci/tools unpacks."""

import os
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACES = {
    "nginx": "nginx/usr/sbin/nginx",
    "claude": "agents/node_modules/.bin/claude",
    "codex": "agents/node_modules/.bin/codex",
    "opencode": "agents/node_modules/.bin/opencode",
    "promtool": "prometheus/usr/bin/promtool",
    "toml-test": "golang-github-burntsushi-toml-dev/usr/share/gocode/src/"
                 "github.com/BurntSushi/toml/internal/toml-test/tests",
}


def find(name):
    """The path of a tool: what .ci/tools has unpacked, else an installed
    program; None if there is neither."""
    path = os.path.join(ROOT, "build", "tools", PLACES.get(name, name))
    return path if os.path.exists(path) else shutil.which(name)
