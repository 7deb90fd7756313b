# SPDX-License-Identifier: Apache-2.0
"""Sizes: no function, file or line outgrows what can be read at one look.

    figures.py ROOT

The tree is formatted by clang-format, and that is what this relies on: the
braces of a function stand alone in the first column, a block opens at the end
of a line.
"""
import re
import sys

from tree import Tap, bare, files, read

FUNCTION_LINES = 80
# A table or one flat switch: the comment above it holds the word "long" and
# says why it is ("Long: one flat switch …").
FUNCTION_LINES_WITH_REASON = 120
NESTING = 4
FILE_LINES = 1000
COLUMNS = 80
COLUMNS_MOST = 100
# How many lines of the C sources may be wider than 80 columns.
WIDE_SHARE = 0.02
PROGRAM_FOLDERS = ("include", "lib", "server", "client")
ALL_FOLDERS = PROGRAM_FOLDERS + ("test",)

BLOCK = re.compile(r"(\)|else|do|:|;|^) ?\{$|^\{$")


def functions(text):
    """(name, first line, lines, deepest nesting) of each function."""
    lines = bare(text).split("\n")
    at = 0
    while at < len(lines):
        if lines[at] != "{":
            at += 1
            continue
        head = at - 1
        while head > 0 and lines[head - 1].strip() and not re.match(
                r"[#}]", lines[head - 1]) and not lines[head - 1].endswith(";"):
            head -= 1
        end = at
        while end < len(lines) and lines[end] != "}":
            end += 1
        name = re.search(r"(\w+)\(", " ".join(lines[head:at]))
        yield (name[1] if name else "?", head + 1, end - head + 1,
               nesting(lines[at + 1:end]))
        at = end + 1


def nesting(lines):
    """How many blocks lie within each other. Braces of initialisers and
    compound literals are none."""
    depth = deepest = 0
    open_braces = []
    for line in lines:
        code = line.strip()
        for place, mark in enumerate(code):
            if mark == "{":
                is_block = bool(BLOCK.search(code[:place + 1])) and \
                    place == len(code) - 1 and "=" not in code.split(")")[-1]
                open_braces.append(is_block)
                depth += is_block
                deepest = max(deepest, depth)
            elif mark == "}" and open_braces:
                depth -= open_braces.pop()
    return deepest


def reason_above(text, line):
    """Does the comment right above the line say why the function is long?"""
    above = text.split("\n")[:line - 1]
    comment = []
    while above and above[-1].strip():
        comment.insert(0, above.pop())
    return re.search(r"\blong\b", " ".join(comment), re.I) is not None


def main():
    root = sys.argv[1]
    tap = Tap()
    texts = {name: read(root, name)
             for name in files(root, (".c", ".h"), ALL_FOLDERS)}
    scripts = {name: read(root, name) for name in
               files(root, (".py", ".sh", "meson.build", "/run"))}

    def no_function_is_longer_than_80_lines():
        count = 0
        for name, text in texts.items():
            for function, line, length, _ in functions(text):
                count += 1
                most = (FUNCTION_LINES_WITH_REASON
                        if length > FUNCTION_LINES and reason_above(text, line)
                        else FUNCTION_LINES)
                tap.check(length <= most,
                          f"{name}:{line}: {function} has {length} lines")
        tap.check(count > 200, f"functions were found, not {count}")

    def no_function_nests_deeper_than_4():
        for name, text in texts.items():
            for function, line, _, deepest in functions(text):
                tap.check(deepest <= NESTING,
                          f"{name}:{line}: {function} nests {deepest} deep")

    def no_file_is_longer_than_1000_lines():
        for name, text in {**texts, **scripts}.items():
            tap.check(text.count("\n") <= FILE_LINES,
                      f"{name} has {text.count(chr(10))} lines")

    def no_line_is_wider_than_100_columns():
        for name, text in {**texts, **scripts}.items():
            for number, line in enumerate(text.split("\n"), 1):
                tap.check(len(line.expandtabs(8)) <= COLUMNS_MOST,
                          f"{name}:{number}: {len(line)} columns")

    def few_lines_are_wider_than_80_columns():
        lines = [line for name, text in texts.items()
                 if name.startswith(PROGRAM_FOLDERS)
                 for line in text.split("\n") if line.strip()]
        wide = sum(len(line) > COLUMNS for line in lines)
        tap.check(wide <= WIDE_SHARE * len(lines),
                  f"{wide} of {len(lines)} lines")

    tap.run(no_function_is_longer_than_80_lines)
    tap.run(no_function_nests_deeper_than_4)
    tap.run(no_file_is_longer_than_1000_lines)
    tap.run(no_line_is_wider_than_100_columns)
    tap.run(few_lines_are_wider_than_80_columns)
    tap.done()


main()
