#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugins, in the way that each agent loads them: their manifests, Hermes'
in Python with an object in place of Hermes, OpenCode's under node with both
output streams captured. Most of them run a scripted program, so that it can
answer anything or nothing. Arguments: jezero-client, jezero-server."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzclient import CLEARED, Client
from jzserver import Server, client, item
from tap import Tap

PROGRAM = os.path.abspath(sys.argv[1])
SERVER = os.path.abspath(sys.argv[2])
PLUGINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "client", "plugins")
URL = "http://127.0.0.1:1"
NODE = shutil.which("node")
ODD = "Dana Reyés (work) & co's $HOME"
T = Tap()

# Notes what it was called with, then does what the test says.
SCRIPT = f"#!{sys.executable}\n" + """
import json, os, signal, sys, time
line = sys.stdin.readline()
with open(os.path.join(os.environ["HOME"], "calls"), "a") as file:
    file.write(json.dumps({"args": sys.argv[1:], "input": line, "pid": os.getpid(),
                           "home": os.environ.get("JEZERO_CLIENT_HOME")}) + "\\n")
"""
# A hook that does not end, and answers to no signal.
DEAF = """for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
print("noise", flush=True)
print("noise", file=sys.stderr, flush=True)
time.sleep(600)
"""


class Home(Client):
    """A set-up computer whose program does as it is told."""

    def __init__(self, body="", url=URL, **more):
        super().__init__(PROGRAM, url=url, **more)
        os.makedirs(self.at(".local/bin"), exist_ok=True)
        if body is not None:
            self.script(body)

    def at(self, name):
        return os.path.join(self.folder, name)

    def script(self, body):
        path = self.at(".local/bin/jezero-client")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCRIPT + body)
        os.chmod(path, 0o755)

    def calls(self):
        try:
            with open(self.at("calls"), encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        except FileNotFoundError:
            return []


def read(*names):
    with open(os.path.join(PLUGINS, *names), encoding="utf-8") as file:
        return file.read()


# --- manifests ---

def test_manifests_are_strict_json_and_name_files_that_are_there():
    found = 0
    for folder, _, names in os.walk(PLUGINS):
        for name in names:
            if name.endswith(".json"):
                json.loads(read(folder, name))
                found += 1
    T.check(found >= 9, f"{found} files of JSON")
    market = json.loads(read("claude-code/.claude-plugin/marketplace.json"))
    T.equal([p["name"] for p in market["plugins"]], ["jezero"], "claude-code")
    market = json.loads(read("codex/.agents/plugins/marketplace.json"))
    path = market["plugins"][0]["source"]["path"]
    plugin = json.loads(read("codex", path, ".codex-plugin/plugin.json"))
    for key in ("hooks", "mcpServers"):
        T.check(os.path.isfile(os.path.join(PLUGINS, "codex", path, plugin[key])),
                key)


def test_every_hook_names_an_event_and_a_timeout():
    events = {"session-start", "user-prompt", "stop", "session-end"}
    for path, agent in (("claude-code/hooks/hooks.json", "claude-code"),
                        ("codex/plugins/jezero/hooks/hooks.json", "codex"),
                        ("antigravity/hooks.json", "antigravity")):
        data = json.loads(read(path))
        named = data.get("hooks", data.get("jezero"))
        for event, entries in named.items():
            if event == "enabled":
                continue
            T.check("Tool" not in event and "Permission" not in event, event)
            for entry in entries:
                for hook in entry.get("hooks", [entry]):
                    match = re.search(r'jezero\.sh"? hook (\S+) --agent (\S+)$',
                                      hook["command"])
                    T.check(match and match[1] in events and match[2] == agent,
                            f"{path}: {hook['command']}")
                    T.check(isinstance(hook["timeout"], int), path)
    codex = json.loads(read("codex/plugins/jezero/hooks/hooks.json"))
    T.equal(codex["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3, "codex")


def test_the_wrapper_is_one_text():
    texts = {read(path, "jezero.sh") for path in
             ("claude-code", "codex/plugins/jezero", "antigravity")}
    T.equal(len(texts), 1, "texts")


# --- the wrapper ---

def run_wrapper(home, *args, env=None, cwd=None):
    folder = cwd or os.path.join(PLUGINS, "claude-code")
    return subprocess.run(["sh", os.path.join(folder, "jezero.sh"), *args],
                          input="{}\n", env=dict(home.env, **(env or {})),
                          capture_output=True, encoding="utf-8", timeout=60)


def test_the_wrapper_finds_the_program():
    with Home() as home:
        path = {"PATH": "/usr/bin:/bin"}
        done = run_wrapper(home, "hook", "stop", "--agent", "codex", env=path)
        T.equal((done.returncode, done.stdout, done.stderr), (0, "", ""),
                "in ~/.local/bin")
        T.equal(home.calls()[0]["args"], ["hook", "stop", "--agent", "codex"],
                "arguments")
        odd = home.at(ODD)
        os.makedirs(odd)
        shutil.move(home.at(".local/bin/jezero-client"), odd)
        run_wrapper(home, "hook", "stop", env={"PATH": odd + ":/usr/bin:/bin"})
        T.equal(len(home.calls()), 2, "on PATH")
        run_wrapper(home, "hook", "stop", env=dict(
            path, JEZERO_CLIENT=os.path.join(odd, "jezero-client")))
        T.equal(len(home.calls()), 3, "by JEZERO_CLIENT")


def test_the_wrapper_without_the_program_is_silent_in_a_hook():
    if os.path.exists("/usr/local/bin/jezero-client"):
        return
    with Home(body=None) as home:
        path = {"PATH": "/usr/bin:/bin"}
        done = run_wrapper(home, "hook", "stop", env=path)
        T.equal((done.returncode, done.stdout, done.stderr), (0, "", ""), "hook")
        done = run_wrapper(home, "mcp", env=path)
        T.check(done.returncode != 0 and done.stdout == ""
                and "not found" in done.stderr, "mcp")


def test_antigravity_finds_the_program_without_a_folder_of_its_own():
    with Home() as home:
        server = json.loads(read("antigravity/mcp_config.json"))
        server = server["mcpServers"]["jezero"]
        subprocess.run([server["command"], *server["args"]], input="{}\n",
                       env=dict(home.env, PATH="/usr/bin:/bin"), cwd="/",
                       encoding="utf-8", timeout=60, check=True)
        T.equal(home.calls()[0]["args"], ["mcp", "--agent", "antigravity"],
                "arguments")


# --- Hermes ---

HERMES = """
import importlib.util, json, os, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("jezero", sys.argv[1])
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
class Context:
    def __init__(self):
        self.tools, self.hooks = {}, {}
    def register_tool(self, name, toolset, schema, handler, **more):
        assert schema["name"] == name and toolset == "jezero"
        self.tools[name] = (schema, handler)
    def register_hook(self, event, fn):
        self.hooks[event] = fn
ctx = Context()
plugin.register(ctx)
for name, value in json.loads(sys.argv[2]).items():
    setattr(plugin, name, value)
out = []
for step in json.loads(sys.argv[3]):
    if "tool" in step:
        out.append(json.loads(ctx.tools[step["tool"]][1](step["args"],
                                                        task_id="t")))
    elif "hook" in step:
        out.append(ctx.hooks[step["hook"]](**step["args"]))
print(json.dumps({"tools": {n: t[0] for n, t in ctx.tools.items()},
                  "hooks": sorted(ctx.hooks), "out": out}))
"""


def hermes(home, *steps, env=None, **settings):
    """What was registered, and what each step answered. Nothing but that may be
    on the streams."""
    done = subprocess.run(
        [sys.executable, "-c", HERMES,
         os.path.join(PLUGINS, "hermes", "__init__.py"), json.dumps(settings),
         json.dumps(steps)],
        env=dict(home.env, **(env or {})), cwd=home.folder, capture_output=True,
        encoding="utf-8", timeout=120)
    T.equal(done.stderr, "", "stderr")
    return json.loads(done.stdout)


TOOLS = ["jezero_get_item", "jezero_later", "jezero_list_sources",
         "jezero_search", "jezero_timeline"]


def test_hermes_gets_five_tools_and_two_hooks():
    with Home() as home:
        found = hermes(home)
        T.equal(sorted(found["tools"]), TOOLS, "tools")
        T.equal(found["hooks"], ["on_session_end", "pre_llm_call"], "hooks")
        T.equal(home.calls(), [], "the program was run at the start")


def test_hermes_gets_nothing_before_the_computer_is_set_up():
    with Home(url=None) as home:
        T.equal(hermes(home), {"tools": {}, "hooks": [], "out": []}, "no home")
        os.makedirs(home.home, mode=0o700)
        home.write("client.json", "{ damaged")
        home.write("token", "x")
        T.equal(hermes(home)["tools"], {}, "damaged")
        home.write("client.json", '{"url": "http://127.0.0.1:1"}')
        home.write("token", "")
        T.equal(hermes(home)["tools"], {}, "no key")


def test_hermes_tools_take_what_the_server_takes():
    with Server(SERVER) as server:
        listed = server.call("tools/list")["result"]["tools"]
    with Home() as home:
        schemas = hermes(home)["tools"]
    for tool in listed:
        mine = schemas["jezero_" + tool["name"]]["parameters"]
        theirs = tool["inputSchema"]
        T.equal(sorted(mine["properties"]), sorted(theirs["properties"]),
                tool["name"])
        T.equal(mine["required"], theirs.get("required", []), tool["name"])
        for name, value in theirs["properties"].items():
            T.equal(mine["properties"][name]["type"], value["type"], name)


ANSWER = "print(%r, flush=True)\ntime.sleep(600)\n"


def test_a_hermes_tool_is_one_call_through_the_bridge():
    answer = {"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "text", "text": "{}"}], "isError": False,
        "structuredContent": {"count": 0, "results": []}}}
    with Home(ANSWER % json.dumps(answer)) as home:
        found = hermes(home, {"tool": "jezero_search", "args": {
            "query": "añejo", "project": None, "source": "", "limit": 0}})
        T.equal(found["out"], [{"count": 0, "results": []}], "answer")
        call = home.calls()[0]
        T.equal(call["args"], ["mcp", "--agent", "hermes"], "arguments")
        T.equal(json.loads(call["input"])["params"],
                {"name": "search", "arguments": {"query": "añejo", "limit": 0}},
                "what is null or empty is left out")


def test_a_hermes_tool_that_fails_says_why():
    error = {"jsonrpc": "2.0", "id": 1,
             "error": {"code": -32000, "message": "Jezero server X: refused"}}
    result = {"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "text", "text": "Error executing tool later"}],
        "isError": True}}
    cases = ((ANSWER % json.dumps(error), "Jezero server X: refused"),
             (ANSWER % json.dumps(result), "Error executing tool later"),
             (ANSWER % "no json", "later: "),
             (ANSWER % "[]", "later: "),
             ("sys.exit(3)\n", "later: jezero-client ended without an answer"))
    for body, want in cases:
        with Home(body) as home:
            found = hermes(home, {"tool": "jezero_later", "args": {"item_id": 1}})
            T.equal(list(found["out"][0]), ["error"], body)
            T.check(found["out"][0]["error"].startswith(want), found["out"])
    with Home(body=None) as home:
        found = hermes(home, {"tool": "jezero_later", "args": None},
                       env={"PATH": "/nowhere"})
        T.check("not found" in found["out"][0]["error"]
                or os.path.exists("/usr/local/bin/jezero-client"), found["out"])


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_hermes_child_that_ignores_signals_is_killed():
    with Home(DEAF.replace('print("noise", flush=True)', "pass")) as home:
        begun = time.monotonic()
        found = hermes(home, {"tool": "jezero_timeline", "args": {}},
                       {"hook": "pre_llm_call",
                        "args": {"session_id": "s", "user_message": "x"}},
                       TOOL_SECONDS=2, HOOK_SECONDS=2)
        T.check(time.monotonic() - begun < 60, "waited")
        T.equal(found["out"], [{"error": "timeline: no answer in 2 s"}, None],
                "answers")
        if os.path.isdir("/proc/self"):
            T.equal([call for call in home.calls() if is_alive(call["pid"])], [],
                    "still there")


def test_hermes_prompts_get_what_the_hook_says():
    with Home('print(json.dumps({"context": "past work"}))\n') as home:
        found = hermes(
            home,
            {"hook": "pre_llm_call", "args": {
                "session_id": "20261021_091200_ab12cd", "is_first_turn": True,
                "user_message": [{"type": "text", "text": "fix the export"},
                                 {"type": "image"}],
                "model": "m", "platform": "cli"}},
            {"hook": "on_session_end", "args": {
                "session_id": "20261021_091200_ab12cd", "completed": True}},
            env={"HERMES_HOME": home.at(".h")})
        T.equal(found["out"], [{"context": "past work"}, None], "answers")
        prompt, stop = home.calls()
        T.equal(prompt["args"], ["hook", "user-prompt", "--agent", "hermes"],
                "prompt")
        data = json.loads(prompt["input"])
        T.equal((data["session_id"], data["prompt"], data["hermes_home"],
                 data["cwd"]),
                ("20261021_091200_ab12cd", "fix the export", home.at(".h"),
                 os.path.realpath(home.folder)), "input")
        T.equal(stop["args"], ["hook", "stop", "--agent", "hermes"], "stop")
        T.equal(json.loads(stop["input"])["hermes_home"], home.at(".h"), "home")


def test_hermes_prompts_go_on_whatever_the_hook_says():
    for body in ("", "print('text')\n", "print('[1]')\n", "sys.exit(2)\n",
                 "print('{\"context\": 7}')\n", "os.kill(os.getpid(), 9)\n"):
        with Home(body) as home:
            found = hermes(home, {"hook": "pre_llm_call", "args": {
                "session_id": None, "user_message": None}})
            T.equal(found["out"], [None], body)


def test_hermes_tools_reach_the_library():
    key = "k" * 43
    items = [item("1", "Invoice export: plain UTF-8")]
    with Server(SERVER, items=items, tables=client("laptop", key)) as server:
        url = "http://127.0.0.1:%d" % server.port
        for given in (key, "x" * 43):
            with Home(body=None, url=url, key=given) as home:
                os.symlink(PROGRAM, home.at(".local/bin/jezero-client"))
                found = hermes(home,
                               {"tool": "jezero_search",
                                "args": {"query": "invoice", "project": None}},
                               {"tool": "jezero_get_item",
                                "args": {"item_id": "none"}})["out"]
            if given == key:
                T.equal([hit["title"] for hit in found[0]["results"]],
                        ["Invoice export: plain UTF-8"], "found")
                T.check("item_id" in found[1]["error"], found[1])
            else:
                T.check("refused this computer's key" in found[0]["error"],
                        found[0])


# --- OpenCode ---

OPENCODE = """
import { pathToFileURL } from "node:url"
const begun = Date.now()
const { JezeroPlugin } = await import(pathToFileURL(process.env.T_PLUGIN).href)
const hooks = await JezeroPlugin({ directory: "/home/dana/shop", client: {} })
const out = { hooks: Object.keys(hooks).sort(), load: Date.now() - begun, took: [] }
out.config = {}
await hooks.config?.(out.config)
out.system = []
out.parts = []
for (const step of JSON.parse(process.env.T_STEPS)) {
  const at = Date.now()
  if (step === "system") {
    await hooks["experimental.chat.system.transform"]?.({ sessionID: "ses_1" }, out)
  } else if (step === "odd") {
    await hooks.config?.(undefined)
    await hooks.event?.({})
    await hooks.event?.(undefined)
    await hooks["chat.message"]?.(null, { message: {}, parts: [null, { type: "text" }] })
    await hooks["chat.message"]?.({}, null)
    await hooks["experimental.chat.system.transform"]?.(undefined, undefined)
  } else if (step.prompt) {
    const parts = [{ type: "text", text: step.prompt }, { type: "file" },
                   { type: "text", text: "dump", synthetic: true }]
    await hooks["chat.message"]?.({ sessionID: "ses_1" }, { message: { id: "msg_1" }, parts })
    out.parts.push(...parts.slice(3))
  } else {
    await hooks.event?.({ event: { type: step.event, properties: { sessionID: "ses_1" } } })
  }
  out.took.push(Date.now() - at)
}
const { writeFileSync } = await import("node:fs")
writeFileSync(process.env.T_OUT, JSON.stringify(out))
"""


def opencode(home, *steps, env=None):
    """Load the plugin and take the steps. No byte may be on the streams."""
    script = home.at("drive.mjs")
    with open(script, "w", encoding="utf-8") as file:
        file.write(OPENCODE)
    plugin = home.at("jezero.mjs")
    shutil.copy(os.path.join(PLUGINS, "opencode", "jezero.js"), plugin)
    result = home.at("out.json")
    done = subprocess.run(
        [NODE, script], cwd=home.folder, capture_output=True, timeout=120,
        env=dict(home.env, T_PLUGIN=plugin, T_OUT=result,
                 T_STEPS=json.dumps(steps), **(env or {})))
    T.equal((done.returncode, done.stdout, done.stderr), (0, b"", b""),
            "status and streams")
    with open(result, encoding="utf-8") as file:
        return json.load(file)


HOOKS = ["chat.message", "config", "event", "experimental.chat.system.transform"]


def test_opencode_gets_the_server_with_the_key_in_memory():
    with Home() as home:
        found = opencode(home)
        T.equal(found["hooks"], HOOKS, "hooks")
        T.equal(found["config"]["mcp"]["jezero"],
                {"type": "remote", "url": URL + "/mcp", "oauth": False,
                 "headers": {"Authorization": "Bearer " + home.key()},
                 "enabled": True}, "server")
        T.equal(home.calls(), [], "the program was run at the start")


def test_opencode_reaches_a_server_of_the_users_own_through_the_bridge():
    with Home() as home:
        home.write("ca.pem", "a certificate")
        found = opencode(home)
        T.equal(found["config"]["mcp"]["jezero"],
                {"type": "local", "enabled": True, "command": [
                    home.at(".local/bin/jezero-client"), "mcp", "--agent",
                    "opencode"]}, "server")


def test_opencode_takes_the_home_of_its_own_first():
    with Home() as home:
        own = home.at(".config/opencode/jezero")
        home.run("init", "--url", "http://127.0.0.1:2",
                 env={"JEZERO_CLIENT_HOME": own})
        found = opencode(home)
        T.equal(found["config"]["mcp"]["jezero"]["url"], "http://127.0.0.1:2/mcp",
                "url")
        with open(os.path.join(own, "token"), encoding="utf-8") as file:
            T.equal(found["config"]["mcp"]["jezero"]["headers"],
                    {"Authorization": "Bearer " + file.read().strip()}, "key")


def test_opencode_without_a_key_gets_nothing():
    with Home(url=None) as home:
        steps = ("system", {"prompt": "x"}, {"event": "session.idle"}, "odd")
        found = opencode(home, *steps)
        T.equal((found["hooks"], found["config"], found["system"],
                 found["parts"]), ([], {}, [], []), "no home")
        T.equal(home.calls(), [], "the program was run")
    for name, mode in (("token", 0o644), ("", 0o755)):
        with Home() as home:
            os.chmod(home.path(name), mode)
            T.equal(opencode(home)["hooks"], [], f"{name or 'home'} is open")


def test_opencode_gets_protocol_and_related_work():
    body = 'print("said by " + sys.argv[2])\n'
    with Home(body) as home:
        found = opencode(home, "system", "system", {"prompt": "fix the export"},
                         {"event": "session.idle"}, {"event": "session.compacted"},
                         "system")
        T.equal(found["system"], ["said by session-start\n"] * 3, "system")
        T.equal([(p["type"], p["text"], p["synthetic"], p["sessionID"],
                  p["messageID"]) for p in found["parts"]],
                [("text", "said by user-prompt\n", True, "ses_1", "msg_1")],
                "parts")
        T.check(re.fullmatch(r"prt_[0-9a-f]{26}", found["parts"][0]["id"]), "id")
        T.equal([call["args"][1] for call in home.calls()],
                ["session-start", "user-prompt", "stop", "session-start"],
                "asked once a session")
        data = json.loads(home.calls()[1]["input"])
        T.equal(data, {"session_id": "ses_1", "cwd": "/home/dana/shop",
                       "prompt": "fix the export"}, "input")


def test_opencode_goes_on_whatever_the_program_does():
    steps = ("system", {"prompt": "x"}, {"event": "session.idle"}, "odd")
    for body in ("", "sys.exit(2)\n", "print('no', file=sys.stderr)\n",
                 "os.kill(os.getpid(), 9)\n", "os.close(1)\n",
                 "sys.stdout.buffer.write(b'\\xff' * 200000)\n"):
        with Home(body) as home:
            found = opencode(home, *steps)
            T.equal(found["hooks"], HOOKS, body)
    with Home(body=None) as home:
        found = opencode(home, *steps, env={"PATH": "/nowhere"})
        T.equal(found["parts"], [], "no program")
        T.check("jezero-client was not found" in home.log()
                or os.path.exists("/usr/local/bin/jezero-client"), home.log())


def test_an_opencode_child_that_ignores_signals_is_killed_after_five_seconds():
    with Home(DEAF) as home:
        found = opencode(home, {"prompt": "x"})
        T.check(found["load"] < 4000, f"load took {found['load']} ms")
        T.check(4900 <= found["took"][0] < 20000, f"took {found['took']} ms")
        T.equal(found["parts"], [], "parts")
        T.check("stopped after 5000 ms" in home.log(), home.log())
        if os.path.isdir("/proc/self"):
            T.equal([call for call in home.calls() if is_alive(call["pid"])], [],
                    "still there")


def test_opencode_with_the_real_program_writes_nothing():
    steps = ("system", {"prompt": "fix the invoice export"},
             {"event": "session.idle"})
    with Home(body=None) as home:
        os.symlink(PROGRAM, home.at(".local/bin/jezero-client"))
        found = opencode(home, *steps)  # a server that is dead
        T.check(found["system"] and
                found["system"][0].startswith("## Jezero: shared memory"),
                found["system"])
        T.equal(found["parts"], [], "parts")
        os.chmod(home.home, 0o500)
        opencode(home, *steps)
        os.chmod(home.home, 0o700)
        home.write("token", "wrong\n")
        opencode(home, *steps)


for name, test in list(globals().items()):
    if not name.startswith("test_"):
        continue
    if "opencode" in name and NODE is None:
        T.skip(name.replace("test_", "", 1), "there is no node")
    else:
        T.run(test)
T.done()
