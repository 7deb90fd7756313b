# SPDX-License-Identifier: Apache-2.0
"""Makes certificates with the openssl program, in a folder of the test's.

    maker = Maker(folder)
    pair = maker.make("desk", kind="ec")       signed by itself
    root = maker.make("root", is_ca=True)
    pair = maker.make("desk", signer=root)     pair.cert, pair.key: paths
"""

import collections
import datetime
import os
import shutil
import subprocess
import threading

Pair = collections.namedtuple("Pair", "name cert key")
DAY = datetime.timedelta(days=1)


def is_there():
    return shutil.which("openssl") is not None


class Maker:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.lock = threading.Lock()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        subprocess.run(["openssl"] + list(arguments), check=True, cwd=self.folder,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=120)

    def new_key(self, path, kind):
        kinds = {"rsa": ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
                 "weak": ["RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
                 "ec": ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]}
        self.run("genpkey", "-algorithm", *kinds[kind], "-out", path)
        os.chmod(path, 0o600)

    def make(self, name, kind="ec", signer=None, is_ca=False, start=-1, end=30,
             hosts="DNS:localhost,IP:127.0.0.1,IP:::1", more="", of=None):
        """start, end: days from now. more: lines of further extensions. of: a
        pair whose key and name this is another certificate of."""
        with self.lock:
            self.count += 1
            number = self.count
        base = "%s-%d" % (name.replace(" ", "-"), number)
        pair = Pair(base, self.path(base + ".pem"),
                    of.key if of else self.path(base + ".key"))
        if not of:
            self.new_key(pair.key, kind)
        with open(self.path(base + ".cnf"), "w", encoding="ascii") as file:
            file.write(CONFIG.format(
                name=name, base=base, hosts=hosts, more=more, folder=self.folder,
                is_ca="TRUE" if is_ca else "FALSE",
                sign="keyCertSign" if is_ca or signer is None
                else "keyEncipherment",
                cert=(signer or pair).cert, key=(signer or pair).key))
        for end_of_name in (".index", ".index.attr"):
            open(self.path(base + end_of_name), "w", encoding="ascii").close()
        with open(self.path(base + ".serial"), "w", encoding="ascii") as file:
            file.write("00%s\n" % os.urandom(7).hex().upper())
        self.run("req", "-new", "-config", base + ".cnf", "-key", pair.key,
                 "-out", base + ".csr")
        now = datetime.datetime.now(datetime.timezone.utc)
        self.run("ca", "-batch", "-notext", "-config", base + ".cnf",
                 *([] if signer else ["-selfsign"]),
                 "-in", base + ".csr", "-out", pair.cert,
                 "-startdate", (now + start * DAY).strftime("%Y%m%d%H%M%SZ"),
                 "-enddate", (now + end * DAY).strftime("%Y%m%d%H%M%SZ"))
        return pair


CONFIG = """\
[req]
distinguished_name = subject
prompt = no
[subject]
CN = {name}
[ca]
default_ca = this
[this]
database = {folder}/{base}.index
new_certs_dir = {folder}
serial = {folder}/{base}.serial
certificate = {cert}
private_key = {key}
default_md = sha256
policy = any
unique_subject = no
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
basicConstraints = critical,CA:{is_ca}
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = {hosts}
keyUsage = critical,digitalSignature,{sign}
{more}
"""


def join(path, *parts):
    """One file out of several."""
    with open(path, "wb") as out:
        for part in parts:
            with open(part, "rb") as file:
                out.write(file.read())
    return path
