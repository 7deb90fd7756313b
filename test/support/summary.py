# SPDX-License-Identifier: Apache-2.0
"""One line that says what all tests came to.

    summary.py PASSED FAILED SKIPPED [TESTLOG…]

Adds the tests of meson's logs (meson-logs/testlog.json) to what was counted
before. A program that speaks TAP, or Python's unittest, counts as the tests it
lists. The exit status is 1 if one failed, or if there was none.
"""
import json
import re
import sys

POINT = re.compile(r"^(not )?ok\b[^#]*(#\s*(skip|todo))?", re.I)


def count_tap(text):
    passed = failed = skipped = 0
    for line in text.splitlines():
        point = POINT.match(line)
        if point and point[3]:
            skipped += 1
        elif point and point[1]:
            failed += 1
        elif point:
            passed += 1
    return passed, failed, skipped


def count_unittest(text):
    """By its last lines: Ran 12 tests in 3.4s, FAILED (errors=1, skipped=2)."""
    ran = re.search(r"(?m)^Ran (\d+) tests? in ", text)
    words = dict(re.findall(r"\b(failures|errors|skipped)=(\d+)",
                            text[ran.end():]))
    failed = int(words.get("failures", 0)) + int(words.get("errors", 0))
    skipped = int(words.get("skipped", 0))
    return max(int(ran[1]) - failed - skipped, 0), failed, skipped


def count(test):
    """(passed, failed, skipped) of one entry of the log."""
    text = test.get("stdout") or ""
    errors = test.get("stderr") or ""
    result = test["result"]
    # A plan on a line of its own is what no other output holds.
    if re.search(r"(?m)^1\.\.\d+", text):
        points = count_tap(text)
    elif re.search(r"(?m)^Ran \d+ tests? in ", errors):
        points = count_unittest(errors)
    else:
        points = (0, 0, 0)
    if result in ("OK", "EXPECTEDFAIL"):
        return points if sum(points) else (1, 0, 0)
    if result == "SKIP":
        return points if sum(points) else (0, 0, 1)
    # It may have died, or run out of time, with all points it wrote being ok.
    return points[0], max(points[1], 1), points[2]


def main():
    total = [int(number) for number in sys.argv[1:4]]
    for path in sys.argv[4:]:
        with open(path, encoding="utf-8") as file:
            for line in file:
                for at, number in enumerate(count(json.loads(line))):
                    total[at] += number
    print("{} passed, {} failed, {} skipped".format(*total))
    sys.exit(1 if total[1] or not total[0] else 0)


main()
