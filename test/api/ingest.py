# SPDX-License-Identifier: Apache-2.0
"""Ingest through the API: what stays, what moves, what is left out."""
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from jezero_ctypes import JezeroError, Library  # noqa: E402
from tap import Tap  # noqa: E402
from transcripts import Claude, Codex, uid  # noqa: E402

NOW = 1790000000
CLAUDE = {"type": "claude-code", "name": "agent-claude-code-laptop"}
CODEX = {"type": "codex", "name": "agent-codex-laptop"}
HOUR = 3600
tap = Tap()


def in_folder(test):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            library = Library(os.path.join(folder, "library.db"), now=NOW)
            with library:
                test(library, folder)
                tap.equal(library.check(), {"ok": True, "problems": []},
                          "check")
    run.__name__ = test.__name__
    return run


def found(library, query):
    return [r["id"] for r in library.read("search", {"query": query})["results"]]


def example(session="aaaaaaaa-0000-4000-8000-000000000001"):
    return (Claude(session)
            .user("The nightly export fails with code 17")
            .agent("The exporter opened a stale lock. Decision: delete the "
                   "lock on start.")
            .user("ok, do it")
            .agent("Done: the lock is removed at start-up."))


@in_folder
def test_an_unchanged_file_is_not_read_again(library, folder):
    path = example().write(folder)
    tap.equal(library.ingest(CLAUDE, path)["state"], "stored", "first")
    tap.equal(library.ingest(CLAUDE, path)["state"], "unchanged", "second")
    again = library.ingest(dict(CLAUDE, again=True), path)
    tap.equal((again["state"], again["items"]), ("stored", []),
              "read again, nothing differs")


@in_folder
def test_a_look_tells_what_would_be_read_and_reads_nothing(library, folder):
    look = dict(CLAUDE, look=True)
    session = example()
    path = session.write(folder)
    tap.equal(library.ingest(look, path)["state"], "waiting", "new")
    tap.equal(library.items(), [], "nothing is stored")
    library.ingest(CLAUDE, path)
    tap.equal(library.ingest(look, path)["state"], "unchanged", "taken")
    session.user("And another thing").agent("Noted.")
    session.write(folder)
    with Library(os.path.join(folder, "library.db"), {"read_only": True},
                 now=NOW) as reader:
        tap.equal(reader.ingest(look, path)["state"], "waiting", "grown")
    os.remove(path)
    tap.equal(library.ingest(look, path)["state"], "failed", "gone")
    tap.equal(library.status()["failed"], [], "without a record")


@in_folder
def test_a_session_that_grows_keeps_its_ids(library, folder):
    session = example()
    path = session.write(folder)
    first = library.ingest(CLAUDE, path)["items"]
    session.user("Now the import fails with code 23", 5 * HOUR)
    session.agent("Import code 23 is a missing column.")
    session.write(folder)
    second = library.ingest(CLAUDE, path)
    tap.equal((second["created"], second["changed"]), (1, 0), "second")
    tap.check(first[0] not in second["items"], "the first is left alone")
    tap.equal([i["external_id"] for i in library.items()],
              [session.session + "#0", session.session + "#1"], "items")
    tap.equal([i["occurred_at"] for i in library.items()],
              ["2026-03-02T09:00:40+00:00", "2026-03-02T14:00:50+00:00"],
              "each is dated by its last message")


@in_folder
def test_growth_inside_a_segment_changes_that_item(library, folder):
    session = example()
    path = session.write(folder)
    first = library.ingest(CLAUDE, path)["items"]
    session.user("and the zanzibar board?").agent("It stays as it is.")
    session.write(folder)
    second = library.ingest(CLAUDE, path)
    tap.equal((second["created"], second["changed"], second["items"]),
              (0, 1, first), "second")
    item = library.read("get_item", {"item_id": first[0],
                                     "include_original": True})["item"]
    tap.check("zanzibar" in item["original"], "the original has grown")


def copies():
    """Parent and resumed copy that adds two messages three days later."""
    parent = example()
    copy = parent.fork("bbbbbbbb-0000-4000-8000-000000000002")
    copy.user("Now the import fails with code 23 instead", 77 * HOUR)
    copy.agent("Import code 23 is a missing column. Decision: add column "
               "vat_id.")
    return parent, copy


def outcome(library):
    """All that can be seen, without ids."""
    return sorted((i["external_id"], i["occurred_at"], i["title"],
                   i["summary"], json.dumps(i["atoms"]), i["original"])
                  for i in library.items())


def test_the_order_of_copies_changes_nothing():
    outcomes = set()
    parent, copy = copies()
    third = copy.fork("99999999-0000-4000-8000-000000000000")
    third.user("And the report?", 100 * HOUR).agent("It is fine.")
    for order in itertools.permutations((parent, copy, third)):
        with tempfile.TemporaryDirectory() as folder:
            with Library(os.path.join(folder, "l.db"), now=NOW) as library:
                for session in order:
                    library.ingest(CLAUDE, session.write(folder))
                outcomes.add(json.dumps(outcome(library)))
                tap.equal(library.check()["ok"], True, "check")
    tap.equal(len(outcomes), 1, "different outcomes")
    items = json.loads(outcomes.pop())
    tap.equal([i[0][:8] for i in items], ["99999999", "aaaaaaaa", "bbbbbbbb"],
              "one item a session")


@in_folder
def test_a_copy_adds_only_its_new_part(library, folder):
    parent, copy = copies()
    library.ingest(CLAUDE, parent.write(folder))
    library.ingest(CLAUDE, copy.write(folder))
    tap.equal(len(found(library, '"code 17"')), 1, "code 17")
    tap.equal(len(found(library, '"stale lock"')), 1, "stale lock")
    item = library.items()[1]
    tap.check(item["occurred_at"].startswith("2026-03-05"),
              "dated by its own work: " + item["occurred_at"])
    tap.check("code 23" in item["original"] and
              "code 17" not in item["original"], "its own part alone")


@in_folder
def test_a_copy_that_came_first_gives_the_parents_part_back(library, folder):
    parent, copy = copies()
    before = library.ingest(CLAUDE, copy.write(folder))["items"]
    tap.equal(len(before), 2, "two segments while it is alone")
    library.ingest(CLAUDE, parent.write(folder))
    tap.equal(library.read("get_item", {"item_id": before[0]}),
              {"found": False}, "the copied part is hidden")
    tap.equal(len(found(library, '"code 17"')), 1, "code 17")
    third = library.ingest(CLAUDE, Claude("cccc").user("hello there, what is "
                                                       "new?").write(folder))
    tap.check(third["items"][0] > max(before), "ids are not used again")


@in_folder
def test_a_copy_keeps_the_project_it_came_with(library, folder):
    parent, copy = copies()
    library.ingest(dict(CLAUDE, project="till"), copy.write(folder))
    library.ingest(dict(CLAUDE, project="shop"), parent.write(folder))
    tap.equal(sorted((i["external_id"][:8], i["project"])
                     for i in library.items()),
              [("aaaaaaaa", "shop"), ("bbbbbbbb", "till")], "projects")


@in_folder
def test_a_project_is_one_plain_line(library, folder):
    path = example().write(folder)
    library.ingest(dict(CLAUDE, project="`rm`\u202e a\tb  " + "x" * 100), path)
    project = library.items()[0]["project"]
    tap.check(project.startswith("rm a b xxx") and len(project) == 80, project)
    library.ingest(dict(CLAUDE, project=" ` ", again=True), path)
    tap.check(library.items()[0]["project"] != " ` ", "nothing is no name")


@in_folder
def test_an_unchanged_file_tells_what_came_of_it(library, folder):
    broken = os.path.join(folder, "broken.jsonl")
    with open(broken, "w", encoding="utf-8") as out:
        out.write("this is no JSON\n" * 3)
    empty = os.path.join(folder, "empty.jsonl")
    open(empty, "w").close()
    for path, state in ((broken, "failed"), (empty, "skipped"),
                        (example().write(folder), "stored")):
        first = library.ingest(CLAUDE, path)
        tap.equal((first["state"], first["recorded"]), (state, None), path)
        for more in ({}, {"look": True}):
            again = library.ingest(dict(CLAUDE, **more), path)
            tap.equal((again["state"], again["recorded"]),
                      ("unchanged", state), path)


@in_folder
def test_a_vanished_original_keeps_its_items(library, folder):
    parent, copy = copies()
    path = parent.write(folder)
    library.ingest(CLAUDE, path)
    os.unlink(path)
    library.ingest(CLAUDE, copy.write(folder))
    tap.equal(len(found(library, '"code 17"')), 1, "code 17")
    tap.equal([i["external_id"][:8] for i in library.items()],
              ["aaaaaaaa", "bbbbbbbb"], "both are there")


@in_folder
def test_a_codex_fork_leaves_the_replayed_part_to_its_parent(library, folder):
    parent = Codex("aaaaaaaa-0000-4000-8000-000000000001")
    parent.message("user", "why does the report show last month")
    parent.message("assistant", "The cache key lacks the month. Fix: add it.")
    child = Codex("bbbbbbbb-0000-4000-8000-000000000002", parent.time + 90000,
                  forked_from_id=parent.session)
    child.replay(parent)
    child.message("user", "the totals row is wrong too", 300)
    child.message("assistant", "The totals row summed strings. Fix: cast to "
                  "decimal.", 60)
    for session in (child, parent):
        library.ingest(CODEX, session.write(folder))
    tap.equal(len(found(library, '"cache key"')), 1, "cache key")
    items = {i["external_id"][:8]: i for i in library.items()}
    tap.check("last month" not in items["bbbbbbbb"]["original"],
              "not in the child")


@in_folder
def test_a_replaced_version_leaves_nothing_of_the_old_one(library, folder):
    old = Claude("12121212-0000-4000-8000-000000000007")
    old.user("use codename marzipan for the launch").agent("Noted: marzipan.")
    path = old.write(folder)
    first = library.ingest(CLAUDE, path)["items"]
    new = Claude(old.session)
    new.user("use codename nougat for the launch").agent("Noted: nougat.")
    time.sleep(0.01)
    new.write(folder)
    tap.equal(library.ingest(CLAUDE, path)["items"], first, "the same id")
    tap.equal(found(library, "marzipan"), [], "marzipan")
    tap.equal(found(library, "nougat"), first, "nougat")
    library.maintain()
    for ending in ("", "-wal"):
        name = os.path.join(folder, "library.db" + ending)
        if os.path.exists(name):
            with open(name, "rb") as file:
                tap.check(b"marzipan" not in file.read(), "bytes in " + name)


@in_folder
def test_a_file_that_moved_is_the_same_session(library, folder):
    session = example()
    path = session.write(os.path.join(folder, "sessions"))
    first = library.ingest(CLAUDE, path)["items"]
    os.makedirs(os.path.join(folder, "archived"))
    moved = os.path.join(folder, "archived", os.path.basename(path))
    os.rename(path, moved)
    library.ingest(CLAUDE, moved)
    tap.equal([i["id"] for i in library.items()], first, "ids")
    tap.equal(library.status()["documents"]["stored"], 1, "documents")


@in_folder
def test_of_two_files_of_a_session_the_larger_counts(library, folder):
    session = example()
    small = session.write(os.path.join(folder, "a"))
    session.user("and zanzibar?").agent("zanzibar stays.")
    large = session.write(os.path.join(folder, "b"))
    for first, second in ((small, large), (large, small)):
        library.ingest(dict(CLAUDE, again=True), first)
        library.ingest(dict(CLAUDE, again=True), second)
        tap.equal(len(library.items()), 1, "items")
        tap.check("zanzibar" in library.items()[0]["original"], "zanzibar")


@in_folder
def test_jezeros_own_words_are_not_stored_again(library, folder):
    session = Claude("ffffffff-0000-4000-8000-000000000006")
    reminder = ("<system-reminder>\nRecent work on project `billing` in Jezero "
                "(newest first):\n- [3] 2026-05-01 Chart colours heliotrope\n"
                "</system-reminder>\n")
    session.user(reminder + "fix the footer link")
    session.tool("mcp__jezero__get_item", {"item_id": 3}, json.dumps(
        {"found": True, "item": {"summary": "palette heliotrope chosen"}}))
    session.agent("The footer link pointed at /old. Fix: /contact.")
    library.ingest(CLAUDE, session.write(folder))
    tap.equal(found(library, "heliotrope"), [], "heliotrope")
    item = library.read("get_item", {"item_id": 1, "include_original": True})
    tap.check("heliotrope" not in item["item"]["original"], "original")
    tap.equal(len(found(library, "footer")), 1, "footer")


@in_folder
def test_secrets_reach_no_byte_of_the_file(library, folder):
    secrets = ["sk-proj-" + "fake0FAKE1" * 4, "ghp_" + "FAKE" * 9,
               "hunter2-" + "fake", "fakeFAKE" * 4 + "00000000"]
    session = Claude("eeeeeeee-0000-4000-8000-000000000005")
    session.user("the deploy says access denied")
    session.tool("Bash", {"command": "curl -H 'Authorization: Bearer " +
                          secrets[0] + "' https://api.example.test/v1/me"},
                 "error: denied for GITHUB_TOKEN=" + secrets[1], True)
    session.tool("Bash", {"command": "env"},
                 "error: AWS_SECRET_ACCESS_KEY=" + secrets[3] +
                 "\nDATABASE_URL=postgres://shop:" + secrets[2] +
                 "@db.example.test:5432/shop", True)
    session.agent("The key lacked s3:PutObject. Fix: attach policy "
                  "shop-deploy.")
    library.ingest(CLAUDE, session.write(folder))
    original = library.read("get_item", {"item_id": 1, "include_original":
                                         True})["item"]["original"]
    tap.check("[redacted:" in original, "a placeholder: " + original)
    tap.check("db.example.test" in original, "the host stays")
    tap.equal(len(found(library, "shop-deploy")), 1, "shop-deploy")
    for ending in ("", "-wal"):
        name = os.path.join(folder, "library.db" + ending)
        if os.path.exists(name):
            with open(name, "rb") as file:
                data = file.read()
            for secret in secrets:
                tap.check(secret.encode() not in data, secret + " in " + name)


@in_folder
def test_what_cannot_be_read_is_recorded_with_its_reason(library, folder):
    empty = os.path.join(folder, "empty.jsonl")
    open(empty, "w").close()
    strange = os.path.join(folder, "strange.jsonl")
    with open(strange, "w", encoding="utf-8") as out:
        out.write('{"type":"hologram","sessionId":"s","payload":1}\n' * 3)
    broken = os.path.join(folder, "broken.jsonl")
    with open(broken, "w", encoding="utf-8") as out:
        out.write("this is no JSON\n" * 3)
    os.mkfifo(os.path.join(folder, "fifo.jsonl"))
    for name, state in (("empty", "skipped"), ("strange", "failed"),
                        ("broken", "failed"), ("fifo", "failed")):
        report = library.ingest(CLAUDE, os.path.join(folder, name + ".jsonl"))
        tap.equal(report["state"], state, name)
        tap.check(report["reason"], name + " has a reason")
    status = library.status()
    tap.equal(status["documents"]["failed"], 3, "failed")
    tap.check(all(f["reason"] and f["path"] for f in status["failed"]),
              "named")
    tap.equal(library.items(), [], "no item")


def can_become_nobody():
    """Root, and others may reach the library and this file."""
    done = subprocess.run(["cat", os.environ["JZ_LIBRARY"], __file__],
                          user=65534, capture_output=True,
                          check=False) if os.getuid() == 0 else None
    return done is not None and done.returncode == 0


def test_a_file_that_may_be_read_again_is_read():
    code = """
import os, sys
sys.path.insert(0, {support!r})
from jezero_ctypes import Library
os.setuid(65534)
with Library({library!r}, now=1790000000) as library:
    for _ in range(2):
        report = library.ingest({connector!r}, {path!r})
        print(report["state"], report["reason"])
"""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = example().write(folder)
        code = code.format(support=os.path.join(HERE, "..", "support"),
                           library=os.path.join(folder, "l.db"),
                           connector=CLAUDE, path=path)

        def run():
            return subprocess.run([sys.executable, "-c", code], check=True,
                                  capture_output=True).stdout.decode()
        os.chmod(path, 0)
        first = run().splitlines()
        tap.check(all(line.startswith("failed cannot") and
                      "Permission denied" in line for line in first), first)
        os.chmod(path, 0o644)
        tap.equal([line.split()[0] for line in run().splitlines()],
                  ["stored", "unchanged"], "after chmod")


@in_folder
def test_a_file_that_is_not_there_is_no_document(library, folder):
    report = library.ingest(CLAUDE, os.path.join(folder, "nobody.jsonl"))
    tap.equal(report["state"], "failed", "state")
    tap.equal(library.status()["documents"]["failed"], 0, "documents")


@in_folder
def test_a_dry_run_writes_nothing(library, folder):
    path = example().write(folder)
    report = library.ingest(dict(CLAUDE, dry_run=True), path)
    tap.equal((report["state"], report["created"], report["changed"]),
              ("stored", 1, 0), "report")
    tap.equal(library.items(), [], "items")
    tap.equal(library.status()["documents"]["stored"], 0, "documents")


@in_folder
def test_subagents_are_left_out(library, folder):
    child = Codex("dddddddd-0000-4000-8000-000000000009", source={
        "subagent": {"thread_spawn": {"parent_thread_id": "x", "depth": 1}}})
    child.message("user", "explore the tree").message("assistant", "done")
    report = library.ingest(CODEX, child.write(folder))
    tap.equal(report["state"], "skipped", "codex")
    session = example()
    session.user("sidechain zanzibar", isSidechain=True)
    library.ingest(CLAUDE, session.write(folder))
    tap.equal(found(library, "zanzibar"), [], "sidechain")


@in_folder
def test_bad_connectors_are_refused_by_name(library, folder):
    for connector in ({}, {"type": "claude-code"}, {"name": "x"},
                      {"type": "abacus", "name": "x"}):
        try:
            library.ingest(connector, os.path.join(folder, "x"))
            tap.check(False, f"{connector} was taken")
        except JezeroError as error:
            tap.equal(error.code, -3, str(connector))


def test_two_processes_with_two_files_of_one_session_keep_its_item():
    support = os.path.join(HERE, "..", "support")
    session = example()
    with tempfile.TemporaryDirectory() as folder:
        paths = [session.write(os.path.join(folder, "a")),
                 session.write(os.path.join(folder, "b"))]
        for turn in range(8):
            name = os.path.join(folder, f"{turn}.db")
            Library(name).close()
            code = WORKER.format(support=support, connector=CLAUDE,
                                 library=name)
            both = [subprocess.Popen([sys.executable, "-c", code, path],
                                     stdout=subprocess.PIPE) for path in paths]
            for process in both:
                tap.equal(process.communicate()[0], b"done\n", "a process")
            with Library(name) as library:
                tap.equal(len(library.items()), 1, "items")
                documents = library.status()["documents"]
                tap.equal((documents["stored"], documents["skipped"]), (1, 1),
                          "documents")


def write_many(folder, count):
    paths = []
    for n in range(count):
        session = Claude(uid("many", n), start=1772442000 + n * 7200)
        for turn in range(6):
            session.user(f"request {turn} about module{n} and retry{turn}")
            session.tool("Bash", {"command": f"make module{n} T={turn}"},
                         f"error: module{n}.c:{turn}: undefined reference",
                         turn % 2 == 0)
            session.agent(f"Fixed module{n}: the retry{turn} was too short.")
        paths.append(session.write(folder))
    return paths


WORKER = """
import sys
sys.path.insert(0, {support!r})
from jezero_ctypes import Library
with Library({library!r}, now=1790000000) as library:
    for path in sys.argv[1:]:
        library.ingest({connector!r}, path)
    library.maintain()
    print("done")
"""


def test_kill_at_any_moment_loses_nothing():
    rnd = random.Random("kill")
    support = os.path.join(HERE, "..", "support")
    with tempfile.TemporaryDirectory() as folder:
        paths = write_many(folder, 20)

        def start(name):
            code = WORKER.format(support=support, connector=CLAUDE,
                                 library=os.path.join(folder, name))
            return subprocess.Popen([sys.executable, "-c", code] + paths,
                                    stdout=subprocess.PIPE)
        begin = time.monotonic()
        start("whole.db").communicate()
        whole = time.monotonic() - begin
        with Library(os.path.join(folder, "whole.db"), now=NOW) as library:
            want = outcome(library)
        tap.equal(len(want), 20, "items")
        for _ in range(100):
            process = start("killed.db")
            time.sleep(rnd.random() * whole)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if os.path.exists(os.path.join(folder, "killed.db")):
                with Library(os.path.join(folder, "killed.db"),
                             now=NOW) as library:
                    tap.equal(library.check(), {"ok": True, "problems": []},
                              "check after a kill")
                    if rnd.random() < 0.1:
                        items = library.items()
                        tap.check(len(items) <= 20, "items so far")
            if rnd.random() < 0.08:
                for ending in ("", "-wal", "-shm"):
                    name = os.path.join(folder, "killed.db" + ending)
                    if os.path.exists(name):
                        os.unlink(name)
        tap.equal(start("killed.db").communicate()[0], b"done\n", "the rest")
        with Library(os.path.join(folder, "killed.db"), now=NOW) as library:
            tap.equal(outcome(library), want, "items after all kills")


def main():
    tests = [value for name, value in sorted(globals().items())
             if name.startswith("test_")]
    for test in tests:
        if test is test_a_file_that_may_be_read_again_is_read and \
                not can_become_nobody():
            tap.skip(test.__name__[5:], "nobody else can be tried here: not "
                     "root, or the tree lies where only root may go")
        else:
            tap.run(test)
    tap.done()


main()
