#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""setup over whole homes: what is registered, what stays byte for byte, what is
refused, and the report of it. Arguments: jezero-client, jezero-server."""
import json
import os
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from jzclient import Client
from tap import Tap

PROGRAM = os.path.abspath(sys.argv[1])
URL = "http://127.0.0.1:1"  # nobody is asked
AGENTS = ("claude-code", "codex", "antigravity", "opencode", "hermes")
ODD = "Dana Reyés (work) & co's $HOME"
T = Tap()

SETTINGS = """{
  // keep: house rules
  "model": "example-model",
  "hooks": {
    "SessionStart": [
      { "matcher": "compact", "hooks": [ { "type": "command", "command": \
"/opt/other tool/remind.sh", "timeout": 5 } ] }, // other tool
    ],
  },
  "mcpServers": { "notes": { "command": "notes-mcp" } }, /* trailing comma above */
}
"""
CONFIG = """# my codex settings, keep this comment
model = "example-model"

[mcp_servers.notes]
command = "notes-mcp"
args = ["--dir", "C:\\\\Users\\\\Dana Reyes\\\\notes"]

[mcp_servers."odd.name"]
command = "x"   # inline comment
"""
HERMES = "# mine\nmodel: x\nplugins:\n  enabled:\n    - other\n"


class Computer(Client):
    """A user with the agents' folders, and the program at a path of its own."""

    def __init__(self, agents=AGENTS, url=URL, **more):
        super().__init__(PROGRAM, url=url, **more)
        folders = {"claude-code": ".claude", "codex": ".codex",
                   "antigravity": ".gemini/config",
                   "opencode": ".config/opencode", "hermes": ".hermes"}
        for agent in agents:
            os.makedirs(self.at(folders[agent]))

    def at(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(self.at(name), mode)

    def get(self, name):
        with open(self.at(name), "rb") as file:
            return file.read()

    def json(self, name):
        return json.loads(self.get(name))

    def files(self):
        """Every file outside the client's own home: bytes, mode, link."""
        found = {}
        for folder, names, files in os.walk(self.folder):
            if ".jezero" in names:
                names.remove(".jezero")
            for name in files:
                path = os.path.join(folder, name)
                link = os.readlink(path) if os.path.islink(path) else None
                data = None
                if os.path.exists(path):
                    with open(path, "rb") as file:
                        data = file.read()
                found[os.path.relpath(path, self.folder)] = (
                    data, os.lstat(path).st_mode, link)
        return found

    def setup(self, *args, **more):
        return self.run("setup", *args, **more)


def lines(done):
    return done.stdout.splitlines()


def hooks_of(data):
    """event: the commands of its handlers."""
    return {event: [handler["command"] for group in groups
                    for handler in group["hooks"]]
            for event, groups in data["hooks"].items()}


# --- registering ---

def test_every_agent_is_registered_once():
    with Computer() as c:
        c.put(".claude/settings.json", SETTINGS)
        c.put(".codex/config.toml", CONFIG)
        c.put(".hermes/config.yaml", HERMES)
        before = c.files()
        first = c.setup("--hooks")
        T.equal(first.returncode, 0, "exit status")
        T.equal(first.stderr, "", "stderr")
        for line in (f"claude-code: registered ({c.at('.claude.json')})",
                     f"claude-code: registered ({c.at('.claude/settings.json')})",
                     f"codex: registered ({c.at('.codex/config.toml')})",
                     f"codex: registered ({c.at('.codex/hooks.json')})",
                     "antigravity: registered "
                     f"({c.at('.gemini/config/mcp_config.json')})",
                     f"antigravity: registered ({c.at('.gemini/config/hooks.json')})",
                     "opencode: registered "
                     f"({c.at('.config/opencode/plugin/jezero.js')})",
                     f"hermes: registered ({c.at('.hermes/config.yaml')})"):
            T.check(line in lines(first), line)
        T.check("/hooks" in first.stdout, "codex' approval is not named")
        after = c.files()
        second = c.setup("--hooks")
        T.equal(lines(second), [f"{a}: already registered" for a in AGENTS],
                "the second run says")
        T.equal(second.returncode, 0, "exit status of the second run")
        T.check(c.files() == after, "the second run changed something")
        T.equal(c.get(".claude/settings.json.jezero-backup"),
                SETTINGS.encode(), "the old settings")
        removed = c.setup("--remove")
        T.equal(removed.returncode, 0, "exit status of --remove")
        left = c.files()
        for name, kept in before.items():
            T.check(left[name] == kept, f"{name} is not as it was")
        T.equal(lines(c.setup("--remove")),
                [f"{a}: not registered" for a in AGENTS], "removed twice says")
        T.check(not os.path.exists(c.at(".hermes/plugins/jezero")), "left over")


def test_what_is_written_is_what_each_agent_reads():
    with Computer() as c:
        c.setup("--hooks")
        T.equal(c.json(".claude.json"), {"mcpServers": {"jezero": {
            "type": "stdio", "command": PROGRAM,
            "args": ["mcp", "--agent", "claude-code"], "env": {}}}}, "claude")
        settings = c.json(".claude/settings.json")
        T.equal(hooks_of(settings), {
            event: [f"{PROGRAM} hook {hook} --agent claude-code"]
            for event, hook in (("SessionStart", "session-start"),
                                ("UserPromptSubmit", "user-prompt"),
                                ("Stop", "stop"),
                                ("SessionEnd", "session-end"))}, "hooks")
        T.equal({group["hooks"][0]["timeout"]
                 for groups in settings["hooks"].values() for group in groups},
                {10}, "timeouts")
        codex = c.json(".codex/hooks.json")["hooks"]
        T.equal(codex["SessionEnd"][0]["hooks"][0]["timeout"], 3, "SessionEnd")
        T.check("jezero-client hook session-end --agent codex"
                in codex["SessionEnd"][0]["hooks"][0]["command"], "codex' hook")
        T.equal(c.json(".gemini/config/mcp_config.json"), {"mcpServers": {
            "jezero": {"command": PROGRAM,
                       "args": ["mcp", "--agent", "antigravity"]}}}, "mcp_config")
        named = c.json(".gemini/config/hooks.json")
        T.equal(list(named), ["jezero"], "named hooks")
        T.equal(list(named["jezero"]),
                ["enabled", "SessionStart", "PreInvocation", "Stop"], "events")
        for event in ("SessionStart", "PreInvocation", "Stop"):
            handler = named["jezero"][event][0]
            T.equal(sorted(handler), ["command", "timeout", "type"], event)
            T.check(isinstance(handler["timeout"], int), "timeout is no integer")
        T.equal(c.get(".hermes/config.yaml"),
                b"plugins:\n  enabled:\n    - jezero\n", "hermes")


def test_codex_reads_its_table():
    try:
        import tomllib
    except ImportError:
        return
    with Computer(("codex",)) as c:
        c.put(".codex/config.toml", CONFIG)
        c.setup()
        table = tomllib.loads(c.get(".codex/config.toml").decode())
        T.equal(table["mcp_servers"]["jezero"]["command"], PROGRAM, "command")
        T.equal(table["mcp_servers"]["jezero"]["args"],
                ["mcp", "--agent", "codex"], "args")
        T.equal(sorted(table["mcp_servers"]), ["jezero", "notes", "odd.name"],
                "servers")


def test_without_hooks_no_hook_is_written():
    with Computer() as c:
        c.setup()
        for name in (".claude/settings.json", ".codex/hooks.json",
                     ".gemini/config/hooks.json"):
            T.check(not os.path.exists(c.at(name)), name)


def test_only_named_agents_are_touched():
    with Computer() as c:
        done = c.setup("--agent", "hermes", "--agent", "codex")
        T.equal([line.split(":")[0] for line in lines(done)],
                ["codex", "hermes", "hermes", "hermes"], "agents")
        T.check(not os.path.exists(c.at(".claude.json")), "claude-code too")
        wrong = c.setup("--agent", "emacs")
        T.check(wrong.returncode != 0 and "emacs" in wrong.stderr, "wrong agent")


def test_the_key_is_in_no_file_of_an_agent():
    with Computer() as c:
        c.setup("--hooks")
        for name, (data, _, _) in c.files().items():
            T.check(c.key().encode() not in data, name)


def test_dry_run_shows_and_changes_nothing():
    with Computer() as c:
        c.put(".codex/config.toml", CONFIG)
        before = c.files()
        done = c.setup("--hooks", "--dry-run")
        T.equal(done.returncode, 0, "exit status")
        T.check(c.files() == before, "something was changed")
        T.check(f"codex: would be registered ({c.at('.codex/config.toml')})"
                in lines(done), "codex")
        T.check('+ mcpServers.jezero: {"type":"stdio"' in done.stdout, "shown")
        c.setup("--hooks")
        before = c.files()
        done = c.setup("--remove", "--dry-run")
        T.check(f"codex: would be removed ({c.at('.codex/config.toml')})"
                in lines(done), "codex' removal")
        T.check(c.files() == before, "something was removed")


def test_dry_run_shows_all_that_is_written():
    with Computer(("codex", "antigravity", "claude-code")) as c:
        done = c.setup("--hooks", "--dry-run")
        T.check("    + jezero.enabled: true" in lines(done), "enabled")
        shown = [line[6:] for line in lines(done) if line.startswith("    + ")]
        c.setup("--hooks")
        table = c.get(".codex/config.toml").decode().splitlines()
        T.equal(len(table), 4, "lines of the table")
        for line in table:
            T.check(line in shown, f"not shown: {line}")
        text = json.dumps(c.json(".claude.json"), indent=8)
        c.put(".claude.json", text.replace('"mcp"', '"a  \\" b"'))
        done = c.setup("--remove", "--dry-run")
        T.check('    - mcpServers.jezero: {"type":"stdio","command":"' + PROGRAM
                + '","args":["a  \\" b","--agent","claude-code"],"env":{}}'
                in lines(done), done.stdout)
        T.check("    - jezero.enabled: true" in lines(done), "enabled, removed")
        for line in table:
            T.check("    - " + line in lines(done), f"removal: {line}")


# --- what setup made, and what it kept ---

def test_what_setup_made_goes_again():
    with Computer() as c:
        before = c.files()
        old = c.at("opt/1/jezero-client")
        os.makedirs(os.path.dirname(old))
        shutil.copy(PROGRAM, old)
        c.program = old
        c.setup("--hooks")
        os.unlink(old)
        c.program = PROGRAM
        T.check("updated (" in c.setup("--hooks").stdout, "updated")
        done = c.setup("--remove")
        T.equal(done.returncode, 0, "exit status")
        T.equal(set(c.files()), set(before), "files left")
        for name in (".config/opencode/plugin", ".hermes/plugins"):
            T.check(not os.path.exists(c.at(name)), name)
        T.check(os.path.isdir(c.at(".config/opencode")), "the agent's folder")


def test_folders_of_the_user_and_empty_files_stay():
    with Computer() as c:
        c.put(".claude/settings.json", "{}")
        c.put(".codex/config.toml", "")
        for name in (".config/opencode/plugin", ".hermes/plugins"):
            os.makedirs(c.at(name))
            os.chmod(c.at(name), 0o755)
        before = c.files()
        c.setup("--hooks")
        c.setup("--remove")
        left = c.files()
        for name, kept in before.items():
            T.check(left.get(name) == kept, f"{name} is not as it was")
        for name in (".config/opencode/plugin", ".hermes/plugins"):
            T.check(os.path.isdir(c.at(name)), name)


def test_a_removal_keeps_the_backup():
    with Computer(("claude-code", "codex")) as c:
        c.put(".claude/settings.json", SETTINGS)
        c.setup("--hooks")
        c.setup("--remove")
        T.equal(c.get(".claude/settings.json.jezero-backup"), SETTINGS.encode(),
                "from before the registration")
        # Without one the removal makes it.
        c.put(".codex/config.toml", CONFIG)
        c.setup("--agent", "codex")
        registered = c.get(".codex/config.toml")
        os.unlink(c.at(".codex/config.toml.jezero-backup"))
        c.setup("--remove")
        T.equal(c.get(".codex/config.toml.jezero-backup"), registered, "made")


# --- the variable ---

def test_a_home_that_agents_would_not_find_is_told():
    said = "JEZERO_CLIENT_HOME is set here; agents need it in their " \
           "environment as well"
    with Computer(("codex", "claude-code"), url=None) as c:
        for name in ("other", ".codex/jezero"):
            c.run("init", "--url", URL, env={"JEZERO_CLIENT_HOME": c.at(name)})
        env = {"JEZERO_CLIENT_HOME": c.at("other")}
        for args in (["--dry-run"], [], []):
            run = c.setup("--agent", "codex", "--agent", "claude-code", *args,
                          env=env)
            T.equal([line for line in lines(run) if "JEZERO" in line
                     and line[0] != " "],
                    [f"claude-code: {said}", f"codex: {said}"], "another home")
            T.equal(lines(run)[-1], f"codex: {said}", "the last line")
        T.check("JEZERO" not in c.setup("--remove", env=env).stdout, "removal")
        os.symlink(c.at(".codex"), c.at("link"))
        env = {"JEZERO_CLIENT_HOME": c.at("link/jezero")}
        T.check("JEZERO" not in c.setup(env=env).stdout, "the same home")
        T.check("JEZERO" not in c.setup().stdout, "no variable")


# --- places ---

def test_agents_that_are_not_there_are_no_fault():
    with Computer(("codex",), env={"PATH": "/nowhere"}) as c:
        done = c.setup()
        T.equal(done.returncode, 0, "exit status")
        for agent in AGENTS:
            T.equal(f"{agent}: not installed on this computer" in lines(done),
                    agent != "codex", agent)


def test_a_program_on_the_path_counts_as_installed():
    with Computer(()) as c:
        for name in ("claude", "codex", "agy", "opencode", "hermes"):
            c.put(f"bin/{name}", "#!/bin/sh\n", 0o755)
        env = {"PATH": "relative:/nowhere:" + c.at("bin")}
        before = c.files()
        folders = sorted(os.listdir(c.folder))
        done = c.setup("--hooks", "--dry-run", env=env)
        T.check("not installed" not in done.stdout, done.stdout)
        T.check(c.files() == before and sorted(os.listdir(c.folder)) == folders,
                "--dry-run made something")
        done = c.setup("--hooks", env=env)
        T.equal(done.returncode, 0, "exit status")
        for name in (".claude/settings.json", ".codex/config.toml",
                     ".gemini/config/hooks.json",
                     ".config/opencode/plugin/jezero.js", ".hermes/config.yaml"):
            T.check(os.path.exists(c.at(name)), name)
            folder = os.stat(os.path.dirname(c.at(name)))
            T.equal(stat.S_IMODE(folder.st_mode), 0o700, f"{name}: folder")
        T.equal(lines(c.setup("--hooks", env=env)),
                [f"{a}: already registered" for a in AGENTS], "second run")
    with Computer((), env={"PATH": "/nowhere"}) as c:
        os.makedirs(c.at("bin/codex"))
        c.put("bin/claude", "no program\n", 0o644)
        done = c.setup(env={"PATH": c.at("bin")})
        T.equal(lines(done), [f"{a}: not installed on this computer"
                              for a in AGENTS], "no programs")


def test_without_a_key_nothing_is_registered():
    with Computer(url=None) as c:
        done = c.setup("--hooks")
        T.equal(lines(done), [f"{a}: not set up ({c.home}): run `init` first"
                              for a in AGENTS], "report")
        T.equal(done.returncode, 1, "exit status")
        T.equal(c.files(), {}, "files")


def test_an_agent_with_a_home_of_its_own_uses_that():
    with Computer(("claude-code", "codex"), url=None) as c:
        home = c.at(".codex/jezero")
        c.run("init", "--url", URL, env={"JEZERO_CLIENT_HOME": home})
        done = c.setup("--agent", "codex", "--agent", "claude-code")
        T.check(f"codex: registered ({c.at('.codex/config.toml')})"
                in lines(done), "codex")
        # What one agent has serves those that have none.
        T.equal(done.returncode, 0, "exit status")


def test_a_home_that_is_open_to_others_is_refused():
    with Computer() as c:
        os.chmod(c.home, 0o755)
        done = c.setup("--agent", "codex")
        T.equal(done.returncode, 1, "exit status")
        T.check(lines(done)[0].startswith("codex: the client home is open"),
                done.stdout)


def test_variables_say_where_the_files_are():
    with Computer(()) as c:
        places = {"CLAUDE_CONFIG_DIR": "cc", "CODEX_HOME": "cx",
                  "XDG_CONFIG_HOME": "xdg", "HERMES_HOME": "hm"}
        for name in ("cc", "cx", "xdg/opencode", "hm"):
            os.makedirs(c.at(name))
        done = c.setup("--hooks", env={n: c.at(p) for n, p in places.items()})
        T.equal(done.returncode, 0, "exit status")
        for name in ("cc/.claude.json", "cc/settings.json", "cx/config.toml",
                     "cx/hooks.json", "xdg/opencode/plugin/jezero.js",
                     "hm/plugins/jezero/__init__.py", "hm/config.yaml"):
            T.check(os.path.exists(c.at(name)), name)


def test_odd_paths_are_quoted_for_whoever_reads_them():
    with Computer() as c:
        folder = c.at(ODD)
        os.makedirs(os.path.join(folder, "bin"))
        program = os.path.join(folder, "bin", "jezero-client")
        os.symlink(PROGRAM, program)
        places = {"CLAUDE_CONFIG_DIR": "cc", "CODEX_HOME": "cx"}
        env = {n: os.path.join(folder, p) for n, p in places.items()}
        for path in env.values():
            os.makedirs(path)
        env["PATH"] = os.path.dirname(program) + ":" + c.env["PATH"]
        T.equal(c.setup("--hooks", env=env).returncode, 0, "exit status")
        again = c.setup("--hooks", env=env)
        T.equal(lines(again), [f"{a}: already registered" for a in AGENTS],
                "second run")
        claude = c.json(os.path.join(ODD, "cc", ".claude.json"))
        T.equal(claude["mcpServers"]["jezero"]["command"], program, "claude-code")
        commands = hooks_of(c.json(os.path.join(ODD, "cx", "hooks.json")))
        # The shell has to find the program, which says what it is.
        command = commands["Stop"][0].replace(" hook stop --agent codex",
                                              " --version")
        done = subprocess.run(["sh", "-c", command], env=c.env,
                              capture_output=True, encoding="utf-8")
        T.check(done.returncode == 0 and "jezero-client" in done.stdout,
                done.stderr)


# --- the program's path ---

def test_the_path_stays_when_the_program_behind_a_link_changes():
    with Computer(("claude-code",)) as c:
        os.makedirs(c.at("bin"))
        os.makedirs(c.at("opt/1"))
        shutil.copy(PROGRAM, c.at("opt/1/jezero-client"))
        os.symlink(c.at("opt/1/jezero-client"), c.at("bin/jezero-client"))
        c.program = c.at("opt/1/jezero-client")
        env = {"PATH": "relative:" + c.at("bin") + ":" + c.env["PATH"]}
        c.setup(env=env)
        server = c.json(".claude.json")["mcpServers"]["jezero"]
        T.equal(server["command"], c.at("bin/jezero-client"), "from PATH")
        # By a link that PATH does not have.
        os.makedirs(c.at("elsewhere"))
        c.program = c.at("elsewhere/jezero-client")
        os.symlink(c.at("opt/1/jezero-client"), c.program)
        done = c.setup()
        T.equal(lines(done)[0],
                f"claude-code: updated ({c.at('.claude.json')})", "report")
        server = c.json(".claude.json")["mcpServers"]["jezero"]
        T.equal(server["command"], c.program, "as it was called")


def test_an_older_path_is_updated_and_the_rest_of_the_entry_stays():
    with Computer(("claude-code",)) as c:
        c.put(".claude.json", '{"mcpServers": {"jezero": {"type": "stdio", '
              '"command": "/opt/v1/jezero-client", "args": ["mcp"], '
              '"env": {"A": "b"}}}}')
        c.put(".claude/settings.json", '{"hooks": {"Stop": [{"hooks": [{"type": '
              '"command", "command": "/opt/v1/jezero-client hook stop --agent '
              'claude-code", "timeout": 30}]}]}}')
        done = c.setup("--hooks")
        T.check(f"claude-code: updated ({c.at('.claude.json')})" in lines(done),
                done.stdout)
        server = c.json(".claude.json")["mcpServers"]["jezero"]
        T.equal(server, {"type": "stdio", "command": PROGRAM,
                         "args": ["mcp", "--agent", "claude-code"],
                         "env": {"A": "b"}}, "server")
        stop = c.json(".claude/settings.json")["hooks"]["Stop"]
        T.equal(stop, [{"hooks": [{
            "type": "command", "timeout": 30,
            "command": f"{PROGRAM} hook stop --agent claude-code"}]}], "hook")


# --- files as they come ---

def test_empty_files_marks_and_crlf_are_kept():
    cases = (b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf{\r\n\t\"a\": 1 // c\r\n}\r\n",
             b"// nothing yet\n", b"{}")
    for text in cases:
        with Computer(("claude-code",)) as c:
            c.put(".claude/settings.json", text)
            T.equal(c.setup("--hooks").returncode, 0, f"{text!r}: exit status")
            now = c.get(".claude/settings.json")
            T.check(now.startswith(b"\xef\xbb\xbf") == text.startswith(
                b"\xef\xbb\xbf"), f"{text!r}: mark")
            T.equal(b"\r\n" in now, b"\r\n" in text, f"{text!r}: line ends")
            T.check(now.count(b"\n") == now.count(b"\r\n")
                    or b"\r\n" not in text, f"{text!r}: mixed line ends")
            T.check(now.count(b"jezero-client") == 4, f"{text!r}: hooks")
            T.equal(lines(c.setup("--hooks"))[0],
                    "claude-code: already registered", f"{text!r}: again")


def test_mode_and_link_are_kept():
    with Computer(("claude-code", "codex")) as c:
        c.put("dotfiles/settings.json", SETTINGS, 0o640)
        os.symlink("../dotfiles/settings.json", c.at(".claude/settings.json"))
        c.put(".codex/config.toml", CONFIG, 0o604)
        c.setup("--hooks")
        T.check(os.path.islink(c.at(".claude/settings.json")), "link")
        T.equal(stat.S_IMODE(os.stat(c.at("dotfiles/settings.json")).st_mode),
                0o640, "mode of the link's file")
        T.equal(stat.S_IMODE(os.stat(c.at(".codex/config.toml")).st_mode),
                0o604, "mode")
        T.check(b"jezero" in c.get("dotfiles/settings.json"), "not written")
        T.equal(stat.S_IMODE(os.stat(
            c.at(".codex/config.toml.jezero-backup")).st_mode), 0o600, "backup")
        T.equal(sorted(os.listdir(c.at("dotfiles"))), ["settings.json"],
                "the link's folder")


def refused(c, name, text, agent, word, by_hand, mode=0o644, args=("--hooks",)):
    """The file is left as it is, said so, and the others are done."""
    c.put(name, text, mode)
    before = c.files()[name]
    done = c.setup(*args)
    T.equal(done.returncode, 1, f"{name}: exit status")
    T.check(c.files()[name] == before, f"{name} was changed")
    T.check(not os.path.exists(c.at(name + ".jezero-backup")), f"{name}: backup")
    problem = [line for line in lines(done)
               if line.startswith(f"{agent}: ") and c.at(name) in line]
    T.check(len(problem) == 1 and word in problem[0], done.stdout)
    T.check("add by hand:" in done.stdout and by_hand in done.stdout,
            f"{name}: nothing to add by hand: {done.stdout}")
    T.check(f"hermes: registered ({c.at('.hermes/config.yaml')})" in lines(done)
            or agent == "hermes", "the agents behind it were left out")


def test_what_does_not_parse_is_left_as_it_is():
    for name, text, agent, word, by_hand in (
            (".claude.json", '{"a": 1,\n"b" 2}', "claude-code", "line 2: ",
             '"command": '),
            (".claude/settings.json", "{ /* open", "claude-code", "line 1: ",
             '"SessionEnd": ['),
            (".claude/settings.json", '{"hooks": []}', "claude-code",
             "hooks is no object", '"SessionEnd": ['),
            (".codex/config.toml", "a = 1\nb =\n", "codex", "line 2: ",
             "[mcp_servers.jezero]"),
            (".codex/hooks.json", "[]", "codex", "is no object", '"Stop": ['),
            (".gemini/config/hooks.json", "{,}", "antigravity", "line 1: ",
             '"PreInvocation": ['),
            (".hermes/config.yaml", "plugins: {enabled: [a]}\n", "hermes",
             "line 1 ", "- jezero")):
        with Computer() as c:
            refused(c, name, text, agent, word, by_hand)


def test_a_read_only_file_is_left_as_it_is():
    with Computer() as c:
        refused(c, ".claude/settings.json", SETTINGS, "claude-code", "read-only",
                '"SessionEnd": [', mode=0o444)


def test_an_entry_of_somebody_else_is_left_as_it_is():
    with Computer() as c:
        refused(c, ".claude.json",
                '{"mcpServers": {"jezero": {"command": "npx"}}}', "claude-code",
                "another program", '"command": ')
    with Computer() as c:
        c.put(".config/opencode/plugin/jezero.js", "export const X = 1\n")
        done = c.setup("--agent", "opencode")
        T.equal(done.returncode, 1, "exit status")
        T.equal(c.get(".config/opencode/plugin/jezero.js"),
                b"export const X = 1\n", "the other plugin")


def test_a_link_to_nothing_is_left_as_it_is():
    with Computer(("codex",)) as c:
        os.symlink("/nowhere/config.toml", c.at(".codex/config.toml"))
        done = c.setup()
        T.equal(done.returncode, 1, "exit status")
        T.check("not there" in done.stdout, done.stdout)
        T.check(os.path.islink(c.at(".codex/config.toml")), "the link")


def test_antigravity_is_told_of_a_file_that_it_drops():
    with Computer(("antigravity",)) as c:
        c.put(".gemini/config/hooks.json", '{"other": {}, } // mine\n')
        done = c.setup("--hooks")
        T.equal(done.returncode, 0, "exit status")
        T.check("drops all of its hooks" in done.stdout, done.stdout)
        T.check(b"// mine" in c.get(".gemini/config/hooks.json"), "comment")


# --- plugins ---

def test_where_a_plugin_is_installed_nothing_is_registered():
    installed = '{"version": 2, "plugins": {"jezero@jezero": [{}]}}'
    with Computer() as c:
        c.put(".claude/plugins/installed_plugins.json", installed)
        c.put(".codex/config.toml", '[plugins."jezero@jezero"]\nenabled = true\n')
        os.makedirs(c.at(".gemini/config/plugins/jezero"))
        c.put(".config/opencode/plugins/jezero.js", "// mine\n")
        done = c.setup("--hooks")
        T.equal(lines(done)[:4],
                [f"{a}: plugin installed, nothing to register"
                 for a in AGENTS[:4]], "report")
        T.equal(done.returncode, 0, "exit status")
        T.check(not os.path.exists(c.at(".claude.json")), "claude-code")


def test_a_plugin_takes_the_place_of_what_was_registered():
    installed = '{"version": 2, "plugins": {"jezero@jezero": [{}]}}'
    enabled = '[plugins."jezero@jezero"]\nenabled = true\n'
    stays = ("claude plugin uninstall jezero@jezero",
             "codex plugin remove jezero@jezero", ".gemini/config/plugins/jezero",
             ".config/opencode/plugins/jezero.js")
    names = ((".claude.json", ".claude/settings.json"),
             (".codex/config.toml", ".codex/hooks.json"),
             (".gemini/config/mcp_config.json", ".gemini/config/hooks.json"),
             (".config/opencode/plugin/jezero.js",))
    agents = AGENTS[:4]
    with Computer(agents, env={"PATH": "/nowhere"}) as c:
        c.put(".claude/settings.json", SETTINGS)
        c.setup("--hooks")
        c.put(".claude/plugins/installed_plugins.json", installed)
        c.put(".codex/config.toml",
              enabled.encode() + b"\n" + c.get(".codex/config.toml"))
        os.makedirs(c.at(".gemini/config/plugins/jezero"))
        c.put(".config/opencode/plugins/jezero.js", "// mine\n")
        args = [word for agent in agents for word in ("--agent", agent)]
        for dry in (True, False):
            before = c.files()
            done = c.setup(*args, *(["--dry-run"] if dry else []))
            wanted = []
            for agent, files in zip(agents, names):
                would = "would be " if dry else ""
                wanted += [f"{agent}: {would}removed ({c.at(f)})" for f in files]
                wanted.append(f"{agent}: plugin installed, nothing to register")
            T.equal([line for line in lines(done) if line[0] != " "], wanted,
                    "report")
            T.equal(c.files() == before, dry, "changed")
        T.equal(c.get(".claude/settings.json"), SETTINGS.encode(), "settings")
        T.equal(c.get(".codex/config.toml"), enabled.encode(), "codex")
        T.equal(lines(c.setup("--hooks", *args)),
                [f"{a}: plugin installed, nothing to register" for a in agents],
                "second run")
        done = c.setup("--remove", *args)
        wanted = []
        for agent, how in zip(agents, stays):
            how = c.at(how) if how[0] == "." else how
            wanted += [f"{agent}: not registered",
                       f"{agent}: the plugin stays: {how}"]
        T.equal(lines(done), wanted, "removal")
        T.equal(done.returncode, 0, "exit status of the removal")


def test_a_plugin_that_is_switched_off_counts_as_none():
    installed = '{"version": 2, "plugins": {"jezero@jezero": [{}]}}'
    with Computer(("claude-code", "codex")) as c:
        c.put(".claude/plugins/installed_plugins.json", installed)
        c.put(".claude/settings.json",
              '{"enabledPlugins": {"jezero@jezero": false}}')
        c.put(".codex/config.toml", '[plugins."jezero@jezero"]\nenabled = false\n')
        done = c.setup()
        T.check("plugin installed" not in done.stdout, done.stdout)


def test_a_plugin_of_another_version_is_updated():
    with Computer(("opencode", "hermes")) as c:
        c.setup()
        for name in (".config/opencode/plugin/jezero.js",
                     ".hermes/plugins/jezero/__init__.py"):
            new = c.get(name)
            old = new.splitlines(True)[0] + b"\n"
            c.put(name, old)
            T.check(f"updated ({c.at(name)})" in c.setup().stdout, name)
            T.equal(c.get(name), new, name)
            T.equal(c.get(name + ".jezero-backup"), old, name + " kept")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        T.run(test)
T.done()
