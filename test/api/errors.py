# SPDX-License-Identifier: Apache-2.0
"""What a caller gets when something is wrong: codes, sentences, no crash."""
import ctypes
import json
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
import corpus  # noqa: E402
from jezero_ctypes import JezeroError, Library, load  # noqa: E402
from tap import Tap  # noqa: E402

EINVAL, ENOTFOUND, EBUSY, EIO, ECORRUPT, ENEWER = -3, -4, -5, -6, -7, -8
tap = Tap()


def fails(code, part, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except JezeroError as error:
        tap.equal(error.code, code, error.message)
        tap.check(part in error.message, f"{part!r} in {error.message!r}")
        tap.check("\n" not in error.message, "one line")
        return
    tap.check(False, f"no error: {part}")


def item(**fields):
    return dict({"source": "notes", "external_id": "a#0",
                 "occurred_at": "2026-01-31T09:00:00+00:00",
                 "title": "A title"}, **fields)


def test_bad_options_are_refused_by_name():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        for options, part in (
                ({"serch": {}}, "serch"), ({"search": {"limits": 1}}, "limits"),
                ({"search": {"candidate_pool": 0}}, "candidate_pool"),
                ({"search": {"recency_weight": 2}}, "recency_weight"),
                ({"search": {"limit": 1.5}}, "limit"),
                ({"search": {"tokenizer": "porter"}}, "tokenizer"),
                ({"redaction": {"extra": [""]}}, "extra"),
                ({"redaction": {"extra": "x"}}, "extra"),
                ({"ingest": {"segment_chars": 1}}, "segment_chars"),
                ({"busy_timeout_ms": -1}, "busy_timeout_ms"),
                ([], "object")):
            fails(EINVAL, part, Library, path, options)
        tap.check(not os.path.exists(path), "no file was made")


def test_files_that_are_no_library_are_refused_and_left_alone():
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.db")
        with open(text, "w", encoding="utf-8") as out:
            out.write("this is no database, but a text\n" * 100)
        fails(ECORRUPT, text, Library, text)
        other = os.path.join(folder, "other.db")
        db = sqlite3.connect(other)
        db.execute("CREATE TABLE t(a)")
        db.close()
        fails(ECORRUPT, "another program", Library, other)
        fails(EINVAL, folder, Library, folder)
        fails(ENOTFOUND, "nowhere", Library,
              os.path.join(folder, "nowhere", "l.db"))
        fails(ENOTFOUND, "l.db", Library, os.path.join(folder, "l.db"),
              {"create": False})
        with open(text, encoding="utf-8") as file:
            tap.check(file.read(12) == "this is no d", "left alone")


def test_a_newer_library_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        Library(path).close()
        db = sqlite3.connect(path)
        db.execute("PRAGMA user_version = 99")
        db.close()
        fails(ENEWER, "schema 99", Library, path)


def test_a_damaged_library_is_found_by_check_or_open():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        with Library(path) as library:
            for one in corpus.items(60, "damage"):
                library.put(one)
            library.maintain()
        size = os.path.getsize(path)
        hurt = 0
        for at in range(8192, size, 16384):
            with open(path, "rb") as file:
                data = bytearray(file.read())
            data[at:at + 512] = b"\xa5" * 512
            broken = os.path.join(folder, "broken.db")
            with open(broken, "wb") as out:
                out.write(data)
            try:
                with Library(broken) as library:
                    for query in ("error", "invoice", "发票"):
                        library.read("search", {"query": query})
                    hurt += not library.check()["ok"]
            except JezeroError as error:
                tap.check(error.code in (ECORRUPT, EIO, -1), str(error))
                hurt += 1
        tap.check(hurt > 0, "no damage was noticed")


def test_a_read_only_library_is_read_and_not_written():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        with Library(path) as library:
            library.put(item())
        with Library(path, {"read_only": True}) as library:
            tap.equal(library.read("search", {"query": "title"})["count"], 1,
                      "found")
            fails(EIO, "read-only", library.put, item(external_id="b#0"))


def test_files_are_for_their_owner_alone():
    with tempfile.TemporaryDirectory() as folder:
        old = os.umask(0)
        try:
            path = os.path.join(folder, "l.db")
            with Library(path) as library:
                library.put(item())
                for ending in ("", "-wal", "-shm"):
                    mode = stat.S_IMODE(os.stat(path + ending).st_mode)
                    tap.equal(oct(mode), "0o600", "mode of l.db" + ending)
        finally:
            os.umask(old)


def test_a_locked_library_says_so_and_readers_go_on():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        with Library(path, {"busy_timeout_ms": 100}) as library:
            library.put(item())
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            fails(EBUSY, "locked", library.put, item(external_id="b#0"))
            tap.equal(library.read("search", {"query": "title"})["count"], 1,
                      "a search meanwhile")
            other.execute("ROLLBACK")
            other.close()
            tap.equal(library.put(item(external_id="b#0"))["created"], True,
                      "afterwards")


def can_mount():
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs",
                           folder], capture_output=True,
                          check=False).returncode != 0:
            return False
        subprocess.run(["umount", folder], check=True)
    return True


def test_a_full_disk_loses_nothing_that_was_committed():
    with tempfile.TemporaryDirectory() as folder:
        disk = os.path.join(folder, "disk")
        os.mkdir(disk)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m",
                               "tmpfs", disk], capture_output=True, check=False)
        done.check_returncode()
        try:
            library = Library(os.path.join(disk, "l.db"))
            stored = 0
            try:
                for number, one in enumerate(corpus.items(3000, "full")):
                    library.put(dict(one, original="x%d " % number * 200))
                    stored += 1
                tap.check(False, "the disk never was full")
            except JezeroError as error:
                tap.equal(error.code, EIO, error.message)
                tap.check("disk is full" in error.message, error.message)
            tap.equal(len(library.items()), stored, "items")
            library.close()
            with Library(os.path.join(disk, "l.db"),
                         {"read_only": True}) as again:
                tap.equal(len(again.items()), stored, "items after that")
        finally:
            subprocess.run(["umount", disk], check=True)


def test_a_file_that_was_replaced_is_followed():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        backup = os.path.join(folder, "backup.db")
        with Library(backup) as library:
            library.put(item(title="From the backup"))
        with Library(path) as library:
            titles = lambda: [i["title"] for i in
                              library.read("timeline")["items"]]
            library.put(item(title="Lost"))
            library.put(item(external_id="b#0", title="Lost as well"))
            tap.equal(len(titles()), 2, "before")
            library.maintain()
            os.rename(backup, path)
            tap.equal(titles(), ["From the backup"], "reads go on there")
            os.rename(path, backup)
            os.remove(path + "-wal")
            os.remove(path + "-shm")
            fails(EIO, "No such file", library.read, "timeline")
            fails(EIO, "No such file", library.put, item(external_id="c#0"))
            tap.check(not os.path.exists(path), "none is made in its place")
            os.rename(backup, path)
            library.put(item(external_id="c#0", title="Written there"))
            tap.equal(sorted(titles()), ["From the backup", "Written there"],
                      "writes go on there")
        with Library(path) as library:
            tap.equal(len(library.read("timeline")["items"]), 2, "stored")
            tap.equal(library.check()["ok"], True, "check")


def test_a_process_without_descriptors_says_so():
    program = ("import os, resource, sys\n"
               "sys.path.insert(0, sys.argv[1])\n"
               "from jezero_ctypes import JezeroError, Library, load\n"
               "load()\n"
               "top = os.open(os.devnull, os.O_RDONLY)\n"
               "resource.setrlimit(resource.RLIMIT_NOFILE, (top + 1,) * 2)\n"
               "try:\n"
               "    Library(sys.argv[2])\n"
               "except JezeroError as error:\n"
               "    print(error.code, error.message)\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        Library(path).close()
        done = subprocess.run(
            [sys.executable, "-c", program, os.path.dirname(corpus.__file__),
             path], capture_output=True, text=True)
        tap.equal(done.stdout, f"{EIO} cannot open library {path}: "
                  "Too many open files\n", done.stderr)


def test_items_are_refused_by_field():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            for bad, part in (
                    ({"colour": "red"}, "colour"), ({"id": 0}, "id"),
                    ({"id": "1"}, "id"), ({"source": ""}, "source"),
                    ({"source": "a\nb"}, "source"), ({"source": None},
                                                     "source"),
                    ({"external_id": 5}, "external_id"),
                    ({"occurred_at": "yesterday"}, "yesterday"),
                    ({"occurred_at": "2026-02-30"}, "2026-02-30"),
                    ({"title": None}, "title"), ({"title": 1}, "title"),
                    ({"questions": "x"}, "questions"),
                    ({"questions": [1]}, "questions"),
                    ({"atoms": [["fact", "x"]]}, "atoms"),
                    ({"atoms": [{"kind": "rumour", "text": "x"}]}, "rumour"),
                    ({"trust": "maybe"}, "trust"),
                    ({"original": []}, "original")):
                fails(EINVAL, part, library.put, item(**bad))
            tap.equal(library.items(), [], "nothing was stored")


def test_an_id_is_kept_if_it_is_free_or_its_own():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            tap.equal(library.put(item(id=7))["id"], 7, "free")
            tap.equal(library.put(item(id=7, title="New"))["created"], False,
                      "its own")
            fails(EINVAL, "id 7", library.put, item(id=7, external_id="b#0"))
            fails(EINVAL, "id 9", library.put, item(id=9))
            tap.equal(library.put(item(external_id="c#0"))["id"], 8, "next")


def test_a_bad_line_of_an_import_is_named_and_the_rest_is_stored():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            lines = [json.dumps(item(external_id=f"{n}#0")) for n in range(5)]
            lines[1] = "{broken"
            lines[3] = json.dumps(item(external_id="3#0", mood="good"))
            text = "\n\r\n".join(lines).encode() + b"\n"
            result = library.import_lines(text)
            tap.equal((result["stored"], [f["line"] for f in
                                          result["failed"]]),
                      (3, [3, 7]), "result")
            tap.check("mood" in result["failed"][1]["reason"], "named")


def test_export_and_import_give_the_same_library():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "a.db")) as a, \
                Library(os.path.join(folder, "b.db")) as b:
            for number, one in enumerate(corpus.items(50, "export")):
                a.put(dict(one, original=f"text {number} é 漢\n" * number))
            text = a.export(limit=1000)
            tap.equal(b.import_lines(text.encode())["failed"], [], "failed")
            tap.equal(b.export(limit=1000), text, "export of the import")
            tap.equal(a.export(limit=3).count("\n"), 3, "limit")
            tap.equal(a.export(after=50), "", "the end")


def test_text_that_is_no_utf8_is_repaired_on_the_way_in():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            line = json.dumps(item(title="TITLE", summary="a\u0000b\ud83dc"))
            line = line.encode().replace(b"TITLE", b"bad \xff\xc3( byte")
            library.import_lines(line)
            stored = library.items()[0]
            tap.equal(stored["title"], "bad \ufffd\ufffd( byte", "title")
            tap.equal(stored["summary"], "a\ufffdb\ufffdc", "summary")


def test_titles_and_projects_stay_on_one_line():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            library.put(item(title="Re: invoice\n\n## Rules\x1b[2J\u202egnp",
                             project="bil\nling `x`\u202e" + "y" * 100))
            stored = library.items()[0]
            tap.check(not set(stored["title"]) & set("\n\x1b\u202e"),
                      stored["title"])
            tap.check(not set(stored["project"]) & set("\n`\u202e"),
                      stored["project"])
            tap.check(len(stored["project"]) <= 80, stored["project"])


def test_argument_errors_name_the_argument():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            for name, arguments, part in (
                    ("search", {}, "query"), ("search", {"query": 5}, "query"),
                    ("search", {"query": "x", "since": "yesterday"},
                     "got 'yesterday'"),
                    ("search", {"query": "x", "limit": 0}, "limit"),
                    ("search", {"query": "x", "limit": 5.5}, "limit"),
                    ("search", {"query": "x", "limit": True}, "limit"),
                    ("search", {"query": "x", "foo": 1}, "foo"),
                    ("get_item", {}, "item_id"),
                    ("get_item", {"item_id": "x"}, "item_id"),
                    ("later", {"item_id": -1}, "item_id"),
                    ("timeline", {"until": "2026-13-01"}, "until"),
                    ("list_sources", {"x": 1}, "x")):
                fails(EINVAL, part, library.read, name, arguments)
            fails(EINVAL, "scope", library.read, "search", {"query": "x"},
                  {"a": 1})


def test_null_arguments_of_the_api_are_errors_and_no_crash():
    lib = load()
    out = ctypes.c_void_p()
    tap.equal(lib.jz_library_open(None, b"x", None), EINVAL, "open")
    tap.equal(lib.jz_search(ctypes.byref(out), None, None, None), EINVAL,
              "search")
    tap.equal(lib.jz_redact(None, None, ctypes.c_size_t(0), None), EINVAL,
              "redact")
    tap.equal(lib.jz_list_sessions(ctypes.byref(out), None, None,
                                   ctypes.c_int64(0)), EINVAL, "sessions")
    lib.jz_library_close(None)
    lib.jz_free(None)
    lib.jz_library_interrupt(None)
    tap.check(lib.jz_library_errmsg(None) is not None, "errmsg")
    handle = ctypes.c_void_p()
    tap.equal(lib.jz_library_open(ctypes.byref(handle), b"", None), EINVAL,
              "no path")
    tap.equal(lib.jz_search(ctypes.byref(out), handle, None, b"{}"), EINVAL,
              "a handle that is not open")
    lib.jz_library_close(handle)


def test_lists_are_trimmed_and_say_so():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            atoms = [{"kind": "fact", "text": f"atom {n} quokka" if n > 35
                      else f"atom {n}"} for n in range(40)]
            for n in range(50):
                library.put(item(external_id=f"{n}#0", title="quokka",
                                 summary="long é " * 200, atoms=atoms,
                                 original="y" * 250000))
            text = library.call("jz_search", None, b'{"query":"quokka"}')
            tap.check(len(text) < 50000, f"{len(text)} bytes")
            first = json.loads(text)["results"][0]
            tap.equal((len(first["summary"]), first["summary"][-1]),
                      (400, "…"), "summary")
            tap.equal([a["text"] for a in first["atoms"]][:4],
                      [f"atom {n} quokka" for n in range(36, 40)],
                      "atoms that hold the term come first")
            tap.equal((len(first["atoms"]), first["trimmed"]), (8, True),
                      "trimmed")
            tap.equal(list(first)[-2:], ["score", "trimmed"], "keys")
            whole = library.read("get_item", {"item_id": 1,
                                              "include_original": True})
            tap.equal(len(whole["item"]["atoms"]), 40, "all atoms")
            tap.check("trimmed" not in whole["item"], "not trimmed")
            tap.check(len(whole["item"]["original"]) < 200100, "original")
            tap.check("50000 of 250000" in whole["item"]["original"][-80:],
                      whole["item"]["original"][-80:])


def test_queries_of_any_punctuation_are_no_errors():
    with tempfile.TemporaryDirectory() as folder:
        with Library(os.path.join(folder, "l.db")) as library:
            for n, title in enumerate((
                    "Retry in multi-agent runner uses back-off",
                    "Throughput is 12 GB/s on node-7",
                    "don't use the old CSV writer",
                    "C++ and F# bindings for title:invoice",
                    "发票导出失败：字段编码错误", "设备清单(devices) NAS cdm")):
                library.put(item(external_id=f"{n}#0", title=title))
            for query, count in (
                    ("multi-agent", 1), ("GB/s", 1), ("don't", 1), ("C++", 1),
                    ("title:invoice", 1), ("-off", 1), ("node-7", 1),
                    ("设备", 1), ("设备 NAS", 1), ("票", 1), ("((((", 0),
                    ("*", 0), ("\\", 0), ("'", 0), ('""', 0), ("   ", 0),
                    ("; DROP TABLE items;--", 0), ("NEAR(a b, 3)", 0),
                    ('"unbalanced', 0), ("[" * 300, 0), ("🚀", 0),
                    ("zzz " * 20000, 0)):
                result = library.read("search", {"query": query})
                tap.equal(result["count"], count, f"{query[:40]!r}")


def test_readers_and_a_writer_work_at_once():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.db")
        Library(path).close()
        problems = []
        stop = threading.Event()

        def read():
            try:
                with Library(path) as library:
                    while not stop.is_set():
                        for name, arguments in (
                                ("search", {"query": "error invoice"}),
                                ("timeline", {}), ("list_sources", {}),
                                ("later", {"item_id": 1})):
                            library.read(name, arguments)
            except Exception as error:
                problems.append(error)
        readers = [threading.Thread(target=read) for _ in range(8)]
        for reader in readers:
            reader.start()
        with Library(path) as writer:
            for number in range(8):
                writer.import_lines("\n".join(
                    json.dumps(i) for i in corpus.items(50, number)).encode())
                writer.maintain()
        stop.set()
        for reader in readers:
            reader.join()
        tap.equal(problems, [], "problems")
        tap.check(os.path.getsize(path + "-wal") < 8 << 20
                  if os.path.exists(path + "-wal") else True, "the log is cut")


def main():
    tests = [value for name, value in sorted(globals().items())
             if name.startswith("test_")]
    for test in tests:
        if test is test_a_full_disk_loses_nothing_that_was_committed and \
                not can_mount():
            tap.skip(test.__name__[5:], "a small disk cannot be mounted here")
        else:
            tap.run(test)
    tap.done()


main()
