# SPDX-License-Identifier: Apache-2.0
"""The public header alone, and the version that it and all others name.

    header.py ROOT LIBRARY VERSION CC [CXX]

LIBRARY is loaded: its version is the one that counts at run time. CC and CXX
are commands, split at blanks.
"""
import ctypes
import os
import re
import subprocess
import sys

from tree import Tap, read

# All that a user of the header can trip over: its macros, its types, a call.
PROGRAM = """
#include <jezero.h>
#include <jezero.h>

static int64_t now(void *userdata)
{
    (void)userdata;
    return 0;
}

int use(jz_library **out);
int use(jz_library **out)
{
    int r = jz_library_open(out, "x", NULL);
    jz_library_set_clock(*out, now, NULL);
    return r == JZ_OK ? JZ_VERSION_MAJOR : JZ_ENEWER;
}
"""
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wstrict-prototypes", "-Werror",
          "-fsyntax-only"]


def compiles(tap, command, language, standard, root):
    flags = [flag for flag in STRICT
             if language == "c" or flag != "-Wstrict-prototypes"]
    done = subprocess.run(
        command.split() + [f"-std={standard}", "-x", language] + flags +
        ["-I", os.path.join(root, "include"), "-"],
        input=PROGRAM.encode(), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    tap.check(done.returncode == 0, done.stdout.decode(errors="replace"))


def main():
    root, library, version, cc = sys.argv[1:5]
    cxx = sys.argv[5] if len(sys.argv) > 5 else ""
    tap = Tap()
    text = read(root, "include/jezero.h")

    def the_header_alone_is_strict_c99():
        compiles(tap, cc, "c", "c99", root)

    def the_header_alone_is_cxx17():
        compiles(tap, cxx, "c++", "c++17", root)

    def every_public_function_has_a_comment():
        for found in re.finditer(r"(?m)^(.*)\nJZ_API [^(]*?\b(jz_\w+)\(",
                                 text):
            tap.check(found[1].rstrip().endswith("*/"),
                      f"{found[2]} has none")

    def header_project_and_library_name_one_version():
        numbers = [re.search(rf"#define JZ_VERSION_{part} (\S+)", text)[1]
                   for part in ("MAJOR", "MINOR", "PATCH")]
        shown = re.search(r'#define JZ_VERSION_STRING "([^"]*)"', text)[1]
        tap.equal(".".join(numbers), version, "JZ_VERSION_MAJOR and so on")
        tap.equal(shown, version, "JZ_VERSION_STRING")
        loaded = ctypes.CDLL(library)
        loaded.jz_version.restype = ctypes.c_char_p
        tap.equal(loaded.jz_version().decode(), version, "jz_version()")

    tap.run(the_header_alone_is_strict_c99)
    if cxx:
        tap.run(the_header_alone_is_cxx17)
    else:
        tap.skip("the_header_alone_is_cxx17", "no C++ compiler here")
    tap.run(every_public_function_has_a_comment)
    tap.run(header_project_and_library_name_one_version)
    tap.done()


main()
