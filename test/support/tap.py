# SPDX-License-Identifier: Apache-2.0
"""TAP for the tests in Python: check() notes a failure and goes on. What failed
is said on stderr, which meson shows; stdout is for TAP alone."""
import sys
import traceback


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0
        self.notes = []

    def check(self, ok, what):
        if not ok:
            self.notes.append(str(what))
        return ok

    def equal(self, got, want, what):
        return self.check(got == want, f"{what}: is {got!r}, want {want!r}")

    def run(self, test):
        """Run a function; its name is the test's."""
        self.notes = []
        try:
            test()
        except Exception:
            self.notes.append(traceback.format_exc())
        self.count += 1
        self.failed += bool(self.notes)
        for note in self.notes[:20]:
            for line in note[:4000].splitlines():
                print("#", line, file=sys.stderr, flush=True)
        name = test.__name__.replace("test_", "", 1)
        print("not ok" if self.notes else "ok", self.count, "-", name,
              flush=True)

    def skip(self, name, reason):
        self.count += 1
        print("ok", self.count, "-", name, "# SKIP", reason, flush=True)

    def done(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
