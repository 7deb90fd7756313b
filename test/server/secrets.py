#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No part of a key leaves the place where it belongs: every command is run and
every kind of request is failed with all logging on, and then what was written
and the command lines of the processes are searched for the keys, their halves
and their other forms. Also `up --key`, which makes one.

usage: secrets.py JEZERO_SERVER
"""

import base64
import glob
import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from cli import Home, claude_session  # noqa: E402
from jzserver import Server, bearer, client, digest, item, request  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
KNOWN = "Zq7known.3vLm_8sRt+Xw/YbNc=="
FROM_ENV = "Kd4env.9uHp~2fGj-6oBa!Wq5"
GUESSED = "Tg1guess.7eVx*0iMk#4zCy"
KEYS = (KNOWN, FROM_ENV, GUESSED)
UPLOAD = "/inbox/v1/codex/2026/10/09/rollout-2026-10-09T21-23-12-" \
         "4b1c2d9e-0000-4000-8000-000000000001.jsonl"
tap = Tap()


def forms(key):
    """A key, its halves, what base64 and hex make of them, and its digest
    beyond what people compare."""
    raw = key.encode()
    half = len(raw) // 2
    for part in (raw, raw[:half], raw[half:], raw[:12], raw[-12:]):
        yield part.decode()
        yield part.hex()
        yield urllib.parse.quote(part.decode(), safe="")
        for shift in range(3):
            # The middle of base64, wherever in a longer text it begins.
            text = base64.b64encode(b"x" * shift + part).decode()
            yield text[4:-4]
            yield text[4:-4].replace("+", "-").replace("/", "_")
    yield digest(key)[:16]


def check_clean(text, keys, what):
    for key in keys:
        for form in forms(key):
            if form.lower() in text.lower():
                tap.check(False, f"{what}: {form!r} of {key} is in it")


def command_lines():
    """Of all processes that can be looked at but this one's own."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                found.append(file.read().decode("utf-8", "replace"))
        except OSError:
            pass
    return "\n".join(found)


# --- requests ---

def headers_with(key):
    yield bearer(key)
    yield {"Authorization": "Basic " + key}
    yield {"Authorization": key}
    yield {"X-Api-Key": key}
    yield {"Cookie": "token=" + key}
    yield {"Proxy-Authorization": "Bearer " + key}
    yield {"MCP-Protocol-Version": key, **bearer(key)}
    yield {"Accept": key, **bearer(key)}
    yield {"Content-Type": key, **bearer(key)}
    yield {"Content-Encoding": key, **bearer(key)}
    yield {"X-Jezero-Project": key, **bearer(key)}
    yield [("Authorization", "Bearer " + key)] * 2


def raw_requests(key):
    head = b"Host: localhost\r\nAuthorization: Bearer " + key.encode()
    yield b"POST /mcp HTTP/1.1\r\n" + head + b"\r\n folded\r\n\r\n"
    yield b"POST /mcp HTTP/1.1\r\n" + head + b"\r\nbad header\r\n\r\n"
    yield b"POST /mcp HTTP/1.1\r\n" + head + b"\x01\r\n\r\n"
    yield b"POST /mcp HTTP/1.1\r\n" + head + b"x" * 20000 + b"\r\n\r\n"
    yield b"POST /mcp HTTP/1.1\r\n" + head + b"\r\nContent-Length: 1\r\n" \
        b"Transfer-Encoding: chunked\r\n\r\n"
    yield b"POST /mcp HTTP/1.1\r\n" + head + b"\r\nTransfer-Encoding: " \
        b"chunked\r\n\r\n" + key.encode() + b"\r\n"
    yield b"GET /mcp HTTP/9.9\r\n" + head + b"\r\n\r\n"
    yield b"BEARER /mcp HTTP/1.1\r\n" + head + b"\r\n\r\n"


def fail_every_kind(server, key):
    bodies = (PING, b"{", b"", json.dumps({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "search", "arguments": {"limit": key}}}).encode())
    for headers in headers_with(key):
        for body in bodies:
            server.ask("POST", "/mcp", body, headers)
        for method, path in (("GET", "/mcp"), ("DELETE", "/mcp"),
                             ("GET", "/metrics"), ("GET", "/inbox/v1"),
                             ("GET", "/healthz"), ("GET", "/nowhere")):
            server.ask(method, path, None, headers)
        server.ask("PUT", UPLOAD, b"{}\n", headers)
        server.ask("PUT", "/inbox/v1/codex/../x", b"{}\n", headers)
    quoted = urllib.parse.quote(key, safe="")
    for path in ("/mcp?access_token=", "/mcp?key=", UPLOAD + "?key="):
        server.ask("POST", path + quoted, PING)
        server.ask("PUT", path + quoted, PING, bearer(key))
    server.ask("POST", "/mcp", PING, bearer(key), host="evil.test")
    server.ask("POST", "/mcp", PING, dict(bearer(key), Origin="http://evil.test"))
    for data in raw_requests(key):
        with server.connect() as peer:
            peer.send(data)
            peer.half_close()
            peer.rest()
    # Half a request, and the server ends before the rest of it.
    peer = server.connect()
    peer.send(request("POST", "/mcp", PING, bearer(key))[:-5])
    return peer


def check_server(log_format):
    tables = (client("known", KNOWN, upload=True, metrics=True) +
              client("env", None, token_env="JEZERO_TEST_KEY") +
              client("one", None, token_env="JEZERO_TEST_GUESS") +
              client("two", None, token_env="JEZERO_TEST_GUESS"))
    config = 'log_level = "debug"\nlog_format = "%s"\nmetrics = true' % log_format
    env = {"JEZERO_TEST_KEY": FROM_ENV, "JEZERO_TEST_GUESS": GUESSED}
    with Server(PROGRAM, config=config, tables=tables, env=env,
                items=[item("1", "Title")]) as server:
        # What is written when it listens tells that all is on.
        tap.equal(server.ask("POST", "/mcp", PING, bearer(KNOWN)).status, 200,
                  "the key works")
        tap.equal(server.ask("POST", "/mcp", PING, bearer(FROM_ENV)).status, 200,
                  "the variable works")
        peers = [fail_every_kind(server, key) for key in KEYS]
        # The file is broken with a key in it, as a slip of the clipboard does.
        with open(server.config, encoding="utf-8") as file:
            text = file.read()
        for broken in (text.replace(digest(KNOWN), KNOWN),
                       text + "\n[[clients]]\nname = \"x\"\ntoken_env = \"" +
                       KNOWN + "\"\n",
                       text + "\n" + KNOWN + "\n",
                       text + "\n[[clients]]\nname = \"x\"\n" + KNOWN + " = 1\n",
                       text + "\n[[clients]]\nname=\"x\"\ntoken = \"" + KNOWN + "\"\n"):
            before = server.log().count("keeping the previous")
            with open(server.config, "w", encoding="utf-8") as file:
                file.write(broken)
            server.signal(signal.SIGHUP)
            end = time.monotonic() + 20
            while server.log().count("keeping the previous") == before and \
                    time.monotonic() < end:
                time.sleep(0.02)
        lines = command_lines()
        server.signal()
        tap.equal(server.wait(), 0, "exit status")
        for peer in peers:
            peer.sock.close()
        log = server.log()
        tap.check("debug" in log and len(log.splitlines()) > 100, len(log))
        check_clean(log, KEYS, "the log")
        check_clean(lines, KEYS, "a command line")


def test_no_part_of_a_key_is_in_the_log_as_text():
    check_server("text")


def test_no_part_of_a_key_is_in_the_log_as_json():
    check_server("json")


# --- commands ---

def test_no_command_shows_a_key():
    commands = (["status"], ["sources"], ["search", "title"], ["show", "1"],
                ["later", "1"], ["timeline"], ["check"], ["export", "-"],
                ["ingest"], ["device", "list"], ["device", "list", "--json"],
                ["device", "approve", "phone", digest("another-key")],
                ["device", "revoke", "phone"], ["backup", "copy.db"])
    with Home(PROGRAM) as home:
        home.env["JEZERO_TEST_KEY"] = FROM_ENV
        home.write("jezero.toml", '[server]\nlog_level = "debug"\n'
                   '[library]\npath = "jezero.db"\n' + client("known", KNOWN) +
                   client("env", None, token_env="JEZERO_TEST_KEY"))
        home.write("in.jsonl", json.dumps(item("1", "Title")) + "\n")
        home.run("import", "--config", "jezero.toml", "in.jsonl")
        said = ""
        for command in commands:
            done = home.run(*command, "--config", "jezero.toml")
            said += done.err
            # The list shows a part of a digest; that is its purpose.
            said += done.out if command[0] != "device" else ""
            tap.check(done.out != "" or done.err != "" or done.status == 0,
                      command)
        check_clean(said, KEYS, "commands")


# --- up --key ---

def read_key(home):
    with open(home.file("d", "key"), encoding="utf-8") as file:
        return file.read().strip()


def ready(up):
    up.wait_for(lambda: "Ctrl-C ends it." in up.out, 60)
    found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", up.out)
    if not tap.check(found, f"no address in {up.out!r} {up.err!r}"):
        raise RuntimeError("up did not start")
    return int(found.group(1))


def ask(port, headers):
    """The status that a request of a client on its own connection gets."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", "/mcp", PING, dict(
        headers, **{"Content-Type": "application/json"}))
    status = connection.getresponse().status
    connection.close()
    return status


def test_up_makes_a_key_and_asks_for_it():
    with Home(PROGRAM) as home:
        claude_session(home, "invoice writer")
        for folder in (".codex", ".config/opencode", ".hermes",
                       ".gemini/antigravity"):
            os.makedirs(home.file(folder))
        with home.start("up", "--port", "0", "--data", "d", "--key") as up:
            port = ready(up)
            key = read_key(home)
            tap.check(re.fullmatch(r"[A-Za-z0-9_-]{43}", key), "its form")
            mode = os.stat(home.file("d", "key")).st_mode
            tap.equal(stat.S_IMODE(mode), 0o600, "its mode")
            tap.equal(stat.S_IMODE(os.stat(home.file("d")).st_mode), 0o700,
                      "the folder's mode")
            tap.equal(ask(port, {}), 401, "without a key")
            tap.equal(ask(port, bearer(key)), 200, "with it")
            tap.equal(ask(port, bearer(key[:-1])), 401, "with a part of it")
            path = os.path.join(os.path.realpath(home.path), "d", "key")
            url = f"http://127.0.0.1:{port}/mcp"
            for part in (
                    f"export JEZERO_TOKEN=\"$(cat '{path}')\"\n",
                    "claude mcp add --transport http --scope user jezero "
                    f"{url} --header 'Authorization: Bearer ${{JEZERO_TOKEN}}'\n",
                    f"codex mcp add jezero --url {url} --bearer-token-env-var "
                    "JEZERO_TOKEN\n",
                    f"opencode mcp add jezero --url {url} --header "
                    f"'Authorization=Bearer {{file:{path}}}'\n",
                    "Authorization: \"Bearer ${JEZERO_TOKEN}\"\n",
                    f"with the text of {path} for KEY\n"):
                tap.check(part in up.out, f"no {part!r} in {up.out}")
            tap.check("every user of this computer" not in up.out, up.out)
            check_clean(up.out + up.err + command_lines(), [key], "up")
            tap.equal(up.end(), 0, "Ctrl-C")
        with home.start("up", "--port", "0", "--data", "d", "--key") as up:
            tap.equal(ask(ready(up), bearer(key)), 200, "the same key again")
            tap.equal(read_key(home), key, "the file")
            up.end()
        with home.start("up", "--port", "0", "--data", "d") as up:
            tap.equal(ask(ready(up), {}), 200, "without --key")
            tap.check("every user of this computer" in up.out, up.out)
            up.end()


def test_the_printed_variable_line_is_the_key():
    with Home(PROGRAM) as home:
        os.makedirs(home.file("it's $d"), 0o700)
        with home.start("up", "--port", "0", "--data", "it's $d", "--key") as up:
            ready(up)
            line = re.search(r"^ +(export .*)$", up.out, re.M).group(1)
            up.end()
        shown = subprocess.run(
            ["/bin/sh", "-c", line + '; printf %s "$JEZERO_TOKEN"'],
            capture_output=True, timeout=20).stdout.decode()
        with open(home.file("it's $d", "key"), encoding="utf-8") as file:
            tap.equal(shown, file.read().strip(), "what a shell makes of it")


def test_up_refuses_a_key_that_others_can_read_or_replace():
    with Home(PROGRAM) as home:
        os.mkdir(home.file("d"), 0o700)
        key = home.write("d/key", "a-key-of-my-very-own\n")

        def refused(words):
            done = home.run("up", "--port", "0", "--data", "d", "--key")
            tap.equal((done.status, done.out), (1, ""), words)
            tap.check(words in done.err, done.err)
            tap.check("a-key-of-my-very-own" not in done.err, done.err)
        os.chmod(key, 0o640)
        refused("chmod 600")
        os.chmod(key, 0o600)
        os.chmod(home.file("d"), 0o770)
        refused("chmod 700")
        os.chmod(home.file("d"), 0o700)
        os.rename(key, key + "2")
        os.symlink("key2", key)
        refused("key")
        os.remove(key)
        os.mkdir(key)
        refused("no regular file")
        os.rmdir(key)
        for text, words in ((b"", "empty"), (b" \n", "empty"),
                            (b"caf\xc3\xa9", "ASCII"), (b"a\nb", "control"),
                            (b"x" * 5000, "too large"),
                            (b"fifteen-letters", "16 characters at least"),
                            (b"a key with blanks in it", "no blank")):
            home.write("d/key", text)
            os.chmod(key, 0o600)
            refused(words)
        home.write("d/key", "  a-key-of-my-very-own\r\n")
        with home.start("up", "--port", "0", "--data", "d", "--key") as up:
            tap.equal(ask(ready(up), bearer("a-key-of-my-very-own")), 200, "one's own")
            up.end()


if __name__ == "__main__":
    tap.run(test_no_part_of_a_key_is_in_the_log_as_text)
    tap.run(test_no_part_of_a_key_is_in_the_log_as_json)
    tap.run(test_no_command_shows_a_key)
    tap.run(test_up_makes_a_key_and_asks_for_it)
    tap.run(test_the_printed_variable_line_is_the_key)
    tap.run(test_up_refuses_a_key_that_others_can_read_or_replace)
    tap.done()
