# SPDX-License-Identifier: Apache-2.0
"""Every read against the plain scan of reference.py: ids, order, scores."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import corpus  # noqa: E402
from jezero_ctypes import Library  # noqa: E402
from reference import Reference, seconds  # noqa: E402
from tap import Tap  # noqa: E402

NOW = seconds("2026-11-15T12:00:00+00:00")
SCOPES = [None, ["*"], ["agent-*"], ["mail-dana"], ["agent-codex-*", "notes"],
          ["nobody"], []]
tap = Tap()


def build(folder, name, items):
    path = os.path.join(folder, name)
    library = Library(path, now=NOW)
    lines = "\n".join(json.dumps(i) for i in items).encode()
    result = library.import_lines(lines)
    assert result["failed"] == [], result["failed"][:3]
    return library, Reference(library.items(), NOW)


def filters(rnd):
    """Arguments for the tool, and the same for the reference."""
    asked, where = {}, {}
    if rnd.random() < 0.3:
        asked["project"] = where["project"] = rnd.choice(
            ["billing", "BILLING", "shop-web", "facturacion", "facturación",
             "发票", "none"])
    if rnd.random() < 0.3:
        asked["source"] = where["source"] = rnd.choice(
            ["agent-*", "mail-dana", "*codex*", "notes", "Notes"])
    if rnd.random() < 0.3:
        asked["since"] = "2026-01-%02d" % rnd.randint(1, 28)
        where["since"] = seconds(asked["since"] + "T00:00:00+00:00")
    return asked, where


def compare_search(library, reference, query, asked, where, scope, limit):
    got = library.read("search", dict(asked, query=query, limit=limit), scope)
    got = [(r["id"], r["score"]) for r in got["results"]]
    want = reference.search(query, scope=scope, limit=limit, **where)
    tap.equal(got, want, f"search {query!r} {asked} scope {scope}")


def compare_reads(library, reference, rnd, count):
    for _ in range(count):
        scope = rnd.choice(SCOPES)
        asked, where = filters(rnd)
        compare_search(library, reference, corpus.query(rnd), asked, where,
                       scope, rnd.choice((1, 10, 50)))
        item_id = rnd.randint(1, len(reference.docs) + 1)
        query = rnd.choice((None, None, corpus.query(rnd)))
        limit = rnd.choice((1, 2, 3, 5, 20))
        got = library.read("later", {"item_id": item_id, "query": query,
                                     "limit": limit}, scope)
        want = reference.later(item_id, query, scope, limit)
        what = f"later {item_id} {query!r} {limit} scope {scope}"
        if want is None:
            tap.equal(got, {"found": False}, what)
        else:
            tap.equal((got["matched_by"], [i["id"] for i in got["later"]]),
                      want, what)
        got = library.read("timeline", dict(asked, limit=limit), scope)
        tap.equal([i["id"] for i in got["items"]],
                  reference.timeline(scope, limit, **where),
                  f"timeline {asked} scope {scope}")
    for scope in SCOPES:
        tap.equal(library.read("list_sources", {}, scope)["sources"],
                  reference.list_sources(scope), f"sources {scope}")


def test_reads_equal_a_plain_scan_on_small_libraries():
    with tempfile.TemporaryDirectory() as folder:
        for seed, count in enumerate((0, 1, 2, 7, 40, 300)):
            library, reference = build(folder, f"{seed}.db",
                                       corpus.items(count, seed))
            with library:
                compare_reads(library, reference,
                              random.Random(f"reads-{seed}"), 250)


def test_later_equals_a_plain_scan_among_many_candidates():
    rnd = random.Random("many")
    items = corpus.items(400, "many")
    for one in items:
        one["project"] = "billing"
        one["title"] = "error " * rnd.randint(1, 5) + one["title"]
    with tempfile.TemporaryDirectory() as folder:
        library, reference = build(folder, "many.db", items)
        with library:
            for item_id in range(1, 401, 4):
                for query in (None, "error", "error timeout"):
                    got = library.read("later", {"item_id": item_id,
                                                 "query": query, "limit": 20})
                    tap.equal((got["matched_by"],
                               [i["id"] for i in got["later"]]),
                              reference.later(item_id, query, None, 20),
                              f"later {item_id} {query}")


def test_reads_equal_a_plain_scan_after_changes():
    rnd = random.Random("changes")
    with tempfile.TemporaryDirectory() as folder:
        items = corpus.items(200, "changes")
        library, _ = build(folder, "changed.db", items)
        with library:
            for _ in range(4):
                for number in rnd.sample(range(200), 40):
                    new = corpus.item(rnd, number)
                    new["source"] = items[number]["source"]
                    library.put(new)
                compare_reads(library, Reference(library.items(), NOW), rnd,
                              60)
                library.maintain()
                tap.equal(library.check(), {"ok": True, "problems": []},
                          "check")


def test_reads_equal_a_plain_scan_on_a_generated_library():
    bench = os.environ["JZ_BENCH"]
    with tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "items.jsonl")
        with open(lines, "wb") as out:
            subprocess.run([sys.executable, os.path.join(bench, "gen_items.py"),
                            "--count", "1500", "--seed", "11"], stdout=out,
                           check=True)
        with open(lines, encoding="utf-8") as file:
            items = [json.loads(line) for line in file]
        library, reference = build(folder, "generated.db", items)
        for extra in ([], ["--prompt"]):
            queries = subprocess.run(
                [sys.executable, os.path.join(bench, "gen_queries.py"),
                 "--items", lines, "--count", "60" if extra else "900",
                 "--seed", "5"] + extra, stdout=subprocess.PIPE, check=True)
            for line in queries.stdout.decode().splitlines():
                compare_search(library, reference, json.loads(line)["q"], {},
                               {}, None, 50)
        library.close()


def main():
    tap.run(test_reads_equal_a_plain_scan_on_small_libraries)
    tap.run(test_later_equals_a_plain_scan_among_many_candidates)
    tap.run(test_reads_equal_a_plain_scan_after_changes)
    if os.path.exists(os.path.join(os.environ.get("JZ_BENCH", ""),
                                   "gen_items.py")):
        tap.run(test_reads_equal_a_plain_scan_on_a_generated_library)
    else:
        tap.skip("reads_equal_a_plain_scan_on_a_generated_library",
                 "no generator of items at JZ_BENCH")
    tap.done()


main()
