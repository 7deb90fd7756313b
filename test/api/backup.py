# SPDX-License-Identifier: Apache-2.0
"""Backups: the copy is the library, and nothing else is ever harmed."""
import fcntl
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
from jezero_ctypes import PROGRESS, JezeroError, Library, load  # noqa: E402
from tap import Tap  # noqa: E402

EINVAL, ENOTFOUND, EBUSY, EIO = -3, -4, -5, -6
tap = Tap()


def fails(code, part, call, *arguments):
    try:
        call(*arguments)
    except JezeroError as error:
        tap.equal(error.code, code, error.message)
        tap.check(part in error.message, f"{part!r} in {error.message!r}")
        return
    tap.check(False, f"no error: {part}")


def fill(library, count, seed="backup"):
    library.import_lines("\n".join(json.dumps(i) for i in
                                   corpus.items(count, seed)).encode())


def export(path):
    with Library(path, {"read_only": True}) as library:
        return library.export(limit=1 << 40)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Place:
    """A folder with an open library of 60 items that are in its -wal."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.path = self.at("l.db")
        self.library = Library(self.path)
        fill(self.library, 60)
        return self

    def __exit__(self, *_):
        self.library.close()
        self.temporary.cleanup()

    def at(self, name):
        return os.path.join(self.folder, name)

    def backup(self, name="copy.db", progress=None):
        self.library.backup(self.at(name), progress)

    def names(self):
        return sorted(os.listdir(self.folder))


def test_a_copy_is_the_library():
    with Place() as place:
        old = os.umask(0)
        try:
            place.backup()
        finally:
            os.umask(old)
        copy = place.at("copy.db")
        tap.equal(place.names(), ["copy.db", "l.db", "l.db-shm", "l.db-wal"],
                  "nothing else is left")
        tap.equal(oct(stat.S_IMODE(os.stat(copy).st_mode)), "0o600", "mode")
        tap.equal(export(copy), export(place.path), "items")
        with Library(copy) as library:
            tap.equal(library.check(), {"ok": True, "problems": []}, "check")
            for query in ("error", "invoice csv", "发票"):
                tap.equal(library.read("search", {"query": query}),
                          place.library.read("search", {"query": query}),
                          query)
            item = dict(corpus.items(1, "new")[0], external_id="new#0")
            tap.equal(library.put(item)["id"], 61, "it is written to")
        tap.equal(len(place.library.items()), 60, "the library is not")


def test_a_copy_of_a_copy_replaces_the_first():
    with Place() as place:
        place.backup()
        fill(place.library, 10, "more")
        place.backup()
        tap.equal(export(place.at("copy.db")), export(place.path), "items")
        open(place.at("empty.db"), "w").close()
        place.backup("empty.db")
        tap.equal(export(place.at("empty.db")), export(place.path),
                  "an empty file")
        os.symlink("copy.db", place.at("link.db"))
        fill(place.library, 5, "and more")
        place.backup("link.db")
        tap.check(os.path.islink(place.at("link.db")), "the link stays")
        tap.equal(export(place.at("copy.db")), export(place.path), "its file")


def test_the_library_is_not_its_own_backup_by_any_name():
    with Place() as place:
        os.link(place.path, place.at("hard.db"))
        os.symlink("l.db", place.at("soft.db"))
        os.symlink("soft.db", place.at("softer.db"))
        os.symlink(place.folder, place.at("folder"))
        for name in ("l.db", "./l.db", "hard.db", "soft.db", "softer.db",
                     "folder/l.db", "folder/../" +
                     os.path.basename(place.folder) + "/l.db"):
            fails(EINVAL, "the library itself", place.backup, name)
        for name in ("l.db-wal", "l.db-shm", "other.db-wal", "a-journal"):
            fails(EINVAL, "a backup cannot be named", place.backup, name)
        here = os.getcwd()
        os.chdir(place.folder)
        try:
            fails(EINVAL, "the library itself", place.library.backup, "l.db")
        finally:
            os.chdir(here)
        # A dropped lock would show here: another process that believes to be
        # the last one takes the log away when it closes.
        subprocess.run([sys.executable, "-c",
                        "import sqlite3, sys\n"
                        "db = sqlite3.connect(sys.argv[1])\n"
                        "db.execute('SELECT count(*) FROM item').fetchone()\n"
                        "db.close()\n", place.path], check=True)
        tap.check(os.path.exists(place.path + "-wal"), "the locks are held")
        tap.equal(len(place.library.items()), 60, "items")


def test_what_is_no_library_is_not_replaced():
    with Place() as place:
        with open(place.at("notes.txt"), "w", encoding="utf-8") as file:
            file.write("do not lose me\n" * 100)
        db = sqlite3.connect(place.at("other.db"))
        db.execute("CREATE TABLE t(a)")
        db.close()
        os.mkdir(place.at("folder"))
        os.mkfifo(place.at("fifo"))
        for name, part in (("notes.txt", "no library"),
                           ("other.db", "no library"),
                           ("folder", "no regular file"),
                           ("fifo", "no regular file")):
            before = read(place.at(name)) if part == "no library" else None
            fails(EINVAL, part, place.backup, name)
            if before is not None:
                tap.equal(read(place.at(name)), before, name)
        fails(ENOTFOUND, "nowhere", place.backup, "nowhere/copy.db")
        fails(EINVAL, "empty", place.library.backup, "")
        os.symlink("gone.db", place.at("dangling.db"))
        fails(ENOTFOUND, "dangling.db: it is a link to %s, which is not there" %
              place.at("gone.db"), place.backup, "dangling.db")
        os.symlink("away/gone.db", place.at("unmounted.db"))
        fails(ENOTFOUND, "the folder %s, which is not there" % place.at("away"),
              place.backup, "unmounted.db")
        os.symlink("/nowhere/at/all.db", place.at("absolute.db"))
        fails(ENOTFOUND, "the folder /nowhere/at, which is not there",
              place.backup, "absolute.db")
        tap.check(not [n for n in place.names() if n.endswith(".part")],
                  place.names())


def test_a_library_that_is_open_is_not_replaced():
    with Place() as place:
        with Library(place.at("busy.db")) as busy:
            fill(busy, 5)
            fails(EINVAL, "in use", place.backup, "busy.db")
            busy.maintain()
            tap.equal(os.path.getsize(place.at("busy.db-wal")), 0, "log")
            fails(EINVAL, "in use", place.backup, "busy.db")
            tap.equal(len(busy.items()), 5, "items")
        other = subprocess.Popen(
            [sys.executable, "-c", "import sqlite3, sys\n"
             "db = sqlite3.connect(sys.argv[1])\n"
             "db.execute('SELECT count(*) FROM item').fetchone()\n"
             "print(flush=True)\nsys.stdin.read()\n", place.at("busy.db")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        other.stdout.readline()
        fails(EINVAL, "in use", place.backup, "busy.db")
        other.communicate()
        place.backup("busy.db")
        tap.equal(export(place.at("busy.db")), export(place.path), "closed")
        with open(place.at("new.db-wal"), "wb") as file:
            file.write(b"left by another file")
        fails(EINVAL, "new.db-wal", place.backup, "new.db")
        tap.check("new.db" not in place.names(), place.names())


def test_what_a_killed_backup_left_is_taken_over():
    with Place() as place:
        part = place.at("copy.db.part")
        with open(part, "wb") as file:
            file.write(b"half a copy" * 100000)
        os.chmod(part, 0o644)
        place.backup()
        tap.check(not os.path.exists(part), "the rest is gone")
        tap.equal(export(place.at("copy.db")), export(place.path), "items")
        tap.equal(oct(stat.S_IMODE(os.stat(place.at("copy.db")).st_mode)),
                  "0o600", "mode")


def test_a_draft_of_that_name_that_is_none_is_left_alone():
    with Place() as place:
        part = place.at("copy.db.part")
        os.link(place.path, part)
        fails(EINVAL, "the library itself", place.backup)
        os.remove(part)
        with open(place.at("notes.txt"), "w", encoding="utf-8") as file:
            file.write("do not lose me")
        os.link(place.at("notes.txt"), part)
        fails(EBUSY, "copy.db.part", place.backup)
        os.remove(part)
        os.symlink("notes.txt", part)
        fails(EIO, "copy.db", place.backup)
        tap.equal(read(place.at("notes.txt")), b"do not lose me", "the file")


def test_two_backups_do_not_write_one_file():
    with Place() as place:
        with open(place.at("copy.db.part"), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            fails(EBUSY, "another backup", place.backup)
        place.backup()


def test_an_interrupt_ends_a_backup_and_leaves_nothing():
    with Place() as place:
        fill(place.library, 400, "large")
        place.backup("old.db")
        before = read(place.at("old.db"))
        stop = lambda done, total: \
            place.library.lib.jz_library_interrupt(place.library.handle)
        for name in ("old.db", "copy.db"):
            fails(EBUSY, "interrupted", place.backup, name, stop)
        tap.equal(place.names(), ["l.db", "l.db-shm", "l.db-wal", "old.db"],
                  "files")
        tap.equal(read(place.at("old.db")), before, "the older copy")
        place.backup()


def test_progress_grows_to_the_whole():
    with Place() as place:
        fill(place.library, 400, "large")
        seen = []
        place.backup(progress=lambda done, total: seen.append((done, total)))
        size = os.path.getsize(place.at("copy.db"))
        tap.check(len(seen) > 1, seen)
        tap.equal(seen, sorted(seen), "it grows")
        tap.equal(seen[-1], (size, size), "the end")


def test_a_full_disk_leaves_nothing():
    with Place() as place:
        disk = place.at("disk")
        os.mkdir(disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs",
                        disk], check=True)
        try:
            place.library.backup(os.path.join(disk, "copy.db"))
            before = read(os.path.join(disk, "copy.db"))
            fill(place.library, 600, "large")
            count = len(place.library.items())
            for name in ("copy.db", "new.db"):
                fails(EIO, "the disk is full: no backup was written to " +
                      os.path.join(disk, name), place.library.backup,
                      os.path.join(disk, name))
            tap.equal(os.listdir(disk), ["copy.db"], "files")
            tap.equal(read(os.path.join(disk, "copy.db")), before, "the copy")
        finally:
            subprocess.run(["umount", disk], check=True)
            tap.equal(len(place.library.items()), count, "the library")


def test_a_library_that_is_only_read_is_copied():
    with Place() as place:
        with Library(place.path, {"read_only": True}) as library:
            library.backup(place.at("copy.db"))
        tap.equal(export(place.at("copy.db")), export(place.path), "items")


def test_backups_while_others_write_are_states_that_were():
    with Place() as place:
        stop = threading.Event()
        problems = []

        def write():
            number = 60
            try:
                with Library(place.path) as writer:
                    while not stop.is_set():
                        lines = []
                        for one in corpus.items(5, number):
                            number += 1
                            lines.append(json.dumps(dict(
                                one, external_id=f"{number}#0")))
                        writer.import_lines("\n".join(lines).encode())
                        writer.maintain()
            except Exception as error:
                problems.append(error)
        thread = threading.Thread(target=write)
        thread.start()
        counts = []
        for _ in range(20):
            place.backup()
            with Library(place.at("copy.db")) as copy:
                ids = [i["id"] for i in copy.items()]
                counts.append(len(ids))
                # Each import is one transaction of five.
                tap.check(len(ids) % 5 == 0 and
                          ids == list(range(1, len(ids) + 1)), ids[-5:])
                tap.equal(copy.check(), {"ok": True, "problems": []}, "check")
        stop.set()
        thread.join()
        tap.equal(problems, [], "the writer")
        tap.equal(counts, sorted(counts), "no copy is older than the last")


def test_null_arguments_are_errors():
    lib = load()
    tap.equal(lib.jz_backup(None, b"x", PROGRESS(0), None), EINVAL,
              "no library")
    with Place() as place:
        tap.equal(lib.jz_backup(place.library.handle, None, PROGRESS(0), None),
                  EINVAL, "no path")


def can_mount():
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs",
                           folder], capture_output=True,
                          check=False).returncode != 0:
            return False
        subprocess.run(["umount", folder], check=True)
    return True


def main():
    for name, test in sorted(globals().items()):
        if name == "test_a_full_disk_leaves_nothing" and not can_mount():
            tap.skip(name[5:], "a small disk cannot be mounted here")
        elif name.startswith("test_"):
            tap.run(test)
    tap.done()


main()
