# SPDX-License-Identifier: Apache-2.0
"""Rooms: who may include what, and in which order.

    layers.py ROOT

A folder of lib/ is a room, and sees only itself and those before it in the
list. The rules are written down with their reasons in doc/hacking.md.
"""
import os
import re
import sys

from tree import Tap, bare, files, read

ROOMS = ("base", "project", "index", "store", "search", "ingest", "mcp")
# These two are libraries of the programs, and never part of libjezero.
PROGRAM_ROOMS = ("net", "prog")
# Headers of other projects, and the places that may know them: a name ends
# with "/" for a folder. What is not listed is the C library's and free to all.
FOREIGN = {
    "sqlite3.h": ("lib/store/", "lib/index/"),
    "cjson/cJSON.h": ("lib/base/json.h",),
    "utf8proc.h": ("lib/base/fold.c",),
    "zlib.h": ("lib/base/zip.c",),
    "zstd.h": ("lib/base/zip_zstd.c",),
    "ini.h": ("lib/project/git.c",),
    "http_parser.h": ("lib/net/http.c",),
    "llhttp.h": ("lib/net/http.c",),
    "mbedtls/": ("lib/net/tls.c", "lib/net/tls_private.h",
                 "lib/net/tls_fault.c", "lib/net/tls_mbedtls.c",
                 "lib/net/tls_server.c", "lib/net/tls_setup.c",
                 "lib/net/digest.c"),
    "psa/": ("lib/net/tls_mbedtls.c",),
    "mach-o/": ("client/program.c",),
    "uv.h": ("server/", "client/bridge.c", "client/gateway.c",
             "client/child.c"),
    "sys/socket.h": ("lib/net/resolve.c", "lib/net/dial.c",
                     "lib/net/stream.c"),
    "netdb.h": ("lib/net/resolve.c",),
    "netinet/": ("lib/net/resolve.c", "lib/net/dial.c"),
    "arpa/": ("lib/net/address.c", "lib/net/tls_names.c"),
}
# Standard and system headers; a header in neither table is a new dependency,
# which is to be entered above with the one place that may know it.
SYSTEM = set("""
assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h
locale.h math.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h
stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h strings.h threads.h
time.h wchar.h wctype.h dirent.h dlfcn.h fcntl.h fnmatch.h ftw.h getopt.h glob.h
langinfo.h libgen.h poll.h pthread.h pwd.h sched.h spawn.h sysexits.h syslog.h
termios.h unistd.h utime.h sys/file.h sys/inotify.h sys/ioctl.h sys/mman.h
sys/random.h sys/resource.h sys/sendfile.h sys/stat.h sys/statvfs.h sys/time.h
sys/types.h sys/uio.h sys/utsname.h sys/wait.h sys/xattr.h malloc.h
""".split())


class Include:
    def __init__(self, line, name, is_system, is_conditional):
        self.line = line
        self.name = name
        self.is_system = is_system
        self.is_conditional = is_conditional

    def shown(self):
        return f"<{self.name}>" if self.is_system else f'"{self.name}"'


def includes(text):
    """The includes of a file. Those within #if are conditional, except that
    the guard of a header is no condition."""
    found = []
    depth = 0
    guard = bool(re.match(r"\s*#ifndef (\w+)\n#define \1\b", bare(text)))
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*#\s*if", line):
            depth += 1
        elif re.match(r"\s*#\s*endif", line):
            depth -= 1
        got = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if got:
            found.append(Include(number, got[2], got[1] == "<",
                                 depth > int(guard)))
    return found


def local_is_allowed(name, included):
    """May the file include the local header?"""
    parts = name.split("/")
    room = included.split("/")[0] if "/" in included else None
    if included == "jezero.h":
        return True
    if parts[0] in ("server", "client"):
        return room is None or room in ("base",) + PROGRAM_ROOMS
    if parts[0] == "lib" and len(parts) == 2:
        return room is None or room in ROOMS
    if parts[0] != "lib":
        return True
    if parts[1] in PROGRAM_ROOMS:
        return room in (parts[1], "base")
    return room in ROOMS[:ROOMS.index(parts[1]) + 1]


def local_exists(root, name, included):
    """A header is named by its path from lib/, or lies in the same folder, or
    among what tests share."""
    folder = os.path.dirname(name)
    places = ["lib", "include"]
    if folder.startswith(("server", "client")) or folder == "lib":
        places.append(folder)
    if folder.startswith("test"):
        places += [folder, "test/support", "server", "client"]
    return any(os.path.isfile(os.path.join(root, place, included))
               for place in places)


def foreign_places(included):
    for header, places in FOREIGN.items():
        if included == header or (header.endswith("/")
                                  and included.startswith(header)):
            return places
    return None


def system_fault(name, included):
    places = foreign_places(included)
    if places is None:
        return None if included in SYSTEM else "is not in the table of layers.py"
    if name.startswith("test/"):
        return None
    allowed = any(name == place or (place.endswith("/")
                                    and name.startswith(place))
                  for place in places)
    return None if allowed else "may be included only by " + ", ".join(places)


def own_header(root, name):
    """How a .c file names the header of its own name; None: it has none."""
    header = name[:-2] + ".h"
    if not name.endswith(".c") or not os.path.isfile(os.path.join(root,
                                                                  header)):
        return None
    parts = header.split("/")
    return "/".join(parts[1:]) if parts[0] == "lib" else parts[-1]


def order_faults(root, name, found):
    """Own header, then the system's, then local ones, each group sorted."""
    plain = [one for one in found if not one.is_conditional]
    own = own_header(root, name)
    if own:
        if not plain or plain[0].shown() != f'"{own}"':
            return [f'{name}: the first include is to be "{own}"']
        plain = plain[1:]
    elif name.endswith(".c"):
        # The headers that declare what this file defines, or tests, bear
        # other names: commands.h for every cmd_*.c. They stand together.
        while plain and not plain[0].is_system:
            first = plain.pop(0)
            if not plain or plain[0].line > first.line + 1:
                break
    want = sorted(plain, key=lambda one: (not one.is_system, one.name))
    return [f"{name}:{got.line}: {got.shown()} where {due.shown()} is due"
            for got, due in zip(plain, want) if got is not due][:1]


def main():
    root = sys.argv[1]
    tap = Tap()
    sources = files(root, (".c", ".h"), ("include", "lib", "server", "client",
                                         "test"))
    all_includes = {name: includes(read(root, name)) for name in sources}

    def rooms_include_only_themselves_and_those_before_them():
        tap.check(len(sources) > 50, "there are sources to read")
        for name, found in all_includes.items():
            for one in found:
                if not one.is_system and not local_is_allowed(name, one.name):
                    tap.check(False, f"{name}:{one.line}: {one.shown()} is of "
                              "a room that this one does not see")

    def the_public_header_includes_standard_headers_only():
        for one in all_includes["include/jezero.h"]:
            tap.check(one.is_system and one.name in ("stddef.h", "stdint.h"),
                      f"include/jezero.h:{one.line}: {one.shown()}")

    def foreign_headers_are_known_in_one_place():
        for name, found in all_includes.items():
            for one in found:
                fault = one.is_system and system_fault(name, one.name)
                if fault:
                    tap.check(False, f"{name}:{one.line}: {one.shown()} "
                              + fault)

    def local_headers_are_named_by_their_path():
        for name, found in all_includes.items():
            for one in found:
                if not one.is_system and not local_exists(root, name,
                                                          one.name):
                    tap.check(False, f"{name}:{one.line}: {one.shown()} is "
                              "not a path from lib/")

    def includes_stand_in_order():
        for name, found in all_includes.items():
            for fault in order_faults(root, name, found):
                tap.check(False, fault)

    def nothing_includes_a_source_file():
        for name, found in all_includes.items():
            for one in found:
                tap.check(one.name.endswith(".h"),
                          f"{name}:{one.line}: {one.shown()}")

    tap.run(rooms_include_only_themselves_and_those_before_them)
    tap.run(the_public_header_includes_standard_headers_only)
    tap.run(foreign_headers_are_known_in_one_place)
    tap.run(local_headers_are_named_by_their_path)
    tap.run(includes_stand_in_order)
    tap.run(nothing_includes_a_source_file)
    tap.done()


main()
