# SPDX-License-Identifier: Apache-2.0
"""What lies outside a scope does not exist: whatever is asked, the answer is
byte for byte that of a library without the hidden items."""
import fnmatch
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
import corpus  # noqa: E402
from jezero_ctypes import JezeroError, Library, encode  # noqa: E402
from tap import Tap  # noqa: E402

NOW = 1790000000
ITEMS = 220
CALLS = 130  # of each scope
SOURCES = ("agent-claude-code-laptop", "agent-codex-laptop", "agent-codex-desk",
           "Agent-codex-desk", "mail-dana", "mail", "notes", "a*b", "a?b",
           "[notes]", "agent-[x]-y", "a]b", "notes2", "ñotes", "agent-")
SCOPES = ([], ["*"], ["agent-*"], ["agent-*", "*-laptop", "agent-codex-desk"],
          ["mail"], ["mail*", "mail-*"], ["a[*]b"], ["a*b"], ["a?b"],
          ["[[]notes]"], ["[notes]"], ["agent-[[]x]-y", "a[?]b"], ["?otes"],
          ["[!a]*"], ["notes", "notes", "nothing-of-that-name"], [""],
          ["AGENT-*"], ["*-*-*"])
PROJECTS = ("billing", "BILLING", "shop", "web", "only-hidden", "Straße",
            "nowhere", "")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
tap = Tap()


def matches(scope, source):
    """Which names a scope holds, by Python's own globs."""
    return any(fnmatch.fnmatchcase(source, glob) for glob in scope)


def items():
    """Much in common, so that scores, ties and cuts depend on who reads."""
    generator = random.Random("scopes")
    made = []
    for number, one in enumerate(corpus.items(ITEMS, "scopes")):
        one = dict(one, id=number * 3 + 1, external_id=f"s{number}#0",
                   source=generator.choice(SOURCES),
                   project=generator.choice(PROJECTS[:6] + (None,)),
                   original=generator.choice((None, "[x] user: hello")))
        if number % 9 == 0:
            one["summary"] = "wombat " * 90
            one["atoms"] = [{"kind": "fact", "text": f"wombat {n}"}
                            for n in range(12)]
        made.append(one)
    return made


def words(generator):
    return " ".join(generator.choice(
        corpus.WORDS + ["wombat", "设", "invoice", '"csv export"', "zz", "é"])
        for _ in range(generator.randint(1, 4)))


def bound(generator):
    return generator.choice((
        None, "", "2026-01-15", "2026-06-01T00:00:00+02:00", "2030-01-01",
        "2020-01-01", "yesterday", "2026-02-30", 5))


def limit(generator):
    return generator.choice((None, 1, 2, 5, 20, 50, 1000, "7", 0, -1, 2.5,
                             True, "many"))


def item_id(generator):
    """Hidden, visible, between them, beyond the last, no id at all."""
    return generator.choice((
        generator.randrange(1, ITEMS * 3 + 9), generator.randrange(1, ITEMS) * 3
        + 1, generator.randrange(1, ITEMS) * 3 + 1, 1 << 40, 0, "12", "x", None))


def source(generator):
    return generator.choice((None, "", "*", "agent-*", "mail*", "nowhere") +
                            SOURCES)


def random_call(generator):
    name = generator.choice(("search", "search", "get_item", "get_item",
                             "later", "later", "timeline", "list_sources"))
    fields = {
        "search": lambda: {"query": words(generator),
                           "project": generator.choice(PROJECTS + (None,)),
                           "source": source(generator),
                           "since": bound(generator), "limit":
                           limit(generator)},
        "get_item": lambda: {"item_id": item_id(generator),
                             "include_original":
                             generator.choice((None, True, "false", 3))},
        "later": lambda: {"item_id": item_id(generator),
                          "query": generator.choice((None, words(generator))),
                          "limit": limit(generator)},
        "timeline": lambda: {"project": generator.choice(PROJECTS + (None,)),
                             "source": source(generator),
                             "since": bound(generator),
                             "until": bound(generator),
                             "limit": limit(generator)},
        "list_sources": lambda: {},
    }[name]()
    # Mostly few arguments at once: bad ones end a call.
    arguments = {key: value for key, value in fields.items()
                 if key in ("item_id", "query") or generator.random() < 0.4}
    if generator.random() < 0.03:
        arguments["colour"] = generator.choice(SOURCES)
    return name, arguments


def outcome(library, name, arguments, scope):
    """The result, or the code and sentence of the failure."""
    try:
        return library.call("jz_" + name, encode(scope), encode(arguments))
    except JezeroError as error:
        return error.code, error.message


def messages(name, arguments):
    """The call as both eras send it, with the headers of HTTP or without."""
    params = {"name": name, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": "r1", "method": "tools/call"}
    yield encode(dict(body, params=params)), None
    yield encode(dict(body, params=dict(params, _meta=META))), {
        "mcp-protocol-version": ["2026-07-28"], "mcp-method": ["tools/call"],
        "mcp-name": [name]}


def check_text(answer):
    """The text block is the object again."""
    result = json.loads(answer)["result"]
    if not result["isError"]:
        tap.equal(result["content"][0]["text"],
                  json.dumps(result["structuredContent"], indent=2,
                             ensure_ascii=False), "text block")


def compare(everything, visible, generator, scope):
    """Without a scope, the one library is what the other is with it."""
    seen = set()
    for _ in range(CALLS):
        name, arguments = random_call(generator)
        shown = f"{scope} {name} {arguments}"
        got = outcome(everything, name, arguments, scope)
        for other in (None, scope):
            want = outcome(visible, name, arguments, other)
            if got != want:
                tap.equal(got, want, shown)
        for message, headers in messages(name, arguments):
            got = everything.dispatch(message, headers, scope)
            want = visible.dispatch(message, headers, None)
            if got != want:
                tap.equal(got, want, shown)
            check_text(got[1])
        seen.add(got[1])
    return len(seen)


def test_every_answer_is_that_of_a_library_without_the_rest():
    generator = random.Random("calls")
    made = items()
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "all.db"), now=NOW) as everything:
            everything.import_lines(b"\n".join(map(encode, made)))
            for number, scope in enumerate(SCOPES):
                mine = [one for one in made if matches(scope, one["source"])]
                path = os.path.join(folder, f"{number}.db")
                with Library(path, now=NOW) as visible:
                    # In another order: nothing may hang on that either.
                    generator.shuffle(mine)
                    visible.import_lines(b"\n".join(map(encode, mine)))
                    distinct = compare(everything, visible, generator, scope)
                tap.check(distinct > 20 or not mine, f"{scope}: {distinct}")
                sources = everything.read("list_sources", {}, scope)["sources"]
                tap.equal(sorted(sources),
                          sorted({one["source"] for one in mine}), scope)


def test_it_stays_so_while_items_change():
    generator = random.Random("changes")
    made = items()
    scope = ["agent-*", "notes"]
    with tempfile.TemporaryDirectory() as folder:
        everything = Library(os.path.join(folder, "all.db"), now=NOW)
        visible = Library(os.path.join(folder, "some.db"), now=NOW)
        with everything, visible:
            for step in range(400):
                one = dict(generator.choice(made), summary=words(generator),
                           title=words(generator))
                if generator.random() < 0.3:
                    one["occurred_at"] = "2026-0%d-01T00:00:00+00:00" % \
                        generator.randint(1, 9)
                everything.put(one)
                if matches(scope, one["source"]):
                    visible.put(one)
                if step % 10:
                    continue
                for _ in range(10):
                    name, arguments = random_call(generator)
                    got = outcome(everything, name, arguments, scope)
                    want = outcome(visible, name, arguments, None)
                    if got != want:
                        tap.equal(got, want, f"{step} {name} {arguments}")


def test_a_scope_that_is_no_list_of_globs_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            for scope in ({}, "agent-*", [1], [None], [["a"]], True):
                for name, arguments in (("search", {"query": "x"}),
                                        ("get_item", {"item_id": 1}),
                                        ("list_sources", {})):
                    got = outcome(library, name, arguments, scope)
                    tap.equal(got, (-3, "scope must be an array of strings"),
                              f"{scope} {name}")
                try:
                    library.dispatch(b'{"jsonrpc":"2.0","id":1,"method":'
                                     b'"ping"}', None, scope)
                    tap.check(False, f"{scope} was taken")
                except JezeroError as error:
                    tap.equal(error.code, -3, error.message)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
