#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folding agrees with Python's tables, on every code point and random texts.

Usage: base_fold.py <the base_fold program>. Python and utf8proc may know
different versions of Unicode: code points that one of them holds for
unassigned are left out, as far as their answers show it.
"""
import random
import subprocess
import sys
import unicodedata


def fold_case(text):
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", decomposed.casefold())


def fold_text(text):
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(c for c in decomposed if unicodedata.combining(c) == 0)
    return unicodedata.normalize("NFC", bare.casefold())


def ask(program, lines):
    """What the program makes of the lines: a list of (text, case)."""
    done = subprocess.run(
        [program, "--filter"], check=True, stdout=subprocess.PIPE,
        input="".join(line + "\n" for line in lines).encode())
    answers = done.stdout.decode().split("\n")[:-1]
    assert len(answers) == len(lines), "not one answer a line"
    return [tuple(answer.split("\t")) for answer in answers]


def main():
    program = sys.argv[1]
    points = [chr(n) for n in range(0x20, 0x110000)
              if not 0xD800 <= n <= 0xDFFF
              and unicodedata.category(chr(n)) not in ("Cn", "Co", "Cc")]
    faults = 0
    known = []
    for char, got in zip(points, ask(program, points)):
        want = (fold_text(char), fold_case(char))
        if got == want:
            known.append(char)
        elif got == (char, char) or want == (char, char):
            continue  # the younger of the two tables knows more
        else:
            faults += 1
            print(f"# U+{ord(char):04X}: is {got}, want {want}")
    # U+11A7 is a Hangul vowel that utf8proc takes for an empty final one.
    known = [c for c in known if c != "\u11a7"]
    marks = [c for c in known if unicodedata.combining(c)]
    letters = [c for c in known if unicodedata.decomposition(c)]
    jamo = [c for c in known if "\u1100" <= c <= "\u11ff"]
    rand = random.Random(20000)  # the same texts on every run
    texts = ["".join(rand.choice(rand.choice((known, marks, letters, jamo)))
                     for _ in range(rand.randrange(1, 40)))
             for _ in range(20000)]
    for text, got in zip(texts, ask(program, texts)):
        if got != (fold_text(text), fold_case(text)):
            faults += 1
            print(f"# {ascii(text)}: is {ascii(got)}")
    print(f"# {len(points)} code points, {len(known)} compared in texts")
    print("ok" if faults == 0 else "not ok", "1 - folding_agrees_with_python")
    print("1..1")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
