# Jezero for Hermes. SPDX-License-Identifier: Apache-2.0
"""Runs jezero-client: its hooks for Hermes' events, and its MCP bridge for the
tools, one process a call. Nothing here talks to a server or holds a key, and
nothing waits longer than its limit: a child that does not end is killed with
its whole group. Standard library only, Python 3.9 or newer.

The first line is the same in every version: `jezero-client setup` knows the file
by it.
"""
import json
import os
import selectors
import signal
import subprocess
import threading
import time

TOOL_SECONDS = 20
HOOK_SECONDS = 5
ANSWER_MOST = 16 * 1024 * 1024

_PROJECT = {
    "type": "string",
    "description": "Only items of this project, by its name (upper and lower "
                   "case are the same).",
}
_SOURCE = {
    "type": "string",
    "description": "Only items of this source: a name, or a glob such as "
                   "agent-*. jezero_list_sources gives the names.",
}
_SINCE = {
    "type": "string",
    "description": "Only items that happened at or after this: an ISO 8601 date "
                   "or datetime (2026-01-31 or 2026-01-31T09:00:00+02:00); UTC "
                   "without an offset.",
}
_UNTIL = {
    "type": "string",
    "description": "Only items that happened at or before this, written like "
                   "since; a date includes the whole day.",
}
_LIMIT = {
    "type": "integer",
    "minimum": 1,
    "description": "At most this many items; leave it out for the usual number. "
                   "Values above the server's most are lowered to it.",
}

# The server's tools: name, description, properties, required ones.
_TOOLS = (
    ("search",
     "Find items of past work by words. Use it first, with a few distinctive "
     "words: names, errors, project names. Each word or \"quoted phrase\" is "
     "matched literally, as a part of the text, ignoring case and accents; an "
     "item that matches more of them ranks higher, and recent items are boosted. "
     "Words shorter than 3 characters are dropped. Items that were shortened "
     "carry trimmed: true; jezero_get_item gives them in full.",
     {"query": {"type": "string",
                "description": "The words to look for; quotes make a phrase."},
      "project": _PROJECT, "source": _SOURCE, "since": _SINCE,
      "limit": _LIMIT},
     ["query"]),
    ("get_item",
     "Read one item in full. Ask for the original only when the summary is not "
     "enough. An id that does not exist gives found: false.",
     {"item_id": {"type": "integer", "minimum": 1,
                  "description": "The id of the item, from another result."},
      "include_original": {
          "type": "boolean",
          "description": "Also return the text that the item was made from, "
                         "which may be long."}},
     ["item_id"]),
    ("later",
     "Newer items of the same project on the same subject: what may have changed "
     "a decision, plan or status. Call it before relying on an item. matched_by "
     "is subject, or project_timeline when nothing newer matched and the "
     "project's newer items are listed by date instead: those may be unrelated.",
     {"item_id": {"type": "integer", "minimum": 1,
                  "description": "The id of the item that you rely on."},
      "query": {"type": "string",
                "description": "What you are checking, in a few words. Without "
                               "it the item's title is used."},
      "limit": _LIMIT},
     ["item_id"]),
    ("timeline",
     "Items in reverse chronological order: what happened in a project or source "
     "over a period.",
     {"project": _PROJECT, "source": _SOURCE, "since": _SINCE, "until": _UNTIL,
      "limit": _LIMIT},
     []),
    ("list_sources",
     "The sources that you can read, each with its number of items and the date "
     "of the latest. It takes no argument.",
     {}, []),
)


# --- the program and its home ---

def _find_program():
    """Agents with a window have a short PATH."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    folders += [os.path.expanduser("~/.local/bin"), "/usr/local/bin",
                "/opt/homebrew/bin"]
    for path in [os.environ.get("JEZERO_CLIENT", "")] + [
            os.path.join(folder, "jezero-client") for folder in folders]:
        if (os.path.isabs(path) and os.path.isfile(path)
                and os.access(path, os.X_OK)):
            return path
    return None


def _find_home():
    """By the program's own rules; a relative folder counts as not set."""
    given = os.environ.get("JEZERO_CLIENT_HOME")
    if given:
        return given
    for variable, standard in (("CLAUDE_CONFIG_DIR", "~/.claude"),
                               ("CODEX_HOME", "~/.codex")):
        folder = os.environ.get(variable, "")
        if not os.path.isabs(folder):
            folder = os.path.expanduser(standard)
        home = os.path.join(folder, "jezero")
        if os.path.exists(os.path.join(home, "client.json")):
            return home
    return os.path.expanduser("~/.jezero")


def _is_set_up():
    """Whether there is a url and a key; whether they are in order is for the
    program to judge."""
    home = _find_home()
    try:
        with open(os.path.join(home, "client.json"), encoding="utf-8") as file:
            url = json.load(file).get("url")
        return bool(url) and os.path.getsize(os.path.join(home, "token")) > 0
    except (OSError, ValueError, AttributeError):
        return False


def _hermes_home():
    return os.environ.get("HERMES_HOME") or os.path.expanduser("~/.hermes")


def _cwd():
    try:
        return os.getcwd()
    except OSError:
        return ""


# --- running it ---

def _start(arguments):
    program = _find_program()
    if program is None:
        raise OSError("jezero-client was not found: set JEZERO_CLIENT to its "
                      "path")
    # A session of its own, so that it can be killed with all that it started.
    return subprocess.Popen([program, *arguments, "--agent", "hermes"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, start_new_session=True)


def _end(process):
    """Kill what is left of it, whether or not it ended by itself."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            process.kill()
    for pipe in (process.stdin, process.stdout):
        try:
            pipe.close()
        except OSError:
            pass
    process.wait()


def _write(process, data):
    """On a thread, since a child that does not read would hold us for ever."""
    def write():
        try:
            process.stdin.write(data)
            process.stdin.flush()
        except (OSError, ValueError):
            pass
    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def _read(process, until_line, deadline):
    """Output up to the first line end, or to the end; None: not in time."""
    output = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not (until_line and b"\n" in output):
            left = deadline - time.monotonic()
            if left <= 0 or len(output) > ANSWER_MOST:
                return None
            if not selector.select(left):
                continue
            part = os.read(process.stdout.fileno(), 65536)
            if not part:
                break
            output += part
    return output.split(b"\n", 1)[0] if until_line else output


def _talk(arguments, message, until_line, seconds):
    """One message in, one answer out. A hook takes its input as soon as it is
    whole and the bridge must not see the end of its own, so stdin stays open."""
    deadline = time.monotonic() + seconds
    process = _start(arguments)
    try:
        _write(process, json.dumps(message).encode("utf-8") + b"\n")
        output = _read(process, until_line, deadline)
        if output is not None and not until_line:
            process.wait(max(0, deadline - time.monotonic()))
        return output
    finally:
        _end(process)


# --- tools ---

def _given(arguments):
    """Models fill in what they have nothing for."""
    return {name: value for name, value in (arguments or {}).items()
            if value is not None and value != ""}


def _result(line, name):
    if line is None:
        return {"error": "%s: no answer in %d s" % (name, TOOL_SECONDS)}
    if not line:
        return {"error": "%s: jezero-client ended without an answer" % name}
    answer = json.loads(line)
    if "error" in answer:
        return {"error": answer["error"].get("message", "unknown error")}
    result = answer["result"]
    text = "".join(block.get("text", "") for block in result.get("content", [])
                   if isinstance(block, dict))
    if result.get("isError"):
        return {"error": text or "unknown error"}
    return result.get("structuredContent") or {"text": text}


def _call(name, arguments):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": name, "arguments": _given(arguments)}}
    try:
        result = _result(_talk(["mcp"], request, True, TOOL_SECONDS), name)
    except Exception as error:  # whatever it is, the model gets a sentence
        result = {"error": "%s: %s" % (name, error)}
    return json.dumps(result, ensure_ascii=False)


def _handler(name):
    def handle(args=None, **_):
        return _call(name, args)
    return handle


# --- hooks ---

def _prompt(message):
    """A text, or a list of parts of which some are text."""
    if isinstance(message, str):
        return message
    if not isinstance(message, list):
        return ""
    return "\n".join(part["text"] for part in message
                     if isinstance(part, dict)
                     and isinstance(part.get("text"), str))


def _hook(event, session_id, **more):
    data = {"session_id": session_id or "", "cwd": _cwd(),
            "hermes_home": _hermes_home(), **more}
    try:
        return _talk(["hook", event], data, False, HOOK_SECONDS) or b""
    except Exception:  # a hook may never disturb a turn
        return b""


def _pre_llm_call(session_id=None, user_message=None, is_first_turn=False,
                  parent_session_id=None, **_):
    output = _hook("user-prompt", session_id, prompt=_prompt(user_message),
                   is_first_turn=bool(is_first_turn),
                   parent_session_id=parent_session_id or "")
    try:
        context = json.loads(output).get("context")
    except (ValueError, AttributeError):
        return None
    if not isinstance(context, str) or not context:
        return None
    return {"context": context}


def _on_session_end(session_id=None, **_):
    _hook("stop", session_id)


def register(ctx):
    if not _is_set_up():
        return
    for name, description, properties, required in _TOOLS:
        tool = "jezero_" + name
        ctx.register_tool(
            name=tool, toolset="jezero",
            schema={"name": tool, "description": description,
                    "parameters": {"type": "object", "properties": properties,
                                   "required": required}},
            handler=_handler(name))
    ctx.register_hook("pre_llm_call", _pre_llm_call)
    ctx.register_hook("on_session_end", _on_session_end)
