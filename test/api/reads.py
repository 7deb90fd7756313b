# SPDX-License-Identifier: Apache-2.0
"""The reads as the documentation tells them, example by example."""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import corpus  # noqa: E402
from jezero_ctypes import CLOCK, JezeroError, Library  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()


def item(number, when, title, **fields):
    return dict({"id": number, "source": "agent-codex-laptop",
                 "external_id": f"s{number}#0", "occurred_at": when,
                 "title": title, "project": "billing"}, **fields)


def library_of(folder, items, now=1790000000):
    library = Library(os.path.join(folder, "l.db"), now=now)
    for one in items:
        library.put(one)
    return library


def later(library, item_id, query=None, **more):
    got = library.read("later", dict(more, item_id=item_id, query=query))
    return got["matched_by"], [i["id"] for i in got["later"]]


def test_a_library_in_memory_is_empty_and_nowhere_on_disk():
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            with Library(":memory:") as one, Library(":memory:") as other:
                one.put(item(1, "2026-01-10T10:00:00+00:00", "Invoice export"))
                tap.equal(one.read("search", {"query": "invoice"})["count"], 1,
                          "what was put")
                tap.equal(other.read("search", {"query": "invoice"})["count"], 0,
                          "another one")
                for method in ("initialize", "tools/list"):
                    status, answer = other.dispatch(json.dumps(
                        {"jsonrpc": "2.0", "id": 1, "method": method,
                         "params": {}}).encode())
                    tap.check(status == 200 and b'"result"' in answer, answer)
            tap.equal(os.listdir(folder), [], "files")
        finally:
            os.chdir(before)


def test_a_newer_decision_is_named_by_later():
    fact = lambda text: [{"kind": "fact", "text": text}]
    items = [
        item(1, "2026-01-10T10:00:00+00:00", "SSH port of the build box is 22",
             summary="The build box listens on port 22.",
             atoms=fact("ssh port 22 on the build box")),
        item(2, "2026-06-01T10:00:00+00:00",
             "Build box: remote login moved to 49222",
             summary="For hardening the remote login now uses 49222.",
             atoms=fact("ssh on the build box moved to 49222")),
        item(3, "2026-06-02T10:00:00+00:00", "SSH port 22 open on the shop box",
             summary="ssh port 22 ssh port 22", project="shop"),
        item(4, "2026-06-03T10:00:00+00:00", "Chart colours",
             summary="New palette"),
        item(5, "2026-01-10T10:00:00+00:00", "Build box disk is full",
             summary="ssh to the build box, port 22, then clean"),
        item(6, "2026-06-01T10:00:00+00:00", "ssh port question",
             summary="build box port", project=None, source="mail-dana"),
        item(7, "2026-06-09T10:00:00+00:00", "ssh port of the mail box",
             summary="build box port", project=None, source="mail-dana")]
    with tempfile.TemporaryDirectory() as folder:
        with library_of(folder, items) as library:
            how, ids = later(library, 1, "ssh port build box")
            tap.equal(how, "subject", "matched_by")
            tap.check(2 in ids and 3 not in ids and 1 not in ids, ids)
            dates = [i["occurred_at"] for i in library.read(
                "later", {"item_id": 1, "query": "ssh port build box"})["later"]]
            tap.equal(dates, sorted(dates, reverse=True), "newest first")
            tap.check(1 not in later(library, 2, "ssh port build box")[1],
                      "an older one is not later")
            tap.check(1 in later(library, 5, "ssh port build box")[1],
                      "the same instant counts")
            tap.equal(later(library, 1, "zzzz nothing"),
                      ("project_timeline", [4, 2, 5]), "the timeline")
            tap.equal(later(library, 6, "build box port"), ("subject", [7]),
                      "its own source")
            tap.equal(later(library, 4), ("project_timeline", []), "nothing")
            tap.equal(library.read("later", {"item_id": 99}),
                      {"found": False}, "unknown")
            first = later(library, 1, "ssh port build box")
            for _ in range(20):
                tap.equal(later(library, 1, "ssh port build box"), first,
                          "the same every time")


RANGES = (  # arguments, items
    ({"since": "2026-03-29T00:30:00+01:00"}, "ABCDEF"),
    ({"since": "2026-03-29T00:59:59Z", "until": "2026-03-29T00:59:59Z"}, "B"),
    ({"since": "2026-03-29T02:00:00+02:00"}, "BCDEF"),
    ({"since": "2026-10-25T02:30:00+02:00",
      "until": "2026-10-25T02:30:00+01:00"}, "DE"),
    ({"since": "2026-12-31T23:59:59.500Z"}, "F"),
    ({"until": "2026-03-28"}, "A"), ({"until": "2026-03-29"}, "ABC"),
    ({"since": "2026-12-31"}, "F"), ({"since": "", "until": None}, "ABCDEF"),
    ({"since": "2026-03-29 00:59:59"}, "BCDEF"))
REFUSED = ("2026-02-30", "2026-1-5", "yesterday", "2026-03-29T25:00:00Z",
           "2026-03-29t00:00:00", "20260329", "2026-03-29T00:00:00 Z", " ")


def check_ranges():
    times = {"A": "2026-03-28T23:30:00+00:00", "B": "2026-03-29T00:59:59+00:00",
             "C": "2026-03-29T01:00:00+00:00", "D": "2026-10-25T00:30:00+00:00",
             "E": "2026-10-25T01:30:00+00:00",
             "F": "2026-12-31T23:59:59.999+00:00"}
    with tempfile.TemporaryDirectory() as folder:
        with library_of(folder, [item(n + 1, times[c], c)
                                 for n, c in enumerate("ABCDEF")]) as library:
            for arguments, want in RANGES:
                got = library.read("timeline", arguments)
                tap.equal("".join(sorted(i["title"] for i in got["items"])),
                          want, str(arguments))
            for text in REFUSED:
                for name in ("since", "until"):
                    try:
                        library.read("timeline", {name: text})
                        tap.check(False, f"{name} {text!r} was taken")
                    except JezeroError as error:
                        tap.equal(
                            error.message, f"{name} must be an ISO 8601 date "
                            "or datetime (2026-01-31 or "
                            f"2026-01-31T09:00:00+02:00), got '{text}'", text)


def test_bounds_are_instants_whatever_the_time_zone():
    check_ranges()
    for zone in ("Asia/Kolkata", "America/St_Johns"):
        done = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "--ranges"],
            env=dict(os.environ, TZ=zone), capture_output=True, check=False)
        tap.equal((done.returncode, done.stdout), (0, b""), zone)


def test_scores_fall_with_age_and_ties_stand_newer_first():
    items = [item(n, f"2026-0{n}-01T00:00:00+00:00", "quokka") for n in (1, 2, 3)]
    items.append(item(4, "2026-03-01T00:00:00+00:00", "quokka"))
    with tempfile.TemporaryDirectory() as folder:
        with library_of(folder, items) as library:
            got = library.read("search", {"query": "quokka"})["results"]
            tap.equal([r["id"] for r in got], [4, 3, 2, 1], "order")
            scores = [r["score"] for r in got]
            tap.equal(scores, sorted(scores, reverse=True), "scores")


def test_keys_stand_in_the_order_of_the_data_model():
    whole = item(1, "2026-01-10T10:00:00+00:00", "A quokka", summary="s",
                 questions=["q"], atoms=[{"kind": "fix", "text": "t"}],
                 account="a", original_ref="r", trust="external",
                 original="[2026-01-10 10:00] user: hello")
    with tempfile.TemporaryDirectory() as folder:
        with library_of(folder, [whole]) as library:
            keys = ["id", "source", "external_id", "occurred_at", "title",
                    "summary", "questions", "atoms", "project", "account",
                    "original_ref", "trust"]
            got = library.read("search", {"query": "quokka"})["results"][0]
            tap.equal(list(got), keys + ["score"], "search")
            got = library.read("get_item", {"item_id": 1})["item"]
            tap.equal(list(got), keys, "get_item")
            got = library.read("get_item", {"item_id": 1,
                                            "include_original": True})["item"]
            tap.equal(list(got), keys + ["original"], "with original")
            tap.equal(got, dict(whole), "all fields")
            library.put(dict(whole, id=2, external_id="b#0", original=None))
            got = library.read("get_item", {"item_id": 2,
                                            "include_original": True})["item"]
            tap.equal(got["original"], None, "no original")


def test_what_lies_outside_the_scope_does_not_exist():
    items = corpus.items(150, "scope")
    scope = ["agent-*"]
    with tempfile.TemporaryDirectory() as folder:
        everything = Library(os.path.join(folder, "a.db"), now=1790000000)
        visible = Library(os.path.join(folder, "b.db"), now=1790000000)
        for number, one in enumerate(items):
            one = dict(one, id=number + 1)
            everything.put(one)
            if one["source"].startswith("agent-"):
                visible.put(one)
        with everything, visible:
            for number in range(1, 160):
                for name, arguments in (
                        ("get_item", {"item_id": number}),
                        ("later", {"item_id": number}),
                        ("search", {"query": items[number % 150]["title"] or
                                    "error", "limit": 50}),
                        ("timeline", {"project": "billing", "limit": 100}),
                        ("timeline", {"source": "*", "limit": 3}),
                        ("list_sources", {})):
                    text = json.dumps(arguments).encode()
                    tap.equal(
                        everything.call("jz_" + name,
                                        json.dumps(scope).encode(), text),
                        visible.call("jz_" + name, None, text),
                        f"{name} {arguments}")


def test_a_search_that_takes_too_long_is_stopped():
    with tempfile.TemporaryDirectory() as folder:
        with library_of(folder, corpus.items(300, "slow")) as library:
            now = [1790000000]

            def clock(_):
                now[0] += 11
                return now[0]
            library.clock = CLOCK(clock)
            library.lib.jz_library_set_clock(library.handle, library.clock,
                                             None)
            query = " ".join(corpus.WORDS)
            try:
                for _ in range(50):
                    library.read("search", {"query": query})
                tap.check(False, "no search was stopped")
            except JezeroError as error:
                tap.equal((error.code, error.message),
                          (-5, "the search took longer than 10 s"), "error")
            library.lib.jz_library_set_clock(library.handle, CLOCK(0), None)
            tap.check(library.read("search", {"query": "error"})["count"] > 0,
                      "the next search answers")


def test_an_interrupt_ends_a_running_search():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            library.import_lines("\n".join(
                json.dumps(i) for i in corpus.items(3000, "many")).encode())
            stop = threading.Event()

            def interrupt():
                while not stop.is_set():
                    library.lib.jz_library_interrupt(library.handle)
                    time.sleep(0.001)
            thread = threading.Thread(target=interrupt)
            thread.start()
            message = ""
            try:
                for _ in range(200):
                    library.read("search", {"query": " ".join(corpus.WORDS)})
            except JezeroError as error:
                message = error.message
            stop.set()
            thread.join()
            tap.equal(message, "interrupted", "error")
            tap.check(library.read("search", {"query": "error"})["count"] > 0,
                      "the next search answers")


def test_a_source_can_be_removed_for_good():
    items = [item(1, "2026-01-01T00:00:00+00:00", "quokka"),
             item(2, "2026-01-01T00:00:00+00:00", "quokka", source="samples"),
             item(3, "2026-01-01T00:00:00+00:00", "quokka", source="samples")]
    with tempfile.TemporaryDirectory() as folder:
        with library_of(folder, items) as library:
            removed = ctypes.c_int64()
            for want in (2, 0):
                tap.equal(library.lib.jz_remove_source(
                    ctypes.byref(removed), library.handle, b"samples"), 0,
                    "result")
                tap.equal(removed.value, want, "removed")
            tap.equal([i["id"] for i in library.items()], [1], "items")
            tap.equal(library.read("get_item", {"item_id": 2}),
                      {"found": False}, "gone")
            tap.equal(library.read("search", {"query": "quokka"})["count"], 1,
                      "found")
            tap.equal(library.check(), {"ok": True, "problems": []}, "check")


def test_options_change_limits_and_ranking():
    items = [item(n, f"2026-01-{n:02}T00:00:00+00:00", "quokka " * n)
             for n in range(1, 13)]
    with tempfile.TemporaryDirectory() as folder:
        library_of(folder, items).close()
        options = {"search": {"limit": 3, "limit_max": 4, "recency_weight": 0,
                              "candidate_pool": 5, "timeline_limit": 2,
                              "timeline_limit_max": 6, "later_limit": 1,
                              "later_limit_max": 2}}
        with Library(os.path.join(folder, "l.db"), options) as library:
            count = lambda name, **arguments: library.read(name,
                                                           arguments)["count"]
            tap.equal(count("search", query="quokka"), 3, "limit")
            tap.equal(count("search", query="quokka", limit=50), 4, "most")
            tap.equal(count("timeline"), 2, "timeline")
            tap.equal(count("timeline", limit=100), 6, "timeline, most")
            tap.equal(count("later", item_id=1), 1, "later")
            tap.equal(count("later", item_id=1, limit=20), 2, "later, most")


def main():
    if "--ranges" in sys.argv:
        check_ranges()
        print("\n".join(tap.notes), end="")
        return
    tests = [value for name, value in sorted(globals().items())
             if name.startswith("test_")]
    for test in tests:
        tap.run(test)
    tap.done()


main()
