# SPDX-License-Identifier: Apache-2.0
"""backfill, and what each agent's sessions look like when they are sent: by
backfill and by hook."""
import json
import os
import pty
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

import agent_sessions as agents  # noqa: E402
from inbox_peer import InboxPeer  # noqa: E402
from jzclient import Client  # noqa: E402
from tap import Tap  # noqa: E402

PROGRAM = sys.argv[1]
NAMES = ("claude-code", "codex", "antigravity", "opencode", "hermes")
tap = Tap()


def wait_for(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def flush(client):
    return json.loads(client.run("flush").stdout)


def sent(peer, count):
    """What arrived, by path, once so many did."""
    tap.check(wait_for(lambda: len(peer.paths()) >= count), peer.paths())
    return {upload.path: upload for upload in peer.uploads}


def all_agents(home):
    return {name: getattr(agents, name.replace("-", "_"))(home) for name in NAMES}


def want_paths(made):
    session = {name: one[0] for name, one in made.items()}
    return sorted([
        "claude-code/-home-dana-projects-billing/%s.jsonl" % session["claude-code"],
        "codex/2026/11/30/rollout-2026-11-30T17-25-01-%s.jsonl" % session["codex"],
        "antigravity/%s.jsonl" % session["antigravity"],
        "opencode/%s.json" % session["opencode"],
        "hermes/%s.json" % session["hermes"]])


# --- all agents ---

def test_the_sessions_of_all_agents_are_sent():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        made = all_agents(client.folder)
        run = client.run("backfill")
        tap.equal((run.returncode, run.stdout, run.stderr),
                  (0, "queued 5 sessions; uploading in the background\n", ""), "output")
        got = sent(peer, 5)
        tap.equal(sorted(got), want_paths(made), "paths")
        for name in ("claude-code", "codex"):
            with open(made[name][1], "rb") as file:
                body = file.read()
            tap.equal([one.body for path, one in got.items()
                       if path.startswith(name)], [body], name)
        tap.check(wait_for(lambda: len(client.state().get("sent", {})) == 5), "noted")
        tap.equal((client.pending(), client.log()), ({}, ""), "nothing is left")
        again = client.run("backfill")
        tap.equal(again.stdout, run.stdout, "again")
        tap.check(wait_for(lambda: not client.pending()), "all unchanged")
        tap.equal(len(peer.paths()), 5, "nothing is sent twice")


def test_a_hook_of_each_agent_sends_the_same():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        made = all_agents(client.folder)
        for name, (session, path) in made.items():
            data = {"session_id": session, "cwd": agents.CWD}
            if name in ("claude-code", "codex"):
                data["transcript_path"] = path
            if name == "antigravity":
                data = {"conversationId": session, "transcriptPath": path,
                        "workspacePaths": [agents.CWD]}
            run = client.hook("stop", name, data)
            tap.equal((run.returncode, run.stderr), (0, ""), name)
        got = sent(peer, 5)
        tap.equal(sorted(got), want_paths(made), "paths")
        tap.equal(client.log(), "", "log")


def test_folders_become_projects():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        client.write("client.json", json.dumps({
            "url": peer.url, "projects": {"paths": {agents.CWD: "billing"}}}))
        all_agents(client.folder)
        client.run("backfill")
        got = sent(peer, 5)
        tap.equal({path.split("/")[0]: one.headers["X-Jezero-Project"]
                   for path, one in got.items()},
                  dict({name: "billing" for name in NAMES}, antigravity=None),
                  "the folder that each session names")


# --- what each agent has of its own ---

def test_codex_archived_and_packed_rollouts_are_sent_and_sub_agents_not():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        one = agents.codex(client.folder, 1)
        two = agents.codex(client.folder, 2, archived=True)
        agents.codex(client.folder, 3, source={"subagent": "review"})
        agents.codex(client.folder, 4, source={"subagent": {"thread_spawn": {}}})
        want = ["codex/2026/11/30/rollout-2026-11-30T17-25-%02d-%s.jsonl" %
                (number, session) for number, (session, _) in ((1, one), (2, two))]
        bodies = {}
        if agents.has_zstd():
            plain = agents.codex(client.folder, 5)[1]
            with open(plain, "rb") as file:
                bodies["codex/2026/11/30/" + os.path.basename(plain)] = file.read()
            agents.codex(client.folder, 5, packed=True)
            want += list(bodies)
        run = client.run("backfill", "--agent", "codex")
        tap.equal(run.stdout, "queued %d sessions; uploading in the background\n" %
                  len(want), "output")
        got = sent(peer, len(want))
        tap.equal(sorted(got), sorted(want), "paths")
        for path, body in bodies.items():
            tap.equal(got[path].body, body, "unpacked")
        stop = client.hook("stop", "codex", {
            "session_id": agents.codex(client.folder, 3, source={"subagent": "x"})[0],
            "transcript_path": agents.codex(client.folder, 3,
                                            source={"subagent": "x"})[1]})
        tap.equal((stop.stdout, client.pending()), ("", {}), "nor by a hook")


def test_codex_sessions_are_found_where_they_went():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        session, path = agents.codex(client.folder)
        archived = os.path.join(client.folder, ".codex", "archived_sessions",
                                os.path.basename(path))
        os.makedirs(os.path.dirname(archived))
        os.makedirs(client.path("spool", "pending"), mode=0o700)

        def pointer(at):
            client.write("spool/pending/codex__%s.json" % session, json.dumps({
                "agent": "codex", "session_id": session, "path": at, "cwd": None,
                "project": None, "queued_at": 1}))

        pointer(path)
        os.rename(path, archived)
        tap.equal(flush(client)["sent"], 1, "archived")
        pointer(archived)
        os.rename(archived, path)
        with open(path, "a", encoding="utf-8") as file:
            file.write("{}\n")
        tap.equal(flush(client)["sent"], 1, "taken out again")
        tap.equal(set(peer.paths()), {"codex/2026/11/30/" + os.path.basename(path)},
                  "one place on the server")
        if agents.has_zstd():
            pointer(path)
            subprocess.run(["zstd", "-q", "--rm", path], check=True)
            os.utime(path + ".zst", (1, 1))
            tap.equal(flush(client)["sent"], 1, "packed")
            tap.equal(peer.uploads[2].body, peer.uploads[1].body, "the same text")
            with open(path + ".zst", "r+b") as file:
                file.truncate(os.path.getsize(path + ".zst") - 9)
            pointer(path)
            tap.equal(flush(client)["rejected"], 1, "a cut one is no use")
            tap.check(".zst is cut" in client.run("status").stdout, "status says so")
        session, path = agents.codex(client.folder, 2)
        client.hook("stop", "codex", {"session_id": session,
                                      "transcript_path": agents.codex(
                                          client.folder, 7)[1]})
        tap.check(wait_for(lambda: peer.paths()[-1].endswith(session + ".jsonl")),
                  "the file of the session, beside the one that was named")


def test_antigravity_sends_the_union_when_either_file_changes():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        session, path = agents.antigravity(client.folder, place="antigravity-cli")
        full = path.replace("transcript.jsonl", "transcript_full.jsonl")
        data = {"conversationId": session, "transcriptPath": full,
                "workspacePaths": [agents.CWD]}

        def stopped(count):
            client.hook("stop", "antigravity", data)
            tap.check(wait_for(lambda: not client.pending() and
                               len(peer.paths()) >= count), "sent")
            return [json.loads(line)["step_index"]
                    for line in peer.uploads[-1].body.splitlines()]

        tap.equal(stopped(1), [0, 1, 2], "of both files, by step")
        stopped(1)
        tap.equal(len(peer.paths()), 1, "unchanged")
        for number, file in ((3, path), (4, full)):
            with open(file, "a", encoding="utf-8") as stream:
                stream.write(json.dumps({"step_index": number, "content": "x"}) + "\n")
            tap.equal(stopped(number - 1), list(range(number + 1)), file)
        os.unlink(path)
        data["transcriptPath"] = path
        tap.equal(stopped(4), [1, 2, 4], "one of them is enough")
        del data["transcriptPath"]
        stopped(4)
        tap.equal(client.log(), "", "its place is known without its path")


def test_exports_are_rewritten_when_the_session_changed():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        for name, base in (("hermes", agents.hermes), ("opencode", agents.opencode)):
            session, database = base(client.folder)
            file = client.path("spool", name, session + ".json")
            before = len(peer.paths())

            def stopped(count):
                client.hook("stop", name, {"session_id": session})
                tap.check(wait_for(lambda: not client.pending() and
                                   len(peer.paths()) >= before + count), name)

            stopped(1)
            about = os.stat(file)
            tap.equal(about.st_mode & 0o777, 0o600, "mode")
            os.utime(file, ns=(5, 1_700_000_000_000_000_000))
            stopped(2)
            stopped(2)
            tap.equal((os.stat(file).st_mtime_ns, len(peer.paths()) - before),
                      (1_700_000_000_000_000_000, 2), "left alone")
            connection = agents.sqlite3.connect(database)
            connection.execute("UPDATE %s SET title = 'Another'" %
                               ("sessions" if name == "hermes" else "session"))
            connection.commit()
            connection.close()
            stopped(3)
            with open(file, "rb") as stream:
                body = stream.read()
            tap.check(b"Another" in body, "rewritten")
            tap.equal(peer.uploads[-1].body, body, "and sent")
        tap.equal(client.log(), "", "log")


def test_sub_agents_and_scheduled_runs_of_databases_are_left_out():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        parent, _ = agents.opencode(client.folder, 1)
        child, _ = agents.opencode(client.folder, 2, parent=parent)
        mine, _ = agents.hermes(client.folder, 1)
        others = [agents.hermes(client.folder, number, source=source)[0]
                  for number, source in ((2, "subagent"), (3, "cron"))]
        for name, session in [("opencode", child)] + [("hermes", one) for one in others]:
            client.hook("stop", name, {"session_id": session})
        client.hook("stop", "hermes", {"session_id": "20261130_000000_ffffff"})
        tap.equal((client.pending(), client.log()), ({}, ""), "no hook queues them")
        run = client.run("backfill", "--agent", "opencode", "--agent", "hermes")
        tap.equal(run.stdout, "queued 2 sessions; uploading in the background\n",
                  "output")
        tap.equal(sorted(sent(peer, 2)), ["hermes/%s.json" % mine,
                                          "opencode/%s.json" % parent], "paths")


def test_hermes_homes_are_those_the_hook_names():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        session, database = agents.hermes(client.folder, folder="elsewhere")
        client.hook("stop", "hermes", {"session_id": session})
        tap.equal(client.pending(), {}, "not in the usual place")
        client.hook("stop", "hermes", {"session_id": session,
                                       "hermes_home": os.path.dirname(database)})
        tap.equal(sorted(sent(peer, 1)), ["hermes/%s.json" % session], "path")


# --- options and texts ---

def test_days_count_from_the_last_change():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        now = time.time()
        for number, age in ((1, 1), (2, 40), (3, 100)):
            _, path = agents.claude_code(client.folder, number)
            os.utime(path, (now - age * 86400,) * 2)
            agents.hermes(client.folder, number, at=now - age * 86400)
        for options, count in (([], 4), (["--days", "30"], 2), (["--days", "200"], 6),
                               (["--days", "30", "--agent", "hermes"], 1)):
            run = client.run("backfill", *options)
            tap.equal(run.stdout, "queued %d session%s; uploading in the background\n" %
                      (count, "" if count == 1 else "s"), options)
            wait_for(lambda: not client.pending())
        for days in ("0", "-1", "x", "1.5", "", "99999999999999999999"):
            run = client.run("backfill", "--days", days)
            tap.equal((run.returncode, run.stdout), (2, ""), days)
            tap.check("--days must be a whole number from 1" in run.stderr, run.stderr)


def test_nothing_to_queue_is_said():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        run = client.run("backfill", "--days", "7")
        tap.equal((run.returncode, run.stdout),
                  (0, "queued 0 sessions: none changed in the last 7 days\n"), "output")
        run = client.run("backfill", "--agent", "cursor")
        tap.equal((run.returncode, run.stdout), (2, ""), "no such agent")


def test_an_agent_without_a_key_is_named():
    with Client(PROGRAM) as client:
        run = client.run("backfill")
        tap.equal(run.stdout, "".join(
            "%s: not set up (%s): run `init` first\n" % (name, client.home)
            for name in NAMES), "output")
        tap.equal(run.returncode, 1, "status")


def test_a_read_only_computer_uploads_nothing():
    with InboxPeer() as peer, \
            Client(PROGRAM, url=peer.url, init=["--no-upload"]) as client:
        all_agents(client.folder)
        run = client.run("backfill")
        tap.equal(run.stdout, "".join(
            "%s: read-only computer (init --no-upload): nothing to upload\n" % name
            for name in NAMES), "output")
        tap.equal((run.returncode, client.pending(), peer.paths()), (0, {}, []), "queue")


def test_each_agent_uses_its_own_key():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        all_agents(client.folder)
        own = os.path.join(client.folder, ".codex", "jezero")
        made = client.run("init", "--url", peer.url, env={"JEZERO_CLIENT_HOME": own})
        tap.equal(made.returncode, 0, made.stderr)
        with open(os.path.join(own, "token"), encoding="ascii") as file:
            codex_key = file.read().strip()
        shutil.rmtree(client.home)
        shutil.rmtree(os.path.join(client.folder, ".claude"))
        client.run("init", "--url", peer.url, env={"JEZERO_CLIENT_HOME": client.home})
        run = client.run("backfill", "--agent", "codex", "--agent", "hermes")
        tap.equal(run.stdout, "queued 2 sessions; uploading in the background\n", "two")
        got = sent(peer, 2)
        keys = {path.split("/")[0]: one.headers["Authorization"]
                for path, one in got.items()}
        tap.equal(keys["codex"], "Bearer " + codex_key, "codex' own")
        tap.check(keys["hermes"].startswith("Bearer "), "a key")


def test_progress_is_shown_on_a_terminal_alone():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        for number in range(400):
            agents.claude_code(client.folder, number)
        tap.equal(client.run("backfill").stderr, "", "not in a pipe")
        wait_for(lambda: not client.pending(), 60)
        master, slave = pty.openpty()
        process = client.start("backfill", stdin=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        output, _ = process.communicate(timeout=60)
        tap.equal(output, b"queued 400 sessions; uploading in the background\n",
                  "stdout")
        try:
            shown = os.read(master, 65536)
        except OSError:
            shown = b""  # it was too quick for a line
        os.close(master)
        tap.check(shown == b"" or b"sessions" in shown, shown)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        tap.run(test)
tap.done()
