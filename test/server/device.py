#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""init and device with the real program: files that keep what is in them, many
commands at once, and a server that takes the change while it runs.

usage: device.py JEZERO_SERVER
"""

import hashlib
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from cli import Home  # noqa: E402
from jzserver import Server  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = sys.argv[1]
# The hot reload's second, and a machine that is busy.
RELOAD_SECONDS = 20
FILE = b"""\
# Ours. Ask Ada before you touch it.\r
[server]\r
  port = 0   # any\r
\r
[[clients]]\r
\tname = "desk" # by the window\r
\ttoken_sha256 = "%s"\r
\tsources = [ "agent-*", # all agents\r
\t  "mail" ]\r
# He may not upload: the disk is small.\r
\r
# --- the end ---\r
[ingest]\r
interval_seconds = 60"""
BLOCK = b"""\
[[clients]]\r
name = "laptop"\r
token_sha256 = "%s"\r
sources = ["agent-*"]\r
upload = true\r
\r
"""
tap = Tap()
home = Home(PROGRAM)


def digest(key):
    return hashlib.sha256(key.encode()).hexdigest()


def key(name):
    """43 characters, as clients make them, plainly made up."""
    return (name + "-plainly-made-up-" + "0" * 43)[:43]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def device(*words, status=0):
    result = home.run("device", *words)
    tap.equal(result.status, status, (words, result))
    tap.equal(result.out == "", status != 0, (words, result))
    tap.check(result.err == "" if status == 0 else
              result.err.startswith("jezero-server device: "), result.err)
    tap.equal(result.err.count("\n"), int(status != 0), result.err)
    return result


def fresh(name, text=None):
    """A configuration in a folder of its own: its path."""
    text = FILE % digest("desk").encode() if text is None else text
    return home.write(os.path.join(name, "jezero.toml"), text)


def folder(path):
    return sorted(os.listdir(os.path.dirname(path)))


def test_an_approved_device_is_the_only_difference():
    path = fresh("approve")
    before = read(path)
    sha = digest(key("laptop"))
    device("approve", "laptop", sha.upper(), "--config", path)
    want = before.replace(b"# --- the end", BLOCK % sha.encode()
                          + b"# --- the end")
    tap.equal(read(path), want, "approved")
    device("approve", "--config", path, "laptop", sha)
    tap.equal(read(path), want, "approved again")
    device("revoke", "laptop", "--config", path)
    revoked = want.replace(b"upload = true\r\n", b"upload = true\r\n"
                           b"revoked = true\r\n")
    tap.equal(read(path), revoked, "revoked")
    device("revoke", "laptop", "--config", path)
    tap.equal(read(path), revoked, "revoked again")
    device("approve", "laptop", digest("new"), "--reuse", "--config", path)
    tap.equal(read(path), want.replace(sha.encode(), digest("new").encode()),
              "taken again")
    tap.equal(folder(path), ["jezero.toml"], "what is left behind")


def test_what_sha256sum_prints_can_be_pasted():
    path = fresh("paste")
    sha = digest(key("laptop"))
    device("approve", "laptop", sha + "  -", "--config", path)
    tap.check(sha.encode() in read(path), "in quotes")
    device("approve", "desk2", digest("b"), "-", "--config", path)
    tap.check(digest("b").encode() in read(path), "without")
    for words in ((sha + "  -x",), (sha + "0  -",), (sha[1:] + "  -",),
                  ("  -",), (sha, "-", "-")):
        result = home.run("device", "approve", "x", *words, "--config", path)
        tap.equal((result.status, result.out), (2, ""), words)


def test_a_new_key_is_told_the_way():
    path = fresh("newkey")
    device("approve", "laptop", digest("a"), "--config", path)
    result = device("approve", "laptop", digest("b"), "--config", path, status=1)
    tap.check("device revoke laptop" in result.err and "--reuse" in result.err,
              result.err)


def test_what_is_refused_changes_nothing():
    path = fresh("refused")
    device("approve", "laptop", digest("a"), "--config", path)
    device("approve", "phone", digest("p"), "--read-only", "--config", path)
    device("revoke", "laptop", "--config", path)
    before = read(path)
    for words in (("approve", "laptop", digest("b")),
                  ("approve", "tablet", digest("a")),
                  ("approve", "tablet", digest("p")),
                  ("approve", "phone", digest("p")),
                  ("approve", "phone", digest("b")),
                  ("approve", "phone", digest("b"), "--reuse"),
                  ("revoke", "nobody")):
        device(*words, "--config", path, status=1)
    tap.equal(read(path), before, "refused")
    device("approve", "phone", digest("p"), "--read-only", "--config", path)
    tap.equal(read(path), before, "approved already")


def test_wrong_usage_is_said_before_the_file_is_looked_at():
    good = digest("a")
    for words in ((), ("aprove",), ("approve",), ("approve", "a"),
                  ("approve", "a", good, "b"), ("list", "a"), ("revoke",),
                  ("approve", "", good), ("approve", ".", good),
                  ("approve", "..", good), ("approve", ".a", good),
                  ("approve", "a/b", good), ("approve", "a b", good),
                  ("approve", "caf\u00e9", good), ("approve", "a", good[1:]),
                  ("approve", "a", good + "0"), ("approve", "a", "z" + good[1:]),
                  ("approve", "a", ""), ("list", "--reuse"),
                  ("revoke", "a", "--read-only"), ("approve", "a", good,
                                                   "--json")):
        result = home.run("device", *words, "--config", "none.toml")
        tap.equal((result.status, result.out), (2, ""), (words, result))
    result = home.run("device", "aprove", "a", good)
    tap.check("nearest: approve" in result.err, result.err)


def test_a_key_instead_of_its_digest_is_never_shown():
    path = fresh("key")
    before = read(path)
    for words in (("laptop", key("laptop")), (key("laptop"), "laptop")):
        result = home.run("device", "approve", *words, "--config", path)
        tap.equal(result.status, 2, words)
        tap.check(key("laptop") not in result.out + result.err, result)
    result = home.run("device", "approve", "laptop", key("laptop"))
    tap.check("the key itself" in result.err, result.err)
    tap.equal(read(path), before, "the file")


def test_a_file_with_a_fault_is_left_as_it_is():
    for text in (b"[server]\nprot = 1\n", b"# \x01\n", b"a = \"\x7f\"\n",
                 b"[server]\rport = 1\n", b"# \xff\n", b"clients = 1\n",
                 b"[[clients]]\nname = \"a\"\n", b"[server\n"):
        path = fresh("fault", text)
        for words in (("approve", "laptop", digest("a")), ("revoke", "a"),
                      ("list",)):
            result = device(*words, "--config", path, status=1)
            tap.check(" line " in result.err, result.err)
            tap.check("\x01" not in result.err, result.err)
        tap.equal(read(path), text, text)
    tap.equal(folder(path), ["jezero.toml"], "what is left behind")
    device("list", "--config", "none.toml", status=1)
    device("list", "--config", home.path, status=1)


def test_clients_written_as_an_array_are_edited_too():
    path = fresh("array", b"clients = [ # all\n  { name = \"a\", token_env ="
                          b" \"K\" }, # one\n]\n[server]\n")
    device("approve", "laptop", digest("a"), "--read-only", "--config", path)
    device("revoke", "a", "--config", path)
    tap.equal(read(path), b"clients = [ # all\n  { name = \"a\", token_env = "
              b"\"K\", revoked = true }, # one\n  { name = \"laptop\", "
              b"token_sha256 = \"" + digest("a").encode() + b"\", sources = "
              b"[\"agent-*\"] },\n]\n[server]\n", "array")


def test_mode_owner_and_link_of_the_file_are_kept():
    path = fresh("real")
    os.chmod(path, 0o640)
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(path, 12345, 23456)
    link = home.file("link.toml")
    os.symlink("real/jezero.toml", link)
    device("approve", "laptop", digest("a"), "--config", link)
    tap.check(os.path.islink(link), "the link")
    state = os.stat(path)
    tap.equal(state.st_mode & 0o7777, 0o640, "mode")
    if is_root:
        tap.equal((state.st_uid, state.st_gid), (12345, 23456), "owner")
    tap.check(b"laptop" in read(path), "the file")
    tap.equal(folder(path), ["jezero.toml"], "what is left behind")


def test_sixteen_commands_at_once_all_count():
    path = fresh("many")
    before = read(path)
    names = ["device-%d" % number for number in range(16)]
    running = [subprocess.Popen(
        [home.program, "device", "approve", name, digest(name), "--config",
         path], stdout=subprocess.DEVNULL, env=home.env, cwd=home.path)
        for name in names]
    tap.equal([process.wait(120) for process in running], [0] * 16, "exits")
    text = read(path)
    for name in names:
        tap.equal(text.count(b"name = \"%s\"" % name.encode()), 1, name)
        text = text.replace(
            BLOCK.replace(b"laptop", name.encode())
            % digest(name).encode(), b"")
    tap.equal(text, before, "all else")
    tap.equal(folder(path), ["jezero.toml"], "what is left behind")


def test_the_list_names_rights_and_faults():
    path = fresh("list", b"")
    result = home.run("device", "list", "--config", path)
    tap.equal((result.status, result.out), (0, ""), "empty")
    tap.check("no devices yet" in result.err and
              "approve NAME SHA256 --config " + path in result.err, result.err)
    result = home.run("device", "list", "--json", "--config", path)
    tap.equal((json.loads(result.out), result.err), ({"devices": []}, ""), "{}")
    home.write("list/jezero.toml", """\
[[clients]]
name = "laptop"
token_sha256 = "%s"
upload = true
[[clients]]
name = "twin"
token_sha256 = "%s"
sources = []
[[clients]]
name = "old"
token_env = "OLD_KEY"
sources = ["a", "b-*"]
metrics = true
revoked = true
[[clients]]
name = "odd"
token_env = "K"
sources = ["\\u001b[31m\\nodd  reads *"]
""" % (digest("a").upper(), digest("a")))
    result = device("list", "--config", path)
    lines = result.out.splitlines()
    tap.equal(len(lines), 4, lines)
    tap.check("\x1b" not in result.out, result.out)
    tap.check(lines[0].startswith("laptop  ") and "reads *, uploads" in
              lines[0] and "same key" in lines[0], lines[0])
    tap.check("reads what it sent" in lines[1], lines[1])
    tap.check("$OLD_KEY" in lines[2] and "revoked" in lines[2], lines[2])
    answer = json.loads(device("list", "--json", "--config", path).out)
    tap.equal(answer["devices"][2], {
        "name": "old", "token_sha256": None, "token_env": "OLD_KEY",
        "sources": ["a", "b-*"], "upload": False, "metrics": True,
        "revoked": True, "disabled": None}, "json")
    tap.equal([one["disabled"] is None for one in answer["devices"]],
              [False, False, True, True], "disabled")


def status_of(server, secret):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    return server.ask("POST", "/mcp", body,
                      [("Authorization", "Bearer " + secret)]).status


def wait_for(server, secret, status):
    """Until the server answers this key so: whether it did."""
    end = time.monotonic() + RELOAD_SECONDS
    while status_of(server, secret) != status:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_a_running_server_takes_the_change():
    work = home.file("served")
    os.mkdir(work)
    server = Server(PROGRAM, folder=work)
    with open(server.config, "w", encoding="utf-8") as file:
        file.write("[server]\nport = 0\n[library]\npath = \"jezero.db\"\n")
    device("approve", "desk", digest(key("desk")), "--config", server.config)
    with server:
        tap.check(wait_for(server, key("desk"), 200), "desk")
        tap.equal(status_of(server, key("laptop")), 401, "before")
        device("approve", "laptop", digest(key("laptop")), "--config",
               server.config)
        tap.check(wait_for(server, key("laptop"), 200), "approved")
        device("revoke", "laptop", "--config", server.config)
        tap.check(wait_for(server, key("laptop"), 401), "revoked")
        device("approve", "laptop", digest(key("another")), "--reuse",
               "--config", server.config)
        tap.check(wait_for(server, key("another"), 200), "taken again")
        tap.equal(status_of(server, key("laptop")), 401, "the old key")
        tap.equal(status_of(server, key("desk")), 200, "desk at the end")


def test_init_makes_what_serve_needs():
    result = home.run("init", "--dir", "new/place")
    tap.equal((result.status, result.err), (0, ""), result)
    path = home.file("new", "place", "jezero.toml")
    for part in ("jezero-client init --url URL", "device approve NAME SHA256 --config " + path,
                 "serve --config " + path, "systemctl"):
        tap.check(part in result.out, (part, result.out))
    tap.equal(os.stat(path).st_mode & 0o7777, 0o600, "the file's mode")
    tap.equal(os.stat(home.file("new", "place", "data")).st_mode & 0o7777,
              0o700, "the folder's mode")
    result = home.run("serve", "--config", path, timeout=60)
    tap.equal(result.status, 1, "without a client")
    tap.check("`jezero device approve NAME SHA256 --config %s`" % path
              in result.err, result.err)
    device("approve", "laptop", digest("a"), "--config", path)
    text = read(path)
    tap.check(text.endswith(b"upload = true\n"), text[-200:])
    tap.equal(home.run("import", "--config", path, "-").status, 0, "import")
    tap.check(os.path.exists(home.file("new", "place", "data", "jezero.db")),
              "the library")


def test_init_overwrites_nothing():
    path = fresh("there", b"# mine\n")
    result = home.run("init", "--dir", "there")
    tap.equal((result.status, result.out), (1, ""), result)
    tap.check("jezero.toml is there already" in result.err, result.err)
    tap.equal((read(path), folder(path)), (b"# mine\n", ["jezero.toml"]), path)
    os.makedirs(home.file("dangling"))
    os.symlink("nowhere", home.file("dangling", "jezero.toml"))
    tap.equal(home.run("init", "--dir", "dangling").status, 1, "a link")
    tap.equal(os.listdir(home.file("dangling")), ["jezero.toml"], "a link")
    home.write("file", b"")
    tap.equal(home.run("init", "--dir", "file").status, 1, "a file")
    tap.equal(home.run("init", "--dir", "").status, 2, "an empty name")


def test_init_can_keep_the_library_elsewhere():
    result = home.run("init", "--data", "state", "--dir", "etc")
    tap.equal((result.status, result.err), (0, ""), result)
    text = read(home.file("etc", "jezero.toml")).decode("utf-8")
    state = os.path.realpath(home.file("state"))
    tap.check('\npath = "%s/jezero.db"\n' % state in text, text[:200])
    tap.check('\npath = "%s/inbox"\n' % state in text, text[:200])
    tap.equal(os.listdir(home.file("etc")), ["jezero.toml"], "etc")


def test_the_usual_places_are_searched():
    result = device("list", status=1)
    tap.check("no configuration: make one with `jezero-server init`, or name it "
              "with --config FILE (" in result.err, result.err)
    home.run("init")
    result = home.run("device", "list")
    tap.check(result.err.endswith(": jezero-server device approve NAME "
                                  "SHA256\n"), result.err)
    device("approve", "laptop", digest("a"))
    tap.check(b"laptop" in read(home.file("jezero.toml")), "the folder's")
    os.rename(home.file("jezero.toml"), home.file("away.toml"))
    path = home.write(".config/jezero/jezero.toml", "")
    device("approve", "desk", digest("b"))
    tap.check(b"desk" in read(path), "the user's")


if __name__ == "__main__":
    with home:
        tap.run(test_an_approved_device_is_the_only_difference)
        tap.run(test_what_sha256sum_prints_can_be_pasted)
        tap.run(test_a_new_key_is_told_the_way)
        tap.run(test_what_is_refused_changes_nothing)
        tap.run(test_wrong_usage_is_said_before_the_file_is_looked_at)
        tap.run(test_a_key_instead_of_its_digest_is_never_shown)
        tap.run(test_a_file_with_a_fault_is_left_as_it_is)
        tap.run(test_clients_written_as_an_array_are_edited_too)
        tap.run(test_mode_owner_and_link_of_the_file_are_kept)
        tap.run(test_sixteen_commands_at_once_all_count)
        tap.run(test_the_list_names_rights_and_faults)
        tap.run(test_a_running_server_takes_the_change)
        tap.run(test_init_makes_what_serve_needs)
        tap.run(test_init_overwrites_nothing)
        tap.run(test_init_can_keep_the_library_elsewhere)
        tap.run(test_the_usual_places_are_searched)
    tap.done()
