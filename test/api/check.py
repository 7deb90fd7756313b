# SPDX-License-Identifier: Apache-2.0
"""Damage of every kind: check names it, repair mends what can be made from the
items, and searches are then those of a library that was never damaged."""
import json
import os
import random
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
import corpus  # noqa: E402
from jezero_ctypes import JezeroError, Library  # noqa: E402
from tap import Tap  # noqa: E402

EIO = -6
NOW = 1790000000
QUERIES = ("error", "invoice csv", "发票", "设", "the", '"csv export"', "gb/s")
tap = Tap()


def run(path, *statements):
    """Statements of another program, which knows nothing of the index."""
    db = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        db.execute(*statement) if isinstance(statement, tuple) \
            else db.execute(statement)
    db.close()


def rows(path, query):
    db = sqlite3.connect(path)
    got = db.execute(query).fetchall()
    db.close()
    return got


def fill(path, count=150):
    with Library(path, now=NOW) as library:
        items = [dict(one, original=f"[2026-01-31 09:00] user: {number}")
                 for number, one in enumerate(corpus.items(count, "check"))]
        library.import_lines("\n".join(map(json.dumps, items)).encode())
        # Removed and replaced ones leave their traces in the index.
        for one in items[:20]:
            library.put(dict(one, title="Another title", summary="short"))


def answers(library):
    got = [library.call("jz_search", None, json.dumps(
        {"query": query, "limit": 50}).encode()) for query in QUERIES]
    for project in ("billing", "shop"):
        got.append(library.call("jz_timeline", None, json.dumps(
            {"project": project, "limit": 100}).encode()))
    got.append(library.call("jz_list_sources", None, None))
    return got


def reference(path, folder):
    """The answers of a new library of the same items."""
    anew = os.path.join(folder, "anew.db")
    with Library(path, now=NOW) as library, Library(anew, now=NOW) as other:
        text = library.export(limit=1 << 40)
        tap.equal(other.import_lines(text.encode())["failed"], [], "import")
        got = answers(other)
    os.remove(anew)
    return got


def flip(path, where):
    """Damage the bytes of one block of the index."""
    (block,), = rows(path, f"SELECT block FROM item_index_data WHERE {where}")
    middle = len(block) // 2
    block = block[:middle] + b"\xa5" * 8 + block[middle + 8:]
    run(path, (f"UPDATE item_index_data SET block = ? WHERE {where}",
               (block,)))


SCHEMA = "PRAGMA writable_schema = ON"
LEAF = "id = (SELECT max(id) FROM item_index_data WHERE id > 10)"


def shadow_index(path):
    """A row that an index of SQLite's own does not know."""
    sql = "CREATE INDEX item_position ON item(position)"
    change = ("UPDATE sqlite_schema SET sql = ? WHERE name = 'item_position'")
    run(path, SCHEMA, (change, (sql + " WHERE position < 0",)))
    run(path, "UPDATE item SET position = position + 1000 WHERE id = 30",
        "UPDATE state SET value = value + 2000 WHERE name = 'position'")
    run(path, SCHEMA, (change, (sql,)))


DAMAGE = {
    "no words at all": ["DELETE FROM item_index_data WHERE id > 10"],
    "an empty data table": ["DELETE FROM item_index_data"],
    "no structure": ["DELETE FROM item_index_data WHERE id = 10"],
    "no totals": ["DELETE FROM item_index_data WHERE id = 1"],
    "a leaf is gone": [f"DELETE FROM item_index_data WHERE {LEAF}"],
    "the first terms are gone": ["DELETE FROM item_index_idx"],
    "the last first term is gone": [
        "DELETE FROM item_index_idx WHERE (segid, term) = ("
        "SELECT segid, max(term) FROM item_index_idx)"],
    "a first term is another": [
        "UPDATE item_index_idx SET term = x'307a7a7a' WHERE (segid, term) = ("
        "SELECT segid, max(term) FROM item_index_idx)"],
    "the version is gone": ["DELETE FROM item_index_config"],
    "a version of tomorrow": ["UPDATE item_index_config SET v = 99 "
                              "WHERE k = 'version'"],
    "the data table is gone": ["DROP TABLE item_index_data"],
    "two tables are gone": ["DROP TABLE item_index_idx",
                            "DROP TABLE item_index_config"],
    "the index is not in the schema": [
        SCHEMA, "DELETE FROM sqlite_schema WHERE name = 'item_index'"],
    "its state is gone": ["DROP TABLE index_state"],
    "a title that was changed": [
        "UPDATE item SET title = 'Quokkas' WHERE id = 100"],
    "an atom that was changed": [
        "UPDATE item SET atoms = '[{\"kind\":\"fix\",\"text\":\"wombat\"}]' "
        "WHERE id = 101"],
    "two summaries that were swapped": [
        "UPDATE item SET title = 'abcdef' WHERE id = 60",
        "UPDATE item SET title = 'abcdef' WHERE id = 61"],
    "an item that was deleted": ["DELETE FROM item WHERE id = 77"],
    "all items of a source that were deleted": [
        "DELETE FROM item WHERE source = 1"],
    "an item that was added": [
        "INSERT INTO item(source, external_id, occurred_at, title, summary, "
        "questions, atoms, trust, length, tag, position) SELECT source, "
        "'added#0', occurred_at, title, summary, questions, atoms, trust, "
        "length, 1, position FROM item WHERE id = 50"],
    "an item that was hidden": ["UPDATE item SET is_hidden = 1 WHERE id = 40"],
    "a length that is wrong": ["UPDATE item SET length = length + 500 "
                               "WHERE id % 3 = 0"],
    "a project key that is wrong": [
        "UPDATE item SET project_key = 'nothing' WHERE id % 2 = 0"],
    "a project key that is missing": [
        "UPDATE item SET project_key = NULL WHERE project IS NOT NULL"],
    "a position that is gone": ["DELETE FROM state WHERE name = 'position'"],
    "a position of long ago": ["UPDATE state SET value = 1 "
                               "WHERE name = 'position'"],
    "bytes of a leaf": lambda path: flip(path, LEAF),
    "bytes of the structure": lambda path: flip(path, "id = 10"),
    "bytes of the totals": lambda path: flip(path, "id = 1"),
    "a row that an index lacks": shadow_index,
}


class Place:
    def __init__(self, template):
        self.template = template

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.path = os.path.join(self.folder, "l.db")
        with Library(self.template, {"read_only": True}) as library:
            library.backup(self.path)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()


def hurt(path, damage):
    if callable(damage):
        damage(path)
    else:
        run(path, *damage)


def mend(place, name):
    """check names it, repair mends it: whether it was so."""
    with Library(place.path, {"read_only": True}) as library:
        try:
            library.check(repair=True)
            tap.check(False, "a library that is only read was repaired")
        except JezeroError as error:
            tap.equal(error.code, EIO, error.message)
        got = library.check()
        tap.check(not got["ok"] and got["problems"], f"{name}: {got}")
    with Library(place.path, now=NOW) as library:
        named = library.check()
        tap.check(not named["ok"], f"{name}: {named}")
        got = library.check(repair=True)
        tap.equal((got["ok"], got["problems"]), (True, []), name)
        tap.equal(sorted(got["repaired"]), sorted(named["problems"]), name)
        tap.equal(library.check(), {"ok": True, "problems": []}, name)
        tap.equal(library.check(repair=True),
                  {"ok": True, "problems": [], "repaired": []}, name)


def test_every_damage_is_named_and_mended(template):
    for name, damage in DAMAGE.items():
        with Place(template) as place:
            hurt(place.path, damage)
            mend(place, name)
            want = reference(place.path, place.folder)
            with Library(place.path, now=NOW) as library:
                tap.check(answers(library) == want, f"{name}: answers")
                # Writes go on: an item replaced, one new, one source removed.
                one = library.items()[30]
                library.put(dict(one, title="After the repair"))
                library.put(dict(one, id=100000, external_id="new#0"))
                tap.equal(library.check()["ok"], True, f"{name}: later")


def test_single_blocks_of_the_index_are_all_missed(template):
    """Each row of FTS5's tables, one after the other."""
    generator = random.Random("blocks")
    ids = [i for i, in rows(template, "SELECT id FROM item_index_data")]
    # That of a segment's first leaf is found without.
    keys = rows(template, "SELECT segid, term FROM item_index_idx "
                "WHERE term <> x''")
    for number in generator.sample(ids, min(16, len(ids))):
        with Place(template) as place:
            run(place.path, ("DELETE FROM item_index_data WHERE id = ?",
                             (number,)))
            mend(place, f"block {number}")
    for segment, term in generator.sample(keys, min(8, len(keys))):
        with Place(template) as place:
            run(place.path, ("DELETE FROM item_index_idx WHERE segid = ? "
                             "AND term = ?", (segment, term)))
            mend(place, f"first term {term!r}")


def test_long_entries_are_checked_from_their_ends():
    """Terms in so many items that FTS5 keeps a list of places for them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        with Library(path) as library:
            text = " ".join(["wombat quokka"] * 40)
            lines = [json.dumps(dict(one, external_id=f"{n}#0", summary=text))
                     for n, one in enumerate(corpus.items(800, "long"))]
            library.import_lines("\n".join(lines).encode())
            library.put(dict(json.loads(lines[0]), summary="gone"))
            library.maintain()
            tap.equal(library.check()["ok"], True, "check")
        places = [i for i, in rows(path, "SELECT id FROM item_index_data "
                                   "WHERE (id >> 36) & 1")]
        tap.check(len(places) > 0, "there are such lists")
        sample = random.Random("places").sample
        for number in sample(places, min(5, len(places))):
            with Place(path) as place:
                run(place.path, ("DELETE FROM item_index_data WHERE id = ?",
                                 (number,)))
                mend(place, f"list {number}")


def test_what_is_no_index_is_named_and_left(template):
    with Place(template) as place:
        run(place.path, "UPDATE item SET original = x'00' WHERE id = 50",
            "UPDATE item SET source = 999 WHERE id = 60")
        with Library(place.path) as library:
            got = library.check()
            tap.check("1 originals are damaged, first that of item 50" in
                      got["problems"], got)
            tap.check("1 items are of a source that is not there" in
                      got["problems"], got)
            got = library.check(repair=True)
            tap.equal((got["ok"], len(got["problems"])), (False, 2), got)
    with Place(template) as place:
        run(place.path, "UPDATE item SET questions = '{' WHERE id = 50")
        with Library(place.path) as library:
            for options in ({}, {"repair": True}):
                got = library.check(**options)
                tap.check("the items behind 49 cannot be read: the file is "
                          "damaged" in got["problems"], got)


def test_an_index_of_another_folding_is_named_and_made_anew(template):
    with Place(template) as place:
        run(place.path, "UPDATE state SET value = 1 WHERE name = 'folding'",
            "DELETE FROM item_index_data WHERE id > 10")
        with Library(place.path, {"read_only": True}) as library:
            got = library.check()["problems"]
            tap.check("the index was made by another version of the folding"
                      in got, got)
        # Whoever opens it to write makes it anew at once.
        with Library(place.path, now=NOW) as library:
            tap.equal(library.check(), {"ok": True, "problems": []}, "check")
            got = answers(library)
        tap.equal(got, reference(place.path, place.folder), "answers")


def test_others_see_a_repair_and_wait_for_no_check(template):
    with Place(template) as place:
        with Library(place.path, now=NOW) as other:
            before = answers(other)
            run(place.path, "UPDATE item SET length = length + 500",
                "DELETE FROM item_index_data WHERE id > 10")
            with Library(place.path, {"busy_timeout_ms": 0}) as library:
                db = sqlite3.connect(place.path, isolation_level=None)
                db.execute("BEGIN IMMEDIATE")
                tap.equal(library.check()["ok"], False, "beside a writer")
                db.execute("ROLLBACK")
                db.close()
                tap.equal(library.check(repair=True)["ok"], True, "repair")
            tap.check(answers(other) == before, "answers of another handle")


def main():
    with tempfile.TemporaryDirectory() as folder:
        template = os.path.join(folder, "template.db")
        fill(template)
        for name, test in sorted(globals().items()):
            if name.startswith("test_"):
                def bound(test=test):
                    test(template) if test.__code__.co_argcount else test()
                bound.__name__ = name
                tap.run(bound)
    tap.done()


main()
