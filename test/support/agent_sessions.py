# SPDX-License-Identifier: Apache-2.0
"""A user's home with invented sessions of all agents, as those keep them. Each
function writes one below `home` and returns its id and its file, for an agent
with a database the database."""
import json
import os
import shutil
import sqlite3
import subprocess

from transcripts import Claude, uid

CWD = "/home/dana/projects/billing"
TALK = (("user", "the invoice export breaks accents"),
        ("assistant", "Fixed: the file is written as UTF-8 without a mark now."))


def write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
    return path


def claude_code(home, number=1, cwd=CWD, config=".claude"):
    made = Claude(uid("claude", number), cwd)
    for turn in range(2):
        made.user("Why does invoice export %d fail with code %d?" % (number, turn))
        made.agent("The limit in export.py was too low; it is %d now." % turn)
    path = os.path.join(home, config, "projects", cwd.replace("/", "-"),
                        made.session + ".jsonl")
    return made.session, write(path, made.records)


def codex_lines(session, cwd, source):
    def line(kind, payload, second):
        return {"timestamp": "2026-11-30T17:25:%02d.000Z" % second, "type": kind,
                "payload": payload}
    yield line("session_meta", {"id": session, "timestamp": "2026-11-30T17:25:03Z",
                                "cwd": cwd, "originator": "codex_exec",
                                "cli_version": "9.9.9", "source": source,
                                "base_instructions": {"text": "x" * 40000}}, 3)
    for second, (role, text) in enumerate(TALK, 4):
        yield line("event_msg", {"type": "user_message" if role == "user"
                                 else "agent_message", "message": text}, second)
        yield line("response_item", {
            "type": "message", "role": role,
            "content": [{"type": "input_text" if role == "user" else "output_text",
                         "text": text}]}, second)


def codex(home, number=1, cwd=CWD, source="cli", archived=False, packed=False):
    session = uid("codex", number)
    name = "rollout-2026-11-30T17-25-%02d-%s.jsonl" % (number, session)
    folder = "archived_sessions" if archived else "sessions/2026/11/30"
    path = write(os.path.join(home, ".codex", folder, name),
                 codex_lines(session, cwd, source))
    if packed:
        subprocess.run(["zstd", "-q", "--rm", path], check=True)
        path += ".zst"
    return session, path


def antigravity(home, number=1, place="antigravity"):
    session = uid("antigravity", number)
    logs = os.path.join(home, ".gemini", place, "brain", session,
                        ".system_generated", "logs")

    def step(index, source, kind, content):
        return {"step_index": index, "source": source, "type": kind, "status": "DONE",
                "created_at": "2026-11-30T17:25:%02dZ" % index, "content": content}
    steps = [step(0, "USER_EXPLICIT", "USER_INPUT", "<USER_REQUEST>\n%s\n"
                  "</USER_REQUEST>" % TALK[0][1]),
             step(1, "MODEL", "PLANNER_RESPONSE", TALK[1][1]),
             step(2, "MODEL", "PLANNER_RESPONSE", "That is all.")]
    write(os.path.join(logs, "transcript_full.jsonl"), steps[1:])
    return session, write(os.path.join(logs, "transcript.jsonl"), steps[:2])


def fill(path, statements, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode = WAL")
    for statement in statements:
        base.execute(statement)
    for table, values in rows:
        base.execute("INSERT INTO %s (%s) VALUES (%s)" % (
            table, ", ".join(values), ", ".join("?" * len(values))),
            list(values.values()))
    base.commit()
    base.close()
    return path


def hermes(home, number=1, cwd=CWD, source="cli", at=None, folder=".hermes"):
    session = "20261130_1725%02d_ab12cd" % number
    at = at or 1796059503.0
    rows = [("sessions", {"id": session, "source": source, "title": "Invoice export",
                          "started_at": at, "cwd": cwd})]
    rows += [("messages", {"session_id": session, "role": role, "content": text,
                           "timestamp": at + 1})
             for role, text in TALK]
    return session, fill(os.path.join(home, folder, "state.db"), (
        "CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, source TEXT,"
        " title TEXT, started_at REAL, parent_session_id TEXT, end_reason TEXT,"
        " model_config TEXT, cwd TEXT)",
        "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, session_id TEXT,"
        " role TEXT, content TEXT, tool_calls TEXT, timestamp REAL,"
        " active INTEGER DEFAULT 1)"), rows)


def opencode(home, number=1, cwd=CWD, parent=None, at=None):
    session = "ses_dd282b613ffe%04d" % number
    at = at or 1796059503000
    rows = [("session", {"id": session, "project_id": "global", "parent_id": parent,
                         "slug": "s", "directory": cwd, "title": "Invoice export",
                         "version": "9.9.9", "time_created": at, "time_updated": at})]
    for index, (role, text) in enumerate(TALK):
        message = "msg_%s_%d" % (session, index)
        rows.append(("message", {"id": message, "session_id": session,
                                 "time_created": at + index,
                                 "time_updated": at + index,
                                 "data": json.dumps({"role": role, "time": {
                                     "created": at + index}})}))
        rows.append(("part", {"id": "prt_%s_%d" % (session, index),
                              "message_id": message, "session_id": session,
                              "time_created": at + index, "time_updated": at + index,
                              "data": json.dumps({"type": "text", "text": text})}))
    times = "time_created INTEGER, time_updated INTEGER"
    return session, fill(
        os.path.join(home, ".local", "share", "opencode", "opencode.db"), (
            "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, project_id TEXT,"
            " parent_id TEXT, slug TEXT, directory TEXT, title TEXT, version TEXT,"
            " time_archived INTEGER, %s)" % times,
            "CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT,"
            " %s, data TEXT)" % times,
            "CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT,"
            " session_id TEXT, %s, data TEXT)" % times), rows)


def has_zstd():
    return shutil.which("zstd") is not None
