# SPDX-License-Identifier: Apache-2.0
"""What libjezero gives and what it needs.

    exports.py ROOT LIBRARY [NM]

The functions that the header declares, the names in the linker's map and the
symbols of the built library are the same list. And the library cannot reach a
network: it needs no symbol that could.
"""
import re
import subprocess
import sys

from tree import Tap, bare, read

FUNCTIONS_MOST = 40
# What a library that has no network, starts no program, writes to no standard
# stream and reads no environment needs not.
REFUSED = re.compile(
    r"(socket(pair)?|connect|bind|listen|accept4?|shutdown|setsockopt|"
    r"send(to|msg|mmsg)?|recv(from|msg|mmsg)?|getaddrinfo|getnameinfo|"
    r"gethostby\w+|res_\w+|inet_\w+|uv_\w+|mbedtls_\w+|SSL_\w+|curl_\w+|"
    r"http_parser_\w+|llhttp_\w+|fork|vfork|exec[lv]\w*|posix_spawnp?|system|"
    r"popen|dlopen|exit|_exit|quick_exit|getenv|secure_getenv|setenv|putenv|"
    r"signal|sigaction|printf|vprintf|puts|putchar|perror|stdin|stdout|stderr|"
    r"__printf_chk|__vprintf_chk)")


def declared(root):
    text = bare(read(root, "include/jezero.h"))
    text = re.sub(r"(?m)^[ \t]*#.*$", "", text)
    names = []
    for statement in re.findall(r"\bJZ_API\b([^;]*);", text):
        names += re.findall(r"\b(jz_\w+)\s*\(", statement)[:1]
    return names


def mapped(root):
    text = bare(read(root, "lib/jezero.map"))
    names = []
    for block in re.findall(r"global:(.*?)(?:local:|\})", text, re.S):
        names += re.findall(r"([\w*]+)\s*;", block)
    return names


def symbols(nm, library, kind):
    """Names of the dynamic symbol table, without their versions. A version
    itself is listed as an absolute symbol."""
    listed = subprocess.run([nm, "-D", kind, library], check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    names = []
    for line in listed.splitlines():
        *_, letter, name = line.split()
        if letter != "A":
            names.append(name.split("@")[0])
    return names


def main():
    root, library = sys.argv[1:3]
    nm = sys.argv[3] if len(sys.argv) > 3 else "nm"
    tap = Tap()
    header = declared(root)

    def each_function_is_declared_once():
        tap.check(len(header) > 10, f"declarations were found: {header}")
        tap.equal(len(set(header)), len(header), "declarations")

    def the_map_names_what_the_header_declares():
        tap.equal(sorted(mapped(root)), sorted(header), "lib/jezero.map")

    def the_library_exports_what_the_header_declares():
        tap.equal(sorted(symbols(nm, library, "--defined-only")),
                  sorted(header), "exported symbols")

    def there_are_at_most_40():
        tap.check(len(header) <= FUNCTIONS_MOST, f"there are {len(header)}")

    def the_library_needs_no_network_nor_process():
        needed = symbols(nm, library, "--undefined-only")
        tap.check(len(needed) > 10, f"symbols were found, not {len(needed)}")
        for name in needed:
            tap.check(not REFUSED.fullmatch(name), f"it needs {name}")

    tap.run(each_function_is_declared_once)
    tap.run(the_map_names_what_the_header_declares)
    tap.run(the_library_exports_what_the_header_declares)
    tap.run(there_are_at_most_40)
    tap.run(the_library_needs_no_network_nor_process)
    tap.done()


main()
