# SPDX-License-Identifier: Apache-2.0
"""The C API through ctypes, for tests: what a binding would do, no more."""
import ctypes
import json
import os

LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
CLOCK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64,
                            ctypes.c_int64)


class JezeroError(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def load(path=None):
    lib = ctypes.CDLL(path or os.environ["JZ_LIBRARY"])
    lib.jz_library_errmsg.restype = ctypes.c_char_p
    lib.jz_library_errmsg.argtypes = [ctypes.c_void_p]
    lib.jz_version.restype = ctypes.c_char_p
    lib.jz_strerror.restype = ctypes.c_char_p
    lib.jz_free.argtypes = [ctypes.c_void_p]
    lib.jz_library_close.argtypes = [ctypes.c_void_p]
    lib.jz_library_interrupt.argtypes = [ctypes.c_void_p]
    lib.jz_backup.argtypes = [ctypes.c_void_p, ctypes.c_char_p, PROGRESS,
                              ctypes.c_void_p]
    lib.jz_library_set_clock.argtypes = [ctypes.c_void_p, CLOCK,
                                         ctypes.c_void_p]
    return lib


def take(lib, pointer):
    """The text behind an out parameter, freed; None for NULL."""
    if not pointer.value:
        return None
    text = ctypes.string_at(pointer)
    lib.jz_free(pointer)
    return text


def encode(value):
    return None if value is None else json.dumps(value).encode()


class Library:
    def __init__(self, path, options=None, now=None):
        self.lib = load()
        self.handle = ctypes.c_void_p()
        code = self.lib.jz_library_open(ctypes.byref(self.handle),
                                        os.fsencode(path), encode(options))
        if code < 0:
            message = self.lib.jz_library_errmsg(self.handle).decode()
            self.close()
            raise JezeroError(code, message)
        if now is not None:
            self.clock = CLOCK(lambda _: now)
            self.lib.jz_library_set_clock(self.handle, self.clock, None)

    def close(self):
        if self.handle:
            self.lib.jz_library_close(self.handle)
            self.handle = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, name, *arguments):
        out = ctypes.c_void_p()
        code = getattr(self.lib, name)(ctypes.byref(out), self.handle,
                                       *arguments)
        if code < 0:
            raise JezeroError(
                code, self.lib.jz_library_errmsg(self.handle).decode())
        return take(self.lib, out)

    def read(self, name, arguments=None, scope=None):
        """One of the five reads: search, get_item, …"""
        return json.loads(self.call("jz_" + name, encode(scope),
                                    encode(arguments)))

    def put(self, item):
        line = json.dumps(item).encode()
        return json.loads(self.call("jz_put_item", line,
                                    ctypes.c_size_t(len(line))))

    def import_lines(self, lines):
        return json.loads(self.call("jz_import", lines,
                                    ctypes.c_size_t(len(lines))))

    def ingest(self, connector, path):
        return json.loads(self.call("jz_ingest", encode(connector),
                                    os.fsencode(path)))

    def export(self, after=0, limit=1000):
        return self.call("jz_export", ctypes.c_int64(after),
                         ctypes.c_int64(limit)).decode()

    def items(self):
        return [json.loads(line) for line in
                self.export(limit=1 << 40).split("\n") if line]

    def status(self):
        return json.loads(self.call("jz_status"))

    def check(self, **options):
        return json.loads(self.call("jz_check", encode(options)))

    def backup(self, path, progress=None):
        """progress(done, total) is called on the way."""
        fn = PROGRESS(lambda _, done, total: progress(done, total)) \
            if progress else PROGRESS(0)
        code = self.lib.jz_backup(self.handle, os.fsencode(path), fn, None)
        if code < 0:
            raise JezeroError(
                code, self.lib.jz_library_errmsg(self.handle).decode())

    def maintain(self):
        more = ctypes.c_int(1)
        steps = 0
        while more.value:
            code = self.lib.jz_maintain(ctypes.byref(more), self.handle)
            if code < 0:
                raise JezeroError(
                    code, self.lib.jz_library_errmsg(self.handle).decode())
            steps += 1
        return steps

    def dispatch(self, request, headers=None, scope=None):
        """MCP: (status, answer) of a message, both as the library gives."""
        out = ctypes.c_void_p()
        status = ctypes.c_int()
        code = self.lib.jz_mcp_dispatch(
            ctypes.byref(out), ctypes.byref(status), self.handle,
            encode(scope), encode(headers), request,
            ctypes.c_size_t(len(request)))
        if code < 0:
            raise JezeroError(
                code, self.lib.jz_library_errmsg(self.handle).decode())
        return status.value, take(self.lib, out)
