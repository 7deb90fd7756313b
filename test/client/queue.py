# SPDX-License-Identifier: Apache-2.0
"""The upload queue: from a stop hook to an item, every answer of a server and what
becomes of it, and that nothing is lost when processes are killed."""
import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

from inbox_peer import InboxPeer, OK  # noqa: E402
from jzclient import Client  # noqa: E402
from jzserver import Server, bearer, client as client_table  # noqa: E402
from tap import Tap  # noqa: E402
from transcripts import Claude, uid  # noqa: E402

PROGRAM, SERVER = sys.argv[1:3]
KEY = "laptop-key-8c21f7aa"
NOTHING = {"sent": 0, "unchanged": 0, "gone": 0, "failed": 0, "rejected": 0}
tap = Tap()


# --- what the tests are made of ---

def counts(**more):
    return dict(NOTHING, **more)


def wait_for(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def text_of(number, turns=2, cwd="/home/dana/projects/billing"):
    made = Claude(uid("queue", number), cwd)
    for turn in range(turns):
        made.user("Why does invoice export %d fail with code %d?" % (number, turn))
        made.agent("The limit in export.py was too low; it is %d now." % turn)
    return made.session, "".join(json.dumps(one) + "\n" for one in made.records)


def transcript(client, number, folder="-home-dana-projects-billing", **more):
    """A Claude Code session on disk: its id and path."""
    session, text = text_of(number, **more)
    place = os.path.join(client.folder, ".claude", "projects", folder)
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, session + ".jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return session, path


def append(path, text='{"type":"summary","summary":"more","leafUuid":"x"}\n'):
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def inbox_path(path):
    return "claude-code/" + "/".join(path.split("/")[-2:])


def pointer(client, session, path, agent="claude-code", **more):
    """Write a pointer as a hook does."""
    folder = client.path("spool", "pending")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    name = os.path.join(folder, "%s__%s.json" % (agent, session))
    data = {"agent": agent, "session_id": session, "path": path, "cwd": None,
            "project": None, "queued_at": 1792573920}
    data.update(more)
    with open(name, "w", encoding="utf-8") as file:
        json.dump(data, file)
    return name


def queued(client, count):
    """So many sessions in the queue: [(session, path)] in the order of names."""
    made = sorted(transcript(client, number) for number in range(count))
    for session, path in made:
        pointer(client, session, path)
    return made


def flush(client, **more):
    run = client.run("flush", **more)
    tap.check(run.stdout.startswith("{"), "flush: %r %r" % (run.stdout, run.stderr))
    return json.loads(run.stdout)


def stop(client, session, path, agent="claude-code", event="stop", **more):
    data = dict({"session_id": session, "transcript_path": path,
                 "cwd": "/home/dana/projects/billing", "hook_event_name": "Stop"},
                **more)
    run = client.hook(event, agent, data)
    tap.equal((run.returncode, run.stderr), (0, ""), "the hook")
    return run



def server_for(key, **fields):
    return Server(SERVER, tables=client_table("laptop", key, **fields))


def items(server, key=KEY):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": "timeline", "arguments": {"limit": 100}}})
    answer = server.ask("POST", "/mcp", body.encode(), bearer(key)).json()
    return answer["result"]["structuredContent"]["items"]


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


class Holder:
    """Holds the lock of the flush, so that hooks' own flushes do nothing."""

    def __init__(self, client):
        import fcntl
        os.makedirs(client.path("spool"), mode=0o700, exist_ok=True)
        self.file = open(client.path("spool", "flush.lock"), "w")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


def of_home(pid, home):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            command = file.read()
        with open("/proc/%d/environ" % pid, "rb") as file:
            return (command.split(b"\0")[1:2] == [b"flush"] and
                    b"JEZERO_CLIENT_HOME=" + home.encode() + b"\0" in file.read())
    except OSError:
        return False


def flushes(client):
    """Processes that send this home's queue; none where /proc is not."""
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and
            of_home(int(pid), client.home)] if os.path.isdir("/proc/self") else []


# --- from a hook to an item ---

def test_a_stopped_session_becomes_an_item():
    with server_for(KEY, upload=True) as server, \
            Client(PROGRAM, url="http://127.0.0.1:%d" % server.port, key=KEY) as client:
        session, path = transcript(client, 1)
        stop(client, session, path)
        tap.check(wait_for(lambda: items(server)), "an item comes")
        tap.equal(items(server)[0]["source"], "agent-claude-code-laptop", "source")
        tap.check(wait_for(lambda: path in client.state().get("sent", {})), "noted")
        noted = client.state()["sent"][path]
        about = os.stat(path)
        tap.equal((noted["size"], noted["mtime"], noted["status"]),
                  (about.st_size, about.st_mtime_ns // 1000, 200), "what is noted")
        tap.equal(client.pending(), {}, "the queue is empty")
        tap.equal(flush(client), NOTHING, "nothing is left")
        stop(client, session, path, event="session-end")
        tap.check(wait_for(lambda: client.pending() == {}), "unchanged")
        append(path)
        pointer(client, session, path)
        tap.equal(flush(client), counts(sent=1), "changed")
        pointer(client, session, path)
        tap.equal(flush(client), counts(unchanged=1), "not changed again")


def test_the_pointer_says_what_the_seed_names():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client, Holder(client):
        session, path = transcript(client, 1)
        client.write("client.json", json.dumps({
            "url": peer.url, "projects": {"paths": {"/home/dana/projects/billing":
                                                    "billing"}}}))
        stop(client, session, path)
        name = "claude-code__%s.json" % session
        made = client.pending()[name]
        queued_at = made.pop("queued_at")
        tap.check(abs(queued_at - time.time()) < 60, "queued_at")
        tap.equal(made, {"agent": "claude-code", "session_id": session, "path": path,
                         "cwd": "/home/dana/projects/billing", "project": "billing"},
                  "pointer")
        file = client.path("spool", "pending", name)
        tap.equal([mode(file), mode(client.path("spool", "pending")),
                   mode(client.path("spool"))], [0o600, 0o700, 0o700], "modes")
        stop(client, session, path, cwd=None)
        tap.equal(client.pending()[name]["cwd"], "/home/dana/projects/billing",
                  "the folder of the transcript")
        tap.equal(len(client.pending()), 1, "a newer one replaces the older one")


def test_the_project_travels_encoded():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        made = queued(client, 1)[0]
        pointer(client, *made, project="Café ✓ 100%")
        tap.equal(flush(client), counts(sent=1), "sent")
        headers = peer.uploads[0].headers
        tap.equal(headers["X-Jezero-Project"], "Caf%C3%A9%20%E2%9C%93%20100%25",
                  "project")
        tap.equal((headers["Content-Encoding"], headers["Authorization"]),
                  ("gzip", "Bearer " + client.key()), "headers")
        append(made[1])
        pointer(client, *made, project="é" * 150)
        flush(client)
        tap.equal(peer.uploads[1].headers["X-Jezero-Project"], "%C3%A9" * 100,
                  "no more than the server takes")


def test_odd_paths_do_no_harm():
    with InboxPeer() as peer:
        base = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                            "jezero-%d" % os.getpid())
        folder = os.path.join(base, "Dana Reyés (work) & co's $HOME")
        os.makedirs(folder, mode=0o700)
        with Client(PROGRAM, url=peer.url, folder=folder) as client:
            session, path = transcript(client, 1, folder="-a b'$(x)&")
            stop(client, session, path)
            tap.check(wait_for(peer.paths), "it arrives")
            tap.equal(peer.paths(), ["claude-code/-a_b___x__/%s.jsonl" % session],
                      "path")
            tap.equal(client.log(), "", "log")
        subprocess.run(["rm", "-rf", base], check=True)


def test_after_a_fork_the_session_s_own_file_is_queued():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client, Holder(client):
        parent, parent_path = transcript(client, 1)
        child = uid("child")
        stop(client, child, parent_path)
        tap.equal(client.pending(), {}, "not there yet")
        child_path = parent_path.replace(parent, child)
        append(child_path, text_of(2)[1])
        stop(client, child, parent_path)
        tap.equal([one["path"] for one in client.pending().values()], [child_path],
                  "the child's file")


def test_what_is_no_session_is_not_queued():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        session, path = transcript(client, 1)
        agent = os.path.join(os.path.dirname(path), "agent-12ab.jsonl")
        below = os.path.join(path[:-len(".jsonl")], "subagents", "agent-12ab.jsonl")
        os.makedirs(os.path.dirname(below))
        for other in (agent, below):
            append(other)
        for given in (agent, below, None, "", "/nowhere/x/y.jsonl", "relative/y.jsonl",
                      os.path.dirname(path)):
            stop(client, session, given)
        tap.equal((client.pending(), client.log()), ({}, ""), "nothing happens")


def test_a_read_only_computer_queues_nothing():
    with InboxPeer() as peer, \
            Client(PROGRAM, url=peer.url, init=["--no-upload"]) as client:
        session, path = transcript(client, 1)
        stop(client, session, path)
        tap.equal(client.pending(), {}, "no pointer")
        pointer(client, session, path)
        tap.equal((flush(client), peer.paths()), (NOTHING, []), "no upload")


# --- answers ---

def test_a_rejected_file_blocks_nobody():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        made = queued(client, 10)
        places = [inbox_path(path) for _, path in made]
        peer.answers = {places[2]: (413, {}, b'{"ok":false,"error":"file too large"}'),
                        places[4]: (400, {}, b"<html>Bad Request</html>"),
                        places[6]: (500, {}, b"oops"),
                        places[7]: (429, {"Retry-After": "3600"}, b"slow down"),
                        places[8]: None}
        tap.equal(flush(client), counts(sent=4, rejected=2, failed=1), "first")
        tap.equal(peer.paths(), places[:7], "in the order of names, to the 500")
        rejected = client.state()["rejected"]
        tap.equal(sorted(rejected), sorted([made[2][1], made[4][1]]), "rejected")
        one = rejected[made[2][1]]
        tap.equal((one["status"], one["agent"], one["reason"], one["size"]),
                  (413, "claude-code",
                   'HTTP 413 {"ok":false,"error":"file too large"}',
                   os.path.getsize(made[2][1])), "record")
        peer.forget()
        tap.equal(flush(client), counts(failed=1), "again")
        tap.equal(peer.paths(), [places[7]], "the one behind it is tried first")
        until = client.state()["flush_pause"]["until"]
        tap.check(3500 < until - time.time() <= 3600, "the server's own pause")
        peer.forget()
        session, path = transcript(client, 99)
        stop(client, session, path)
        tap.equal((flushes(client), peer.paths()), ([], []),
                  "hooks leave the server alone")
        del peer.answers[places[6]], peer.answers[places[7]]
        tap.equal(flush(client)["sent"], 2 + (places[8] > inbox_path(path)),
                  "who asks for it is not kept waiting; the ninth is cut")
        peer.answers = {}
        tap.equal(flush(client)["failed"], 0, "the rest goes")
        tap.equal((client.pending(), "flush_pause" in client.state()), ({}, False),
                  "all of it")
        peer.forget()
        for again in (made[2], made[4]):
            pointer(client, *again)
        tap.equal((flush(client), peer.paths()), (counts(unchanged=2), []),
                  "rejected files are not sent again")
        append(made[2][1])
        pointer(client, *made[2])
        tap.equal(flush(client), counts(sent=1), "but when they change")
        tap.equal(list(client.state()["rejected"]), [made[4][1]], "no longer rejected")


def test_only_the_inbox_s_own_answer_counts():
    login = b"<!DOCTYPE html><title>Sign in</title>"
    with InboxPeer() as peer, InboxPeer() as other, \
            Client(PROGRAM, url=peer.url) as client:
        session, path = transcript(client, 1)
        place = inbox_path(path)
        elsewhere = {"Location": other.url + "/inbox/v1/" + place}
        for answer in ((200, {"Content-Type": "text/html"}, login),
                       (200, {}, b""), (200, {}, b'{"ok":false}'),
                       (200, {}, b'{"ok":"true"}'), (200, {}, b'["ok"]'),
                       (301, elsewhere, b""), (302, elsewhere, b""),
                       (303, elsewhere, b""), (307, elsewhere, b""),
                       (308, elsewhere, b""), (201, {}, b'{"ok":true}'),
                       (202, {}, b'{"ok":true}'), (204, {}, b""), (404, {}, b"?"),
                       (409, {}, b""), (500, {}, login), (503, {}, b""),
                       (507, {}, b'{"ok":false}'), None):
            peer.answers[place] = answer
            pointer(client, session, path)
            tap.equal(flush(client), counts(failed=1), answer)
            tap.equal(len(client.pending()), 1, "the queue stays")
        tap.equal((other.uploads, other.visits), ([], []), "nobody is followed")
        tap.equal(client.state().get("sent", {}), {}, "nothing is sent")


def test_a_refused_key_is_told_once_and_forgotten_when_it_is_approved():
    with server_for(KEY) as server, \
            Client(PROGRAM, url="http://127.0.0.1:%d" % server.port, key=KEY) as client:
        queued(client, 3)
        for _ in range(3):
            tap.equal(flush(client), counts(failed=1), "refused")
        refused = client.state()["refused_since"]
        reason = 'HTTP 403 {"ok":false,"error":"this key may not upload"}'
        tap.equal(refused["reason"], reason, "reason")
        want = ("uploads refused by the server (%s): the queue stays until the "
                "server's admin allows this key to upload (upload = true in its "
                "[[clients]] block, picked up within a second)" % reason)
        tap.equal(client.log().count(want), 1, "logged once: " + client.log())
        said = client.run("status").stdout
        tap.check("queued sessions: 3\nuploads refused since " in said, said)
        with open(server.config, encoding="utf-8") as file:
            config = file.read()
        with open(server.config + ".new", "w", encoding="utf-8") as file:
            file.write(config.replace('token_sha256', 'upload = true\ntoken_sha256'))
        os.rename(server.config + ".new", server.config)
        tap.check(wait_for(lambda: "key: " in client.run("status").stdout and
                           client.run("status").returncode == 0), "approved")
        tap.equal(flush(client), counts(sent=3), "sent")
        tap.check("refused_since" not in client.state(), "no longer refused")
        tap.check(wait_for(lambda: len(items(server)) == 3), "items")


def test_sessions_that_are_never_taken_hold_up_nobody():
    for status in (404, 500):
        with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
            made = queued(client, 5)
            places = [inbox_path(path) for _, path in made]
            peer.answers = {places[0]: (status, {}, b"no"),
                            places[1]: (status, {}, b"no")}
            for _ in range(4):
                flush(client)
            tap.equal(sorted(client.state()["sent"]),
                      sorted(path for _, path in made[2:]), status)
            tap.equal(len(client.pending()), 2, "the others wait")


def test_a_pointer_that_cannot_be_removed_holds_up_nobody():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        folder = os.path.dirname(pointer(client, *transcript(client, 1)))
        os.mkdir(os.path.join(folder, "a.json"))
        tap.equal(flush(client)["sent"], 1, "the one that is one is sent")
        tap.check("cannot remove" in client.log(), client.log())
        tap.equal(len(client.state()["sent"]), 1, "and that is noted")


def test_drafts_of_killed_hooks_are_removed():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        old, new = client.write("state.json.aB3xYz", "{"), client.write(
            "state.json.Cd4wVu", "{")
        kept = client.write("state.json.damaged", "{")
        os.utime(old, (1000, 1000))
        os.utime(kept, (1000, 1000))
        pointer(client, *transcript(client, 1))
        flush(client)
        tap.equal([os.path.exists(path) for path in (old, new, kept)],
                  [False, True, True], "old drafts alone")


def test_a_server_that_fails_is_not_asked_by_every_hook():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        peer.default = (503, {}, b"down")
        session, path = transcript(client, 1)
        tap.equal(flush(client), NOTHING, "an empty queue asks nobody")
        stop(client, session, path)
        tap.check(wait_for(lambda: "flush_pause" in client.state() and
                           not flushes(client)), "it failed")
        asked = len(peer.paths())
        first = client.state()["flush_pause"]
        for _ in range(3):
            stop(client, session, path)
        tap.equal((flushes(client), len(peer.paths())), ([], asked), "not asked again")
        tap.equal(flush(client), counts(failed=1), "somebody asks for it")
        second = client.state()["flush_pause"]
        tap.check(second["failures"] == 2 and second["until"] > first["until"],
                  "longer each time")
        tap.check("HTTP 503 down" in client.log(), client.log())


# --- the queue itself ---

def test_what_is_no_pointer_is_removed():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        session, path = transcript(client, 1)
        folder = os.path.dirname(pointer(client, session, path))
        for name, text in (("a", ""), ("b", "{"), ("c", "[]"), ("d", "x" * 100000),
                           ("e", '{"agent":"nobody","session_id":"1","path":"/x"}'),
                           ("f", '{"agent":"codex","session_id":"1","path":"x"}'),
                           ("g", '{"agent":"codex","session_id":"1","path":"/x"}'),
                           ("h", '{"agent":"hermes","session_id":"..","path":"/x"}')):
            with open(os.path.join(folder, name + ".json"), "w") as file:
                file.write(text)
        os.symlink("/etc/passwd", os.path.join(folder, "i.json"))
        with open(os.path.join(folder, "notes.txt"), "w") as file:
            file.write("mine")
        tap.equal(flush(client), counts(sent=1), "the one that is one is sent")
        tap.equal(os.listdir(folder), ["notes.txt"], "the others are gone")
        gone = transcript(client, 2)
        pointer(client, *gone)
        os.unlink(gone[1])
        tap.equal(flush(client), counts(gone=1), "gone")
        tap.equal(client.pending(), {}, "and out of the queue")


def test_a_second_flush_ends_at_once_and_loses_nothing():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        first, later, last = sorted(transcript(client, number) for number in range(3))
        begun, go_on = threading.Event(), threading.Event()

        def slowly(_):
            begun.set()
            go_on.wait(60)
            return OK

        peer.answers = {inbox_path(later[1]): slowly}
        pointer(client, *later)
        running = client.start("flush", stdin=subprocess.DEVNULL)
        tap.check(begun.wait(30), "the first is at it")
        second = client.run("flush")
        tap.equal((second.returncode, json.loads(second.stdout), second.stderr),
                  (0, NOTHING, ""), "the second")
        stop(client, *first)      # in front of and behind the one that is sent
        stop(client, *last)
        append(later[1])
        stop(client, *later)
        peer.answers = {}
        go_on.set()
        output, _ = running.communicate(timeout=60)
        tap.equal(json.loads(output), counts(sent=4), "the first sends all of it")
        tap.equal((client.pending(), sorted(peer.paths())),
                  ({}, sorted(map(inbox_path, [first[1], later[1], later[1], last[1]]))),
                  "each once, the changed one twice")
        with open(later[1], "rb") as file:
            tap.equal(peer.uploads[-1 if peer.paths()[-1] == inbox_path(later[1]) else -2]
                      .body[-20:], file.read()[-20:], "as it is at the end")


def test_a_file_that_grows_is_sent_as_it_was_and_once_more():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        session, path = transcript(client, 1)
        blob = json.dumps({"type": "system", "content": random.Random(5).randbytes(
            3 << 20).hex()}) + "\n"
        append(path, blob)
        size = os.path.getsize(path)
        grown = threading.Event()
        running = threading.Event()

        def grow():
            running.set()
            while not grown.is_set():
                append(path, '{"type":"mode","mode":"x"}\n')
                time.sleep(0.001)

        thread = threading.Thread(target=grow)
        thread.start()
        running.wait()
        pointer(client, session, path)
        result = flush(client)
        grown.set()
        thread.join()
        tap.equal(result, counts(sent=1), "sent")
        with open(path, "rb") as file:
            whole = file.read()
        sent = peer.uploads[0]
        tap.check(len(sent.body) >= size and whole.startswith(sent.body),
                  "a beginning of it, as large as it was")
        tap.equal(sent.headers["Transfer-Encoding"], "chunked", "in pieces")
        tap.equal(client.state()["sent"][path]["size"], len(sent.body), "noted")
        pointer(client, session, path)
        tap.equal(flush(client), counts(sent=1), "and what came after")
        tap.equal(peer.uploads[1].body, whole, "all of it")


def test_all_go_over_one_connection():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        queued(client, 20)
        tap.equal(flush(client), counts(sent=20), "sent")
        tap.equal(len({upload.connection for upload in peer.uploads}), 1, "connections")


def test_what_others_wrote_into_the_state_stays():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        gone = "/nowhere/-x/1.jsonl"
        old = {"size": 1, "mtime": 1, "when": 1, "status": 200}
        client.write("state.json", json.dumps({
            "newer": {"a": [1, 2.5, None]}, "sent": {gone: old, "/etc/hosts": old},
            "sessions": {"codex:1": {"at": 5, "protocol": True}}}))
        queued(client, 1)
        tap.equal(flush(client), counts(sent=1), "sent")
        state = client.state()
        tap.equal((state["newer"], state["sessions"]),
                  ({"a": [1, 2.5, None]}, {"codex:1": {"at": 5, "protocol": True}}),
                  "unknown members")
        tap.equal((gone in state["sent"], state["sent"]["/etc/hosts"]), (False, old),
                  "what is gone is forgotten")
        tap.equal(mode(client.path("state.json")), 0o600, "mode")


def test_a_file_that_may_not_be_read_holds_up_nobody():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        made = queued(client, 3)
        os.unlink(made[0][1])
        os.mkdir(made[0][1])  # something that is no file
        if os.geteuid() != 0:
            os.chmod(made[1][1], 0)
        left = int(os.geteuid() != 0)
        tap.equal(flush(client), counts(sent=2 - left, failed=left, rejected=1), "flush")
        tap.equal(len(client.pending()), left, "the unreadable one stays")
        tap.check("is no regular file" in client.log(), client.log())


# --- killed ---

def test_kills_lose_nothing():
    rng = random.Random(11)
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        peer.default = lambda _: (time.sleep(0.002), OK)[1]
        begun = time.monotonic()
        flush_whole = client.run("flush")
        whole = time.monotonic() - begun
        tap.equal(flush_whole.returncode, 0, "flush")
        expected = set()
        for turn in range(50):
            for number in range(3):
                session, path = transcript(client, turn * 3 + number)
                pointer(client, session, path)
                expected.add(inbox_path(path))
            process = client.start("flush", stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
            time.sleep(rng.uniform(0, 3 * whole + 0.01))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        tap.check(flush(client)["failed"] == 0, "the next one goes through")
        tap.equal(set(peer.paths()), expected, "everything has arrived")
        tap.equal((client.pending(), os.listdir(client.path("spool", "pending"))),
                  ({}, []), "and the queue is empty")
        tap.equal(flush(client), NOTHING, "a dead owner's lock does not count")


def test_a_killed_hook_leaves_a_whole_pointer_or_none():
    rng = random.Random(12)
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        made = [transcript(client, number) for number in range(8)]
        data = [json.dumps({"session_id": session, "transcript_path": path,
                            "cwd": "/home/dana"}).encode() for session, path in made]
        begun = time.monotonic()
        stop(client, *made[0])
        whole = time.monotonic() - begun
        with Holder(client):
            for turn in range(60):
                process = client.start("hook", "stop", "--agent", "claude-code",
                                       start_new_session=True)
                process.stdin.write(data[turn % 8])
                process.stdin.close()
                time.sleep(rng.uniform(0, whole * 1.2))
                os.killpg(process.pid, rng.choice(
                    [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]))
                process.wait()
                process.stdout.close()
                process.stderr.close()
                for one in client.pending().values():  # each is whole JSON
                    tap.equal(sorted(one), ["agent", "cwd", "path", "project",
                                            "queued_at", "session_id"], "members")
        for session, path in made:
            stop(client, session, path)
        tap.check(wait_for(lambda: set(peer.paths()) ==
                           {inbox_path(path) for _, path in made}), "all of it arrives")


def test_a_pointer_that_was_taken_and_not_removed_is_sent():
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        one, two = queued(client, 2)
        folder = client.path("spool", "pending")
        name = os.path.join(folder, "claude-code__%s.json" % one[0])
        os.rename(name, name + ".taken")
        draft = os.path.join(folder, "claude-code__%s.json.Ab12Cd" % two[0])
        for path, age in ((draft, 7200), (draft + "x", 0)):
            with open(path, "w") as file:
                file.write("{")
            os.utime(path, (time.time() - age,) * 2)
        tap.equal(flush(client), counts(sent=2), "sent")
        tap.equal(os.listdir(folder), [os.path.basename(draft) + "x"],
                  "an old draft is swept, a fresh one is somebody's")


def test_the_background_flush_has_nothing_of_the_agent_s():
    if not os.path.isdir("/proc/self/fd"):
        return
    with InboxPeer() as peer, Client(PROGRAM, url=peer.url) as client:
        begun, go_on = threading.Event(), threading.Event()
        peer.default = lambda _: (begun.set(), go_on.wait(60), OK)[2]
        session, path = transcript(client, 1)
        outer = os.open("/dev/zero", os.O_RDONLY)
        process = client.start("hook", "stop", "--agent", "claude-code",
                               start_new_session=True, pass_fds=[outer])
        output, errors = process.communicate(json.dumps({
            "session_id": session, "transcript_path": path}).encode(), timeout=30)
        tap.equal((output, errors, process.returncode), (b"", b"", 0),
                  "the hook's pipes are closed when it ends")
        tap.check(begun.wait(30), "the upload runs")
        pids = flushes(client)
        tap.equal(len(pids), 1, "one process")
        links = [os.readlink("/proc/%d/fd/%s" % (pids[0], fd))
                 for fd in os.listdir("/proc/%d/fd" % pids[0])]
        tap.check("/dev/zero" not in links and
                  not any(link.startswith("pipe:") for link in links), links)
        tap.equal(os.getsid(pids[0]), pids[0], "a session of its own")
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        go_on.set()
        tap.check(wait_for(lambda: path in client.state().get("sent", {})), "sent")
        os.close(outer)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        tap.run(test)
tap.done()
