#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole sessions of the agents' own programs, with a model on 127.0.0.1 in place
of theirs: setup or plugin, the protocol and related work in the model's request,
a search through the bridge, and the session as an item in the library.

usage: agents.py JEZERO_CLIENT JEZERO_SERVER

The programs come from npm, by .ci/tools; those that are not there are skipped.
"""

import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import agent_sessions  # noqa: E402
import jzserver  # noqa: E402
from jzclient import Client  # noqa: E402
from model_server import ModelServer  # noqa: E402
from tap import Tap  # noqa: E402
from tools import find  # noqa: E402

CLIENT, SERVER = sys.argv[1:3]
PLUGINS = os.path.join(HERE, "..", "..", "client", "plugins")
KEY = "invented-key-of-a-laptop"
PROMPT = "Why does the invoice export break accents in spreadsheets?"
TITLE = "Invoice export: switch CSV writer to UTF-8 with BOM"
PROTOCOL = "## Jezero: shared memory of past work (read-only)"
RECENT = "Recent work on project `shop` in Jezero (newest first):"
RELATED = "Jezero has past work that may be related"
AGENT_SECONDS = 120
ARRIVES_SECONDS = 60

tap = Tap()


class Session:
    """A user's home with an agent in it, a server and a model."""

    def __init__(self, agent):
        self.agent = agent
        self.server = jzserver.Server(
            SERVER, tables=jzserver.client("laptop", KEY, upload=True,
                                           sources=["agent-*"]),
            items=[jzserver.item("1", TITLE, project="shop",
                                 summary="The invoice export opened with broken "
                                         "accents in spreadsheets."),
                   jzserver.item("2", "Chart colours", project="shop")])
        self.model = ModelServer(query="invoice export")

    def __enter__(self):
        self.server.__enter__()
        self.model.__enter__()
        self.client = Client(CLIENT, url=self.server.url[:-len("/mcp")], key=KEY)
        self.home = self.client.folder
        self.folder = os.path.join(self.home, "shop")
        os.mkdir(self.folder)
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        tools = os.path.join(self.home, "bin")
        os.mkdir(tools)
        os.symlink(os.path.abspath(CLIENT), os.path.join(tools, "jezero-client"))
        # Nothing of this machine's user, and none of its keys.
        self.env = {name: os.environ[name] for name in ("LANG", "LD_PRELOAD")
                    if name in os.environ}
        self.env.update(HOME=self.home, PATH=tools + ":" + os.environ["PATH"],
                        NO_PROXY="127.0.0.1", DISABLE_AUTOUPDATER="1",
                        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
                        ANTHROPIC_BASE_URL=self.model.url,
                        ANTHROPIC_API_KEY="invented",
                        OPENCODE_DISABLE_AUTOUPDATE="1",
                        ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", ""))
        return self

    def __exit__(self, *_):
        self.client.close()
        self.model.__exit__()
        self.server.__exit__()

    def write(self, name, text):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, *command):
        """Run a program of the agent's: its output."""
        done = subprocess.run(command, cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=AGENT_SECONDS)
        tap.equal(done.returncode, 0, " ".join(map(str, command[:4])) + ": " +
                  done.stdout[-500:] + done.stderr[-1500:])
        return done.stdout

    def set_up(self, *options):
        return self.run("jezero-client", "setup", "--agent", self.agent, *options)

    # --- what came of it ---

    def check_context(self):
        first = next((text for text in self.model.texts()
                      if PROMPT in text and PROTOCOL in text), "")
        tap.check(first, "the protocol is in a request of the prompt")
        tap.check(RECENT.replace('"', '\\"') in first, "so is recent work")
        tap.check(RELATED in first, "so is related work")
        tap.equal(first.count(PROTOCOL), 1, "the protocol comes once")

    def check_search(self):
        answers = [text for text in self.model.texts() if "call_jz1" in text]
        tap.check(any("switch CSV writer" in text.split("call_jz1", 1)[1]
                      for text in answers),
                  "the search's answer reached the model")

    def check_upload(self):
        source = "agent-%s-laptop" % self.agent
        end = time.monotonic() + ARRIVES_SECONDS
        sources = {}
        while source not in sources and time.monotonic() < end:
            time.sleep(0.1)
            answer = self.server.ask(
                "POST", "/mcp", json.dumps(
                    {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "list_sources",
                                "arguments": {}}}).encode(),
                headers=jzserver.bearer(KEY))
            result = json.loads(answer.body)["result"]
            sources = result["structuredContent"]["sources"]
        tap.check(source in sources, "the session is an item: %s, log %s" %
                  (sources, self.client.log()))

    def check_sent(self):
        """Uploads that the server keeps, and does not read yet."""
        end = time.monotonic() + ARRIVES_SECONDS
        while not self.client.state().get("sent") and time.monotonic() < end:
            time.sleep(0.1)
        tap.equal(len(self.client.state().get("sent", {})), 1,
                  "the session was sent: " + self.client.log())

    def check_all(self, is_read=True):
        self.check_context()
        self.check_search()
        if is_read:
            self.check_upload()
        else:
            self.check_sent()


# --- Claude Code ---

CLAUDE = find("claude")
CLAUDE_TOOLS = "mcp__jezero__search,mcp__plugin_jezero_jezero__search"


def ask_claude(session, *options):
    session.run(CLAUDE, "-p", PROMPT, "--allowedTools", CLAUDE_TOOLS, *options)


def test_claude_code_with_its_plugin():
    with Session("claude-code") as session:
        plugin = os.path.join(PLUGINS, "claude-code")
        session.run(CLAUDE, "plugin", "validate", plugin)
        session.run(CLAUDE, "plugin", "marketplace", "add", plugin)
        session.run(CLAUDE, "plugin", "install", "jezero@jezero")
        tap.equal(session.set_up(),
                  "claude-code: plugin installed, nothing to register\n",
                  "setup sees the plugin")
        ask_claude(session)
        session.check_all()


def test_claude_code_with_setup():
    with Session("claude-code") as session:
        os.mkdir(os.path.join(session.home, ".claude"))
        session.set_up("--hooks")
        listed = session.run(CLAUDE, "mcp", "list")
        tap.check("jezero" in listed and "Connected" in listed, listed)
        ask_claude(session)
        session.check_all()
        session.set_up("--remove")
        tap.check("jezero" not in session.run(CLAUDE, "mcp", "list"), "removed")


# --- Codex ---

CODEX = find("codex")
CODEX_CONFIG = """\
model = "m1"
model_provider = "model"

[model_providers.model]
name = "model"
base_url = "%s/v1"
wire_api = "responses"
"""


def begin_codex(session):
    session.write(".codex/config.toml", CODEX_CONFIG % session.model.url)


def ask_codex(session):
    # What a person approves with /hooks is approved here by the option.
    session.run(CODEX, "exec", "--dangerously-bypass-hook-trust",
                "--dangerously-bypass-approvals-and-sandbox",
                "--skip-git-repo-check", PROMPT)


def test_codex_with_its_plugin():
    with Session("codex") as session:
        begin_codex(session)
        session.run(CODEX, "plugin", "marketplace", "add",
                    os.path.join(PLUGINS, "codex"))
        session.run(CODEX, "plugin", "add", "jezero@jezero")
        tap.equal(session.set_up(),
                  "codex: plugin installed, nothing to register\n",
                  "setup sees the plugin")
        ask_codex(session)
        session.check_all()


def test_codex_with_setup():
    with Session("codex") as session:
        begin_codex(session)
        session.set_up("--hooks")
        tap.check("jezero" in session.run(CODEX, "mcp", "list"), "listed")
        ask_codex(session)
        session.check_all()


# --- OpenCode ---

OPENCODE = find("opencode")


def test_opencode_with_its_plugin():
    with Session("opencode") as session:
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "Model",
                    "options": {"baseURL": session.model.url + "/v1",
                                "apiKey": "invented"},
                    "models": {"m1": {"name": "M1"}}}
        session.write(".config/opencode/opencode.json", json.dumps(
            {"provider": {"model": provider}, "model": "model/m1"}))
        session.set_up()
        listed = session.run(OPENCODE, "mcp", "list")
        tap.check("jezero" in listed and "connected" in listed, listed)
        session.run(OPENCODE, "run", PROMPT)
        session.check_all(is_read=False)


# --- Hermes, which cannot be had here: its plugin in Python, as Hermes loads it ---

HERMES = """\
import importlib.util, json, os, sys

class Context:
    def __init__(self):
        self.tools, self.hooks = {}, {}
    def register_tool(self, name, toolset, schema, handler):
        self.tools[name] = handler
    def register_hook(self, event, fn):
        self.hooks[event] = fn

spec = importlib.util.spec_from_file_location("jezero", sys.argv[1])
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
ctx = Context()
plugin.register(ctx)
session, prompt = sys.argv[2:4]
ask = dict(session_id=session, conversation_history=[], model="m", platform="cli")
first = ctx.hooks["pre_llm_call"](user_message=prompt, is_first_turn=True, **ask)
second = ctx.hooks["pre_llm_call"](user_message=prompt, is_first_turn=False, **ask)
found = ctx.tools["jezero_search"]({"query": "invoice export", "project": None})
ctx.hooks["on_session_end"](session_id=session, completed=True)
print(json.dumps([first, second, json.loads(found), sorted(ctx.tools)]))
"""


def test_hermes_with_its_plugin():
    with Session("hermes") as session:
        made = agent_sessions.hermes(session.home, cwd=session.folder)
        session.set_up()
        plugin = os.path.join(session.home, ".hermes", "plugins", "jezero",
                              "__init__.py")
        first, second, found, tools = json.loads(session.run(
            sys.executable, "-c", HERMES, plugin, made[0], PROMPT))
        context = first["context"]
        tap.check("jezero_search" in context and "shared memory" in context,
                  context)
        tap.check(TITLE in context, context)
        tap.check(not second or "jezero_later" not in second["context"],
                  "the protocol comes once")
        tap.equal(found["results"][0]["title"], TITLE, "the tool's answer")
        tap.equal(tools, ["jezero_get_item", "jezero_later",
                          "jezero_list_sources", "jezero_search",
                          "jezero_timeline"], "tools")
        session.check_sent()


# --- Antigravity: its documented events, through the commands of hooks.json ---

def antigravity_event(session, name, **more):
    """What the registered commands answer."""
    path = os.path.join(session.home, ".gemini", "config", "hooks.json")
    with open(path, encoding="utf-8") as file:
        handlers = json.load(file)["jezero"][name]
    answers = []
    for handler in handlers:
        done = subprocess.run(["sh", "-c", handler["command"]],
                              input=json.dumps(dict(session.event, **more)),
                              cwd=os.path.dirname(path), env=session.env,
                              capture_output=True, text=True,
                              timeout=handler["timeout"] + 30)
        tap.equal(done.returncode, 0, name + done.stderr)
        answers.append(json.loads(done.stdout))
    return answers


def test_antigravity_with_setup():
    with Session("antigravity") as session:
        made, transcript = agent_sessions.antigravity(session.home,
                                                      place="antigravity-cli")
        os.makedirs(os.path.join(session.home, ".gemini", "config"),
                    exist_ok=True)
        session.set_up("--hooks")
        session.event = {"conversationId": made,
                         "workspacePaths": [session.folder],
                         "transcriptPath": transcript}
        first = antigravity_event(session, "PreInvocation", invocationNum=0,
                                  initialNumSteps=1)
        text = json.dumps(first, ensure_ascii=False)
        tap.check(PROTOCOL in text and RECENT in text, text)
        tap.check(RELATED in text, text)
        tap.equal(antigravity_event(session, "PreInvocation", invocationNum=1),
                  [{}], "nothing in the middle of a turn")
        tap.equal(antigravity_event(session, "Stop", fullyIdle=True), [{}],
                  "the answer to Stop")
        session.check_sent()


tap.run(test_hermes_with_its_plugin)
tap.run(test_antigravity_with_setup)
for program, name, tests in (
        (CLAUDE, "claude", (test_claude_code_with_its_plugin,
                            test_claude_code_with_setup)),
        (CODEX, "codex", (test_codex_with_its_plugin, test_codex_with_setup)),
        (OPENCODE, "opencode", (test_opencode_with_its_plugin,))):
    for test in tests:
        if program is None:
            tap.skip(test.__name__.replace("test_", "", 1),
                     "no %s here: .ci/tools gets it from npm" % name)
        else:
            tap.run(test)
tap.done()
