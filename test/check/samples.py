# SPDX-License-Identifier: Apache-2.0
"""The bundled samples are items as an import takes them, and believable: one
month, three agents, originals that end when the item does.

    samples.py ROOT
"""
import glob
import json
import os
import re
import sys
from datetime import datetime

from tree import Tap, read

FIELDS = ["source", "external_id", "occurred_at", "title", "summary",
          "questions", "atoms", "project", "account", "original_ref", "trust",
          "original"]
KINDS = {"decision", "rationale", "fix", "error", "command", "fact", "risk"}
FIRST, LAST = "2026-10-01T00:00:00+00:00", "2026-10-31T23:59:59+00:00"
ORIGINAL_LINE = re.compile(
    r"\[(\d{4}-\d\d-\d\d \d\d:\d\d)\] (user|assistant|tool [\w-]+): \S")
ATOM_MOST = 300
LEAST = 40


def text_faults(item):
    """What is wrong with the texts of one item."""
    if not 0 < len(item["title"]) <= 200 or "\n" in item["title"]:
        yield "title"
    if not 0 < len(item["summary"]) <= 900:
        yield "summary"
    if not item["questions"] or not all(item["questions"]):
        yield "questions"
    for atom in item["atoms"]:
        if set(atom) != {"kind", "text"} or atom["kind"] not in KINDS:
            yield f"atom {atom}"
        elif not 0 < len(atom["text"]) <= ATOM_MOST:
            yield f"atom text {atom['text'][:40]!r}"
    if not item["atoms"]:
        yield "no atoms"
    if item["project"] is not None and not 0 < len(item["project"]) <= 80:
        yield "project"


def place_faults(item):
    """What is wrong with where and when it says it comes from."""
    session, _, segment = item["external_id"].partition("#")
    agent = re.fullmatch(r"agent-(claude-code|codex|opencode)-sample-[\w-]+",
                         item["source"])
    if not agent:
        yield "source"
    elif item["original_ref"] != f"{agent[1]}-session:{session}":
        yield "original_ref"
    if not session or not segment.isdigit():
        yield "external_id"
    if item["trust"] != "own" or item["account"] is not None:
        yield "trust or account"
    if not FIRST <= item["occurred_at"] <= LAST or \
            datetime.fromisoformat(item["occurred_at"]).utcoffset() is None:
        yield "occurred_at"


def original_faults(item):
    lines = item["original"].splitlines()
    times = [ORIGINAL_LINE.match(line) for line in lines]
    if not lines or not item["original"].endswith("\n") or not all(times):
        yield "original's lines"
        return
    stamps = [time[1] for time in times]
    if stamps != sorted(stamps):
        yield "original's order"
    if stamps[-1] != item["occurred_at"][:16].replace("T", " "):
        yield "original's end"


def faults(item):
    if list(item) != FIELDS:
        return ["fields " + ", ".join(item)]
    return [*text_faults(item), *place_faults(item), *original_faults(item)]


def main():
    root = sys.argv[1]
    tables = {}
    for name in sorted(glob.glob(os.path.join(root, "server/samples/*.jsonl"))):
        text = read(root, os.path.relpath(name, root))
        tables[os.path.basename(name)] = [json.loads(line)
                                          for line in text.splitlines()]
    items = [item for rows in tables.values() for item in rows]
    tap = Tap()

    def every_line_is_an_item():
        for name, rows in tables.items():
            for number, item in enumerate(rows, 1):
                for fault in faults(item):
                    tap.check(False, f"{name}:{number}: {fault}")

    def items_stand_in_order_of_time():
        for name, rows in tables.items():
            times = [item["occurred_at"] for item in rows]
            tap.equal(times, sorted(times), name)

    def external_ids_are_unique():
        ids = {(item["source"], item["external_id"]) for item in items}
        tap.equal(len(ids), len(items), "pairs of source and external_id")

    def there_are_three_agents_and_enough_items():
        tap.equal(len({item["source"] for item in items}), 3, "sources")
        tap.check(len(items) >= LEAST, f"only {len(items)} items")

    def every_kind_of_atom_occurs():
        found = {atom["kind"] for item in items for atom in item["atoms"]}
        tap.equal(found, KINDS, "kinds")

    for test in (every_line_is_an_item, items_stand_in_order_of_time,
                 external_ids_are_unique,
                 there_are_three_agents_and_enough_items,
                 every_kind_of_atom_occurs):
        tap.run(test)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
