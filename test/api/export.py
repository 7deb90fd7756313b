# SPDX-License-Identifier: Apache-2.0
"""Sessions out of agents' databases, while a writer has them open."""
import ctypes
import json
import os
import sqlite3
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from jezero_ctypes import load, take  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
lib = load()
EINVAL, ENOTFOUND, ECORRUPT = -3, -4, -7


def export(agent, place, session):
    """The text, or the error."""
    out = ctypes.c_void_p()
    code = lib.jz_export_session(ctypes.byref(out), agent.encode(),
                                 os.fsencode(place), session.encode())
    return take(lib, out).decode() if code == 0 else code


def sessions(agent, place, since=0):
    out = ctypes.c_void_p()
    code = lib.jz_list_sessions(ctypes.byref(out), agent.encode(),
                                os.fsencode(place), ctypes.c_int64(since))
    return json.loads(take(lib, out)) if code == 0 else code


def database(path, *statements, rows=()):
    """A database that a writer keeps open: all of it is in the log."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    for statement in statements:
        db.execute(statement)
    for table, values in rows:
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})",
                   list(values.values()))
    db.commit()
    return db


# --- Hermes ---

HERMES = ("""CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT,
             model TEXT, model_config TEXT, parent_session_id TEXT,
             started_at REAL, ended_at REAL, end_reason TEXT, title TEXT,
             cwd TEXT, git_branch TEXT, last_activity_at REAL)""",
          """CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT,
             role TEXT, content TEXT, tool_calls TEXT, timestamp REAL,
             active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0,
             display_kind TEXT, api_content TEXT)""")
ID = "20261021_091200_ab12cd"


def said(session, role, content, **more):
    return ("messages", dict({"session_id": session, "role": role,
                              "content": content, "timestamp": 1792573921.5},
                             **more))


def hermes(folder, *rows):
    return database(os.path.join(folder, "state.db"), *HERMES, rows=rows)


def started(session=ID, **more):
    return ("sessions", dict({"id": session, "source": "cli",
                              "started_at": 1792573920.0,
                              "title": "Invoice export fix",
                              "cwd": "/home/me/projects/billing"}, **more))


def test_hermes_gives_what_was_said_and_no_more():
    with tempfile.TemporaryDirectory() as folder:
        calls = '[{"id": "c1", "n": 12345678901234567890}]'
        db = hermes(
            folder, started(),
            said(ID, "user", "the invoice export breaks accents"),
            said(ID, "assistant", "Looking.", tool_calls=calls,
                 api_content="context of a plugin"),
            said(ID, "tool", "output of a tool"),
            said(ID, "user", "rewound", active=0),
            said(ID, "user", "scaffolding", display_kind="hidden"),
            said(ID, "assistant", None),
            said("other", "user", "of another session"))
        path = os.path.join(folder, "state.db")
        text = export("hermes", path, ID)
        got = json.loads(text)
        tap.equal(got["format"], "jezero-hermes-export/1", "format")
        tap.equal(got["session"]["id"], ID, "id")
        tap.equal(got["session"]["started_at"], 1792573920.0, "start")
        tap.equal(got["session"]["cwd"], "/home/me/projects/billing", "folder")
        tap.equal([(m["id"], m["role"], m["content"]) for m in got["messages"]],
                  [(1, "user", "the invoice export breaks accents"),
                   (2, "assistant", "Looking."), (6, "assistant", None)],
                  "messages")
        tap.equal(got["messages"][0],
                  {"id": 1, "role": "user",
                   "content": "the invoice export breaks accents",
                   "tool_calls": None, "timestamp": 1792573921.5}, "a message")
        tap.check("12345678901234567890" in text, "digits of a number stay")
        tap.equal(export("hermes", path, ID), text, "twice the same bytes")
        db.close()


def test_hermes_takes_the_columns_that_exist():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state.db")
        db = database(
            path, "CREATE TABLE sessions (id TEXT, source TEXT, started_at REAL,"
            " parent_session_id TEXT)",
            "CREATE TABLE messages (id INTEGER, session_id TEXT, role TEXT,"
            " content TEXT, timestamp REAL)",
            rows=[("sessions", {"id": "a", "source": "cli", "started_at": 5}),
                  ("messages", {"id": 1, "session_id": "a", "role": "user",
                                "content": "x", "timestamp": 6})])
        got = json.loads(export("hermes", path, "a"))
        tap.equal(got["session"], {"id": "a", "source": "cli", "started_at": 5,
                                   "parent_session_id": None}, "session")
        tap.equal(got["messages"][0]["tool_calls"], None, "no such column")
        tap.equal([s["session"] for s in sessions("hermes", folder)], ["a"],
                  "listed")
        db.close()


def test_hermes_leaves_scheduled_and_delegated_sessions_out():
    cases = [("cron", {"source": "cron"}, False),
             ("subagent", {"source": "subagent"}, False),
             ("delegated", {"model_config": '{"_delegate_from": "p"}'}, False),
             ("child", {"parent_session_id": "p"}, False),
             ("goes-on", {"parent_session_id": "compressed"}, True),
             ("branch", {"parent_session_id": "branched"}, True),
             ("branch2", {"parent_session_id": "p",
                          "model_config": '{"_branched_from": "p"}'}, True),
             ("reset", {"parent_session_id": "p",
                        "model_config": '{"_reset_from": "p"}'}, True),
             ("telegram", {"source": "telegram"}, True)]
    with tempfile.TemporaryDirectory() as folder:
        rows = [started("p"), started("compressed", end_reason="compression"),
                started("branched", end_reason="branched")]
        rows += [started(name, **more) for name, more, _ in cases]
        db = hermes(folder, *rows)
        listed = {s["session"] for s in sessions("hermes", folder)}
        for name, _, is_exported in cases:
            text = export("hermes", os.path.join(folder, "state.db"), name)
            tap.equal(text != "", is_exported, name)
            tap.equal(name in listed, is_exported, name + " in the list")
        db.close()


def test_hermes_lists_by_the_newest_sign_of_life_in_every_profile():
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profiles", "work")
        os.makedirs(profile)
        one = hermes(folder, started("old", started_at=100.0),
                     started("said", started_at=100.0),
                     started("active", started_at=100.0, last_activity_at=900.0),
                     said("said", "user", "x", timestamp=800.0))
        two = hermes(profile, started("work", started_at=700.0))
        got = sessions("hermes", folder, since=500)
        tap.equal([(s["session"], s["modified"]) for s in got],
                  [("work", 700), ("said", 800), ("active", 900)], "sessions")
        tap.equal(got[0]["path"], os.path.join(profile, "state.db"), "place")
        one.close()
        two.close()


# --- OpenCode ---

def opencode(folder, *rows):
    return database(
        os.path.join(folder, "opencode.db"),
        "CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT,"
        " directory TEXT, title TEXT, version TEXT, time_created INTEGER,"
        " time_updated INTEGER)",
        "CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER,"
        " data TEXT)",
        "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT,"
        " data TEXT)",
        "CREATE TABLE credential (secret TEXT)",
        rows=[("credential", {"secret": "not-for-anybody"}), *rows])


def test_opencode_gives_what_its_own_export_prints():
    with tempfile.TemporaryDirectory() as folder:
        db = opencode(
            folder,
            ("session", {"id": "ses_1", "project_id": "global",
                         "directory": "/home/me/shop", "title": "Prices",
                         "version": "1.18.33", "time_created": 1000,
                         "time_updated": 2000}),
            ("message", {"id": "msg_2", "session_id": "ses_1",
                         "time_created": 12, "data": '{"role":"assistant"}'}),
            ("message", {"id": "msg_1", "session_id": "ses_1",
                         "time_created": 11, "data": '{"role":"user"}'}),
            ("part", {"id": "prt_2", "message_id": "msg_1",
                      "session_id": "ses_1", "data": '{"type":"file"}'}),
            ("part", {"id": "prt_1", "message_id": "msg_1",
                      "session_id": "ses_1",
                      "data": '{"type":"text","text":"Grüße"}'}),
            ("part", {"id": "prt_3", "message_id": "msg_2",
                      "session_id": "ses_1", "data": "damaged"}))
        text = export("opencode", os.path.join(folder, "opencode.db"), "ses_1")
        got = json.loads(text)
        tap.equal(got["info"]["projectID"], "global", "project")
        tap.equal(got["info"]["time"], {"created": 1000, "updated": 2000},
                  "times")
        tap.equal([m["info"]["id"] for m in got["messages"]],
                  ["msg_1", "msg_2"], "messages by time")
        tap.equal(got["messages"][0]["parts"],
                  [{"type": "text", "text": "Grüße", "id": "prt_1",
                    "sessionID": "ses_1", "messageID": "msg_1"},
                   {"type": "file", "id": "prt_2", "sessionID": "ses_1",
                    "messageID": "msg_1"}], "parts by id")
        tap.equal(got["messages"][1]["parts"][0]["id"], "prt_3",
                  "a damaged part keeps its place")
        tap.check("not-for-anybody" not in text, "no credentials")
        db.close()


def test_opencode_leaves_sub_agents_out():
    with tempfile.TemporaryDirectory() as folder:
        row = {"project_id": "global", "directory": "/d", "title": "t",
               "version": "1", "time_created": 1000}
        db = opencode(
            folder,
            ("session", dict(row, id="ses_1", time_updated=5000000)),
            ("session", dict(row, id="ses_2", time_updated=9000000)),
            ("session", dict(row, id="ses_3", parent_id="ses_2",
                             time_updated=9000000)))
        path = os.path.join(folder, "opencode.db")
        tap.equal(export("opencode", path, "ses_3"), "", "sub-agent")
        tap.equal([s["session"] for s in sessions("opencode", folder, 8000)],
                  ["ses_2"], "listed")
        tap.equal(len(sessions("opencode", folder)), 2, "all")
        db.close()


def test_opencode_equals_a_recorded_export():
    root = os.path.join(os.environ["JZ_TRANSCRIPTS"], "_recorded-mock-model",
                        "opencode")
    session = "ses_dd282b613ffeEGHvMhIB1dE67u"
    with open(os.path.join(root, session + ".json"), encoding="utf-8") as file:
        want = json.load(file)
    got = json.loads(export("opencode", os.path.join(root, "opencode.db"),
                            session))
    tap.equal(got, want, "export")


# --- Antigravity ---

def line(step, content, **more):
    return json.dumps(dict({"step_index": step, "content": content}, **more))


def conversation(folder, name, short=None, full=None, product="antigravity"):
    logs = os.path.join(folder, product, "brain", name, ".system_generated",
                        "logs")
    os.makedirs(logs)
    for file_name, lines in (("transcript.jsonl", short),
                             ("transcript_full.jsonl", full)):
        if lines is not None:
            with open(os.path.join(logs, file_name), "w",
                      encoding="utf-8") as file:
                file.write("\n".join(lines))
    return logs


def test_antigravity_is_the_union_by_step():
    with tempfile.TemporaryDirectory() as folder:
        logs = conversation(
            folder, "conv-1",
            short=['ent": "a fragment"}', line(0, "first"), line(2, "cut…"),
                   line(1, "second", status="RUNNING"),
                   line(1, "second", status="DONE"), "", line(4, "last")],
            full=[line(2, "whole"), line(3, "third"), '{"step_index": 5, "co'])
        got = [json.loads(one)
               for one in export("antigravity", logs, "conv-1").splitlines()]
        tap.equal([(s["step_index"], s["content"]) for s in got],
                  [(0, "first"), (1, "second"), (2, "whole"), (3, "third"),
                   (4, "last")], "steps")
        tap.equal(got[1]["status"], "DONE", "the last line of a step")


def test_antigravity_needs_one_of_its_files():
    with tempfile.TemporaryDirectory() as folder:
        logs = conversation(folder, "a", full=[line(1, "x")])
        tap.equal(export("antigravity", logs, "a"), line(1, "x").replace(
            " ", " ") + "\n", "the full one alone")
        logs = conversation(folder, "b")
        tap.equal(export("antigravity", logs, "b"), ENOTFOUND, "none")


def test_antigravity_lists_both_products():
    with tempfile.TemporaryDirectory() as folder:
        one = conversation(folder, "a", short=[line(1, "x")], full=[])
        two = conversation(folder, "b", full=[line(1, "x")],
                           product="antigravity-cli")
        other = os.path.join(folder, "antigravity", "brain", "c", "logs")
        os.makedirs(other)
        with open(os.path.join(other, "transcript.jsonl"), "w",
                  encoding="utf-8") as file:
            file.write("{}")
        for place, when in ((one, 1000), (two, 2000)):
            for name in os.listdir(place):
                os.utime(os.path.join(place, name), (when, when))
        got = sessions("antigravity", folder)
        tap.equal([(s["session"], s["path"], s["modified"]) for s in got],
                  [("a", one, 1000), ("b", two, 2000)], "sessions")
        tap.equal([s["session"] for s in sessions("antigravity", folder, 1500)],
                  ["b"], "since")


# --- what is wrong ---

def test_errors_tell_the_kinds_apart():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state.db")
        tap.equal(export("hermes", path, "a"), ENOTFOUND, "no database")
        tap.equal(sessions("hermes", folder), [], "an agent never run")
        with open(path, "wb") as file:
            file.write(b"no database at all" * 100)
        tap.equal(export("hermes", path, "a"), ECORRUPT, "another file")
        tap.equal(export("hermes", folder, "a"), ECORRUPT, "a folder")
        tap.equal(export("claude-code", path, "a"), EINVAL, "files already")
        os.remove(path)
        db = hermes(folder, started("b"))
        tap.equal(export("hermes", path, "a"), ENOTFOUND, "no such session")
        tap.equal(export("hermes", path, "a' OR '1'='1"), ENOTFOUND,
                  "the session is no SQL")
        db.close()


def test_exporting_writes_nothing():
    with tempfile.TemporaryDirectory() as folder:
        db = hermes(folder, started(), said(ID, "user", "x"))
        path = os.path.join(folder, "state.db")
        before = [open(path + end, "rb").read() for end in ("", "-wal")]
        export("hermes", path, ID)
        sessions("hermes", folder)
        after = [open(path + end, "rb").read() for end in ("", "-wal")]
        tap.check(before == after, "the database and its log are as they were")
        db.close()


tap.run(test_hermes_gives_what_was_said_and_no_more)
tap.run(test_hermes_takes_the_columns_that_exist)
tap.run(test_hermes_leaves_scheduled_and_delegated_sessions_out)
tap.run(test_hermes_lists_by_the_newest_sign_of_life_in_every_profile)
tap.run(test_opencode_gives_what_its_own_export_prints)
tap.run(test_opencode_leaves_sub_agents_out)
if "JZ_TRANSCRIPTS" in os.environ:
    tap.run(test_opencode_equals_a_recorded_export)
else:
    tap.skip("opencode_equals_a_recorded_export", "JZ_TRANSCRIPTS is not set")
tap.run(test_antigravity_is_the_union_by_step)
tap.run(test_antigravity_needs_one_of_its_files)
tap.run(test_antigravity_lists_both_products)
tap.run(test_errors_tell_the_kinds_apart)
tap.run(test_exporting_writes_nothing)
tap.done()
